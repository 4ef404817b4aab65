package slash

import (
	"cmp"
	"path/filepath"
	"strings"

	"github.com/boughdev/bough/internal/lang"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/internal/view"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/session"
)

// SessionRows say what a session is, holds and took. position says in words where
// the conversation stands.
func SessionRows(in lang.Language, v *view.View, st protocol.Stats, position string) []string {
	t := v.Tree
	file := v.File
	switch {
	case file == "":
		file = in.T("none: it is kept in memory")
	case t.Len() == 0:
		file += " " + in.T("(written with the first message)")
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
	row := func(name, text string) {
		if text != "" {
			rows = append(rows, render.Pad(in.T(name), 9)+" "+render.OneLine(text))
		}
	}
	row("session", v.Header.ID)
	row("name", t.Name())
	row("file", file)
	row("folder", v.Header.CWD)
	if p := v.Header.ParentSession; p != "" {
		row("copy of", filepath.Base(p))
	}
	row("messages", in.T("%d (%d of yours, %s)", st.User+st.Assistant, st.User, in.N(st.Assistant, "%d answer", "%d answers")))
	row("besides", besides(in, v.Tree, st.Stats))
	row("tree", in.N(max(ends, 1), "%d branch", "%d branches")+", "+in.N(t.Len(), "%d entry", "%d entries"))
	row("position", position)
	row("model", in.T("%s, thinking %s", in.T(ModelName(v.Model)), v.Thinking))
	read := in.T("%s read from the cache", render.Count(st.CacheRead))
	if st.CacheRead > 0 {
		read += " = " + Percent(int64(st.CacheRead), int64(st.Input+st.CacheRead+st.CacheWrite))
	}
	row("context", contextRow(in, st.Context))
	row("tokens", in.T("%s in, %s out, %s, %s written to it", render.Count(st.Input), render.Count(st.Output), read, render.Count(st.CacheWrite)))
	row("cost", costRow(in, st))
	if len(st.Shares) > 1 {
		for _, m := range st.Shares {
			row("", cmp.Or(m.Model, in.T("tools and summaries"))+": "+Amount(m.Cost)+", "+in.N(m.Calls, "%d call", "%d calls"))
		}
	}
	if st.Rebilled.Tokens > 0 {
		row("cache", anew(in, st.Rebilled))
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
func besides(in lang.Language, t *session.Tree, st session.Stats) string {
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
			parts = append(parts, in.N(n, one, many))
		}
	}
	add(st.ToolCalls, "%d tool call", "%d tool calls")
	add(st.ToolResults, "%d tool result", "%d tool results")
	add(commands, "%d command of yours", "%d commands of yours")
	add(system, "%d system message", "%d system messages")
	add(st.Messages-st.User-st.Assistant-st.ToolResults-commands-system, "%d other message", "%d other messages")
	return strings.Join(parts, ", ")
}

// contextRow says how full the window is, for /session.
func contextRow(in lang.Language, u *protocol.ContextUse) string {
	switch p, known := u.Percent(); {
	case u == nil:
		return in.T("? (the model's window is not known)")
	case !known:
		return in.T("? of %s (known again with the next answer)", render.Count(u.Window))
	default:
		return in.T("%s of %s tokens, %.1f%%", render.Count(u.Tokens), render.Count(u.Window), p)
	}
}

// costRow is what the session took in dollars, and of that this branch, for /session.
func costRow(in lang.Language, st protocol.Stats) string {
	if st.Tokens() == 0 {
		return ""
	}
	s := Amount(st.Cost)
	if st.Unpriced > 0 {
		s += " + ? " + in.N(st.Unpriced, "(%d call tells no price)", "(%d calls tell no price)")
	}
	if st.Branch.Cost < st.Cost {
		s += in.T(", this branch %s", Amount(st.Branch.Cost))
	}
	return s
}
