package doctor

import (
	"slices"
	"time"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
)

// header says what is wrong with the header, and whether the file is a session.
func (c *checker) header() {
	switch {
	case c.Lines == 0:
		c.Session = true
		c.add(Empty, 0, 0, 0, "", "The file is empty. It becomes a session with the first words that are said in it.")
		return
	case c.headed > 0:
		c.Session = true
	case c.Counts[TornHeader]+c.Counts[NamelessID] > 0:
		c.Session = true
	case c.Entries > 0 && c.known():
		c.Session = true
		c.add(NoHeader, 1, 0, 0, "", "There is no header, so neither the id of the session nor its folder are known. pi refuses the file; bough opens it for reading only.")
	default:
		c.add(NoSession, 0, 0, 0, "", "The file is no session: it has neither a session header nor entries.")
	}
	if !c.Session {
		return
	}
	switch {
	case c.version < session.Version:
		c.add(OldVersion, c.headed, 0, 0, "", "The file has the old version %d. bough reads it as what it migrates to, and keeps the old file beside it when it writes the first time; pi rewrites it in place when it is opened.", c.version)
	case c.version > session.Version:
		c.add(NewVersion, c.headed, 0, 0, "", "The file has version %d, and this program knows %d: it only reads it.", c.version, session.Version)
	}
}

// known reports whether there is an entry of a type of pi.
func (c *checker) known() bool {
	for e := range c.tree.Log() {
		switch e.Type {
		case session.TypeMessage, session.TypeModel, session.TypeThinking, session.TypeUsage, session.TypeCompaction, session.TypeBranchSummary,
			session.TypeCustom, session.TypeCustomMessage, session.TypeContextEdit, session.TypeLabel, session.TypeInfo:
			return true
		}
	}
	return false
}

// places tells of entries that do not hang where their lines say.
func (c *checker) places() {
	repeated := c.tree.Size() != c.tree.Len()
	for e := range c.tree.Log() {
		if d := e.Damage; d != nil && !e.Lost() {
			switch {
			case d.Kind&session.Shadowed != 0:
				c.about(SameID, e, "Its id is also that of a later entry, which is another. bough calls it %s and hangs below each the entries that follow it; pi sees only the last.", e.ID)
			case d.Kind&session.Moved != 0:
				c.about(Orphan, e, "Its parent %s is not in the file, or cannot be read. bough hangs it below %s, which stands before it; in pi the conversation begins here.", d.Named, e.Parent)
			}
		}
		switch {
		case e.Parent == e.ID:
			c.about(OwnParent, e, "It is its own parent. It counts as a first entry; pi walks in a circle until its memory is full.")
		case e.Parent != "" && !c.tree.Has(e.Parent):
			c.about(Orphan, e, "Its parent %s is not in the file, and nothing stands before it. It counts as a first entry.", e.Parent)
		case repeated:
			if last := c.tree.Get(e.ID); last != nil && last.Line != e.Line {
				c.about(Twice, e, "The same line stands in the file again, in line %d. Once counts.", c.lineOf(last))
			}
		}
	}
}

// call is what an entry has to do with tool calls.
type call struct {
	calls   []string // ids of the calls of an answer
	answers string   // the call that a result is of
	failed  bool     // the answer failed, or was aborted, and is not sent again
}

// step is what is known at an entry on the path that is walked.
type step struct {
	id     session.ID
	seq    session.Seq
	time   time.Time
	asker  *session.Entry // the answer whose calls are open; nil if none are
	open   []string
	done   []string // calls of this turn that have a result
	calls  []string // of this very entry
	spoken int      // the nearest entry above that speaks, by its place in ends; -1: none
}

// walker goes over all paths, and knows what is on the one that it is at.
type walker struct {
	*checker
	path   []step
	ends   []bool                      // of each entry that speaks: whether none does below it
	known  map[string]int              // how often an id of a call is on the path
	wanted map[session.ID]bool         // entries that others point to
	above  map[session.ID]message.Role // those that are on the path
	told   map[session.ID]bool         // answers whose open calls were told of

	late, back     int
	lateAt, backAt *session.Entry
}

// walk goes over all paths.
func (c *checker) walk() {
	w := &walker{checker: c, known: map[string]int{}, wanted: map[session.ID]bool{}, above: map[session.ID]message.Role{}, told: map[session.ID]bool{}}
	for _, to := range []map[session.Seq]session.ID{c.kept, c.edits} {
		for _, id := range to {
			w.wanted[id] = true
		}
	}
	c.tree.Walk(c.tree.Leaf(), func(s session.Step) bool {
		w.leave(s.Depth)
		w.enter(s.Entry)
		return true
	})
	for _, end := range w.ends {
		if end {
			c.Ends++
		}
	}
	if w.late > 0 {
		c.about(LateParent, w.lateAt, "%s before its parent in the file; this is the first. The tree is right all the same.", plural(w.late, "entry stands", "entries stand"))
	}
	if w.back > 0 {
		c.about(Backwards, w.backAt, "%s a time before that of its parent; this is the first. Siblings may be in an odd order.", plural(w.back, "entry has", "entries have"))
	}
}

// leave goes back up.
func (w *walker) leave(depth int) {
	for len(w.path) > depth {
		at := &w.path[len(w.path)-1]
		for _, id := range at.calls {
			w.known[id]--
		}
		delete(w.above, at.id)
		w.path = w.path[:len(w.path)-1]
	}
}

// enter goes down to an entry.
func (w *walker) enter(e *session.Entry) {
	at := step{id: e.ID, seq: e.Line.Seq, time: e.Time, spoken: -1}
	if len(w.path) > 0 {
		up := &w.path[len(w.path)-1]
		if up.seq > e.Line.Seq {
			if w.late++; w.lateAt == nil {
				w.lateAt = entryOf(e)
			}
		}
		if at.time.IsZero() {
			at.time = up.time
		} else if at.time.Before(up.time) {
			if w.back++; w.backAt == nil {
				w.backAt = entryOf(e)
			}
		}
		at.asker, at.open, at.done, at.spoken = up.asker, up.open, up.done, up.spoken
	} else if e.Parent != "" && e.Parent != e.ID && w.tree.Has(e.Parent) {
		w.about(Cycle, e, "Its parent %s is also below it. It counts as a first entry; pi walks in a circle until its memory is full.", e.Parent)
	}
	if e.Speaks() {
		if at.spoken >= 0 {
			w.ends[at.spoken] = false
		}
		at.spoken = len(w.ends)
		w.ends = append(w.ends, true)
	}
	w.toolTurn(e, &at)
	w.points(e)
	if w.wanted[e.ID] {
		w.above[e.ID] = e.Role
	}
	w.path = append(w.path, at)
}

// entryOf copies an entry that is good only for a moment.
func entryOf(e *session.Entry) *session.Entry { k := *e; return &k }

// toolTurn follows calls and results along a path.
func (w *walker) toolTurn(e *session.Entry, at *step) {
	k := w.calls[e.Line.Seq]
	switch e.Role {
	case message.ToolResult:
		switch i := slices.Index(at.open, k.answers); {
		case i >= 0:
			at.open = slices.Delete(slices.Clone(at.open), i, i+1)
			at.done = append(slices.Clip(at.done), k.answers)
		case slices.Contains(at.done, k.answers):
			w.about(Answered, e, "A second result of the call %s. Models are sent the first one; with pi requests fail.", k.answers)
		default:
			w.about(Uncalled, e, "A result of the call %s, which is not open here. It is not sent to models; with pi requests fail.", k.answers)
		}
		return
	case message.Assistant, message.User:
		if len(at.open) > 0 && !w.told[at.asker.ID] {
			w.told[at.asker.ID] = true
			w.about(Unanswered, at.asker, "%s no result, as after an abort. Models are told so.", plural(len(at.open), "call of this answer has", "calls of this answer have"))
		}
		at.open, at.done = nil, nil
	}
	if e.Role != message.Assistant || k.failed || len(k.calls) == 0 {
		return
	}
	for _, id := range k.calls {
		if w.known[id]++; w.known[id] == 2 {
			w.about(CallTwice, e, "The id %s of a call was used before on this path; some models refuse that.", id)
		}
	}
	at.asker, at.open, at.calls = entryOf(e), k.calls, k.calls
}

// points looks at the entries above that an entry speaks of.
func (w *walker) points(e *session.Entry) {
	if target, ok := w.edits[e.Line.Seq]; ok {
		if _, above := w.above[target]; !above {
			w.about(EditAway, e, "It changes %s, which is not above it, so it changes nothing.", target)
		}
	}
	first, ok := w.kept[e.Line.Seq]
	if !ok || first == "" || first == e.ID {
		return
	}
	switch role, above := w.above[first]; {
	case !above:
		w.about(OffPath, e, "The compaction keeps from %s on, which is not above it: nothing before it is kept.", first)
	case role == message.ToolResult:
		w.about(AtResult, e, "The compaction keeps from the tool result %s on, and so a result without its call.", first)
	}
}
