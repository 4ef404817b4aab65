package render

import (
	"iter"
	"slices"

	"github.com/boughdev/bough/internal/compaction"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
)

// Facts are what entries come to, such as those of a branch.
type Facts struct {
	Entries int // without bookkeeping
	Turns   int // messages of the user
	Calls   int // of tools
	Tally   session.Tally
	Tokens  int64 // roughly, of what was said

	Read, Changed []string // files; those that were changed are not among the read

	Last *session.Entry // what was said last
	Bad  bool           // and it failed or was stopped
}

// FactsOf adds up entries. Those that cannot be read count as entries and no more.
func FactsOf(entries iter.Seq[*session.Entry]) Facts {
	var f Facts
	var files compaction.Touched
	for e := range entries {
		if b, ok, err := e.Bill(); ok && err == nil {
			f.Tally.Add(b)
		}
		if !e.Speaks() || silentMessage(e) {
			continue
		}
		f.Entries++
		if e.Role == message.User {
			f.Turns++
		}
		if f.Last == nil || !e.Time.Before(f.Last.Time) {
			f.Last = e
		}
		body, err := e.Body()
		if err != nil {
			continue
		}
		m, ok := body.(session.Message)
		if !ok {
			continue
		}
		if e.Role != message.System {
			f.Tokens += message.Estimate(m.Message)
		}
		f.Calls += len(m.Message.ToolCalls())
		files.Add(m.Message)
	}
	f.Read, f.Changed = files.Files().Lists()
	f.Bad = f.Last != nil && f.Last.Role != message.ToolResult && IsTroubled(f.Last)
	return f
}

// Subtree yields an entry and all that hangs on it.
func Subtree(t *session.Tree, id session.ID) iter.Seq[*session.Entry] {
	return func(yield func(*session.Entry) bool) {
		stack := []*session.Entry{t.Get(id)}
		for len(stack) > 0 {
			e := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if e == nil {
				continue
			}
			if !yield(e) {
				return
			}
			kids := t.Children(e.ID)
			for _, k := range slices.Backward(kids) {
				stack = append(stack, k)
			}
		}
	}
}

// A Turn is what a person said and what came of it, on one branch.
type Turn struct {
	Said    *session.Entry   // nil if it begins otherwise
	Entries []*session.Entry // Said among them
	Answer  *session.Entry   // the last answer with words
}

// TurnsOf cuts entries of one path into turns. silent is [IsSilent], or what
// remembers it.
func TurnsOf(path []*session.Entry, silent func(*session.Entry) bool) []Turn {
	var turns []Turn
	begun := false
	for _, e := range path {
		if !e.Speaks() || e.Role == message.System || silentMessage(e) {
			continue
		}
		if len(turns) == 0 || e.Role == message.User && begun {
			turns = append(turns, Turn{})
		}
		begun = begun || e.Role != "" // summaries belong to what is said next
		t := &turns[len(turns)-1]
		t.Entries = append(t.Entries, e)
		switch {
		case e.Role == message.User:
			t.Said = e
		case e.Role == message.Assistant && !silent(e):
			t.Answer = e
		}
	}
	return turns
}

// TurnAt returns a message of the user and what followed it up to the next one: on
// the way to the leaf, or else on the newest way.
func TurnAt(t *session.Tree, id, leaf session.ID) []*session.Entry {
	var out []*session.Entry
	toward := map[session.ID]bool{}
	for _, e := range t.Below(id, leaf) {
		toward[e.ID] = true
	}
	for e := t.Get(id); e != nil; {
		out = append(out, e)
		kids := t.Children(e.ID)
		e = nil
		for _, k := range kids {
			if e == nil || toward[k.ID] || !toward[e.ID] {
				e = k
			}
		}
		if e != nil && e.Role == message.User {
			break
		}
	}
	return out
}
