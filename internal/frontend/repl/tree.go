package repl

import (
	"fmt"
	"strconv"
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
	numbers := render.NumbersOf(t)
	digits := len(strconv.Itoa(len(numbers.Entries) - 1))
	o := render.TreeOptions{ASCII: r.o.ASCII || a.Is["--ascii"], Width: r.o.Width}
	if a.Is["--classic"] {
		o.Layout = render.Classic
	}
	for _, f := range render.Filters() {
		if a.Is["--"+string(f)] {
			o.Filter = f
		}
	}
	if len(a.Words) > 0 {
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
	var b strings.Builder
	marked := false
	for _, row := range rows {
		b.WriteString(r.treeRow(row, previews.Of(row.Entry), numbers, digits) + "\n")
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

func (r *repl) treeRow(row render.Row, p render.Preview, numbers render.Numbers, digits int) string {
	gutter, number := "  ", ""
	if row.Leaf {
		gutter = "> "
	}
	if n, ok := numbers.Of(row.Entry.ID); ok {
		number = fmt.Sprintf("#%d", n)
	}
	head := gutter + render.Pad(number, digits+1) + " " + row.Prefix + row.Mark
	if l := r.view.Tree.Label(row.Entry.ID); l != "" {
		head += "[" + render.Cut(render.OneLine(l), 40) + "] "
	}
	tail := ""
	if p.Mark != "" && !strings.HasSuffix(p.Row, "("+p.Mark+")") {
		tail = " (" + p.Mark + ")"
	}
	return strings.TrimRight(head+render.Cut(p.Row, max(r.o.Width-render.Width(head)-render.Width(tail), 12))+tail, " ")
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
