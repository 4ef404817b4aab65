package tui

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/boughdev/bough/internal/frontend/slash"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/internal/styled"
	"github.com/boughdev/bough/internal/term"
	"github.com/boughdev/bough/protocol"
)

// toolList is the list of tools, which are turned on and off in place.
type toolList struct {
	a    *app
	p    *picker
	list []protocol.ToolInfo
}

func (l *toolList) len() int { return len(l.list) }
func (l *toolList) text(i int) string {
	return l.list[i].ToolName + " " + l.list[i].From + " " + l.list[i].Description
}

func (l *toolList) row(i, width int, _ bool) styled.Line {
	t, look := l.list[i], l.a.theme
	box, style := "[ ] ", look.dim
	if t.On {
		box, style = "[x] ", styled.Style{}
	}
	line := styled.Line{{Text: box, Style: look.accent}, {Text: brief(t.ToolName), Style: style}}
	if t.From != "" {
		line = append(line, styled.Span{Text: " [" + brief(t.From) + "]", Style: look.dim})
	}
	names := min(32, max(width/2, 10))
	if width < 40 {
		return line.Cut(width)
	}
	return styled.Join(line.Cut(names).Pad(names+1, styled.Style{}), styled.Of(render.Cut(slash.FirstSentence(t.Description), max(width-names-1, 1)), look.dim))
}

// tools lists the tools, or turns some on and off: "+grep -bash".
func (a *app) tools(c slash.Command) error {
	if c.Rest != "" {
		set, err := slash.ToolChange(c.Rest)
		if err != nil {
			return err
		}
		call(a, set, func(got protocol.Tools, err error) {
			var on []string
			for _, t := range got.Tools {
				if t.On {
					on = append(on, t.ToolName)
				}
			}
			a.said(err, "on: %s", strings.Join(on, ", "))
		})
		return nil
	}
	call(a, protocol.GetTools{}, func(got protocol.Tools, err error) {
		if err != nil {
			a.problem(err)
			return
		}
		l := &toolList{a: a, list: got.Tools}
		l.p = &picker{title: "Tools", list: l, stays: true, verb: "on or off", choose: func(_ *app, i int) { l.turn(i) }, act: l.act, empty: "this session has no tools",
			state: l.state, detail: func(i, width int) []styled.Line {
				return styled.Wrap(styled.Of(brief(l.list[i].Description), a.theme.dim), width, nil, nil)
			}}
		a.push(l.p)
	})
	return nil
}

func (l *toolList) state() styled.Line {
	on := 0
	for _, t := range l.list {
		if t.On {
			on++
		}
	}
	return styled.Of(l.a.t("%d on, from the next turn", on), l.a.theme.dim)
}

func (l *toolList) act(_ *app, i int, k term.Key) bool {
	if k.Text != " " || !l.p.query.empty() || i < 0 {
		return false
	}
	l.turn(i)
	return true
}

func (l *toolList) turn(i int) {
	t := l.list[i]
	c := protocol.SetTools{On: []string{t.ToolName}}
	if t.On {
		c = protocol.SetTools{Off: []string{t.ToolName}}
	}
	call(l.a, c, func(got protocol.Tools, err error) {
		if err != nil {
			l.a.problem(err)
			return
		}
		l.list = got.Tools
		l.p.changed()
	})
}

// serverList is the list of MCP servers.
type serverList struct {
	a    *app
	p    *picker
	list []protocol.ServerInfo
}

func (l *serverList) len() int { return len(l.list) }
func (l *serverList) text(i int) string {
	return l.list[i].Server + " " + l.list[i].State + " " + l.list[i].Target
}

func (l *serverList) row(i, width int, _ bool) styled.Line {
	s, t := l.list[i], l.a.theme
	style := t.dim
	switch {
	case s.Problem != "":
		style = t.failure
	case s.State == "connected":
		style = t.success
	}
	words := l.a.told(s.State)
	if len(s.Tools) > 0 {
		words += l.a.t(", ") + l.a.n(len(s.Tools), "%d tool", "%d tools")
	}
	if s.Problem != "" {
		words += l.a.t(": ") + l.a.told(s.Problem)
	}
	return beside(styled.Of(brief(s.Server), styled.Style{}), styled.Of(brief(words), style), 24, width)
}

func (l *serverList) detail(i, width int) []styled.Line {
	s, t := l.list[i], l.a.theme
	rows := []styled.Line{nil, styled.Of(brief(l.a.told(s.Scope)+l.a.t(": ")+s.Target), t.dim).Cut(width)}
	if s.Problem != "" {
		rows = append(rows, styled.Wrap(styled.Of(brief(l.a.told(s.Problem)), t.failure), width, nil, nil)...)
	}
	if s.Log != "" {
		rows = append(rows, styled.Of(l.a.t("what it prints: %s", l.a.home(s.Log)), t.dim).Cut(width))
	}
	if len(s.Tools) > 0 {
		rows = append(rows, styled.Wrap(styled.Of(brief(l.a.t("tools: %s", strings.Join(s.Tools, ", "))), t.dim), width, nil, nil)...)
	}
	return rows
}

// servers lists the MCP servers; enter connects to one anew.
func (a *app) servers(c slash.Command) error {
	verb, name, _ := strings.Cut(c.Rest, " ")
	switch {
	case verb == "reconnect" && name != "":
		return a.done0(protocol.Reconnect{Server: strings.TrimSpace(name)}, "connecting to %s", name)
	case c.Rest != "":
		return errors.New("/mcp lists the servers, /mcp reconnect NAME tries one again. bough mcp in a shell sets servers up and signs in")
	}
	call(a, protocol.GetServers{}, func(got protocol.Servers, err error) {
		if err != nil {
			a.problem(err)
			return
		}
		l := &serverList{a: a, list: got.Servers}
		l.p = &picker{title: "MCP servers", list: l, stays: true, verb: "connect anew", detail: l.detail, choose: func(_ *app, i int) { l.reconnect(i) },
			empty: "none is set up; in a shell bough mcp add NAME -- COMMAND does it, and /help mcp says more"}
		a.push(l.p)
	})
	return nil
}

func (l *serverList) reconnect(i int) {
	name := l.list[i].Server
	l.list = slices.Clone(l.list)
	l.list[i].State, l.list[i].Problem = "connecting", ""
	l.a.beside(func() func() {
		_, err := protocol.Call(l.a.ctx, l.a.c, protocol.Reconnect{Server: name})
		got, gerr := protocol.Call(l.a.ctx, l.a.c, protocol.GetServers{})
		return func() {
			l.a.problem(err)
			if gerr == nil {
				l.list = got.Servers
				l.p.changed()
			}
		}
	})
}

// systemPrompt lists the sections of the system prompt, and shows them.
func (a *app) systemPrompt(c slash.Command) error {
	call(a, protocol.GetSystemPrompt{}, func(got protocol.SystemPrompt, err error) {
		if err != nil {
			a.problem(err)
			return
		}
		parts := got.Sections
		size := 0
		var declared []string
		var all strings.Builder
		for _, t := range got.Tools {
			size += len(t.JSON())
			declared = append(declared, t.Name)
			all.WriteString(string(t.JSON()) + "\n\n")
		}
		if len(got.Tools) > 0 {
			parts = append(slices.Clone(parts), protocol.Section{Title: a.t("declared tools"), Text: all.String(), Sources: declared})
		}
		var list texts
		for _, s := range parts {
			list = append(list, struct{ name, beside string }{brief(s.Title), brief(fmt.Sprintf("%7s  %s", render.Bytes(int64(len(s.Text))), strings.Join(s.Sources, ", ")))})
		}
		p := &picker{title: "System prompt", list: table{list, a, 20}, stays: true, verb: "read", empty: "there is none",
			choose: func(a *app, i int) {
				a.push(&paper{title: brief(parts[i].Title), text: parts[i].Text, plain: true})
			}}
		a.push(p)
		if c.Rest == "" {
			return
		}
		for i, s := range parts {
			if s.Title == c.Rest {
				p.choose(a, i)
				return
			}
		}
		p.query.set(c.Rest)
	})
	return nil
}
