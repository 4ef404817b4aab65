package termtest

import (
	"fmt"
	"html"
	"image/color"
	"strings"
)

// A Shot is what a terminal shows at one moment: a picture of its cells, each in its
// column, so that wide characters stand where they stood.
type Shot struct {
	width, height int
	cells         [][]Cell
	cursor        [2]int
	shown         bool // the cursor is
}

// Shot takes a picture.
func (t *Terminal) Shot() Shot {
	w, h := t.Size()
	s := Shot{width: w, height: h}
	for y := range h {
		s.cells = append(s.cells, t.Cells(y))
	}
	x, y, shown := t.Cursor()
	s.cursor, s.shown = [2]int{x, y}, shown
	return s
}

// Frame is a picture that is shown for so many seconds.
type Frame struct {
	Shot
	Seconds float64
}

const (
	cellW, cellH, edge = 8.4, 18.0, 14.0
	ink, paper         = "#d5d7de", "#16171d"
)

// sixteen are the colors that terminals give names to.
var sixteen = [...]string{"#3b3d47", "#f07178", "#a5d183", "#e6c07b", "#7aa2f7", "#c792ea", "#6fcfd6", "#d5d7de",
	"#6b6e7b", "#ff8b92", "#c3e88d", "#ffd98f", "#9dbdff", "#ddb3ff", "#8ee6ec", "#ffffff"}

func hexOf(c color.Color) string {
	r, g, b, _ := c.RGBA()
	for i, named := range [...]uint32{0x000000, 0x800000, 0x008000, 0x808000, 0x000080, 0x800080, 0x008080, 0xc0c0c0} {
		if r>>8<<16|g>>8<<8|b>>8 == named {
			return sixteen[i]
		}
	}
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}

// SVG is a picture of one moment, or of several that follow each other for ever.
func SVG(title string, frames ...Frame) string {
	first := frames[0]
	w, h := float64(first.width)*cellW+2*edge, float64(first.height)*cellH+2*edge
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" viewBox="0 0 %.0f %.0f" role="img" aria-label="%s">`+"\n", w, h, w, h, html.EscapeString(title))
	fmt.Fprintf(&b, "<title>%s</title>\n<style>\ntext{font:14px ui-monospace,Menlo,Consolas,\"DejaVu Sans Mono\",monospace;white-space:pre;fill:%s}\n.b{font-weight:bold}.i{font-style:italic}.u{text-decoration:underline}.s{text-decoration:line-through}.f{opacity:.6}\nrect{shape-rendering:crispEdges}\n", html.EscapeString(title), ink)
	if len(frames) > 1 {
		total := 0.0
		for _, f := range frames {
			total += f.Seconds
		}
		at := 0.0
		for i, f := range frames {
			from, to := at/total*100, (at+f.Seconds)/total*100
			at += f.Seconds
			fmt.Fprintf(&b, "#f%d{visibility:hidden;animation:k%d %.1fs step-end infinite}\n@keyframes k%d{0%%{visibility:%s}", i, i, total, i, map[bool]string{true: "visible", false: "hidden"}[i == 0])
			if i > 0 {
				fmt.Fprintf(&b, "%.3f%%{visibility:visible}", from)
			}
			if i < len(frames)-1 {
				fmt.Fprintf(&b, "%.3f%%{visibility:hidden}", to)
			}
			b.WriteString("}\n")
		}
	}
	fmt.Fprintf(&b, "</style>\n<rect width=\"100%%\" height=\"100%%\" rx=\"8\" fill=\"%s\"/>\n", paper)
	if len(frames) == 1 {
		for y := range first.cells {
			b.WriteString(first.row(y))
		}
		b.WriteString(first.point())
	} else {
		// A row that several moments share is drawn once.
		names := map[string]string{}
		b.WriteString("<defs>\n")
		for _, f := range frames {
			for y := range f.cells {
				if r := f.row(y); r != "" && names[r] == "" {
					names[r] = fmt.Sprintf("r%d", len(names))
					fmt.Fprintf(&b, "<g id=\"%s\">%s</g>\n", names[r], strings.TrimSuffix(r, "\n"))
				}
			}
		}
		b.WriteString("</defs>\n")
		for i, f := range frames {
			fmt.Fprintf(&b, "<g id=\"f%d\">", i)
			for y := range f.cells {
				if r := f.row(y); r != "" {
					fmt.Fprintf(&b, "<use href=\"#%s\"/>", names[r])
				}
			}
			b.WriteString(strings.TrimSuffix(f.point(), "\n") + "</g>\n")
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}

func left(x int) float64 { return edge + float64(x)*cellW }

// point draws the cursor.
func (s Shot) point() string {
	if !s.shown {
		return ""
	}
	return fmt.Sprintf("<rect x=\"%.1f\" y=\"%.0f\" width=\"2\" height=\"%.0f\" fill=\"%s\"/>\n", left(s.cursor[0]), edge+float64(s.cursor[1])*cellH, cellH, ink)
}

// row draws a row: what lies behind, then the letters. Letters that are one column wide
// go together; others stand by themselves.
func (s Shot) row(y int) string {
	var back, front strings.Builder
	top := edge + float64(y)*cellH
	cells := s.cells[y]
	for i := 0; i < len(cells); {
		c := cells[i]
		bg, n, end := c.behind(), i+1, c.X+c.Width
		for n < len(cells) && cells[n].X == end && cells[n].behind() == bg {
			end += cells[n].Width
			n++
		}
		if bg != "" {
			fmt.Fprintf(&back, `<rect x="%.1f" y="%.0f" width="%.1f" height="%.0f" fill="%s"/>`, left(c.X), top, float64(end-c.X)*cellW, cellH, bg)
		}
		i = n
	}
	for i := 0; i < len(cells); {
		c := cells[i]
		if c.Text == "" {
			i++
			continue
		}
		text, end, n := c.Text, c.X+c.Width, i+1
		for plain(c) && n < len(cells) && plain(cells[n]) && cells[n].look() == c.look() && cells[n].X <= end+1 {
			text += strings.Repeat(" ", cells[n].X-end) + cells[n].Text
			end = cells[n].X + 1
			n++
		}
		fmt.Fprintf(&front, `<text x="%.1f" y="%.0f" textLength="%.1f" lengthAdjust="spacingAndGlyphs"%s>%s</text>`, left(c.X), top+13, float64(end-c.X)*cellW, c.look(), html.EscapeString(text))
		i = n
	}
	if back.Len()+front.Len() == 0 {
		return ""
	}
	return back.String() + front.String() + "\n"
}

// plain reports whether a letter is one of the usual ones, of which every font has all.
func plain(c Cell) bool { return len(c.Text) == 1 }

func (c Cell) behind() string {
	switch {
	case c.Turned:
		return ink
	case c.BG != nil:
		return hexOf(c.BG)
	}
	return ""
}

// look are the attributes of a letter.
func (c Cell) look() string {
	var classes []string
	for _, a := range []struct {
		is   bool
		name string
	}{{c.Bold, "b"}, {c.Italic, "i"}, {c.Underline, "u"}, {c.Strike, "s"}, {c.Faint, "f"}} {
		if a.is {
			classes = append(classes, a.name)
		}
	}
	out := ""
	if len(classes) > 0 {
		out = ` class="` + strings.Join(classes, " ") + `"`
	}
	switch {
	case c.Turned:
		out += ` style="fill:` + paper + `"`
	case c.FG != nil:
		out += ` style="fill:` + hexOf(c.FG) + `"`
	}
	return out
}
