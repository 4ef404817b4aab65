package slash

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/internal/view"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/session"
)

// SessionRows say what a session is, holds and took. position says in words where
// the conversation stands.
func SessionRows(v *view.View, st protocol.Stats, position string) []string {
	t := v.Tree
	file := v.File
	switch {
	case file == "":
		file = "none: it is kept in memory"
	case t.Len() == 0:
		file += " (written with the first message)"
	}
	points, ends := 0, 0
	for e := range t.All() {
		if !render.Counted(t, e) {
			continue
		}
		switch len(render.Next(t, e.ID)) {
		case 0:
			ends++
		case 1:
		default:
			points++
		}
	}
	var rows []string
	row := func(name, format string, args ...any) {
		if s := fmt.Sprintf(format, args...); s != "" {
			rows = append(rows, fmt.Sprintf("%-9s %s", name, render.OneLine(s)))
		}
	}
	row("session", "%s", v.Header.ID)
	row("name", "%s", t.Name())
	row("file", "%s", file)
	row("folder", "%s", v.Header.CWD)
	if p := v.Header.ParentSession; p != "" {
		row("copy of", "%s", filepath.Base(p))
	}
	row("messages", "%d (%d of yours, %s)", st.User+st.Assistant, st.User, render.Plural(st.Assistant, "answer", "answers"))
	row("besides", "%s", besides(v.Tree, st.Stats))
	row("tree", "%s, %s", render.Plural(max(ends, 1), "branch", "branches"), render.Plural(t.Len(), "entry", "entries"))
	row("position", "%s", position)
	row("model", "%s, thinking %s", ModelName(v.Model), v.Thinking)
	read := render.Count(st.CacheRead) + " read from the cache"
	if st.CacheRead > 0 {
		read += " = " + Percent(int64(st.CacheRead), int64(st.Input+st.CacheRead+st.CacheWrite))
	}
	row("context", "%s", contextRow(st.Context))
	row("tokens", "%s in, %s out, %s, %s written to it", render.Count(st.Input), render.Count(st.Output), read, render.Count(st.CacheWrite))
	row("cost", "%s", costRow(st))
	if len(st.Shares) > 1 {
		for _, m := range st.Shares {
			row("", "%s: %s, %s", cmp.Or(m.Model, "tools and summaries"), Amount(m.Cost), render.Plural(m.Calls, "call", "calls"))
		}
	}
	if st.Rebilled.Tokens > 0 {
		row("cache", "%s", anew(st.Rebilled))
	}
	return rows
}

// ModelName is a model as people name it.
func ModelName(m *provider.Info) string {
	if m == nil {
		return "none"
	}
	return render.OneLine(m.Provider + "/" + m.ID)
}

// besides lists what is no message of user or model: tool calls, which are parts
// of answers, and the messages that bough and the tools added.
func besides(t *session.Tree, st session.Stats) string {
	system, commands := 0, 0
	for e := range t.Log() {
		switch e.Role {
		case message.System:
			system++
		case message.Bash:
			commands++
		}
	}
	var parts []string
	add := func(n int, one, many string) {
		if n > 0 {
			parts = append(parts, render.Plural(n, one, many))
		}
	}
	add(st.ToolCalls, "tool call", "tool calls")
	add(st.ToolResults, "tool result", "tool results")
	add(commands, "command of yours", "commands of yours")
	add(system, "system message", "system messages")
	add(st.Messages-st.User-st.Assistant-st.ToolResults-commands-system, "other message", "other messages")
	return strings.Join(parts, ", ")
}

// contextRow says how full the window is, for /session.
func contextRow(u *protocol.ContextUse) string {
	switch p, known := u.Percent(); {
	case u == nil:
		return "? (the model's window is not known)"
	case !known:
		return "? of " + render.Count(u.Window) + " (known again with the next answer)"
	default:
		return fmt.Sprintf("%s of %s tokens, %.1f%%", render.Count(u.Tokens), render.Count(u.Window), p)
	}
}

// costRow is what the session took in dollars, and of that this branch, for /session.
func costRow(st protocol.Stats) string {
	if st.Tokens() == 0 {
		return ""
	}
	s := Amount(st.Cost)
	if st.Unpriced > 0 {
		s += " + ? (" + render.Plural(st.Unpriced, "call tells", "calls tell") + " no price)"
	}
	if st.Branch.Cost < st.Cost {
		s += ", this branch " + Amount(st.Branch.Cost)
	}
	return s
}
