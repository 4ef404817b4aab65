package repl

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/boughdev/bough/internal/frontend/slash"
	"github.com/boughdev/bough/internal/lang"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// errEmpty answers whoever wants to go somewhere in a session without entries.
var errEmpty = errors.New("nothing has been said yet, so there is nothing to branch from. Say something first")

// here says where the conversation stands and what follows from that.
func (r *repl) here() string {
	t := r.view.Tree
	at := session.ID("")
	e := render.Above(t, r.view.Leaf)
	if e != nil {
		at = e.ID
	}
	s := "at " + r.describe(at)
	switch n := len(render.Next(t, at)); {
	case n > 0:
		s += fmt.Sprintf("; next prompt starts branch %d", n+1)
	default:
		s += "; next prompt goes on from here"
	}
	if e != nil && e.Role == message.User {
		s += ", /retry asks the model again"
	}
	return s
}

// place is somewhere to stand.
type place struct {
	id            session.ID // "": before the first entry
	strict, exact bool       // between a call and its results
	quiet         bool       // do not say where it is
	summary       *string    // what is left is summed up, with these instructions; or nil
}

// stand moves the conversation to right after an entry and says so; or it says
// why not and returns false.
func (r *repl) stand(p place) (bool, error) {
	t := r.view.Tree
	end := p.id
	if !p.exact && p.id != "" {
		var err error
		if end, err = t.TurnEnd(p.id, r.view.Leaf); err != nil {
			r.failed(err)
			return false, nil
		}
	}
	if p.strict && end != p.id {
		at, to := r.number(p.id), r.number(end)
		r.say("Not moved: %s lies between a call and its results, which belong together. %s is the last of them; --exact takes %s as it is.", at, to, at)
		return false, nil
	}
	if end == p.id && p.id != "" && t.Effective(r.view.Leaf) == p.id {
		p.id = r.view.Leaf // just bookkeeping lies between
	}
	return r.move(protocol.Navigate{Target: p.id, At: true, Exact: p.exact}, p.summary, p.quiet)
}

// move moves the conversation and says where to, unless it is to be quiet.
func (r *repl) move(c protocol.Navigate, summary *string, quiet bool) (bool, error) {
	if summary == nil {
		summary = r.summary
	}
	r.summary = nil
	if summary != nil {
		c.Summarize, c.Instructions = true, *summary
	}
	var nav protocol.Navigated
	failed, err := r.meanwhile(func() (err error) {
		nav, err = protocol.Call(r.ctx, r.c, c)
		return err
	})
	switch {
	case err != nil:
		return false, err
	case failed != nil:
		r.failed(failed)
		return false, nil
	case nav.Aborted:
		r.note("(stopped; nothing has moved)")
		return false, nil
	}
	if err := r.moved(nav); err != nil {
		return false, err
	}
	if c.Summarize && nav.Summary == "" {
		r.say("Nothing was left behind that could be summed up.")
	}
	if nav.Moved {
		at := nav.Leaf
		if e := r.view.Tree.Parent(nav.Summary); e != nil {
			at = e.ID
		}
		r.say("moved to %s: results of this turn belong together", r.number(at))
	}
	if !quiet {
		r.say("%s", r.here())
	}
	if nav.Summary != "" {
		r.took(nav.Summary)
	}
	return true, nil
}

// moved waits until the view stands where a move has led.
func (r *repl) moved(nav protocol.Navigated) error {
	if nav.Old == nav.Leaf {
		return nil
	}
	r.draft = nil
	return r.await(func() bool { return r.view.Leaf == nav.Leaf })
}

// branch stands right after an entry, or lists the branches here.
func (r *repl) branch(c slash.Command) error {
	c, summary := slash.Summarizing(c)
	a, err := c.Args("--strict", "--exact", "--summary")
	switch {
	case err != nil:
		r.say("%s", sentence(err))
		return nil
	case len(a.Words) == 0 && summary != nil:
		r.say("Say where to: /branch N --summary. /summarize sums up at the next move.")
		return nil
	case len(a.Words) == 0:
		r.branches()
		return nil
	}
	id, err := r.entry(a.Text())
	if err != nil {
		r.say("%s", sentence(err))
		return nil
	}
	_, err = r.stand(place{id: id, strict: a.Is["--strict"], exact: a.Is["--exact"], summary: summary})
	return err
}

// branches lists the ways on from the nearest branch point, by their numbers in
// the tree.
func (r *repl) branches() {
	t := r.view.Tree
	at, ways := render.Nearest(t, r.view.Leaf)
	if len(ways) == 0 {
		r.say("There is one branch only. /branch N stands after [N] of /history, and what you say then begins another.")
		return
	}
	numbers := render.NumbersOf(t)
	place := "the start, before the first message"
	if e := render.Above(t, at); e != nil {
		n, _ := numbers.Of(e.ID)
		place = fmt.Sprintf("#%d %s", n, r.words(e))
	}
	r.say("branches after %s", place)
	previews := render.NewPreviews(t)
	digits := len(strconv.Itoa(len(numbers.Entries) - 1))
	for _, e := range ways {
		n, _ := numbers.Of(e.ID)
		tip, _ := numbers.Of(numbers.Tip(t, e.ID))
		var marks []string
		switch {
		case r.onPath(e.ID):
			marks = append(marks, "(you are here)")
		case tip != n:
			marks = append(marks, fmt.Sprintf("(its newest: #%d)", tip))
		}
		r.out.line(none, slash.Row(lang.English, r.o.Width, fmt.Sprintf("#%d", n), digits+1, previews.Of(e), marks))
	}
	r.say("/branch #N stands after one of them.")
}

// goTo goes to an entry as choosing it in a tree does: a message that was
// written by a person comes back.
func (r *repl) goTo(c slash.Command) error {
	c, summary := slash.Summarizing(c)
	a, err := c.Args()
	if err == nil && len(a.Words) == 0 {
		err = errors.New("say where to: /goto with a number of /history, a #number of /tree, an id or a label")
	}
	var id session.ID
	if err == nil {
		id, err = r.entry(a.Text())
	}
	if err != nil {
		r.say("%s", sentence(err))
		return nil
	}
	e := r.view.Tree.Get(id)
	switch {
	case !isEditable(e):
		_, err = r.stand(place{id: id, summary: summary})
		return err
	case r.view.Tree.Effective(r.view.Leaf) == id:
		r.say("already %s, /edit says it anew", r.here())
		return nil
	}
	return r.sayAnew(e, summary)
}

func isEditable(e *session.Entry) bool {
	return e.Role == message.User || e.Type == session.TypeCustomMessage
}

// edit stands before a message of the user, the last one if none is named.
func (r *repl) edit(c slash.Command) error {
	a, err := c.Args()
	var id session.ID
	switch {
	case err != nil:
	case len(a.Words) > 0:
		id, err = r.entry(a.Text())
	default:
		for _, e := range r.view.Path() {
			if e.Role == message.User {
				id = e.ID
			}
		}
		if id == "" {
			err = errors.New("there is no message of yours on this path")
		}
	}
	if err != nil {
		r.say("%s", sentence(err))
		return nil
	}
	e := r.view.Tree.Get(id)
	if e.Type == session.TypeCompaction {
		return r.summaryAnew(e)
	}
	if !isEditable(e) {
		r.say("%s is no message of yours. /branch stands after it.", r.describe(id))
		return nil
	}
	return r.sayAnew(e, nil)
}

// sayAnew stands before a message, so that what is said next takes its place.
func (r *repl) sayAnew(e *session.Entry, summary *string) error {
	d, err := r.view.Tree.Destination(e.ID)
	if err != nil {
		r.failed(err)
		return nil
	}
	left := r.view.Leaf
	move := protocol.Navigate{Target: e.ID, Exact: true}
	switch at := r.view.Tree.Effective(left); {
	case at == e.ID:
		move.Target, move.At = d.Leaf, true
	case at == d.Leaf && at != "":
		move.Target, move.At = left, true // just bookkeeping lies between
	}
	if ok, err := r.move(move, summary, true); !ok || err != nil {
		return err
	}
	r.shown(e.ID)
	place := r.nth(render.IndexOf(r.view.Tree, e.ID)) + r.otherNumber(e.ID)
	if r.view.Tree.Effective(r.view.Leaf) == d.Leaf || r.view.Leaf == d.Leaf {
		place += fmt.Sprintf(", as branch %d", len(render.Next(r.view.Tree, d.Leaf))+1)
	}
	r.say("at %s; next prompt takes the place of %s; /back calls it off", r.describe(r.view.Leaf), place)
	r.takeUp(d.Text, d.Images)
	r.draft.stayed = r.view.Leaf == left
	return nil
}

// takeUp makes a message the draft and shows it, as it is: it may be copied.
func (r *repl) takeUp(text string, images []message.Block) {
	r.draft = &draft{Prompt: protocol.Prompt{Text: text, Images: images}, sendable: r.o.Terminal}
	r.out.line(none, render.Clean(text))
	if len(images) > 0 {
		r.out.line(dim, "("+render.Plural(len(images), "image", "images")+" will go with it)")
	}
	if r.o.Terminal {
		r.out.line(dim, "(an empty line says it as it is)")
	}
}

// back goes to the place that was left last. A message that was taken up without
// a move is just put away.
func (r *repl) back() error {
	if d := r.draft; d != nil && d.stayed {
		r.draft = nil
		r.say("%s", r.here())
		return nil
	}
	nav, err := protocol.Call(r.ctx, r.c, protocol.Back{})
	return r.came(nav, err)
}

// forward undoes back.
func (r *repl) forward() error {
	nav, err := protocol.Call(r.ctx, r.c, protocol.Forward{})
	return r.came(nav, err)
}

// came says where one came back to.
func (r *repl) came(nav protocol.Navigated, err error) error {
	if err != nil {
		r.failed(err)
		return nil
	}
	if err := r.moved(nav); err != nil {
		return err
	}
	r.say("%s", r.here())
	return nil
}
