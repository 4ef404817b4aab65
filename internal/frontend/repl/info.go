package repl

import (
	"errors"

	"github.com/boughdev/bough/internal/frontend/slash"
	"github.com/boughdev/bough/internal/lang"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/internal/styled"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// session says what the session is, holds and took.
func (r *repl) session() error {
	st, err := protocol.Call(r.ctx, r.c, protocol.GetStats{})
	if err != nil {
		r.failed(err)
		return nil
	}
	for _, line := range slash.SessionRows(lang.English, &r.view, st, r.describe(r.view.Leaf)) {
		r.out.line(none, line)
	}
	return nil
}

// name names the session, or says its name.
func (r *repl) name(text string) error {
	if text == "--auto" {
		r.beside(func() func() {
			title, err := protocol.Call(r.ctx, r.c, protocol.MakeTitle{})
			return func() {
				if r.failed(err); err == nil {
					r.say("name: %s", render.OneLine(title))
				}
			}
		})
		r.note("(the model is asked for a title)")
		return nil
	}
	text = session.CleanName(text)
	if text == "" {
		if n := r.view.Tree.Name(); n != "" {
			r.say("name: %s", render.OneLine(n))
		} else {
			r.say("This session has no name; /name with a text gives it one.")
		}
		return nil
	}
	if _, err := protocol.Call(r.ctx, r.c, protocol.SetName{Text: text}); err != nil {
		r.failed(err)
		return nil
	}
	if err := r.await(func() bool { return r.view.Tree.Name() == text }); err != nil {
		return err
	}
	r.say("name: %s", render.OneLine(text))
	return nil
}

// label names the entry that the conversation stands at, or takes its name away.
func (r *repl) label(text string) error {
	t := r.view.Tree
	at := t.Effective(r.view.Leaf)
	if e := render.Above(t, r.view.Leaf); e != nil {
		at = e.ID
	}
	if at == "" {
		r.say("There is no entry here to label yet.")
		return nil
	}
	text = session.CleanName(text)
	if styled.Width(text) > 200 {
		r.failed(errors.New("a label has at most 200 columns"))
		return nil
	}
	if text == "" && t.Label(at) == "" {
		r.say("%s has no label; /label with a text gives it one.", r.describe(at))
		return nil
	}
	id, err := protocol.Call(r.ctx, r.c, protocol.SetLabel{Entry: at, Text: text})
	if err != nil {
		r.failed(err)
		return nil
	}
	if err := r.await(func() bool { return r.view.Tree.Has(id) }); err != nil {
		return err
	}
	if text == "" {
		r.say("%s has no label any more", r.describe(at))
	} else {
		if r.out.speech {
			r.say("label %s is at %s", render.OneLine(text), r.describe(at))
			return nil
		}
		r.say("%s is {%s}", r.describe(at), render.OneLine(text))
	}
	return nil
}
