package export

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/session"
)

//go:embed page.js
var pageScript string

//go:embed page.css
var pageStyle string

// blockSize is about how many bytes of lines stand in one element of the page: it
// is the piece in which the browser hands them to the script.
const blockSize = 1 << 20

// Page writes a page that shows the session by its own script, in one file that
// fetches nothing (docs/spec/session.md 12.2). The lines of the session stand in
// elements that no browser runs or parses:
//
//	<script type="text/plain" class="lines">{"type":"session",…}
//	{"type":"message",…}
//	</script>
//
// A line with < begins with -, and has \l in its place, which is no escape of JSON.
// One that would not come back to the byte is = and base64.
func Page(w io.Writer, h session.Header, t *session.Tree, o Options) (Report, error) {
	o.Labels = true
	s := &source{header: h, tree: t, o: o}
	title := o.Redact.Text(s.title())
	out := &counter{w: w, tell: o.Progress}
	if _, err := out.WriteString(s.pageHead(title)); err != nil {
		return s.report, err
	}
	p := &pageLines{w: out}
	for line, err := range s.lines() {
		if err != nil {
			return s.report, err
		}
		if err := p.add(o.Redact.line(line)); err != nil {
			return s.report, err
		}
	}
	s.report.Redacted = o.Redact.Report()
	if err := p.end(); err != nil {
		return s.report, err
	}
	_, err := out.WriteString("</body>\n</html>\n")
	return s.report, err
}

// pageHead is the page up to the lines.
func (s *source) pageHead(title string) string {
	stand, scope := s.o.Leaf, "path"
	if s.o.Leaf == "" {
		scope = "tree"
		if stand = s.o.Stand; stand == "" {
			stand = s.tree.Leaf()
		}
	}
	var b strings.Builder
	b.WriteString(htmlHead(title, "script-src "+sum(pageScript)+"; ", pageStyle))
	b.WriteString("<noscript><p>This page shows a conversation by a script of its own, and scripts are switched off here.\n" +
		"bough export --static makes one that needs none.</p></noscript>\n")
	about := []byte(`{"scope":"` + scope + `","leaf":`)
	about = rawjson.AppendString(about, string(stand))
	about = append(about, `,"title":`...)
	about = rawjson.AppendString(about, title)
	about = append(about, `,"file":`...)
	about = rawjson.AppendString(about, "session-"+s.header.ID+".jsonl")
	about = append(about, `,"made":`...)
	about = rawjson.AppendString(about, session.FormatTime(s.o.Now))
	about = append(about, '}')
	b.WriteString(`<script type="application/json" id="about">`)
	b.Write(bytes.ReplaceAll(about, []byte("<"), []byte(`\u003c`)))
	b.WriteString("</script>\n<script>")
	b.WriteString(pageScript)
	b.WriteString("</script>\n")
	return b.String()
}

// htmlHead is a document up to its body. It allows nothing but what is named: its
// own style, images in the file itself, and what scripts adds.
func htmlHead(title, scripts, style string) string {
	return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n" +
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; " + scripts + "style-src " + sum(style) +
		"; img-src data: blob:; base-uri 'none'; form-action 'none'\">\n" +
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"referrer\" content=\"no-referrer\">\n" +
		"<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"generator\" content=\"bough\">\n" +
		"<title>" + html.EscapeString(title) + "</title>\n<style>" + style + "</style>\n</head>\n<body>\n"
}

func sum(s string) string {
	h := sha256.Sum256([]byte(s))
	return "'sha256-" + base64.StdEncoding.EncodeToString(h[:]) + "'"
}

// title is what the session is called: its name, or what was said first.
func (s *source) title() string {
	if s.o.Title != "" {
		return render.OneLine(s.o.Title)
	}
	if name := s.tree.Name(); name != "" {
		return render.OneLine(name)
	}
	if first := s.firstWords(); first != "" {
		return render.Cut(first, 100)
	}
	return "Session " + s.header.ID
}

// firstWords is the first thing a user says, if that is near the beginning.
func (s *source) firstWords() string {
	n := 0
	for e := range s.tree.Log() {
		if n++; n > 100 {
			break
		}
		if e.Role != "user" || e.Type != session.TypeMessage {
			continue
		}
		body, err := e.Body()
		if m, ok := body.(session.Message); err == nil && ok {
			if text := render.OneLine(m.Message.Text(" ")); text != "" {
				return text
			}
		}
	}
	return ""
}

// pageLines writes lines into a page.
type pageLines struct {
	w    *counter
	size int // of the open block; 0 if none is open
	buf  []byte
}

const (
	openBlock  = "<script type=\"text/plain\" class=\"lines\">"
	closeBlock = "</script>\n"
)

func (p *pageLines) add(line []byte) error {
	if p.size == 0 {
		if _, err := p.w.WriteString(openBlock); err != nil {
			return err
		}
	}
	if bytes.IndexByte(line, '<') >= 0 || !plainLine(line) {
		p.buf = appendPageLine(p.buf[:0], line)
		line = p.buf
	}
	p.size += len(line) + 1
	if _, err := p.w.Write(line); err != nil {
		return err
	}
	if _, err := p.w.Write(newline); err != nil {
		return err
	}
	if p.size >= blockSize {
		return p.end()
	}
	return nil
}

func (p *pageLines) end() error {
	if p.size == 0 {
		return nil
	}
	p.size = 0
	_, err := p.w.WriteString(closeBlock)
	return err
}

// appendPageLine appends a line as it stands in a page, without its end.
func appendPageLine(b, line []byte) []byte {
	if bytes.IndexByte(line, '<') < 0 && plainLine(line) {
		return append(b, line...)
	}
	if !plainLine(line) || !escapable(line) {
		return base64.StdEncoding.AppendEncode(append(b, '='), line)
	}
	b = append(b, '-')
	for {
		i := bytes.IndexByte(line, '<')
		if i < 0 {
			return append(b, line...)
		}
		b = append(append(b, line[:i]...), `\l`...)
		line = line[i+1:]
	}
}

// plainLine reports whether a browser gives a line without < back as it is: it
// changes carriage returns, zeros and what is no UTF-8.
func plainLine(line []byte) bool {
	return (len(line) == 0 || line[0] != '=' && line[0] != '-') && bytes.IndexByte(line, '\r') < 0 && bytes.IndexByte(line, 0) < 0 && utf8.Valid(line)
}

// escapable reports whether \l can stand for <: whether no \ stands right before an
// l or a <, but behind another \. In JSON that is always so.
func escapable(line []byte) bool {
	for {
		i := bytes.IndexByte(line, '\\')
		if i < 0 || i+1 >= len(line) {
			return true
		}
		if c := line[i+1]; c == 'l' || c == '<' {
			return false
		}
		line = line[i+2:]
	}
}
