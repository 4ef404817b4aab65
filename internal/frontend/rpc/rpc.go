// Package rpc is the front end of other programs: pi's RPC over standard input
// and output (docs/spec/rpc.md 1 to 12).
//
//	in    {"id":"1","type":"prompt","message":"hello"}                           a command, one a line
//	out   {"id":"1","type":"response","command":"prompt","success":true,"data":{…}}  exactly one for each
//	out   {"type":"agent_start"} …                                               events, as protocol.Wire writes them
//
// Two goroutines share the work. The reader carries out commands in the order in
// which they come; those that may take long get goroutines of their own. The
// writer follows the events and keeps a view of the session. An answer is written
// when the writer comes to the place in the stream where its command was done (see
// protocol.Sync), so that a client that reads one line after the other is never
// told of a state before the events that led to it. Only the writer waits for
// whoever reads the output.
package rpc

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/boughdev/bough/internal/view"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// Options are what RPC mode works with.
type Options struct {
	In  io.Reader
	Out io.Writer
	Err io.Writer // for what people should know
}

// Run serves until the input ends, ctx ends or nobody reads the output any more.
// It does not wait for what still goes on in the session; who closes the client
// ends that.
func Run(ctx context.Context, c protocol.Client, o Options) error {
	s := &server{c: c, o: o, answers: map[string]answer{}, ready: make(chan struct{}), words: map[string]string{},
		out: bufio.NewWriterSize(o.Out, 64<<10)}
	s.cond.L = &s.mu
	defer s.over.Store(true)
	watching, unwatch := context.WithCancel(ctx)
	defer unwatch()
	wrote := make(chan error, 1)
	go func() { wrote <- s.write(watching) }()
	select {
	case err := <-wrote:
		return err
	case <-s.ready:
	}
	read := make(chan struct{})
	go func() { // a read that hangs ends with the process
		defer close(read)
		s.read(ctx)
	}()
	select {
	case err := <-wrote:
		return err
	case <-ctx.Done():
		return ctx.Err()
	case <-read:
	}
	return s.finish(ctx, wrote)
}

const (
	// maxOwed is how many bytes of answers may wait to be written before no more
	// commands are read.
	maxOwed = 64 << 20

	// overhead is what an answer takes beside its texts, about.
	overhead = 256

	// finishing is how long commands may take that go on when the input ends.
	finishing = 500 * time.Millisecond

	// stalled is how long a reader may take nothing then.
	stalled = 5 * time.Second
)

// server serves one client.
type server struct {
	c protocol.Client
	o Options

	ready chan struct{}  // closed when the writer follows the session
	ahead chan struct{}  // closed when the last compaction is over; the reader's
	going sync.WaitGroup // commands that are soon done and have goroutines of their own
	moved atomic.Int64   // records written
	over  atomic.Bool    // nothing is to be written any more

	mu      sync.Mutex
	cond    sync.Cond         // something below has changed
	asked   int               // syncs; guarded by mu
	answers map[string]answer // by sync; guarded by mu
	owed    int               // their bytes; guarded by mu
	asking  bool              // a prompt is being handed over; guarded by mu
	prompts int               // that runs began with; guarded by mu
	started []prompt          // prompts that runs began with, not yet told of; guarded by mu
	file    string            // of the session, "" if it is kept in memory; guarded by mu
	words   map[string]string // modes that there are none of, as they were set; guarded by mu

	// What follows is the writer's.
	out        *bufio.Writer
	wire       protocol.Wire
	view       view.View
	paths      *session.Projector
	counter    session.Counter
	compacting bool
	accepted   []answer // of prompts whose run has not begun to talk
}

// prompt is one that a run began with.
type prompt struct {
	number int
	answer answer
}

// answer makes a response.
type answer struct {
	make func() []byte
	size int // about, in bytes
}

var errEnd = errors.New("the input has ended")

// endID is the sync behind everything.
const endID = "end"

// promptID, with a number, is the sync behind a prompt that a run began with.
const promptID = "prompt "

// finish ends after the input: what has been done by then is answered.
func (s *server) finish(ctx context.Context, wrote <-chan error) error {
	done := make(chan struct{})
	go func() {
		s.going.Wait()
		close(done)
	}()
	t := time.NewTimer(finishing)
	defer t.Stop()
	select {
	case <-done:
	case <-t.C:
	case err := <-wrote:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
	if _, err := protocol.Call(ctx, s.c, protocol.Sync{ID: endID}); err != nil {
		return err
	}
	tick := time.NewTicker(stalled)
	defer tick.Stop()
	for last := int64(-1); ; {
		select {
		case err := <-wrote:
			if errors.Is(err, errEnd) {
				err = nil
			}
			return err
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
			now := s.moved.Load()
			if now == last {
				return errors.New("nobody reads the output")
			}
			last = now
		}
	}
}

// read carries out the commands of the input.
func (s *server) read(ctx context.Context) {
	in := bufio.NewReaderSize(s.o.In, 64<<10)
	for ctx.Err() == nil {
		line, err := in.ReadBytes('\n')
		if err == nil || len(line) > 0 {
			line = bytes.TrimSuffix(line, []byte("\n"))
			s.handle(ctx, bytes.TrimSuffix(line, []byte("\r")))
		}
		if err != nil {
			return
		}
	}
}

// respond has an answer written behind all that has happened so far.
func (s *server) respond(ctx context.Context, a answer) {
	s.mu.Lock()
	for s.owed > maxOwed {
		s.cond.Wait()
	}
	s.asked++
	id := strconv.Itoa(s.asked)
	s.answers[id] = a
	s.owed += a.size
	s.mu.Unlock()
	if _, err := protocol.Call(ctx, s.c, protocol.Sync{ID: id}); err != nil {
		s.take(id) // the session is closed, and so is the stream
	}
}

func (s *server) take(id string) (answer, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a, ok := s.answers[id]
	if ok {
		delete(s.answers, id)
		s.owed -= a.size
		s.cond.Broadcast()
	}
	return a, ok
}

// write follows the session and writes all there is to write.
func (s *server) write(ctx context.Context) error {
	for ev, err := range s.c.Watch(ctx, 0) {
		if s.over.Load() {
			return errEnd
		}
		if err == nil {
			err = s.event(ev)
		}
		if err != nil {
			return err
		}
	}
	return protocol.ErrClosed
}

func (s *server) event(ev protocol.Event) error {
	s.view.Apply(ev)
	switch e := ev.(type) {
	case protocol.Opened:
		s.wire, s.paths, s.compacting = protocol.Wire{}, new(session.Projector), false
		s.mu.Lock()
		s.file = e.File
		s.mu.Unlock()
	case protocol.State:
		s.compacting = e.Compacting
		select {
		case <-s.ready:
		default:
			close(s.ready)
		}
	case protocol.Synced:
		if e.ID == endID {
			if err := s.accept(); err != nil {
				return err
			}
			if err := s.astray(math.MaxInt); err != nil {
				return err
			}
			return errEnd
		}
		if n, ok := strings.CutPrefix(e.ID, promptID); ok {
			number, _ := strconv.Atoi(n) // it is ours
			return s.astray(number)
		}
		if a, ok := s.take(e.ID); ok {
			return s.record(a.make())
		}
	case protocol.RunStarted:
		s.begun()
	case protocol.LoopStarted, protocol.RunEnded:
		if err := s.accept(); err != nil {
			return err
		}
	case protocol.CompactionStarted, protocol.BranchSummaryStarted:
		s.compacting = true
	case protocol.CompactionEnded, protocol.BranchSummaryEnded:
		s.compacting = false
	case protocol.Notice:
		fmt.Fprintf(s.o.Err, "bough: %s\n", e.Text)
	}
	return s.record(s.wire.Records(ev)...)
}

// begun finds the prompt that a run has begun with, if it is one of ours. The
// reader may be about to learn that.
func (s *server) begun() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.asking {
		s.cond.Wait()
	}
	if len(s.started) > 0 {
		s.accepted = append(s.accepted, s.started[0].answer)
		s.started = s.started[1:]
	}
}

// astray answers the prompts up to a number whose run has begun unseen, in a
// session that was just being left or entered.
func (s *server) astray(number int) error {
	s.mu.Lock()
	var late []answer
	for len(s.started) > 0 && s.started[0].number <= number {
		late = append(late, s.started[0].answer)
		s.started = s.started[1:]
	}
	s.mu.Unlock()
	for _, a := range late {
		if err := s.record(a.make()); err != nil {
			return err
		}
	}
	return nil
}

// accept answers the prompts whose run begins to talk.
func (s *server) accept() error {
	for _, a := range s.accepted {
		if err := s.record(a.make()); err != nil {
			return err
		}
	}
	s.accepted = nil
	return nil
}

// record writes lines, which are there for the reader at once.
func (s *server) record(lines ...[]byte) error {
	if len(lines) == 0 {
		return nil
	}
	for _, l := range lines {
		s.out.Write(l)        // bufio keeps the first error for Flush
		s.out.WriteByte('\n') // likewise
	}
	if err := s.out.Flush(); err != nil {
		return fmt.Errorf("write the output: %w", err)
	}
	s.moved.Add(int64(len(lines)))
	return nil
}
