package permission

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/boughdev/bough/tool"
)

// Rule is a pattern for calls:
//
//	bash(git status *)    commands; "*" is any text, and " *" at the end may be nothing
//	write(src/**)         files, as seen from the folder of the session
//	read(~/notes/**)      read and edit stand for all tools that read or change files
//	mcp__github__*        tools, whatever they are called with
type Rule struct {
	name string
	arg  string // what stands in brackets
	has  bool   // there are brackets
}

// ParseRule reads a rule.
func ParseRule(s string) (Rule, error) {
	s = strings.TrimSpace(s)
	name, arg, has := strings.Cut(s, "(")
	name = strings.TrimSpace(name)
	switch {
	case s == "":
		return Rule{}, errors.New("a rule is empty; it is the name of a tool, such as bash(git status *)")
	case name == "" || strings.ContainsAny(name, ") \t\n"):
		return Rule{}, fmt.Errorf("%q is no rule; it is the name of a tool, such as bash(git status *)", s)
	case has && !strings.HasSuffix(arg, ")"):
		return Rule{}, fmt.Errorf("%q has no bracket at its end", s)
	}
	r := Rule{name: name, arg: strings.TrimSpace(strings.TrimSuffix(arg, ")")), has: has}
	if has && r.arg == "" {
		return Rule{}, fmt.Errorf("%q has nothing in its brackets; without them it is about all calls", s)
	}
	if r.arg == "*" || r.arg == "**" && r.name == "bash" {
		r.arg, r.has = "", false
	}
	if r.has && r.name != "bash" && r.name != "powershell" && !doublestar.ValidatePattern(filepath.ToSlash(r.arg)) {
		return Rule{}, fmt.Errorf("%q has no pattern of files in its brackets", s)
	}
	return r, nil
}

func (r Rule) String() string {
	if r.has {
		return r.name + "(" + r.arg + ")"
	}
	return r.name
}

// names reports whether a rule is about the tool of a call.
func (r Rule) names(c Call) bool {
	switch {
	case wildcard(r.name, c.Tool), c.Effect.Tool != "" && wildcard(r.name, c.Effect.Tool):
		return true
	case r.name == "read":
		return c.Kind == tool.Reads && len(c.Files) > 0
	case r.name == "edit":
		return c.Kind == tool.Changes
	}
	return false
}

// first returns the first rule that holds for a call, or for a part of its command.
// Where it cannot be told, one about tools of others holds.
func (x *judged) first(rules []Rule) (Rule, bool) {
	i := slices.IndexFunc(rules, func(r Rule) bool {
		switch {
		case !r.names(x.Call):
			return false
		case !r.has:
			return true
		case x.Kind == tool.Runs:
			return matchCommand(r.arg, strings.TrimSpace(x.Command)) ||
				slices.ContainsFunc(x.shell.runs, func(c string) bool { return matchCommand(r.arg, c) })
		case x.Kind == tool.Anything:
			return true
		}
		return slices.ContainsFunc(x.Files, func(f tool.File) bool {
			return x.matches(r.arg, f.Path, true) || x.matches(r.arg, f.Real, true)
		})
	})
	if i < 0 {
		return Rule{}, false
	}
	return rules[i], true
}

// allowed reports whether rules allow a call: all its files, and all parts of its
// command that do more than read.
func (x *judged) allowed(rules []Rule) bool {
	rules = slices.DeleteFunc(slices.Clone(rules), func(r Rule) bool {
		if x.Effect.Tool != "" { // what is called in truth must be allowed
			return !wildcard(r.name, x.Effect.Tool)
		}
		return !r.names(x.Call)
	})
	if slices.ContainsFunc(rules, func(r Rule) bool { return !r.has }) {
		return true
	}
	if len(rules) == 0 {
		return false
	}
	switch x.Kind {
	case tool.Runs:
		if !x.shell.plain {
			return slices.ContainsFunc(rules, func(r Rule) bool {
				text, exact := literal(r.arg)
				return exact && text == strings.TrimSpace(x.Command)
			})
		}
		return x.eachPart(func(s simple, reads bool) bool {
			return reads || slices.ContainsFunc(rules, func(r Rule) bool { return matchCommand(r.arg, s.text) })
		})
	case tool.Reads, tool.Changes:
		for _, f := range x.Files {
			if !slices.ContainsFunc(rules, func(r Rule) bool {
				return x.matches(r.arg, f.Real, false) && (x.Kind == tool.Reads || !f.Names && x.meant(r, f))
			}) {
				return false
			}
		}
		return len(x.Files) > 0
	}
	return false
}

// meant reports whether a rule names the folder of a file that may be run later, if the
// file lies in one.
func (x *judged) meant(r Rule, f tool.File) bool {
	part := x.special(f.Real)
	return part == "" || strings.Contains(strings.ToLower(r.arg), strings.ToLower(part))
}

// unclear reports whether there are rules about commands, and it cannot be told
// whether one of them holds.
func (x *judged) unclear() bool {
	if x.Kind != tool.Runs {
		return false
	}
	return slices.ContainsFunc(slices.Concat(x.Deny, x.Ask), func(r Rule) bool {
		if !r.has || !r.names(x.Call) {
			return false
		}
		name, _, _ := strings.Cut(r.arg, " ")
		return !x.shell.ok || x.shell.dynamic || len(x.shell.open) > 0 && strings.Contains(name, "*") ||
			slices.ContainsFunc(x.shell.open, func(n string) bool { return wildcard(name, n) })
	})
}

// like are the rules that would allow a call and its like, nil if there are none that
// a person could weigh.
func (x *judged) like() []Rule {
	switch x.Kind {
	case tool.Runs:
		return x.likeCommand()
	case tool.Reads, tool.Changes:
		name := "read"
		if x.Kind == tool.Changes {
			name = "edit"
		}
		var out []Rule
		for _, f := range x.Files {
			if f.Real == "" || f.Names && x.Kind == tool.Changes {
				return nil
			}
			arg := "**"
			if !x.inside(f.Real) {
				arg = escape(filepath.ToSlash(filepath.Dir(f.Real))) + "/**"
			} else if x.Kind == tool.Changes && x.beyond() != "" {
				rel, _ := filepath.Rel(x.real, f.Real) // it is inside
				arg = escape(filepath.ToSlash(rel))
			}
			out = append(out, Rule{name, arg, true})
		}
		return out
	}
	name := x.Call.Tool
	if x.Effect.Tool != "" {
		name = x.Effect.Tool
	}
	return []Rule{{name: name}}
}

// matches holds a path against a pattern of files, which is meant as it is written and
// with the links in it followed.
func (x *judged) matches(pattern, path string, fold bool) bool {
	dir := x.real
	switch {
	case (pattern == "~" || strings.HasPrefix(pattern, "~/")) && x.Home != "":
		dir, pattern = realDir(x.Home), strings.TrimPrefix(pattern[1:], "/")
	case filepath.IsAbs(pattern) || strings.HasPrefix(pattern, "/"):
		pattern = filepath.ToSlash(pattern)
		if matchPath(pattern, path, fold) {
			return true
		}
		var base string
		base, pattern = doublestar.SplitPattern(pattern)
		dir = realDir(filepath.FromSlash(base))
	}
	whole := strings.TrimSuffix(escape(filepath.ToSlash(dir)), "/") + "/" + strings.TrimPrefix(pattern, "./")
	return matchPath(strings.TrimSuffix(whole, "/"), path, fold)
}

// matchPath holds a path against a pattern. fold takes letters of either case.
func matchPath(pattern, path string, fold bool) bool {
	if path == "" {
		return false
	}
	path = filepath.ToSlash(path)
	if fold {
		pattern, path = strings.ToLower(pattern), strings.ToLower(path)
	}
	ok, err := doublestar.Match(pattern, path)
	return ok && err == nil
}

// matchCommand holds the text of a command against a pattern.
func matchCommand(pattern, text string) bool {
	if short, ok := strings.CutSuffix(pattern, " *"); ok && wildcard(short, text) {
		return true
	}
	return wildcard(pattern, text)
}

// wildcard holds a text against a pattern in which "*" is any text and a backslash
// stands before a character that is meant as it is.
func wildcard(pattern, s string) bool {
	// back is where to go on in both after the last star, if what follows does not fit.
	p, i, backP, backI := 0, 0, -1, 0
	for i < len(s) || p < len(pattern) {
		if p < len(pattern) && pattern[p] == '*' {
			p++
			backP, backI = p, i
			continue
		}
		n := 1
		c := byte(0)
		if p < len(pattern) {
			if c = pattern[p]; c == '\\' && p+1 < len(pattern) {
				c, n = pattern[p+1], 2
			}
		}
		if p < len(pattern) && i < len(s) && c == s[i] {
			p, i = p+n, i+1
			continue
		}
		if backP < 0 || backI >= len(s) {
			return false
		}
		backI++
		p, i = backP, backI
	}
	return true
}

// literal returns the text that a pattern without stars is for.
func literal(pattern string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '*':
			return "", false
		case c == '\\' && i+1 < len(pattern):
			i++
			b.WriteByte(pattern[i])
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), true
}

// escape takes characters of a text that patterns have meanings for as they are.
func escape(s string) string {
	if !strings.ContainsAny(s, `*?[]{}\`) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if strings.ContainsRune(`*?[]{}\`, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Below is the pattern of all that is in a folder.
func Below(dir string) string { return escape(filepath.ToSlash(dir)) + "/**" }
