package control_test

import (
	"context"
	"errors"
	"iter"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/session"
)

// failing is a model whose n-th request fails as fail says, after some words; nil
// is a whole answer.
type failing struct {
	asked atomic.Int64
	words string
	fail  func(n int64) error
}

func (m *failing) Info() provider.Info { return provider.Info{ID: "m", Provider: "p", API: "a"} }

func (m *failing) Stream(ctx context.Context, _ provider.Request) iter.Seq2[message.Delta, error] {
	return func(yield func(message.Delta, error) bool) {
		n := m.asked.Add(1)
		if m.words != "" && (!yield(message.Delta{Kind: message.TextStart}, nil) || !yield(message.Delta{Kind: message.TextDelta, Text: m.words}, nil)) {
			return
		}
		if err := m.fail(n); err != nil {
			yield(message.Delta{}, err)
			return
		}
		yield(message.Delta{Kind: message.Info, StopReason: message.Stop}, nil)
	}
}

// happened is what a run of one prompt came to, by the clock of the bubble.
type happened struct {
	waits   []time.Duration
	notices []string
	end     protocol.RunEnded
	final   *protocol.RetryEnded
	took    time.Duration
}

// talkTo says one word to a model in memory; stop, if set, is called when a wait
// has begun.
func talkTo(t *testing.T, m provider.Model, o control.Retry, stop func(*control.Conn)) (h happened) {
	t.Helper()
	hub := control.NewHub(control.Options{Models: models{m}, Retry: o})
	defer hub.Close()
	c, err := hub.Connect(t.Context(), control.Start{New: session.Header{CWD: "/srv"}.Complete()})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var stopping sync.WaitGroup
	defer stopping.Wait()
	begun := time.Now()
	for ev, err := range c.Watch(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		switch e := ev.(type) {
		case protocol.State:
			if _, err := protocol.Call(t.Context(), c, protocol.Prompt{Text: "hello"}); err != nil {
				t.Fatal(err)
			}
		case protocol.RetryStarted:
			h.waits = append(h.waits, e.Delay)
			if stop != nil {
				stopping.Go(func() { stop(c) })
			}
		case protocol.RetryEnded:
			h.final = &e
		case protocol.Notice:
			h.notices = append(h.notices, e.Text)
		case protocol.RunEnded:
			h.end, h.took = e, time.Since(begun)
			return h
		}
	}
	t.Fatal("the events ended")
	return h
}

func transient(text string, after time.Duration) error {
	return &provider.Error{Kind: provider.Transient, Message: text, RetryAfter: after}
}

func TestRetries(t *testing.T) {
	usual := control.Retry{Max: 3, Base: 2 * time.Second}
	for _, tt := range []struct {
		name    string
		words   string
		policy  control.Retry
		fail    func(n int64) error
		asked   int64
		took    time.Duration
		failure string // part of it
		kind    provider.Kind
		notice  string // part of one
	}{
		{name: "an answer at last", policy: usual, fail: func(n int64) error {
			if n < 4 {
				return transient("overloaded", 0)
			}
			return nil
		}, asked: 4, took: 14 * time.Second},
		{name: "no end", policy: usual, fail: func(int64) error { return transient("overloaded", 0) }, asked: 4, took: 14 * time.Second, failure: "overloaded", kind: provider.Transient},
		{name: "no end after words either", words: "half an answer", policy: usual, fail: func(int64) error { return transient("cut", 0) }, asked: 4, took: 14 * time.Second, failure: "cut", kind: provider.Transient},
		{name: "never longer than the longest", policy: control.Retry{Max: 4, Base: 2 * time.Second, Most: 5 * time.Second}, fail: func(int64) error { return transient("x", 0) }, asked: 5, took: 16 * time.Second, failure: "x", kind: provider.Transient},
		{name: "as long as the provider asks", policy: usual, fail: func(n int64) error {
			if n == 1 {
				return transient("slow down", 34*time.Second)
			}
			return nil
		}, asked: 2, took: 34 * time.Second},
		{name: "longer than our longest if it asks", policy: control.Retry{Max: 1, Base: time.Second, Most: 5 * time.Second}, fail: func(n int64) error {
			if n == 1 {
				return transient("slow down", 34*time.Second)
			}
			return nil
		}, asked: 2, took: 34 * time.Second},
		{name: "too long a wait", policy: usual, fail: func(int64) error { return transient("slow down", 3*time.Minute) }, asked: 1, failure: "slow down", kind: provider.Rejected, notice: "wait 3m0s"},
		{name: "any wait", policy: control.Retry{Max: 1, Asked: -1}, fail: func(n int64) error {
			if n == 1 {
				return transient("slow down", 3*time.Hour)
			}
			return nil
		}, asked: 2, took: 3 * time.Hour},
		{name: "no retries", policy: control.Retry{}, fail: func(int64) error { return transient("x", 0) }, asked: 1, failure: "x", kind: provider.Transient},
		{name: "a wrong key", policy: usual, fail: func(int64) error {
			return &provider.Error{Kind: provider.Auth, Message: "wrong key", RetryAfter: time.Hour}
		}, asked: 1, failure: "wrong key", kind: provider.Auth},
		{name: "an error of no provider", policy: usual, fail: func(int64) error { return errors.New("odd") }, asked: 1, failure: "odd"},
		{name: "refused without an end", policy: usual, fail: func(int64) error {
			return &provider.Error{Kind: provider.Rejected, Message: "no caches", Fault: provider.CacheMarks}
		}, asked: 2, failure: "no caches", kind: provider.Rejected, notice: "without cache marks"},
		{name: "refused for one thing after another", policy: usual, fail: func(n int64) error {
			return &provider.Error{Kind: provider.Rejected, Message: "unknown", Fault: provider.Parameter, Name: string(rune('a' + n))}
		}, asked: 10, failure: "unknown", kind: provider.Rejected, notice: "without the parameter b"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := &failing{words: tt.words, fail: tt.fail}
				h := talkTo(t, m, tt.policy, nil)
				if n := m.asked.Load(); n != tt.asked || h.took != tt.took {
					t.Errorf("%d requests in %v, want %d in %v; waits %v", n, h.took, tt.asked, tt.took, h.waits)
				}
				if h.end.Aborted || (tt.failure == "") != (h.end.Failure == "") || !strings.Contains(h.end.Failure, tt.failure) || h.end.Kind != tt.kind {
					t.Errorf("the end is %+v", h.end)
				}
				if notices := strings.Join(h.notices, "\n"); tt.notice == "" && notices != "" || !strings.Contains(notices, tt.notice) {
					t.Errorf("notices %q, want %q", notices, tt.notice)
				}
				if len(h.waits) > 0 && (h.final == nil || h.final.Success != (tt.failure == "")) {
					t.Errorf("the retries ended with %+v", h.final)
				}
			})
		})
	}
}

// A wait ends at once when it is called off.
func TestAbortInAWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &failing{fail: func(int64) error { return transient("overloaded", 50*time.Second) }}
		h := talkTo(t, m, control.Retry{Max: 3}, func(c *control.Conn) {
			time.Sleep(time.Second)
			if _, err := protocol.Call(context.WithoutCancel(t.Context()), c, protocol.Abort{}); err != nil {
				t.Error(err)
			}
		})
		if !h.end.Aborted || h.took != time.Second || m.asked.Load() != 1 || h.final == nil || h.final.FinalError != "Retry cancelled" {
			t.Errorf("%+v after %d requests, %+v", h, m.asked.Load(), h.final)
		}
	})
}
