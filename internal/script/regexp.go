package script

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// Compile translates an expression of ECMAScript: its source, or /source/flags.
// Flags i, m and s mean what they mean there, y binds the match to the beginning,
// u allows \u{…} and \p{…}, and g and d change nothing.
//
// What Go's linear time engine lacks is an error: look-around, back references,
// counts above 1000. Matching goes by characters, not by UTF-16 units; with m
// only \n ends a line; a group in a repetition keeps what it matched last, where
// ECMAScript may forget it.
func Compile(expr string) (*regexp.Regexp, error) {
	source, flags := expr, ""
	if i := strings.LastIndexByte(expr, '/'); i > 0 && expr[0] == '/' && strings.Trim(expr[i+1:], "abcdefghijklmnopqrstuvwxyz") == "" {
		source, flags = expr[1:i], expr[i+1:]
	}
	t := translator{src: source}
	var mode string
	sticky := false
	for _, f := range flags {
		switch f {
		case 'i', 'm':
			mode += string(f)
		case 's':
			t.dotAll = true
		case 'u':
			t.unicode = true
		case 'y':
			sticky = true
		case 'g', 'd':
		default:
			return nil, fmt.Errorf("expression %q: unknown flag %c", expr, f)
		}
	}
	if err := t.translate(); err != nil {
		return nil, fmt.Errorf("expression %q: %w", expr, err)
	}
	out := t.out.String()
	if sticky {
		out = `\A(?:` + out + `)`
	}
	if mode != "" {
		out = "(?" + mode + ")" + out
	}
	re, err := regexp.Compile(out)
	if err != nil {
		return nil, fmt.Errorf("expression %q: %w", expr, err)
	}
	return re, nil
}

// lazily compiles an expression of ours when it is first used: compiling them all
// at the start of the program takes 20 ms.
func lazily(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp {
		re, err := Compile(expr)
		if err != nil {
			panic(err)
		}
		return re
	})
}

// What goes into the brackets of a class for white space and the rest.
const (
	spaceClass = `\t-\r\x{20}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`
	otherClass = `\x{0}-\x{8}\x{e}-\x{1f}\x{21}-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff}`
)

var (
	errEnd       = errors.New(`\ at the end`)
	errSurrogate = errors.New("half a surrogate pair cannot be matched")
	errBackRef   = errors.New("back references are not supported")
)

type translator struct {
	src             string
	i               int
	out             strings.Builder
	unicode, dotAll bool
}

func (t *translator) rest() string { return t.src[t.i:] }

// literal writes a character that means itself, in and out of classes.
func (t *translator) literal(r rune) {
	if r < utf8.RuneSelf && (r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z') {
		t.out.WriteRune(r)
		return
	}
	fmt.Fprintf(&t.out, `\x{%x}`, r)
}

func (t *translator) next() (rune, error) {
	r, n := utf8.DecodeRuneInString(t.rest())
	if r == utf8.RuneError && n <= 1 {
		return 0, errSurrogate
	}
	t.i += n
	return r, nil
}

func (t *translator) translate() error {
	for t.i < len(t.src) {
		r, err := t.next()
		if err != nil {
			return err
		}
		switch r {
		case '\\':
			err = t.escape()
		case '[':
			err = t.class()
		case '(':
			err = t.group()
		case '.':
			if t.dotAll {
				t.out.WriteString(`(?s:.)`)
			} else {
				t.out.WriteString(`[^\n\r\x{2028}\x{2029}]`)
			}
		case '{':
			if n := counted(t.rest()); n > 0 {
				t.out.WriteString("{" + t.src[t.i:t.i+n])
				t.i += n
			} else {
				t.literal(r)
			}
		case '^', '$', '|', ')', '*', '+', '?':
			t.out.WriteRune(r)
		default:
			t.literal(r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// counted returns the length of n}, n,} or n,m} at the beginning of s, or 0.
func counted(s string) int {
	i := digits(s)
	if i == 0 {
		return 0
	}
	if i < len(s) && s[i] == ',' {
		i++
		i += digits(s[i:])
	}
	if i < len(s) && s[i] == '}' {
		return i + 1
	}
	return 0
}

func digits(s string) int {
	i := 0
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	return i
}

func (t *translator) group() error {
	rest := t.rest()
	switch {
	case strings.HasPrefix(rest, "?:"):
		t.out.WriteString("(?:")
		t.i += 2
	case strings.HasPrefix(rest, "?="), strings.HasPrefix(rest, "?!"):
		return errors.New("look-ahead is not supported")
	case strings.HasPrefix(rest, "?<="), strings.HasPrefix(rest, "?<!"):
		return errors.New("look-behind is not supported")
	case strings.HasPrefix(rest, "?<"):
		name, _, ok := strings.Cut(rest[2:], ">")
		if !ok || name == "" {
			return errors.New("a group's name has no end")
		}
		t.out.WriteString("(") // names are of use to back references only
		t.i += len(name) + 3
	case strings.HasPrefix(rest, "?"):
		return errors.New("unknown kind of group")
	default:
		t.out.WriteString("(")
	}
	return nil
}

// escape translates what follows a backslash outside of a class.
func (t *translator) escape() error {
	if t.i >= len(t.src) {
		return errEnd
	}
	switch c := t.src[t.i]; c {
	case 'b', 'B':
		t.i++
		t.out.WriteString(`\` + string(c))
		return nil
	case 's', 'S':
		t.i++
		if c == 's' {
			t.out.WriteString(`[` + spaceClass + `]`)
		} else {
			t.out.WriteString(`[` + otherClass + `]`)
		}
		return nil
	case '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return errBackRef
	case 'k':
		if t.unicode || strings.Contains(t.src, "(?<") {
			return errBackRef
		}
	}
	r, set, err := t.char()
	switch {
	case err != nil:
		return err
	case set != "":
		t.out.WriteString(set)
	default:
		t.literal(r)
	}
	return nil
}

// char reads what follows a backslash and means the same in and out of classes:
// one character, or a set in Go's words.
func (t *translator) char() (r rune, set string, err error) {
	c, err := t.next()
	if err != nil {
		return 0, "", err
	}
	switch c {
	case 'd', 'D', 'w', 'W':
		return 0, `\` + string(c), nil
	case 'p', 'P':
		if end := strings.IndexByte(t.rest(), '}'); t.unicode && end > 0 && t.src[t.i] == '{' {
			set = `\` + string(c) + t.src[t.i:t.i+end+1]
			t.i += end + 1
			return 0, set, nil
		}
	case 't':
		return '\t', "", nil
	case 'n':
		return '\n', "", nil
	case 'v':
		return '\v', "", nil
	case 'f':
		return '\f', "", nil
	case 'r':
		return '\r', "", nil
	case '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		if c != '0' || digits(t.rest()) > 0 {
			return 0, "", errors.New("octal escapes are not supported")
		}
		return 0, "", nil
	case 'c':
		if rest := t.rest(); rest != "" && (rest[0]|0x20 >= 'a' && rest[0]|0x20 <= 'z') {
			t.i++
			return rune(rest[0] & 0x1F), "", nil
		}
		t.i-- // the backslash stands for itself
		return '\\', "", nil
	case 'x':
		if r, ok := t.hex(2); ok {
			return r, "", nil
		}
	case 'u':
		return t.codePoint()
	}
	return c, "", nil
}

// codePoint reads what follows \u.
func (t *translator) codePoint() (rune, string, error) {
	if end := strings.IndexByte(t.rest(), '}'); t.unicode && end > 1 && t.src[t.i] == '{' {
		n, err := strconv.ParseUint(t.src[t.i+1:t.i+end], 16, 32)
		if err != nil || n > utf8.MaxRune {
			return 0, "", errors.New(`\u{…} is no character`)
		}
		t.i += end + 1
		return t.whole(rune(n))
	}
	r, ok := t.hex(4)
	if !ok {
		return 'u', "", nil
	}
	if r >= 0xD800 && r < 0xDC00 && strings.HasPrefix(t.rest(), `\u`) {
		at := t.i
		t.i += 2
		if low, ok := t.hex(4); ok && low >= 0xDC00 && low < 0xE000 {
			return 0x10000 + (r-0xD800)<<10 + (low - 0xDC00), "", nil
		}
		t.i = at
	}
	return t.whole(r)
}

func (t *translator) whole(r rune) (rune, string, error) {
	if r >= 0xD800 && r < 0xE000 {
		return 0, "", errSurrogate
	}
	return r, "", nil
}

func (t *translator) hex(n int) (rune, bool) {
	if t.i+n > len(t.src) {
		return 0, false
	}
	v, err := strconv.ParseUint(t.src[t.i:t.i+n], 16, 32)
	if err != nil {
		return 0, false
	}
	t.i += n
	return rune(v), true
}

// class translates a class, whose bracket has been read.
func (t *translator) class() error {
	negated := strings.HasPrefix(t.rest(), "^")
	if negated {
		t.i++
	}
	if strings.HasPrefix(t.rest(), "]") { // ECMAScript closes it here
		t.i++
		if negated {
			t.out.WriteString(`(?s:.)`)
		} else {
			t.out.WriteString(`[^\x{0}-\x{10ffff}]`)
		}
		return nil
	}
	t.out.WriteByte('[')
	if negated {
		t.out.WriteByte('^')
	}
	for {
		if t.i >= len(t.src) {
			return errors.New("a class has no end")
		}
		if t.src[t.i] == ']' {
			t.i++
			t.out.WriteByte(']')
			return nil
		}
		if err := t.classItem(); err != nil {
			return err
		}
	}
}

// classItem translates a character, a set or a range.
func (t *translator) classItem() error {
	low, set, err := t.classAtom()
	if err != nil {
		return err
	}
	rest := t.rest()
	if len(rest) < 2 || rest[0] != '-' || rest[1] == ']' {
		t.classWrite(low, set)
		return nil
	}
	t.i++
	high, highSet, err := t.classAtom()
	switch {
	case err != nil:
		return err
	case set != "" || highSet != "": // no range after all
		t.classWrite(low, set)
		t.literal('-')
		t.classWrite(high, highSet)
	case low > high:
		return errors.New("a range in a class runs backwards")
	default:
		t.literal(low)
		t.out.WriteByte('-')
		t.literal(high)
	}
	return nil
}

func (t *translator) classWrite(r rune, set string) {
	if set != "" {
		t.out.WriteString(set)
	} else {
		t.literal(r)
	}
}

func (t *translator) classAtom() (rune, string, error) {
	r, err := t.next()
	if err != nil || r != '\\' {
		return r, "", err
	}
	if t.i >= len(t.src) {
		return 0, "", errEnd
	}
	switch t.src[t.i] {
	case 'b':
		t.i++
		return '\b', "", nil
	case 's':
		t.i++
		return 0, spaceClass, nil
	case 'S':
		t.i++
		return 0, otherClass, nil
	}
	return t.char()
}
