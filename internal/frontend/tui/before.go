package tui

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/boughdev/bough/internal/term"
)

// errLost is what questions before the start end with if nobody is there any more.
var errLost = errors.New("the terminal is gone")

// before shows screens before there is a session. open opens the first; they end by
// calling done.
func before(ctx context.Context, o Options, open func(a *app, done func())) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	o.Quiet, o.Hint, o.Regular = true, "", false
	a := newApp(ctx, nil, o)
	a.opened = true
	a.look.reset()
	o.Terminal.Full, o.Terminal.Mouse, o.Terminal.Links = true, true, false
	var err error
	o.Terminal.ASCII = o.ASCII
	if a.term, err = term.Open(o.Terminal); err != nil {
		return fmt.Errorf("open the terminal: %w", err)
	}
	closed := false
	defer func() {
		a.term.Close("")
		cancel()
		a.work.Wait()
	}()
	open(a, func() { closed, a.quit = true, true })
	if _, err := a.loop(); err != nil {
		return err
	}
	if !closed {
		return errLost
	}
	return nil
}

// AskTrust asks what is to become of what a project brings along.
func AskTrust(ctx context.Context, o Options, t Trust) (TrustAnswer, error) {
	answer := TrustNot
	err := before(ctx, o, func(a *app, done func()) {
		a.push(trustPaper(a, t, func(said TrustAnswer) {
			answer = said
			done()
		}))
	})
	return answer, err
}

// Ask puts a question, and returns which of the answers was chosen; Escape is the
// last of them. The text is Markdown; the letter in an answer, "(f)ork it", is for
// those who type it in a line.
func Ask(ctx context.Context, o Options, title, text string, answers ...string) (int, error) {
	chosen := len(answers) - 1
	err := before(ctx, o, func(a *app, done func()) {
		p := &paper{title: title, text: a.told(text) + a.t("."), back: func(*app) { done() }}
		for i, answer := range answers {
			words := a.t(answer)
			if words == answer {
				words = capital(strings.NewReplacer("(", "", ")", "").Replace(answer))
			}
			p.choices = append(p.choices, choice{brief(words), func() {
				chosen = i
				done()
			}})
		}
		a.push(p)
	})
	return chosen, err
}

// FirstRun leads a person who has no model to one.
type FirstRun struct {
	Servers []string // which model servers of this machine answer, in sentences
	Local   []string // their models, a line each; none: nothing to choose from
	// Look looks for servers again.
	Look func(ctx context.Context) (servers, local []string)
	// Ready reports whether a model can be asked now.
	Ready func() bool
}

// First is what somebody chose: a key that is stored, a model of FirstRun.Local, or the
// offline model.
type First struct {
	Offline bool
	Local   int // -1: none
}

// AskFirst shows the three ways to a model. It ends with context.Canceled if none was
// taken.
func AskFirst(ctx context.Context, o Options, f FirstRun) (First, error) {
	got, finished := First{Local: -1}, false
	err := before(ctx, o, func(a *app, done func()) {
		finish := func() {
			finished = true
			done()
		}
		w := &firstRun{a: a, f: f, done: done, offline: func() {
			got.Offline = true
			finish()
		}, local: func(i int) {
			got.Local = i
			finish()
		}}
		a.emptied = func() { // a way was gone to its end, or left
			if f.Ready() {
				finish()
				return
			}
			w.ways(a.look.last())
		}
		w.ways("")
	})
	if err == nil && !finished {
		err = context.Canceled
	}
	return got, err
}

// firstRun is the screen of the three ways.
type firstRun struct {
	a       *app
	f       FirstRun
	done    func()
	offline func()
	local   func(i int)
}

// ways shows them, and what came of the last one.
func (w *firstRun) ways(said string) {
	a := w.a
	text := a.t("No model is set up yet. There are three ways to get one:") + "\n\n" +
		"1. " + a.t("**A key** of a provider: Anthropic, OpenAI, Google, OpenRouter and more. Or set `ANTHROPIC_API_KEY` or the like, and start again.") + "\n" +
		"2. " + a.sentences(a.t("**A model server on this machine.**"), escaped(w.servers())) + "\n" +
		"3. " + a.t("**The offline model**: a set of rules, no real model, to try everything with. The next start asks again.") + "\n"
	if said != "" {
		text += "\n**" + escaped(said) + "**\n"
	}
	at := 2
	if len(w.f.Local) > 0 {
		at = 1
	}
	w.a.push(&paper{title: "bough", text: text, at: at, back: func(*app) { w.done() }, choices: []choice{
		{"Type a key, or sign in", w.key},
		{"Use a model on this machine", w.server},
		{"Try the offline model", w.offline},
	}})
}

// servers says which servers answer.
func (w *firstRun) servers() string {
	var said []string
	for _, s := range w.f.Servers {
		said = append(said, w.a.told(s))
	}
	return w.a.sentences(said...)
}

func (w *firstRun) key() {
	a := w.a
	wait := &pending{title: "looking at the keys", stop: func() {}}
	a.push(wait)
	a.beside(func() func() {
		list, err := a.o.Around.Accounts.List(a.ctx)
		return func() {
			a.close(wait)
			if a.problem(err); err == nil {
				a.showAccounts(list, "")
			}
		}
	})
}

func (w *firstRun) server() {
	a := w.a
	if len(w.f.Local) > 0 {
		w.models()
		return
	}
	wait := &pending{title: "looking for servers", stop: func() {}}
	a.push(wait)
	a.beside(func() func() {
		servers, local := w.f.Look(a.ctx)
		return func() {
			a.close(wait)
			if w.f.Servers, w.f.Local = servers, local; len(local) > 0 {
				w.models()
			} else {
				a.tell(a.theme.dim, "%s", w.servers())
			}
		}
	})
}

func (w *firstRun) models() {
	var list texts
	for _, l := range w.f.Local {
		list = append(list, struct{ name, beside string }{brief(l), ""})
	}
	w.a.push(&picker{title: "A model of this machine", list: table{list, w.a, 0}, fills: true, choose: func(_ *app, i int) { w.local(i) }})
}
