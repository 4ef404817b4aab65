package session

import (
	"fmt"
	"slices"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
)

// A BranchCopy is one path of a tree made ready to be a session of its own.
type BranchCopy struct {
	Entries []CopiedEntry
	Labels  []LabelState // to be set again, behind the entries
}

// A CopiedEntry is an entry as it stands in a copy. Its bytes are the original's
// but for the ids that had to change.
type CopiedEntry struct {
	*Entry
	Parent    ID // in the copy
	FirstKept ID // of a compaction that kept from a label: the entry it keeps from now
}

// CopyBranch returns the copy of the path to leaf (docs/spec/session.md 9.2):
// without the label entries on it, each other entry below the one before. A
// compaction that kept from a label in front of it keeps from the entry that
// follows that label. The labels are all that are set, on whatever branch, on
// entries of the copy, in the order in which their targets were first labelled.
func (t *Tree) CopyBranch(leaf ID) (BranchCopy, error) {
	path := t.Path(leaf)
	if len(path) == 0 {
		return BranchCopy{}, fmt.Errorf("copy the branch to entry %s: %w", leaf, ErrNoSuchEntry)
	}
	t.fold()
	c := BranchCopy{Entries: make([]CopiedEntry, 0, len(path))}
	var parent ID
	var labels []ID        // label entries since the last entry kept
	instead := map[ID]ID{} // by label entry: the entry kept next
	for _, e := range path {
		if e.Type == TypeLabel || e.Lost() {
			labels = append(labels, e.ID)
			continue
		}
		for _, l := range labels {
			instead[l] = e.ID
		}
		labels = labels[:0]
		copied := CopiedEntry{Entry: e, Parent: parent}
		if e.Type == TypeCompaction && len(instead) > 0 {
			line, err := e.Raw()
			if err != nil {
				return BranchCopy{}, err
			}
			first, _ := rawjson.GetString(line, "firstKeptEntryId")
			copied.FirstKept = instead[ID(first)]
		}
		c.Entries = append(c.Entries, copied)
		if _, ok := t.labels[e.ID]; ok {
			c.Labels = append(c.Labels, t.labelState(e.ID))
		}
		parent = e.ID
	}
	slices.SortFunc(c.Labels, byFirst)
	return c, nil
}

// Spoken reports whether the copy holds a message of a user or a model. Without
// one no file is written yet.
func (c BranchCopy) Spoken() bool {
	return slices.ContainsFunc(c.Entries, func(e CopiedEntry) bool {
		return e.Role == message.User || e.Role == message.Assistant
	})
}

// Line returns the entry's line in the copy, without a line end.
func (c CopiedEntry) Line() ([]byte, error) {
	line, err := c.Raw()
	if err != nil {
		return nil, err
	}
	if c.is(Unnamed | Shadowed) {
		line = rawjson.Set(line, "id", rawjson.Quote(string(c.ID)))
	}
	parent := rawjson.Get(line, "parentId")
	switch s, ok := rawjson.String(parent); {
	case c.Parent == "" && rawjson.Kind(parent) != 'n':
		line = rawjson.Set(line, "parentId", []byte("null"))
	case c.Parent != "" && (!ok || ID(s) != c.Parent):
		line = rawjson.Set(line, "parentId", rawjson.Quote(string(c.Parent)))
	}
	if c.FirstKept != "" {
		line = rawjson.Set(line, "firstKeptEntryId", rawjson.Quote(string(c.FirstKept)))
	}
	return line, nil
}

// Lines returns all lines of the copy behind the header: the entries, and new
// label entries with the times of the old ones, each the child of the line before.
func (c BranchCopy) Lines() ([][]byte, error) {
	taken := map[ID]bool{}
	lines := make([][]byte, 0, len(c.Entries)+len(c.Labels))
	var parent ID
	for _, e := range c.Entries {
		line, err := e.Line()
		if err != nil {
			return nil, err
		}
		lines = append(lines, line)
		taken[e.ID] = true
		parent = e.ID
	}
	for _, l := range c.Labels {
		id := NewID(func(id ID) bool { return taken[id] })
		taken[id] = true
		lines = append(lines, l.line(id, parent))
		parent = id
	}
	return lines, nil
}

// line returns the line of a label entry that sets the label, in pi's order of
// fields.
func (l LabelState) line(id, parent ID) []byte {
	b := append([]byte(`{"type":"label","id":`), rawjson.Quote(string(id))...)
	b = append(b, `,"parentId":`...)
	if parent == "" {
		b = append(b, "null"...)
	} else {
		b = rawjson.AppendString(b, string(parent))
	}
	if l.Time != nil {
		b = append(append(b, `,"timestamp":`...), l.Time...)
	}
	b = append(b, `,"targetId":`...)
	b = rawjson.AppendLineString(b, string(l.Target))
	b = append(b, `,"label":`...)
	b = rawjson.AppendLineString(b, l.Text)
	return append(b, '}')
}
