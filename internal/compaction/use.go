package compaction

import (
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
)

// Use is how large a context is (docs/spec/session.md 7.2 and 11.2).
type Use struct {
	// Told is what the model told last, if that still holds, and Answer the entry that
	// told it; else 0 and nil.
	Told   int64
	Answer *session.Entry

	// Estimated is an estimate of what stands behind the answer, or of all.
	Estimated int64

	// Unasked means that no model has seen the context since it was compacted.
	Unasked bool
}

// Tokens is the whole.
func (u Use) Tokens() int64 { return u.Told + u.Estimated }

// UseOf measures the context at a leaf, whose projection is p. It looks at no more
// than what is new since the last answer, as long as what that told holds.
func UseOf(t *session.Tree, leaf session.ID, p session.Projection) Use {
	var (
		u       Use
		changed bool // by an edit behind what is looked at
	)
	compacted := len(p.Entries) > 0 && p.Entries[0].Type == session.TypeCompaction
	at := t.Get(leaf)
	for i := len(p.Items) - 1; i >= 0; i-- {
		it := p.Items[i]
		for at != nil && at.ID != it.Entry.ID {
			if at.Type == session.TypeCompaction {
				at = nil // the rest was kept, and stands before it
				break
			}
			changed = changed || at.Type == session.TypeContextEdit
			at = t.Parent(at.ID)
		}
		if at == nil || at.Type == session.TypeCompaction {
			break
		}
		if told := toldTokens(it.Message); told > 0 {
			if changed {
				return Use{Estimated: EstimateOf(p.Items)}
			}
			u.Told, u.Answer = told, it.Entry
			return u
		}
		u.Estimated += message.Estimate(it.Message)
	}
	return Use{Estimated: EstimateOf(p.Items), Unasked: compacted}
}

// UseNear is UseOf without a projection, for a leaf near whose end an answer tells
// all: it looks at some entries at most. It returns false where the whole context
// has to be looked at.
func UseNear(t *session.Tree, leaf session.ID) (Use, bool) {
	const most = 100
	var u Use
	at := t.Get(leaf)
	for range most {
		if at == nil {
			break
		}
		switch at.Type {
		case session.TypeCompaction, session.TypeContextEdit, session.TypeCustomMessage, session.TypeBranchSummary:
			return Use{}, false
		case session.TypeMessage:
			b, err := at.Body()
			m, ok := b.(session.Message)
			if err != nil || !ok {
				return Use{}, false
			}
			if told := toldTokens(m.Message); told > 0 {
				u.Told, u.Answer = told, at
				return u, true
			}
			u.Estimated += message.Estimate(m.Message)
		}
		at = t.Parent(at.ID)
	}
	return Use{}, false
}

// EstimateOf estimates a context: its messages, of system messages what they come to
// together.
func EstimateOf(items []session.Item) int64 {
	var sum int64
	var system []message.Message
	for _, it := range items {
		if it.Message.Role == message.System {
			system = append(system, it.Message)
		} else {
			sum += message.Estimate(it.Message)
		}
	}
	if fold, ok := message.FoldSystem(system); ok {
		sum += message.Estimate(fold)
	}
	return sum
}

// Ratio is how many tokens the model counts for one that is estimated: between the
// answers that it gave in a context that only grew, since what stands before the first
// of them, such as tools, counts for little more later; else for the context up to the
// last answer. Without any it is 0.
func Ratio(p session.Projection, u Use) float64 {
	last := len(p.Items) - 1
	for last >= 0 && (u.Answer == nil || p.Items[last].Entry.ID != u.Answer.ID) {
		last--
	}
	if last < 0 {
		return 0
	}
	m := p.Items[last].Message
	first, least := last, u.Told
	for i := last - 1; i >= 0; i-- {
		before := p.Items[i].Message
		told := toldTokens(before)
		switch {
		case told == 0:
			continue
		case told < least && before.Provider == m.Provider && before.Model == m.Model:
			first, least = i, told
			continue
		}
		break
	}
	grown := EstimateOf(p.Items[first+1 : last+1])
	counted := u.Told - least
	if grown < leastGrown {
		grown, counted = EstimateOf(p.Items[:last+1]), u.Told
	}
	if grown == 0 {
		return 0
	}
	return min(max(float64(counted)/float64(grown), 0.7), 6)
}

// leastGrown is how many tokens are enough to tell a ratio.
const leastGrown = 100
