package session

import (
	"fmt"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
)

// A Destination is where choosing an entry of the tree leads.
type Destination struct {
	Leaf ID // the new leaf; "" is the place before the first entry

	// Edit says that the entry is one the user wrote, or an extension for them:
	// the leaf moves before it, and what it says goes back to the editor.
	Edit   bool
	Text   string          // its text blocks, joined without separator
	Images []message.Block // its images, which pi loses
}

// Destination returns where choosing the entry of that id leads
// (docs/spec/session.md 5.3): a user message or custom message leads to what is
// above it in the tree, so to the start if its parent is missing (rule R13) or
// would close a cycle (rule R2); any other entry leads to itself.
func (t *Tree) Destination(id ID) (Destination, error) {
	e := t.Get(id)
	if e == nil {
		return Destination{}, fmt.Errorf("go to entry %s: %w", id, ErrNoSuchEntry)
	}
	if e.Role != message.User && e.Type != TypeCustomMessage {
		return Destination{Leaf: id}, nil
	}
	line, err := e.Raw()
	if err != nil {
		return Destination{}, err
	}
	d := Destination{Edit: true}
	if p := t.Parent(id); p != nil {
		d.Leaf = p.ID
	}
	content := rawjson.Get(line, "content")
	if e.Type == TypeMessage {
		content = rawjson.Get(rawjson.Get(line, "message"), "content")
	}
	m := message.Message{Content: message.DecodeContent(content)}
	d.Text = m.Text("")
	for _, b := range m.Content {
		if b.Type == message.ImageBlock {
			d.Images = append(d.Images, b)
		}
	}
	return d, nil
}

// A ForkPoint is a user message from before which a session can be forked.
type ForkPoint struct {
	ID   ID
	Text string
}

// ForkPoints returns the user messages with text, of all branches in the order
// of the log (docs/spec/session.md 9.2).
func (t *Tree) ForkPoints() ([]ForkPoint, error) {
	var points []ForkPoint
	for e := range t.Log() {
		if e.Role != message.User {
			continue
		}
		line, err := e.Raw()
		if err != nil {
			return nil, err
		}
		if text := contentText(rawjson.Get(line, "message"), ""); text != "" {
			points = append(points, ForkPoint{e.ID, text})
		}
	}
	return points, nil
}

// contentText returns the texts of a message's content, joined by sep.
func contentText(msg message.Value, sep string) string {
	return message.Message{Content: message.DecodeContent(rawjson.Get(msg, "content"))}.Text(sep)
}
