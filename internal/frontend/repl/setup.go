package repl

import (
	"strings"

	"github.com/boughdev/bough/internal/frontend/slash"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/protocol"
)

// templates are the commands that stand in files: prompt templates and skills.
func (r *repl) templates() []protocol.CommandInfo {
	got, err := protocol.Call(r.ctx, r.c, protocol.GetCommands{})
	if err != nil {
		return nil // a session that is closed has none; what is done next says so
	}
	return got.Commands
}

// others are the names of the templates.
func (r *repl) others() []string {
	var names []string
	for _, c := range r.templates() {
		names = append(names, c.Command)
	}
	return names
}

// tools lists the tools, or turns some on and off: "+grep -bash".
func (r *repl) tools(words string) error {
	c, err := slash.ToolChange(words)
	if err != nil {
		r.say("%s", err)
		return nil
	}
	var got protocol.Tools
	if words == "" {
		got, err = protocol.Call(r.ctx, r.c, protocol.GetTools{})
	} else {
		got, err = protocol.Call(r.ctx, r.c, c)
	}
	if err != nil {
		r.failed(err)
		return nil
	}
	if len(got.Tools) == 0 {
		r.say("This session has no tools.")
	}
	for _, t := range got.Tools {
		mark := "off"
		if t.On {
			mark = "on "
		}
		from := ""
		if t.From != "" {
			from = " (" + render.OneLine(t.From) + ")"
		}
		line := mark + " " + render.Pad(render.OneLine(t.ToolName), 12) + " " + slash.FirstSentence(t.Description) + from
		r.say("%s", render.Cut(line, max(r.o.Width, 20)))
	}
	return nil
}

// servers lists the MCP servers, or connects to one anew: "reconnect NAME".
func (r *repl) servers(words string) error {
	switch verb, name, _ := strings.Cut(words, " "); {
	case words == "":
	case verb == "reconnect" && name != "":
		if _, err := protocol.Call(r.ctx, r.c, protocol.Reconnect{Server: strings.TrimSpace(name)}); err != nil {
			r.failed(err)
			return nil
		}
	default:
		r.say("/mcp lists the servers, /mcp reconnect NAME tries one again. bough mcp in a shell sets servers up and signs in.")
		return nil
	}
	got, err := protocol.Call(r.ctx, r.c, protocol.GetServers{})
	if err != nil {
		r.failed(err)
		return nil
	}
	if len(got.Servers) == 0 {
		r.say("No MCP servers are set up. bough mcp add NAME -- COMMAND sets one up; bough help mcp says more.")
	}
	for _, s := range got.Servers {
		line := s.Server + ": " + s.State
		if s.Problem != "" {
			line += ": " + s.Problem
		}
		if len(s.Tools) > 0 {
			line += ", " + render.Plural(len(s.Tools), "tool", "tools")
		}
		if s.Problem != "" && s.Log != "" {
			line += " (" + s.Log + ")"
		}
		r.say("%s", render.OneLine(line))
	}
	return nil
}

// systemPrompt lists the sections of the system prompt, or shows one.
func (r *repl) systemPrompt(name string) error {
	p, err := protocol.Call(r.ctx, r.c, protocol.GetSystemPrompt{})
	if err != nil {
		r.failed(err)
		return nil
	}
	if name != "" {
		for _, s := range p.Sections {
			if s.Title == name {
				r.out.line(none, render.Clean(s.Text))
				return nil
			}
		}
		r.say("There is no section %s; /prompt lists them.", render.Quote(name, 40))
		return nil
	}
	for _, s := range p.Sections {
		from := ""
		if len(s.Sources) > 0 {
			from = "  " + strings.Join(s.Sources, ", ")
		}
		r.say("%s %7s%s", render.Pad(s.Title, 16), render.Count(int64(len(s.Text))), from)
	}
	size := 0
	var names []string
	for _, t := range p.Tools {
		size += len(t.JSON())
		names = append(names, t.Name)
	}
	r.say("%s %7s  %s", render.Pad("declared tools", 16), render.Count(int64(size)), strings.Join(names, ", "))
	r.say("Sizes are in bytes. /prompt NAME shows a section.")
	return nil
}

// reload reads again what the session is set up with.
func (r *repl) reload() error {
	got, err := protocol.Call(r.ctx, r.c, protocol.Reload{})
	if err != nil {
		r.failed(err)
		return nil
	}
	if len(got.Changes) == 0 {
		r.say("Nothing has changed.")
	}
	for _, c := range got.Changes {
		r.say("%s", c)
	}
	return nil
}
