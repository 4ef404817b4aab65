package repl

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/boughdev/bough/internal/frontend/slash"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/session"
)

// history prints the numbered path to here, or its last entries, or all there is.
func (r *repl) history(c slash.Command) error {
	a, err := c.Args("--all")
	n := -1
	if err == nil && len(a.Words) > 0 {
		if n, err = strconv.Atoi(a.Text()); err != nil || n <= 0 {
			err = errors.New("/history takes a number of entries, or --all")
		}
	}
	if err != nil {
		r.say("%s", sentence(err))
		return nil
	}
	if len(render.Next(r.view.Tree, "")) == 0 {
		r.say("Nothing has been said yet.")
		return nil
	}
	if a.Is["--all"] {
		return r.everything(n)
	}
	chain, err := render.Chain(r.view.Tree, r.view.Leaf)
	if err != nil {
		r.failed(err)
		return nil
	}
	if len(chain) == 0 {
		r.say("You stand before the first message. /history --all and /tree show what there is.")
		return nil
	}
	r.list = r.chain()
	if n > 0 && n < len(chain) {
		chain = chain[len(chain)-n:]
	}
	var b strings.Builder
	previews := render.NewPreviews(r.view.Tree)
	digits := len(strconv.Itoa(chain[len(chain)-1].Index))
	for _, l := range chain {
		marks := marksOf(l.Branches, l.Label)
		for _, m := range []struct {
			is   bool
			word string
		}{{l.Compacted, "(compacted)"}, {l.Omitted, "(left out)"}, {l.Edited, "(edited)"}} {
			if m.is {
				marks = append(marks, m.word)
			}
		}
		b.WriteString(r.row(fmt.Sprintf("[%d]", l.Index), digits+2, previews.Of(l.Entry), marks) + "\n")
	}
	r.out.line(none, strings.TrimSuffix(b.String(), "\n"))
	return nil
}

// everything prints all counted entries in the order of the log.
func (r *repl) everything(last int) error {
	t := r.view.Tree
	numbers := render.NumbersOf(t)
	previews := render.NewPreviews(t)
	here := render.Above(t, r.view.Leaf)
	digits := len(strconv.Itoa(len(numbers.Entries) - 1))
	var b strings.Builder
	for i, e := range numbers.Entries {
		if last > 0 && i < len(numbers.Entries)-last {
			continue
		}
		marks := marksOf(len(render.Next(t, e.ID)), t.Label(e.ID))
		if above := t.Parent(e.ID); above != nil {
			if p := render.Above(t, above.ID); p != nil {
				if k, _ := numbers.Of(p.ID); k != i-1 {
					marks = append(marks, fmt.Sprintf("after #%d", k))
				}
			}
		}
		if here == e {
			marks = append(marks, "<- here")
		}
		b.WriteString(r.row(fmt.Sprintf("[#%d]", i), digits+3, previews.Of(e), marks) + "\n")
	}
	r.out.line(none, strings.TrimSuffix(b.String(), "\n"))
	return nil
}

func marksOf(branches int, label string) []string {
	var marks []string
	if branches > 1 {
		marks = append(marks, fmt.Sprintf("<%d branches>", branches))
	}
	if label != "" {
		marks = append(marks, "{"+render.Cut(render.OneLine(label), 40)+"}")
	}
	return marks
}

// row is one line of a numbered list: the text is cut so that what stands behind
// it fits.
func (r *repl) row(number string, width int, p render.Preview, marks []string) string {
	head := render.Pad(number, width) + " " + render.Pad(p.Who, 10) + " "
	tail := ""
	if p.Calls != "" {
		tail = "-> " + p.Calls
		if p.Text != "" {
			tail = " " + tail
		}
	}
	if p.Mark != "" {
		marks = append([]string{"(" + p.Mark + ")"}, marks...)
	}
	if len(marks) > 0 {
		gap := "   "
		if p.Text+tail == "" {
			gap = ""
		}
		tail += gap + strings.Join(marks, " ")
	}
	text := render.Cut(p.Text, max(r.o.Width-render.Width(head)-render.Width(tail), 12))
	return strings.TrimRight(head+text+tail, " ")
}

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
	if len(rows) == 0 {
		r.say("Nothing in the tree is like that.")
		return nil
	}
	var b strings.Builder
	marked := false
	for _, row := range rows {
		b.WriteString(r.treeRow(row, previews.Of(row.Entry), numbers, digits) + "\n")
		marked = marked || row.Leaf
	}
	if !marked {
		b.WriteString(r.here() + "\n")
	}
	r.out.line(none, strings.TrimSuffix(b.String(), "\n"))
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
