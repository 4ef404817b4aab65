package workspace

import (
	"bytes"
	"context"
	"io"
	"path/filepath"
	"strings"
)

// maxRules bounds the size of an ignore file that is obeyed, in bytes.
const maxRules = 1 << 20

// rules are those of one ignore file.
type rules struct {
	base     string // the folder they are for, with forward slashes and one at the end
	patterns []pattern
}

// verdict is what rules say of a file.
type verdict int

const (
	silent verdict = iota
	ignored
	kept // by a pattern with an exclamation mark
)

// match looks for the last pattern that fits. full is below base.
func (r *rules) match(full, name string, dir bool) verdict {
	for i := len(r.patterns) - 1; i >= 0; i-- {
		p := &r.patterns[i]
		if p.dirOnly && !dir || !p.match(full[len(r.base):], name) {
			continue
		}
		if p.negated {
			return kept
		}
		return ignored
	}
	return silent
}

// level is a folder with rules, and those above it. Rules of git reach from the
// root of a repository to where the next one begins inside it; those of .ignore
// files reach on, and go before them.
type level struct {
	above   *level
	own     *rules // .ignore
	git     *rules // .gitignore
	exclude *rules // .git/info/exclude
	repo    bool   // a repository begins here
}

// ignores reports whether the rules leave out a file or folder.
func (l *level) ignores(full, name string, dir bool) bool {
	for at := l; at != nil; at = at.above {
		if at.own != nil {
			if v := at.own.match(full, name, dir); v != silent {
				return v == ignored
			}
		}
	}
	for at := l; at != nil; at = at.above {
		if at.git != nil {
			if v := at.git.match(full, name, dir); v != silent {
				return v == ignored
			}
		}
		if at.repo {
			return at.exclude != nil && at.exclude.match(full, name, dir) == ignored
		}
	}
	return false
}

// enter returns the level of the folder base, which has the names that has
// reports.
func enter(ctx context.Context, ws Workspace, above *level, base string, has func(name string) bool) *level {
	l := level{above: above}
	if has(".ignore") {
		l.own = readRules(ctx, ws, base, base+".ignore")
	}
	if has(".gitignore") {
		l.git = readRules(ctx, ws, base, base+".gitignore")
	}
	if has(".git") {
		l.repo = true
		l.exclude = readRules(ctx, ws, base, gitDir(ctx, ws, base)+"/info/exclude")
	}
	if l.own == nil && l.git == nil && !l.repo {
		return above
	}
	return &l
}

// gitDir returns the folder that the work trees of a repository share.
func gitDir(ctx context.Context, ws Workspace, base string) string {
	dir := base + ".git"
	text, ok := slurp(ctx, ws, dir)
	if !ok {
		return dir
	}
	to, ok := strings.CutPrefix(text, "gitdir:")
	if !ok {
		return dir
	}
	dir = slashJoin(base, strings.TrimSpace(to))
	if common, ok := slurp(ctx, ws, dir+"/commondir"); ok {
		return slashJoin(dir, strings.TrimSpace(common))
	}
	return dir
}

func slashJoin(dir, name string) string {
	return filepath.ToSlash(join(filepath.FromSlash(dir), filepath.FromSlash(name)))
}

func readRules(ctx context.Context, ws Workspace, base, file string) *rules {
	text, ok := slurp(ctx, ws, file)
	if !ok {
		return nil
	}
	r := &rules{base: base}
	for line := range strings.Lines(strings.TrimPrefix(text, "\uFEFF")) {
		if p, ok := parsePattern(line); ok {
			r.patterns = append(r.patterns, p)
		}
	}
	if len(r.patterns) == 0 {
		return nil
	}
	return r
}

// slurp reads a small file. One that cannot be read counts as absent, as for
// git.
func slurp(ctx context.Context, ws Workspace, name string) (string, bool) {
	f, err := ws.Open(ctx, filepath.FromSlash(name))
	if err != nil {
		return "", false
	}
	defer f.Close()
	var b bytes.Buffer
	if _, err := io.Copy(&b, io.LimitReader(f, maxRules)); err != nil {
		return "", false
	}
	return b.String(), true
}
