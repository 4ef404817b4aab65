package control

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/boughdev/bough/internal/permission"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/tool"
)

// permits is what people have said of permissions in this session; it is gone with it.
type permits struct {
	mode  permission.Mode // "": that of the settings
	rules []permission.Rule
	asks  bool // somebody who can answer wants questions
}

// Answers to the question about a tool call.
const (
	answerYes    = "yes"
	answerAlways = "always"
	answerNo     = "no"
)

// permissionPolicy is what tool calls are held against. Owner's.
func (s *Session) permissionPolicy() permission.Policy {
	p := s.setup.Permissions()
	if p.Dir == "" {
		p.Dir = s.dir
	}
	if p.Mode == "" {
		p.Mode = permission.Auto
	}
	if s.permits.mode != "" {
		p.Mode = s.permits.mode
	}
	p.Session = s.permits.rules
	return p
}

// canAsk reports whether there is somebody to ask.
func (s *Session) canAsk(ctx context.Context) (ok bool) {
	// A session that is closed asks nobody.
	_ = s.do(context.WithoutCancel(ctx), func() { ok = s.opts.Asks || s.permits.asks })
	return ok
}

// permissions say what is in force. Owner's.
func (s *Session) permissions() protocol.Permissions {
	p := s.permissionPolicy()
	out := protocol.Permissions{Mode: string(p.Mode), Allow: words(p.Allow), Ask: words(p.Ask), Deny: words(p.Deny), Session: words(p.Session)}
	for _, m := range permission.Modes() {
		out.Modes = append(out.Modes, protocol.PermissionMode{ID: string(m), Text: m.Words()})
	}
	return out
}

func words(rules []permission.Rule) []string {
	var out []string
	for _, r := range rules {
		out = append(out, r.String())
	}
	return out
}

// setPermissions changes the mode. Owner's.
func (s *Session) setPermissions(c protocol.SetPermissions) (protocol.Permissions, error) {
	m := permission.Mode(c.Mode)
	if m != "" && !m.Known() {
		return protocol.Permissions{}, protocol.Fail(protocol.BadRequest, "There is no permission mode %q. Choose one of %s.", c.Mode, permission.ModeNames())
	}
	if c.Forget {
		s.permits.rules = nil
	}
	if m != "" {
		// Who sets a mode that asks is there to answer.
		s.permits.mode, s.permits.asks = m, true
	}
	s.permitsChanged()
	return s.permissions(), nil
}

// takeMode takes over the mode that somebody has set in the session that they come from,
// so that going to another one does not set free what was held back. What was allowed
// there is not. Owner's.
func (s *Session) takeMode(from permits) {
	if s.permits.mode == "" && from.mode != "" {
		s.permits.mode, s.permits.asks = from.mode, from.asks
	}
}

// permitsChanged tells what is in force, and answers questions that are none any more.
// Owner's.
func (s *Session) permitsChanged() {
	s.emit(protocol.PermissionsChanged{Permissions: s.permissions(), By: s.author()})
	for _, q := range slices.Clone(s.questions) {
		if q.moot != nil && q.moot() {
			s.settleQuestion(q, answerYes, "")
		}
	}
}

// guard returns what holds each call of these tools against the permissions.
func (r *run) guard(tools []tool.Tool) func(context.Context, message.Block, func() (message.Output, error)) (message.Output, error) {
	return func(ctx context.Context, call message.Block, run func() (message.Output, error)) (message.Output, error) {
		refusal, err := r.permit(ctx, tools, call)
		r.turn.end(call.ID)
		if err != nil || refusal != "" {
			if refusal == "" {
				return message.Output{}, err
			}
			return message.ErrorOutput(refusal), nil
		}
		return run()
	}
}

// permit decides on a call, asking people where that is needed. It returns what the
// model is told of one that is not run, "" if it may be.
func (r *run) permit(ctx context.Context, tools []tool.Tool, call message.Block) (refusal string, err error) {
	s := r.s
	var p permission.Policy
	load := func() error { return s.do(context.WithoutCancel(ctx), func() { p = s.permissionPolicy() }) }
	if err := load(); err != nil || p.Idle() {
		return "", err
	}
	c := permission.Call{Tool: call.Name}
	i := slices.IndexFunc(tools, func(t tool.Tool) bool { return t.Spec().Name == call.Name })
	k, known := tools[i].(tool.Known)
	if known {
		c.Effect = k.Effect(ctx, json.RawMessage(call.Args()))
	}
	d := p.Decide(c)
	if d.Verdict == permission.Asked && s.canAsk(ctx) {
		r.turn.wait(ctx, call.ID)
		if err := load(); err != nil {
			return "", err
		}
		d = p.Decide(c) // the answer before may hold for this call too
	}
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case d.Verdict == permission.Allowed:
		return "", nil
	case d.Verdict == permission.Denied:
		return fmt.Sprintf("This call was refused and not run: %s (permission mode %s). Go on without it, or say what you would have done.", d.Reason, p.Mode), nil
	case !s.canAsk(ctx):
		r.tellUnasked(ctx, c, d)
		return fmt.Sprintf("This call was not run: %s, which needs the permission of a person, and none can be asked here. Go on without it, or say what you would have done.", d.Reason), nil
	}
	refusal, err = r.askFor(ctx, c, d, json.RawMessage(call.Args()), call.ID)
	if refusal == "" && err == nil && known && !slices.Equal(c.Files, k.Effect(ctx, json.RawMessage(call.Args())).Files) {
		return "This call was not run: while the user was asked, what it is about became another file (a link, or another name of one). Look, and ask again.", nil
	}
	return refusal, err
}

// askFor asks people about a call.
func (r *run) askFor(ctx context.Context, c permission.Call, d permission.Decision, args json.RawMessage, id string) (refusal string, err error) {
	s := r.s
	about := &protocol.AskedCall{CallID: id, Tool: c.Tool, Args: args, Kind: callKind(c.Kind), Command: c.Command, Reason: d.Reason, Rule: strings.Join(words(d.Rules), ", ")}
	for _, f := range c.Files {
		about.Files = append(about.Files, f.Path)
	}
	if c.Preview != nil {
		about.Diff = c.Preview(ctx)
	}
	if len(about.Rule) > maxRule || strings.ContainsFunc(about.Rule, unprintable) {
		about.Rule, d.Rules = "", nil // nobody could weigh it
	}
	choices := []protocol.Choice{{ID: answerYes, Text: "allow it", Kind: protocol.AllowOnce}}
	if len(d.Rules) > 0 {
		choices = append(choices, protocol.Choice{ID: answerAlways, Text: fmt.Sprintf("allow %s for this session", about.Rule), Kind: protocol.AllowAlways})
	}
	choices = append(choices, protocol.Choice{ID: answerNo, Text: "refuse it", Kind: protocol.RejectOnce, Words: true})
	a, err := s.put(ctx, protocol.Asked{Text: askText(c, d), Choices: choices, About: about}, func() bool {
		p := s.permissionPolicy()
		return p.Decide(c).Verdict == permission.Allowed
	})
	switch {
	case err != nil:
		return "", err
	case a.Choice == "":
		return "", context.Cause(ctx)
	case a.Choice == answerNo && a.Text != "":
		return "The user refused this call, and it was not run. They say: " + a.Text, nil
	case a.Choice == answerNo:
		return "The user refused this call, and it was not run.", nil
	case a.Choice == answerAlways:
		return "", s.do(context.WithoutCancel(ctx), func() {
			for _, rule := range d.Rules {
				if !slices.Contains(s.permits.rules, rule) {
					s.permits.rules = append(slices.Clip(s.permits.rules), rule)
				}
			}
			s.inName(a.By, s.permitsChanged)
		})
	}
	return "", nil
}

// askText is the question about a call, on one line.
func askText(c permission.Call, d permission.Decision) string {
	name := c.Tool
	if c.Effect.Tool != "" {
		name = c.Effect.Tool
	}
	about := ""
	if len(c.Files) > 0 {
		about = " on " + pathWord(c.Files[0].Path)
		if real := c.Files[0].Real; real != c.Files[0].Path && real != "" {
			about += ", which is " + pathWord(real)
		}
	}
	return fmt.Sprintf("May %s be run%s? (%s)", name, about, d.Reason)
}

// maxRule is how long rules may be that people are offered, in bytes.
const maxRule = 300

func unprintable(r rune) bool { return !unicode.IsPrint(r) }

// pathWord is a path for people; one that could look like something else is quoted.
func pathWord(path string) string {
	if strings.ContainsFunc(path, unprintable) {
		return strconv.Quote(path)
	}
	return path
}

func callKind(k tool.EffectKind) protocol.CallKind {
	switch k {
	case tool.Reads:
		return protocol.Reads
	case tool.Changes:
		return protocol.Changes
	case tool.Runs:
		return protocol.Runs
	}
	return protocol.Reaches
}

// tellUnasked tells people, once a run for each tool, that a call was not run since
// nobody could be asked, and what would let it be.
func (r *run) tellUnasked(ctx context.Context, c permission.Call, d permission.Decision) {
	s := r.s
	// Who has closed the session is told nothing.
	_ = s.do(context.WithoutCancel(ctx), func() {
		if r.told[c.Tool] {
			return
		}
		if r.told == nil {
			r.told = map[string]bool{}
		}
		r.told[c.Tool] = true
		how := "In a conversation (bough, bough --repl) you are asked."
		p := s.permissionPolicy()
		for _, m := range []permission.Mode{permission.Auto, permission.AutoEdit} {
			p.Mode = m
			if p.Decide(c).Verdict != permission.Allowed {
				break
			}
			how = fmt.Sprintf("--permission-mode %s allows it", m)
		}
		if len(d.Rules) > 0 && strings.HasPrefix(how, "--") && len(strings.Join(words(d.Rules), "")) <= maxRule {
			b, _ := json.Marshal(words(d.Rules)) // texts can be written
			how += fmt.Sprintf(", or a rule in your settings: bough.permissions.allow %s", b)
		}
		s.note("warning", "%s was not run: %s, and nobody can be asked here. %s", c.Tool, d.Reason, strings.TrimSuffix(how, ".")+".")
	})
}
