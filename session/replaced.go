package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
)

// reload goes over to what another program has put in the place of the log: the
// same session, changed, or something else. In the first case what the new log
// lacks of ours waits to be appended to it; in the second all of it waits for a
// new log. What can no longer be read is lost.
func (s *Session) reload(ctx context.Context) error {
	log, err := s.store.Open(ctx, s.word)
	switch {
	case err == nil && log.Header().ID != s.header.ID:
		log.Close() // somebody else's
		log = nil
	case errors.Is(err, ErrNotSession), errors.Is(err, ErrNotFound):
		log = nil
	case err != nil:
		return fmt.Errorf("read the session again, which was replaced by another program: %w", err)
	}
	was, tree := s.tree, NewTree()
	var end Seq
	if log != nil {
		if tree, end, err = readTree(ctx, log); err != nil {
			log.Close() // the error of reading is the one to tell
			return fmt.Errorf("read the session again, which was replaced by another program: %w", err)
		}
	}
	s.moved = map[ID]ID{}
	// A log of an old version has no ids of its own; who migrates it may give
	// others than we have. The order is the same.
	m, ok := s.log.(interface{ Migrating() bool })
	migrating := ok && m.Migrating()
	var kept []*Entry
	lost := 0
	migrated := slices.Collect(tree.Log())
	i := -1
	for e := range was.Log() {
		i++
		switch {
		case tree.Has(e.ID):
		case migrating && i < len(migrated):
			s.moved[e.ID] = migrated[i].ID
		case e.IsLeafMarker(), e.Lost():
			s.moved[e.ID] = e.Parent
		default:
			if c := inMemory(e); c != nil {
				kept = append(kept, c)
				continue
			}
			s.moved[e.ID] = e.Parent
			lost++
		}
	}
	for _, e := range kept {
		tree.Add(e)
	}
	s.log.Close() // nothing of it is needed any more
	s.log, s.tree, s.end, s.pending, s.held = log, tree, end, kept, nil
	s.spoken = s.spoken || len(kept) > 0
	if log != nil {
		s.header = log.Header()
	} else {
		s.header.ID, s.header.raw = NewSessionID(), nil
	}
	s.age++
	if s.Replaced != nil {
		s.Replaced(lost)
	}
	return nil
}

// inMemory returns an entry that no longer needs its log, or nil if the log no
// longer has it.
func inMemory(e *Entry) *Entry {
	line, err := e.Raw()
	if err != nil {
		return nil
	}
	c, err := Decode(bytes.Clone(line), Line{}, nil)
	if err != nil || c.ID != e.ID {
		return nil
	}
	return c
}

// survivor returns the entry of that id, or the nearest before it that was not
// lost when the log was replaced.
func (s *Session) survivor(id ID) ID {
	if s.age == 0 {
		return id
	}
	for range len(s.moved) + 1 {
		if id == "" || s.tree.Has(id) {
			return id
		}
		next, ok := s.moved[id]
		if !ok {
			break
		}
		id = next
	}
	return s.tree.Leaf()
}
