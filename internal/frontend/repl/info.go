package repl

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// session says what the session is, holds and took.
func (r *repl) session() error {
	st, err := protocol.Call(r.ctx, r.c, protocol.GetStats{})
	if err != nil {
		r.failed(err)
		return nil
	}
	t := r.view.Tree
	file := r.view.File
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
	var b strings.Builder
	row := func(name, format string, args ...any) {
		if s := fmt.Sprintf(format, args...); s != "" {
			fmt.Fprintf(&b, "%-9s %s\n", name, render.OneLine(s))
		}
	}
	row("session", "%s", r.view.Header.ID)
	row("name", "%s", t.Name())
	row("file", "%s", file)
	row("folder", "%s", r.view.Header.CWD)
	if p := r.view.Header.ParentSession; p != "" {
		row("copy of", "%s", filepath.Base(p))
	}
	row("messages", "%d (%d of yours, %s)", st.User+st.Assistant, st.User, render.Plural(st.Assistant, "answer", "answers"))
	row("besides", "%s", r.besides(st.Stats))
	row("tree", "%s, %s", render.Plural(max(ends, 1), "branch", "branches"), render.Plural(t.Len(), "entry", "entries"))
	row("position", "%s", r.describe(r.view.Leaf))
	row("model", "%s, thinking %s", r.modelName(), r.view.Thinking)
	read := render.Count(st.CacheRead) + " read from the cache"
	if st.CacheRead > 0 {
		read += " = " + percent(int64(st.CacheRead), int64(st.Input+st.CacheRead+st.CacheWrite))
	}
	row("context", "%s", r.contextRow(st.Context))
	row("tokens", "%s in, %s out, %s, %s written to it", render.Count(st.Input), render.Count(st.Output), read, render.Count(st.CacheWrite))
	row("cost", "%s", r.costRow(st))
	if len(st.Shares) > 1 {
		for _, m := range st.Shares {
			row("", "%s: %s, %s", cmp.Or(m.Model, "tools and summaries"), amount(m.Cost), render.Plural(m.Calls, "call", "calls"))
		}
	}
	if st.Rebilled.Tokens > 0 {
		row("cache", "%s", anew(st.Rebilled))
	}
	r.out.line(none, strings.TrimSuffix(b.String(), "\n"))
	return nil
}

// besides lists what is no message of user or model: tool calls, which are parts
// of answers, and the messages that bough and the tools added.
func (r *repl) besides(st session.Stats) string {
	system, commands := 0, 0
	for e := range r.view.Tree.Log() {
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

// name names the session, or says its name.
func (r *repl) name(text string) error {
	if text == "--auto" {
		r.beside(func() func() {
			title, err := protocol.Call(r.ctx, r.c, protocol.MakeTitle{})
			return func() {
				if r.failed(err); err == nil {
					r.say("name: %s", render.OneLine(title))
				}
			}
		})
		r.note("(the model is asked for a title)")
		return nil
	}
	text = session.CleanName(text)
	if text == "" {
		if n := r.view.Tree.Name(); n != "" {
			r.say("name: %s", render.OneLine(n))
		} else {
			r.say("This session has no name; /name with a text gives it one.")
		}
		return nil
	}
	if _, err := protocol.Call(r.ctx, r.c, protocol.SetName{Text: text}); err != nil {
		r.failed(err)
		return nil
	}
	if err := r.await(func() bool { return r.view.Tree.Name() == text }); err != nil {
		return err
	}
	r.say("name: %s", render.OneLine(text))
	return nil
}

// label names the entry that the conversation stands at, or takes its name away.
func (r *repl) label(text string) error {
	t := r.view.Tree
	at := t.Effective(r.view.Leaf)
	if e := render.Above(t, r.view.Leaf); e != nil {
		at = e.ID
	}
	if at == "" {
		r.say("There is no entry here to label yet.")
		return nil
	}
	text = session.CleanName(text)
	if render.Width(text) > 200 {
		r.failed(errors.New("a label has at most 200 columns"))
		return nil
	}
	if text == "" && t.Label(at) == "" {
		r.say("%s has no label; /label with a text gives it one.", r.describe(at))
		return nil
	}
	id, err := protocol.Call(r.ctx, r.c, protocol.SetLabel{Entry: at, Text: text})
	if err != nil {
		r.failed(err)
		return nil
	}
	if err := r.await(func() bool { return r.view.Tree.Has(id) }); err != nil {
		return err
	}
	if text == "" {
		r.say("%s has no label any more", r.describe(at))
	} else {
		r.say("%s is {%s}", r.describe(at), render.OneLine(text))
	}
	return nil
}
