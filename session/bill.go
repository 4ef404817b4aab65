package session

import (
	"iter"
	"time"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
)

// A Bill is what one entry tells of work that was paid for (docs/spec/session.md 11).
type Bill struct {
	ID    ID
	Time  time.Time // zero if it cannot be read
	Kind  BillKind
	Model string // "provider/id", the id as the provider answered; "" where the entry does not tell it

	Input, Output         float64 // tokens, as doubles like pi's
	CacheRead, CacheWrite float64
	Cost                  float64 // US dollars
	Told                  bool    // the cost is the provider's own figure
	Failed                bool    // of an answer that failed or was aborted
}

// BillKind is what was paid for.
type BillKind uint8

// The kinds of bills.
const (
	BillAnswer  BillKind = iota
	BillTool             // what a tool took, such as a model that it asked
	BillSummary          // of a compaction or a branch
	BillOther            // usage entries, such as those for keeping a cache warm
)

// Tokens returns the sum of all tokens.
func (b Bill) Tokens() float64 { return b.Input + b.Output + b.CacheRead + b.CacheWrite }

// Prompt returns the tokens that went to the model, cached ones included.
func (b Bill) Prompt() float64 { return b.Input + b.CacheRead + b.CacheWrite }

// Unpriced reports whether tokens were taken and no price is told: it is not known, or
// there is none, as of a model on this machine. A cost of nothing that a provider tells
// itself is a price. So is that of bough's stand-in for a model, which older sessions
// do not tell.
func (b Bill) Unpriced() bool {
	return b.Tokens() > 0 && b.Cost == 0 && !b.Told && !isOffline(b.Model)
}

func isOffline(model string) bool {
	const offline = "offline/"
	return len(model) > len(offline) && model[:len(offline)] == offline
}

// Bill returns what the entry tells of a usage; false if it tells nothing.
func (e *Entry) Bill() (Bill, bool, error) {
	if e.Role != message.Assistant && e.Role != message.ToolResult && !e.bills() {
		return Bill{}, false, nil
	}
	line, err := e.Raw()
	if err != nil {
		return Bill{}, false, err
	}
	b, ok := paidOf(e.holder(line)).bill(e.Type, e.Role)
	b.ID, b.Time = e.ID, e.Time
	return b, ok, nil
}

// bill is what is told of a usage. ID and time are left to the caller.
func (p paid) bill(typ Type, role message.Role) (Bill, bool) {
	if rawjson.Kind(p.usage) != '{' {
		return Bill{}, false
	}
	var s Stats
	s.use(p.usage)
	b := Bill{Kind: BillOther, Input: s.Input, Output: s.Output, CacheRead: s.CacheRead, CacheWrite: s.CacheWrite, Cost: s.Cost}
	b.Told = rawjson.Bool(rawjson.Get(rawjson.Get(p.usage, "cost"), "totalFromProvider"))
	switch {
	case role == message.Assistant:
		b.Kind = BillAnswer
		stop, _ := rawjson.String(p.stop)
		b.Failed = stop == string(message.Failed) || stop == string(message.Aborted)
	case role == message.ToolResult:
		b.Kind = BillTool
	case typ == TypeCompaction || typ == TypeBranchSummary:
		b.Kind = BillSummary
	}
	if b.Kind == BillAnswer || b.Kind == BillOther {
		b.Model = p.by()
	}
	return b, true
}

// A Tally adds up bills.
type Tally struct {
	Calls    int // bills that are not empty
	Unpriced int // of those, see [Bill.Unpriced]

	Input, Output         float64
	CacheRead, CacheWrite float64
	Cost                  float64
	FailedCost            float64 // part of Cost
}

// Add counts a bill.
func (t *Tally) Add(b Bill) {
	if b.Tokens() == 0 && b.Cost == 0 {
		return
	}
	t.Calls++
	if b.Unpriced() {
		t.Unpriced++
	}
	t.Input += b.Input
	t.Output += b.Output
	t.CacheRead += b.CacheRead
	t.CacheWrite += b.CacheWrite
	t.Cost += b.Cost
	if b.Failed {
		t.FailedCost += b.Cost
	}
}

// Plus adds two tallies.
func (t Tally) Plus(o Tally) Tally {
	return Tally{Calls: t.Calls + o.Calls, Unpriced: t.Unpriced + o.Unpriced, Input: t.Input + o.Input, Output: t.Output + o.Output,
		CacheRead: t.CacheRead + o.CacheRead, CacheWrite: t.CacheWrite + o.CacheWrite, Cost: t.Cost + o.Cost, FailedCost: t.FailedCost + o.FailedCost}
}

// Tokens returns the sum of all tokens.
func (t Tally) Tokens() float64 { return t.Input + t.Output + t.CacheRead + t.CacheWrite }

// TallyOf adds up what entries tell: those of a path, or of a whole log.
func TallyOf(entries iter.Seq[*Entry]) (Tally, error) {
	var t Tally
	for e := range entries {
		b, ok, err := e.Bill()
		if err != nil {
			return t, err
		}
		if ok {
			t.Add(b)
		}
	}
	return t, nil
}

// Rebilled is what a cache did not give although the tokens had been sent before:
// they were read anew and paid for anew.
type Rebilled struct {
	Tokens float64
	Cost   float64 // US dollars more than they would have cost from the cache
}

// leastRebilled is how many tokens are worth to be counted (docs/spec/session.md 11.1).
const leastRebilled = 1024

// Rebilled adds up what was billed anew on a path. Unlike in pi the order of the log
// plays no part, in which branches may be mixed. A compaction or branch summary begins
// anew.
func (t *Tree) Rebilled(leaf ID) (Rebilled, error) {
	var r rebilling
	for _, e := range t.Path(leaf) {
		var p paid
		if e.Role == message.Assistant {
			line, err := e.Raw()
			if err != nil {
				return r.sum, err
			}
			p = paidOf(e.holder(line))
		}
		b, _ := p.bill(e.Type, e.Role)
		r.add(e, b, p)
	}
	return r.sum, nil
}

// rebilling goes along a path.
type rebilling struct {
	sum    Rebilled
	before float64            // tokens of the prompt before
	rates  map[string]float64 // dollars for a token from the cache, by model
}

// add takes the next entry, and what it tells of a usage.
func (r *rebilling) add(e *Entry, b Bill, p paid) {
	if e.Type == TypeCompaction || e.Type == TypeBranchSummary {
		r.before = 0
		return
	}
	if e.Role != message.Assistant || b.Prompt() == 0 {
		return
	}
	cost := rawjson.Get(p.usage, "cost")
	num := func(key string) float64 { f, _ := rawjson.Number(rawjson.Get(cost, key)); return f }
	if b.CacheRead > 0 {
		if r.rates == nil {
			r.rates = map[string]float64{}
		}
		r.rates[b.Model] = num("cacheRead") / b.CacheRead
	}
	if again := min(r.before, b.Prompt()) - b.CacheRead; again > leastRebilled {
		r.sum.Tokens += again
		if cached, known := r.rates[b.Model]; known && b.Input+b.CacheWrite > 0 {
			fresh := (num("input") + num("cacheWrite")) / (b.Input + b.CacheWrite)
			r.sum.Cost += max(again*(fresh-cached), 0)
		}
	}
	r.before = b.Prompt()
}

// Minus takes a part away.
func (t Tally) Minus(o Tally) Tally {
	return Tally{Calls: t.Calls - o.Calls, Unpriced: t.Unpriced - o.Unpriced, Input: t.Input - o.Input, Output: t.Output - o.Output,
		CacheRead: t.CacheRead - o.CacheRead, CacheWrite: t.CacheWrite - o.CacheWrite, Cost: t.Cost - o.Cost, FailedCost: t.FailedCost - o.FailedCost}
}
