package acp

import (
	"context"
	"slices"
	"strings"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/boughdev/bough/internal/frontend/slash"
	"github.com/boughdev/bough/protocol"
)

// own are the commands of bough that make sense in an editor: which session is
// shown, and what is said again, is the editor's affair.
var own = []string{"help", "history", "tree", "show", "branch", "goto", "retry", "back", "forward", "label", "hide", "unhide", "context", "take",
	"name", "session", "cost", "compact", "uncompact", "summary", "export", "model", "thinking", "permissions", "settings", "mcp", "tools", "prompt", "reload"}

// instead says what does the work of a command that an editor has no use for.
func instead(name string) string {
	switch name {
	case "new":
		return "The editor begins sessions."
	case "resume":
		return "The editor lists sessions and opens them."
	case "fork", "clone":
		return "/branch N goes back in this session without a copy."
	case "edit":
		return "/goto N stands before a message of yours; say it anew then."
	case "detach", "quit":
		return "The editor closes the session."
	}
	return ""
}

// commands are those that a prompt may begin with.
func (s *live) commands(ctx context.Context) []sdk.AvailableCommand {
	out := []sdk.AvailableCommand{}
	add := func(name, help, hint string) {
		if slices.ContainsFunc(out, func(c sdk.AvailableCommand) bool { return c.Name == name }) {
			return
		}
		c := sdk.AvailableCommand{Name: name, Description: help}
		if hint != "" {
			c.Input = &sdk.AvailableCommandInput{Unstructured: &sdk.UnstructuredCommandInput{Hint: hint}}
		}
		out = append(out, c)
	}
	for _, name := range own {
		spec, ok := slash.Find(name)
		if ok && !spec.Later && (s.a.o.Command != nil || name == "retry") {
			add(name, spec.Help, spec.Args)
		}
	}
	if list, err := protocol.Call(ctx, s.c, protocol.GetCommands{}); err == nil {
		for _, c := range list.Commands {
			add(c.Command, c.Description, c.ArgHint)
		}
	}
	return out
}

// command carries out a command of bough, if a prompt is one.
func (s *live) command(ctx context.Context, t *turn, text string) (outcome, bool) {
	text = strings.TrimSpace(text)
	if !strings.HasPrefix(text, "/") {
		return outcome{}, false
	}
	var others []string
	if list, err := protocol.Call(ctx, s.c, protocol.GetCommands{}); err == nil {
		for _, c := range list.Commands {
			others = append(others, c.Command)
		}
	}
	c, ok, err := slash.Parse(text, others...)
	done := outcome{reason: sdk.StopReasonEndTurn}
	switch {
	case err != nil:
		s.say(sentence(upper(err.Error())))
		return done, true
	case !ok:
		return outcome{}, false
	case c.Name == "retry":
		s.mu.Lock()
		t.heard = true // no message comes
		s.mu.Unlock()
		return s.saying(t, s.retry), true
	case c.Name == "help" && c.Rest == "":
		s.say(s.help(ctx))
		return done, true
	case s.a.o.Command == nil || c.Later || !slices.Contains(own, c.Name):
		s.say(strings.TrimSpace("/" + c.Name + " is no command here. " + instead(c.Name)))
		return done, true
	}
	s.mu.Lock()
	t.command = true
	s.mu.Unlock()
	said, err := s.a.o.Command(ctx, s.c, text)
	if ctx.Err() != nil {
		return outcome{reason: sdk.StopReasonCancelled}, true
	}
	if err != nil {
		return outcome{err: err}, true
	}
	if said = strings.TrimRight(said, "\n "); strings.Contains(said, "\n") {
		said = fenced(said) // rows stand below each other
	}
	if said != "" {
		s.say(said)
	}
	if c.Name == "reload" {
		s.tellCommands(ctx)
	}
	return done, true
}

// retry has the model asked again, after a complete answer what was last said.
func (s *live) retry() (protocol.Disposition, error) {
	did, err := protocol.Call(s.a.ctx, s.c, protocol.Retry{})
	s.mu.Lock()
	asked := s.question
	s.mu.Unlock()
	if protocol.CodeOf(err) == protocol.NotRunnable && asked != "" {
		return protocol.Call(s.a.ctx, s.c, protocol.Retry{Entry: &asked, Exact: true})
	}
	return did, err
}

// help lists the commands.
func (s *live) help(ctx context.Context) string {
	var b strings.Builder
	for _, c := range s.commands(ctx) {
		b.WriteString("- `/" + c.Name)
		if c.Input != nil {
			b.WriteString(" " + c.Input.Unstructured.Hint)
		}
		b.WriteString("` " + c.Description + "\n")
	}
	return b.String()
}

func upper(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
