package session

import (
	"bytes"
	"slices"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
)

// An Account is what a session holds and what it took.
type Account struct {
	Stats             // of all branches
	Shares   []Share  // of all branches, by model
	All      Tally    // of all branches
	Branch   Tally    // of the path to a leaf
	Rebilled Rebilled // on that path
}

// Account says what [Tree.Stats], [Tree.Shares], [TallyOf] and [Tree.Rebilled] say, and
// reads each line once.
func (t *Tree) Account(leaf ID) (Account, error) {
	var (
		a        Account
		by       = shares{}
		again    rebilling
		lines    = t.Reader()
		path, ok = t.straight(leaf)
	)
	for i := range int32(t.x.Len()) {
		e := t.passing(i)
		here := len(path) > 0 && path[0] == i
		if here {
			path = path[1:]
		}
		if !a.Stats.holds(e) {
			continue
		}
		line, err := lines.Read(e)
		if err != nil {
			return a, err
		}
		var p paid
		if e.Role == message.Assistant || mayBill(line) {
			p = paidOf(e.holder(line))
		}
		a.Stats.add(e, p)
		by.add(e, p)
		b, billed := p.bill(e.Type, e.Role)
		if billed {
			a.All.Add(b)
		}
		if here && billed {
			a.Branch.Add(b)
		}
		if here {
			again.add(e, b, p)
		}
	}
	a.Shares, a.Rebilled = by.list(), again.sum
	if ok {
		return a, nil
	}
	var err error
	if a.Branch, err = TallyOf(slices.Values(t.Path(leaf))); err != nil {
		return a, err
	}
	a.Rebilled, err = t.Rebilled(leaf)
	return a, err
}

// straight returns the records of the path to leaf, root first, if they stand in that
// order in the log, as they do unless it is damaged.
func (t *Tree) straight(leaf ID) ([]int32, bool) {
	i := t.first(leaf)
	t.x.settle()
	if t.x.cyclic {
		return nil, false
	}
	var path []int32
	for ; i >= 0; i = t.x.up(i) {
		last := t.x.last(i)
		if n := len(path); n > 0 && path[n-1] <= last {
			return nil, false
		}
		path = append(path, last)
	}
	slices.Reverse(path)
	return path, true
}

// mayBill reports whether a line may have a usage. Most results of tools, which are
// long, do not.
func mayBill(line []byte) bool {
	return bytes.Contains(line, []byte(`"usage"`)) || bytes.Contains(line, []byte(`\u`))
}

// holder is the part of the entry's line that tells of its usage.
func (e *Entry) holder(line []byte) message.Value {
	if e.Type == TypeMessage {
		return rawjson.Get(line, "message")
	}
	return line
}

// paid is what an answer, or another entry that may tell of a usage, has about it.
type paid struct{ content, usage, provider, model, answered, stop message.Value }

// paidOf reads that of what holds it: a message, or a line.
func paidOf(holder message.Value) (p paid) {
	for key, v := range rawjson.Members(holder) {
		switch key {
		case "content":
			p.content = v
		case "usage":
			p.usage = v
		case "provider":
			p.provider = v
		case "model":
			p.model = v
		case "responseModel":
			p.answered = v
		case "stopReason":
			p.stop = v
		}
	}
	return p
}

// by is the model that answered, as "provider/id".
func (p paid) by() string {
	provider, _ := rawjson.String(p.provider)
	id, _ := rawjson.String(p.model)
	if answered, _ := rawjson.String(p.answered); answered != "" {
		id = answered
	}
	return provider + "/" + id
}
