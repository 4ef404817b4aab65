package remote

import (
	"bufio"
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// events sends the events of a client as they come.
func (s *Server) events(w http.ResponseWriter, r *http.Request, _ Role) {
	from, err := place64(r.Header.Get("Last-Event-ID"))
	if err != nil {
		refuse(w, failure{http.StatusBadRequest, protocol.BadRequest, "Last-Event-ID must be the id of an event of the stream"})
		return
	}
	records := false
	switch form := r.URL.Query().Get("form"); form {
	case "", "protocol":
	case "rpc":
		records = true
	default:
		refuse(w, failure{http.StatusBadRequest, protocol.BadRequest, `?form= is "protocol" or "rpc"`})
		return
	}
	g, f := s.guest(r, false)
	if f != nil {
		refuse(w, *f)
		return
	}
	defer g.release()
	name := r.URL.Query().Get("stream")
	if name == "" || records {
		name = randomID()
		defer g.forget(name)
	}
	resume, _ := place64(r.Header.Get(headerResume)) // without one the stream begins anew
	fd, reader, n := g.feed(name, resume, session.Seq(from), r.Header.Get(headerSession))
	select {
	case <-fd.begun: // who has the head of the answer misses nothing from then on
	case <-r.Context().Done():
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("X-Accel-Buffering", "no")
	h.Set(headerEvent, strconv.FormatUint(n, 10))
	w.WriteHeader(http.StatusOK)
	out := newWriter(w, session.Seq(from))
	if records {
		out.wire = &protocol.Wire{Ours: true}
	}
	if err := out.follow(r.Context(), g.ctx, fd, reader); err != nil && r.Context().Err() == nil {
		s.Log.Debug("a stream has ended", "client", g.id, "err", err)
	}
}

func place64(s string) (uint64, error) {
	if s == "" {
		return 0, nil
	}
	return strconv.ParseUint(s, 10, 64)
}

// feed returns the feed of a stream at the event of that number or, where that is
// not to be had any more, a new one behind the entries that the reader has, which
// are those of the session at, "" for whatever it is.
func (g *guest) feed(name string, n uint64, after session.Seq, at string) (f *feed, reader int, from uint64) {
	from = g.s.nextNumber()
	g.mu.Lock()
	defer g.mu.Unlock()
	if f = g.feeds[name]; f != nil {
		if reader, ok := f.attach(n); ok {
			return f, reader, n
		}
		f.cancel()
	}
	ctx, cancel := context.WithCancel(g.ctx)
	f = newFeed(from, cancel)
	reader, _ = f.attach(from)
	g.feeds[name] = f
	if g.closed {
		f.end(errEnded)
		return f, reader, from
	}
	g.s.work.Go(func() { f.end(g.watch(ctx, f, after, at)) })
	return f, reader, from
}

// watch fills a feed.
func (g *guest) watch(ctx context.Context, f *feed, after session.Seq, at string) error {
	begun := false
	for {
		again := false
		for ev, err := range g.c.Watch(ctx, after) {
			if err != nil {
				return err
			}
			if o, ok := ev.(protocol.Opened); ok && at != "" && after > 0 && o.Tree == nil && o.Header.ID != at {
				again = true // what the reader has are entries of another session
				break
			}
			_, state := ev.(protocol.State)
			if state && !begun {
				g.sayKept(f)
			}
			f.put(ev)
			if state && !begun {
				begun = true
				g.sayLate(f)
			}
		}
		if !again {
			return errEnded
		}
		after = 0
	}
}

// sayKept tells what was to be told when the client came.
func (g *guest) sayKept(f *feed) {
	g.mu.Lock()
	notices := g.notices
	g.notices = nil
	g.mu.Unlock()
	for _, n := range notices {
		f.put(n)
	}
}

// sayLate tells of the Syncs that were carried out before a stream began. One that
// falls together with that is told of twice.
func (g *guest) sayLate(f *feed) {
	g.syncing.Lock()
	defer g.syncing.Unlock()
	for _, id := range g.synced {
		f.put(protocol.Synced{ID: id})
	}
}

// forget ends a feed that nobody comes back to.
func (g *guest) forget(name string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if f := g.feeds[name]; f != nil {
		f.cancel()
		delete(g.feeds, name)
	}
}

// writer writes server-sent events.
type writer struct {
	b    *bufio.Writer
	rc   *http.ResponseController
	seq  session.Seq    // of the last entry told of
	wire *protocol.Wire // for the records of RPC
}

func newWriter(w http.ResponseWriter, seq session.Seq) *writer {
	rc := http.NewResponseController(w)
	return &writer{b: bufio.NewWriterSize(&patient{w: w, rc: rc}, 64<<10), rc: rc, seq: seq}
}

// follow writes what comes until the reader goes, gone ends, or nothing more comes.
func (w *writer) follow(ctx, gone context.Context, f *feed, reader int) error {
	w.b.WriteString(": bough\n\n")
	ping := time.NewTicker(pingEvery)
	defer ping.Stop()
	for {
		ev, ok, err := f.take(reader)
		switch {
		case ok:
			if err := w.event(ev); err != nil {
				return err
			}
			continue
		case errors.Is(err, errLapsed) || errors.Is(err, errTaken):
			return err // the reader comes back behind what it has
		case err != nil:
			w.b.WriteString("event: gone\ndata: {\"type\":\"gone\"}\n\n")
			w.flush()
			return err
		}
		if err := w.flush(); err != nil {
			return err
		}
		select {
		case <-f.wake:
		case <-ping.C:
			w.b.WriteString(": ping\n\n")
		case <-gone.Done():
			f.end(errEnded)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (w *writer) flush() error {
	if err := w.b.Flush(); err != nil {
		return err
	}
	if err := w.rc.Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	return nil
}

// event writes an event, and the entries of its tree as events of their own.
func (w *writer) event(ev protocol.Event) error {
	if w.wire != nil {
		return w.records(ev)
	}
	if err := w.one(ev); err != nil {
		return err
	}
	o, ok := ev.(protocol.Opened)
	if !ok || o.Tree == nil {
		return nil
	}
	for e := range o.Tree.Log() {
		if err := w.one(protocol.Appended{Entry: e, Foreign: true}); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) one(ev protocol.Event) error {
	switch e := ev.(type) {
	case protocol.Opened:
		w.seq = 0
	case protocol.Appended:
		w.seq = max(w.seq, e.Entry.Line.Seq)
	}
	b, err := protocol.EncodeEvent(ev)
	if err != nil {
		b = []byte(`{"type":"unknown"}`) // keeps its number
	}
	return w.data(b)
}

// records writes an event as the records of RPC. What was there before is not told.
func (w *writer) records(ev protocol.Event) error {
	switch e := ev.(type) {
	case protocol.Opened:
		if w.seq = 0; e.Tree != nil && e.Tree.Last() != nil {
			w.seq = e.Tree.Last().Line.Seq
		}
	case protocol.Appended:
		w.seq = max(w.seq, e.Entry.Line.Seq)
	}
	for _, rec := range w.wire.Records(ev) {
		if err := w.data(rec); err != nil {
			return err
		}
	}
	return nil
}

// data writes one event of the stream, a long one in pieces.
func (w *writer) data(b []byte) error {
	for len(b) > partSize {
		n := partSize
		for n > partSize-utf8.UTFMax && !utf8.RuneStart(b[n]) {
			n--
		}
		w.b.WriteString("event: part\ndata: ")
		w.b.Write(b[:n])
		if _, err := w.b.WriteString("\n\n"); err != nil {
			return err
		}
		b = b[n:]
	}
	if w.seq > 0 {
		w.b.WriteString("id: ")
		w.b.WriteString(strconv.FormatUint(uint64(w.seq), 10))
		w.b.WriteByte('\n')
	}
	w.b.WriteString("data: ")
	w.b.Write(b)
	_, err := w.b.WriteString("\n\n") // what went wrong before comes up here
	return err
}
