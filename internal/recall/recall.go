// Package recall is a tool that lets a model read what compaction has taken out of
// its sight: entries of its own path, word for word. It changes nothing, and shows
// neither other branches nor what a person has hidden or keeps from the model.
package recall

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/internal/search"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/tool"
)

// Name is the tool's.
const Name = "recall"

// Budgets, in bytes of text.
const (
	perCall = 8_000
	perRun  = 40_000
	excerpt = 400 // of one place that was found
)

type args struct {
	Words  string
	From   *int
	To     *int
	Tool   string
	Offset int
}

var spec = message.ToolSpec{
	Name: Name,
	Description: "Read messages of this conversation that were summed up, word for word. Give words (all must occur; \"quoted\" ones in this order), " +
		"a range of message numbers, or a tool's name; alone it lists the user's messages.",
	Parameters: message.Value(`{"type":"object","properties":{"words":{"type":"string"},"from":{"type":"integer","description":"first number"},` +
		`"to":{"type":"integer","description":"last number"},"tool":{"type":"string","description":"only its calls and results"},` +
		`"offset":{"type":"integer","description":"skip so many characters of a long message"}}}`),
	Prompt: "Read messages that were summed up",
}

// New returns the tool for one run. at returns the session as it is and where it
// stands.
func New(at func(context.Context) (*session.Tree, session.ID, error)) tool.Tool {
	b := &budget{left: perRun}
	return reader{tool.New(spec, func(ctx context.Context, a args, _ func(message.Output)) (message.Output, error) {
		tree, leaf, err := at(ctx)
		if err != nil {
			return message.Output{}, err
		}
		most := b.most()
		if most == 0 {
			return message.ErrorOutput("This run has recalled enough. Go on with what is known, or ask the user."), nil
		}
		text, err := look(ctx, tree, leaf, a, most)
		if err != nil {
			return message.ErrorOutput(err.Error()), nil
		}
		b.spend(len(text))
		return message.TextOutput(text), nil
	})}
}

// reader is a tool that reads the conversation alone.
type reader struct{ tool.Tool }

func (reader) Effect(context.Context, json.RawMessage) tool.Effect {
	return tool.Effect{Kind: tool.Reads}
}

// budget is what one run may still read.
type budget struct {
	mu   sync.Mutex
	left int // guarded by mu
}

func (b *budget) most() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.left < excerpt {
		return 0
	}
	return min(b.left, perCall)
}

func (b *budget) spend(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.left -= n
}

// A past message is one that the model does not see any more.
type past struct {
	*session.Entry
	index int // as /history has it
	edit  *session.ContextEdit
}

// hidden returns what compaction has hidden on the path to leaf.
func hidden(tree *session.Tree, leaf session.ID) ([]past, error) {
	chain, err := render.Chain(tree, leaf)
	if err != nil {
		return nil, err
	}
	edits := map[session.ID]session.ContextEdit{}
	for _, e := range tree.Path(leaf) {
		if e.Type != session.TypeContextEdit {
			continue
		}
		if body, err := e.Body(); err == nil {
			if x, ok := body.(session.ContextEdit); ok {
				edits[x.Target] = x
			}
		}
	}
	var out []past
	for _, l := range chain {
		if !l.Compacted || l.Omitted {
			continue
		}
		p := past{Entry: l.Entry, index: l.Index}
		if x, ok := edits[l.Entry.ID]; ok {
			if x.Omit {
				continue
			}
			p.edit = &x
		}
		out = append(out, p)
	}
	return out, nil
}

// said returns all that a message said, and whether the tool has a part in it; ""
// if the model is not to see it.
func (p past) said(toolName string) (text string, of bool) {
	body, err := p.Body()
	if err != nil {
		return "", false // it is told of as damage
	}
	if m, ok := body.(session.Message); ok {
		if m.Message.ExcludeFromContext {
			return "", false
		}
		of = m.Message.ToolName == toolName
		for _, c := range m.Message.ToolCalls() {
			of = of || c.Name == toolName
		}
	}
	if p.edit != nil {
		return (message.Message{Content: message.DecodeContent(p.edit.Content)}).Text("\n"), of
	}
	text, err = render.Full(p.Entry, false)
	if err != nil {
		return "", false
	}
	return text, of
}

func look(ctx context.Context, tree *session.Tree, leaf session.ID, a args, most int) (string, error) {
	all, err := hidden(tree, leaf)
	if err != nil {
		return "", fmt.Errorf("the session cannot be read: %w", err)
	}
	if len(all) == 0 {
		return "", fmt.Errorf("nothing was summed up here: you see the whole conversation")
	}
	x, err := search.Parse(a.Words)
	if err != nil {
		return "", err
	}
	first, last := all[0].index, all[len(all)-1].index
	from, to := first, last
	if a.From != nil {
		from, to = *a.From, *a.From
	}
	if a.To != nil {
		to = *a.To
	}
	if from > to || to < first || from > last {
		return "", fmt.Errorf("there are no messages %d to %d among those that were summed up; they go from %d to %d", from, to, first, last)
	}
	list := a.From == nil && a.To == nil && a.Tool == "" && x.Empty()
	w := writer{most: most - 200} // room for the last line
	previews := render.NewPreviews(tree)
	fit := 0
	for _, p := range all {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		if p.index < from || p.index > to || list && p.Role != message.User {
			continue
		}
		text, of := p.said(a.Tool)
		if text == "" || a.Tool != "" && !of {
			continue
		}
		start := 0
		if !x.Empty() {
			var ok bool
			if start, ok = x.In(text); !ok {
				continue
			}
		}
		fit++
		head := fmt.Sprintf("[%d] %s %s", p.index, previews.Of(p.Entry).Who, p.ID)
		switch {
		case list:
			w.add(p.index, head+": "+render.Cut(render.OneLine(text), 160), "")
		case !x.Empty():
			w.add(p.index, head, around(text, start))
		default:
			offset := a.Offset
			if from != to {
				offset = 0 // of which?
			}
			w.whole(p.index, head, text, offset)
		}
	}
	if fit == 0 {
		return fmt.Sprintf("Nothing fits in the messages %d to %d. Try fewer or other words.", from, to), nil
	}
	if w.missed > 0 {
		fmt.Fprintf(&w.b, "%d more from [%d] on; ask for a range from there.\n", w.missed, w.next)
	}
	return w.b.String(), nil
}

// writer writes messages as long as there is room.
type writer struct {
	b            strings.Builder
	most         int
	missed, next int // messages that found no room, and the first of them
}

func (w *writer) add(index int, head, text string) bool {
	if text != "" {
		head += "\n" + text
	}
	if w.missed > 0 || w.b.Len()+len(head)+1 > w.most {
		if w.missed++; w.missed == 1 {
			w.next = index
		}
		return false
	}
	w.b.WriteString(head + "\n")
	return true
}

// whole writes all of a message from a place on. The first one is cut if need be,
// so that there is always something.
func (w *writer) whole(index int, head, text string, offset int) {
	if offset > 0 {
		text = text[edge(text, min(offset, len(text))):]
	}
	if w.b.Len() == 0 && len(head)+len(text)+1 > w.most {
		end := edge(text, max(w.most-len(head)-120, 0))
		fmt.Fprintf(&w.b, "%s\n%s\n(%d characters of [%d] follow; offset %d goes on)\n", head, text[:end], len(text)-end, index, max(offset, 0)+end)
		return
	}
	w.add(index, head, text)
}

// around is the text around a place.
func around(text string, at int) string {
	start := edge(text, max(at-excerpt/4, 0))
	end := edge(text, min(start+excerpt, len(text)))
	s := strings.TrimSpace(text[start:end])
	if start > 0 {
		s = "..." + s
	}
	if end < len(text) {
		s += "..."
	}
	return s
}

// edge is the next place before or at i where a character begins.
func edge(s string, i int) int {
	for i > 0 && i < len(s) && !utf8.RuneStart(s[i]) {
		i--
	}
	return i
}
