package workspace

import "strings"

// pattern is one line of an ignore file, as gitignore(5) has it.
type pattern struct {
	negated, dirOnly bool

	kind     patternKind
	text     string
	segments []string // of pathGlob, what comes after text
}

type patternKind int

const (
	nameLiteral patternKind = iota // the name is text
	nameSuffix                     // the name ends in text
	nameGlob                       // the name fits text
	pathGlob                       // the path begins with text, what follows fits segments
)

// special are the characters that make a pattern more than a name.
const special = `*?[\`

// parsePattern reads a line; false means that it says nothing.
func parsePattern(line string) (pattern, bool) {
	var p pattern
	if s, ok := strings.CutSuffix(line, "\n"); ok {
		line = strings.TrimSuffix(s, "\r")
	}
	line = trimBlanks(line)
	if strings.HasPrefix(line, "#") {
		return p, false
	}
	line, p.negated = strings.CutPrefix(line, "!")
	line, p.dirOnly = strings.CutSuffix(line, "/")
	if line == "" {
		return p, false
	}
	if strings.Contains(line, "/") {
		// As in git, the plain beginning is taken off even in the middle of a
		// part, so that a** behind it counts as **.
		p.kind = pathGlob
		line = strings.TrimPrefix(line, "/")
		end := strings.IndexAny(line, special)
		if end < 0 {
			p.text = line
			return p, true
		}
		p.text = line[:end]
		p.segments = strings.Split(line[end:], "/")
		for i, s := range p.segments {
			if len(s) > 2 && strings.Trim(s, "*") == "" {
				p.segments[i] = "**" // so many stars are no more than two
			}
		}
		return p, true
	}
	p.text = line
	switch {
	case !strings.ContainsAny(line, special):
		p.kind = nameLiteral
	case line[0] == '*' && !strings.ContainsAny(line[1:], special):
		p.kind, p.text = nameSuffix, line[1:]
	default:
		p.kind = nameGlob
	}
	return p, true
}

// trimBlanks cuts blanks from the end, up to one that is escaped.
func trimBlanks(s string) string {
	t := strings.TrimRight(s, " ")
	escapes := len(t) - len(strings.TrimRight(t, `\`))
	if len(t) < len(s) && escapes%2 == 1 {
		t += " "
	}
	return t
}

// match reports whether a path, relative to the pattern's folder, or its last
// part, name, fits.
func (p *pattern) match(rel, name string) bool {
	switch p.kind {
	case nameLiteral:
		return name == p.text
	case nameSuffix:
		return strings.HasSuffix(name, p.text)
	case nameGlob:
		return fits(p.text, name)
	}
	rel, ok := strings.CutPrefix(rel, p.text)
	return ok && matchPath(p.segments, rel)
}

// matchPath matches part by part; a ** stands for any number of them, at the
// end for at least one.
func matchPath(segments []string, rel string) bool {
	if segments == nil {
		return rel == ""
	}
	at := parts{rel, true}
	var retry []string // what comes after the last **
	var from parts     // what that ** has not eaten yet
	for {
		if len(segments) > 0 && segments[0] == "**" {
			if segments = segments[1:]; len(segments) == 0 {
				return at.more
			}
			retry, from = segments, at
			continue
		}
		if len(segments) == 0 && !at.more {
			return true
		}
		if len(segments) > 0 && at.more {
			part, rest := at.cut()
			if fits(segments[0], part) {
				segments, at = segments[1:], rest
				continue
			}
		}
		if retry == nil || !from.more {
			return false
		}
		_, from = from.cut()
		segments, at = retry, from
	}
}

// parts are what is left of a path; there may be one that is empty.
type parts struct {
	text string
	more bool
}

func (p parts) cut() (first string, rest parts) {
	first, rest.text, rest.more = strings.Cut(p.text, "/")
	return first, rest
}

// fits matches one name byte by byte, as git does.
func fits(glob, name string) bool {
	var afterStar string
	var star bool
	var from string // what the last * has not eaten yet
	for {
		if glob != "" && glob[0] == '*' {
			glob = glob[1:]
			star, afterStar, from = true, glob, name
			continue
		}
		if glob == "" && name == "" {
			return true
		}
		if glob != "" && name != "" {
			if n, ok := fitsOne(glob, name[0]); ok {
				glob, name = glob[n:], name[1:]
				continue
			}
		}
		if !star || from == "" {
			return false
		}
		from = from[1:]
		glob, name = afterStar, from
	}
}

// fitsOne matches the first element of a glob, which is no *, and returns its
// length.
func fitsOne(glob string, c byte) (int, bool) {
	switch glob[0] {
	case '?':
		return 1, true
	case '[':
		return fitsClass(glob, c)
	case '\\':
		if len(glob) < 2 {
			return 0, false
		}
		return 2, glob[1] == c
	}
	return 1, glob[0] == c
}

// fitsClass matches a class in brackets. One that has no end fits nothing.
func fitsClass(glob string, c byte) (int, bool) {
	i := 1
	negated := i < len(glob) && (glob[i] == '!' || glob[i] == '^')
	if negated {
		i++
	}
	found := false
	for first := true; ; first = false {
		if i >= len(glob) {
			return 0, false
		}
		if glob[i] == ']' && !first {
			return i + 1, found != negated
		}
		if strings.HasPrefix(glob[i:], "[:") {
			if end := strings.Index(glob[i+2:], ":]"); end >= 0 {
				in, known := inClass(glob[i+2:i+2+end], c)
				if !known {
					return 0, false
				}
				found = found || in
				i += end + 4
				continue
			}
		}
		low, n := classByte(glob[i:])
		if n == 0 {
			return 0, false
		}
		i += n
		high := low
		if i+1 < len(glob) && glob[i] == '-' && glob[i+1] != ']' {
			high, n = classByte(glob[i+1:])
			if n == 0 {
				return 0, false
			}
			i += 1 + n
		}
		found = found || low <= c && c <= high
	}
}

func classByte(s string) (byte, int) {
	if s[0] != '\\' {
		return s[0], 1
	}
	if len(s) < 2 {
		return 0, 0
	}
	return s[1], 2
}

// inClass reports whether c is in a POSIX class.
func inClass(class string, c byte) (in, known bool) {
	upper, lower, digit := c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z', c >= '0' && c <= '9'
	switch class {
	case "alnum":
		return upper || lower || digit, true
	case "alpha":
		return upper || lower, true
	case "blank":
		return c == ' ' || c == '\t', true
	case "cntrl":
		return c < ' ' || c == 0x7F, true
	case "digit":
		return digit, true
	case "graph":
		return c > ' ' && c < 0x7F, true
	case "lower":
		return lower, true
	case "print":
		return c >= ' ' && c < 0x7F, true
	case "punct":
		return c > ' ' && c < 0x7F && !upper && !lower && !digit, true
	case "space":
		return c == ' ' || c >= '\t' && c <= '\r', true
	case "upper":
		return upper, true
	case "xdigit":
		return digit || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F', true
	}
	return false, false
}
