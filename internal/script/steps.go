package script

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/boughdev/bough/internal/rawjson"
)

// DefaultChunk is how many characters a piece of a reply has if nobody says.
const DefaultChunk = 16

// Pace is how fast a reply comes where the script does not say.
type Pace struct {
	Chunk int           // characters in a piece; 0: DefaultChunk
	Delay time.Duration // before each piece
}

// StepKind tells what a step of a reply is.
type StepKind int

const (
	Refused    StepKind = iota // the Failure, instead of a reply
	Started                    // the reply begins
	Opened                     // a block begins
	Piece                      // some more of the block
	Closed                     // the block is over
	Finished                   // the reply is over
	Malformed                  // something that cannot be read
	BrokenOff                  // a failure in the middle; the last step
	EndedEarly                 // the last step
	Reset                      // the connection breaks; the last step
)

// Step is one step of a reply.
type Step struct {
	Kind    StepKind
	Block   int      // of Opened, Piece and Closed: its index
	Text    string   // of Piece and Malformed
	Failure *Failure // of Refused and BrokenOff
}

// brokenLine is what Malformed sends if the script does not say.
const brokenLine = `{"broken":`

type action struct {
	atEnd bool
	at    int // piece
	do    string
	name  string  // of hold
	ms    float64 // of hold and pause
	fail  failureSpec
	data  string // of malformed
}

func readActions(v []byte) ([]action, error) {
	if !rawjson.IsNull(v) && rawjson.Kind(v) != '[' {
		return nil, errors.New("at must be an array")
	}
	var out []action
	for e := range rawjson.Elements(v) {
		a, err := readAction(e)
		if err != nil {
			return nil, fmt.Errorf("at: %w", err)
		}
		out = append(out, a)
	}
	return out, nil
}

func readAction(v []byte) (action, error) {
	var r reader
	a := action{do: r.text(v, "do"), data: brokenLine}
	chunk := rawjson.Get(v, "chunk")
	if s, _ := rawjson.String(chunk); s == "end" {
		a.atEnd = true
	} else if n, ok := number(chunk); ok && n == float64(int(n)) {
		a.at = int(n)
	} else {
		return a, errors.New(`chunk must be a number or "end"`)
	}
	wait := func(otherwise float64, key string) {
		if a.ms = otherwise; has(v, key) {
			a.ms = r.amount(v, key)
		}
	}
	switch a.do {
	case "hold":
		if a.name = "hold"; has(v, "name") {
			a.name = r.text(v, "name")
		}
		wait(30000, "maxMs")
	case "pause":
		wait(100, "ms")
	case "malformed":
		if data := rawjson.Get(v, "data"); !rawjson.IsNull(data) {
			a.data = plain(data)
		}
	case "error":
		a.fail = failureSpec{kind: r.text(v, "kind"), typ: r.optional(v, "type"), code: r.optional(v, "code"), message: r.optional(v, "message")}
		if _, err := checked(&a.fail); err != nil {
			return a, err
		}
	case "reset", "end", "hang":
	default:
		return a, fmt.Errorf("unknown action %q", a.do)
	}
	return a, r.err
}

// Steps yields the reply, with the pauses that the script asks for. When ctx
// ends it stops without a last step.
func (r *Reply) Steps(ctx context.Context, pace Pace) iter.Seq[Step] {
	return func(yield func(Step) bool) {
		p := &player{Reply: r, ctx: ctx, yield: yield}
		p.play(pace)
	}
}

// player is one run of Steps. Its methods return false when it is over.
type player struct {
	*Reply
	ctx   context.Context
	yield func(Step) bool
	piece int // pieces so far
}

func (p *player) play(pace Pace) {
	if !p.sleep(p.firstDelay) {
		return
	}
	if p.Failure != nil {
		p.refuse()
		return
	}
	size, delay := p.chunk, p.delay
	if size == 0 {
		size = pace.Chunk
	}
	if size <= 0 {
		size = DefaultChunk
	}
	if delay < 0 {
		delay = pace.Delay
	}
	if !p.yield(Step{Kind: Started}) {
		return
	}
	for i, b := range p.Blocks {
		if !p.block(i, b, size, delay) {
			return
		}
	}
	if p.act(func(a action) bool { return a.atEnd }) && p.sleep(p.endDelay) {
		p.yield(Step{Kind: Finished})
	}
}

func (p *player) refuse() {
	switch p.Failure.silence {
	case broken:
		p.yield(Step{Kind: Reset})
	case silent:
		p.script.Hang(p.ctx)
	default:
		p.yield(Step{Kind: Refused, Failure: p.Failure})
	}
}

func (p *player) block(i int, b Block, size int, delay time.Duration) bool {
	if !p.yield(Step{Kind: Opened, Block: i}) {
		return false
	}
	for _, piece := range pieces(b.Text, size) {
		if !p.sleep(delay) || !p.act(func(a action) bool { return !a.atEnd && a.at == p.piece }) {
			return false
		}
		if !p.yield(Step{Kind: Piece, Block: i, Text: piece}) {
			return false
		}
		p.piece++
	}
	return p.yield(Step{Kind: Closed, Block: i})
}

// act does the actions that are due, in their order.
func (p *player) act(due func(action) bool) bool {
	for _, a := range p.actions {
		if due(a) && !p.perform(a) {
			return false
		}
	}
	return true
}

func (p *player) perform(a action) bool {
	switch a.do {
	case "pause":
		return p.sleep(millis(a.ms))
	case "hold":
		return p.script.wait(p.ctx, a.name, p.N, millis(a.ms))
	case "hang":
		p.script.Hang(p.ctx)
	case "reset":
		p.yield(Step{Kind: Reset})
	case "end":
		p.yield(Step{Kind: EndedEarly})
	case "malformed":
		return p.yield(Step{Kind: Malformed, Text: a.data})
	case "error":
		f, err := a.fail.resolve(p.API)
		if err != nil {
			panic(err) // readAction has seen it
		}
		p.yield(Step{Kind: BrokenOff, Failure: f})
	}
	return false
}

// sleep waits unless ctx ends before.
func (p *player) sleep(d time.Duration) bool {
	if d <= 0 {
		return p.ctx.Err() == nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-p.ctx.Done():
		return false
	}
}
