package markdown

import (
	"html"
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"

	"github.com/boughdev/bough/internal/styled"
)

// inline makes one row of what a block says; hard breaks are line feeds in it.
func (d *drawer) inline(n ast.Node, style styled.Style) styled.Line {
	var out styled.Line
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		out = append(out, d.span(c, style)...)
	}
	return out
}

func (d *drawer) span(n ast.Node, style styled.Style) styled.Line {
	switch n := n.(type) {
	case *ast.Text:
		s := string(n.Segment.Value(d.source))
		if !n.IsRaw() {
			s = plain(s)
		}
		switch {
		case n.HardLineBreak(), n.SoftLineBreak():
			// Models break lines where they want them broken.
			s += "\n"
		}
		return styled.Line{{Text: s, Style: style}}
	case *ast.String:
		return styled.Of(plain(string(n.Value)), style)
	case *ast.CodeSpan:
		var b strings.Builder
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			if t, ok := c.(*ast.Text); ok {
				b.WriteString(strings.ReplaceAll(string(t.Segment.Value(d.source)), "\n", " "))
			}
		}
		return styled.Of(b.String(), style.Over(d.o.Theme.Code))
	case *ast.Emphasis:
		attr := styled.Italic
		if n.Level > 1 {
			attr = styled.Bold
		}
		return d.inline(n, style.Over(styled.Style{Attr: attr}))
	case *east.Strikethrough:
		return d.inline(n, style.Over(styled.Style{Attr: styled.Strike}))
	case *ast.Link:
		return d.link(d.inline(n, style.Over(d.o.Theme.Link)), string(n.Destination), style)
	case *ast.AutoLink:
		url := string(n.URL(d.source))
		return d.link(styled.Of(string(n.Label(d.source)), style.Over(d.o.Theme.Link)), url, style)
	case *ast.Image:
		l := d.inline(n, style)
		if len(l) == 0 {
			l = styled.Of("image", style)
		}
		return d.link(styled.Join(styled.Of("[", style), l, styled.Of("]", style)), string(n.Destination), style)
	case *east.TaskCheckBox:
		box := "[ ] "
		if n.IsChecked {
			box = "[x] "
		}
		return styled.Of(box, d.o.Theme.Mark)
	}
	return d.inline(n, style)
}

// plain takes escapes and character references out of a text.
func plain(s string) string {
	if !strings.ContainsAny(s, `\&`) {
		return s
	}
	s = string(util.UnescapePunctuations([]byte(s)))
	return styled.Safe(html.UnescapeString(s))
}

// link leads to an address where the terminal has links; else the address stands
// behind the words, unless it is what they say.
func (d *drawer) link(words styled.Line, url string, style styled.Style) styled.Line {
	if d.o.Links && leads(url) {
		return words.Styled(styled.Style{Link: url})
	}
	if said := words.Text(); url == "" || said == url || "mailto:"+said == url || "http://"+said == url || "https://"+said == url {
		return words
	}
	address := d.o.Theme.Address
	if address == (styled.Style{}) {
		address.Attr = styled.Dim
	}
	return styled.Join(words, styled.Of(" ("+url+")", style.Over(address)))
}

// leads reports whether an address is one that a click may open.
func leads(url string) bool {
	for i := range len(url) {
		if url[i] <= 0x20 || url[i] >= 0x7F {
			return false
		}
	}
	for _, scheme := range []string{"https://", "http://", "mailto:", "file:///"} {
		if strings.HasPrefix(url, scheme) {
			return true
		}
	}
	return false
}
