package repl_test

import (
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/frontend/repl"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
)

// What compactions come to is told, whoever asked for them.
func TestTellingOfCompactions(t *testing.T) {
	result := &protocol.Compacted{Entry: "c", TokensBefore: 183700, TokensAfter: 21400, Messages: 42, Usage: &message.Usage{Input: 163000, Output: 900}}
	for _, tt := range []struct {
		name string
		evs  []protocol.Event
		out  string
		errs string
	}{
		{"in a run", []protocol.Event{protocol.CompactionStarted{Reason: protocol.OverLimit}, protocol.CompactionEnded{Reason: protocol.OverLimit, Result: result}},
			"(the conversation fills the window of the model; summing up its older part; ctrl+c stops)\n(compacted: 42 messages summed up, 184k -> about 21k tokens; it took 163k in, 900 out; /summary shows it, /uncompact goes back)\n", ""},
		{"after an overflow", []protocol.Event{protocol.CompactionStarted{Reason: protocol.OverflowedBy}, protocol.CompactionEnded{Reason: protocol.OverflowedBy, Error: "Summarization failed: no"}},
			"(the conversation is too long for the model; summing up its older part; ctrl+c stops)\n", "Not compacted: Summarization failed: no.\n"},
		{"stopped", []protocol.Event{protocol.CompactionStarted{Reason: protocol.OverLimit}, protocol.CompactionEnded{Reason: protocol.OverLimit, Aborted: true}},
			"(the conversation fills the window of the model; summing up its older part; ctrl+c stops)\n", ""},
		{"messages that are shortened", []protocol.Event{protocol.CompactionEnded{Reason: protocol.OverLimit, Result: &protocol.Compacted{}}}, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPuppet(func(p *puppet, _ protocol.Request) (any, error) {
				p.tell(tt.evs...)
				p.tell(says("fine")...)
				return protocol.Started, nil
			})
			typist, in := newTypist("go", "/quit")
			errs := &strings.Builder{}
			if _, err := repl.Run(t.Context(), p, repl.Options{In: in, Out: typist, Err: errs, Terminal: true, NoColor: true, Width: 200, NoHeader: true}); err != nil {
				t.Fatal(err)
			}
			if got := typist.String(); !strings.Contains(got, "> go\n"+tt.out+"fine\n") || errs.String() != tt.errs {
				t.Errorf("%q, %q\nwant %q, %q", got, errs, tt.out, tt.errs)
			}
		})
	}
}

// What was said while another front end compacted is not said if that came to
// nothing, and nobody waits for it.
func TestAMessageThatWaitedForACompaction(t *testing.T) {
	p := newPuppet(func(p *puppet, cmd protocol.Request) (any, error) {
		switch c := cmd.(type) {
		case protocol.GetQueue:
			return protocol.Queue{Items: []protocol.Waiting{{ID: "aaaa", Text: "of others"}, {ID: "bbbb", Text: "later"}}}, nil
		case protocol.DropQueued:
			if c.ID != "bbbb" {
				t.Errorf("%s is dropped", c.ID)
			}
			return protocol.Queue{}, nil
		}
		p.tell(protocol.QueueChanged{Queue: protocol.Queue{FollowUp: []string{"later"}}}, protocol.CompactionEnded{Reason: protocol.Manual, Aborted: true})
		return protocol.Queued, nil
	})
	out, errs, _, err := p.run(t, "later\n", repl.Options{})
	if err != nil || out != "not said: \"later\"\n" || errs != "" {
		t.Errorf("%q, %q, %v", out, errs, err)
	}
}
