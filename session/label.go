package session

import (
	"slices"

	"github.com/boughdev/bough/internal/rawjson"
)

type label struct {
	text  string
	time  []byte // JSON, of the label entry; nil if absent
	set   int32  // record of the entry that set it last
	first int32  // record of the entry since which the target has had one
}

// fold takes up the labels of entries that have come. Entries that cannot be read
// say nothing.
func (t *Tree) fold() {
	for ; t.read < t.x.Len(); t.read++ {
		i := int32(t.read)
		if t.x.at(i).kind != kindLabel {
			continue
		}
		line, err := t.passing(i).Raw()
		if err != nil {
			continue
		}
		target, ok := rawjson.GetString(line, "targetId")
		if !ok {
			continue
		}
		id := ID(target)
		text, _ := rawjson.GetString(line, "label")
		if text == "" {
			delete(t.labels, id)
			continue
		}
		l := label{text: text, time: slices.Clone(rawjson.Get(line, "timestamp")), set: i, first: i}
		if old, ok := t.labels[id]; ok {
			l.first = old.first
		}
		if t.labels == nil {
			t.labels = map[ID]label{}
		}
		t.labels[id] = l
	}
}

// Label returns the label of an entry, or "". The last label entry in the log
// counts, on whatever branch it stands.
func (t *Tree) Label(id ID) string { t.fold(); return t.labels[id].text }

// A LabelState is a label that is set.
type LabelState struct {
	Target ID
	Text   string
	Time   []byte // JSON, of the label entry; nil if absent

	first int32 // see label
}

// Labels returns the labels of existing entries, in the order in which their
// targets were first labelled since they last had none.
func (t *Tree) Labels() []LabelState {
	t.fold()
	var states []LabelState
	for id := range t.labels {
		if t.Has(id) {
			states = append(states, t.labelState(id))
		}
	}
	slices.SortFunc(states, byFirst)
	return states
}

// labelState returns the state of a label that is set.
func (t *Tree) labelState(id ID) LabelState {
	l := t.labels[id]
	return LabelState{id, l.text, l.time, l.first}
}

func byFirst(a, b LabelState) int { return int(a.first) - int(b.first) }

// Labelled returns the entry that was given that label last, or "".
func (t *Tree) Labelled(text string) ID {
	t.fold()
	var found ID
	at := int32(-1)
	for id, l := range t.labels {
		if l.text == text && l.set > at && t.Has(id) {
			found, at = id, l.set
		}
	}
	return found
}

// Name returns the name of the session, or "": what the last entry says that names
// it and can be read.
func (t *Tree) Name() string {
	if t.named == t.x.named {
		return t.name
	}
	t.named, t.name = t.x.named, ""
	for i := t.x.named - 1; i >= 0; i-- {
		if t.x.at(i).kind != kindInfo {
			continue
		}
		if line, err := t.passing(i).Raw(); err == nil {
			name, _ := rawjson.GetString(line, "name")
			t.name = TrimSpace(name)
			break
		}
	}
	return t.name
}
