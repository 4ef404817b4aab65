// Package permission decides whether a tool call is run, refused, or asked about
// first: plain data in, a decision out (docs/permissions.md).
//
// It guards against mistakes, not against malice: what a command does that is allowed
// is its own affair, and no call is shut in.
package permission

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/boughdev/bough/tool"
)

// Mode is how much is done without a question.
type Mode string

// The modes.
const (
	Auto     Mode = "auto"      // everything
	AutoEdit Mode = "auto-edit" // reading, and changing files in the folder
	Ask      Mode = "ask"       // reading in the folder
	ReadOnly Mode = "read-only" // reading in the folder; what changes something is refused
)

// Modes are all of them, the freest first.
func Modes() []Mode { return []Mode{Auto, AutoEdit, Ask, ReadOnly} }

// Words say what a mode does, for people.
func (m Mode) Words() string {
	switch m {
	case AutoEdit:
		return "changes files in this folder without asking; asks before commands and other tools"
	case Ask:
		return "asks before anything that changes, runs or reaches out"
	case ReadOnly:
		return "refuses what changes something"
	}
	return "never asks"
}

// Known reports whether there is such a mode.
func (m Mode) Known() bool { return slices.Contains(Modes(), m) }

// ModeNames are the names of all of them, for people.
func ModeNames() string {
	var names []string
	for _, m := range Modes() {
		names = append(names, string(m))
	}
	return strings.Join(names, ", ")
}

// Policy is what calls are held against.
type Policy struct {
	Mode Mode // "": Auto

	// Of rules that fit, one of Deny counts before all others, then one of Session,
	// which people have allowed on the way, then one of Ask.
	Allow, Ask, Deny, Session []Rule

	Dir  string   // the folder of the session, as it was named
	Home string   // of the user; ""
	Open []string // what may be read elsewhere: paths, and patterns as rules have them

	// Path is where commands are looked for. CDPath says that cd goes elsewhere.
	Path   string
	CDPath bool
}

// Call is a call that somebody wants to make.
type Call struct {
	Tool string
	tool.Effect
}

// Verdict is what becomes of a call.
type Verdict string

// The verdicts.
const (
	Allowed Verdict = "allow"
	Asked   Verdict = "ask"
	Denied  Verdict = "deny"
)

// Decision is what was decided.
type Decision struct {
	Verdict
	Reason string // "it changes a file"; "" if it is allowed
	Rules  []Rule // of those asked about: what would allow it and its like
}

// Idle reports whether the policy allows everything.
func (p *Policy) Idle() bool {
	return (p.Mode == "" || p.Mode == Auto) && len(p.Ask)+len(p.Deny) == 0
}

// Decide decides on a call.
func (p *Policy) Decide(c Call) Decision {
	if p.Idle() {
		return Decision{Verdict: Allowed}
	}
	x := &judged{Policy: p, Call: c, real: realDir(p.Dir)}
	if c.Kind == tool.Runs && c.Shell == "sh" {
		x.shell = readShell(c.Command)
	}
	if r, ok := x.first(p.Deny); ok {
		return Decision{Verdict: Denied, Reason: fmt.Sprintf("the rule %s forbids it", r)}
	}
	verdict, reason := x.byMode()
	if verdict == Denied {
		if c.Kind != tool.Changes && (x.allowed(p.Allow) || x.allowed(p.Session)) {
			return Decision{Verdict: Allowed}
		}
		return Decision{Verdict: Denied, Reason: reason}
	}
	if x.allowed(p.Session) {
		return Decision{Verdict: Allowed}
	}
	switch r, ok := x.first(p.Ask); {
	case ok:
		verdict, reason = Asked, fmt.Sprintf("the rule %s wants a question", r)
	case x.unclear():
		verdict, reason = Asked, "it cannot be told what this command runs, so not whether a rule forbids it"
	case verdict == Asked && x.allowed(p.Allow):
		verdict = Allowed
	}
	if verdict == Allowed {
		return Decision{Verdict: Allowed}
	}
	return Decision{Verdict: Asked, Reason: reason, Rules: x.like()}
}

// judged is a call that is being decided on.
type judged struct {
	*Policy
	Call
	real  string // where links in Dir lead
	shell shellText
}

// byMode is what the mode has for the call.
func (x *judged) byMode() (Verdict, string) {
	refuses := Asked
	if x.Mode == ReadOnly {
		refuses = Denied
	}
	switch x.Kind {
	case tool.Reads:
		if x.Mode != Auto && x.Mode != "" && slices.ContainsFunc(x.Files, func(f tool.File) bool { return !x.readable(f.Real) }) {
			return Asked, "it reads outside of the folder of this session"
		}
		return Allowed, ""
	case tool.Changes:
		switch why := x.beyond(); {
		case x.Mode == Auto || x.Mode == "":
			return Allowed, ""
		case why != "":
			return refuses, why
		case x.Mode == AutoEdit:
			return Allowed, ""
		}
		return refuses, "it changes a file"
	case tool.Runs:
		if x.Mode == Auto || x.Mode == "" || x.onlyReads() {
			return Allowed, ""
		}
		return refuses, "it runs a command"
	}
	if x.Mode == Auto || x.Mode == "" {
		return Allowed, ""
	}
	return refuses, "it is not known to bough what this tool does"
}

// beyond says why a change of files is none of ordinary files of the folder, "" if it
// is one.
func (x *judged) beyond() string {
	if len(x.Files) == 0 {
		return "it is not known which file it changes"
	}
	for _, f := range x.Files {
		switch {
		case !x.inside(f.Real):
			return "it changes a file outside of the folder of this session"
		case f.Names:
			return "the file it changes has other names too (hard links)"
		}
		if part := x.special(f.Real); part != "" {
			return fmt.Sprintf("what is in %s may be run later", part)
		}
	}
	return ""
}

// special returns the folder of a file in the folder of the session that programs take
// settings and scripts from, "" if it is in none.
func (x *judged) special(real string) string {
	rel, err := filepath.Rel(x.real, real)
	if err != nil {
		return ""
	}
	for part := range strings.SplitSeq(filepath.ToSlash(rel), "/") {
		if slices.Contains([]string{".git", ".pi", ".agents"}, strings.ToLower(part)) {
			return part
		}
	}
	return ""
}

// inside reports whether a path without links is in the folder of the session. The
// home of the user is not taken for a folder to work in.
func (x *judged) inside(real string) bool {
	if x.real == "" || x.Home != "" && below(realDir(x.Home), x.real) {
		return false
	}
	return below(real, x.real)
}

func (x *judged) readable(real string) bool {
	return x.inside(real) || slices.ContainsFunc(x.Open, func(pattern string) bool { return x.matches(pattern, real, false) })
}

// below reports whether a path is a folder or in it. Both are clean and absolute.
func below(path, dir string) bool {
	if path == "" || dir == "" {
		return false
	}
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// realDir is where the links in the path of a folder lead.
func realDir(dir string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real
	}
	return dir // which is not there; nothing is in it then
}
