package rpc

import (
	"bytes"
	"strconv"

	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// level is how much a client wants to be told of a view.
type level int

const (
	none level = iota // nothing, or, of the attached view, pi's events in pi's form
	pis               // pi's events
	full              // and what bough has beyond them
)

// eventNames are the events that only level full has, and those of connections.
func eventNames() []string {
	return []string{"view_snapshot", "entry_appended", "leaf_changed", "label_changed", "context_changed", "question_asked", "question_answered",
		"permissions_changed", "model_changed", "branch_summary_start", "branch_summary_end", "bash_execution_start", "notice",
		"view_opened", "view_closed", "session_replaced", "bough_error"}
}

// tell writes what a client wants to know of an event. from is where the
// conversation stood before it.
func (s *server) tell(w *window, ev protocol.Event, from session.ID) {
	w.wire.Ours = w.level == full
	records := w.wire.Records(ev) // also if nobody wants them: it knows which answer has begun
	switch {
	case w.level == full:
		for _, r := range w.all(ev, from, records) {
			s.put(w.mark(r))
		}
	case w.level == pis:
		for _, r := range records {
			s.put(w.mark(r))
		}
	case w == s.plain:
		s.put(records...)
	}
	if _, ok := ev.(protocol.State); ok && !w.told {
		w.told = true
		if s.every != none && w != s.plain {
			w.subscribe(s.every)
		}
		if s.every == full && w != s.plain {
			s.put(w.mark(w.record("view_opened")))
		}
	}
}

// record says that something became of the view itself. Writer's.
func (w *window) record(typ string) []byte {
	return newObject().str("type", typ).str("sessionId", w.view.Header.ID).optional("sessionFile", w.view.File).done()
}

// subscribe sets what is told of a view from now on. Questions that were asked as
// events are asked as dialogs if there are no such events any more. Writer's.
func (w *window) subscribe(l level) {
	was := w.level
	w.level = l
	if was == full && l != full {
		for _, q := range w.view.Open {
			if !w.s.asks(w, q.ID) {
				w.s.open(w, q)
			}
		}
	}
	w.s.mu.Lock()
	w.bounded = l != none
	w.s.mu.Unlock()
}

// mark makes a record one of a subscription. Writer's.
func (w *window) mark(record []byte) []byte {
	w.seq++
	b := append(make([]byte, 0, len(record)+32), bytes.TrimSuffix(record, []byte("}"))...)
	b = append(append(append(b, `,"view":"`...), w.name...), `","seq":`...)
	return append(strconv.AppendInt(b, w.seq, 10), '}')
}

// all returns the records of an event at level full, beside those that pi has.
// Writer's.
func (w *window) all(ev protocol.Event, from session.ID, records [][]byte) [][]byte {
	add := func(o *object) { records = append(records, o.done()) }
	switch e := ev.(type) {
	case protocol.Opened:
		if w.told {
			o := newObject().str("type", "session_replaced").str("sessionId", e.Header.ID).optional("sessionFile", e.File)
			add(o.str("oldSessionId", w.wasID))
		}
	case protocol.State:
		if w.told {
			add(moved(e.Leaf, w.wasAt, w.reason))
		}
	case protocol.Appended:
		records = append(records, w.appended(e, from)...)
	case protocol.ContextChanged:
		o := newObject().str("type", "context_changed")
		if e.Use != nil {
			o.raw("contextUsage", contextUse(e.Use))
		}
		add(o)
	case protocol.ModelChanged:
		add(newObject().str("type", "model_changed").str("provider", e.Model.Provider).str("modelId", e.Model.ID))
	case protocol.Asked:
		add(question(newObject().str("type", "question_asked"), e))
	case protocol.Answered:
		o := newObject().str("type", "question_answered").str("id", e.ID).str("choice", e.Choice)
		add(o.optional("text", e.Text).optional("by", e.By))
	case protocol.PermissionsChanged:
		add(permissions(newObject().str("type", "permissions_changed"), e.Permissions).optional("by", e.By))
	case protocol.SavingChanged:
		add(newObject().str("type", "saving_changed").num("unsaved", float64(e.Entries)).optional("reason", e.Why))
	case protocol.BashStarted:
		o := newObject().str("type", "bash_execution_start")
		if id, ok := e.ID.(protocol.RawID); ok {
			o.raw("id", []byte(id))
		}
		add(o.str("command", e.Command))
	case protocol.Notice:
		add(newObject().str("type", "notice").str("level", e.Level).str("text", e.Text).optional("entryId", string(e.Entry)))
	}
	return records
}

// appended returns what is told of what an entry has changed. Writer's.
func (w *window) appended(e protocol.Appended, from session.ID) (records [][]byte) {
	if e.Entry.Type == session.TypeLabel {
		if body, err := e.Entry.Body(); err == nil {
			if l, ok := body.(session.Label); ok {
				records = append(records, newObject().str("type", "label_changed").str("targetId", string(l.Target)).optional("label", l.Text).done())
			}
		}
	}
	if w.view.Leaf != from {
		records = append(records, moved(w.view.Leaf, from, "append").done())
	}
	return records
}

// moved says where the conversation stands now.
func moved(to, from session.ID, reason string) *object {
	return newObject().str("type", "leaf_changed").place("leafId", to).place("oldLeafId", from).str("reason", reason)
}

// question writes a question.
func question(o *object, q protocol.Asked) *object {
	list := make([][]byte, len(q.Choices))
	for i, c := range q.Choices {
		choice := newObject().str("id", c.ID).str("text", c.Text).optional("kind", string(c.Kind))
		if c.Words {
			choice.flag("words", true)
		}
		list[i] = choice.done()
	}
	o.str("id", q.ID).str("text", q.Text).list("choices", list)
	if a := q.About; a != nil {
		about := newObject().str("toolCallId", a.CallID).str("toolName", a.Tool)
		if len(a.Args) > 0 {
			about.raw("args", flat(a.Args))
		}
		about.optional("kind", string(a.Kind))
		if len(a.Files) > 0 {
			about.texts("files", a.Files)
		}
		o.raw("about", about.optional("command", a.Command).optional("diff", a.Diff).optional("reason", a.Reason).optional("rule", a.Rule).done())
	}
	return o
}

// permissions writes what tools may do without a question.
func permissions(o *object, p protocol.Permissions) *object {
	modes := make([][]byte, len(p.Modes))
	for i, m := range p.Modes {
		modes[i] = newObject().str("id", m.ID).str("text", m.Text).done()
	}
	return o.str("mode", p.Mode).list("modes", modes).texts("allow", p.Allow).texts("ask", p.Ask).texts("deny", p.Deny).texts("session", p.Session)
}
