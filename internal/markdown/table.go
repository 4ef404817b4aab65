package markdown

import (
	"strings"

	east "github.com/yuin/goldmark/extension/ast"

	"github.com/boughdev/bough/internal/styled"
)

// narrowest is how narrow a column may become.
const narrowest = 4

// table draws a table: columns as wide as they need to be, or as there is room;
// cells are broken. Where not even that goes, each cell gets a row.
func (d *drawer) table(n *east.Table, width int) []styled.Line {
	var rows [][]styled.Line
	align := n.Alignments
	for r := n.FirstChild(); r != nil; r = r.NextSibling() {
		style := d.o.Theme.Text
		if r.Kind() == east.KindTableHeader {
			style = style.Over(styled.Style{Attr: styled.Bold})
		}
		var cells []styled.Line
		for c := r.FirstChild(); c != nil; c = c.NextSibling() {
			cells = append(cells, oneRow(d.inline(c, style)))
		}
		rows = append(rows, cells)
	}
	cols := 0
	for _, r := range rows {
		cols = max(cols, len(r))
	}
	if cols == 0 {
		return nil
	}
	widths := make([]int, cols)
	for _, r := range rows {
		for i, c := range r {
			widths[i] = max(widths[i], c.Width(), 1)
		}
	}
	room := width - 3*(cols-1)
	if !shrink(widths, room) {
		return d.cells(rows, width)
	}
	bar := styled.Of(" "+d.char("│", "|")+" ", d.o.Theme.Rule)
	var out []styled.Line
	for i, r := range rows {
		out = append(out, d.tableRow(r, widths, align, bar)...)
		if i == 0 {
			parts := make([]string, cols)
			for i, w := range widths {
				parts[i] = strings.Repeat(d.char("─", "-"), w)
			}
			out = append(out, styled.Of(strings.Join(parts, d.char("─┼─", "-+-")), d.o.Theme.Rule))
		}
	}
	return out
}

// oneRow makes blanks of line feeds.
func oneRow(l styled.Line) styled.Line {
	for i := range l {
		l[i].Text = strings.ReplaceAll(l[i].Text, "\n", " ")
	}
	return l
}

// shrink makes the widest columns narrower until they have room.
func shrink(widths []int, room int) bool {
	if room < len(widths)*narrowest {
		sum := 0
		for _, w := range widths {
			sum += w
		}
		return sum <= room
	}
	for {
		sum, widest, second := 0, 0, 0
		for i, w := range widths {
			sum += w
			if w > widths[widest] {
				widest = i
			}
		}
		if sum <= room {
			return true
		}
		for i, w := range widths {
			if i != widest {
				second = max(second, w)
			}
		}
		// As far as it is wider than the next one, but no further than needed.
		cut := min(max(widths[widest]-second, 1), sum-room)
		widths[widest] -= cut
	}
}

func (d *drawer) tableRow(cells []styled.Line, widths []int, align []east.Alignment, bar styled.Line) []styled.Line {
	parts := make([][]styled.Line, len(widths))
	height := 1
	for i, w := range widths {
		if i < len(cells) {
			parts[i] = styled.Wrap(cells[i], w, nil, nil)
		}
		height = max(height, len(parts[i]))
	}
	out := make([]styled.Line, height)
	for y := range out {
		var row styled.Line
		for i, w := range widths {
			var cell styled.Line
			if y < len(parts[i]) {
				cell = parts[i][y]
			}
			if i > 0 {
				row = styled.Join(row, bar)
			}
			gap := w - cell.Width()
			left := 0
			if i < len(align) {
				switch align[i] {
				case east.AlignRight:
					left = gap
				case east.AlignCenter:
					left = gap / 2
				}
			}
			row = styled.Join(row, styled.Of(strings.Repeat(" ", max(left, 0)), styled.Style{}), cell)
			if i < len(widths)-1 {
				row = styled.Join(row, styled.Of(strings.Repeat(" ", max(gap-left, 0)), styled.Style{}))
			}
		}
		out[y] = row
	}
	return out
}

// cells draws a table that is too wide for any columns: a row for each cell.
func (d *drawer) cells(rows [][]styled.Line, width int) []styled.Line {
	var out []styled.Line
	for i, r := range rows {
		if i == 0 && len(rows) > 1 {
			continue
		}
		if len(out) > 0 {
			out = append(out, nil)
		}
		for j, c := range r {
			var name styled.Line
			if i > 0 && j < len(rows[0]) {
				name = styled.Join(rows[0][j], styled.Of(": ", d.o.Theme.Text))
			}
			out = append(out, d.wrap(styled.Join(name, c), width, nil, nil)...)
		}
	}
	return out
}
