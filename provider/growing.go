package provider

import (
	"sync"

	"github.com/boughdev/bough/message"
)

// Growing keeps what the conversation of the last request came to, so that the
// next one, which nearly always says the same and a little more, costs only what
// is new. E is an encoder: a plain value that knows what must be known to go on
// behind the messages it has written. Growing may be used by several goroutines;
// of requests at the same time one is helped.
type Growing[E any] struct {
	Target  Info
	Options PrepareOptions
	InPlace bool // see FoldSystem

	mu   sync.Mutex
	last *Conversation[E] // guarded by mu
}

// A Conversation is that of one request, as [Prepare] and [FoldSystem] make it.
type Conversation[E any] struct {
	Prompt   string
	Tools    []message.ToolSpec
	Messages []message.Message

	end     func()
	from    *Growing[E]
	asked   []message.Message  // what was taken in
	seen    []message.Identity // of each of asked
	repair  repair
	system  []message.Message
	leading int  // of system: before all others
	closed  bool // later messages change nothing of Messages

	encoder E // behind the messages that are encoded
	encoded Body
	done    int // so many
}

// Begin prepares the conversation of a request. It is to be used until End.
func (g *Growing[E]) Begin(req Request) *Conversation[E] {
	if req.NoCache || !g.mu.TryLock() { // not one of a row, or of another row
		c := g.fresh()
		c.take(req.Messages)
		return c
	}
	c := g.last
	if c == nil || !c.closed || !c.begins(req.Messages) {
		c = g.fresh()
	}
	c.take(req.Messages)
	c.end, g.last = g.mu.Unlock, c
	return c
}

func (g *Growing[E]) fresh() *Conversation[E] {
	return &Conversation[E]{from: g, end: func() {}, repair: newRepair(g.Target, g.Options)}
}

// End says that the request is written.
func (c *Conversation[E]) End() { c.end() }

// begins reports whether a conversation begins with what was taken in.
func (c *Conversation[E]) begins(msgs []message.Message) bool {
	n := len(c.seen)
	switch {
	case n > len(msgs):
		return false
	case n > 0 && &msgs[0] == &c.asked[0] && msgs[n-1].Identity() == c.seen[n-1]:
		return true // the same list, which only grows
	}
	for i, id := range c.seen {
		if id == (message.Identity{}) || id != msgs[i].Identity() {
			return false
		}
	}
	return true
}

// take takes in what is new of a conversation.
func (c *Conversation[E]) take(msgs []message.Message) {
	for i := len(c.seen); i < len(msgs); i++ {
		c.seen = append(c.seen, msgs[i].Identity())
		c.repair.add(c.repair.adapt(msgs[i]))
	}
	c.asked = msgs
	// Calls without a result may still get one; all else is settled.
	c.closed = c.repair.settled()
	c.repair.settle()
	told := len(c.system)
	for i := range c.repair.out {
		m := &c.repair.out[i]
		if m.Role != message.System {
			c.Messages = append(c.Messages, *m)
			continue
		}
		c.system = append(c.system, *m)
		if len(c.Messages) == 0 {
			c.leading = len(c.system)
		} else if c.from.InPlace && changesInWords(*m) {
			c.Messages = append(c.Messages, *m)
		}
	}
	c.repair.out = c.repair.out[:0]
	if len(c.system) == told {
		return
	}
	all, ok := message.FoldSystem(c.system)
	if !ok { // they say nothing that can be folded
		c.Prompt, c.Tools, c.Messages = FoldSystem(Prepare(msgs, c.from.Target, c.from.Options), c.from.InPlace)
		c.closed = false
		return
	}
	if c.from.InPlace {
		all.ToolsAdded, c.Tools = nil, all.ToolsAdded
		all, _ = message.FoldSystem(c.system[:c.leading])
	} else {
		c.Tools = all.ToolsAdded
	}
	c.Prompt = all.Prompt()
}

// Settled returns how many messages come before the last answer. A later request
// writes them as this one does.
func (c *Conversation[E]) Settled() int {
	for i := len(c.Messages) - 1; i >= 0; i-- {
		if c.Messages[i].Role == message.Assistant {
			return i
		}
	}
	return 0
}

// Write writes the messages that are settled and returns the others, for the
// caller to write, with the encoder to do it by. begin is the encoder at the
// beginning; encode lets one write messages to b.
func (c *Conversation[E]) Write(b *Body, begin E, encode func(e *E, b *Body, msgs []message.Message)) (E, []message.Message) {
	if c.done == 0 {
		c.encoder = begin
	}
	if n := c.Settled(); n > c.done {
		encode(&c.encoder, &c.encoded, c.Messages[c.done:n])
		c.done = n
	}
	b.Grow(c.encoded.Len() + 8<<10)
	b.Elements(&c.encoded)
	return c.encoder, c.Messages[c.done:]
}
