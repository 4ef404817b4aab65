package tui

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/boughdev/bough/internal/frontend/slash"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// dispatch is what commands do: a line each, in the order of slash's table. What is
// not in it is not built for the terminal yet. An error is told as such.
func dispatch() map[string]func(*app, slash.Command) error {
	return map[string]func(*app, slash.Command) error{
		"help":        func(a *app, c slash.Command) error { return a.helpOn(c.Rest) },
		"hotkeys":     func(a *app, _ slash.Command) error { a.push(a.keyList()); return nil },
		"quit":        func(a *app, _ slash.Command) error { a.leave(); return nil },
		"detach":      (*app).detach,
		"history":     (*app).history,
		"show":        (*app).show,
		"context":     (*app).context,
		"replace":     (*app).replace,
		"summarize":   (*app).summarize,
		"summary":     (*app).summary,
		"take":        (*app).takeOver,
		"session":     (*app).sessionInfo,
		"cost":        (*app).cost,
		"permissions": (*app).permissions,
		"tree":        func(a *app, c slash.Command) error { return a.openTree(c.Rest) },
		"find":        (*app).find,
		"compare":     (*app).compareCommand,
		"goto":        (*app).goToEntry,
		"branch":      (*app).branchAt,
		"edit":        (*app).editMessage,
		"retry":       func(a *app, _ slash.Command) error { a.retry(); return nil },
		"back":        func(a *app, _ slash.Command) error { call(a, protocol.Back{}, a.moved); return nil },
		"forward":     func(a *app, _ slash.Command) error { call(a, protocol.Forward{}, a.moved); return nil },
		"label":       (*app).label,
		"hide":        (*app).hide,
		"unhide":      (*app).unhide,
		"new":         (*app).newSession,
		"resume":      func(a *app, c slash.Command) error { return a.pickSession(c.Rest) },
		"fork":        (*app).fork,
		"clone":       (*app).clone,
		"name":        (*app).name,
		"compact":     func(a *app, c slash.Command) error { a.compact(c.Rest); return nil },
		"export":      (*app).export,
		"model":       func(a *app, c slash.Command) error { return a.pickModel(c.Rest) },
		"thinking":    (*app).thinking,
		"copy":        (*app).copyCommand,
		"queue":       (*app).queueCommand,
		"reload":      (*app).reload,

		"files":  (*app).touchedFiles,
		"import": (*app).importSession,
		"debug":  (*app).debug,
		"bug":    (*app).bug,

		"scoped-models": (*app).scopedModels,
		"settings":      (*app).settings,
		"tools":         (*app).tools,
		"mcp":           (*app).servers,
		"prompt":        (*app).systemPrompt,
		"login":         (*app).login,
		"logout":        (*app).logout,
		"trust":         (*app).trust,
		"uncompact":     (*app).uncompact,
	}
}

// run carries out a command that a key stands for.
func (a *app) run(line string) { a.command(line, "", protocol.AsSteering) }

// command carries out a line that begins with a slash, or says it to the model if
// that is what it is for. typed is what stands in the editor.
func (a *app) command(words, typed string, how protocol.Behavior) {
	var others []string
	for _, c := range a.commands {
		others = append(others, c.Command)
	}
	c, ok, err := slash.Parse(words, others...)
	switch {
	case err != nil:
		a.problem(err)
		return
	case !ok:
		a.sent(typed)
		a.prompt(protocol.Prompt{Text: words, WhenBusy: how})
		return
	}
	do, built := dispatch()[c.Name]
	switch {
	case !built || c.Later:
		a.flash("/%s is not in the terminal UI yet; bough --repl has it", c.Name)
		return
	case !c.Busy && a.view.Running && c.Name != "tree" && c.Name != "new" && c.Name != "resume":
		a.flash("stop first (%s), then /%s", a.keys.name("app.interrupt"), c.Name)
		return
	}
	if typed != "" {
		if c.Name == "login" {
			typed = "/login" // a key may stand behind it, and history is kept
		}
		a.sent(typed)
	}
	a.problem(do(a, c))
}

// done0 carries out a command of which nothing but that it is done is told.
func (a *app) done0(cmd protocol.Request, format string, args ...any) error {
	a.beside(func() func() {
		_, err := a.c.Do(a.ctx, cmd)
		return func() { a.said(err, format, args...) }
	})
	return nil
}

// fetchCommands asks which templates and skills there are, and what else was loaded.
func (a *app) fetchCommands() {
	a.fetchLoaded()
	if a.view.Tree != nil && a.view.Tree.Size() <= mostCounted {
		a.status.tally.count(a)
	}
}

// entry finds the entry that a word names: a number of the chain to here, or what
// slash.Target knows.
func (a *app) entry(word string) (session.ID, error) {
	word = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(word), "["), "]")
	if n, err := strconv.Atoi(word); err == nil {
		i := 0
		for _, e := range a.view.Tree.Path(a.view.Leaf) {
			if !render.Counted(a.view.Tree, e) {
				continue
			}
			if i == n {
				return e.ID, nil
			}
			i++
		}
		return "", fmt.Errorf("there is no [%d]; /history shows what there is", n)
	}
	return slash.Target(a.view.Tree, word)
}

func (a *app) goToEntry(c slash.Command) error {
	c, words := slash.Summarizing(c)
	if words != nil {
		a.summing = words
	}
	if c.Rest == "" {
		return errors.New("say where to: /goto with a #number, an id or a label; /tree shows them")
	}
	id, err := a.entry(c.Rest)
	if err == nil {
		a.goTo(protocol.Navigate{Target: id})
	}
	return err
}

func (a *app) branchAt(c slash.Command) error {
	c, words := slash.Summarizing(c)
	if c.Rest == "" {
		return a.openTree("")
	}
	if words != nil {
		a.summing = words
	}
	args, err := c.Args("--strict", "--exact")
	if err != nil {
		return err
	}
	id, err := a.entry(args.Text())
	if err == nil {
		a.goTo(protocol.Navigate{Target: id, At: true, Strict: args.Is["--strict"], Exact: args.Is["--exact"]})
	}
	return err
}

// editMessage takes up a message of the user, the last one or another.
func (a *app) editMessage(c slash.Command) error {
	if c.Rest != "" {
		if id, err := a.entry(c.Rest); err == nil && a.view.Tree.Get(id).Type == session.TypeCompaction {
			a.summaryAnew(a.view.Tree.Get(id))
			return nil
		}
		return a.goToEntry(c)
	}
	for i := len(a.look.path) - 1; i >= 0; i-- {
		if e := a.look.path[i]; e.Role == message.User {
			a.goTo(protocol.Navigate{Target: e.ID})
			return nil
		}
	}
	return errors.New("you have said nothing on this branch yet")
}

// retry asks the model again; where its answer is complete its question is answered
// once more, as another branch.
func (a *app) retry() {
	call(a, protocol.Retry{}, func(_ protocol.Disposition, err error) {
		if protocol.CodeOf(err) != protocol.NotRunnable {
			a.problem(err)
			return
		}
		for i := len(a.look.path) - 1; i >= 0; i-- {
			if e := a.look.path[i]; e.Role == message.User {
				call(a, protocol.Retry{Entry: &e.ID, Exact: true}, func(_ protocol.Disposition, err error) { a.problem(err) })
				return
			}
		}
		a.problem(err)
	})
}

func (a *app) label(c slash.Command) error {
	e := render.Above(a.view.Tree, a.view.Leaf)
	if e == nil {
		return errors.New("there is nothing to label yet")
	}
	cmd := protocol.SetLabel{Entry: e.ID, Text: c.Rest}
	if c.Rest == "" {
		return a.done0(cmd, "the label is gone")
	}
	return a.done0(cmd, "label: %s", render.Quote(c.Rest, 40))
}

func (a *app) hide(c slash.Command) error {
	id, err := a.entry(c.Rest)
	if err != nil {
		return err
	}
	return a.done0(protocol.Hide{Entry: id}, "the model does not see it from here on; /unhide brings it back")
}

func (a *app) unhide(c slash.Command) error {
	var id session.ID
	var err error
	if c.Rest != "" {
		if id, err = a.entry(c.Rest); err != nil {
			return err
		}
	}
	return a.done0(protocol.Unhide{Entry: id}, "the model sees it again")
}

func (a *app) fork(c slash.Command) error {
	if c.Rest == "" {
		return a.pickFork()
	}
	id, err := a.entry(c.Rest)
	if err == nil {
		a.forkAt(id)
	}
	return err
}

func (a *app) forkAt(id session.ID) {
	call(a, protocol.Fork{Entry: id}, func(f protocol.Forked, err error) {
		if err != nil {
			a.problem(err)
			return
		}
		a.offer(f.Text, f.Images)
		a.flash("new session from before that message")
	})
}

func (a *app) clone(c slash.Command) error {
	name := session.CleanName(c.Rest)
	a.beside(func() func() {
		_, err := protocol.Call(a.ctx, a.c, protocol.Clone{})
		if err == nil && name != "" {
			_, err = protocol.Call(a.ctx, a.c, protocol.SetName{Text: name})
		}
		return func() { a.said(err, "new session with the conversation up to here") }
	})
	return nil
}

func (a *app) name(c slash.Command) error {
	switch {
	case c.Rest == "--auto":
		call(a, protocol.MakeTitle{}, func(name string, err error) { a.said(err, "name: %s", name) })
		return nil
	case c.Rest == "":
		if n := a.view.Tree.Name(); n != "" {
			a.flash("name: %s", n)
		} else {
			a.flash("the session has no name; /name TEXT gives it one")
		}
		return nil
	}
	return a.done0(protocol.SetName{Text: strings.Join(strings.Fields(c.Rest), " ")}, "name: %s", c.Rest)
}

func (a *app) compact(words string) {
	call(a, protocol.Compact{Instructions: words}, func(r protocol.Compacted, err error) {
		a.said(err, "summed up: %s tokens -> %s", render.Count(r.TokensBefore), render.Count(r.TokensAfter))
	})
}

func (a *app) uncompact(slash.Command) error {
	for i := len(a.look.path) - 1; i >= 0; i-- {
		if e := a.look.path[i]; e.Type == session.TypeCompaction {
			a.goTo(protocol.Navigate{Target: e.Parent, At: true, Exact: true})
			return nil
		}
	}
	return errors.New("nothing was summed up on this branch")
}

func (a *app) export(c slash.Command) error {
	args, err := c.Args("--all-branches", "--static", "--redact", "--force")
	if err != nil {
		return err
	}
	x := protocol.Export{Path: args.Text(), Whole: args.Is["--all-branches"], Static: args.Is["--static"], Redact: args.Is["--redact"], Force: args.Is["--force"]}
	call(a, x, func(r protocol.Exported, err error) {
		if err != nil {
			a.problem(err)
			return
		}
		a.tell(a.theme.dim, "written: %s%s", r.Path, strings.TrimRight(" "+a.told(r.Redacted), " "))
	})
	return nil
}

func (a *app) copyCommand(c slash.Command) error {
	n := 1
	if c.Rest != "" {
		var err error
		if n, err = strconv.Atoi(c.Rest); err != nil || n < 1 {
			return errors.New("/copy takes a number: 1 is the last answer")
		}
	}
	a.copyAnswer(n)
	return nil
}

func (a *app) reload(slash.Command) error {
	call(a, protocol.Reload{}, func(r protocol.Reloaded, err error) {
		if err != nil {
			a.problem(err)
			return
		}
		if len(r.Changes) == 0 {
			a.flash("nothing has changed")
		}
		for _, s := range r.Changes {
			a.tell(a.theme.dim, "%s", a.told(s))
		}
		a.fetchCommands()
		a.dress(a.o.Theme) // its file may be another one now
	})
	return nil
}

// newest is the newest leaf under an entry.
func (a *app) newest(id session.ID) session.ID {
	return render.NumbersOf(a.view.Tree).Tip(a.view.Tree, id)
}
