package remote

import (
	"context"
	"errors"
	"sync"

	"github.com/boughdev/bough/protocol"
)

const (
	mostWaiting = 64 << 20 // bytes of events that cannot be merged; more ends a stream
	mostKept    = 4 << 20  // bytes of events that were sent and may have to be sent again
	keptEvents  = 4096
)

// A feed holds the events of one stream: those that wait to be sent, and the last
// that were, for the case that they did not arrive. Progress that waits is merged;
// nobody waits for the reader.
type feed struct {
	cancel context.CancelFunc // ends the watching
	begun  chan struct{}      // closed once something has come, and so all that follows will
	first  sync.Once

	mu      sync.Mutex
	items   []item // guarded by mu
	sent    int    // how many of items were sent; guarded by mu
	next    uint64 // number of the event behind the last item; guarded by mu
	waiting int    // bytes, roughly, that were not sent; guarded by mu
	kept    int    // bytes, roughly, of those that were; guarded by mu
	err     error  // why no more will come; guarded by mu
	reader  int    // the last one that came; guarded by mu
	wake    chan struct{}
}

// item is an event with its number. An Opened with a tree takes as many numbers as
// its entries behind it.
type item struct {
	ev   protocol.Event
	n    uint64
	size int
}

var (
	errEnded  = errors.New("there are no more events")
	errLapsed = errors.New("too much waits for the reader")
	errTaken  = errors.New("another reader has come")
)

func newFeed(first uint64, cancel context.CancelFunc) *feed {
	return &feed{next: first, cancel: cancel, begun: make(chan struct{}), wake: make(chan struct{}, 1)}
}

// numbers is how many events of a stream an event makes.
func numbers(ev protocol.Event) uint64 {
	if o, ok := ev.(protocol.Opened); ok && o.Tree != nil {
		return 1 + uint64(o.Tree.Size())
	}
	return 1
}

// weight is what an event takes in a feed, in bytes. What has a tree is not kept.
func weight(ev protocol.Event) int {
	if o, ok := ev.(protocol.Opened); ok && o.Tree != nil {
		return mostKept
	}
	return protocol.Weight(ev)
}

func (f *feed) put(ev protocol.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return
	}
	if n := len(f.items); n > f.sent {
		if sum, ok := protocol.Merge(f.items[n-1].ev, ev); ok {
			f.waiting -= f.items[n-1].size
			f.items[n-1].ev, f.items[n-1].size = sum, weight(sum)
			f.waiting += f.items[n-1].size
			f.ringLocked()
			return
		}
	}
	it := item{ev, f.next, weight(ev)}
	f.next += numbers(ev)
	f.items = append(f.items, it)
	if f.waiting += it.size; f.waiting > mostWaiting {
		f.items, f.sent, f.err = nil, 0, errLapsed
		f.cancel()
	}
	f.ringLocked()
}

// end says that no more will come.
func (f *feed) end(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil {
		f.err = err
	}
	f.ringLocked()
}

func (f *feed) ringLocked() {
	if len(f.items) > 0 || f.err != nil {
		f.first.Do(func() { close(f.begun) })
	}
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// attach makes the caller the reader, from the event of that number on, and tells
// the one before to go. It fails if that event is not there any more.
func (f *feed) attach(n uint64) (reader int, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	at := len(f.items)
	for i, it := range f.items {
		if it.n == n {
			at = i
			break
		}
	}
	if at == len(f.items) && n != f.next || errors.Is(f.err, errLapsed) {
		return 0, false
	}
	f.sent, f.waiting, f.kept = at, 0, 0
	for i, it := range f.items {
		if i < at {
			f.kept += it.size
		} else {
			f.waiting += it.size
		}
	}
	f.reader++
	f.ringLocked()
	return f.reader, true
}

// take returns the next event, or false if there is none yet.
func (f *feed) take(reader int) (protocol.Event, bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if reader != f.reader {
		f.ringLocked() // was for the other one
		return nil, false, errTaken
	}
	if f.sent == len(f.items) {
		return nil, false, f.err
	}
	it := f.items[f.sent]
	f.sent++
	f.waiting -= it.size
	f.kept += it.size
	drop := 0
	for ; drop < f.sent-1 && (f.kept > mostKept || f.sent-drop > keptEvents); drop++ {
		f.kept -= f.items[drop].size
		f.items[drop] = item{}
	}
	f.items, f.sent = f.items[drop:], f.sent-drop
	return it.ev, true, nil
}
