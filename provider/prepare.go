package provider

import (
	"slices"
	"strings"
	"unicode"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
)

// Texts that [Prepare] puts into a request.
const (
	NoResult         = "No result: this call was interrupted or left behind."
	UserImageOmitted = "[an image was left out: this model takes text only]"
	ToolImageOmitted = "[an image in the tool's output was left out: this model takes text only]"
)

// What pi writes in the places of [UserImageOmitted] and [ToolImageOmitted]. A
// text block that says this before an image counts as the placeholder of it.
const (
	PiUserImageOmitted = "(image omitted: model does not support images)"
	PiToolImageOmitted = "(tool image omitted: model does not support images)"
)

// PrepareOptions say how [Prepare] works.
type PrepareOptions struct {
	// CallID rewrites the id of a tool call in the answer from for the API of the
	// target; if Plain, in answers of other models only. Nil keeps the ids.
	CallID func(id string, from message.Message) string

	// Plain asks for what pi does: tool results that answer no open call stay
	// (docs/spec/session.md 13, ★13), and so do ids that occur twice.
	Plain bool

	Timestamp int64 // of invented results
}

// Prepare repairs a conversation for a model (docs/spec/session.md 5.4): images
// that it cannot see, or nobody, become texts, what only another model can use is taken out,
// failed answers are dropped, and every tool call gets a result, before which no
// other message comes. Messages that need no repair keep their JSON; msgs is not
// changed. Answers that have become empty stay: what to do about them hangs on
// the API.
func Prepare(msgs []message.Message, target Info, o PrepareOptions) []message.Message {
	r := newRepair(target, o)
	r.out = make([]message.Message, 0, len(msgs))
	for _, m := range msgs {
		r.add(r.adapt(m))
	}
	r.settle()
	return r.out
}

type repair struct {
	target Info
	o      PrepareOptions
	images bool
	out    []message.Message

	renamed map[string]string // ids of calls of other models: old to new
	used    map[string]int    // how often each call id has come; not if plain

	open []openCall        // calls of the last answer
	held []message.Message // system messages that came while calls were open
}

func newRepair(target Info, o PrepareOptions) repair {
	return repair{target: target, o: o, images: target.TakesImages()}
}

type openCall struct {
	id       string // as the results have it
	sent     string // as it is sent
	name     string
	answered bool
}

// adapt fits one message to the target, by itself.
func (r *repair) adapt(m message.Message) message.Message {
	if m.Content == nil && !m.HasContent() {
		if m.Role == message.System {
			return m.WithField("content", message.Value(`""`))
		}
		m = m.WithContent([]message.Block{})
	}
	switch m.Role {
	case message.User:
		switch {
		case m.IsText:
		case !r.images:
			m = withoutImages(m, UserImageOmitted, PiUserImageOmitted)
		case !r.o.Plain:
			m = fitImages(m)
		}
	case message.ToolResult:
		if m.IsText {
			m = m.WithContent(m.Content)
		}
		switch {
		case !r.images:
			m = withoutImages(m, ToolImageOmitted, PiToolImageOmitted)
		case !r.o.Plain:
			m = fitImages(m)
		}
		if id, ok := r.renamed[m.ToolCallID]; ok {
			m = m.WithField("toolCallId", rawjson.Quote(id))
		}
	case message.Assistant:
		if m.IsText {
			m = m.WithContent(m.Content)
		}
		m = r.adaptAnswer(m)
	}
	return m
}

// withoutImages puts a text in the place of each run of images.
func withoutImages(m message.Message, text, foreign string) message.Message {
	var (
		blocks  []message.Block
		changed bool
		said    bool // the block before is the text
	)
	for _, b := range m.Content {
		if b.Type == message.ImageBlock {
			changed = true
			if !said {
				blocks = append(blocks, message.Text(text))
			}
			said = true
			continue
		}
		blocks = append(blocks, b)
		said = b.Type == message.TextBlock && b.HasText() && (b.Text == text || b.Text == foreign)
	}
	if !changed {
		return m
	}
	return m.WithContent(blocks)
}

func (r *repair) adaptAnswer(m message.Message) message.Message {
	same := r.target.Same(m)
	var (
		blocks  = make([]message.Block, 0, len(m.Content))
		changed bool
	)
	for _, b := range m.Content {
		keep := true
		switch b.Type {
		case message.ThinkingBlock:
			keep = same && (b.Redacted || rawjson.Truthy(rawjson.Get(b.JSON(), "thinkingSignature")) || !blank(b.Text))
			changed = changed || !keep
		case message.TextBlock:
			if text, ok := bare(b); !same && ok {
				b, changed = text, true
			}
		case message.ToolCallBlock:
			if same && r.o.Plain {
				break
			}
			if call, ok := r.adaptCall(b, m, same); ok {
				b, changed = call, true
			}
		}
		if keep {
			blocks = append(blocks, b)
		}
	}
	if !changed {
		return m
	}
	return m.WithContent(blocks)
}

// blank reports whether ECMAScript's trim leaves nothing of s.
func blank(s string) bool {
	return strings.TrimFunc(s, func(c rune) bool {
		return c == '\uFEFF' || c != '\u0085' && unicode.IsSpace(c)
	}) == ""
}

// bare returns a text block with its text alone, and whether it had more.
func bare(b message.Block) (message.Block, bool) {
	more := false
	for key := range rawjson.Members(b.JSON()) {
		if key != "type" && key != "text" {
			more = true
		}
	}
	if !more {
		return b, false
	}
	v := message.Value(`{"type":"text"}`)
	if text := rawjson.Get(b.JSON(), "text"); text != nil {
		v = rawjson.Set(v, "text", text)
	}
	return message.DecodeBlock(v), true
}

// adaptCall fits a call, and tells whether it had to.
func (r *repair) adaptCall(b message.Block, from message.Message, same bool) (message.Block, bool) {
	changed := false
	if !same && rawjson.Truthy(rawjson.Get(b.JSON(), "thoughtSignature")) {
		b, changed = b.With("thoughtSignature", nil), true
	}
	if r.o.CallID == nil {
		return b, changed
	}
	id := r.o.CallID(b.ID, from)
	if id == b.ID {
		if !r.o.Plain {
			delete(r.renamed, id) // the results to come are not of the call before
		}
		return b, changed
	}
	if r.renamed == nil {
		r.renamed = map[string]string{}
	}
	r.renamed[b.ID] = id
	return b.With("id", rawjson.Quote(id)), true
}

// Same reports whether an answer is the model's own, so that its signatures can
// go back.
func (i Info) Same(m message.Message) bool {
	return m.Provider == i.Provider && m.API == i.API && m.Model == i.ID
}

// add puts an adapted message in its place.
func (r *repair) add(m message.Message) {
	switch m.Role {
	case message.Assistant:
		r.settle()
		if m.StopReason == message.Failed || m.StopReason == message.Aborted {
			return
		}
		r.out = append(r.out, r.opened(m))
	case message.ToolResult:
		if m, ok := r.answer(m); ok {
			r.out = append(r.out, m)
		}
	case message.User:
		r.settle()
		r.out = append(r.out, m)
	case message.System:
		if len(r.open) > 0 {
			r.held = append(r.held, m)
			return
		}
		r.out = append(r.out, m)
	default:
		r.out = append(r.out, m)
	}
}

// opened notes the calls of an answer. An id that is empty or has come before
// is replaced, since some servers begin anew with each answer and others refuse
// that.
func (r *repair) opened(m message.Message) message.Message {
	blocks := m.Content
	for i, b := range m.Content {
		if b.Type != message.ToolCallBlock {
			continue
		}
		c := openCall{id: b.ID, sent: b.ID, name: b.Name}
		if !r.o.Plain {
			c.sent = r.unique(b.ID)
		}
		r.open = append(r.open, c)
		if c.sent == c.id {
			continue
		}
		if &blocks[0] == &m.Content[0] {
			blocks = append([]message.Block(nil), blocks...)
		}
		blocks[i] = b.With("id", rawjson.Quote(c.sent))
	}
	if len(blocks) > 0 && &blocks[0] != &m.Content[0] {
		m = m.WithContent(blocks)
	}
	return m
}

// unique returns id, or, if it cannot stand for one call alone, another one that
// hangs on nothing but the messages before. Of an id in two parts, CALL|ITEM, the
// first is what tells calls apart.
func (r *repair) unique(id string) string {
	if r.used == nil {
		r.used = map[string]int{}
	}
	call, _, _ := strings.Cut(id, "|")
	n := r.used[call]
	r.used[call]++
	if call != "" && n == 0 {
		return id
	}
	for ; ; n++ {
		other := inventedID(id, n)
		if r.used[other] == 0 {
			r.used[other]++
			return other
		}
	}
}

// answer notes the result of an open call. It returns false for one that is not
// to be sent.
func (r *repair) answer(m message.Message) (message.Message, bool) {
	for i := range r.open {
		c := &r.open[i]
		if c.id != m.ToolCallID || c.answered && !r.o.Plain {
			continue
		}
		c.answered = true
		if r.o.Plain {
			continue // one result is for all calls with its id
		}
		if c.sent != c.id {
			m = m.WithField("toolCallId", rawjson.Quote(c.sent))
		}
		return m, true
	}
	return m, r.o.Plain
}

// settled reports whether settle has nothing to add.
func (r *repair) settled() bool {
	return len(r.held) == 0 && !slices.ContainsFunc(r.open, func(c openCall) bool { return !c.answered })
}

// settle closes the calls of the last answer.
func (r *repair) settle() {
	for _, c := range r.open {
		if !c.answered {
			r.out = append(r.out, message.Message{Role: message.ToolResult, ToolCallID: c.sent, ToolName: c.name,
				Content: []message.Block{message.Text(NoResult)}, IsError: true, Timestamp: r.o.Timestamp})
		}
	}
	r.out = append(r.out, r.held...)
	r.open, r.held = r.open[:0], r.held[:0]
}
