package resource

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// splitArgs cuts what stands behind the name of a template. A quote keeps blanks
// if it begins an argument and has an end; in it a backslash keeps a quote of its
// kind. All else is text, so that "don't" needs no care
// (docs/spec/frontends.md H-45).
func splitArgs(s string) []string {
	var args []string
	for s = strings.TrimLeftFunc(s, unicode.IsSpace); s != ""; s = strings.TrimLeftFunc(s, unicode.IsSpace) {
		var arg string
		if s[0] == '"' || s[0] == '\'' {
			if text, n := quoted(s); n > 0 {
				arg, s = text, s[n:]
			}
		}
		end := strings.IndexFunc(s, unicode.IsSpace)
		if end < 0 {
			end = len(s)
		}
		args = append(args, arg+s[:end])
		s = s[end:]
	}
	return args
}

// quoted reads a quoted text and returns how long it is with its quotes, 0 if it
// has no end.
func quoted(s string) (text string, n int) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s) && s[i+1] == s[0]:
			i++
			b.WriteByte(s[i])
		case s[i] == s[0]:
			return b.String(), i + 1
		default:
			b.WriteByte(s[i])
		}
	}
	return "", 0
}

// fill puts arguments into a text, from left to right; what was put in is not
// looked at again.
func fill(text string, args []string) string {
	var b strings.Builder
	for {
		i := strings.IndexByte(text, '$')
		if i < 0 {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(text[:i])
		text = text[i:]
		value, n := placeholder(text, args)
		if n == 0 {
			value, n = "$", 1
		}
		b.WriteString(value)
		text = text[n:]
	}
}

// placeholder returns the value of the placeholder that a text begins with, and
// the length of its name; 0 if it is none.
func placeholder(s string, args []string) (value string, n int) {
	rest := s[1:]
	switch {
	case strings.HasPrefix(rest, "@"):
		return strings.Join(args, " "), 2
	case strings.HasPrefix(rest, "ARGUMENTS"):
		return strings.Join(args, " "), 1 + len("ARGUMENTS")
	case strings.HasPrefix(rest, "{"):
		end := strings.IndexByte(rest, '}')
		if end < 0 {
			return "", 0
		}
		value, ok := braced(rest[1:end], args)
		if !ok {
			return "", 0
		}
		return value, 1 + end + 1
	}
	d := digits(rest)
	if d == 0 {
		return "", 0
	}
	return nth(args, rest[:d]), 1 + d
}

// braced returns the value of what stands between ${ and }.
func braced(s string, args []string) (string, bool) {
	if name, def, ok := strings.Cut(s, ":-"); ok {
		var value string
		switch {
		case name == "@", name == "ARGUMENTS":
			value = strings.Join(args, " ")
		case name != "" && digits(name) == len(name):
			value = nth(args, name)
		default:
			return "", false
		}
		if value == "" {
			value = def
		}
		return value, true
	}
	part, ok := strings.CutPrefix(s, "@:")
	if !ok {
		return "", false
	}
	from, count, limited := strings.Cut(part, ":")
	if from == "" || digits(from) != len(from) || limited && (count == "" || digits(count) != len(count)) {
		return "", false
	}
	args = args[min(max(number(from)-1, 0), len(args)):]
	if limited {
		args = args[:min(number(count), len(args))]
	}
	return strings.Join(args, " "), true
}

func digits(s string) int { return len(s) - len(strings.TrimLeft(s, "0123456789")) }

// number reads digits; what is too large for any list of arguments is large.
func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return int(^uint(0) >> 1)
	}
	return n
}

func nth(args []string, digits string) string {
	if n := number(digits); n >= 1 && n <= len(args) {
		return args[n-1]
	}
	return ""
}

// firstWord cuts a line at its first blank.
func firstWord(s string) (word, rest string) {
	i := strings.IndexFunc(s, unicode.IsSpace)
	if i < 0 {
		return s, ""
	}
	_, n := utf8.DecodeRuneInString(s[i:])
	return s[:i], s[i+n:]
}
