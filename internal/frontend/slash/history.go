package slash

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/boughdev/bough/internal/lang"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/internal/styled"
	"github.com/boughdev/bough/session"
)

// ChainRows are the entries of a path, numbered; there is at least one.
func ChainRows(t *session.Tree, chain []render.Link, columns int) []string {
	var rows []string
	previews := render.NewPreviews(t)
	digits := len(strconv.Itoa(chain[len(chain)-1].Index))
	for _, l := range chain {
		rows = append(rows, Row(lang.English, columns, fmt.Sprintf("[%d]", l.Index), digits+2, previews.Of(l.Entry), LinkMarks(lang.English, l)))
	}
	return rows
}

// LinkMarks are the marks of an entry in a chain.
func LinkMarks(in lang.Language, l render.Link) []string {
	marks := marksOf(in, l.Branches, l.Label)
	for _, m := range []struct {
		is   bool
		word string
	}{{l.Compacted, "(compacted)"}, {l.Omitted, "(left out)"}, {l.Edited, "(edited)"}} {
		if m.is {
			marks = append(marks, in.T(m.word))
		}
	}
	return marks
}

// AllRows are all counted entries in the order of the log, or the last of them if
// last is above 0.
func AllRows(t *session.Tree, leaf session.ID, last, columns int) []string {
	numbers := render.NumbersOf(t)
	previews := render.NewPreviews(t)
	here := render.Above(t, leaf)
	digits := len(strconv.Itoa(len(numbers.Entries) - 1))
	var rows []string
	for i, e := range numbers.Entries {
		if last > 0 && i < len(numbers.Entries)-last {
			continue
		}
		marks := marksOf(lang.English, len(render.Next(t, e.ID)), t.Label(e.ID))
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
		rows = append(rows, Row(lang.English, columns, fmt.Sprintf("[#%d]", i), digits+3, previews.Of(e), marks))
	}
	return rows
}

// marksOf are the marks that a row of a list ends with.
func marksOf(in lang.Language, branches int, label string) []string {
	var marks []string
	if branches > 1 {
		marks = append(marks, in.T("<%d branches>", branches))
	}
	if label != "" {
		marks = append(marks, "{"+render.Cut(render.OneLine(label), 40)+"}")
	}
	return marks
}

// Row is one line of a numbered list: the text is cut so that what stands behind
// it fits.
func Row(in lang.Language, columns int, number string, width int, p render.Preview, marks []string) string {
	head := render.Pad(number, width) + " " + render.Pad(in.T(p.Who), 10) + " "
	tail := ""
	if p.Calls != "" {
		tail = "-> " + p.Calls
		if p.Text != "" {
			tail = " " + tail
		}
	}
	if p.Mark != "" {
		marks = append([]string{"(" + in.T(p.Mark) + ")"}, marks...)
	}
	if len(marks) > 0 {
		gap := "   "
		if p.Text+tail == "" {
			gap = ""
		}
		tail += gap + strings.Join(marks, " ")
	}
	text := render.Cut(p.Text, max(columns-styled.Width(head)-styled.Width(tail), 12))
	return strings.TrimRight(head+text+tail, " ")
}
