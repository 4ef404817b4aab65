package workspace

import "strings"

// Ignore is what one ignore file says, for those who walk folders by themselves.
type Ignore struct{ r rules }

// ParseIgnore reads the text of an ignore file of the folder base, a path with
// forward slashes.
func ParseIgnore(base, text string) Ignore {
	g := Ignore{rules{base: withSlash(base)}}
	for line := range strings.Lines(strings.TrimPrefix(text, "\uFEFF")) {
		if p, ok := parsePattern(line); ok {
			g.r.patterns = append(g.r.patterns, p)
		}
	}
	return g
}

// Says reports whether the file leaves out path, which lies below its folder and
// has forward slashes; decided is false if it says nothing of it.
func (g Ignore) Says(path string, dir bool) (out, decided bool) {
	if !strings.HasPrefix(path, g.r.base) {
		return false, false
	}
	v := g.r.match(path, path[strings.LastIndexByte(path, '/')+1:], dir)
	return v == ignored, v != silent
}
