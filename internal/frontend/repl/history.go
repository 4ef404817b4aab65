package repl

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/boughdev/bough/internal/frontend/slash"
	"github.com/boughdev/bough/internal/render"
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
