// Package rpc is the front end of other programs: pi's RPC over standard input
// and output (docs/spec/rpc.md 1 to 12), and what bough has beyond it (14).
//
//	in    {"id":"1","type":"prompt","message":"hello"}                           a command, one a line
//	out   {"id":"1","type":"response","command":"prompt","success":true,"data":{…}}  exactly one for each
//	out   {"type":"agent_start"} …                                               events, as protocol.Wire writes them
//
// A client begins with one view, which stands at one session, and may open more.
// The reader carries out commands in the order in which they come; those that may
// take long get goroutines of their own. Each view has a goroutine that takes its
// events, and merges those that have to wait. The writer folds them, one view after
// the other, and writes what there is to tell; it alone waits for whoever reads the
// output. An answer is written when the writer comes to the place in the stream of
// its view where the command was done (see protocol.Sync), so that a client that
// reads one line after the other is never told of a state before the events that
// led to it.
package rpc

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/boughdev/bough/protocol"
)

// Options are what RPC mode works with.
type Options struct {
	In  io.Reader
	Out io.Writer
	Err io.Writer // for what people should know

	Door    protocol.Door // opens the sessions of further views; nil: there are none
	Leave   func()        // gives up the first view's session, if the client closes that; nil: it stays open
	Version string        // of the program
}

// Run serves until the input ends, ctx ends or nobody reads the output any more.
// The first view is that of c. It does not wait for what still goes on there; who
// closes c ends that. Views that were opened meanwhile are closed.
func Run(ctx context.Context, c protocol.Client, o Options) error {
	s := &server{o: o, out: bufio.NewWriterSize(o.Out, 64<<10), wake: make(chan struct{}, 1), slow: make(chan struct{})}
	s.cond.L = &s.mu
	watching, unwatch := context.WithCancel(ctx)
	defer s.closeViews()
	defer unwatch()
	defer s.over.Store(true)
	s.watching = watching
	first := s.add(c, o.Leave)
	s.attached, s.plain = first, first
	wrote := make(chan error, 1)
	go func() { wrote <- s.write(watching) }()
	select {
	case err := <-wrote:
		return err
	case <-first.ready:
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
	case <-s.slow:
		return s.part(wrote)
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
	o        Options
	watching context.Context // ends with Run; of the views' streams

	wake  chan struct{}  // has room for one: there is something to write
	slow  chan struct{}  // closed when a view has more to tell than may wait
	going sync.WaitGroup // commands that are soon done and have goroutines of their own
	moved atomic.Int64   // records written
	over  atomic.Bool    // nothing is to be written any more

	mu       sync.Mutex
	cond     sync.Cond // something below has changed
	views    []*window // in the order in which they were opened; guarded by mu
	opened   int       // views so far; guarded by mu
	attached *window   // what is meant by commands that name no view; guarded by mu
	asked    int       // syncs; guarded by mu
	owed     int       // bytes of answers that wait; guarded by mu
	tardy    *window   // why slow is closed; guarded by mu
	dialogs  []*dialog // that wait for an answer; guarded by mu

	odd [][2]string // commands, and fields that they do not have; the reader's

	aware bool // the client has sent a command that only bough has; the reader's

	// What follows is the writer's.
	out   *bufio.Writer
	plain *window // whose events are told in pi's form; it lags behind attached
	every level   // views that are opened later are subscribed at
}

// answer makes a response, or writes one by itself.
type answer struct {
	make func() []byte
	pour func(*bulk)
	size int // about, in bytes; of what is poured nothing waits
}

var (
	errEnd     = errors.New("the input has ended")
	errStalled = errors.New("nobody reads the output")
)

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
	case <-s.slow:
		return s.part(wrote)
	case <-ctx.Done():
		return ctx.Err()
	}
	for _, w := range s.all() {
		select {
		case <-w.ready:
		case <-w.ended:
		case <-ctx.Done():
			return ctx.Err()
		}
		// An error says that the session is closed, and so is the stream.
		_, _ = protocol.Call(ctx, w.c, protocol.Sync{ID: endID})
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
		case <-s.slow:
			return s.part(wrote)
		case <-tick.C:
			now := s.moved.Load()
			if now == last {
				return errStalled
			}
			last = now
		}
	}
}

// part ends with a client that reads too slowly. It is told, if it still reads.
func (s *server) part(wrote <-chan error) error {
	t := time.NewTimer(stalled)
	defer t.Stop()
	select {
	case err := <-wrote:
		return err
	case <-t.C:
		return errStalled
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
