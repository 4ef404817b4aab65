package builtin

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// normalised is a text in which that is the same which looks alike: NFKC, plain
// quotes, dashes and blanks, no blanks at the ends of lines. It knows where in
// the text each of its parts comes from.
type normalised struct {
	source string
	text   string
	runs   []run // without gaps
}

// run is a part of a normalised text and what it was made of. Within a plain
// one, of which both are the same, places correspond.
type run struct {
	at, len       int
	source, width int
	plain         bool
}

func normalise(source string) *normalised {
	n := &normalised{source: source}
	var b strings.Builder
	b.Grow(len(source))
	add := func(at int, from, to string) {
		r := run{b.Len(), len(to), at, len(from), from == to}
		b.WriteString(to)
		if k := len(n.runs) - 1; k >= 0 && r.plain && n.runs[k].plain {
			n.runs[k].len += r.len
			n.runs[k].width += r.width
			return
		}
		n.runs = append(n.runs, r)
	}
	at := 0
	for line := range strings.Lines(source) {
		body := strings.TrimSuffix(line, "\n")
		kept := strings.TrimRightFunc(body, unicode.IsSpace)
		if ascii(kept) {
			add(at, kept, kept)
		} else {
			for from := 0; from < len(kept); {
				if n := norm.NFKC.QuickSpanString(kept[from:]); n > 0 {
					withPlainSigns(at+from, kept[from:from+n], add)
					from += n
					continue
				}
				end := from + norm.NFKC.NextBoundaryInString(kept[from:], true)
				add(at+from, kept[from:end], plainSigns(norm.NFKC.String(kept[from:end])))
				from = end
			}
		}
		if len(kept) < len(body) {
			add(at+len(kept), body[len(kept):], "")
		}
		if len(body) < len(line) {
			add(at+len(body), "\n", "\n")
		}
		at += len(line)
	}
	n.text = b.String()
	return n
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// withPlainSigns adds a text in which quotes, dashes and blanks are unified. Bytes
// that are no text become the sign that stands for them when a file is read.
func withPlainSigns(at int, text string, add func(at int, from, to string)) {
	done := 0
	for i, r := range text {
		p, size := plainSign(r), utf8.RuneLen(r)
		if r == utf8.RuneError {
			_, size = utf8.DecodeRuneInString(text[i:])
		}
		if p == r && (r != utf8.RuneError || size > 1) {
			continue
		}
		if done < i {
			add(at+done, text[done:i], text[done:i])
		}
		done = i + size
		add(at+i, text[i:done], string(p))
	}
	if done < len(text) {
		add(at+done, text[done:], text[done:])
	}
}

func plainSigns(s string) string { return strings.Map(plainSign, s) }

func plainSign(r rune) rune {
	switch {
	case r < 0xA0:
	case r >= 0x2018 && r <= 0x201B:
		return '\''
	case r >= 0x201C && r <= 0x201F:
		return '"'
	case r >= 0x2010 && r <= 0x2015, r == 0x2212:
		return '-'
	case r == 0xA0, r >= 0x2000 && r <= 0x200A, r == 0x202F, r == 0x205F, r == 0x3000:
		return ' '
	}
	return r
}

// find returns the places in the source of what looks like old. Blanks at its
// very end count, unless they are nowhere else but at ends of lines.
func (n *normalised) find(old string) []span {
	text := normalise(old).text
	blanks := plainSigns(norm.NFKC.String(old[len(strings.TrimRightFunc(old, isBlank)):]))
	if found := n.places(text+blanks, false); len(found) > 0 || blanks == "" {
		return found
	}
	return n.places(text, true)
}

func isBlank(r rune) bool { return r != '\n' && unicode.IsSpace(r) }

// places returns where text is. With toEnd only where a line ends; the blanks
// there belong to it then.
func (n *normalised) places(text string, toEnd bool) []span {
	if text == "" {
		return nil
	}
	var found []span
	for _, at := range occurrences(n.text, text) {
		end := at + len(text)
		if toEnd && end < len(n.text) && n.text[end] != '\n' {
			continue
		}
		from, ok := n.start(at)
		to, ok2 := n.end(end)
		if !ok || !ok2 {
			continue // in the midst of a sign that stands for several
		}
		if toEnd {
			rest := n.source[to:]
			to += len(rest) - len(strings.TrimLeftFunc(rest, isBlank))
		}
		found = append(found, span{start: from, end: to})
	}
	return found
}

// start returns where in the source a part begins.
func (n *normalised) start(at int) (int, bool) {
	i := sort.Search(len(n.runs), func(i int) bool { return n.runs[i].at+n.runs[i].len > at })
	r := n.runs[i]
	if r.plain {
		return r.source + at - r.at, true
	}
	return r.source, at == r.at
}

// end returns where in the source a part ends.
func (n *normalised) end(at int) (int, bool) {
	i := sort.Search(len(n.runs), func(i int) bool { return n.runs[i].at+n.runs[i].len >= at })
	r := n.runs[i]
	if r.plain {
		return r.source + at - r.at, true
	}
	return r.source + r.width, at == r.at+r.len
}
