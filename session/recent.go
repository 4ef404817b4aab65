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

// ReadContext projects the path to leaf, "" for where the log ends as pi has it,
// without reading more of the log than it must: of a long session with a
// compaction near its end, just that end. ErrNoSuchEntry is returned for a leaf
// that does not exist.
func ReadContext(ctx context.Context, log Log, leaf ID) (Projection, *Tree, error) {
	if r, ok := log.(Recenter); ok {
		for n := int64(recentFirst); n <= recentMost; n *= 4 {
			x, all, err := r.Recent(ctx, n)
			if err != nil {
				return Projection{}, nil, err
			}
			if all {
				return contextAt(NewTreeOf(x, log), leaf)
			}
			if x.Damaged() && len(x.latest) > 0 {
				break
			}
			t := NewTreeOf(x, log)
			if p, ok, err := t.recentContext(leaf); ok || err != nil {
				return p, t, err
			}
		}
	}
	t, _, err := readTree(ctx, log)
	if err != nil {
		return Projection{}, nil, err
	}
	return contextAt(t, leaf)
}

func contextAt(t *Tree, leaf ID) (Projection, *Tree, error) {
	if leaf == "" {
		if last := t.Last(); last != nil {
			leaf = last.ID
		}
	} else if !t.Has(leaf) {
		return Projection{}, nil, fmt.Errorf("entry %s: %w", leaf, ErrNoSuchEntry)
	}
	p, err := new(Projector).Context(t, leaf)
	return p, t, err
}

// recentContext is the context of a leaf in a tree of the end of a log. It
// returns false if more of the log is needed: if the path leaves the tree before
// the compaction that leads, what that keeps begins elsewhere, or model and
// thinking level are not told.
func (t *Tree) recentContext(leaf ID) (Projection, bool, error) {
	if leaf == "" {
		last := t.Last()
		if last == nil {
			return Projection{}, false, nil
		}
		leaf = last.ID
	}
	i := t.first(leaf)
	if i < 0 || t.x.cyclic {
		return Projection{}, false, nil
	}
	at := t.x.at(i).compaction
	if at < 0 {
		return Projection{}, false, nil // the path goes on before the tree
	}
	compaction := t.entry(at)
	body, err := compaction.Body()
	if err != nil {
		return Projection{}, false, err
	}
	first := body.(Compaction).FirstKept
	if first != "" && first != compaction.ID && len(t.kept(t.first(compaction.ID), first)) == 0 {
		return Projection{}, false, nil
	}
	var p Projector
	out, err := p.Context(t, leaf)
	if err != nil {
		return out, false, err
	}
	if t.x.at(i).model < 0 {
		return out, false, nil
	}
	if t.x.at(i).thinking < 0 {
		level, ok, err := t.thinkingSaid(i)
		if !ok || err != nil {
			return out, false, err
		}
		out.Thinking = level
	}
	return out, true, nil
}

// thinkingSaid returns the level with which the last answer on the path was asked
// for. A change is written before the answer to which it applies, so without one
// behind that answer it is the level of the path.
func (t *Tree) thinkingSaid(i int32) (string, bool, error) {
	m := t.x.at(i).model
	if m < 0 || t.x.at(m).role != roleAssistant {
		return "", false, nil
	}
	body, err := t.entry(m).Body()
	if err != nil {
		return "", false, err
	}
	said, ok := body.(Message)
	return said.Message.ThinkingLevel, ok && said.Message.Role == message.Assistant && said.Message.ThinkingLevel != "", nil
}
