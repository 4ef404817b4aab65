package repl_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/internal/frontend/repl"
	"github.com/boughdev/bough/internal/golden"
	"github.com/boughdev/bough/internal/script"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/provider/scripted"
)

func TestNumbersAreThoseThatWereWrittenLast(t *testing.T) {
	w := newWorld(t, "")
	got := w.say(strings.Join([]string{
		"a", "b", "/history", // [0] to [4]
		"/edit 1", "c", // another branch, of which no number was written yet
		"/branch 4", "/back", // back on that of c, and said so
		"/edit 1", "/back", "/edit 1", "/back", "/branch 4",
		"/branch #4", "/edit 1", "/back", "/back",
		"/branch [1]", "/edit", "d", "/branch 2", "/branch [#4]", "/branch [4", "/branch [x]", "/branch 2 --strict", "/fork 2", "/edit #6", "/edit #5", "/edit 1", "/history",
	}, "\n"), quiet)
	golden.Equal(t, "numbers.txt", got.out+"--\n"+got.err)
}

// Whether an entry is named by its number or its label, /goto does the same.
func TestGotoByNumberAndLabel(t *testing.T) {
	listed := regexp.MustCompile(`(?m)^\(.*as it was listed.*\n`)
	for _, at := range []string{"/branch 0", "/branch 1", "/branch 2", "/branch 4", "/edit 3", "/branch 1\nanother"} {
		for n := range 5 {
			var said []string
			for _, word := range []string{fmt.Sprint(n), "the label", fmt.Sprintf("#%d", n), fmt.Sprintf("[%d]", n)} {
				w := newWorld(t, "")
				got := w.say(fmt.Sprintf("a\nb\n/history\n/branch %d\n/label the label\n/branch 4\n%s\n!true\n/goto %s\n", n, at, word), quiet)
				_, after, _ := strings.Cut(got.out, "(no output)\n")
				said = append(said, after)
			}
			for _, s := range said[1:] {
				// A number of a list says where it leads if that is another branch.
				first, s := listed.ReplaceAllString(said[0], ""), listed.ReplaceAllString(s, "")
				if s != first {
					t.Errorf("after %s: /goto %d says\n%s\nand by another name\n%s", at, n, first, s)
				}
			}
		}
	}
}

func TestAnEditIsCalledOff(t *testing.T) {
	w := newWorld(t, "")
	out := w.types(w.connect(""), "a", "b", "/edit 1", "/back", "", "/edit 1", "/edit 1", "/back", "", "/back", "/fork 1", "/back", "", "/history", "/quit")
	golden.Equal(t, "edit_off.txt", stable(out))
	if said := w.texts(message.User); len(said) != 2 {
		t.Errorf("said %q", said)
	}
}

func TestWhatABeginningLooksLike(t *testing.T) {
	w := newWorld(t, "")
	w.hub.Close()
	o := w.options(nil)
	o.Models = talkative{models{scripted.New(info("stub-large"), w.script)}}
	w.hub = control.NewHub(o)
	t.Cleanup(w.hub.Close)
	out := w.types(w.connect(""), "/new", "hello", "branch 1", "/fork 1")
	golden.Equal(t, "beginning.txt", stable(out))
}

// talkative models say why they are chosen.
type talkative struct{ models }

func (t talkative) Default() (m provider.Model, why string, err error) {
	m, _, err = t.models.Default()
	return m, "No model is configured, so this one answers, which is none. Set a key for a real one.", err
}

func TestTextIsBrokenOnATerminal(t *testing.T) {
	const text = "First a paragraph that is longer than a line of forty columns.\\n\\n- and an item of a list that is longer than a line\\n\\n```\\nand code that is longer than a line of forty columns\\n```\\n这是一段比四十列更长的中文文字，应该在字与字之间换行，而不是超出屏幕。"
	rules := `[{"reply":{"text":"` + text + `","chunk":3}}]`
	narrow := func(o *repl.Options) { o.Width = 40; o.Quiet = true }
	w := newWorld(t, rules)
	typist, in := newTypist("hello", "/branch 1", "/help branch", "/help", "/branch 99999999999")
	w.run(w.connect(""), in, narrow, func(o *repl.Options) { o.Out, o.Err, o.Terminal, o.NoColor = typist, typist, true, true })
	golden.Equal(t, "wrapped.txt", typist.String())
	if got := newWorld(t, rules).say("hello", narrow); got.out != strings.ReplaceAll(text, `\n`, "\n")+"\n" {
		t.Errorf("in a pipe\n%s", got.out)
	}
}

func TestALateNoticeBreaksNoWord(t *testing.T) {
	d := func(text string) protocol.Event {
		return protocol.Delta{Delta: message.Delta{Kind: message.TextDelta, Text: text}}
	}
	p := newPuppet(func(p *puppet, cmd protocol.Request) (any, error) {
		p.tell(protocol.LoopStarted{}, protocol.AnswerStarted{}, d("one tw"), protocol.Notice{Level: "info", Text: "by the way"},
			d("o three"), protocol.RunEnded{Aborted: true})
		return protocol.Started, nil
	})
	typist, in := newTypist("go", "/quit")
	if _, err := repl.Run(t.Context(), p, repl.Options{In: in, Out: typist, Err: typist, Terminal: true, NoColor: true, Quiet: true}); err != nil {
		t.Fatal(err)
	}
	if want := "> go\none tw\nby the way\no three\n(stopped; what was said is kept)\n> /quit\n"; typist.String() != want {
		t.Errorf("%q, want\n%q", typist.String(), want)
	}
}

func TestModelsThatAreInNoList(t *testing.T) {
	w := newWorld(t, "", func(o *control.Options) { o.Models = unlisted{o.Models.(models)} })
	got := w.say("/model\n/model nosuch\n/model other/x\n/model scripted/one\n/model one\n", quiet)
	want := `No models are configured. Store a key with bough auth login, or set one such as ANTHROPIC_API_KEY, and start bough again; bough help models says more.
There is no model "nosuch". No models are configured. Store a key with bough auth login, or set one such as ANTHROPIC_API_KEY, and start bough again; bough help models says more.
There is no model "other/x". No models are configured. Store a key with bough auth login, or set one such as ANTHROPIC_API_KEY, and start bough again; bough help models says more.
model scripted/one, thinking off
model scripted/one, thinking off
`
	if got.out != want {
		t.Errorf("got\n%s", golden.Diff(want, got.out))
	}
}

// unlisted models can be had by name only.
type unlisted struct{ models }

func (unlisted) Available() []provider.Info { return nil }

func (u unlisted) Model(p, id string) (provider.Model, error) {
	if p == "scripted" {
		return scripted.New(scripted.Info(id), script.Empty()), nil
	}
	return u.models.Model(p, id)
}
