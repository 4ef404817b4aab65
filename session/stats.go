package session

import (
	"cmp"
	"slices"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
)

// Stats counts what a session holds and what it took, over all branches,
// compacted or not (docs/spec/session.md 11.1).
type Stats struct {
	Messages    int // message entries, of whatever role
	User        int
	Assistant   int
	ToolResults int
	ToolCalls   int // in answers

	// Tokens, and US dollars, as doubles like pi's: of answers, tool results,
	// summaries and usage entries.
	Input, Output         float64
	CacheRead, CacheWrite float64
	Cost                  float64
}

// Tokens returns the sum of all tokens.
func (s Stats) Tokens() float64 { return s.Input + s.Output + s.CacheRead + s.CacheWrite }

// Stats returns the statistics of all entries of the log, repeated ids included.
// What is missing in a usage counts as 0 (rule R4).
func (t *Tree) Stats() (Stats, error) {
	var s Stats
	for e := range t.Log() {
		if err := s.count(e); err != nil {
			return s, err
		}
	}
	return s, nil
}

// count adds an entry.
func (s *Stats) count(e *Entry) error {
	if !s.holds(e) {
		return nil
	}
	line, err := e.Raw()
	if err != nil {
		return err
	}
	s.add(e, paidOf(e.holder(line)))
	return nil
}

// holds counts an entry, and reports whether its line may tell more.
func (s *Stats) holds(e *Entry) bool {
	if e.Type != TypeMessage {
		return e.bills()
	}
	if e.Role == "" {
		return false
	}
	s.Messages++
	switch e.Role {
	case message.User:
		s.User++
	case message.Assistant:
		s.Assistant++
		return true
	case message.ToolResult:
		s.ToolResults++
		return true
	}
	return false
}

// add adds what the line of an entry tells.
func (s *Stats) add(e *Entry, p paid) {
	if e.Role == message.Assistant {
		for b := range rawjson.Elements(p.content) {
			if typ, _ := rawjson.GetString(b, "type"); typ == string(message.ToolCallBlock) {
				s.ToolCalls++
			}
		}
	}
	s.use(p.usage)
}

// bills reports whether the entry, which is no message, can tell of a usage.
func (e *Entry) bills() bool {
	return e.Type == TypeUsage || e.Type == TypeCompaction || e.Type == TypeBranchSummary
}

// use adds a usage.
func (s *Stats) use(usage message.Value) {
	num := func(obj message.Value, key string) float64 {
		f, _ := rawjson.Number(rawjson.Get(obj, key))
		return f
	}
	if rawjson.Kind(usage) != '{' {
		return
	}
	s.Input += num(usage, "input")
	s.Output += num(usage, "output")
	s.CacheRead += num(usage, "cacheRead")
	s.CacheWrite += num(usage, "cacheWrite")
	s.Cost += num(rawjson.Get(usage, "cost"), "total")
}

// A Share is what one model took of a session.
type Share struct {
	Model string // "provider/id", the id as the provider answered; "" for tool results and summaries
	Calls int
	Stats
}

// Shares returns what each model took, over all entries of the log, the dearest
// first; those that took nothing are left out (docs/spec/session.md 11.1).
func (t *Tree) Shares() ([]Share, error) {
	by := shares{}
	for e := range t.Log() {
		if e.Role != message.Assistant && e.Role != message.ToolResult && !e.bills() {
			continue
		}
		line, err := e.Raw()
		if err != nil {
			return nil, err
		}
		by.add(e, paidOf(e.holder(line)))
	}
	return by.list(), nil
}

// shares adds up by model.
type shares map[string]*Share

// add counts an entry that may tell of a usage.
func (by shares) add(e *Entry, p paid) {
	if rawjson.Kind(p.usage) != '{' {
		return
	}
	model := ""
	if e.Role == message.Assistant || e.Type == TypeUsage {
		model = p.by()
	}
	s := by[model]
	if s == nil {
		s = &Share{Model: model}
		by[model] = s
	}
	s.Calls++
	s.use(p.usage)
}

func (by shares) list() []Share {
	var out []Share
	for _, s := range by {
		if s.Tokens() > 0 || s.Cost > 0 {
			out = append(out, *s)
		}
	}
	slices.SortFunc(out, func(a, b Share) int {
		return cmp.Or(cmp.Compare(b.Cost, a.Cost), cmp.Compare(b.Tokens(), a.Tokens()), cmp.Compare(a.Model, b.Model))
	})
	return out
}
