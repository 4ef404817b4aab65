package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/boughdev/bough/internal/frontend/repl"
	"github.com/boughdev/bough/internal/frontend/tui"
	"github.com/boughdev/bough/internal/render"
)

// questions are asked in the screen reader mode, in place of screens of the terminal UI.
func (r *runner) questions(dir string) map[string]func(context.Context) (repl.Question, error) {
	return map[string]func(context.Context) (repl.Question, error){
		"trust":  func(context.Context) (repl.Question, error) { return r.trustQuestion(dir) },
		"logout": r.logoutQuestion,
	}
}

func (r *runner) trustQuestion(dir string) (repl.Question, error) {
	t, err := r.aroundTrust(dir)
	if err != nil {
		return repl.Question{}, err
	}
	state := "not trusted"
	if t.Trusted {
		state = "trusted"
	}
	q := repl.Question{Lines: []string{fmt.Sprintf("%s is %s: %s.", r.tilde(dir), state, t.Why)}}
	for _, c := range t.Changed {
		q.Lines = append(q.Lines, "changed since it was trusted: "+c)
	}
	if len(t.Items) == 0 {
		q.Lines = append(q.Lines, "It brings nothing along that needs trust.")
	}
	for _, i := range t.Items {
		q.Lines = append(q.Lines, strings.Join(append([]string{"it brings along: " + i.Path, render.Plural(i.Files, "file", "files")}, i.Notes...), "; "))
	}
	for _, w := range []struct {
		answer     tui.TrustAnswer
		text, then string
	}{
		{tui.TrustAlways, "trust it, with all that it has now", r.tilde(dir) + " is trusted from now on."},
		{tui.TrustParent, "trust all in " + r.tilde(t.Parent), "All in " + r.tilde(t.Parent) + " is trusted from now on."},
		{tui.TrustNever, "never use what it brings along", r.tilde(dir) + " is not trusted from now on."},
		{tui.TrustForget, "forget the answer, so that bough asks", "The answer for " + r.tilde(dir) + " is forgotten."},
	} {
		q.Ways = append(q.Ways, repl.Way{Text: w.text, Do: func(ctx context.Context) (string, error) {
			_, err := r.setTrust(ctx, dir, w.answer)
			return w.then + " /reload takes it up.", err
		}})
	}
	return q, nil
}

func (r *runner) logoutQuestion(ctx context.Context) (repl.Question, error) {
	accounts := r.aroundAccounts()
	all, err := accounts.List(ctx)
	if err != nil {
		return repl.Question{}, err
	}
	q := repl.Question{Lines: []string{"Keys that bough keeps, and can forget:"}}
	for _, c := range all {
		if c.Stored {
			q.Ways = append(q.Ways, repl.Way{Text: "forget the key of " + c.Name, Do: func(ctx context.Context) (string, error) { return accounts.Forget(ctx, c.ID) }})
		}
	}
	if len(q.Ways) == 0 {
		return repl.Question{}, errors.New("bough keeps no key that it could forget; those of variables are taken away in the shell")
	}
	return q, nil
}
