package term

import (
	"strconv"
	"strings"

	"github.com/boughdev/bough/internal/styled"
)

// Colors is how many colors a terminal has.
type Colors int

const (
	NoColors Colors = iota // bold, reverse and underline alone
	Sixteen
	Palette // 256
	True
)

// ColorsOf says what a terminal can, by what it tells of itself.
func ColorsOf(getenv func(string) string) Colors {
	name := getenv("TERM")
	switch {
	case getenv("NO_COLOR") != "" || getenv("CLICOLOR") == "0" || name == "dumb":
		return NoColors
	case getenv("COLORTERM") == "truecolor", getenv("COLORTERM") == "24bit", strings.Contains(name, "direct"), getenv("WT_SESSION") != "",
		strings.HasPrefix(name, "xterm-kitty"), strings.HasPrefix(name, "xterm-ghostty"), strings.HasPrefix(name, "alacritty"), strings.HasPrefix(name, "foot"):
		return True
	case strings.Contains(name, "256color"):
		return Palette
	}
	return Sixteen
}

// encoder writes rows as a terminal wants them.
type encoder struct {
	colors Colors
	links  bool
	ascii  bool
	b      []byte

	pictures Pictures
	kept     map[uint32]Picture
	marks    bool // say where messages begin (OSC 133)
}

// row appends a line with its styles. What it writes ends in the terminal's own
// style.
func (e *encoder) row(l styled.Line) {
	var now styled.Style
	if _, ok := l.Has(styled.Message); ok && e.marks {
		e.b = append(e.b, "\x1b]133;A\x1b\\"...)
	}
	for _, s := range l {
		if s.Text == "" {
			continue
		}
		if id, row, ok := s.Picture(); ok {
			if now.Link != "" {
				e.b = append(e.b, "\x1b]8;;\x1b\\"...)
			}
			e.picture(s, id, row)
			now = styled.Style{}
			continue
		}
		next := s.Style
		if !e.links {
			next.Link = ""
		}
		if e.colors == NoColors {
			next.FG, next.BG = 0, 0
		}
		if next.Link != now.Link {
			e.b = append(append(append(e.b, "\x1b]8;;"...), next.Link...), "\x1b\\"...)
		}
		now.Link = next.Link
		if next != now {
			e.style(next)
			now = next
		}
		text := styled.Safe(s.Text)
		if e.ascii {
			text = plain(text)
		}
		e.b = append(e.b, text...)
	}
	if now.Link != "" {
		e.b = append(e.b, "\x1b]8;;\x1b\\"...)
		now.Link = ""
	}
	if now != (styled.Style{}) {
		e.b = append(e.b, "\x1b[m"...)
	}
}

func (e *encoder) style(s styled.Style) {
	e.b = append(e.b, "\x1b["...)
	sep := false
	put := func(code string) {
		if sep {
			e.b = append(e.b, ';')
		}
		e.b = append(e.b, code...)
		sep = true
	}
	put("0")
	for _, a := range [...]struct {
		attr styled.Attr
		code string
	}{{styled.Bold, "1"}, {styled.Dim, "2"}, {styled.Italic, "3"}, {styled.Underline, "4"}, {styled.Reverse, "7"}, {styled.Strike, "9"}} {
		if s.Attr&a.attr != 0 {
			put(a.code)
		}
	}
	if s.FG != 0 {
		put(code(s.FG, e.colors, 30))
	}
	if s.BG != 0 {
		put(code(s.BG, e.colors, 40))
	}
	e.b = append(e.b, 'm')
}

// Nearest is the color that a terminal shows for one.
func Nearest(c styled.Color, colors Colors) styled.Color {
	n, indexed := c.Index()
	r, g, b, rgb := c.RGB()
	switch {
	case indexed && (n < 16 || colors != Sixteen), rgb && colors == True, !indexed && !rgb:
		return c
	case indexed:
		r, g, b = Parts(n)
	}
	return styled.Index(nearest(r, g, b, colors))
}

// code is a color as the terminal can show it; base is 30 for letters, 40 for what
// is behind them.
func code(c styled.Color, colors Colors, base int) string {
	c = Nearest(c, colors)
	if r, g, b, ok := c.RGB(); ok {
		return strconv.Itoa(base+8) + ";2;" + strconv.Itoa(int(r)) + ";" + strconv.Itoa(int(g)) + ";" + strconv.Itoa(int(b))
	}
	switch n, _ := c.Index(); {
	case n < 8:
		return strconv.Itoa(base + int(n))
	case n < 16:
		return strconv.Itoa(base + 60 + int(n) - 8)
	default:
		return strconv.Itoa(base+8) + ";5;" + strconv.Itoa(int(n))
	}
}

var steps = [6]int{0, 95, 135, 175, 215, 255}

// Parts are those of a color of the palette of 256, as most terminals have them.
func Parts(n uint8) (r, g, b uint8) {
	switch {
	case n >= 232:
		v := 8 + 10*(n-232)
		return v, v, v
	case n >= 16:
		n -= 16
		return uint8(steps[n/36]), uint8(steps[n/6%6]), uint8(steps[n%6])
	}
	level := func(bit uint8) uint8 {
		switch {
		case n&bit == 0 && n == 8:
			return 128
		case n&bit == 0:
			return 0
		case n == 7:
			return 192
		case n > 7:
			return 255
		}
		return 128
	}
	return level(1), level(2), level(4)
}

// nearest is the color of the palette that differs least.
func nearest(r, g, b uint8, colors Colors) uint8 {
	from, to := 16, 256 // the first sixteen are the user's own, whatever they are
	if colors == Sixteen {
		from, to = 0, 16
	}
	best, least := from, 1<<30
	for i := from; i < to; i++ {
		pr, pg, pb := Parts(uint8(i))
		dr, dg, db := int(r)-int(pr), int(g)-int(pg), int(b)-int(pb)
		if d := 2*dr*dr + 4*dg*dg + 3*db*db; d < least {
			best, least = i, d
		}
	}
	return uint8(best)
}
