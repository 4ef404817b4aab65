package control

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/boughdev/bough/internal/compaction"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// takenType is the customType of what was taken from another branch, and of the
// entry behind it that says where it came from.
const takenType = "bough.take"

// takenRecord is the data of that entry.
type takenRecord struct {
	V       int             `json:"v"`
	What    protocol.Taking `json:"what"`
	From    []session.ID    `json:"from"`
	Entries []session.ID    `json:"entries"`
}

// takeOver puts something of another branch onto this one.
func (s asked) takeOver(ctx context.Context, c protocol.Take) (protocol.Taken, error) {
	return await(ctx, s, func(done func(protocol.Taken, error)) {
		t := protocol.Taken{Old: s.branch.Leaf(), Leaf: s.branch.Leaf()}
		if err := s.atRest(); err != nil {
			done(t, err)
			return
		}
		var err error
		if t.From, err = s.chosen(c); err != nil {
			done(t, err)
			return
		}
		if c.What == protocol.TakeSummary {
			s.takeSummary(c, t, done)
			return
		}
		var bodies []session.Body
		for _, id := range t.From {
			m, err := s.takenMessage(id)
			if err != nil {
				done(t, err)
				return
			}
			bodies = append(bodies, m)
		}
		done(s.bringOver(c, t, bodies))
	})
}

// takeSummary sums up the branch that leads to a place and takes that. Owner's.
func (s *Session) takeSummary(c protocol.Take, t protocol.Taken, done func(protocol.Taken, error)) {
	at := t.From[0]
	left, _ := compaction.Left(s.live.Tree(), at, t.Old)
	if len(left) == 0 {
		done(t, protocol.Fail(protocol.BadRequest, "That place is on the way to here, so there is no other branch to sum up."))
		return
	}
	if s.model == nil {
		done(t, errNoModel("A summary needs a model."))
		return
	}
	s.sumUp(t.Old, left, compaction.BranchOptions{Instructions: c.Instructions}, func(sum *session.BranchSummary, err error) {
		if err == nil && sum == nil {
			err = protocol.Fail(protocol.BadRequest, "Nothing was said on that branch that could be summed up.")
		}
		if err == nil {
			sum.From = at
			t, err = s.bringOver(c, t, []session.Body{*sum})
		}
		t.Aborted = isCancelled(err)
		ended := protocol.BranchSummaryEnded{Target: t.Old, Aborted: t.Aborted, Error: failureOf(err)}
		if len(t.Entries) > 0 {
			ended.Entry = t.Entries[0]
		}
		s.emit(ended)
		if t.Aborted {
			err = nil
		}
		done(t, err)
	})
}

// bringOver appends what was taken and where it came from. Owner's.
func (s *Session) bringOver(c protocol.Take, t protocol.Taken, bodies []session.Body) (protocol.Taken, error) {
	before := s.branch.Leaf()
	for _, b := range bodies {
		e, err := s.append(b)
		if err != nil {
			return t, err
		}
		t.Entries = append(t.Entries, e.ID)
	}
	data, err := json.Marshal(takenRecord{1, c.What, t.From, t.Entries})
	if err != nil {
		return t, fmt.Errorf("record what was taken: %w", err)
	}
	if _, err := s.append(session.Custom{CustomType: takenType, Data: data}); err != nil {
		return t, err
	}
	t.Leaf = s.branch.Leaf()
	s.visited(before)
	return t, nil
}

// chosen are the entries that are to be taken. Owner's.
func (s *Session) chosen(c protocol.Take) ([]session.ID, error) {
	tree := s.live.Tree()
	for _, id := range append(slices.Clone(c.Entries), c.To) {
		if id != "" && !tree.Has(id) {
			return nil, protocol.Fail(protocol.UnknownEntry, "Entry not found: %s", id)
		}
	}
	if len(c.Entries) == 0 || slices.Contains(c.Entries, "") {
		return nil, protocol.Fail(protocol.BadRequest, "Say which entry to take something of.")
	}
	if c.To != "" && (len(c.Entries) != 1 || c.What != protocol.TakeEntries) || c.What != protocol.TakeEntries && len(c.Entries) != 1 {
		return nil, protocol.Fail(protocol.BadRequest, "An answer and a summary are taken of one entry, a range has one beginning and one end.")
	}
	switch c.What {
	case protocol.TakeAnswer:
		id, err := answerAt(tree, c.Entries[0])
		if err != nil {
			return nil, err
		}
		return s.unseen([]session.ID{id}, true)
	case protocol.TakeSummary:
		return c.Entries, nil
	case protocol.TakeEntries:
		if c.To == "" {
			return s.unseen(c.Entries, true)
		}
		path := tree.Path(c.To)
		from := slices.IndexFunc(path, func(e *session.Entry) bool { return e.ID == c.Entries[0] })
		if from < 0 {
			return nil, protocol.Fail(protocol.BadRequest, "The range does not lie on one branch: its beginning is not on the way to its end.")
		}
		var ids []session.ID
		for _, e := range path[from:] {
			ids = append(ids, e.ID)
		}
		return s.unseen(ids, false)
	}
	return nil, protocol.Fail(protocol.BadRequest, "There is no way to take %q: it is answer, summary or entries.", string(c.What))
}

// unseen returns those entries that have something to take and that the model does
// not see at the leaf anyhow. If all are wanted another one is an error. Owner's.
func (s *Session) unseen(ids []session.ID, all bool) ([]session.ID, error) {
	p, err := s.branch.Project()
	if err != nil {
		return nil, &protocol.Error{Code: protocol.IO, Text: err.Error(), Err: err}
	}
	seen := map[session.ID]bool{}
	for _, it := range p.Items {
		seen[it.Entry.ID] = true
	}
	var out []session.ID
	for _, id := range ids {
		if slices.Contains(out, id) {
			continue // named twice
		}
		err := takeable(s.live.Tree().Get(id))
		if err == nil && seen[id] {
			err = protocol.Fail(protocol.BadRequest, "The model sees that here already, so there is nothing to take.")
		}
		if err != nil && all {
			return nil, err
		}
		if err == nil {
			out = append(out, id)
		}
	}
	if len(out) == 0 {
		return nil, protocol.Fail(protocol.BadRequest, "There is nothing in that range that the model does not see here already.")
	}
	return out, nil
}

// answerAt returns the answer at an entry: itself, or the next one behind it, on
// the newest branch, before somebody else speaks. What is said before tools are
// called is no answer, unless there is no other.
func answerAt(tree *session.Tree, id session.ID) (session.ID, error) {
	var remark session.ID
	e := tree.Get(id)
	for range tree.Len() {
		switch {
		case e.Role == message.Assistant:
			m, err := messageOf(e)
			if err != nil {
				return "", err
			}
			said := session.TrimSpace(m.Text("")) != ""
			if said && len(m.ToolCalls()) == 0 {
				return e.ID, nil
			}
			if said {
				remark = e.ID
			}
		case e.ID != id && (e.Role == message.User || e.Type == session.TypeCustomMessage):
			e = nil
		}
		if e == nil {
			break
		}
		children := slices.DeleteFunc(slices.Clone(tree.Children(e.ID)), (*session.Entry).IsLeafMarker)
		if len(children) == 0 {
			break
		}
		e = children[len(children)-1]
	}
	if remark != "" {
		return remark, nil
	}
	return "", protocol.Fail(protocol.BadRequest, "There is no answer at that place. Take it as an entry, or name another one.")
}

func messageOf(e *session.Entry) (message.Message, error) {
	body, err := e.Body()
	if err != nil {
		return message.Message{}, &protocol.Error{Code: protocol.IO, Text: err.Error(), Err: err}
	}
	m, _ := body.(session.Message)
	return m.Message, nil
}
