package tui

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/boughdev/bough/internal/frontend/slash"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/internal/styled"
	"github.com/boughdev/bough/internal/term"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// What commands find and say; the words are those of the REPL, from slash.

func (a *app) sessionInfo(slash.Command) error {
	a.beside(func() func() {
		st, err := protocol.Call(a.ctx, a.c, protocol.GetStats{})
		var split []string
		if err == nil {
			// Sessions that cannot be read take nothing from what is known of this one.
			if cost, err := protocol.Call(a.ctx, a.c, protocol.GetCost{Others: true}); err == nil {
				split = slash.Split(a.o.Lang, cost)
			}
		}
		return func() {
			if err != nil {
				a.problem(err)
				return
			}
			rows := slash.SessionRows(a.o.Lang, &a.view, st, a.position(a.view.Leaf))
			if len(split) > 0 {
				rows = append(append(rows, ""), split...)
			}
			a.push(a.listed("Session", rows))
		}
	})
	return nil
}

func (a *app) cost(c slash.Command) error {
	if c.Rest != "" {
		return errors.New("/cost takes no word; bough stats in a shell adds up by day, model, folder, session or branch")
	}
	call(a, protocol.GetCost{Others: true}, func(cost protocol.Cost, err error) {
		if err != nil {
			a.problem(err)
			return
		}
		lines := slash.CostRows(a.o.Lang, cost, a.view.Model)
		if n := cost.Session.Unpriced; n > 0 {
			lines = append(lines, slash.Unpriced(a.o.Lang, n))
		}
		a.push(a.listed("Cost", lines))
	})
	return nil
}

// chain is a source of entries with their numbers. Rows are made when they are seen;
// what is searched is made beside the loop.
type chain struct {
	a        *app
	links    []render.Link
	all      bool // numbered as in the tree
	digits   int
	previews *render.Previews
	texts    []string // as far as they are made
}

func (c *chain) len() int          { return len(c.links) }
func (c *chain) text(i int) string { return c.texts[i] }

func (c *chain) number(i int) string {
	if c.all {
		return fmt.Sprintf("[#%d]", c.links[i].Index)
	}
	return fmt.Sprintf("[%d]", c.links[i].Index)
}

func (c *chain) row(i, width int, _ bool) styled.Line {
	l := c.links[i]
	p := c.previews.Of(l.Entry)
	style := styled.Style{}
	switch {
	case p.Mark != "":
		style = c.a.theme.failure
	case l.Compacted, l.Omitted, p.Who == "tool":
		style = c.a.theme.dim
	}
	return styled.Of(slash.Row(c.a.o.Lang, width, c.number(i), c.digits, p, slash.LinkMarks(c.a.o.Lang, l)), style)
}

// fill makes what is searched, the newest first.
func (c *chain) fill(t *session.Tree, p *picker) {
	a, n := c.a, len(c.links)
	a.beside(func() func() {
		previews := a.previews(t)
		const piece = 500
		for to := n; to > 0; to -= piece {
			from := max(to-piece, 0)
			texts := make([]string, 0, piece)
			for i := from; i < to; i++ {
				l := c.links[i]
				texts = append(texts, c.number(i)+" "+l.Label+" "+render.Cut(previews.Of(l.Entry).Row, 1000))
			}
			on := make(chan bool, 1)
			a.send(func() {
				copy(c.texts[from:], texts)
				p.changed()
				on <- a.isOpen(p)
			})
			select {
			case open := <-on:
				if !open {
					return nil
				}
			case <-a.ctx.Done():
				return nil
			}
		}
		return nil
	})
}

// linksTo are the entries of a path with what is known of them without reading them.
func linksTo(t *session.Tree, leaf session.ID) []render.Link {
	path := t.Path(leaf)
	look := transcript{tree: t}
	look.learn(path, false)
	kept := -1
	if c := slash.LastCompaction(t, leaf); c != nil {
		o := look.olderOf(c)
		for i, e := range path {
			if e.ID == o.first {
				kept = i
			}
		}
	}
	var links []render.Link
	for i, e := range path {
		if !render.Counted(t, e) {
			continue
		}
		l := render.Link{Entry: e, Index: len(links), Branches: len(render.Next(t, e.ID)), Label: t.Label(e.ID), Compacted: i < kept && e.Role != message.System}
		if ed := look.edits[e.ID]; ed != nil {
			l.Omitted, l.Edited = ed.how == render.LeftOut, ed.how == render.Replaced
		}
		links = append(links, l)
	}
	return links
}

// history lists the entries to here, or all there are.
func (a *app) history(c slash.Command) error {
	args, err := c.Args("--all")
	last := 0
	if err == nil && len(args.Words) > 0 {
		if last, err = strconv.Atoi(args.Text()); err != nil || last <= 0 {
			err = errors.New("/history takes a number of entries, or --all")
		}
	}
	switch {
	case err != nil:
		return err
	case len(render.Next(a.view.Tree, "")) == 0:
		return errors.New("nothing has been said yet")
	}
	a.read(func(t *session.Tree, leaf session.ID) func() {
		list := &chain{a: a, all: args.Is["--all"]}
		if list.all {
			for i, e := range render.NumbersOf(t).Entries {
				list.links = append(list.links, render.Link{Entry: e, Index: i, Branches: len(render.Next(t, e.ID)), Label: t.Label(e.ID)})
			}
		} else {
			list.links = linksTo(t, leaf)
		}
		n := len(list.links)
		if last > 0 && last < n {
			list.links = list.links[n-last:]
		}
		if len(list.links) > 0 {
			list.digits = len(list.number(len(list.links) - 1))
		}
		list.texts = make([]string, len(list.links))
		return func() {
			list.previews = a.previews(a.view.Tree)
			p := &picker{title: "History", list: list, fills: true, verb: "read it", empty: "you stand before the first message; /history --all and /tree show what there is",
				choose: func(a *app, i int) { a.showEntry(list.links[i].Entry.ID, false) },
				more:   []hint{{"bough.tree.hide", "keep from the model, or not"}},
				act: func(a *app, i int, k term.Key) bool {
					if i < 0 || !a.keys.is(k, "bough.tree.hide") {
						return false
					}
					a.toggleHidden(list.links[i].Entry.ID)
					return true
				}}
			a.push(p)
			p.set(len(list.links) - 1)
			list.fill(t, p)
		}
	})
	return nil
}

// toggleHidden keeps an entry from the model, or lets the model see it again.
func (a *app) toggleHidden(id session.ID) {
	e := a.look.edits[id]
	if e == nil {
		a.problem(a.done0(protocol.Hide{Entry: id}, "the model does not see it from here on; /unhide brings it back"))
		return
	}
	a.problem(a.done0(protocol.Unhide{Entry: id}, "the model sees it again"))
}

// show shows all of an entry.
func (a *app) show(c slash.Command) error {
	args, err := c.Args("--raw")
	if err == nil && len(args.Words) == 0 {
		err = errors.New("say which entry: /show N. /history numbers them")
	}
	var id session.ID
	if err == nil {
		id, err = a.entry(args.Text())
	}
	if err == nil {
		a.showEntry(id, args.Is["--raw"])
	}
	return err
}

func (a *app) showEntry(id session.ID, raw bool) {
	thinking := !a.hidesThinking()
	a.read(func(t *session.Tree, leaf session.ID) func() {
		e := t.Get(id)
		if e == nil {
			return func() { a.problem(errors.New("the entry is not there any more")) }
		}
		var text string
		var err error
		p := a.previews(t).Of(e)
		plain := raw || e.Role == message.ToolResult || e.Role == message.Bash || e.Role == message.System
		if raw {
			var line []byte
			line, err = e.Raw()
			text = string(line)
		} else if text, err = render.Full(e, thinking); err != nil {
			err = fmt.Errorf("entry %s cannot be read: %w; /show --raw shows its line", id, err)
		}
		parts := []string{string(e.Type)}
		if e.Speaks() {
			who := a.t(p.Who)
			parts[0] = who
			if slash.OnPath(t, leaf, id) {
				if n := render.IndexOf(t, id); n >= 0 {
					parts[0] = fmt.Sprintf("[%d] %s", n, who)
				}
			} else if n, ok := render.NumberOf(t, id); ok {
				parts[0] = fmt.Sprintf("#%d %s", n, who)
			}
		}
		if !e.Time.IsZero() {
			parts = append(parts, e.Time.Local().Format(time.DateTime))
		}
		for _, s := range []string{a.t(p.Mark), a.t(slash.HowSeen(t, leaf, e))} {
			if s != "" {
				parts = append(parts, s)
			}
		}
		if err == nil && strings.TrimSpace(text) == "" {
			text = a.t("(nothing was said)")
			if !e.Speaks() {
				text = "(" + p.Row + ")"
			}
		}
		return func() {
			if err != nil {
				a.problem(err)
				return
			}
			a.push(a.document(render.OneLine(strings.Join(parts, ", ")), text, plain))
		}
	})
}

// context shows what the model sees here, or saw at another place.
func (a *app) context(c slash.Command) error {
	args, err := c.Args()
	at := a.view.Leaf
	if err == nil && len(args.Words) > 0 {
		at, err = a.entry(args.Text())
	}
	if err != nil {
		return err
	}
	window := int64(0)
	if m := a.view.Model; m != nil {
		window = m.ContextWindow
	}
	a.read(func(t *session.Tree, _ session.ID) func() {
		l, err := render.ContextOf(a.o.Lang, t, at)
		return func() {
			switch {
			case err != nil:
				a.problem(err)
			case len(l.Rows) == 0:
				a.flash("the model sees nothing yet")
			default:
				a.push(&page{title: "What the model sees", fills: true, make: func(width int) []styled.Line {
					var rows []styled.Line
					for _, s := range l.Lines(width-2, window) {
						rows = append(rows, styled.Join(margin, styled.Of(s, styled.Style{})))
					}
					return rows
				}})
			}
		}
	})
	return nil
}

// summary shows what the model sees of what was summed up.
func (a *app) summary(c slash.Command) error {
	args, err := c.Args()
	var e *session.Entry
	switch {
	case err != nil:
		return err
	case len(args.Words) > 0:
		id, err := a.entry(args.Text())
		if err != nil {
			return err
		}
		e = a.view.Tree.Get(id)
	default:
		if e = slash.LastCompaction(a.view.Tree, a.view.Leaf); e == nil {
			a.flash(slash.NotCompacted)
			return nil
		}
	}
	text, ok, err := slash.SummaryOf(e)
	switch {
	case err != nil:
		return err
	case !ok:
		return errors.New("that is no summary")
	}
	a.push(a.document("Summary", text, false))
	return nil
}

// takeOver brings something of another branch here.
func (a *app) takeOver(c slash.Command) error {
	cmd, err := slash.Taking(c, a.entry)
	if err != nil {
		return err
	}
	a.takeFrom(cmd)
	return nil
}

func (a *app) takeFrom(cmd protocol.Take) {
	call(a, cmd, func(t protocol.Taken, err error) {
		switch {
		case err != nil:
			a.problem(err)
		case t.Aborted:
			a.flash("stopped; nothing was taken")
		default:
			a.look.follow()
			a.flash("%s", a.n(len(t.Entries), "brought here: %d message; /back leaves it again", "brought here: %d messages; /back leaves it again"))
		}
	})
}

// summarize has the next move sum up what it leaves.
func (a *app) summarize(c slash.Command) error {
	if render.Above(a.view.Tree, a.view.Leaf) == nil {
		return errors.New("nothing has been said here, so there is nothing to sum up")
	}
	words := c.Rest
	a.summing = &words
	a.flash("what you leave with your next move is summed up for the place you go to; saying something calls it off")
	return nil
}

// purpose is what the text in the editor is for, if it is no prompt.
type purpose struct {
	words string
	do    func(text string)
}

// replace takes up a message for the model to see it with other words.
func (a *app) replace(c slash.Command) error {
	args, err := c.Args()
	if err == nil && len(args.Words) == 0 {
		err = errors.New("say which entry: /replace N. /context numbers them")
	}
	var id session.ID
	if err == nil {
		id, err = a.entry(args.Words[0])
	}
	if err == nil && !slash.OnPath(a.view.Tree, a.view.Leaf, id) {
		err = errors.New("that entry is not on the way to here, so the model does not see it")
	}
	if err != nil {
		return err
	}
	a.read(func(t *session.Tree, leaf session.ID) func() {
		text, ok, err := slash.WordsSeen(t, leaf, id)
		return func() {
			if err == nil && !ok {
				err = errors.New("only what you, the model and the tools said can be replaced")
			}
			if err != nil {
				a.problem(err)
				return
			}
			a.takeUp(text, &purpose{a.t("what the model is to see instead of %s", a.words(a.view.Tree.Get(id))), func(text string) {
				call(a, protocol.EditContext{Entry: id, Text: text}, func(_ protocol.Hidden, err error) {
					a.said(err, "the model sees these words now; /unhide brings its own back")
				})
			}})
		}
	})
	return nil
}

// summaryAnew takes up the summary of a compaction, to be said otherwise.
func (a *app) summaryAnew(e *session.Entry) {
	text, _, err := slash.SummaryOf(e)
	if err != nil {
		a.problem(err)
		return
	}
	a.takeUp(text, &purpose{"the summary, said anew as a branch", func(text string) {
		call(a, protocol.EditSummary{Entry: e.ID, Text: text}, func(_ session.ID, err error) {
			a.said(err, "the model reads this summary now; /back returns")
		})
	}})
}

// takeUp puts a text into the editor for something else than to be said.
func (a *app) takeUp(text string, p *purpose) {
	put := func() {
		a.editor.set(text)
		a.purpose = p
	}
	if a.editor.empty() {
		put()
		return
	}
	a.push(&question{text: "The editor holds a draft. What is to become of it?", choices: []choice{{"Replace it", put}, {"Keep the draft", nil}}})
}

// permissions lists the modes; one that is named is taken.
func (a *app) permissions(c slash.Command) error {
	set := func(cmd protocol.SetPermissions) {
		call(a, cmd, func(p protocol.Permissions, err error) {
			if err != nil {
				a.problem(err)
				return
			}
			if cmd.Forget {
				a.flash("what was allowed for this session is asked about again")
				return
			}
			for _, m := range p.Modes {
				if m.ID == p.Mode {
					a.flash("%s: %s", m.ID, a.told(m.Text))
				}
			}
		})
	}
	switch c.Rest {
	case "":
	case "forget":
		set(protocol.SetPermissions{Forget: true})
		return nil
	default:
		set(protocol.SetPermissions{Mode: c.Rest})
		return nil
	}
	call(a, protocol.GetPermissions{}, func(p protocol.Permissions, err error) {
		if err != nil {
			a.problem(err)
			return
		}
		var list texts
		add := func(name, beside string) { list = append(list, struct{ name, beside string }{name, beside}) }
		now := -1
		for i, m := range p.Modes {
			if m.ID == p.Mode {
				now = i
			}
			add(m.ID, a.told(render.OneLine(m.Text)))
		}
		if len(p.Session) > 0 {
			add("forget", a.t("ask again about what was allowed for this session: %s", strings.Join(p.Session, ", ")))
		}
		for _, l := range slash.PermissionText(a.o.Lang, protocol.Permissions{Allow: p.Allow, Ask: p.Ask, Deny: p.Deny}) {
			add("", render.OneLine(l))
		}
		pick := &picker{title: "Permissions", list: table{list, a, 12}, choose: func(a *app, i int) {
			switch {
			case i < len(p.Modes):
				set(protocol.SetPermissions{Mode: p.Modes[i].ID})
			case list[i].name == "forget":
				set(protocol.SetPermissions{Forget: true})
			}
		}}
		a.push(pick)
		if now >= 0 {
			pick.set(now)
		}
	})
	return nil
}

// detach leaves the session to the process that it runs in.
func (a *app) detach(slash.Command) error {
	if a.o.GoOn != nil && !a.elsewhere() {
		a.letGo()
		return nil
	}
	if a.o.Detach == nil {
		return errors.New("this session ends with this front end, so it cannot be left running")
	}
	if err := a.o.Detach(); err != nil {
		return err
	}
	a.detached, a.quit = true, true
	return nil
}
