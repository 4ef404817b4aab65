package repl

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/boughdev/bough/internal/frontend/slash"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/session"
)

// A number N names the entry that is the N-th of a path, so what it means hangs
// on the path that is meant: the one whose numbers were written last, as a list
// or in a line such as
//
//	at [5] assistant "There is a main.go..."; next prompt starts branch 3
//
// What is said later changes no number (docs/spec/frontends.md E-07). [N] is
// written of the path that is stood at only. #N is the N-th entry of the whole
// session and never means another one; it is added where it differs.

// entry finds the entry that a person names: by its number, or as [slash.Target]
// does. If the number was written of a branch that has been left since, this is
// said.
func (r *repl) entry(word string) (session.ID, error) {
	t := r.view.Tree
	word = unbracketed(word)
	n, err := strconv.Atoi(word)
	if err != nil || n < 0 {
		if t.Len() == 0 {
			return "", errEmpty
		}
		return slash.Target(t, word)
	}
	list := r.numbers()
	switch {
	case n < len(list):
		r.tellBranch(n)
		return list[n], nil
	case t.Has(session.ID(word)):
		return session.ID(word), nil
	case t.Labelled(word) != "":
		return t.Labelled(word), nil
	case len(list) == 0 && len(render.Next(t, "")) == 0:
		return "", errEmpty
	case len(list) == 0:
		return "", fmt.Errorf("you stand before the first message; /history --all and /tree show what there is")
	}
	what := "the list goes"
	if !slices.Equal(list, r.chain()) {
		what = "the list that was printed last goes"
	}
	return "", fmt.Errorf("there is no %s; %s from %s to %s", r.nth(n), what, r.nth(0), r.nth(len(list)-1))
}

// tellBranch says which entry a number of the list is, if another branch than that
// of the list is stood at.
func (r *repl) tellBranch(n int) {
	id, chain := r.list[n], r.chain()
	if begins(r.list, chain) || r.onPath(id) {
		return
	}
	k, _ := render.NumberOf(r.view.Tree, id)
	if n >= len(chain) {
		r.note("(%s, as it was listed, is %s, on another branch than this)", r.nth(n), r.nthOfAll(k))
		return
	}
	own, _ := render.NumberOf(r.view.Tree, chain[n])
	r.note("(%s, as it was listed, is %s, on another branch than this; on this one it would be %s)", r.nth(n), r.nthOfAll(k), r.nthOfAll(own))
}

// unbracketed takes off the brackets that numbers are written in.
func unbracketed(word string) string {
	inner, ok := strings.CutPrefix(word, "[")
	if inner, ok2 := strings.CutSuffix(inner, "]"); ok && ok2 {
		if _, err := strconv.Atoi(strings.TrimPrefix(inner, "#")); err == nil {
			return inner
		}
	}
	return word
}

// numbers is the list that a number is looked up in. One that has only grown
// since it was printed has grown with it.
func (r *repl) numbers() []session.ID {
	if chain := r.chain(); begins(chain, r.list) {
		r.list = chain
	}
	return r.list
}

// chain is the numbered path to here.
func (r *repl) chain() []session.ID { return r.chainTo(r.view.Leaf) }

func (r *repl) chainTo(leaf session.ID) []session.ID {
	var ids []session.ID
	for _, e := range r.view.Tree.Path(leaf) {
		if render.Counted(r.view.Tree, e) {
			ids = append(ids, e.ID)
		}
	}
	return ids
}

// shown is called when the number of an entry on the path is written. From now
// on numbers are those of its path, unless the list has it already.
func (r *repl) shown(id session.ID) {
	if path := r.chainTo(id); !begins(r.list, path) {
		r.list = path
	}
}

// begins reports whether a list begins with another one.
func begins(list, with []session.ID) bool {
	return len(with) <= len(list) && slices.Equal(list[:len(with)], with)
}

func (r *repl) onPath(id session.ID) bool { return slash.OnPath(r.view.Tree, r.view.Leaf, id) }

// number is how an entry is named: [5] on the path, else #9. What is not counted
// has the number of what it follows.
func (r *repl) number(id session.ID) string {
	if e := render.Above(r.view.Tree, id); e != nil {
		id = e.ID
	}
	if r.onPath(id) {
		r.shown(id)
		return r.nth(render.IndexOf(r.view.Tree, id))
	}
	n, _ := render.NumberOf(r.view.Tree, id)
	return r.nthOfAll(n)
}

// otherNumber is the number of an entry in the tree, " (#9)", if it is another
// one than that on the path.
func (r *repl) otherNumber(id session.ID) string {
	n, ok := render.NumberOf(r.view.Tree, id)
	if !ok || n == render.IndexOf(r.view.Tree, id) {
		return ""
	}
	if r.out.speech {
		return fmt.Sprintf(", number %d in the tree", n)
	}
	return fmt.Sprintf(" (#%d)", n)
}

// nth names an entry by its number on the path, nthOfAll by the one in the session.
func (r *repl) nth(n int) string {
	if r.out.speech {
		return fmt.Sprintf("entry %d", n)
	}
	return fmt.Sprintf("[%d]", n)
}

func (r *repl) nthOfAll(n int) string {
	if r.out.speech {
		return fmt.Sprintf("number %d in the tree", n)
	}
	return fmt.Sprintf("#%d", n)
}

// describe says which entry one is: [5] assistant "There is a main.go..." (#9).
func (r *repl) describe(id session.ID) string {
	e := render.Above(r.view.Tree, id)
	if e == nil {
		return "the start, before the first message"
	}
	other := ""
	if r.onPath(e.ID) {
		other = r.otherNumber(e.ID)
	}
	if r.out.speech {
		return r.number(e.ID) + other + ": " + r.words(e)
	}
	return r.number(e.ID) + " " + r.words(e) + other
}

// words are who speaks in an entry and how it begins.
func (r *repl) words(e *session.Entry) string {
	p := render.NewPreviews(r.view.Tree).Of(e)
	switch {
	case p.Text != "":
		return p.Who + " " + render.Quote(p.Text, 24)
	case p.Calls != "":
		return p.Who + " -> " + p.Calls
	case p.Mark != "":
		return p.Who + " (" + p.Mark + ")"
	}
	return p.Who
}
