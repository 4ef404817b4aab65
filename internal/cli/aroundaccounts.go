package cli

import (
	"bytes"
	"context"
	"strings"

	"github.com/boughdev/bough/internal/auth"
	"github.com/boughdev/bough/internal/frontend/tui"
	"github.com/boughdev/bough/internal/render"
)

// aroundAccounts are the keys of providers, for the terminal UI: what bough auth does
// in a shell.
func (r *runner) aroundAccounts() *tui.Accounts {
	// What the subcommand prints is told by the screen.
	account := func(ctx context.Context, provider string) (*account, *bytes.Buffer, error) {
		said := &bytes.Buffer{}
		quiet := &runner{env: r.env, args: r.args, paths: r.paths, settings: r.settings, live: r.live, store: r.store}
		quiet.env.Stdout, quiet.env.Stderr = said, said
		a := &account{runner: quiet, opts: map[string]string{}, provider: provider}
		var err error
		a.reg, a.keys, err = quiet.registryAndKeys(ctx)
		said.Reset() // of what is odd about the files was told at the start
		return a, said, err
	}
	after := func(said *bytes.Buffer, err error) (string, error) {
		if err != nil {
			return "", err
		}
		var out []string
		for line := range strings.SplitSeq(strings.TrimSpace(said.String()), "\n") {
			if line = strings.TrimPrefix(line, "bough: "); line != "" && !strings.HasPrefix(line, "next: ") {
				out = append(out, strings.ToUpper(line[:1])+line[1:]+".")
			}
		}
		return render.OneLine(strings.Join(out, " ")), nil
	}
	return &tui.Accounts{
		List: func(ctx context.Context) ([]tui.Account, error) {
			a, _, err := account(ctx, "")
			if err != nil {
				return nil, err
			}
			return a.all(), nil
		},
		Store: func(ctx context.Context, provider, key string, more map[string]string, check bool) (string, error) {
			a, said, err := account(ctx, provider)
			if err != nil {
				return "", err
			}
			if key, err = tidyKey(key); err != nil {
				return "", err
			}
			if check {
				a.opts["--check"] = "true"
			}
			err = a.store(ctx, key, more)
			return after(said, err)
		},
		SignIn: func(ctx context.Context, provider string, show func(address, problem string), pasted <-chan string) (string, error) {
			a, said, err := account(ctx, provider)
			if err != nil {
				return "", err
			}
			key, err := a.browserKey(ctx, show, pasted)
			if err == nil {
				err = a.store(ctx, key, nil)
			}
			return after(said, err)
		},
		Forget: func(ctx context.Context, provider string) (string, error) {
			a, said, err := account(ctx, provider)
			if err != nil {
				return "", err
			}
			err = a.logout(ctx)
			return after(said, err)
		},
	}
}

// all are the providers, with how it stands with their keys: those that have one
// first.
func (a *account) all() []tui.Account {
	var with, without []tui.Account
	seen := map[string]bool{}
	add := func(id, name string) {
		if seen[id] {
			return
		}
		seen[id] = true
		_, stored := a.keys.Stored(id)
		why, only := auth.NoSignIn(id)
		c := tui.Account{ID: id, Name: name, From: a.keys.Find(id, a.reg.ConfiguredKey(id)).String(), Stored: stored, Page: auth.Page(id), SignsIn: auth.CanSignIn(id),
			Wants: a.reg.Lacks(id), Note: a.reg.Why(id)}
		c.Ready = c.Note == ""
		if only {
			c.NoKey = why
		} else if why != "" && !c.Ready {
			c.Note = why
		}
		if c.From != "" || stored {
			with = append(with, c)
		} else {
			without = append(without, c)
		}
	}
	for _, p := range a.reg.Providers() {
		add(p.ID, p.Name)
	}
	for _, id := range a.keys.StoredProviders() {
		add(id, id)
	}
	return append(with, without...)
}
