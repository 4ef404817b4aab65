package control_test

import (
	"context"
	"fmt"
	"iter"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/internal/remote"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// far says that the front ends of the tests stand at the other end of HTTP.
var far = os.Getenv("BOUGH_TEST_FAR") != ""

// doorOf lets in at a client that is there already.
type doorOf struct{ c *control.Conn }

func (d doorOf) Open(context.Context, protocol.Open) (protocol.Client, func(), error) {
	return d.c, d.c.Close, nil
}

// reach is the way of a front end to its connection, and how it leaves.
func reach(t *testing.T, c *control.Conn) (protocol.Client, func()) {
	t.Helper()
	if !far {
		return c, c.Close
	}
	const token = "the token of the tests of control"
	s := &remote.Server{Door: doorOf{c}, Tokens: []remote.Key{{Token: token, Role: remote.Owner}}}
	h := httptest.NewServer(s.Handler())
	d := &remote.Dialer{Address: h.URL, Token: token}
	client, leave, err := d.Open(t.Context(), protocol.Open{Session: "x"})
	if err != nil {
		t.Fatal(err)
	}
	return &settling{Client: client, waits: map[string]chan struct{}{}, ended: make(chan struct{})}, sync.OnceFunc(func() {
		leave()
		s.Close()
		h.Close()
	})
}

// settling waits after each command until its front end has seen what that has
// made happen, as it has in one process.
type settling struct {
	protocol.Client
	ended chan struct{} // once the first watching has

	mu      sync.Mutex
	n       int                      // of syncs; guarded by mu
	waits   map[string]chan struct{} // guarded by mu
	watched bool                     // guarded by mu
}

func (s *settling) Do(ctx context.Context, cmd protocol.Request) (any, error) {
	v, err := s.Client.Do(ctx, cmd)
	s.mu.Lock()
	s.n++
	id, seen, watched := fmt.Sprint("settling ", s.n), make(chan struct{}), s.watched
	s.waits[id] = seen
	s.mu.Unlock()
	if _, serr := s.Client.Do(ctx, protocol.Sync{ID: id}); serr != nil || !watched {
		return v, err
	}
	select {
	case <-seen:
	case <-s.ended:
	}
	return v, err
}

func (s *settling) Watch(ctx context.Context, after session.Seq) iter.Seq2[protocol.Event, error] {
	return func(yield func(protocol.Event, error) bool) {
		s.mu.Lock()
		first := !s.watched
		s.watched = true
		s.mu.Unlock()
		if first {
			defer close(s.ended)
		}
		for ev, err := range s.Client.Watch(ctx, after) {
			if e, ok := ev.(protocol.Synced); ok && strings.HasPrefix(e.ID, "settling ") {
				s.mu.Lock()
				if seen := s.waits[e.ID]; first && seen != nil {
					close(seen)
					delete(s.waits, e.ID)
				}
				s.mu.Unlock()
				continue
			}
			if !yield(ev, err) {
				return
			}
		}
	}
}

// The stories of this package, told once more by front ends that are far away.
func TestFromAfar(t *testing.T) {
	if far || testing.Short() {
		t.Skip("they are told from afar already, or in short")
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run="+stories, "-test.short")
	cmd.Env = append(os.Environ(), "BOUGH_TEST_FAR=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

const stories = "^Test(TheExampleOfBranchSummaries|ALabelGoesWithTheMove|AnAbortedSummaryChangesNothing|ASummaryIsTriedAgain|" +
	"BackAndForward|TheImagesOfAMessageComeBack|TheEndComesBeforeTheSummary|WhoWaitsForASummaryMayGo|Take|TakeASummary|WhatCannotBeTaken|" +
	"PromptAtAPlace|PromptAtIsRefused|ARunFromAnEntry|MessagesAreAdded|GetEntry|APromptWithTools|BranchingForgets|" +
	"APlaceInsideAToolTurn|AbortKeepsWhatWasSaid|AbortOfATool|Queues|RetryOfTransientFailures|TwoFrontEndsSeeTheSame|ForkCloneAndNew|" +
	"ThePositionSurvives|TheLimitOfTurns|TwoAnswerAtOnce)$"
