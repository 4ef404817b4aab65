package repl_test

import (
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/internal/frontend/repl"
	"github.com/boughdev/bough/protocol"
)

func wants(t *testing.T, text string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("%q is not in\n%s", w, text)
		}
	}
}

func TestCostAndContext(t *testing.T) {
	limit := 5.0
	w := newWorld(t, `[{"when":{"user":"say"},"reply":{"text":"as you wish","usage":{"input":2000,"output":20}}},{"reply":{"text":"fine","usage":{"input":1000,"output":10}}}]`,
		func(o *control.Options) { o.Budget.PerSession = &limit })
	got := w.say("/cost\n/context\nhello there\nsay it\n/branch 2\nanother\n/cost\n/hide 1\n/replace 2\nit was fine,\\\nas I said\n/context\n/replace\n/replace 0\n/replace 99\n/unhide 2\n/unhide\n/context\n/session\n/cost now")
	wants(t, got.out,
		"session      nothing yet", "The model sees nothing yet.",
		"last prompt  $0.003, 1 call, 1.0k in, 10 out\n", "this branch  $0.006, 2 calls, 2.0k in, 20 out\n", "session      $0.013, 3 calls, 4.0k in, 40 out\n",
		"next         about 1.0k tokens; $0.003 and <$0.001 for an answer like the last ones\n", "budget       $0.013 of $5.00 for a session\n",
		`what you write next takes the place of [2] assistant "fine" for the model`, "\nfine\n",
		`the model sees other words now in place of [2] assistant "fine"`,
		"[1] user            0   0%  hello there  (hidden: 3 saved)\n", "it was fine, as I said  (replaced, was 1)\n", "1 hidden saves 3; 1 replaced adds ",
		"Say which entry: /replace N", "Only what you, the model and the tools said can be replaced.", "There is no [99]",
		"the model sees it again: [2]", "the model sees it again: [1]",
		"context   ", "cost      $0.013, this branch $0.006\n", "/cost takes no word",
	)
	if strings.Count(got.out, "(hidden:") != 1 || strings.Count(got.out, "(replaced,") != 1 {
		t.Errorf("after /unhide the lists are\n%s", got.out)
	}
}

// How full the window is shows in the line behind an answer, from 70 and 90 percent on
// with what helps, and "?" where it is not known.
func TestGaugeInTheTurnLine(t *testing.T) {
	for use, want := range map[*protocol.ContextUse]string{
		nil:                                      "out, ?%)",
		{Window: 100}:                            "out, ?%)",
		{Tokens: 70, Known: true, Window: 100}:   "out, 70.0%)",
		{Tokens: 701, Known: true, Window: 1000}: "out, 70.1% of the window: /compact makes room)",
		{Tokens: 901, Known: true, Window: 1000}: "out, 90.1% of the window, nearly full: /compact makes room)",
	} {
		p := newPuppet(func(p *puppet, cmd protocol.Request) (any, error) {
			p.tell(protocol.ContextChanged{Use: use})
			p.tell(says("fine")...)
			return protocol.Started, nil
		})
		var out strings.Builder
		if _, err := repl.Run(t.Context(), p, repl.Options{In: strings.NewReader("hello"), Out: &out, Err: &out, NoHeader: true}); err != nil {
			t.Fatal(err)
		}
		wants(t, out.String(), want)
	}
}

// A person at a terminal answers the question of a budget; other words are no answer
// and go to no model.
func TestAQuestionIsAnswered(t *testing.T) {
	limit := 0.0
	w := newWorld(t, `[{"reply":{"text":"fine","usage":{"input":1000,"output":10}}}]`,
		func(o *control.Options) { o.Budget.PerRun, o.Asks = &limit, true })
	x := w.terminal(w.connect(""))
	x.shows("> ")
	x.types("hello")
	x.shows("  no: stop\nyes/no> ")
	x.types("perhaps")
	x.shows("Say yes or no; ctrl+c stops.\nyes/no> ")
	x.types("N")
	x.shows("/retry goes on.\n> ")
	x.types("/retry")
	x.shows("yes/no> ")
	x.types("yes")
	x.shows("fine\n> ")
	x.types("/quit")
	if code := <-x.done; code != 0 {
		t.Errorf("code %d", code)
	}
}
