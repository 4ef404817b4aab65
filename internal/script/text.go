package script

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/boughdev/bough/internal/rawjson"
)

// Scripts come from ECMAScript, where a text is UTF-16 units. Lengths and cuts
// here are counted in these; texts are WTF-8, as rawjson has them.

// step returns the length in bytes of the character at the beginning of s.
func step(s string) int {
	if r, n := utf8.DecodeRuneInString(s); r != utf8.RuneError || n != 1 {
		return n
	}
	if len(s) >= 3 && s[0] == 0xED && s[1] >= 0xA0 && s[1] <= 0xBF && s[2] >= 0x80 && s[2] <= 0xBF {
		return 3 // half a surrogate pair
	}
	return 1
}

// cutUnits returns the first n UTF-16 units of s, the last of which may be half
// a pair.
func cutUnits(s string, n int) string {
	for i := 0; i < len(s); {
		if n == 0 {
			return s[:i]
		}
		w := step(s[i:])
		if w == 4 {
			if n == 1 {
				r, _ := utf8.DecodeRuneInString(s[i:])
				high := 0xD800 + (r-0x10000)>>10
				return s[:i] + string([]byte{0xED, 0x80 | byte(high>>6)&0x3F, 0x80 | byte(high)&0x3F})
			}
			n--
		}
		n--
		i += w
	}
	return s
}

// pieces cuts s after each size characters. There is always one piece.
func pieces(s string, size int) []string {
	var out []string
	start, n := 0, 0
	for i := 0; i < len(s); {
		if n == size {
			out = append(out, s[start:i])
			start, n = i, 0
		}
		i += step(s[i:])
		n++
	}
	return append(out, s[start:])
}

// isSpace is what String.prototype.trim and \s take for white space.
func isSpace(r rune) bool {
	switch r {
	case '\t', '\n', '\v', '\f', '\r', ' ', 0xA0, 0x1680, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF:
		return true
	}
	return r >= 0x2000 && r <= 0x200A
}

func trim(s string) string { return strings.TrimFunc(s, isSpace) }

// number reads a JSON number, or a text that is one: a template gives only texts.
func number(v []byte) (float64, bool) {
	if s, ok := rawjson.String(v); ok {
		f, err := strconv.ParseFloat(trim(s), 64)
		return f, err == nil && !math.IsInf(f, 0) && !math.IsNaN(f)
	}
	return rawjson.Number(v)
}

// object writes an object of keys and values in turn, the values JSON.
func object(pairs ...any) []byte {
	b := []byte{'{'}
	for i := 0; i+1 < len(pairs); i += 2 {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(rawjson.AppendString(b, pairs[i].(string)), ':')
		switch v := pairs[i+1].(type) {
		case string:
			b = rawjson.AppendString(b, v)
		case []byte:
			b = append(b, v...)
		}
	}
	return append(b, '}')
}

// ceil4 is a quarter of n, rounded up: tokens of n UTF-16 units at a guess.
func ceil4(n int) int64 { return int64((n + 3) / 4) }

// spread lays objects over each other as {...a, ...b} does, null included: of a
// repeated key rawjson takes the last.
func spread(objs ...[]byte) []byte {
	var pairs []any
	for _, o := range objs {
		for key, v := range rawjson.Members(o) {
			pairs = append(pairs, key, v)
		}
	}
	return object(pairs...)
}
