package repl

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/boughdev/bough/internal/frontend/slash"
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
	back          bool       // on the way back or forward: it is not kept
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
	if end == p.id && p.id != "" && !p.back && t.Effective(r.view.Leaf) == p.id {
		p.id = r.view.Leaf // just bookkeeping lies between
	}
	nav, err := protocol.Call(r.ctx, r.c, protocol.Navigate{Target: p.id, At: true, Exact: p.exact})
	if err != nil {
		r.failed(err)
		return false, nil
	}
	if nav.Old != nav.Leaf {
		if err := r.await(func() bool { return r.view.Leaf == nav.Leaf }); err != nil {
			return false, err
		}
		r.draft = nil
		if !p.back {
			r.past, r.future = append(r.past, nav.Old), nil
		}
	}
	if nav.Moved {
		r.say("moved to %s: results of this turn belong together", r.number(nav.Leaf))
	}
	if !p.quiet {
		r.say("%s", r.here())
	}
	return true, nil
}

// branch stands right after an entry, or lists the branches here.
func (r *repl) branch(c slash.Command) error {
	a, err := c.Args("--strict", "--exact", "--summary")
	switch {
	case err != nil:
		r.say("%s", sentence(err))
		return nil
	case a.Is["--summary"]:
		r.say("A summary of the branch that is left comes with a later version of bough; nothing was moved.")
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
	_, err = r.stand(place{id: id, strict: a.Is["--strict"], exact: a.Is["--exact"]})
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
		r.out.line(none, r.row(fmt.Sprintf("#%d", n), digits+1, previews.Of(e), marks))
	}
	r.say("/branch #N stands after one of them.")
}

// goTo goes to an entry as choosing it in a tree does: a message that was
// written by a person comes back.
func (r *repl) goTo(c slash.Command) error {
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
		_, err = r.stand(place{id: id})
		return err
	case r.view.Tree.Effective(r.view.Leaf) == id:
		r.say("already %s, /edit says it anew", r.here())
		return nil
	}
	return r.sayAnew(e)
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
	if !isEditable(e) {
		r.say("%s is no message of yours. /branch stands after it.", r.describe(id))
		return nil
	}
	return r.sayAnew(e)
}

// sayAnew stands before a message, so that what is said next takes its place.
func (r *repl) sayAnew(e *session.Entry) error {
	d, err := r.view.Tree.Destination(e.ID)
	if err != nil {
		r.failed(err)
		return nil
	}
	left := r.view.Leaf
	if ok, err := r.stand(place{id: d.Leaf, exact: true, quiet: true}); !ok || err != nil {
		return err
	}
	r.shown(e.ID)
	place := fmt.Sprintf("[%d]%s", render.IndexOf(r.view.Tree, e.ID), r.otherNumber(e.ID))
	r.say("at %s; next prompt takes the place of %s, as branch %d; /back calls it off", r.describe(d.Leaf), place, len(render.Next(r.view.Tree, d.Leaf))+1)
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
	return r.along(&r.past, &r.future, "There is no place to go back to.")
}

// forward undoes back.
func (r *repl) forward() error {
	return r.along(&r.future, &r.past, "There is no place to go forward to.")
}

func (r *repl) along(from, to *[]session.ID, none string) error {
	if len(*from) == 0 {
		r.say("%s", none)
		return nil
	}
	old := r.view.Leaf
	id := (*from)[len(*from)-1]
	ok, err := r.stand(place{id: id, exact: true, back: true})
	if ok {
		*from, *to = (*from)[:len(*from)-1], append(*to, old)
	}
	return err
}
