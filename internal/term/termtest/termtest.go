// Package termtest is a terminal for tests: bytes go in, and what a person would
// see comes out. It knows nothing of who wrote the bytes, so it proves that rows
// and columns are where they were meant to be.
package termtest

import (
	"fmt"
	"image/color"
	"io"
	"strings"
	"sync"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/vt"
)

// Terminal is an emulated terminal. It is safe for several goroutines.
type Terminal struct {
	mu      sync.Mutex
	e       *vt.Emulator // guarded by mu
	raw     strings.Builder
	waiters []chan struct{}
}

// New makes a terminal.
func New(width, height int) *Terminal {
	t := &Terminal{e: vt.NewEmulator(width, height)}
	// What the terminal answers is not wanted: tests say themselves what it says.
	go func() { _, _ = io.Copy(io.Discard, t.e) }()
	return t
}

// Close ends it. What it showed can still be read.
func (t *Terminal) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.e.Close()
}

// Size is how large it is.
func (t *Terminal) Size() (width, height int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.e.Width(), t.e.Height()
}

// Cell is a character on the screen, over Width columns; "" is an empty place.
type Cell struct {
	X, Width                                       int
	Text                                           string
	FG, BG                                         color.Color // nil: the terminal's own
	Bold, Faint, Italic, Underline, Strike, Turned bool
}

// Cells are the cells of a row from left to right, those that show something.
func (t *Terminal) Cells(y int) []Cell {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []Cell
	for x := 0; x < t.e.Width(); {
		c := t.e.CellAt(x, y)
		if c == nil || c.Width == 0 {
			x++
			continue
		}
		a := c.Style.Attrs
		cell := Cell{X: x, Width: c.Width, Text: c.Content, FG: c.Style.Fg, BG: c.Style.Bg, Bold: a&uv.AttrBold != 0, Faint: a&uv.AttrFaint != 0, Italic: a&uv.AttrItalic != 0,
			Strike: a&uv.AttrStrikethrough != 0, Turned: a&uv.AttrReverse != 0, Underline: c.Style.Underline != 0}
		if strings.TrimSpace(cell.Text) == "" {
			cell.Text = ""
		}
		if cell.Text != "" || cell.BG != nil || cell.Turned {
			out = append(out, cell)
		}
		x += c.Width
	}
	return out
}

// Write shows bytes.
func (t *Terminal) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.raw.Write(b)
	n, err := t.e.Write(b)
	for _, w := range t.waiters {
		close(w)
	}
	t.waiters = nil
	return n, err
}

// Changed returns a channel that is closed when more is shown.
func (t *Terminal) Changed() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := make(chan struct{})
	t.waiters = append(t.waiters, c)
	return c
}

// Resize makes the terminal another size.
func (t *Terminal) Resize(width, height int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.e.Resize(width, height)
}

// Raw is all that was written.
func (t *Terminal) Raw() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.raw.String()
}

// Rows are the rows of the screen, without blanks at their ends.
func (t *Terminal) Rows() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	rows := make([]string, t.e.Height())
	for y := range rows {
		rows[y] = t.row(y)
	}
	return rows
}

func (t *Terminal) row(y int) string {
	var b strings.Builder
	for x := 0; x < t.e.Width(); {
		c := t.e.CellAt(x, y)
		if c == nil || c.Width == 0 {
			b.WriteByte(' ')
			x++
			continue
		}
		b.WriteString(c.Content)
		x += c.Width
	}
	return strings.TrimRight(b.String(), " ")
}

// String is the screen, a line each row.
func (t *Terminal) String() string { return strings.Join(t.Rows(), "\n") + "\n" }

// History are the rows that have left the screen at its top.
func (t *Terminal) History() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var rows []string
	for i := range t.e.ScrollbackLen() {
		var b strings.Builder
		for x := 0; x < t.e.Width(); {
			c := t.e.ScrollbackCellAt(x, i)
			if c == nil || c.Width == 0 {
				b.WriteByte(' ')
				x++
				continue
			}
			b.WriteString(c.Content)
			x += c.Width
		}
		rows = append(rows, strings.TrimRight(b.String(), " "))
	}
	return rows
}

// Cursor is where the cursor stands, from 0, and whether it is to be seen.
func (t *Terminal) Cursor() (x, y int, shown bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.e.CursorPosition()
	return p.X, p.Y, !t.e.CursorHidden()
}

// Styles says how the rows look: for each row the runs of cells that are not plain,
// as "3-7 bold fg=1".
func (t *Terminal) Styles() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out strings.Builder
	for y := range t.e.Height() {
		var runs []string
		from, now := 0, ""
		for x := 0; x <= t.e.Width(); x++ {
			style := ""
			if x < t.e.Width() {
				style = describe(t.e.CellAt(x, y))
			}
			if style != now {
				if now != "" {
					runs = append(runs, fmt.Sprintf("%d-%d %s", from, x-1, now))
				}
				from, now = x, style
			}
		}
		if len(runs) > 0 {
			fmt.Fprintf(&out, "%2d: %s\n", y, strings.Join(runs, ", "))
		}
	}
	return out.String()
}

func describe(c *uv.Cell) string {
	if c == nil {
		return ""
	}
	var parts []string
	for _, a := range []struct {
		bit  uint8
		name string
	}{{uv.AttrBold, "bold"}, {uv.AttrFaint, "dim"}, {uv.AttrItalic, "italic"}, {uv.AttrReverse, "reverse"}, {uv.AttrStrikethrough, "strike"}} {
		if c.Style.Attrs&a.bit != 0 {
			parts = append(parts, a.name)
		}
	}
	if c.Style.Fg != nil {
		parts = append(parts, fmt.Sprintf("fg=%v", c.Style.Fg))
	}
	if c.Style.Bg != nil {
		parts = append(parts, fmt.Sprintf("bg=%v", c.Style.Bg))
	}
	return strings.Join(parts, " ")
}
