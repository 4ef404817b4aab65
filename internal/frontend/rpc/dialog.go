package rpc

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/protocol"
)

// A question is also asked as a dialog of pi's, for clients that know no others
// (docs/spec/rpc.md 8): a select, and an input where words go with an answer. Who has
// subscribed to a view at level full gets question_asked instead.
type dialog struct {
	id    string
	w     *window
	asked protocol.Asked
	words string // the choice that the input is for; "" of a select
}

// withWords is what the option says of a choice that words go with.
const withWords = ", and say why"

// maxShown is how much of a command or a change stands in a dialog, in bytes.
const maxShown = 64 << 10

// ask writes what an event makes of the dialogs of a view. Writer's.
func (s *server) ask(w *window, ev protocol.Event) {
	switch e := ev.(type) {
	case protocol.Opened:
		s.close(func(d *dialog) bool { return d.w == w })
	case protocol.State:
		for _, q := range e.Open {
			s.open(w, q)
		}
	case protocol.Asked:
		s.open(w, e)
	case protocol.Answered:
		s.close(func(d *dialog) bool { return d.w == w && d.asked.ID == e.ID })
	}
}

// open asks a question as a dialog. Writer's.
func (s *server) open(w *window, q protocol.Asked) {
	if w.level == full {
		return
	}
	d := &dialog{id: uuid.NewString(), w: w, asked: q}
	s.keep(d)
	var options []string
	for _, c := range q.Choices {
		options = append(options, c.Text)
		if c.Words {
			options = append(options, c.Text+withWords)
		}
	}
	s.put(s.dialogRecord(w, newObject().str("type", "extension_ui_request").str("id", d.id).str("method", "select").str("title", title(q)).texts("options", options)))
}

// dialogRecord ends the record of a dialog, which says of which view it is unless that
// is the client's only one. Writer's.
func (s *server) dialogRecord(w *window, o *object) []byte {
	switch {
	case w.level != none:
		return w.mark(o.done())
	case w != s.plain:
		o.str("view", w.name)
	}
	return o.done()
}

// asks reports whether a dialog waits for the answer to a question.
func (s *server) asks(w *window, id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.dialogs, func(d *dialog) bool { return d.w == w && d.asked.ID == id })
}

func (s *server) keep(d *dialog) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dialogs = append(s.dialogs, d)
}

// close forgets dialogs that need no answer any more.
func (s *server) close(which func(*dialog) bool) (closed []*dialog) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var rest []*dialog
	for _, d := range s.dialogs {
		if which(d) {
			closed = append(closed, d)
		} else {
			rest = append(rest, d)
		}
	}
	s.dialogs = rest
	return closed
}

// title is a question with what it is about, for people.
func title(q protocol.Asked) string {
	if q.About == nil {
		return q.Text
	}
	more := q.About.Diff
	switch {
	case q.About.Command != "":
		more = q.About.Command
	case more == "" && q.About.Kind == protocol.Reaches:
		more = string(q.About.Args)
	}
	if len(more) > maxShown {
		more = fmt.Sprintf("%s\n… and %d bytes more", strings.ToValidUTF8(more[:maxShown], ""), len(more)-maxShown)
	}
	if more = strings.TrimRight(more, "\n"); more == "" {
		return q.Text
	}
	return q.Text + "\n\n" + more
}

// answerDialog takes the answer to a dialog. One in the wrong form, or that calls the
// dialog off, refuses; one that nobody waits for is dropped.
func (s *server) answerDialog(ctx context.Context, c call) {
	id, _ := rawjson.String(c.fields["id"])
	found := s.close(func(d *dialog) bool { return d.id == id })
	if len(found) == 0 {
		return
	}
	d := found[0]
	value, given := rawjson.String(c.fields["value"])
	off := rawjson.Bool(c.fields["cancelled"])
	given = given && !off
	a := protocol.Answer{Question: d.asked.ID, Choice: d.words}
	if d.words != "" {
		if given {
			a.Text = strings.TrimSpace(rawjson.ToValid(value))
		}
		s.settle(ctx, d, a)
		return
	}
	for _, ch := range d.asked.Choices {
		switch {
		case given && ch.Words && value == ch.Text+withWords:
			s.askWords(ctx, d, ch.ID)
			return
		case given && value == ch.Text:
			a.Choice = ch.ID
		case a.Choice == "" && (ch.Kind == protocol.RejectOnce || ch.ID == "no"):
			a.Choice = ch.ID // unless another is found
		}
	}
	s.settle(ctx, d, a)
}

// askWords asks for the words that go with a choice.
func (s *server) askWords(ctx context.Context, of *dialog, choice string) {
	d := &dialog{id: uuid.NewString(), w: of.w, asked: of.asked, words: choice}
	s.keep(d)
	s.respond(ctx, d.w, answer{make: func() []byte {
		return s.dialogRecord(d.w, newObject().str("type", "extension_ui_request").str("id", d.id).str("method", "input").
			str("title", "What is the model to do instead?").str("placeholder", "words for the model"))
	}, size: overhead})
}

func (s *server) settle(ctx context.Context, d *dialog, a protocol.Answer) {
	// An error says that somebody else was quicker, or that the run is over.
	_, _ = protocol.Call(ctx, d.w.c, a)
}
