package builtin

import (
	"errors"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// glob is a pattern for paths below a folder. Without a slash it is for names at
// any depth.
type glob struct {
	pattern    string
	negated    bool
	folders    bool // and nothing else
	ignoreCase bool
}

// newFileGlob reads a pattern that chooses files: an exclamation mark negates,
// and the name of a folder with a slash means all that is in it.
func newFileGlob(pattern string) (*glob, error) {
	g := &glob{}
	p, folder := strings.CutSuffix(pattern, "/")
	p, g.negated = strings.CutPrefix(p, "!")
	g.pattern = anchored(p)
	if folder {
		g.pattern += "/**"
	}
	return g, g.check(pattern)
}

// newNameGlob reads a pattern that chooses files and folders. One without
// capitals ignores case, one with a slash at the end is for folders only.
func newNameGlob(pattern string) (*glob, error) {
	g := &glob{}
	p, folders := strings.CutSuffix(pattern, "/")
	g.pattern, g.folders = anchored(p), folders
	g.ignoreCase = strings.ToLower(p) == p
	return g, g.check(pattern)
}

func anchored(pattern string) string {
	pattern = strings.TrimPrefix(pattern, "./")
	if !strings.Contains(pattern, "/") {
		return "**/" + pattern
	}
	return strings.TrimPrefix(pattern, "/")
}

func (g *glob) check(pattern string) error {
	if pattern == "" || !doublestar.ValidatePattern(g.pattern) {
		return errors.New("not a glob pattern")
	}
	return nil
}

// match reports whether a path, with forward slashes, is meant.
func (g *glob) match(rel string, folder bool) bool {
	if g.folders && !folder {
		return false
	}
	if g.ignoreCase {
		rel = strings.ToLower(rel)
	}
	return doublestar.MatchUnvalidated(g.pattern, rel) != g.negated
}
