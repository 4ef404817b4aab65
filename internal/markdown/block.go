package markdown

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"

	"github.com/boughdev/bough/internal/styled"
)

// block draws one block within a width.
func (d *drawer) block(n ast.Node, width int) []styled.Line {
	t := d.o.Theme
	switch n := n.(type) {
	case *ast.Heading:
		l := d.inline(n, t.Heading)
		if n.Level > 2 {
			l = styled.Join(styled.Of(strings.Repeat("#", n.Level)+" ", t.Mark.Over(t.Heading)), l)
		}
		return d.wrap(l, width, nil, nil)
	case *ast.ThematicBreak:
		return []styled.Line{styled.Of(strings.Repeat(d.char("─", "-"), width), t.Rule)}
	case *ast.FencedCodeBlock:
		lang := ""
		if n.Info != nil {
			lang, _, _ = strings.Cut(string(n.Info.Segment.Value(d.source)), " ")
		}
		return d.code(n, lang, width)
	case *ast.CodeBlock:
		return d.code(n, "", width)
	case *ast.Blockquote:
		bar := styled.Of(d.char("│", "|")+" ", t.Quote.Over(t.Bar))
		var out []styled.Line
		for _, l := range d.blocks(n, max(width-2, 1), false) {
			out = append(out, styled.Join(bar, l.Styled(t.Quote)))
		}
		return out
	case *ast.List:
		return d.list(n, width)
	case *east.Table:
		return d.table(n, width)
	case *ast.Paragraph, *ast.TextBlock:
		return d.wrap(d.inline(n, t.Text), width, nil, nil)
	}
	return d.blocks(n, width, false)
}

// char takes the first of two ways to draw, unless only ASCII will do.
func (d *drawer) char(fine, plain string) string {
	if d.o.ASCII {
		return plain
	}
	return fine
}

// blocks draws what a block holds; tight: without empty rows between.
func (d *drawer) blocks(n ast.Node, width int, tight bool) []styled.Line {
	var out []styled.Line
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		rows := d.block(c, width)
		if len(out) > 0 && len(rows) > 0 && !tight {
			out = append(out, nil)
		}
		out = append(out, rows...)
	}
	return out
}

// wrap breaks the rows of a text with line feeds in it.
func (d *drawer) wrap(l styled.Line, width int, first, rest styled.Line) []styled.Line {
	var out []styled.Line
	var row styled.Line
	flush := func() {
		out = append(out, styled.Wrap(row, width, first, rest)...)
		row, first = nil, rest
	}
	for _, s := range l {
		for {
			before, after, more := strings.Cut(s.Text, "\n")
			if before != "" {
				row = append(row, styled.Span{Text: before, Style: s.Style})
			}
			if !more {
				break
			}
			flush()
			s.Text = after
		}
	}
	flush()
	return out
}

func (d *drawer) list(n *ast.List, width int) []styled.Line {
	var out []styled.Line
	number, tight := n.Start, d.tight(n)
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		mark := d.char("•", "-") + " "
		if n.IsOrdered() {
			mark = strconv.Itoa(d.number(c, number)) + string(n.Marker) + " "
			number++
		}
		in := styled.Width(mark)
		if in >= width {
			mark, in = "", 0
		}
		rows := d.blocks(c, max(width-in, 1), tight)
		if len(rows) == 0 {
			rows = []styled.Line{nil}
		}
		if len(out) > 0 && !tight {
			out = append(out, nil)
		}
		for i, row := range rows {
			front := styled.Of(strings.Repeat(" ", in), styled.Style{})
			if i == 0 {
				front = styled.Of(mark, d.o.Theme.Mark)
			}
			if i > 0 && row == nil {
				front = nil
			}
			out = append(out, styled.Join(front, row))
		}
	}
	return out
}

// tight reports whether no empty line parts items, or the blocks of one. What
// goldmark says of it hangs on what stands before the list, now and then.
func (d *drawer) tight(n *ast.List) bool {
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		if item != n.FirstChild() && d.afterBlank(item) {
			return false
		}
		for c := item.FirstChild(); c != nil; c = c.NextSibling() {
			if d.start(c) > d.start(item) && d.afterBlank(c) {
				return false
			}
		}
	}
	return true
}

// afterBlank reports whether an empty line stands before a block.
func (d *drawer) afterBlank(n ast.Node) bool {
	before := d.source[:d.start(n)]
	if len(before) == 0 {
		return false
	}
	before = before[:len(before)-1]
	line := before[bytes.LastIndexByte(before, '\n')+1:]
	return len(bytes.Trim(line, " >")) == 0
}

// number returns the number that the author gave an item.
func (d *drawer) number(item ast.Node, otherwise int) int {
	at := max(item.Pos(), 0)
	end := at
	for end < len(d.source) && d.source[end] >= '0' && d.source[end] <= '9' {
		end++
	}
	if n, err := strconv.Atoi(string(d.source[at:end])); err == nil {
		return n
	}
	return otherwise
}

// code draws the lines of a block of code, which are broken where they must be.
func (d *drawer) code(n ast.Node, lang string, width int) []styled.Line {
	var b strings.Builder
	for i := range n.Lines().Len() {
		seg := n.Lines().At(i)
		b.Write(seg.Value(d.source))
	}
	source := strings.TrimRight(b.String(), "\n")
	var out []styled.Line
	front := styled.Of("  ", styled.Style{})
	if width < 12 {
		front = nil
	}
	for _, l := range Highlight(source, lang, d.o.Theme) {
		out = append(out, Chop(l, width, front)...)
	}
	return out
}

// Chop breaks a row of code wherever its width ends.
func Chop(l styled.Line, width int, front styled.Line) []styled.Line {
	room := max(width-front.Width(), 1)
	all := l.Width()
	if all <= room {
		return []styled.Line{styled.Join(front, l)}
	}
	var out []styled.Line
	var row styled.Line
	col := 0
	for _, s := range l {
		start := 0
		for at, g := range styled.Clusters(s.Text) {
			w := styled.Width(g)
			if col+w > room && col > 0 {
				if at > start {
					row = append(row, styled.Span{Text: s.Text[start:at], Style: s.Style})
				}
				out = append(out, styled.Join(front, row).With(styled.Chopped, front.Width()))
				row, col, start = nil, 0, at
			}
			col += w
		}
		if start < len(s.Text) {
			row = append(row, styled.Span{Text: s.Text[start:], Style: s.Style})
		}
	}
	return append(out, styled.Join(front, row))
}
