package acp

import (
	"context"
	"sync"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/boughdev/bough/internal/view"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// live is a session that the editor has open.
type live struct {
	a     *agent
	id    sdk.SessionId
	c     protocol.Client
	leave func()
	left  chan struct{} // closed when it is left
	dir   string        // it works in
	roots []string      // that the editor works in

	following sync.Mutex         // held while the follower is changed
	stop      context.CancelFunc // guarded by following
	done      chan struct{}      // closed when the follower has ended; guarded by following
	gate      chan struct{}      // closed when the editor knows the session; guarded by following

	mu        sync.Mutex
	closed    bool                          // guarded by mu
	loading   bool                          // guarded by mu
	question  session.ID                    // what the person has said last, "" for nothing; guarded by mu
	titled    bool                          // the editor has a title; guarded by mu
	made      int                           // terminals; guarded by mu
	release   func()                        // ends lending; guarded by mu
	turn      *turn                         // that goes on; guarded by mu
	prompts   int                           // guarded by mu
	aborting  <-chan struct{}               // closed when the last abort is over; nil: there was none; guarded by mu
	questions map[string]context.CancelFunc // asked, by id; guarded by mu
	terminals []*terminal                   // lent, that run; guarded by mu

	// What follows is the follower's.
	view   view.View
	shown  map[session.ID]bool // entries that the editor was told of, or need not be
	begun  bool                // the first State has come
	replay bool
	stream *streaming
	calls  map[string]*call // by the id that the model gave, the last of that id
	named  map[string]int   // how often an id was given
	loose  map[string]bool  // questions about no call
	loops  int              // turns of the run
	limit  int              // of a run; 0: none
	ended  protocol.RunEnded
	answer message.Message // the last one
	used   usage
	told   sdk.SessionUsageUpdate
}

// streaming is an answer that is being streamed.
type streaming struct {
	said map[int][]byte // what was told of its texts and thoughts, by index
}

func newStreaming() *streaming {
	return &streaming{said: map[int][]byte{}}
}

// start begins to follow the session and returns when the editor has been told what
// it is to be told first.
func (s *live) start(ctx context.Context, replay bool) error {
	return s.refollow(ctx, replay, make(chan struct{}))
}

// again tells what was said so far once more, if the editor wants that.
func (s *live) again(ctx context.Context, replay bool) error {
	if !replay {
		return nil
	}
	s.mu.Lock()
	if s.turn != nil || s.loading {
		s.mu.Unlock()
		return &protocol.Error{Code: protocol.Busy, Text: "The session is open and answers a prompt. Cancel it, or wait, and load it then."}
	}
	s.loading = true // no prompt may come in between
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.loading = false
		s.mu.Unlock()
	}()
	gate := make(chan struct{})
	close(gate)
	return s.refollow(ctx, true, gate)
}

// refollow ends the follower, if there is one, and begins another. When it knows
// the session it waits for the gate.
func (s *live) refollow(ctx context.Context, replay bool, gate chan struct{}) error {
	s.following.Lock()
	defer s.following.Unlock()
	if s.stop != nil {
		s.stop()
		<-s.done
	}
	if replay {
		select {
		case <-gate:
		default:
			close(gate)
		}
	}
	s.view, s.shown, s.begun, s.replay = view.View{}, map[session.ID]bool{}, false, replay
	s.stream, s.calls, s.named = nil, map[string]*call{}, map[string]int{}
	s.loose = map[string]bool{}
	s.mu.Lock()
	for _, cancel := range s.questions {
		cancel() // they are asked anew
	}
	s.questions = map[string]context.CancelFunc{}
	s.mu.Unlock()
	watching, stop := context.WithCancel(s.a.ctx)
	s.stop, s.done = stop, make(chan struct{})
	s.gate = gate
	ready := make(chan error, 1)
	done := s.done
	go func() {
		defer close(done)
		s.follow(watching, ready)
	}()
	select {
	case err := <-ready:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// after is the answer that says that the session is open, and what is told behind
// it.
func (s *live) after(result any) then {
	return then{result, func() {
		s.tellCommands(s.a.ctx)
		s.following.Lock()
		defer s.following.Unlock()
		select {
		case <-s.gate:
		default:
			close(s.gate)
		}
	}}
}

// close leaves the session. Who waits for a prompt is told.
func (s *live) close() {
	s.mu.Lock()
	release, first := s.release, !s.closed
	s.closed, s.release = true, nil
	t := s.turn
	s.mu.Unlock()
	if !first {
		return
	}
	close(s.left)
	if t != nil {
		t.end(outcome{err: &sdk.RequestError{Code: cancelled, Message: "The session was closed."}})
	}
	s.following.Lock()
	done := s.done
	if s.stop != nil {
		s.stop()
	}
	s.following.Unlock()
	s.leave()
	if release != nil {
		release()
	}
	if done != nil {
		<-done
	}
}

// update tells the editor something of the session.
func (s *live) update(u any) {
	s.a.conn.notify(sdk.ClientMethodSessionUpdate, struct {
		SessionID sdk.SessionId `json:"sessionId"`
		Update    any           `json:"update"`
	}{s.id, u})
}

func (s *live) say(text string)   { s.chunk("agent_message_chunk", sdk.TextBlock(text)) }
func (s *live) think(text string) { s.chunk("agent_thought_chunk", sdk.TextBlock(text)) }

// note says something of bough's own, as a paragraph.
func (s *live) note(text string) { s.say("\n\n" + text + "\n\n") }

func (s *live) chunk(kind string, b sdk.ContentBlock) {
	s.update(struct {
		Kind    string           `json:"sessionUpdate"`
		Content sdk.ContentBlock `json:"content"`
	}{kind, b})
}

// tellCommands tells which commands a prompt may begin with.
func (s *live) tellCommands(ctx context.Context) {
	s.update(sdk.SessionAvailableCommandsUpdate{SessionUpdate: "available_commands_update", AvailableCommands: s.commands(ctx)})
}
