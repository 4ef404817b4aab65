package join_test

import (
	"context"
	"iter"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/boughdev/bough/internal/join"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// slow is a session in a process that answers nothing until it is told to.
type slow struct{ goes chan struct{} }

func (s slow) Do(ctx context.Context, cmd protocol.Request) (any, error) {
	select {
	case <-s.goes:
		return protocol.Started, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (s slow) Watch(context.Context, session.Seq) iter.Seq2[protocol.Event, error] {
	return func(func(protocol.Event, error) bool) {}
}

// Who asks a process that stands still is told so, and what becomes of what was said.
// One that only takes its time is waited for.
func TestAProcessThatStandsStill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var there atomic.Bool
		var asked atomic.Int32
		s := slow{make(chan struct{})}
		none := func(context.Context, bool) (protocol.Client, func(), error) {
			return nil, nil, &session.LeasedError{Addr: "there", PID: 7}
		}
		c, err := join.Open(t.Context(), join.Options{
			Here: func(ctx context.Context, _ string, beside bool) (protocol.Client, func(), error) {
				return none(ctx, beside)
			},
			There: func(context.Context, string, string) (protocol.Client, func(), error) { return s, func() {}, nil },
			Lost:  func(error) bool { return false },
			Answers: func(ctx context.Context, addr string) bool {
				asked.Add(1)
				if addr != "there" {
					t.Errorf("asks %q", addr)
				}
				if !there.Load() {
					<-ctx.Done() // its end is of no interest
				}
				return there.Load()
			},
		}, "s", none)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		_, err = protocol.Call(t.Context(), c, protocol.Prompt{Text: "hello"})
		if err == nil || protocol.CodeOf(err) != protocol.IO || !strings.Contains(err.Error(), "(process 7) does not answer") || !strings.Contains(err.Error(), "It has your message") {
			t.Errorf("a prompt: %v", err)
		}
		_, err = protocol.Call(t.Context(), c, protocol.GetQueue{})
		if err == nil || strings.Contains(err.Error(), "It has your") || asked.Load() != 2 {
			t.Errorf("a question: %v after %d looks", err, asked.Load())
		}
		there.Store(true)
		asked.Store(0)
		go func() {
			time.Sleep(time.Minute)
			close(s.goes)
		}()
		if did, err := protocol.Call(t.Context(), c, protocol.Prompt{Text: "hello"}); did != protocol.Started || err != nil {
			t.Errorf("a slow process: %v, %v", did, err)
		}
		if asked.Load() == 0 {
			t.Error("nobody looked whether it is there")
		}
	})
}
