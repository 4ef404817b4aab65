package rawjson

import (
	"bytes"
	"math/bits"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// String decodes a JSON string to WTF-8. Each maximal ill-formed part of the
// bytes reads as one U+FFFD, as the WHATWG decoder has it.
func String(v []byte) (string, bool) {
	v = trimLeft(v)
	if len(v) < 2 || v[0] != '"' {
		return "", false
	}
	v = v[1 : skipString(v, 0)-1]
	if bytes.IndexByte(v, '\\') < 0 && utf8.Valid(v) {
		return string(v), true
	}
	out := make([]byte, 0, len(v))
	for {
		// What stands for itself, up to the next escape.
		n := bytes.IndexByte(v, '\\')
		if n < 0 {
			n = len(v)
		}
		out = appendUTF8(out, v[:n])
		if v = v[n:]; len(v) < 2 {
			return string(out), true
		}
		if v[1] != 'u' {
			out = append(out, unescape(v[1]))
			v = v[2:]
			continue
		}
		r, _ := hex4(v, 2)
		v = v[min(6, len(v)):]
		if r >= 0xD800 && r < 0xDC00 && len(v) > 1 && v[0] == '\\' && v[1] == 'u' {
			if low, ok := hex4(v, 2); ok && low >= 0xDC00 && low < 0xE000 {
				r = utf16.DecodeRune(r, low)
				v = v[6:]
			}
		}
		out = appendWTF8(out, r)
	}
}

// appendUTF8 appends v with U+FFFD for each ill-formed part.
func appendUTF8(out, v []byte) []byte {
	if utf8.Valid(v) {
		return append(out, v...)
	}
	for len(v) > 0 {
		n, ok := 1, true
		if v[0] >= utf8.RuneSelf {
			n, ok = wellFormed(v)
		}
		if ok {
			out = append(out, v[:n]...)
		} else {
			out = append(out, "\uFFFD"...)
		}
		v = v[n:]
	}
	return out
}

func unescape(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return c
}

func appendWTF8(out []byte, r rune) []byte {
	if r >= 0xD800 && r < 0xE000 {
		return append(out, 0xED, 0x80|byte(r>>6)&0x3F, 0x80|byte(r)&0x3F)
	}
	return utf8.AppendRune(out, r)
}

// wellFormed returns the length of the character at the beginning of b and true,
// or the length of the maximal ill-formed part there (Unicode, table 3-7) and
// false.
func wellFormed(b []byte) (int, bool) {
	c := b[0]
	need, lo, hi := 0, byte(0x80), byte(0xBF)
	switch {
	case c >= 0xC2 && c <= 0xDF:
		need = 1
	case c >= 0xE0 && c <= 0xEF:
		need = 2
		if c == 0xE0 {
			lo = 0xA0
		} else if c == 0xED {
			hi = 0x9F
		}
	case c >= 0xF0 && c <= 0xF4:
		need = 3
		if c == 0xF0 {
			lo = 0x90
		} else if c == 0xF4 {
			hi = 0x8F
		}
	default:
		return 1, false
	}
	for k := 1; k <= need; k++ {
		if k >= len(b) || b[k] < lo || b[k] > hi {
			return k, false
		}
		lo, hi = 0x80, 0xBF
	}
	return need + 1, true
}

// surrogate returns the half pair whose WTF-8 form stands at s[i:].
func surrogate(s string, i int) (rune, bool) {
	if i+2 < len(s) && s[i] == 0xED && s[i+1] >= 0xA0 && s[i+1] <= 0xBF && s[i+2] >= 0x80 && s[i+2] <= 0xBF {
		return 0xD000 | rune(s[i+1]&0x3F)<<6 | rune(s[i+2]&0x3F), true
	}
	return 0, false
}

const hexDigits = "0123456789abcdef"

// AppendString appends s as ECMAScript's JSON.stringify writes it. Bytes that
// are neither UTF-8 nor half a surrogate pair become U+FFFD.
func AppendString(dst []byte, s string) []byte { return appendString(dst, s, false) }

// AppendLineString is [AppendString] with U+2028 and U+2029 escaped, for session
// files: pi's listing takes them for line ends (docs/spec/session.md 1.8).
func AppendLineString(dst []byte, s string) []byte { return appendString(dst, s, true) }

func appendString(dst []byte, s string, separators bool) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		if i+8 <= len(s) {
			found := special(word(s[i:])) | word(s[i:])&tops
			if found == 0 {
				i += 8
				continue
			}
			i += bits.TrailingZeros64(found) / 8
		}
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 {
				dst = append(dst, s[start:i]...)
				if half, ok := surrogate(s, i); ok {
					dst = appendEscape(dst, half)
					i += 3
				} else {
					dst = append(dst, "\uFFFD"...)
					i++
				}
				start = i
				continue
			}
			if separators && (r == 0x2028 || r == 0x2029) {
				dst = append(dst, s[start:i]...)
				dst = appendEscape(dst, r)
				start = i + n
			}
			i += n
			continue
		}
		dst = append(dst, s[start:i]...)
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\b':
			dst = append(dst, '\\', 'b')
		case '\f':
			dst = append(dst, '\\', 'f')
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = appendEscape(dst, rune(c))
		}
		i++
		start = i
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

// word returns the first eight bytes of s; the compiler makes one load of it.
func word(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

func appendEscape(dst []byte, r rune) []byte {
	return append(dst, '\\', 'u', hexDigits[r>>12&0xF], hexDigits[r>>8&0xF], hexDigits[r>>4&0xF], hexDigits[r&0xF])
}

// Quote returns s as a JSON string.
func Quote(s string) []byte { return AppendString(nil, s) }

// EscapeSeparators returns v with U+2028 and U+2029, which can stand in strings
// only, as escapes. v itself if there are none.
func EscapeSeparators(v []byte) []byte {
	if !bytes.Contains(v, []byte("\u2028")) && !bytes.Contains(v, []byte("\u2029")) {
		return v
	}
	v = bytes.ReplaceAll(v, []byte("\u2028"), []byte(`\u2028`))
	return bytes.ReplaceAll(v, []byte("\u2029"), []byte(`\u2029`))
}

// UTF16Len returns the length of s in UTF-16 units, in which pi counts.
func UTF16Len(s string) int {
	n := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			n++
			i++
			continue
		}
		if _, ok := surrogate(s, i); ok {
			n++
			i += 3
			continue
		}
		_, w := utf8.DecodeRuneInString(s[i:])
		if w == 4 {
			n++
		}
		n++
		i += w
	}
	return n
}

// ToValid returns s with half surrogate pairs and other bytes that are not UTF-8
// replaced by U+FFFD, one for each, as a provider must get it.
func ToValid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		if _, ok := surrogate(s, i); ok {
			b.WriteString("\uFFFD")
			i += 3
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		b.WriteRune(r)
		i += n
	}
	return b.String()
}

// CompareUTF16 compares as ECMAScript orders strings, by UTF-16 units.
func CompareUTF16(a, b string) int {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	// Back to the start of the character in which they differ.
	for i > 0 && (i < len(a) && a[i]&0xC0 == 0x80 || i < len(b) && b[i]&0xC0 == 0x80) {
		i--
	}
	if i >= len(a) || i >= len(b) {
		return len(a) - len(b)
	}
	return int(firstUnit(a[i:])) - int(firstUnit(b[i:])) + tie(a[i:], b[i:])
}

// firstUnit returns the first UTF-16 unit of s.
func firstUnit(s string) rune {
	if half, ok := surrogate(s, 0); ok {
		return half
	}
	r, _ := utf8.DecodeRuneInString(s)
	if r >= 0x10000 {
		hi, _ := utf16.EncodeRune(r)
		return hi
	}
	return r
}

// tie orders two characters with the same first unit by the second.
func tie(a, b string) int {
	if firstUnit(a) != firstUnit(b) {
		return 0
	}
	ra, _ := utf8.DecodeRuneInString(a)
	rb, _ := utf8.DecodeRuneInString(b)
	return int(ra) - int(rb)
}

// Number returns the value of a JSON number as an IEEE double. A number beyond
// the range of a double is no number (ECMAScript reads it as infinite and
// writes it as null).
func Number(v []byte) (float64, bool) {
	if Kind(v) != '0' {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(Trim(v)), 64)
	if err != nil && (f > 1 || f < -1) {
		return 0, false
	}
	return f, true
}

// AppendNumber appends f as ECMAScript writes it.
func AppendNumber(dst []byte, f float64) []byte {
	if f != f || f > 1.7976931348623157e308 || f < -1.7976931348623157e308 {
		return append(dst, "null"...)
	}
	if f == 0 {
		return append(dst, '0')
	}
	abs := f
	if abs < 0 {
		abs = -abs
	}
	if abs >= 1e21 || abs < 1e-6 {
		start := len(dst)
		dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
		// Go writes at least two digits of the exponent, ECMAScript one.
		if n := len(dst); n-start >= 4 && dst[n-2] == '0' && (dst[n-3] == '-' || dst[n-3] == '+') {
			dst[n-2] = dst[n-1]
			dst = dst[:n-1]
		}
		return dst
	}
	return strconv.AppendFloat(dst, f, 'f', -1, 64)
}
