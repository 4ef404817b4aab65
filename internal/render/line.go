package render

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/boughdev/bough/internal/styled"
	"github.com/boughdev/bough/session"
)

// TreeLines are how the rows of a tree are written where there is no screen:
//
//	> #4 • [a label] assistant: There is a main.go
//
// with the number of the entry in the whole session, and a mark where the
// conversation stands.
type TreeLines struct {
	Tree  *session.Tree
	Width int  // columns
	IDs   bool // with the entries' ids

	numbers  *Numbers
	previews *Previews
	digits   int
}

// Line writes one row.
func (l *TreeLines) Line(row Row) string {
	if l.numbers == nil {
		n := NumbersOf(l.Tree)
		l.numbers, l.previews, l.digits = &n, NewPreviews(l.Tree), len(strconv.Itoa(max(len(n.Entries)-1, 0)))
	}
	gutter, number := "  ", ""
	if row.Leaf {
		gutter = "> "
	}
	if n, ok := l.numbers.Of(row.Entry.ID); ok {
		number = fmt.Sprintf("#%d", n)
	}
	head := gutter + Pad(number, l.digits+1) + " "
	if l.IDs {
		head += Pad(OneLine(string(row.Entry.ID)), 8) + " "
	}
	head += row.Prefix + row.Mark
	if s := l.Tree.Label(row.Entry.ID); s != "" {
		head += "[" + Cut(OneLine(s), 40) + "] "
	}
	p := l.previews.Of(row.Entry)
	tail := ""
	if p.Mark != "" && !strings.HasSuffix(p.Row, "("+p.Mark+")") {
		tail = " (" + p.Mark + ")"
	}
	return strings.TrimRight(head+Cut(p.Row, max(l.Width-styled.Width(head)-styled.Width(tail), 12))+tail, " ")
}
