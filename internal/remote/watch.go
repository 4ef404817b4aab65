package remote

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/session"
)

// A watcher puts the stream of events together again of what arrives over one
// connection after the other.
type watcher struct {
	c    *client
	name string // of the stream
	next uint64 // number of the event that comes next; 0: none has come

	session string              // whose entries are known; "" if that is the caller's word
	seq     session.Seq         // up to where
	held    map[session.ID]bool // told of, though they had no place in the log yet
	known   *session.Tree       // of the session's file as it was read here; nil: it was not
	end     session.Seq         // of it

	opened  *protocol.Opened // being put together: its entries come, up to the State
	resumed bool             // over another connection
	behind  []protocol.Event // what came between its entries and the State
	began   bool             // something was told
	again   bool             // what comes was told before, up to the State
	running bool
}

var (
	errStop = errors.New("the caller has had enough")
	errGone = errors.New("the stream will not go on")
)

// Watch yields the events there. A connection that breaks is made again, and the
// caller does not notice; if that cannot be done, the error is ErrGone.
func (c *client) Watch(ctx context.Context, after session.Seq) iter.Seq2[protocol.Event, error] {
	return func(yield func(protocol.Event, error) bool) {
		whole, cancel := c.until(ctx)
		defer cancel()
		w := &watcher{c: c, name: randomID(), seq: after, held: map[session.ID]bool{}}
		if after == 0 {
			w.known, w.end, w.session = c.local(whole)
			w.seq = w.end
		}
		wait := c.d.wait()
		for {
			at := c.where()
			err := w.stream(whole, at.Client, func(ev protocol.Event) bool { return yield(ev, nil) }, func() { wait = c.d.wait() })
			switch {
			case errors.Is(err, errStop):
				return
			case ctx.Err() != nil:
				yield(nil, ctx.Err())
				return
			case c.ctx.Err() != nil:
				return // closed
			case errors.Is(err, errGone):
				err = ErrGone
			case protocol.CodeOf(err) == UnknownClient:
				err = c.again(whole, at.Client)
			default:
				if _, broken := errors.AsType[errBroken](err); broken {
					c.d.log().Debug("a stream broke off", "err", err)
					err = wait.pause(whole, err)
				}
			}
			if err != nil {
				if c.ctx.Err() == nil || ctx.Err() != nil {
					yield(nil, err)
				}
				return
			}
		}
	}
}

// stream follows one connection. alive is called when something has come.
func (w *watcher) stream(ctx context.Context, id string, yield func(protocol.Event) bool, alive func()) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r, err := w.c.d.request(ctx, http.MethodGet, "/events?client="+url.QueryEscape(id)+"&stream="+w.name, nil)
	if err != nil {
		return err
	}
	after := w.seq
	if after > 0 {
		r.Header.Set("Last-Event-ID", strconv.FormatUint(uint64(after), 10))
	}
	if w.session != "" {
		r.Header.Set(headerSession, w.session)
	}
	if w.next > 0 {
		r.Header.Set(headerResume, strconv.FormatUint(w.next, 10))
	}
	resp, err := w.c.d.http().Do(r)
	if err != nil {
		return errBroken{err}
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		b, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
		if err != nil {
			return errBroken{err}
		}
		return problem(resp.StatusCode, b)
	}
	from, err := strconv.ParseUint(resp.Header.Get(headerEvent), 10, 64)
	if err != nil {
		return errors.New("the server answers, but not as bough does")
	}
	fresh := w.next != from // else it goes on where it broke off
	w.next = from
	silent := time.AfterFunc(silentAfter, cancel)
	defer silent.Stop()
	events := provider.NewEventReader(&heard{resp.Body, func() { silent.Reset(silentAfter); alive() }})
	var part []byte
	for {
		e, err := events.Next()
		if err != nil {
			return errBroken{err}
		}
		switch e.Name {
		case "part":
			part = append(part, e.Data...)
			continue
		case "gone":
			return errGone
		}
		data := e.Data
		if part != nil {
			data, part = append(part, data...), nil
		}
		ev, err := protocol.DecodeEvent(bytes.Clone(data))
		w.next++
		if _, unknown := errors.AsType[protocol.UnknownEvent](err); unknown {
			continue // of a later version
		} else if err != nil {
			return err
		}
		if _, ok := ev.(protocol.Opened); ok {
			w.open(ev.(protocol.Opened), fresh, after)
			fresh = false
			continue
		}
		for _, ev := range w.take(ev) {
			if !yield(ev) {
				return errStop
			}
		}
	}
}

// open begins a session, or goes on with one that is known. fresh is for the first
// one of a stream that begins anew, behind the entries up to after.
func (w *watcher) open(o protocol.Opened, fresh bool, after session.Seq) {
	w.c.stands(o.Header.ID, o.File)
	lacks := fresh && after > 0 && (w.session == "" || w.session == o.Header.ID) // what is known is not sent again
	switch {
	case lacks && w.began:
		w.again = true
		return
	case lacks && w.opened != nil:
		w.resumed = true // the entries that came before the connection broke stay
		return
	}
	*w = watcher{c: w.c, name: w.name, next: w.next, known: w.known, end: w.end, began: w.began, seq: w.seq,
		session: o.Header.ID, held: map[session.ID]bool{}, opened: &o}
	switch {
	case lacks && w.known != nil:
		o.Tree = w.known
	case !lacks:
		o.Tree, w.known, w.end, w.seq = session.NewTree(), nil, 0, 0
	}
}

// take takes up an event and returns what the caller is told.
func (w *watcher) take(ev protocol.Event) []protocol.Event {
	switch e := ev.(type) {
	case protocol.Appended:
		return w.appended(e)
	case protocol.State:
		was := w.running
		w.running, w.began = e.Running, true
		if o := w.opened; o != nil {
			out := append([]protocol.Event{*o}, w.behind...)
			w.opened, w.behind, w.resumed = nil, nil, false
			return append(out, e)
		}
		if w.again {
			w.again = false
			if was && !e.Running {
				return []protocol.Event{protocol.RunEnded{}, e} // its end was not heard
			}
		}
	case protocol.RunStarted:
		w.running = true
	case protocol.RunEnded:
		w.running = false
	}
	if w.opened != nil {
		w.behind = append(w.behind, ev)
		return nil
	}
	return []protocol.Event{ev}
}

func (w *watcher) appended(e protocol.Appended) []protocol.Event {
	seq, id := e.Entry.Line.Seq, e.Entry.ID
	told := w.held[id] && (w.again || w.resumed)
	inFile := w.known != nil && seq > 0 && seq <= w.end
	if seq == 0 {
		w.held[id] = true
	}
	w.seq = max(w.seq, seq)
	switch {
	case inFile, told:
		return nil
	case w.opened == nil:
		return []protocol.Event{e}
	case w.opened.Tree != nil:
		w.opened.Tree.Add(e.Entry)
	default:
		w.behind = append(w.behind, e)
	}
	return nil
}

// heard tells of every read that brings something.
type heard struct {
	io.Reader
	tell func()
}

func (h *heard) Read(b []byte) (int, error) {
	n, err := h.Reader.Read(b)
	if n > 0 {
		h.tell()
	}
	return n, err
}
