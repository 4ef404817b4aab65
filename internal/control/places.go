package control

import (
	"slices"
	"strings"

	"github.com/boughdev/bough/internal/compaction"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// mostPlaces is how many places that were left are kept.
const mostPlaces = 1000

// visited keeps a place that is left, for Back. Owner's.
func (s *Session) visited(place session.ID) {
	if len(s.past) >= mostPlaces {
		s.past = slices.Clone(s.past[len(s.past)-mostPlaces/2:])
	}
	s.past, s.future = append(s.past, place), nil
}

// back goes to the place that was left last, also before this session was opened: the
// log tells. Owner's.
func (s *Session) back() (protocol.Navigated, error) {
	if len(s.past) == 0 && s.before > 0 {
		visits := s.live.Tree().Visits(s.before)
		s.before = 0
		s.past = visits[max(0, len(visits)-mostPlaces):]
	}
	return s.along(&s.past, &s.future, "There is no place to go back to.")
}

// forward undoes back. Owner's.
func (s *Session) forward() (protocol.Navigated, error) {
	return s.along(&s.future, &s.past, "There is no place to go forward to.")
}

// along takes a place from one list, goes there and keeps the old one in the other.
// Places that are gone, since the file was replaced, are passed over.
func (s *Session) along(from, to *[]session.ID, none string) (protocol.Navigated, error) {
	if err := s.atRest(); err != nil {
		return protocol.Navigated{}, err
	}
	n := protocol.Navigated{Old: s.branch.Leaf()}
	for len(*from) > 0 {
		last := len(*from) - 1
		id := (*from)[last]
		*from = (*from)[:last]
		if id == n.Old || id != "" && !s.live.Tree().Has(id) {
			continue
		}
		*to = append(*to, n.Old)
		err := s.moveTo(id)
		n.Leaf = s.branch.Leaf()
		return n, err
	}
	return n, protocol.Fail(protocol.NotRunnable, "%s", none)
}

// settleIn makes the tools those of the path that is stood at now, and says if
// it was another model that was asked there. before is the leaf that was left.
// What is common to both paths is not read. Owner's.
func (s *Session) settleIn(before session.ID) {
	tree, now := s.live.Tree(), s.branch.Leaf()
	left, _ := compaction.Left(tree, before, now)
	reached, _ := compaction.Left(tree, now, before)
	if slices.ContainsFunc(slices.Concat(left, reached), declares) {
		was, err := new(session.Projector).Context(tree, before)
		if err != nil {
			return // what cannot be read is told of when it is needed
		}
		is, err := s.branch.Project()
		if err != nil {
			return
		}
		s.takeTools(toolsOf(was), toolsOf(is))
	}
	used := modelAt(tree, now)
	if s.model == nil || used.ModelID == "" || used == modelAt(tree, before) {
		return
	}
	info := s.model.Info()
	if used.Provider == info.Provider && used.ModelID == info.ID {
		return
	}
	if _, err := s.opts.Models.Model(used.Provider, used.ModelID); err == nil {
		name := used.Provider + "/" + used.ModelID
		s.note("info", "This branch was answered by %s; you go on with %s/%s. /model %s switches.", name, info.Provider, info.ID, name)
	}
}

// declares reports whether an entry may say which tools there are.
func declares(e *session.Entry) bool {
	return e.Role == message.System || e.Type == session.TypeCompaction
}

// modelAt returns the model that was asked last on the way to an entry.
func modelAt(tree *session.Tree, at session.ID) session.ModelChange {
	for e := tree.Get(at); e != nil; e = tree.Parent(e.ID) {
		if !e.SetsModel() {
			continue
		}
		body, err := e.Body()
		if err != nil {
			return session.ModelChange{}
		}
		switch b := body.(type) {
		case session.ModelChange:
			return b
		case session.Message:
			return session.ModelChange{Provider: b.Message.Provider, ModelID: b.Message.Model}
		}
	}
	return session.ModelChange{}
}

// toolsOf returns the names of the tools that a context declares; nil if it
// declares nothing at all.
func toolsOf(p session.Projection) map[string]bool {
	m, ok := message.FoldSystem(p.Messages())
	if !ok {
		return nil
	}
	names := map[string]bool{}
	for _, t := range m.ToolsAdded {
		names[t.Name] = true
	}
	return names
}

// takeTools turns tools on and off as two branches differ in them. Those that no
// branch speaks of stay as they are. Owner's.
func (s *Session) takeTools(was, now map[string]bool) {
	if was == nil || now == nil {
		return
	}
	var on, off, said []string
	for _, t := range s.setup.Listing() {
		switch name := t.ToolName; {
		case now[name] && !was[name] && !t.On:
			on, said = append(on, name), append(said, "+"+name)
		case was[name] && !now[name] && t.On && t.From == "": // servers come and go by themselves
			off, said = append(off, name), append(said, "-"+name)
		}
	}
	if len(said) == 0 {
		return
	}
	if err := s.setup.Switch(on, off); err != nil {
		return // the command line has the last word on tools
	}
	s.retool()
	s.note("info", "Tools as on this branch: %s. /tools changes them.", strings.Join(said, " "))
}
