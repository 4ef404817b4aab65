package search

import (
	"bytes"
	"encoding/binary"
	"iter"
	"math/bits"
	"slices"
	"unicode/utf8"
)

// A filter finds the lines of raw JSON that may hold a text. It looks for two bytes
// at a distance, in one or several forms, sixteen places at once; a line with an
// escape that may stand for anything passes too. It never leaves out a line whose
// strings have the text; those it finds must be read.
type filter struct {
	pairs []pair // one of them must be there; none: every line passes
	worth int    // how few lines will pass, roughly; 0 if all do
	also  []pair // all of them must be in a line that has no escapes of characters
}

// A pair is two bytes of a run that stands in a file as it stands here. Letters are
// of either case: those of the run are small.
type pair struct {
	run      string
	at, gap  int  // of the first in run, and from that to the second
	orA, orB byte // 0x20 for a letter
}

func newPair(run string, at, gap int) pair {
	b := []byte(run)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c | 0x20
		}
	}
	or := func(c byte) byte {
		if 'a' <= c && c <= 'z' {
			return 0x20
		}
		return 0
	}
	return pair{string(b), at, gap, or(b[at]), or(b[at+gap])}
}

const (
	ones = 0x0101010101010101
	tops = 0x8080808080808080
)

// next returns the first place of the pair in b from i on, or -1. The place is that
// of its first byte.
func (p *pair) next(b []byte, i int) int {
	at, _ := p.nextOr(b, i, p)
	return at
}

// nextOr returns the first place of the pair or of another one, and which it is.
func (p *pair) nextOr(b []byte, i int, o *pair) (at int, which *pair) {
	a1, c1, orA1, orC1 := p.words()
	a2, c2, orA2, orC2 := o.words()
	size := 16 + max(p.gap, o.gap)
	for i+size <= len(b) {
		w := b[i : i+size : i+size]
		x, y := binary.LittleEndian.Uint64(w), binary.LittleEndian.Uint64(w[8:])
		p1 := ((x | orA1) ^ a1) | ((binary.LittleEndian.Uint64(w[p.gap:]) | orC1) ^ c1)
		p2 := ((y | orA1) ^ a1) | ((binary.LittleEndian.Uint64(w[p.gap+8:]) | orC1) ^ c1)
		o1 := ((x | orA2) ^ a2) | ((binary.LittleEndian.Uint64(w[o.gap:]) | orC2) ^ c2)
		o2 := ((y | orA2) ^ a2) | ((binary.LittleEndian.Uint64(w[o.gap+8:]) | orC2) ^ c2)
		first := ((p1-ones)&^p1 | (o1-ones)&^o1) & tops
		second := ((p2-ones)&^p2 | (o2-ones)&^o2) & tops
		if first|second == 0 {
			i += 16
			continue
		}
		if first == 0 {
			first = second
			i += 8
		}
		i += bits.TrailingZeros64(first) / 8
		switch {
		case p.fits(b, i):
			return i, p
		case o.fits(b, i):
			return i, o
		}
		i++
	}
	for ; i < len(b); i++ {
		switch {
		case p.fits(b, i):
			return i, p
		case o.fits(b, i):
			return i, o
		}
	}
	return -1, nil
}

// words are the two bytes and what they are or'ed with, eight times each.
func (p *pair) words() (a, c, orA, orC uint64) {
	return uint64(p.run[p.at]) * ones, uint64(p.run[p.at+p.gap]) * ones, uint64(p.orA) * ones, uint64(p.orB) * ones
}

// fits reports whether the run stands with its first byte of the pair at i.
func (p *pair) fits(b []byte, i int) bool {
	if b[i]|p.orA != p.run[p.at] {
		return false
	}
	i -= p.at
	if i < 0 || i+len(p.run) > len(b) || b[i+p.at+p.gap]|p.orB != p.run[p.at+p.gap] {
		return false
	}
	for k := range len(p.run) {
		c := b[i+k]
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		if c != p.run[k] {
			return false
		}
	}
	return true
}

// escape finds the escapes of characters.
var escape = pair{run: `\u`, gap: 1}

// rarity is how seldom a byte stands in conversations, roughly: the place of letters
// in English and code; all others are taken as rare but digits and blanks.
func rarity(c byte) int {
	const common = " etaoinsrhldcumfpgwybvk0123456789.,-_:()xjqz"
	if i := bytes.IndexByte([]byte(common), c|0x20); i >= 0 && (c|0x20 == c || 'A' <= c && c <= 'Z') {
		return i
	}
	return len(common)
}

// newFilter returns the filter for a text that must stand in a string.
func newFilter(n Needle) (f filter) {
	take := func(worth int, pairs ...pair) {
		if worth > f.worth {
			f = filter{pairs: pairs, worth: worth}
		}
	}
	for run, forms := range n.runs() {
		if len(forms) == 0 {
			p := rarest(run)
			take(1+rarity(run[p.at])+rarity(run[p.at+p.gap])+min(len(run), 8), p)
			continue
		}
		// The last two bytes of the character, in all its cases.
		var pairs []pair
		for _, c := range forms {
			b := string(c)
			pairs = append(pairs, newPair(b, len(b)-2, 1))
		}
		take(60/len(pairs), pairs...)
	}
	return f
}

// runs yields the parts of a needle that stand in a file as they stand here, of two
// bytes and more, and single letters beyond ASCII that have several forms.
func (n Needle) runs() iter.Seq2[string, []rune] {
	return func(yield func(string, []rune) bool) {
		var run []byte
		end := func() bool {
			r := string(run)
			run = run[:0]
			return len(r) < 2 || yield(r, nil)
		}
		for _, r := range n.runes {
			switch {
			case r != utf8.RuneError && (r < utf8.RuneSelf && plain(r) || r >= utf8.RuneSelf && len(n.cases(r)) == 1):
				run = utf8.AppendRune(run, r)
				continue
			case !end():
				return
			}
			// A character that is not valid may be any bytes.
			if forms := n.cases(r); r >= utf8.RuneSelf && r != utf8.RuneError && slices.Min(forms) >= utf8.RuneSelf && !yield("", forms) {
				return
			}
		}
		end()
	}
}

// runsOf are the runs of a needle that stand for themselves.
func runsOf(n Needle) (all []pair) {
	for run, forms := range n.runs() {
		if len(forms) == 0 {
			all = append(all, rarest(run))
		}
	}
	return all
}

// rarest returns the pair of the two rarest bytes of a run. They may stand apart:
// neighbours often come together.
func rarest(run string) pair {
	look := run[:min(len(run), 32)]
	a, b := 0, 1
	if rarity(look[b]) > rarity(look[a]) {
		a, b = b, a
	}
	for i := 2; i < len(look); i++ {
		switch r := rarity(look[i]); {
		case r > rarity(look[a]):
			a, b = i, a
		case r > rarity(look[b]):
			b = i
		}
	}
	return newPair(run, min(a, b), max(a, b)-min(a, b))
}

// anyOf returns the filter for lines that may have one of some texts.
func anyOf(needles ...Needle) filter {
	var all filter
	for i, n := range needles {
		f := newFilter(n)
		if len(f.pairs) == 0 {
			return filter{}
		}
		if i == 0 {
			all.worth = f.worth
		}
		all.worth = min(all.worth, f.worth)
		all.pairs = append(all.pairs, f.pairs...)
	}
	all.worth = max(all.worth-8*(len(needles)-1), 1)
	return all
}

// plain reports whether an ASCII character stands for itself in JSON, escapes by
// number aside.
func plain(r rune) bool {
	return r > ' ' && r < 0x7F && r != '"' && r != '\\' && r != '/'
}

// lines calls each for the lines of b that pass, in order. b is whole lines; the last
// need not be ended.
func (f *filter) lines(b []byte, each func(line []byte)) {
	if len(f.pairs) == 0 {
		for len(b) > 0 {
			end := lineEnd(b, 0)
			each(b[:end])
			b = b[min(end+1, len(b)):]
		}
		return
	}
	if len(f.pairs) == 1 {
		for i := 0; ; {
			at, what := f.pairs[0].nextOr(b, i, &escape)
			if at < 0 {
				return
			}
			if what == &escape && !odd(b, at) {
				i = at + 2
				continue
			}
			start := bytes.LastIndexByte(b[:at], '\n') + 1
			i = lineEnd(b, at)
			if line := b[start:i]; what == &escape || f.hasAll(line) || nextOdd(line, at-start) >= 0 {
				each(line)
			}
		}
	}
	// The next place of each pair, and of escapes, behind what was told.
	var room [8]int
	next := append(room[:0], make([]int, len(f.pairs)+1)...)
	for i := range next {
		next[i] = f.place(b, i, 0)
	}
	escaped := len(f.pairs)
	for {
		first := -1
		for _, n := range next {
			if n >= 0 && (first < 0 || n < first) {
				first = n
			}
		}
		if first < 0 {
			return
		}
		start := bytes.LastIndexByte(b[:first], '\n') + 1
		end := lineEnd(b, first)
		line := b[start:end]
		if n := next[escaped]; n >= 0 && n < end || f.hasAll(line) {
			each(line)
		}
		for i, n := range next {
			if n >= 0 && n < end {
				next[i] = f.place(b, i, end)
			}
		}
	}
}

// hasAll reports whether all that must be in a line is in it.
func (f *filter) hasAll(line []byte) bool {
	for i := range f.also {
		if f.also[i].next(line, 0) < 0 {
			return false
		}
	}
	return true
}

// place returns the next place of a pair, or, as the last, of an odd escape.
func (f *filter) place(b []byte, which, i int) int {
	if which < len(f.pairs) {
		return f.pairs[which].next(b, i)
	}
	return nextOdd(b, i)
}

// nextOdd returns the next place of an odd escape, or -1.
func nextOdd(b []byte, i int) int {
	for {
		if i = escape.next(b, i); i < 0 || odd(b, i) {
			return i
		}
		i += 2
	}
}

// odd reports whether the escape at i may stand for part of a text. Those of control
// characters do not: nobody looks for them but as white space.
func odd(b []byte, i int) bool {
	e := b[i+2 : min(i+5, len(b))]
	return len(e) < 3 || e[0] != '0' || e[1] != '0' || e[2] > '1'
}

func lineEnd(b []byte, at int) int {
	if i := bytes.IndexByte(b[at:], '\n'); i >= 0 {
		return at + i
	}
	return len(b)
}
