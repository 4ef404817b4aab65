package conformance

import (
	"slices"
	"strings"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/session"
)

// Tokens that stand for our own wordings.
const (
	compactionToken = "{{compaction}}"
	branchToken     = "{{branch_summary}}"
	noResultToken   = "{{no_result}}"
	userImageToken  = "{{user_image_omitted}}"
	toolImageToken  = "{{tool_image_omitted}}"
)

// piNoResult is what pi writes into an invented result.
const piNoResult = "No result provided"

// The models that contexts are prepared for.
var (
	sonnet = provider.Info{ID: "claude-sonnet-4-5", Provider: "anthropic", API: "anthropic-messages", Input: []string{"text", "image"}}
	mini   = provider.Info{ID: "gpt-4o-mini", Provider: "openai", API: "openai-completions", Input: []string{"text"}}
)

// context writes what a model sees with e as leaf.
func (d *dumper) context(e *session.Entry) error {
	path := d.tree.Path(e.ID)
	p, err := d.paths.Project(path)
	if err != nil {
		return err
	}
	d.raw(`{"entries":`)
	d.idList(p.Entries)
	llm := make([]message.Message, 0, len(p.Items))
	for _, it := range p.Items {
		if asked := d.forModel(it.Message); asked != nil {
			llm = append(llm, *asked)
		}
	}
	d.raw(`,"llm":`)
	d.sentList(llm)
	d.raw(`,"messages":`)
	d.messages(p.Items)
	d.raw(`,"model":`)
	if err := d.model(path); err != nil {
		return err
	}
	d.raw(`,"path":`)
	d.idList(path)
	d.raw(`,"repaired":`)
	d.sentList(provider.Prepare(llm, sonnet, provider.PrepareOptions{Plain: true}))
	d.raw(`,"repairedOther":`)
	d.sentList(provider.Prepare(llm, mini, provider.PrepareOptions{Plain: true, CallID: provider.SafeCallID}))
	d.raw(`,"system":` + d.folded(p.Items))
	if err := d.thinking(path); err != nil {
		return err
	}
	d.raw(`}`)
	return nil
}

// current writes the context of the leaf, in short.
func (d *dumper) current() error {
	path := d.tree.Path(d.leaf)
	p, err := d.paths.Project(path)
	if err != nil {
		return err
	}
	d.raw(`{"messages":`)
	d.messages(p.Items)
	d.raw(`,"model":`)
	if err := d.model(path); err != nil {
		return err
	}
	if err := d.thinking(path); err != nil {
		return err
	}
	d.raw(`}`)
	return nil
}

// messages writes the hashes of the messages of a context.
func (d *dumper) messages(items []session.Item) {
	d.raw(`[`)
	for i, it := range items {
		d.comma(i)
		d.raw(`"`)
		d.raw(d.kept(it.Message.JSON()))
		d.raw(`"`)
	}
	d.raw(`]`)
}

// model writes the model that was asked last, with the fields that are there.
func (d *dumper) model(path []*session.Entry) error {
	for i := len(path) - 1; i >= 0; i-- {
		e := path[i]
		if !e.SetsModel() {
			continue
		}
		if _, ok := d.models[e]; !ok {
			line, err := e.Raw()
			if err != nil {
				return err
			}
			from, idKey := line, "modelId"
			if e.Type == session.TypeMessage {
				from, idKey = rawjson.Get(line, "message"), "model"
			}
			var parts []string
			if v := rawjson.Get(from, idKey); v != nil {
				parts = append(parts, `"modelId":`+canonical(v))
			}
			if v := rawjson.Get(from, "provider"); v != nil {
				parts = append(parts, `"provider":`+canonical(v))
			}
			d.models[e] = `{` + strings.Join(parts, ",") + `}`
		}
		d.raw(d.models[e])
		return nil
	}
	d.raw(`null`)
	return nil
}

// thinking writes the thinking level as the last member of an object.
func (d *dumper) thinking(path []*session.Entry) error {
	for i := len(path) - 1; i >= 0; i-- {
		if path[i].Type != session.TypeThinking {
			continue
		}
		line, err := path[i].Raw()
		if err != nil {
			return err
		}
		if v := rawjson.Get(line, "thinkingLevel"); v != nil {
			d.raw(`,"thinkingLevel":` + canonical(v))
		}
		return nil
	}
	d.raw(`,"thinkingLevel":"off"`)
	return nil
}

// folded returns the hash of what replays the system messages, as JSON.
func (d *dumper) folded(items []session.Item) string {
	var system []message.Message
	var key strings.Builder
	for _, it := range items {
		if it.Message.Role == message.System {
			system = append(system, it.Message)
			key.WriteString(d.kept(it.Message.JSON()))
		}
	}
	if h, ok := d.system[key.String()]; ok {
		return h
	}
	h := "null"
	if m, ok := message.FoldSystem(system); ok {
		h = `"` + d.made(m.JSON()) + `"`
	}
	d.system[key.String()] = h
	return h
}

// forModel returns a message as it goes to a model, or nil if no model hears it.
func (d *dumper) forModel(m message.Message) *message.Message {
	raw := m.JSON()
	if asked, ok := d.asked[&raw[0]]; ok {
		return asked
	}
	var asked *message.Message
	if to, ok := message.ForModel(m); ok {
		asked = &to
		shown := tokens(to)
		switch m.Role {
		case message.BranchSummary:
			shown = reword(to, message.BranchSummaryIntro, branchToken)
		case message.CompactionSummary:
			shown = reword(to, message.CompactionIntro, compactionToken)
		}
		d.sent[&to.JSON()[0]] = d.made(shown.JSON())
	}
	d.asked[&raw[0]] = asked
	return asked
}

func reword(m message.Message, intro, token string) message.Message {
	rest, ok := strings.CutPrefix(m.Text(""), intro)
	if !ok {
		return m
	}
	return m.WithContent([]message.Block{message.Text(token + rest)})
}

// sentList writes the hashes of messages that go to a model.
func (d *dumper) sentList(msgs []message.Message) {
	d.raw(`[`)
	for i, m := range msgs {
		d.comma(i)
		d.raw(`"`)
		raw := m.JSON()
		h, ok := d.sent[&raw[0]]
		if !ok { // a repair has made or changed it
			if h, ok = d.repaired[string(raw)]; !ok {
				h = d.made(tokens(m).JSON())
				d.repaired[string(raw)] = h
			}
		}
		d.raw(h)
		d.raw(`"`)
	}
	d.raw(`]`)
}

// tokens returns a message with tokens for our wordings, and for pi's where a
// file holds them.
func tokens(m message.Message) message.Message {
	if m.IsText {
		return m
	}
	var blocks []message.Block
	for i, b := range m.Content {
		if b.Type != message.TextBlock {
			continue
		}
		token := ""
		switch b.Text {
		case provider.UserImageOmitted, provider.PiUserImageOmitted:
			token = userImageToken
		case provider.ToolImageOmitted, provider.PiToolImageOmitted:
			token = toolImageToken
		case provider.NoResult, piNoResult:
			token = noResultToken
		default:
			continue
		}
		if blocks == nil {
			blocks = slices.Clone(m.Content)
		}
		blocks[i] = b.With("text", rawjson.Quote(token))
	}
	if blocks == nil {
		return m
	}
	return m.WithContent(blocks)
}
