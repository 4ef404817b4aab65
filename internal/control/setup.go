package control

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/boughdev/bough/internal/permission"
	"github.com/boughdev/bough/internal/prompt"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/tool"
)

// A Setup is what a session works with in its folder: tools, instructions,
// templates. It is made when the session begins, and anew by the command Reload.
// But for Shell, Ready, Reconnect and Close its methods are called by the session's owner
// and do not wait.
type Setup interface {
	// Tools are those that are on, in the order in which they are declared.
	Tools() []tool.Tool

	// Listing has all tools, those that are off included.
	Listing() []protocol.ToolInfo

	// Switch turns tools on and off by their names.
	Switch(on, off []string) error

	// Prompt makes the system prompt of a session with these tools.
	Prompt([]message.ToolSpec) prompt.State

	// Permissions are the mode and the rules that tool calls are held against.
	Permissions() permission.Policy

	// Commands are the names that a text may begin with besides those of bough.
	Commands() []protocol.CommandInfo

	// Expand returns what a text stands for that a person typed: that of the
	// template or skill that it names, else itself.
	Expand(text string) (string, error)

	// Servers are those that tools come from.
	Servers() []protocol.ServerInfo

	// Reconnect connects to one of them anew and waits for it.
	Reconnect(ctx context.Context, server string) error

	// Choices is what the path is to remember of how the session was set up,
	// since no file says it; nil if there is nothing.
	Choices() json.RawMessage

	// Shell runs a command of the user.
	Shell(ctx context.Context, command string, onDelta func(string)) (protocol.BashResult, error)

	// Ready waits for tools that are still on their way, but not for ever.
	Ready(ctx context.Context)

	// Changed yields whenever Tools may return others than before, or News has
	// something to say. Nil: never.
	Changed() <-chan struct{}

	// News is what people should know since it was last asked.
	News() []string

	Close()
}

// Was is how a session was set up on its path so far.
type Was struct {
	Declared message.Message // the folded system message; without a role if there is none
	Choices  json.RawMessage // of [Setup.Choices]; nil if there are none
	Foreign  []string        // customTypes of entries of other programs in the context, in order
}

// Plain is a setup without files, which never changes.
type Plain struct {
	Kit []tool.Tool

	// Instructions makes the system prompt. Nil: there is none.
	Instructions func([]message.ToolSpec) prompt.State

	// Run runs a command of the user. Nil: it is refused.
	Run func(ctx context.Context, command string, onDelta func(string)) (protocol.BashResult, error)
}

var _ Setup = Plain{}

func (p Plain) Tools() []tool.Tool { return p.Kit }

func (p Plain) Listing() []protocol.ToolInfo {
	var out []protocol.ToolInfo
	for _, t := range p.Kit {
		s := t.Spec()
		out = append(out, protocol.ToolInfo{ToolName: s.Name, Description: s.Description, On: true})
	}
	return out
}

func (p Plain) Switch(_, _ []string) error {
	return protocol.Fail(protocol.BadRequest, "The tools of this session cannot be switched.")
}

func (p Plain) Prompt(specs []message.ToolSpec) prompt.State {
	if p.Instructions == nil {
		return prompt.State{Tools: specs}
	}
	return p.Instructions(specs)
}

func (p Plain) Permissions() permission.Policy     { return permission.Policy{} }
func (p Plain) Commands() []protocol.CommandInfo   { return nil }
func (p Plain) Servers() []protocol.ServerInfo     { return nil }
func (p Plain) Expand(text string) (string, error) { return text, nil }
func (p Plain) Choices() json.RawMessage           { return nil }
func (p Plain) Ready(context.Context)              {}
func (p Plain) Changed() <-chan struct{}           { return nil }
func (p Plain) News() []string                     { return nil }
func (p Plain) Close()                             {}

func (p Plain) Reconnect(context.Context, string) error {
	return protocol.Fail(protocol.NotFound, "There are no MCP servers in this session.")
}

func (p Plain) Shell(ctx context.Context, command string, onDelta func(string)) (protocol.BashResult, error) {
	if p.Run == nil {
		return protocol.BashResult{}, protocol.Fail(protocol.BadRequest, "Commands cannot be run in this session.")
	}
	return p.Run(ctx, command, onDelta)
}

// setUp makes the setup of a session that begins. Before the owner has begun.
func (s *Session) setUp(ctx context.Context) error {
	if s.opts.Setup == nil {
		s.setup = Plain{}
		return nil
	}
	was, err := s.was()
	if err != nil {
		return fmt.Errorf("read the session: %w", err)
	}
	setup, odd := s.opts.Setup(ctx, s.place(), was, nil)
	s.take(setup)
	for _, o := range odd {
		s.note("warning", "%s", o)
	}
	return nil
}

// take makes a setup the session's. Owner's.
func (s *Session) take(setup Setup) {
	s.setup = setup
	s.retool()
}

// retool takes over which tools there are, and tells what is new of them. Owner's.
func (s *Session) retool() {
	for _, n := range s.setup.News() {
		s.note("warning", "%s", n)
	}
	s.tools = s.withRecall(s.setup.Tools())
	specs := make([]message.ToolSpec, len(s.tools))
	for i, t := range s.tools {
		specs[i] = t.Spec()
	}
	s.prompt = s.setup.Prompt(specs)
}

// was reads off the path how the session was set up. Owner's.
func (s *Session) was() (Was, error) {
	var w Was
	b, err := s.branch.Brief()
	if err != nil {
		return w, err
	}
	w.Declared, _ = message.FoldSystem(b.System)
	w.Choices = s.choices()
	customs, err := new(session.Projector).Customs(s.live.Tree(), s.branch.Leaf())
	if err != nil {
		return w, err
	}
	w.Foreign = slices.DeleteFunc(customs, func(c string) bool { return strings.HasPrefix(c, "bough.") })
	return w, nil
}

// choices are those that the path remembers. Owner's.
func (s *Session) choices() json.RawMessage {
	data, _ := s.live.Tree().SetupOf(s.branch.Leaf())
	return json.RawMessage(data)
}

// reload makes the setup anew and says what is different, and if tell is set what
// was odd on the way.
func (s *Session) reload(ctx context.Context, tell bool) (protocol.Reloaded, error) {
	if s.opts.Setup == nil {
		return protocol.Reloaded{}, nil
	}
	var (
		was Was
		old Setup
		err error
	)
	if derr := s.do(ctx, func() {
		if err = s.mayReload(); err != nil {
			return
		}
		if was, err = s.was(); err != nil {
			err = &protocol.Error{Code: protocol.IO, Text: err.Error(), Err: err}
			return
		}
		was.Choices = s.setup.Choices() // also those that no turn has kept yet
		old, s.renewing = s.setup, true
	}); derr != nil {
		return protocol.Reloaded{}, derr
	}
	if err != nil {
		return protocol.Reloaded{}, err
	}
	setup, odd := s.opts.Setup(ctx, s.place(), was, old)
	var r protocol.Reloaded
	// What was begun is brought to its end, also for an asker who has gone.
	if derr := s.do(context.WithoutCancel(ctx), func() {
		s.renewing = false
		if err = s.mayReload(); err != nil {
			return
		}
		before, commands, allowed := s.prompt, s.setup.Commands(), s.permissions()
		s.take(setup)
		if !reflect.DeepEqual(allowed, s.permissions()) {
			s.permitsChanged()
		}
		r.Changes = changes(before, s.prompt, commands, setup.Commands())
		if !tell {
			odd = nil
		}
		for _, o := range odd {
			s.note("warning", "%s", o)
		}
	}); derr != nil {
		err = derr
	}
	if err != nil {
		setup.Close()
		return r, err
	}
	old.Close()
	return r, nil
}

// mayReload says why the setup cannot be made anew just now. Owner's.
func (s *Session) mayReload() error {
	switch {
	case s.renewing:
		return protocol.Fail(protocol.Busy, "What this session works with is being read anew just now. Try again when that is done.")
	case s.op != nil:
		return protocol.Fail(protocol.Busy, "Stop the run first: it works with what was read before.")
	}
	return nil
}

// changes says in lines what is different between two setups.
func changes(before, after prompt.State, had, has []protocol.CommandInfo) []string {
	var out []string
	say := func(what, name string) { out = append(out, what+" "+name) }
	compare(before.Tools, after.Tools, func(t message.ToolSpec) (string, string) { return t.Name, string(t.JSON()) }, "tool", say)
	compare(before.Sections, after.Sections, func(s prompt.Section) (string, string) { return s.Name, s.Text }, "section", say)
	compare(had, has, func(c protocol.CommandInfo) (string, string) { return "/" + c.Command, c.Description }, "command", say)
	return out
}

// compare tells what was added, removed or changed of two lists.
func compare[T any](before, after []T, key func(T) (name, value string), noun string, say func(what, name string)) {
	index := func(list []T, name string) (string, bool) {
		for _, t := range list {
			if n, v := key(t); n == name {
				return v, true
			}
		}
		return "", false
	}
	for _, t := range before {
		name, _ := key(t)
		if _, ok := index(after, name); !ok {
			say(noun+" removed:", name)
		}
	}
	for _, t := range after {
		name, value := key(t)
		switch old, ok := index(before, name); {
		case !ok:
			say(noun+" added:", name)
		case old != value:
			say(noun+" changed:", name)
		}
	}
}

// switchTools turns tools on and off. Owner's.
func (s *Session) switchTools(c protocol.SetTools) (protocol.Tools, error) {
	if s.renewing {
		return protocol.Tools{}, s.mayReload()
	}
	if c.On, c.Off = s.switchRecall(c.On, c.Off); len(c.On)+len(c.Off) > 0 {
		if err := s.setup.Switch(c.On, c.Off); err != nil {
			return protocol.Tools{}, err
		}
	}
	s.retool()
	return protocol.Tools{Tools: s.listing()}, nil
}

// reconnect connects to an MCP server anew.
func (s *Session) reconnect(ctx context.Context, server string) error {
	var setup Setup
	if err := s.do(ctx, func() { setup = s.setup }); err != nil {
		return err
	}
	if err := setup.Reconnect(ctx, server); err != nil {
		return err
	}
	return s.do(ctx, s.retool)
}

// systemPrompt is what the next request will say before the conversation.
// Owner's.
func (s *Session) systemPrompt() protocol.SystemPrompt {
	var out protocol.SystemPrompt
	for _, sec := range s.prompt.Sections {
		out.Sections = append(out.Sections, protocol.Section{Title: sec.Name, Text: sec.Text, Sources: slices.Clone(sec.Sources)})
	}
	out.Tools = slices.Clone(s.prompt.Tools)
	return out
}

// keepChoices writes down what no file says of the setup, if the path does not
// have it. Owner's.
func (s *Session) keepChoices() error {
	was, now := s.choices(), s.setup.Choices()
	if now == nil && was != nil {
		now = json.RawMessage("null") // no longer
	}
	if string(now) == string(was) {
		return nil
	}
	_, err := s.append(session.Custom{CustomType: session.Setup, Data: message.Value(now)})
	return err
}
