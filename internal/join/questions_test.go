package join_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"testing"

	"github.com/boughdev/bough/internal/join"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// story is a session that tells something and then ends, or is lost.
type story struct {
	evs []protocol.Event
	err error
}

func (s story) Do(context.Context, protocol.Request) (any, error) { return nil, s.err }

func (s story) Watch(context.Context, session.Seq) iter.Seq2[protocol.Event, error] {
	return func(yield func(protocol.Event, error) bool) {
		for _, ev := range s.evs {
			if !yield(ev, nil) {
				return
			}
		}
		if s.err != nil {
			yield(nil, s.err)
		}
	}
}

// Questions end with the process that asked them.
func TestQuestionsOfAProcessThatEnds(t *testing.T) {
	lost := story{[]protocol.Event{protocol.Opened{}, protocol.State{Running: true, Open: []protocol.Asked{{ID: "q1"}, {ID: "q2"}}},
		protocol.Answered{ID: "q1", Choice: "yes"}, protocol.Asked{ID: "q3"}}, errCut}
	gone := false
	here := func(context.Context, bool) (protocol.Client, func(), error) {
		if !gone {
			gone = true
			return nil, nil, &session.LeasedError{Addr: "there", PID: 7}
		}
		return story{evs: []protocol.Event{protocol.Opened{}, protocol.State{}}}, func() {}, nil
	}
	c, err := join.Open(t.Context(), join.Options{
		Here: func(ctx context.Context, _ string, beside bool) (protocol.Client, func(), error) {
			return here(ctx, beside)
		},
		There: func(context.Context, string, string) (protocol.Client, func(), error) { return lost, func() {}, nil },
		Lost:  func(err error) bool { return errors.Is(err, errCut) },
	}, "s", here)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var got []string
	for ev, err := range c.Watch(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		switch e := ev.(type) {
		case protocol.Answered:
			got = append(got, fmt.Sprint(e.ID, " ", e.Choice))
		case protocol.RunEnded:
			got = append(got, "ended")
		}
	}
	if want := []string{"q1 yes", "q2 ", "q3 ", "ended"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
