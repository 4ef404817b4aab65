package export

import (
	"bytes"
	"fmt"
	"html"
	"regexp"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer"
	gmhtml "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/util"

	"github.com/boughdev/bough/internal/render"
)

// words turns Markdown into HTML in which nothing acts: HTML shows as text, links
// lead to web pages and mail only, images are links to where they are.
type words struct{ md goldmark.Markdown }

func newWords() *words {
	return &words{goldmark.New(
		goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList, extension.Linkify),
		goldmark.WithRendererOptions(gmhtml.WithHardWraps(), renderer.WithNodeRenderers(util.Prioritized(harmless{}, 1))),
	)}
}

// The parser is quadratic in what is nested or left open. A text with more than
// this is shown as it stands.
const (
	longest   = 1 << 20 // bytes of a text
	mostMarks = 1000    // marks that may open something, in a paragraph
	deepest   = 30      // quotes in quotes
)

// tame reports whether a text can be parsed in reasonable time.
func tame(text string) bool {
	if len(text) > longest {
		return false
	}
	marks := 0
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) == "" {
			marks = 0
			continue
		}
		front := line[:len(line)-len(strings.TrimLeft(line, " >-+*\t"))]
		if strings.Count(front, ">") > deepest || len(front) > 1000 {
			return false
		}
		for i := range len(line) {
			switch line[i] {
			case '[', '*', '_', '<', '`', '!', '~':
				marks++
			}
		}
		if marks > mostMarks {
			return false
		}
	}
	return true
}

func (w *words) html(text string) string {
	text = render.Clean(text)
	var b bytes.Buffer
	if !tame(text) || w.md.Convert([]byte(text), &b) != nil {
		return `<pre class="plain">` + html.EscapeString(text) + "</pre>"
	}
	return `<div class="md" dir="auto">` + b.String() + "</div>"
}

// harmless writes what could act.
type harmless struct{}

func (h harmless) RegisterFuncs(reg renderer.NodeRendererFuncRegisterer) {
	reg.Register(ast.KindRawHTML, h.raw)
	reg.Register(ast.KindHTMLBlock, h.block)
	reg.Register(ast.KindLink, h.link)
	reg.Register(ast.KindAutoLink, h.auto)
	reg.Register(ast.KindImage, h.image)
	reg.Register(ast.KindFencedCodeBlock, h.code)
}

func (harmless) raw(w util.BufWriter, src []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		for i := range n.(*ast.RawHTML).Segments.Len() {
			at := n.(*ast.RawHTML).Segments.At(i)
			w.WriteString(html.EscapeString(string(at.Value(src))))
		}
	}
	return ast.WalkSkipChildren, nil
}

func (harmless) block(w util.BufWriter, src []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	n := node.(*ast.HTMLBlock)
	if !entering {
		return ast.WalkContinue, nil
	}
	w.WriteString("<pre>")
	for i := range n.Lines().Len() {
		at := n.Lines().At(i)
		w.WriteString(html.EscapeString(string(at.Value(src))))
	}
	if n.HasClosure() {
		w.WriteString(html.EscapeString(string(n.ClosureLine.Value(src))))
	}
	w.WriteString("</pre>\n")
	return ast.WalkContinue, nil
}

// openLink begins a link to where a link may lead, else words.
func openLink(w util.BufWriter, to string) (close string) {
	if !leads(to) {
		w.WriteString(`<span class="nolink">`)
		return " (" + html.EscapeString(to) + ")</span>"
	}
	fmt.Fprintf(w, `<a href="%s" rel="noopener noreferrer nofollow">`, html.EscapeString(string(util.URLEscape([]byte(to), true))))
	return "</a>"
}

func leads(to string) bool {
	scheme, _, _ := strings.Cut(strings.ToLower(to), ":")
	return scheme == "http" || scheme == "https" || scheme == "mailto"
}

func (harmless) link(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	to := string(node.(*ast.Link).Destination)
	if entering {
		openLink(w, to)
	} else if leads(to) {
		w.WriteString("</a>")
	} else {
		w.WriteString(" (" + html.EscapeString(to) + ")</span>")
	}
	return ast.WalkContinue, nil
}

func (harmless) auto(w util.BufWriter, src []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	n := node.(*ast.AutoLink)
	if entering {
		to := string(n.URL(src))
		if n.AutoLinkType == ast.AutoLinkEmail && !strings.HasPrefix(strings.ToLower(to), "mailto:") {
			to = "mailto:" + to
		}
		close := openLink(w, to)
		w.WriteString(html.EscapeString(string(n.Label(src))))
		w.WriteString(close)
	}
	return ast.WalkContinue, nil
}

func (harmless) image(w util.BufWriter, src []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	n := node.(*ast.Image)
	if !entering {
		return ast.WalkContinue, nil
	}
	close := openLink(w, string(n.Destination))
	var alt strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			alt.Write(t.Value(src))
		}
	}
	if alt.Len() == 0 {
		alt.Write(n.Destination)
	}
	w.WriteString(html.EscapeString("[image: " + alt.String() + "]"))
	w.WriteString(close)
	return ast.WalkSkipChildren, nil
}

var language = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_+#.-]{1,30}$`) })

func (harmless) code(w util.BufWriter, src []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	n := node.(*ast.FencedCodeBlock)
	if !entering {
		return ast.WalkContinue, nil
	}
	lang := string(n.Language(src))
	if !language().MatchString(lang) {
		lang = ""
	}
	var text strings.Builder
	for i := range n.Lines().Len() {
		at := n.Lines().At(i)
		text.Write(at.Value(src))
	}
	w.WriteString(`<div class="code"><div class="codehead">` + html.EscapeString(lang) + `</div>`)
	if lang == "diff" {
		w.WriteString(diffHTML(text.String()))
	} else {
		w.WriteString("<pre>" + html.EscapeString(text.String()) + "</pre>")
	}
	w.WriteString("</div>\n")
	return ast.WalkContinue, nil
}

// diffHTML shows the lines of a diff.
func diffHTML(text string) string {
	var b strings.Builder
	b.WriteString(`<pre class="diff">`)
	for line := range strings.Lines(text) {
		class := ""
		switch line[0] {
		case '+':
			class = ` class="add"`
		case '-':
			class = ` class="del"`
		}
		b.WriteString("<span" + class + ">" + html.EscapeString(strings.TrimSuffix(line, "\n")) + "\n</span>")
	}
	b.WriteString("</pre>")
	return b.String()
}
