package repl

import (
	"strings"

	"github.com/boughdev/bough/internal/frontend/slash"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/session"
)

// tree prints the session as a tree.
func (r *repl) tree(c slash.Command) error {
	switches := []string{"--ascii", "--classic"}
	for _, f := range render.Filters() {
		switches = append(switches, "--"+string(f))
	}
	a, err := c.Args(switches...)
	if err != nil {
		r.say("%s", sentence(err))
		return nil
	}
	t := r.view.Tree
	if len(render.Next(t, "")) == 0 {
		r.say("Nothing has been said yet.")
		return nil
	}
	previews := render.NewPreviews(t)
	o := render.TreeOptions{ASCII: r.o.ASCII || a.Is["--ascii"], Width: r.o.Width}
	if a.Is["--classic"] {
		o.Layout = render.Classic
	}
	if r.o.TreeFilter != nil {
		o.Filter = render.Filter(r.o.TreeFilter())
	}
	for _, f := range render.Filters() {
		if a.Is["--"+string(f)] {
			o.Filter = f
		}
	}
	var hits map[session.ID]string
	switch {
	case len(a.Words) > 0 && r.out.speech:
		if hits, err = r.found(a.Text()); err != nil {
			r.say("%s", sentence(err))
			return nil
		}
		o.Match = func(e *session.Entry) bool { return hits[e.ID] != "" }
	case len(a.Words) > 0:
		o.Match = func(e *session.Entry) bool { return hasAll(t.Label(e.ID)+" "+previews.Of(e).Row, a.Words) }
	}
	rows := render.TreeRows(t, r.view.Leaf, o)
	switch {
	case len(rows) > 0:
	case len(a.Words) > 0:
		r.say("Nothing in the tree has %s.", render.Quote(a.Text(), 40))
		return nil
	case o.Filter != "":
		r.say("Nothing in the tree is listed by --%s.", o.Filter)
		return nil
	}
	if r.out.speech {
		r.sayTree(rows, previews, hits)
		return nil
	}
	lines := render.TreeLines{Tree: t, Width: r.o.Width}
	var b strings.Builder
	marked := false
	for _, row := range rows {
		b.WriteString(lines.Line(row) + "\n")
		marked = marked || row.Leaf
	}
	if len(rows) > 0 {
		r.out.line(none, strings.TrimSuffix(b.String(), "\n"))
	}
	if !marked {
		r.say("%s", r.here())
	}
	return nil
}

// hasAll reports whether a text has all words, in whatever case and order.
func hasAll(text string, words []string) bool {
	text = strings.ToLower(text)
	for _, w := range words {
		if !strings.Contains(text, strings.ToLower(w)) {
			return false
		}
	}
	return true
}
