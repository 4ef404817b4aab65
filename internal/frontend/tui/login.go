package tui

import (
	"context"
	"errors"
	"strings"

	"github.com/boughdev/bough/internal/frontend/slash"
	"github.com/boughdev/bough/internal/styled"
	"github.com/boughdev/bough/internal/term"
)

// accountList is the list of providers (docs/spec/frontends.md D20). Keys never come
// into the transcript, the history of the editor, or a report of a crash.
type accountList struct {
	a    *app
	list []Account
}

func (l *accountList) len() int { return len(l.list) }
func (l *accountList) text(i int) string {
	return l.list[i].ID + " " + l.list[i].Name
}

func (l *accountList) row(i, width int, _ bool) styled.Line {
	c, t := l.list[i], l.a.theme
	words, style := l.a.told(c.Note), t.dim
	switch {
	case c.Ready && c.From != "":
		words, style = l.a.t("ready, by %s", l.a.told(c.From)), t.success
	case c.Ready:
		words, style = l.a.t("ready"), t.success
	case c.From != "":
		words, style = l.a.t("by %s; %s", l.a.told(c.From), l.a.told(c.Note)), t.warning
	case c.NoKey == "" && !c.SignsIn:
		words = l.a.t("no key yet")
	case c.SignsIn:
		words = l.a.t("signs in by the browser, or takes a key")
	}
	name := styled.Line{{Text: brief(c.Name)}, {Text: " [" + brief(c.ID) + "]", Style: t.dim}}
	return beside(name, styled.Of(brief(words), style), 30, width)
}

// accounts fetches the providers beside the loop.
func (a *app) accounts(then func(list []Account)) error {
	if a.o.Around.Accounts == nil {
		return errors.New("keys cannot be kept from here; in a shell on the machine of the session: bough auth login PROVIDER")
	}
	a.beside(func() func() {
		list, err := a.o.Around.Accounts.List(a.ctx)
		return func() {
			if err != nil {
				a.problem(err)
				return
			}
			then(list)
		}
	})
	return nil
}

func byName(list []Account, name string) (Account, bool) {
	for _, c := range list {
		if strings.EqualFold(c.ID, name) {
			return c, true
		}
	}
	return Account{}, false
}

// login stores a key for a provider, or signs in.
func (a *app) login(c slash.Command) error {
	if len(c.Rest) > 40 {
		return errors.New("that looks like a key, not like the name of a provider. Name the provider; the key is asked for after that")
	}
	return a.accounts(func(list []Account) {
		if one, ok := byName(list, c.Rest); ok {
			a.loginAt(one)
			return
		}
		a.showAccounts(list, c.Rest)
	})
}

func (a *app) showAccounts(list []Account, query string) {
	p := &picker{title: "Log in", list: &accountList{a, list}, fills: true, choose: func(a *app, i int) { a.loginAt(list[i]) },
		detail: func(i, width int) []styled.Line {
			words := a.told(list[i].Note)
			if list[i].Page != "" {
				words = a.sentences(words, a.t("Keys: %s", list[i].Page))
			}
			return append([]styled.Line{nil}, styled.Wrap(styled.Of(brief(words), a.theme.dim), width, nil, nil)...)
		}}
	p.query.set(query)
	a.push(p)
}

func (a *app) loginAt(c Account) {
	switch {
	case c.NoKey != "":
		a.problem(errors.New(c.NoKey))
	case c.SignsIn:
		a.push(&question{text: a.t("Log in at %s", brief(c.Name)), choices: []choice{
			{"By the browser", func() { a.signIn(c) }},
			{"With a key", func() { a.askKey(c) }},
		}})
	default:
		a.askKey(c)
	}
}

// askKey asks for a key, which is not shown, and for what else is wanted.
func (a *app) askKey(c Account) {
	words := a.t("It is not shown, and is kept in auth.json where only you read it.")
	if c.Page != "" {
		words = a.sentences(a.t("Keys are given out at %s.", c.Page), words)
	}
	a.push(&typing{title: a.t("Key of %s", brief(c.Name)), words: words, secret: true, done: func(a *app, key string) {
		if strings.TrimSpace(key) == "" {
			a.flash("no key was given; nothing is stored")
			return
		}
		a.askWants(c, key, map[string]string{}, c.Wants)
	}})
}

func (a *app) askWants(c Account, key string, more map[string]string, wants []string) {
	if len(wants) > 0 {
		a.push(&typing{title: brief(wants[0]), words: a.t("%s wants it besides the key. Nothing typed leaves it out.", brief(c.Name)), done: func(a *app, text string) {
			if text = strings.TrimSpace(text); text != "" {
				more[wants[0]] = text
			}
			a.askWants(c, key, more, wants[1:])
		}})
		return
	}
	store := func(check bool) {
		a.keep(c, a.t("trying the key at %s", c.Name), func(ctx context.Context) (string, error) {
			return a.o.Around.Accounts.Store(ctx, c.ID, key, more, check)
		})
	}
	a.push(&question{text: a.t("Try the key at %s before it is stored?", brief(c.Name)), choices: []choice{
		{"Try it, then store it", func() { store(true) }},
		{"Store it as it is", func() { store(false) }},
		{"Forget it", nil},
	}})
}

// keep does what ends with a key that is stored; then the models are read anew.
func (a *app) keep(c Account, doing string, do func(context.Context) (string, error)) {
	w := &pending{title: doing}
	ctx, stop := context.WithCancel(a.ctx)
	w.stop = stop
	a.push(w)
	a.beside(func() func() {
		said, err := do(ctx)
		stopped := ctx.Err() != nil
		stop()
		return func() {
			a.close(w)
			a.kept(said, err, stopped)
		}
	})
}

// kept tells what came of a key.
func (a *app) kept(said string, err error, stopped bool) {
	switch {
	case err == nil:
		a.tell(a.theme.dim, "%s /model lists the models.", a.told(said))
	case stopped:
		a.flash("nothing is stored")
	default:
		a.problem(err)
	}
}

// signIn goes the way by the browser.
func (a *app) signIn(c Account) {
	pasted := make(chan string, 1)
	t := &typing{title: a.t("Log in at %s", brief(c.Name)), words: a.t("A page opens in the browser.")}
	ctx, stop := context.WithCancel(a.ctx)
	t.left = func(*app) { stop() }
	t.done = func(a *app, text string) {
		if text = strings.TrimSpace(text); text != "" {
			select {
			case pasted <- text:
			default: // one is on its way
			}
		}
		t.in = input{}
		a.push(t) // it stays until the way ends
	}
	a.push(t)
	show := func(address, problem string) {
		a.send(func() {
			t.words = a.t("Say yes to bough on this page: %s . If that browser is on another machine, paste here the address it ends at.", address)
			if problem != "" {
				t.words = a.sentences(a.told(problem), t.words)
			}
		})
	}
	a.beside(func() func() {
		said, err := a.o.Around.Accounts.SignIn(ctx, c.ID, show, pasted)
		stopped := ctx.Err() != nil
		stop()
		return func() {
			a.close(t)
			a.kept(said, err, stopped)
		}
	})
}

// logout forgets the key of a provider.
func (a *app) logout(c slash.Command) error {
	return a.accounts(func(list []Account) {
		var stored []Account
		for _, one := range list {
			if one.Stored {
				stored = append(stored, one)
			}
		}
		forget := func(one Account) {
			a.push(&question{text: a.t("Forget the key of %s? Another program that uses auth.json, such as pi, has none then either.", brief(one.Name)), choices: []choice{
				{"Keep it", nil},
				{"Forget it", func() {
					a.beside(func() func() {
						said, err := a.o.Around.Accounts.Forget(a.ctx, one.ID)
						return func() {
							if err != nil {
								a.problem(err)
								return
							}
							a.tell(a.theme.dim, "%s", a.told(said))
						}
					})
				}},
			}})
		}
		if one, ok := byName(stored, c.Rest); ok {
			forget(one)
			return
		}
		p := &picker{title: "Log out", list: &accountList{a, stored}, choose: func(_ *app, i int) { forget(stored[i]) },
			empty: "no key is stored; what the environment has is not bough's to forget"}
		p.query.set(c.Rest)
		a.push(p)
	})
}

// pending says what is being waited for; Escape ends it.
type pending struct {
	title string
	stop  func()
}

func (w *pending) hints() []hint { return []hint{{"tui.select.cancel", "stop"}} }

func (w *pending) update(a *app, ev term.Event) {
	if k, ok := ev.(term.Key); ok && a.keys.is(k, "tui.select.cancel") {
		w.stop()
	}
}

func (w *pending) view(a *app, width, _ int) panel {
	return panel{rows: []styled.Line{a.border(nil, "", width, a.theme.accent), styled.Of(" "+brief(a.t(w.title))+" ...", a.theme.dim).Cut(width), styled.Join(margin, a.help(w.hints(), width-1))}}
}
