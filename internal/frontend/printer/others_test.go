package printer_test

import (
	"context"
	"io"
	"iter"
	"testing"

	"github.com/boughdev/bough/internal/frontend/printer"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// stage is a session of which just so much happens.
type stage struct {
	did    protocol.Disposition
	state  protocol.State
	events []protocol.Event

	asked *int
}

// Do refuses the first prompt if nothing is to come of it.
func (s stage) Do(context.Context, protocol.Request) (any, error) {
	if *s.asked++; *s.asked == 1 && s.did == "" {
		return nil, protocol.Fail(protocol.Busy, "A run is going on.")
	}
	return protocol.Started, nil
}

func (s stage) Watch(context.Context, session.Seq) iter.Seq2[protocol.Event, error] {
	return func(yield func(protocol.Event, error) bool) {
		for _, ev := range append([]protocol.Event{protocol.Opened{Tree: session.NewTree()}, s.state}, s.events...) {
			if !yield(ev, nil) {
				return
			}
		}
	}
}

// Where others stand at the session, the end of their runs is not that of ours.
func TestRunsOfOthers(t *testing.T) {
	began := func(who string) protocol.Event { return protocol.RunStarted{By: who} }
	theirs, ours := protocol.RunEnded{}, protocol.RunEnded{Failure: "ours"}
	for _, tt := range []struct {
		name    string
		did     protocol.Disposition
		running bool
		events  []protocol.Event
	}{
		{"nobody else is there", protocol.Started, false, []protocol.Event{began("print"), ours}},
		{"theirs has ended just before", protocol.Started, true, []protocol.Event{theirs, began("print"), ours}},
		{"theirs has come and gone", protocol.Started, false, []protocol.Event{began("repl"), theirs, began("print"), ours}},
		{"ours waits for theirs", "", true, []protocol.Event{theirs, began("print"), ours}},
		{"ours waits for one that has just begun", "", false, []protocol.Event{began("repl"), theirs, began("print"), ours}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := stage{tt.did, protocol.State{Running: tt.running}, tt.events, new(int)}
			code, err := printer.Run(t.Context(), s, printer.Options{Who: "print", Prompts: prompts("x"), Out: io.Discard, Err: io.Discard})
			if err != nil || code != 1 {
				t.Errorf("code %d, %v: that was another run", code, err)
			}
		})
	}
}
