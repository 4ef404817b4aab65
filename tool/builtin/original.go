package builtin

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"
)

// original is a file that is being edited. Texts are looked for in lf, where all
// line ends are line feeds; what is found is replaced in raw.
type original struct {
	raw  string
	lf   string
	crlf []int // where in lf the line feeds are that are CRLF in raw

	norm *normalised // of lf, when it was needed
}

func newOriginal(raw string) *original {
	o := &original{raw: raw, lf: raw}
	if !strings.Contains(raw, "\r") {
		return o
	}
	var b strings.Builder
	b.Grow(len(raw))
	for rest := raw; ; {
		i := strings.IndexByte(rest, '\r')
		if i < 0 {
			b.WriteString(rest)
			break
		}
		b.WriteString(rest[:i])
		if rest = rest[i+1:]; strings.HasPrefix(rest, "\n") {
			o.crlf = append(o.crlf, b.Len())
			rest = rest[1:]
		}
		b.WriteByte('\n')
	}
	o.lf = b.String()
	return o
}

// lineFeeds makes line feeds of all line ends.
func lineFeeds(s string) string {
	if !strings.Contains(s, "\r") {
		return s
	}
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}

// inRaw returns the place in raw of one in lf.
func (o *original) inRaw(at int) int { return at + sort.SearchInts(o.crlf, at) }

// span is a part of raw and what takes its place.
type span struct {
	start, end int
	new        string // with line feeds
	edit       int    // which edit it is of
}

// find looks for the one place of a text: as it is, else with blanks and signs
// that look alike taken for the same. what names the text in an error.
func (o *original) find(old, what string) (span, error) {
	at := occurrences(o.lf, old)
	if len(at) == 1 {
		return span{start: o.inRaw(at[0]), end: o.inRaw(at[0] + len(old))}, nil
	}
	if len(at) > 1 {
		return span{}, o.ambiguous(what, at)
	}
	if o.norm == nil {
		o.norm = normalise(o.lf)
	}
	found := o.norm.find(old)
	switch len(found) {
	case 0:
		return span{}, editError(what + " was not found" + o.hint(old))
	case 1:
		return span{start: o.inRaw(found[0].start), end: o.inRaw(found[0].end)}, nil
	}
	at = nil
	for _, s := range found {
		at = append(at, s.start)
	}
	return span{}, o.ambiguous(what, at)
}

const enough = 100 // places of a text

// occurrences returns where a text is, also where it overlaps with itself, up to
// some number.
func occurrences(s, old string) []int {
	var at []int
	for from := 0; len(at) < enough; {
		i := strings.Index(s[from:], old)
		if i < 0 {
			break
		}
		at = append(at, from+i)
		from += i + 1
	}
	return at
}

func (o *original) ambiguous(what string, at []int) error {
	var lines []string
	for _, p := range at[:min(5, len(at))] {
		lines = append(lines, fmt.Sprint(1+strings.Count(o.lf[:p], "\n")))
	}
	if len(at) > len(lines) {
		lines = append(lines, "...")
	}
	times := fmt.Sprint(len(at))
	if len(at) >= enough {
		times = fmt.Sprint("at least ", enough)
	}
	return editError(fmt.Sprintf("%s occurs %s times (lines %s); add what surrounds the right one", what, times, strings.Join(lines, ", ")))
}

// hint tells where the first line of a text that was not found would be.
func (o *original) hint(old string) string {
	first := ""
	for line := range strings.Lines(old) {
		if first = strings.TrimSpace(line); first != "" {
			break
		}
	}
	if first == "" {
		return ""
	}
	n := 0
	for line := range strings.Lines(o.lf) {
		if n++; strings.TrimSpace(line) == first {
			return fmt.Sprintf("; its first line is like line %d, what follows differs", n)
		}
	}
	return "; read the file again"
}

// sortSpans brings spans into their order and refuses those that overlap.
func sortSpans(spans []span) error {
	slices.SortStableFunc(spans, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	for i := 1; i < len(spans); i++ {
		if a, b := spans[i-1], spans[i]; b.start < a.end {
			return editError(fmt.Sprintf("edits[%d] and edits[%d] overlap", min(a.edit, b.edit), max(a.edit, b.edit)))
		}
	}
	return nil
}

// splice replaces spans, which are in order.
func (o *original) splice(spans []span) (string, []region) {
	var b strings.Builder
	var last byte
	add := func(s string) {
		if s == "" {
			return
		}
		if last == '\r' && s[0] == '\n' { // two line ends must not become one
			b.WriteByte('\r')
		}
		b.WriteString(s)
		last = s[len(s)-1]
	}
	regions := make([]region, len(spans))
	at := 0
	for i, s := range spans {
		add(o.raw[at:s.start])
		from := b.Len()
		add(strings.ReplaceAll(s.new, "\n", o.lineEnd(s.start)))
		next := len(o.raw)
		if i+1 < len(spans) {
			next = spans[i+1].start
		}
		if last == '\r' && s.end < next && o.raw[s.end] == '\n' {
			b.WriteByte('\r')
			last = 0
		}
		at = s.end
		regions[i] = region{s.start, s.end, from, b.Len()}
	}
	add(o.raw[at:])
	return b.String(), regions
}

// lineEnd returns how the line ends that a place is in; for the last line, the
// one before.
func (o *original) lineEnd(at int) string {
	if !strings.Contains(o.raw, "\r") {
		return "\n"
	}
	i := strings.IndexByte(o.raw[at:], '\n')
	if i >= 0 {
		i += at
	} else if i = strings.LastIndexByte(o.raw[:at], '\n'); i < 0 {
		return "\r"
	}
	if i > 0 && o.raw[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}
