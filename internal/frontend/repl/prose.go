package repl

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// prose makes lines to listen to of Markdown that comes in pieces: what is only there
// to be seen becomes words or is left out, and a line is whole when it is written, a
// sentence at least.
type prose struct {
	held  string // no whole line or sentence yet
	begun bool   // sentences of its line were written
	fence string // that the code which is open ends with; "": none is
}

// longest is how much of a row is held back, in bytes.
const longest = 1 << 10

// add takes a piece and returns the lines that are whole now.
func (p *prose) add(s string) []string {
	p.held += s
	var lines []string
	for {
		row, _, ended := strings.Cut(p.held, "\n")
		i := p.sentence(row)
		if i == 0 && len(row) > longest {
			if i = strings.LastIndexByte(row[:longest], ' ') + 1; i == 0 {
				i = longest
			}
			for !utf8.RuneStart(row[i]) && i > longest-utf8.UTFMax {
				i--
			}
		}
		if i > 0 {
			lines = p.line(lines, row[:i])
			p.held, p.begun = strings.TrimLeft(p.held[i:], " "), true
			continue
		}
		if !ended {
			return lines
		}
		lines = p.line(lines, row)
		p.held, p.begun = p.held[len(row)+1:], false
	}
}

// end returns what is left.
func (p *prose) end() []string {
	var lines []string
	if p.held != "" {
		lines = p.line(nil, p.held)
	}
	p.held, p.begun = "", false
	return lines
}

// sentence returns where the first sentence of a row ends, or 0. In code and tables a
// row is a line, and "e.g. this" is no end.
func (p *prose) sentence(row string) int {
	if front := strings.TrimLeft(row, " "); p.fence != "" || strings.HasPrefix(front, "|") || strings.HasPrefix(front, "```") || strings.HasPrefix(front, "~~~") {
		return 0
	}
	inCode := false
	for i, r := range row[:min(len(row), longest)] {
		next := i + max(utf8.RuneLen(r), 1)
		switch {
		case r == '`':
			inCode = !inCode
		case inCode:
		case strings.ContainsRune("。！？", r):
			return next
		case strings.ContainsRune(".!?", r) && strings.HasPrefix(row[next:], " ") && !number(row[:i]):
			after, _ := utf8.DecodeRuneInString(strings.TrimLeft(row[next:], " "))
			if after != utf8.RuneError && !unicode.IsLower(after) {
				return next
			}
		}
	}
	return 0
}

// number reports whether a line so far is the number of a list.
func number(s string) bool {
	s = strings.TrimSpace(s)
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// line appends what is to be heard of a line.
func (p *prose) line(lines []string, s string) []string {
	s = strings.TrimRight(s, " \t\r")
	text := strings.TrimLeft(s, " \t")
	mark := fenceOf(text)
	switch {
	case p.fence != "" && !p.begun && strings.HasPrefix(mark, p.fence) && strings.Trim(text, mark[:1]) == "":
		p.fence = ""
		return append(lines, "end of code")
	case p.fence != "":
		return append(lines, s)
	case mark != "" && !p.begun:
		p.fence = mark
		if lang := strings.TrimSpace(text[len(mark):]); lang != "" {
			return append(lines, "code, "+lang+":")
		}
		return append(lines, "code:")
	case text == "":
		return lines
	}
	if !p.begun {
		front, rest, silent := spokenFront(text, (len(s)-len(text))/2)
		if silent {
			return lines
		}
		return append(lines, front+inline(rest))
	}
	return append(lines, inline(text))
}

// fenceOf returns the marks that code begins or ends with, or "".
func fenceOf(text string) string {
	for _, c := range []string{"`", "~"} {
		if n := len(text) - len(strings.TrimLeft(text, c)); n >= 3 && !strings.Contains(text[n:], "`") {
			return text[:n]
		}
	}
	return ""
}

// spokenFront says in words what a line begins with; level is that of a list. A line
// that only draws something is silent.
func spokenFront(text string, level int) (front, rest string, silent bool) {
	if strings.HasPrefix(text, "|") {
		cells := strings.Split(strings.Trim(text, "| "), "|")
		for i, c := range cells {
			cells[i] = strings.TrimSpace(c)
		}
		rest = strings.Join(cells, "; ")
		return "row: ", rest, strings.Trim(rest, "-:; ") == ""
	}
	if len(text) >= 3 && (strings.Trim(text, "- ") == "" || strings.Trim(text, "* ") == "" || strings.Trim(text, "_ ") == "" || strings.Trim(text, "=") == "") {
		return "", "", true
	}
	if n := len(text) - len(strings.TrimLeft(text, "#")); n > 0 && n <= 6 && strings.HasPrefix(text[n:], " ") {
		return fmt.Sprintf("heading %d: ", n), strings.TrimSpace(strings.TrimRight(text[n:], "# ")), false
	}
	if rest, ok := strings.CutPrefix(text, "> "); ok {
		return "quote: ", rest, false
	}
	for _, bullet := range []string{"- ", "* ", "+ "} {
		rest, ok := strings.CutPrefix(text, bullet)
		if !ok {
			continue
		}
		front = "item: "
		if level > 0 {
			front = fmt.Sprintf("item, level %d: ", level+1)
		}
		for mark, word := range map[string]string{"[ ] ": "open: ", "[x] ": "done: ", "[X] ": "done: "} {
			if task, ok := strings.CutPrefix(rest, mark); ok {
				return front + word, task, false
			}
		}
		return front, rest, false
	}
	return "", text, false
}

// inline leaves out the marks of letters, and says where a link leads.
func inline(s string) string {
	if !strings.ContainsAny(s, "*`[") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		switch {
		case s[i] == '`':
			n := len(s[i:]) - len(strings.TrimLeft(s[i:], "`"))
			end := strings.Index(s[i+n:], s[i:i+n])
			if end < 0 {
				b.WriteString(s[i : i+n])
				i += n
				continue
			}
			b.WriteString(s[i+n : i+n+end])
			i += end + 2*n
		case s[i] == '*' && emphasis(s, i):
			i++
		case s[i] == '[':
			text, to, n := link(s[i:])
			if n == 0 {
				b.WriteByte('[')
				i++
				continue
			}
			if text == to {
				b.WriteString(to)
			} else {
				b.WriteString(inline(text) + " (" + to + ")")
			}
			i += n
		default:
			b.WriteByte(s[i])
			i++
		}
	}
	return b.String()
}

// emphasis reports whether the star at i is a mark of letters and no sign of its own,
// as in 2 * 3, a**b or *.go.
func emphasis(s string, i int) bool {
	word := func(at int) bool {
		if at < 0 || at >= len(s) {
			return false
		}
		c := s[at]
		return c >= utf8.RuneSelf || c == '_' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
	}
	from, to := i, i+1
	for from > 0 && s[from-1] == '*' {
		from--
	}
	for to < len(s) && s[to] == '*' {
		to++
	}
	blank := func(at int) bool { return at < 0 || at >= len(s) || s[at] == ' ' }
	strong := to-from > 1 // its other end may be in another sentence
	opens := !blank(to) && !word(from-1) && (strong || word(to) && strings.Contains(s[to:], "*"))
	closes := !blank(from-1) && !word(to) && (strong || strings.Contains(s[:from], "*"))
	return opens || closes
}

// link reads [text](to) and returns how long it is, or 0.
func link(s string) (text, to string, n int) {
	mid := strings.Index(s, "](")
	if mid < 0 {
		return "", "", 0
	}
	end := strings.IndexByte(s[mid:], ')')
	if end < 0 || strings.ContainsAny(s[1:mid], "[]") {
		return "", "", 0
	}
	return s[1:mid], s[mid+2 : mid+end], mid + end + 1
}
