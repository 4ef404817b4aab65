package builtin

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/boughdev/bough/internal/rawjson"
)

const (
	blockSize    = 1 << 20  // bytes of a file that are looked at at once
	maxBlock     = 64 << 20 // bytes of one line, of which more is not looked at
	binaryWithin = 32 << 10 // bytes in which a NUL makes a file binary
	maxLineUnits = 500      // UTF-16 units of a line that are shown
)

// hit is a line that was found, or one that surrounds it.
type hit struct {
	line  int
	text  string
	match bool
	cut   bool // text is not the whole line
}

// scan looks through one file.
type scan struct {
	*searcher
	around int // lines shown before and behind a match
	most   int // matches

	buf  []byte // block; may be reused
	low  []byte // block in small letters
	pos  int    // where in the block the search stands, at a line's beginning
	line int    // the number of that line
	last bool   // the file ends with the block

	hits  []hit
	found int // matches in hits
	shown int // last line in hits
	after int // lines still to be shown
}

// file looks through a file up to its first most matches.
func (s *scan) file(ctx context.Context, f fs.File) error {
	s.line, s.pos, s.last = 1, 0, false
	s.hits, s.found, s.shown, s.after = nil, 0, 0, 0
	s.buf = s.buf[:0]
	for first := true; ; first = false {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := s.fill(f); err != nil {
			return err
		}
		if first {
			if bytes.IndexByte(s.buf[:min(len(s.buf), binaryWithin)], 0) >= 0 {
				return nil
			}
			if bytes.HasPrefix(s.buf, []byte(byteOrderMark)) { // no part of the first line
				s.buf = s.buf[:copy(s.buf, s.buf[len(byteOrderMark):])]
			}
		}
		end := len(s.buf)
		if !s.last {
			end = bytes.LastIndexByte(s.buf, '\n') + 1
		}
		s.block(s.buf[:end])
		if s.last || s.found >= s.most {
			return nil
		}
		s.shift(end)
	}
}

// fill reads on until the block has a whole line or the file ends.
func (s *scan) fill(f fs.File) error {
	for {
		if len(s.buf) == cap(s.buf) {
			more := make([]byte, len(s.buf), max(64<<10, min(2*cap(s.buf), maxBlock)))
			copy(more, s.buf)
			s.buf = more
		}
		from := len(s.buf)
		n, err := io.ReadFull(f, s.buf[from:cap(s.buf)])
		s.buf = s.buf[:from+n]
		if s.last = err == io.EOF || err == io.ErrUnexpectedEOF; s.last {
			return nil
		} else if err != nil {
			return err
		}
		if cap(s.buf) >= blockSize && bytes.IndexByte(s.buf[from:], '\n') >= 0 {
			return nil
		}
		if len(s.buf) >= maxBlock {
			s.last = true
			return nil
		}
	}
}

// shift makes room: what was searched goes, but for the lines that may have to
// be shown before the next match.
func (s *scan) shift(end int) {
	keep := end
	for i := 0; i < s.around && keep > 0; i++ {
		keep = bytes.LastIndexByte(s.buf[:keep-1], '\n') + 1
	}
	s.buf = s.buf[:copy(s.buf, s.buf[keep:])]
	s.pos = end - keep
}

// block looks through whole lines, from s.pos on.
func (s *scan) block(b []byte) {
	fold := s.fold && s.lower(b)
	for s.pos < len(b) && s.found < s.most {
		start := s.candidate(b, fold)
		if start < 0 {
			s.pass(b, len(b))
			return
		}
		s.pass(b, start)
		end := lineEnd(b, start)
		if s.matches(b[start:end]) {
			s.take(b, start, end)
		} else {
			s.context(b[start:end])
		}
		s.pos = end
		s.line++
	}
	// Lines behind the last match.
	for s.after > 0 && s.pos < len(b) {
		end := lineEnd(b, s.pos)
		s.context(b[s.pos:end])
		s.pos, s.line = end, s.line+1
	}
}

// candidate returns the beginning of the next line that may match, or -1.
func (s *scan) candidate(b []byte, fold bool) int {
	at := s.pos
	switch {
	case len(s.literal) > 0 && (fold || !s.fold):
		in := b
		if fold {
			in = s.low
		}
		i := bytes.Index(in[s.pos:], s.literal)
		if i < 0 {
			return -1
		}
		at += i
	case s.perLine:
	default:
		loc := s.re.FindIndex(b[s.pos:])
		if loc == nil {
			return -1
		}
		at += loc[0]
	}
	if at == len(b) && b[at-1] == '\n' { // behind the last line
		return -1
	}
	return bytes.LastIndexByte(b[:at], '\n') + 1
}

// lower makes low of the block. It reports false where other letters than the
// ASCII ones may stand for the literal's: for k and s there are such.
func (s *scan) lower(b []byte) bool {
	if bytes.ContainsAny(s.literal, "ks") && (bytes.Contains(b, []byte("\u017F")) || bytes.Contains(b, []byte("\u212A"))) {
		return false
	}
	if cap(s.low) < len(b) {
		s.low = make([]byte, len(b), cap(s.buf))
	}
	s.low = s.low[:len(b)]
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		s.low[i] = c
	}
	return true
}

func lineEnd(b []byte, start int) int {
	if i := bytes.IndexByte(b[start:], '\n'); i >= 0 {
		return start + i + 1
	}
	return len(b)
}

// pass goes on to a line, showing those that follow a match.
func (s *scan) pass(b []byte, to int) {
	for s.after > 0 && s.pos < to {
		end := lineEnd(b, s.pos)
		s.context(b[s.pos:end])
		s.pos, s.line = end, s.line+1
	}
	if s.pos < to {
		s.line += bytes.Count(b[s.pos:to], []byte{'\n'})
		s.pos = to
	}
}

// context shows a line if it follows a match closely enough.
func (s *scan) context(line []byte) {
	if s.after > 0 {
		s.after--
		s.show(s.line, line, false)
	}
}

// take shows a match and the lines before it.
func (s *scan) take(b []byte, start, end int) {
	from, n := start, 0
	for n < s.around && s.line-n-1 > s.shown && from > 0 {
		from = bytes.LastIndexByte(b[:from-1], '\n') + 1
		n++
	}
	for ; n > 0; n-- {
		next := lineEnd(b, from)
		s.show(s.line-n, b[from:next], false)
		from = next
	}
	s.show(s.line, b[start:end], true)
	s.found++
	s.after = s.around
}

func (s *scan) show(n int, line []byte, match bool) {
	line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte{'\n'}), []byte{'\r'})
	h := hit{line: n, match: match}
	h.text, h.cut = shorten(line)
	s.hits = append(s.hits, h)
	s.shown = n
}

// shorten cuts a line to what is shown of it.
func shorten(line []byte) (string, bool) {
	const most = maxLineUnits * 3 // bytes that so many units can have
	rest := len(line) > most+utf8.UTFMax
	if rest {
		line = line[:most+utf8.UTFMax]
	}
	text := rawjson.ToValid(string(line))
	units, end := 0, 0 // end is of the last cluster that fits
	glued := false     // the next rune belongs to the one before
	for i, r := range text {
		if !glued && !extends(r) {
			end = i
		}
		units += utf16.RuneLen(r)
		if units > maxLineUnits {
			return text[:end] + "... [cut]", true
		}
		glued = r == 0x200D
	}
	if rest {
		return text[:end] + "... [cut]", true
	}
	return text, false
}

// extends reports whether a rune belongs to the character before it.
func extends(r rune) bool {
	return r >= 0x300 && (unicode.In(r, unicode.M) || r == 0x200D || r >= 0x1F3FB && r <= 0x1F3FF || r >= 0xE0020 && r <= 0xE007F)
}

// sentence joins notes to a last paragraph, or returns "".
func sentence(notes []string) string {
	if len(notes) == 0 {
		return ""
	}
	return "\n\n[" + strings.Join(notes, " ") + "]"
}
