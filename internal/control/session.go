package control

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/boughdev/bough/internal/prompt"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/tool"
)

// A Session is one live session. Its owner goroutine does what comes by mail, in
// order: it alone appends, moves the leaf and holds the queues, and it never
// waits for a model, a tool, a person or a reader.
type Session struct {
	hub   *Hub
	key   string // in the hub
	opts  Options
	store session.Store
	file  string // where a new session will lie
	dir   string

	mail  chan func()     // to be done by the owner, in order
	ctx   context.Context // ends when the session is closed
	stop  context.CancelFunc
	ended chan struct{} // closed when the owner has ended
	once  sync.Once

	holders int // guarded by hub.mu

	work sync.WaitGroup // what is done beside; it ends with ctx

	// apart means that this is a view of its own on a log that others may have open
	// too, in this process. Where it stands is not written down, and it has no lease.
	apart bool

	// What follows is the owner's.
	live     *session.Session
	branch   *session.Branch
	spoken   spoken
	resting  rest
	news     fileNews
	leased   bool         // a lease was asked for
	release  func() error // of the lease; nil without one
	model    provider.Model
	thinking string
	fresh    bool
	setup    Setup
	renewing bool         // a setup is being made to take its place
	tools    []tool.Tool  // of the setup
	prompt   prompt.State // of the setup
	omitted  []omitted    // what servers have refused, and took without
	past     []session.ID // places that were left
	before   int          // entries of before this session was opened; 0 once its places are in past
	future   []session.ID // and that were come back from
	steering []queued
	followUp []queued
	op       *operation // what Abort ends; nil at rest
	bashes   map[*bash]struct{}
	held     []message.Message // results of the user's commands that wait for the end of the run
	watchers map[*mailbox]struct{}
	answer   *message.Builder // being streamed
	running  []protocol.ToolStarted
	sofar    map[string]protocol.ToolProgress // what they have said, by call
	untold   []untold                         // appended, not yet told of
	by       *string                          // the front end whose command is carried out; nil: none
	taken    []queued                         // out of the queues, to be said next
	kept     kept
	recall   recall
	titled   bool // a title was asked for
	unsaved  int  // as it was last told
	saving
	told    string // where people were told the session lies
	mark    *time.Timer
	notices []protocol.Notice // of the start, for whoever watches first

	use       *protocol.ContextUse // as it was last told
	ratio     ratio
	spent     spent
	questions []*question
	asked     int // questions so far
	permits   permits

	endWait    func() // ends the wait for the next try; nil without one
	compacting bool   // in a run or by itself
	futile     int    // compactions in a row that brought nothing
	pause      int    // turns before the next try

	other *session.LeasedError // another process runs the session too; nil: none does
}

// operation is something that goes on and that Abort ends.
type operation struct {
	cancel  context.CancelFunc
	done    chan struct{} // closed when it is over, in the owner
	summing bool          // something is being summed up; else it is a run

	compacts bool // the conversation, not a branch
	queued   bool // a message was queued meanwhile

	by string // the front end that asked for it; ""
}

// untold is an entry that was appended in the name of a front end.
type untold struct {
	id     session.ID
	by     string
	beside bool // the leaf has stayed where it was
}

// markAfter is how long a move of the leaf stays in memory only.
const markAfter = 2 * time.Second

func newSession(ctx context.Context, h *Hub, live *session.Session, start Start, e entering) (_ *Session, err error) {
	s := &Session{hub: h, key: e.key, opts: e.opts, store: start.Store, file: start.File, live: live, fresh: start.Open == "", apart: start.Own,
		mail: make(chan func(), 64), ended: make(chan struct{}), watchers: map[*mailbox]struct{}{}, bashes: map[*bash]struct{}{}}
	s.ctx, s.stop = context.WithCancel(context.WithoutCancel(ctx))
	s.dir = start.Dir
	if s.dir == "" {
		s.dir = live.Header().CWD
	}
	defer func() {
		if err != nil {
			s.abandon()
		}
	}()
	if start.Open != "" && !start.Own {
		s.before = live.Tree().Size()
	}
	if start.Open != "" {
		s.lease(ctx)
		if s.other != nil && s.opts.Alone && !start.Beside {
			return nil, s.other
		}
		// Whoever had it until now may have written since it was read.
		if _, err := live.CatchUp(ctx); err != nil {
			return nil, fmt.Errorf("open session %s: %w", s.id(), err)
		}
	}
	s.branch = live.Branch(s.takeUp())
	if start.Entry != nil {
		err = s.standOn(*start.Entry, start.Exact)
	} else {
		err = s.standAt(start.AtWord)
	}
	if err != nil {
		return nil, err
	}
	live.Foreign = func(entries []*session.Entry) {
		for _, e := range entries {
			s.emit(protocol.Appended{Entry: e, Foreign: true})
		}
	}
	live.Replaced = s.replaced
	s.noteDamage()
	if err := s.chooseModel(start); err != nil {
		return nil, err
	}
	s.told = s.path()
	if s.opts.Early && !e.own && start.Entry == nil {
		if err := s.declareEarly(); err != nil {
			return nil, fmt.Errorf("begin the session: %w", err)
		}
	}
	if _, err := os.Stat(s.dir); s.dir != "" && errors.Is(err, fs.ErrNotExist) {
		s.note("warning", "The folder of this session, %s, is not there any more, so tools and commands cannot work. To go on elsewhere, end bough and copy the session into another folder: bough --fork %s", s.dir, s.told)
	}
	if start.Open != "" {
		s.takeUpQueue()
	}
	if err := s.setUp(ctx); err != nil {
		return nil, err
	}
	if start.Label != "" {
		if _, err := s.branch.Append(ctx, session.Info{Name: start.Label}); err != nil && !isUnsaved(err) {
			return nil, fmt.Errorf("name the session: %w", err)
		}
	}
	go s.own()
	return s, nil
}

// standAt moves the leaf to the entry of that id or label. Before the owner has
// begun.
func (s *Session) standAt(word string) error {
	if word == "" {
		return nil
	}
	tree := s.live.Tree()
	id, err := s.find(tree, word)
	if err != nil {
		return err
	}
	return s.standOn(id, false)
}

// standOn moves the leaf to an entry. Before the owner has begun.
func (s *Session) standOn(id session.ID, exact bool) error {
	at, err := s.stand(id, exact)
	if err != nil {
		return err
	}
	s.sayMoved(id, at)
	return s.branch.Move(at)
}

func (s *Session) find(tree *session.Tree, word string) (session.ID, error) {
	if s.opts.Find != nil {
		id, err := s.opts.Find(tree, word)
		if err != nil {
			return "", &protocol.Error{Code: protocol.UnknownEntry, Text: err.Error(), Err: err}
		}
		return id, nil
	}
	id := session.ID(word)
	if !tree.Has(id) {
		id = tree.Labelled(word)
	}
	if id == "" {
		return "", protocol.Fail(protocol.UnknownEntry, "The session has no entry and no label %q.", word)
	}
	return id, nil
}

// noteDamage tells of what cannot be read of the session's log, or why it cannot be
// written. Before the owner has begun.
func (s *Session) noteDamage() {
	if n := s.live.Tree().BadLines(); n > 0 {
		lines := "lines of the session file are"
		if n == 1 {
			lines = "line of the session file is"
		}
		s.note("warning", "%d %s damaged. What can be understood is there, and nothing is changed; bough doctor %s says more.", n, lines, s.path())
	}
	if r, ok := s.live.Log().(interface{ ReadOnly() error }); ok {
		if err := r.ReadOnly(); err != nil {
			s.note("warning", "%s.", strings.ToUpper(err.Error()[:1])+err.Error()[1:])
			s.unsavable = unsavable(err)
		}
	}
}

// lease makes this process the owner of a session that is kept, if nobody else
// is. It is a courtesy: with another owner the session is used all the same.
func (s *Session) lease(ctx context.Context) {
	if s.store == nil || s.leased || s.apart {
		return
	}
	s.leased = true
	of := s.path()
	if of == "" {
		of = s.id()
	}
	addr := ""
	if s.opts.Address != nil {
		addr = s.opts.Address()
	}
	release, err := s.store.Lease(ctx, of, addr)
	if l, ok := errors.AsType[*session.LeasedError](err); ok {
		s.other = l
		s.note("warning", "This session is also open in another bough (process %d). Both can go on: what each says becomes a branch of its own.", l.PID)
	} else if err != nil {
		s.opts.Log.Warn("lease", "err", err)
	}
	s.release = release
}

// abandon lets go of what a session has taken that could not be started.
func (s *Session) abandon() {
	s.stop()
	s.closeKept()
	if s.release != nil {
		s.release() // the error of starting is the one to tell
	}
}

func (s *Session) place() Place {
	return Place{Dir: s.dir, SessionID: s.id, File: s.path,
		Model: func() (i provider.Info, thinking string) {
			s.do(s.ctx, func() {
				if s.model != nil {
					i = s.model.Info()
				}
				thinking = s.thinking
			})
			return i, thinking
		}}
}

// id and path do not change while the session lives, but for a session whose
// place was taken before it was first saved.
func (s *Session) id() string { return s.live.Header().ID }

func (s *Session) path() string {
	if p, ok := s.live.Log().(interface{ Path() string }); ok {
		return p.Path()
	}
	if s.store == nil {
		return ""
	}
	return s.file
}

// own is the owner.
func (s *Session) own() {
	defer close(s.ended)
	if s.opts.Follow {
		s.resting.begin()
		defer s.resting.timer.Stop()
		s.watchFile()
		defer func() { s.news.end() }()
	}
	for {
		select {
		case f := <-s.mail:
			f()
			s.resting.over()
		case <-s.setup.Changed():
			s.retool()
		case <-s.news.seen:
			s.look()
		case <-s.resting.look:
			s.look()
			s.resting.goesOn()
		case <-s.ctx.Done():
			for {
				select {
				case f := <-s.mail:
					f()
				default:
					return
				}
			}
		}
	}
}

// look takes up what others appended and tries again to write what could not be
// written.
func (s *Session) look() {
	foreign, err := s.live.CatchUp(s.ctx)
	if err != nil {
		s.opts.Log.Warn("read what others appended", "err", err)
	}
	unsaved := s.live.Unsaved() > 0
	if unsaved {
		s.tell(s.live.Flush(s.ctx))
	}
	s.mayBeSaved()
	if len(foreign) > 0 || unsaved || s.unsavable != "" {
		s.resting.over()
	}
}

// replaced is called when another program has put something else in the place of
// the session's log: what was told of it no longer holds. Owner's.
func (s *Session) replaced(lost int) {
	s.spent.known = false
	if p, ok := s.store.(FilePather); ok && s.live.Log() == nil {
		s.file = p.FilePath(s.live.Header())
	}
	for m := range s.watchers {
		s.watch(m, 0)
	}
	switch {
	case s.live.Log() == nil:
		s.note("warning", "The session file was taken away by another program. What is known of it is saved as a new session.")
	case lost == 0:
		s.note("info", "The session file was replaced by another program and read again.")
	}
	if lost > 0 {
		s.note("warning", "The session file was cut by another program: %d entries could not be kept.", lost)
	}
}

// do lets the owner do f and waits for it.
func (s *Session) do(ctx context.Context, f func()) error {
	done := make(chan struct{})
	select {
	case s.mail <- func() { defer close(done); f() }:
	case <-s.ended:
		return protocol.ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-done:
		return nil
	case <-s.ended:
		select {
		case <-done: // done by the owner's last round
			return nil
		default:
			return protocol.ErrClosed
		}
	}
}

// post lets the owner do f.
func (s *Session) post(f func()) {
	select {
	case s.mail <- f:
	case <-s.ended:
	}
}

// rest waits until nothing goes on any more.
func (s *Session) rest() {
	for {
		var going chan struct{}
		err := s.do(s.ctx, func() {
			if s.op != nil {
				going = s.op.done
			}
			for b := range s.bashes {
				going = b.done
			}
		})
		if err != nil || going == nil {
			return
		}
		select {
		case <-going:
		case <-s.ended:
			return
		}
	}
}

// close aborts what goes on, waits for it, writes down where the session stands
// and ends the owner.
func (s *Session) close() {
	s.once.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		s.endBash(ctx)
		s.abort(ctx)
		s.do(ctx, func() {
			s.stopMark()
			if err := s.live.Flush(ctx); err != nil {
				s.opts.Lost(s.live.Unsaved(), errors.Unwrap(err))
			} else {
				s.keepPlace(ctx)
			}
			s.closeKept()
			if err := s.live.Close(); err != nil {
				s.opts.Log.Warn("close session", "err", err)
			}
			if s.release != nil {
				s.release()
			}
			s.setup.Close()
			for m := range s.watchers {
				m.end()
			}
		})
		s.stop()
		<-s.ended
		s.work.Wait()
	})
}

// emit tells all watchers. Owner's.
func (s *Session) emit(ev protocol.Event) {
	s.follow(ev)
	for m := range s.watchers {
		m.put(ev)
	}
	s.gauge(ev)
}

// follow keeps what a watcher that comes later must know.
func (s *Session) follow(ev protocol.Event) {
	s.journal(ev)
	switch e := ev.(type) {
	case protocol.AnswerStarted:
		s.answer = message.NewBuilder(e.Message)
	case protocol.Delta:
		if s.answer != nil {
			s.answer.Add(e.Delta)
		}
	case protocol.Appended:
		s.spent.add(e.Entry, e.Foreign)
		if e.Entry.Role == message.Assistant && !e.Foreign {
			s.answer = nil
		}
	case protocol.ToolStarted:
		s.running = append(s.running, e)
	case protocol.ToolProgress:
		if s.sofar == nil {
			s.sofar = map[string]protocol.ToolProgress{}
		}
		s.sofar[e.CallID] = e
	case protocol.ToolEnded:
		delete(s.sofar, e.CallID)
		s.running = slices.DeleteFunc(s.running, func(t protocol.ToolStarted) bool { return t.CallID == e.CallID })
	}
}

// note tells something. Owner's, or before the owner has begun.
func (s *Session) note(level, format string, args ...any) {
	s.tellNotice(protocol.Notice{Level: level, Text: fmt.Sprintf(format, args...)})
}

func (s *Session) tellNotice(n protocol.Notice) {
	if len(s.watchers) == 0 {
		s.notices = append(s.notices, n)
		return
	}
	s.emit(n)
}

// watch gives the events from now on to m, after what it must know first.
// Owner's.
func (s *Session) watch(m *mailbox, after session.Seq) {
	s.announce()
	file := s.path()
	opened := protocol.Opened{Header: s.live.Header(), File: file, Fresh: s.fresh}
	if after == 0 {
		opened.Tree = s.live.Tree().Snapshot()
	}
	m.put(opened)
	if after > 0 {
		for e := range s.live.Tree().Log() {
			if e.Line.Seq > after || e.Line.Seq == 0 {
				m.put(protocol.Appended{Entry: e, Foreign: true})
			}
		}
	}
	if after != ^session.Seq(0) { // who asks where it stands only, tells nobody
		for _, n := range s.notices {
			m.put(n)
		}
		s.notices = nil
	}
	m.put(s.state()) // with it the watcher knows all there is
	if after != ^session.Seq(0) {
		for _, t := range s.running {
			if p, ok := s.sofar[t.CallID]; ok {
				m.put(p) // but for what its tools have said
			}
		}
	}
	s.watchers[m] = struct{}{}
}

// state says how the session stands. Owner's.
func (s *Session) state() protocol.State {
	st := protocol.State{Leaf: s.branch.Leaf(), Running: s.op != nil && !s.op.summing, Compacting: s.compacting || s.op != nil && s.op.summing, Thinking: s.thinking, Queue: s.queue(),
		Tools: slices.Clone(s.running), Unsaved: s.live.Unsaved(), Unsavable: s.unsavable, MaxTurns: s.opts.MaxTurns,
		Context: s.contextUse(), Open: s.open()}
	if s.model != nil {
		info := s.model.Info()
		st.Model = &info
	}
	if s.answer != nil {
		m := s.answer.Message()
		st.Answer = &m
	}
	return st
}

// append adds an entry below the leaf and tells of it. An entry that could not
// be written is there all the same, and people are told. Owner's.
func (s *Session) append(body session.Body) (*session.Entry, error) {
	return s.appendAs("", body)
}

// appendAs appends an entry with an id that was chosen before, "" for any. Owner's.
func (s *Session) appendAs(id session.ID, body session.Body) (*session.Entry, error) {
	s.stopMark()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.ctx), 5*time.Second)
	defer cancel()
	if id == "" {
		id = s.newID()
	}
	e, err := s.branch.AppendAs(ctx, id, body)
	if e == nil {
		return nil, &protocol.Error{Code: protocol.IO, Text: err.Error(), Err: err}
	}
	s.untold = append(s.untold, untold{id: e.ID, by: s.author()})
	if e.Role != message.System || err != nil || s.live.Log() != nil {
		s.announce()
	}
	s.tell(err)
	s.hub.stir(s)
	return e, nil
}

// announce tells of the entries held back. A session has no file before somebody
// has spoken: the system message that comes first is told of together with what
// was said, since what a front end shows as done must survive a kill. Owner's.
func (s *Session) announce() {
	for _, u := range s.untold {
		s.emit(protocol.Appended{Entry: s.live.Tree().Get(u.id), Foreign: u.beside, By: u.by}) // which knows its place in the file by now
	}
	s.untold = nil
}

// tell tells people when entries could not be written, and when they were after
// all. Owner's.
func (s *Session) tell(err error) {
	if s.live.Log() != nil {
		if at := s.path(); at != s.told {
			s.note("warning", "The session lies in %s, since another program took %s.", at, s.told)
			s.told = at
		}
		s.lease(s.ctx)
		s.watchFile()
	}
	n := s.live.Unsaved()
	if n == 0 && s.live.Log() != nil {
		s.saved()
	}
	if n == s.unsaved {
		return
	}
	was := s.unsaved
	s.unsaved = n
	s.canSave(err)
	switch {
	case n == 0:
		s.note("info", "Everything is saved again.")
	case was == 0:
		s.note("error", "The session cannot be saved: %v. What is new is kept in memory and will be written as soon as that works; do not close bough.", errors.Unwrap(err))
	}
}

func isUnsaved(err error) bool {
	_, ok := errors.AsType[*session.UnsavedError](err)
	return ok
}

// startMark writes the position down after a while, if nothing else is. Owner's.
func (s *Session) startMark() {
	s.stopMark()
	s.mark = time.AfterFunc(markAfter, func() {
		s.post(func() {
			if s.mark == nil {
				return
			}
			s.mark = nil
			s.keepPlace(s.ctx)
		})
	})
}

// keepPlace writes down where the conversation stands, but for a view of its own.
// Owner's.
func (s *Session) keepPlace(ctx context.Context) {
	s.stopMark()
	if s.apart {
		return
	}
	if e, err := s.branch.Mark(ctx); err != nil && !isUnsaved(err) {
		s.opts.Log.Warn("keep the position", "err", err)
	} else if e != nil {
		s.emit(protocol.Appended{Entry: e, Foreign: true})
	}
}

func (s *Session) stopMark() {
	if s.mark != nil {
		s.mark.Stop()
		s.mark = nil
	}
}

// abort ends the operation that goes on and waits for its end.
func (s *Session) abort(ctx context.Context) error {
	var done chan struct{}
	if err := s.do(ctx, func() {
		if s.op != nil {
			s.op.cancel()
			done = s.op.done
		}
	}); err != nil || done == nil {
		return err
	}
	select {
	case <-done:
		return nil
	case <-s.ended:
		return protocol.ErrClosed // with what went on
	case <-ctx.Done():
		return ctx.Err()
	}
}
