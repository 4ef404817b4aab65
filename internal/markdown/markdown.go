// Package markdown draws Markdown as styled rows for a terminal.
//
// It walks goldmark's tree and knows nothing of HTML: tags are shown as they were
// written. Definitions of links for elsewhere in the text are shown too, so that
// what is drawn of a block depends on that block alone. A [Stream] relies on it: of
// an answer that is growing only the last block is drawn anew.
package markdown

import (
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/internal/styled"
)

// A Theme says how the parts of a text look. The zero value is all plain.
type Theme struct {
	Text, Heading, Code, CodeBlock, Quote, Link, Rule, Mark styled.Style
	Bar, Address                                            styled.Style // beside a quote; of a link, written out

	// Of code: what a highlighter tells apart.
	Keyword, String, Comment, Number, Name styled.Style
	Type, Operator, Punctuation            styled.Style
	Added, Removed, Hunk                   styled.Style // of diffs
}

// Options say how to draw.
type Options struct {
	Width int // columns, at least 1
	Theme Theme
	Links bool // the terminal has links (OSC 8); otherwise addresses are written out
	ASCII bool // no characters beyond it for lines and marks
}

// Render draws a whole text.
func Render(source string, o Options) []styled.Line {
	closed, open := new(Stream).Set(source, o)
	return append(closed, open...)
}

// machine makes the parser when it is first needed: it costs some 50 µs.
var machine = sync.OnceValue(func() parser.Parser {
	blocks := []util.PrioritizedValue{
		util.Prioritized(parser.NewSetextHeadingParser(), 100), util.Prioritized(parser.NewThematicBreakParser(), 200),
		util.Prioritized(parser.NewListParser(), 300), util.Prioritized(parser.NewListItemParser(), 400),
		util.Prioritized(parser.NewCodeBlockParser(), 500), util.Prioritized(parser.NewATXHeadingParser(), 600),
		util.Prioritized(parser.NewFencedCodeBlockParser(), 700), util.Prioritized(parser.NewBlockquoteParser(), 800),
		util.Prioritized(parser.NewParagraphParser(), 1000),
	}
	inlines := []util.PrioritizedValue{
		util.Prioritized(parser.NewCodeSpanParser(), 100), util.Prioritized(parser.NewLinkParser(), 200),
		util.Prioritized(parser.NewAutoLinkParser(), 300), util.Prioritized(parser.NewEmphasisParser(), 500),
	}
	p := parser.NewParser(parser.WithBlockParsers(blocks...), parser.WithInlineParsers(inlines...))
	g := goldmark.New(goldmark.WithParser(p))
	extension.Table.Extend(g)
	extension.Strikethrough.Extend(g)
	extension.TaskList.Extend(g)
	extension.Linkify.Extend(g)
	return p
})

// A Stream draws a text that grows at its end. The zero value is ready; it is for
// one goroutine.
type Stream struct {
	text string // as it was given, the last time
	o    Options
	in   render.Cleaner

	closed []styled.Line // of blocks that more text cannot change
	rest   string        // the text behind them, clean
	joined bool          // rest goes on with a block that was cut
}

// largest is how large a block may be, in bytes, before it is cut in two: what is
// drawn anew for each delta has an end.
const largest = 48 << 10

// Set draws the text, which is the one before with more behind it, or another one.
// The closed rows stay as they are however the text goes on; the open ones stand
// below them.
func (s *Stream) Set(source string, o Options) (closed, open []styled.Line) {
	o.Width = max(o.Width, 1)
	if o != s.o || !strings.HasPrefix(source, s.text) {
		*s = Stream{o: o}
	}
	s.rest += s.in.Clean(source[len(s.text):])
	s.text = source
	for {
		if rows, done := s.draw(); done {
			if len(rows) > 0 && len(s.closed) > 0 && !s.joined {
				rows = append([]styled.Line{nil}, rows...)
			}
			return s.closed, rows
		}
	}
}

// draw draws what is not closed. It is not done if a block had to be cut; then
// there is a smaller rest.
func (s *Stream) draw() (open []styled.Line, done bool) {
	s.rest = expand(s.rest)
	d := drawer{o: s.o, source: []byte(s.rest)}
	doc := machine().Parse(text.NewReader(d.source))
	last := 0                                    // where what is not closed begins
	whole := strings.LastIndexByte(s.rest, '\n') // a line that goes on may become something else
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		next := n.NextSibling()
		end := len(s.rest)
		if next != nil {
			end = d.start(next)
		}
		if end-last > largest {
			if len(open) > 0 {
				s.close(open)
			}
			s.cut(n, last, &d)
			return nil, false
		}
		open = s.apart(open, d.block(n, s.o.Width), false)
		if next == nil || end <= max(last, d.start(n)) || end > whole { // a table says that it begins where the paragraph before it does
			continue
		}
		s.close(open)
		open, last = nil, end
	}
	s.rest = s.rest[last:]
	return open, true
}

func (s *Stream) close(block []styled.Line) {
	s.closed = s.apart(s.closed, block, s.joined)
	s.joined = false
}

// cut closes the beginning of a block that is too large.
func (s *Stream) cut(n ast.Node, from int, d *drawer) {
	piece := s.rest[from : from+largest]
	if i := strings.LastIndexByte(piece, '\n'); i > largest/2 {
		piece = piece[:i+1]
	} else if i := strings.LastIndexByte(piece, ' '); i > largest/2 {
		piece = piece[:i+1]
	} else {
		for len(piece) > 0 && !utf8.RuneStart(s.rest[from+len(piece)]) {
			piece = piece[:len(piece)-1]
		}
	}
	rest := s.rest[from+len(piece):]
	var block []styled.Line
	if c, ok := n.(*ast.FencedCodeBlock); ok {
		front, _, _ := strings.Cut(s.rest[from:], "\n")
		in := drawer{o: s.o, source: []byte(piece)}
		if first := machine().Parse(text.NewReader(in.source)).FirstChild(); first != nil {
			block = in.block(first, s.o.Width)
		}
		if c.Lines().Len() > 0 {
			rest = front + "\n" + rest
		}
	} else {
		in := drawer{o: s.o, source: []byte(piece)}
		block = in.blocks(machine().Parse(text.NewReader(in.source)), s.o.Width, false)
	}
	s.close(block)
	s.rest, s.joined = rest, true
}

// apart adds the rows of a block behind others, with an empty one between unless
// it goes on with the one before.
func (s *Stream) apart(lines, block []styled.Line, joined bool) []styled.Line {
	if len(block) > 0 && len(lines) > 0 && !joined {
		lines = append(lines, nil)
	}
	return append(lines, block...)
}

// expand makes blanks of the tabs of code, which a row cannot hold. Those at the
// front of a line decide what the line is, so they stay as wide as Markdown has
// them.
func expand(s string) string {
	if !strings.Contains(s, "\t") {
		return s
	}
	var b strings.Builder
	for line := range strings.Lines(s) {
		col, front := 0, true
		for _, r := range line {
			switch {
			case r == '\t' && front:
				n := 4 - col%4
				b.WriteString("    "[:n])
				col += n
				continue
			case r == '\t':
				b.WriteString("   ")
				continue
			case r != ' ' && r != '>':
				front = false
			}
			col++
			b.WriteRune(r)
		}
	}
	return b.String()
}

type drawer struct {
	o      Options
	source []byte
}

// start returns where the line begins that a block begins with, 0 if it cannot be
// told.
func (d *drawer) start(n ast.Node) int {
	at := n.Pos()
	if at <= 0 || at > len(d.source) {
		return 0
	}
	for at > 0 && d.source[at-1] != '\n' {
		at--
	}
	return at
}
