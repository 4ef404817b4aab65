package builtin

import "unicode/utf8"

// plain makes plain text of what programs write to a terminal, in pieces cut
// anywhere. It decodes UTF-8, with U+FFFD for bytes that are none, and drops
// escape sequences and control characters but tab, line feed and carriage
// return.
type plain struct {
	dropCR bool

	state plainState
	part  []byte // of a character that is not whole yet
	sawC2 bool   // in a string: the byte before may begin a C1 control
}

type plainState int

const (
	inText     plainState = iota
	afterEsc              // ESC
	inEsc                 // ESC and intermediate bytes
	inCSI                 // ESC [ …
	inString              // ESC ] … and its like, up to BEL or ST
	afterEscIn            // ESC within a string
)

// add appends the text of b to dst.
func (p *plain) add(dst, b []byte) []byte {
	for len(b) > 0 {
		if p.state != inText {
			b = p.escape(b)
			continue
		}
		if len(p.part) > 0 {
			dst, b = p.finish(dst, b)
			continue
		}
		n := p.simple(b)
		dst, b = append(dst, b[:n]...), b[n:]
		if len(b) == 0 {
			break
		}
		switch c := b[0]; {
		case c == 0x1B:
			p.state = afterEsc
			b = b[1:]
		case c < utf8.RuneSelf: // a control
			b = b[1:]
		case !utf8.FullRune(b):
			p.part = append(p.part, b...)
			b = nil
		default:
			r, n := utf8.DecodeRune(b)
			dst = p.character(dst, r)
			b = b[n:]
		}
	}
	return dst
}

// flush ends the text.
func (p *plain) flush(dst []byte) []byte {
	for range p.part {
		dst = append(dst, "\uFFFD"...)
	}
	p.part = p.part[:0]
	return dst
}

// simple returns how many bytes at the beginning of b are text as they are.
func (p *plain) simple(b []byte) int {
	for i, c := range b {
		if c >= ' ' && c < 0x7F || c == '\n' || c == '\t' || c == '\r' && !p.dropCR {
			continue
		}
		return i
	}
	return len(b)
}

// finish takes bytes until the character that was begun is whole.
func (p *plain) finish(dst, b []byte) ([]byte, []byte) {
	for !utf8.FullRune(p.part) {
		if len(b) == 0 {
			return dst, nil
		}
		p.part = append(p.part, b[0])
		b = b[1:]
	}
	r, size := utf8.DecodeRune(p.part)
	if size < len(p.part) { // it was none: the rest is looked at anew
		rest := append([]byte(nil), p.part[size:]...)
		p.part = p.part[:0]
		dst = p.character(dst, r)
		return p.add(dst, rest), b
	}
	p.part = p.part[:0]
	return p.character(dst, r), b
}

func (p *plain) character(dst []byte, r rune) []byte {
	switch r {
	case 0x9B:
		p.state = inCSI
	case 0x90, 0x98, 0x9D, 0x9E, 0x9F:
		p.state, p.sawC2 = inString, false
	default:
		if r < 0x80 || r > 0x9F {
			return utf8.AppendRune(dst, r)
		}
	}
	return dst
}

// escape takes bytes of a sequence and returns what comes after them. A byte
// that cannot be part of it ends it and is text.
func (p *plain) escape(b []byte) []byte {
	c := b[0]
	switch p.state {
	case afterEsc:
		switch {
		case c == '[':
			p.state = inCSI
		case c == ']' || c == 'P' || c == 'X' || c == '^' || c == '_':
			p.state, p.sawC2 = inString, false
		case c >= 0x20 && c <= 0x2F:
			p.state = inEsc
		case c == 0x1B:
		case c >= 0x30 && c <= 0x7E:
			p.state = inText
		default:
			p.state = inText
			return b
		}
	case inEsc:
		switch {
		case c >= 0x20 && c <= 0x2F:
		case c >= 0x30 && c <= 0x7E:
			p.state = inText
		default:
			p.state = inText
			return b
		}
	case inCSI:
		switch {
		case c >= 0x20 && c <= 0x3F:
		case c >= 0x40 && c <= 0x7E:
			p.state = inText
		default:
			p.state = inText
			return b
		}
	case inString:
		switch {
		case c == 0x1B:
			p.state = afterEscIn
		case c == '\n': // not ended; better than to lose all that follows
			p.state = inText
			return b
		case c == 0x07 || c == 0x18 || c == 0x1A || c == 0x9C && p.sawC2:
			p.state = inText
		}
		p.sawC2 = c == 0xC2
	case afterEscIn:
		if c != '\\' {
			p.state = afterEsc
			return b
		}
		p.state = inText
	}
	return b[1:]
}
