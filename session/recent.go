package session

import (
	"context"
	"fmt"

	"github.com/boughdev/bough/message"
)

// Recenter may be implemented by a log whose end can be read first.
type Recenter interface {
	// Recent returns the records of the entries in the last n bytes, and whether
	// these are all there are.
	Recent(ctx context.Context, n int64) (x *Index, all bool, err error)
}

// How much of the end of a log is read for a context, in bytes, before all of it is.
const (
	recentFirst = 256 << 10
	recentMost  = 8 << 20
)

// TreeFor returns a tree of as much of the log as the context at leaf needs: of a
// long session with a compaction near its end, just that end. leaf "" is where the
// log ends as pi has it; the leaf is returned. The error for one that does not
// exist is ErrNoSuchEntry.
//
// In a tree of the end only, [Projector.Context] takes the thinking level from the
// last answer where no change of it is in sight.
func TreeFor(ctx context.Context, log Log, leaf ID) (*Tree, ID, error) {
	if r, ok := log.(Recenter); ok {
		for n := int64(recentFirst); n <= recentMost; n *= 4 {
			x, all, err := r.Recent(ctx, n)
			if err != nil {
				return nil, "", err
			}
			t := NewTreeOf(x, log)
			if all {
				return t.at(leaf)
			}
			if x.Damaged() && len(x.latest) > 0 {
				break
			}
			t.end = true
			at, ok, err := t.enough(leaf)
			if ok || err != nil {
				return t, at, err
			}
		}
	}
	t, _, err := readTree(ctx, log)
	if err != nil {
		return nil, "", err
	}
	return t.at(leaf)
}

func (t *Tree) at(leaf ID) (*Tree, ID, error) {
	if leaf == "" {
		if last := t.Last(); last != nil {
			leaf = last.ID
		}
	} else if !t.Has(leaf) {
		return nil, "", fmt.Errorf("entry %s: %w", leaf, ErrNoSuchEntry)
	}
	return t, leaf, nil
}

// enough reports whether a tree of the end of a log has all of the context at
// leaf: the compaction that leads, what that keeps, model and thinking level.
func (t *Tree) enough(leaf ID) (ID, bool, error) {
	if leaf == "" {
		last := t.Last()
		if last == nil {
			return "", false, nil
		}
		leaf = last.ID
	}
	i := t.first(leaf)
	if i < 0 || t.x.cyclic {
		return leaf, false, nil
	}
	at := t.x.at(i).compaction
	if at < 0 {
		return leaf, false, nil // the path goes on before the tree
	}
	// What cannot be read does not count, but what stands before it does.
	var p Projector
	for _, set := range []int32{at, t.x.at(i).model, t.x.at(i).thinking} {
		if set < 0 {
			continue
		}
		if r, err := p.read(t.entry(set)); err != nil || r.illegible {
			return leaf, false, err
		}
	}
	compaction := t.entry(at)
	body, err := compaction.Body()
	if err != nil {
		return leaf, false, err
	}
	c, ok := body.(Compaction)
	if !ok || c.FirstKept != "" && c.FirstKept != compaction.ID && len(t.kept(t.first(compaction.ID), c.FirstKept)) == 0 {
		return leaf, false, nil
	}
	if t.x.at(i).model < 0 {
		return leaf, false, nil
	}
	if t.x.at(i).thinking < 0 {
		level, err := t.thinkingSaid(i)
		return leaf, level != "", err
	}
	return leaf, true, nil
}

// thinkingSaid returns the level with which the last answer on the path was asked
// for, "" if that is not told. A change is written before the answer to which it
// applies, so without one behind that answer it is the level of the path.
func (t *Tree) thinkingSaid(i int32) (string, error) {
	m := t.x.at(i).model
	if m < 0 || int(m) >= t.x.Len() || t.x.at(m).role != roleAssistant {
		return "", nil
	}
	body, err := t.entry(m).Body()
	if err != nil {
		return "", err
	}
	said, ok := body.(Message)
	if !ok || said.Message.Role != message.Assistant {
		return "", nil
	}
	return said.Message.ThinkingLevel, nil
}
