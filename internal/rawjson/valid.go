package rawjson

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// Valid reports whether b is one JSON value with nothing but white space around
// it, as ECMAScript's JSON.parse has it after reading b as UTF-8. Bytes that are
// not UTF-8 are allowed inside strings only.
func Valid(b []byte) bool {
	i := skipSpace(b, 0)
	end, ok := scan(b, i, nil)
	return ok && skipSpace(b, end) == len(b)
}

// Prefix returns the length of the valid JSON value at the beginning of b.
func Prefix(b []byte) (int, bool) { return scan(b, skipSpace(b, 0), nil) }

// scan checks the value at i and returns where it ends. open holds the brackets
// around the current place. v may be nil.
func scan(b []byte, i int, v *Visitor) (int, bool) {
	var stack [64]byte
	open := stack[:0]
	for {
		// A value begins at i.
		if i >= len(b) {
			return i, false
		}
		switch c := b[i]; {
		case c == '{':
			i = skipSpace(b, i+1)
			if i < len(b) && b[i] == '}' {
				i++
				break
			}
			open = append(open, '{')
			v.opened(false)
			key := i
			var ok bool
			if i, ok = scanKey(b, i); !ok {
				return i, false
			}
			v.key(b, key, i)
			continue
		case c == '[':
			i = skipSpace(b, i+1)
			if i < len(b) && b[i] == ']' {
				i++
				break
			}
			open = append(open, '[')
			v.opened(true)
			continue
		case c == '"':
			var ok bool
			if i, ok = scanString(b, i); !ok {
				return i, false
			}
		case c == 't':
			if !bytes.HasPrefix(b[i:], []byte("true")) {
				return i, false
			}
			i += 4
		case c == 'f':
			if !bytes.HasPrefix(b[i:], []byte("false")) {
				return i, false
			}
			i += 5
		case c == 'n':
			if !bytes.HasPrefix(b[i:], []byte("null")) {
				return i, false
			}
			i += 4
		default:
			var ok bool
			if i, ok = scanNumber(b, i); !ok {
				return i, false
			}
		}
		// A value ended at i: close what is complete.
		end := i
		for {
			if len(open) == 0 {
				return i, true
			}
			i = skipSpace(b, i)
			if i >= len(b) {
				return i, false
			}
			in := open[len(open)-1]
			v.value(b, end)
			if b[i] == ',' {
				i = skipSpace(b, i+1)
				if in == '{' {
					key := i
					var ok bool
					if i, ok = scanKey(b, i); !ok {
						return i, false
					}
					v.key(b, key, i)
				}
				break
			}
			if b[i] != in+2 { // '}' is '{'+2 and ']' is '['+2
				return i, false
			}
			open = open[:len(open)-1]
			v.closed()
			i++
			end = i
		}
	}
}

func scanKey(b []byte, i int) (int, bool) {
	if i >= len(b) || b[i] != '"' {
		return i, false
	}
	i, ok := scanString(b, i)
	if !ok {
		return i, false
	}
	i = skipSpace(b, i)
	if i >= len(b) || b[i] != ':' {
		return i, false
	}
	return skipSpace(b, i+1), true
}

func scanString(b []byte, i int) (int, bool) {
	i++
	for i < len(b) {
		if i+16 <= len(b) {
			w := b[i : i+16 : i+16]
			found, more := special(binary.LittleEndian.Uint64(w)), special(binary.LittleEndian.Uint64(w[8:]))
			if found|more == 0 {
				i += 16
				continue
			}
			if found == 0 {
				found = more
				i += 8
			}
			i += bits.TrailingZeros64(found) / 8
		}
		switch c := b[i]; {
		case c == '"':
			return i + 1, true
		case c == '\\':
			if i+1 >= len(b) {
				return i, false
			}
			switch escapes[b[i+1]] {
			case 2:
				i += 2
			case 6:
				if _, ok := hex4(b, i+2); !ok {
					return i, false
				}
				i += 6
			default:
				return i, false
			}
		case c < 0x20:
			return i, false
		default:
			i++
		}
	}
	return i, false
}

const ones, tops = 0x0101010101010101, 0x8080808080808080 // of eight bytes

// special tells which of eight bytes of a string need a look, being a quote, a
// backslash or a control character: the lowest bit set is the top of the first.
func special(w uint64) uint64 {
	low, slash := w^2*ones, w^'\\'*ones // a quote is now 0x20, and nothing else has come below 0x21
	return ((low-0x21*ones)&^low | (slash-ones)&^slash) & tops
}

// escapes has the lengths of escapes by the byte behind the backslash.
var escapes = [256]byte{'"': 2, '\\': 2, '/': 2, 'b': 2, 'f': 2, 'n': 2, 'r': 2, 't': 2, 'u': 6}

func digits(b []byte, i int) int {
	for i < len(b) && b[i] >= '0' && b[i] <= '9' {
		i++
	}
	return i
}

func scanNumber(b []byte, i int) (int, bool) {
	if i < len(b) && b[i] == '-' {
		i++
	}
	switch j := digits(b, i); {
	case j == i:
		return i, false
	case b[i] == '0':
		i++
	default:
		i = j
	}
	if i < len(b) && b[i] == '.' {
		j := digits(b, i+1)
		if j == i+1 {
			return i, false
		}
		i = j
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		j := i + 1
		if j < len(b) && (b[j] == '+' || b[j] == '-') {
			j++
		}
		k := digits(b, j)
		if k == j {
			return i, false
		}
		i = k
	}
	return i, true
}

func hex4(b []byte, i int) (rune, bool) {
	if i+4 > len(b) {
		return 0, false
	}
	var r rune
	for _, c := range b[i : i+4] {
		switch {
		case c >= '0' && c <= '9':
			r = r<<4 | rune(c-'0')
		case c >= 'a' && c <= 'f':
			r = r<<4 | rune(c-'a'+10)
		case c >= 'A' && c <= 'F':
			r = r<<4 | rune(c-'A'+10)
		default:
			return 0, false
		}
	}
	return r, true
}
