package control_test

import (
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/provider"
)

// A summary that is made in parts is asked about when one of them would pass the
// budget, even though the first did not.
func TestBudgetOfASummaryInParts(t *testing.T) {
	for _, tt := range []struct {
		choice, want string
		calls        int
	}{
		{"no", "bough.budget.perRun", 3},
		{"yes", "", 4}, // the summary is billed as one
	} {
		w := costly(t, `[{"when":{"user":"[Ss]ummary"},"reply":{"text":"a summary","usage":{"input":5000,"output":1}}},{"reply":{"text":"fine","usage":{"input":100,"output":0}}}]`,
			func(o *control.Options, i *provider.Info) {
				i.ContextWindow, i.MaxTokens = 8000, 1000
				o.Budget.PerRun, o.Asks = dollars(40), true // a part is taken to cost $25 to $30
				o.Compaction = control.Compaction{For: func(_, _ string) (int64, int64) { return 0, 1 }}
			})
		f := w.connect(control.Start{})
		for range 3 {
			f.say(strings.Repeat("words ", 3000))
		}
		done := make(chan error, 1)
		go func() {
			_, err := protocol.Call(t.Context(), f, protocol.Compact{})
			done <- err
		}()
		f.until("the question", func() bool { return len(f.view.Open) > 0 })
		f.mu.Lock()
		q := f.view.Open[0]
		f.mu.Unlock()
		if !strings.Contains(q.Text, "the summary will come to about $4") {
			t.Errorf("question %q", q.Text)
		}
		if _, err := protocol.Call(t.Context(), f, protocol.Answer{Question: q.ID, Choice: tt.choice}); err != nil {
			t.Fatal(err)
		}
		err := <-done
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %v, want %q", tt.choice, err, tt.want)
		}
		if c := f.costs(protocol.GetCost{}); c.Session.Calls != tt.calls {
			t.Errorf("%s: %d calls, want %d", tt.choice, c.Session.Calls, tt.calls)
		}
	}
}
