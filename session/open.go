package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
)

// A Session is a session that is open: a log and the tree of its lines. It is
// for one goroutine at a time. What others append to the log is taken up before
// each append of our own, and by [Session.CatchUp].
//
// A new session has no log before the first message of a user or a model: looking
// in and leaving again leaves nothing behind.
type Session struct {
	// Foreign, if set, is told of entries that others have appended, in order,
	// once they are in the tree.
	Foreign func([]*Entry)

	// Replaced, if set, is told that another program has put something else in
	// the log's place, once the tree is that of the new log. lost is how many
	// entries could not be carried over.
	Replaced func(lost int)

	store   Store // nil: kept in memory only
	header  Header
	log     Log    // nil until there is something to keep
	word    string // what the store opens the log by
	tree    *Tree
	end     Seq
	pending []*Entry // in the tree, not yet in the log
	held    []*Entry // likewise, and they wait for an append that is made anyhow; see Hold
	heldAt  ID       // the leaf before the first of them
	spoken  bool     // there is something to keep, also if there is no log yet
	now     func() time.Time

	age   int       // how often the log was replaced
	moved map[ID]ID // where entries that were lost with it are to be looked for
}

// ErrNoSuchEntry is returned for an id that is in no entry of the session.
var ErrNoSuchEntry = errors.New("no such entry")

// UnsavedError says that entries are in the tree but could not be written. They
// are kept in memory, in order, and written with the next append or
// [Session.Flush] that succeeds.
type UnsavedError struct {
	Entries int // how many wait
	Err     error
}

func (e *UnsavedError) Error() string {
	return fmt.Sprintf("%d entries of the session are not saved yet: %v", e.Entries, e.Err)
}

func (e *UnsavedError) Unwrap() error { return e.Err }

// New starts a session with that header and, if it is a copy, these entries;
// the header's zero fields ID, Timestamp and Version are filled in. store may be
// nil: then nothing is ever written.
func New(store Store, h Header, entries ...[]byte) (*Session, error) {
	s := &Session{store: store, header: h.Complete(), tree: NewTree(), now: time.Now}
	for _, line := range entries {
		e, err := Decode(line, Line{}, Bytes(line))
		if err != nil {
			return nil, fmt.Errorf("begin a session: %w", err)
		}
		s.tree.Add(e)
		s.pending = append(s.pending, e)
	}
	return s, nil
}

// Open reads a session from a store.
func Open(ctx context.Context, store Store, id string) (*Session, error) {
	log, err := store.Open(ctx, id)
	if err != nil {
		return nil, err
	}
	s := &Session{store: store, header: log.Header(), log: log, word: id, now: time.Now}
	if s.tree, s.end, err = readTree(ctx, log); err != nil {
		log.Close() // the error of reading is the one to tell
		return nil, fmt.Errorf("open session %s: %w", id, err)
	}
	return s, nil
}

// Indexer may be implemented by a log that can tell its entries faster than by
// reading them one by one.
type Indexer interface {
	// Index returns the records of all entries up to the end as it is now.
	Index(ctx context.Context) (*Index, error)
}

// readTree reads a log, and returns its tree and its end.
func readTree(ctx context.Context, log Log) (*Tree, Seq, error) {
	if in, ok := log.(Indexer); ok {
		x, err := in.Index(ctx)
		if err != nil {
			return nil, 0, err
		}
		return NewTreeOf(x, log), x.End(), nil
	}
	tree := NewTree()
	var end Seq
	for e, err := range log.Entries(ctx, 0) {
		if err != nil {
			return nil, 0, err
		}
		tree.Add(e)
		end = e.Line.Seq
	}
	return tree, end, nil
}

// Header returns the session's header.
func (s *Session) Header() Header { return s.header }

// Tree returns the tree of all entries. It grows with the session.
func (s *Session) Tree() *Tree { return s.tree }

// Log returns the session's log, or nil as long as nothing was written.
func (s *Session) Log() Log { return s.log }

// Store returns the store the session belongs to, or nil.
func (s *Session) Store() Store { return s.store }

// End returns the place up to which the log was read.
func (s *Session) End() Seq { return s.end }

// Unsaved returns how many entries could not be written yet. Those of a session
// in which nobody has spoken do not count.
func (s *Session) Unsaved() int {
	if s.log == nil && !s.spoken {
		return 0
	}
	return len(s.pending)
}

// Close closes the log.
func (s *Session) Close() error {
	if s.log == nil {
		return nil
	}
	return s.log.Close()
}

// CatchUp takes up what others have appended and returns it. If the log was
// replaced the new one is read instead.
func (s *Session) CatchUp(ctx context.Context) ([]*Entry, error) {
	if s.log == nil {
		return nil, nil
	}
	foreign, err := s.read(ctx)
	if errors.Is(err, ErrReplaced) {
		err = s.reload(ctx)
	}
	if len(foreign) > 0 && s.Foreign != nil {
		s.Foreign(foreign)
	}
	return foreign, err
}

func (s *Session) read(ctx context.Context) ([]*Entry, error) {
	var read []*Entry
	for e, err := range s.log.Entries(ctx, s.end) {
		if err != nil {
			return read, err
		}
		s.end = e.Line.Seq
		if s.arrived(e) {
			continue
		}
		s.tree.Add(e)
		read = append(read, e)
	}
	return read, nil
}

// arrived reports whether an entry that was read is one of ours that waits: its
// write failed, but only after all of it was written.
func (s *Session) arrived(e *Entry) bool {
	i := slices.IndexFunc(s.pending, func(p *Entry) bool { return p.ID == e.ID })
	if i < 0 {
		return false
	}
	a, aerr := e.Raw()
	b, berr := s.pending[i].Raw()
	if aerr != nil || berr != nil || !bytes.Equal(a, b) {
		return false
	}
	s.pending = slices.Delete(s.pending, i, i+1)
	return true
}

// Hold adds an entry below parent that is written together with the next append,
// in front of it, and never for its own sake: who only reads writes nothing. The
// session must have a log.
func (s *Session) Hold(parent ID, body Body) *Entry {
	e := NewEntry(NewID(s.tree.Has), s.tree.Standing(parent), s.now(), body)
	if len(s.held) == 0 {
		s.heldAt = s.tree.Leaf()
	}
	s.tree.Add(e)
	s.held = append(s.held, e)
	return s.tree.Get(e.ID)
}

// Held returns how many entries wait since [Session.Hold].
func (s *Session) Held() int { return len(s.held) }

// append adds an entry below parent. The entry is in the tree also when the
// error is an *UnsavedError; with any other error there is none.
func (s *Session) append(ctx context.Context, parent ID, body Body) (*Entry, error) {
	return s.appendAs(ctx, NewID(s.tree.Has), parent, body)
}

// appendAs appends an entry with that id, if it is still free.
func (s *Session) appendAs(ctx context.Context, id, parent ID, body Body) (*Entry, error) {
	if s.tree.Has(id) {
		id = NewID(s.tree.Has)
	}
	e := NewEntry(id, parent, s.now(), body)
	if len(s.held) > 0 {
		s.pending, s.held = append(s.held, s.pending...), nil
	}
	if s.log == nil {
		s.tree.Add(e)
		s.pending = append(s.pending, e)
		s.spoken = s.spoken || s.worthKeeping(e)
		if err := s.Flush(ctx); err != nil {
			return e, err
		}
		return s.tree.Get(e.ID), nil
	}
	if err := s.Flush(ctx); err != nil {
		return s.keep(e, err)
	}
	for {
		line, err := e.Raw()
		if err != nil {
			return nil, err
		}
		at, err := s.log.Append(ctx, s.end, line)
		if err == nil {
			if err := s.between(ctx, at); err != nil {
				return nil, err
			}
			e = e.At(at, s.log)
			s.tree.Add(e)
			return e, nil
		}
		if err := s.recover(ctx, err); err != nil {
			return s.keep(e, err)
		}
		if parent = s.survivor(parent); s.log == nil {
			return s.appendAs(ctx, e.ID, parent, body)
		}
		if s.tree.Has(e.ID) || e.Parent != parent { // somebody took the id, or the parent away
			e = NewEntry(NewID(s.tree.Has), parent, e.Time, body)
		}
	}
}

// keep holds an entry in memory that could not be written because of err.
func (s *Session) keep(e *Entry, err error) (*Entry, error) {
	s.tree.Add(e)
	s.pending = append(s.pending, e)
	if u, ok := errors.AsType[*UnsavedError](err); ok {
		err = u.Err
	}
	return e, &UnsavedError{len(s.pending), err}
}

// worthKeeping reports whether an entry makes a session one that is kept.
func (s *Session) worthKeeping(e *Entry) bool {
	return s.store != nil && (e.Role == message.User || e.Role == message.Assistant)
}

// create writes the log with all that waits.
func (s *Session) create(ctx context.Context) error {
	lines := make([][]byte, len(s.pending))
	for i, p := range s.pending {
		line, err := p.Raw()
		if err != nil {
			return err
		}
		lines[i] = line
	}
	h := s.header
	log, err := s.store.Create(ctx, h, lines...)
	if errors.Is(err, ErrExists) {
		// Another program took the place meanwhile: take another one.
		h.ID, h.raw = NewSessionID(), nil
		log, err = s.store.Create(ctx, h, lines...)
	}
	if err != nil {
		return fmt.Errorf("save the session: %w", err)
	}
	had := s.tree
	s.log, s.header, s.pending, s.word = log, log.Header(), nil, log.Header().ID
	if p, ok := log.(interface{ Path() string }); ok {
		s.word = p.Path()
	}
	s.tree, s.end = NewTree(), 0
	if _, err := s.read(ctx); err != nil {
		return fmt.Errorf("read the session that was just saved: %w", err)
	}
	for e := range had.All() {
		if !s.tree.Has(e.ID) {
			return fmt.Errorf("the session that was just saved lacks entry %s", e.ID)
		}
	}
	return nil
}

// Flush writes what waits to be written. What is written leaves the queue even
// if a later entry fails; the error is then an *UnsavedError.
func (s *Session) Flush(ctx context.Context) error {
	if s.log == nil && s.spoken {
		if err := s.create(ctx); err != nil {
			return &UnsavedError{len(s.pending), err}
		}
	}
	for s.log != nil && len(s.pending) > 0 {
		line, err := s.pending[0].Raw()
		if err == nil {
			var at Line
			if at, err = s.log.Append(ctx, s.end, line); err == nil {
				s.pending = s.pending[1:]
				if err := s.between(ctx, at); err != nil {
					return err
				}
				continue
			}
			if err = s.recover(ctx, err); err == nil {
				continue
			}
		}
		return &UnsavedError{len(s.pending), err}
	}
	return nil
}

// between takes up what programs that ask for no lock have added in the moment
// before our line, which stands at that place, was written.
func (s *Session) between(ctx context.Context, at Line) error {
	start := at.Seq - Seq(at.Size)
	if start <= s.end {
		s.end = at.Seq
		return nil
	}
	var foreign []*Entry
	for e, err := range s.log.Entries(ctx, s.end) {
		if err != nil {
			return fmt.Errorf("read what others have added: %w", err)
		}
		if e.Line.Seq > start {
			break
		}
		s.tree.Add(e)
		foreign = append(foreign, e)
	}
	s.end = at.Seq
	if len(foreign) > 0 && s.Foreign != nil {
		s.Foreign(foreign)
	}
	return nil
}

// recover makes ready for another try of an append that failed with err, if
// there is a point in that: others have appended, or replaced the log.
func (s *Session) recover(ctx context.Context, err error) error {
	switch {
	case errors.Is(err, ErrConflict):
		_, err = s.CatchUp(ctx)
	case errors.Is(err, ErrReplaced):
		if err = s.reload(ctx); err == nil {
			err = s.Flush(ctx)
		}
	}
	return err
}

// Branch returns a handle on the session with a leaf of its own. Any number of
// them may be used in turn: each appends below its own leaf, all see all
// entries, and nothing is copied.
func (s *Session) Branch(leaf ID) *Branch { return &Branch{s: s, leaf: leaf, age: s.age} }

// Main returns a handle at the place where the conversation stood last.
func (s *Session) Main() *Branch { return s.Branch(s.tree.Leaf()) }

// A Branch is one leaf of a session.
type Branch struct {
	s    *Session
	leaf ID

	folded   Projection // of the path to foldedAt; its slices are only appended to
	foldedAt ID         // "": nothing is folded
	age      int        // of the session when leaf and folded were right
}

// Session returns the session the branch belongs to.
func (b *Branch) Session() *Session { return b.s }

// Leaf returns where the branch ends; "" is the place before the first entry.
func (b *Branch) Leaf() ID {
	b.follow()
	return b.leaf
}

// Path returns the entries from the root to the leaf.
func (b *Branch) Path() []*Entry { return b.s.tree.Path(b.Leaf()) }

// follow goes along when the log was replaced.
func (b *Branch) follow() {
	if b.age == b.s.age {
		return
	}
	b.age, b.foldedAt = b.s.age, ""
	b.leaf = b.s.survivor(b.leaf)
}

// Project folds the path: what a model sees at the leaf. Asked again after
// something was appended it costs no more than what is new.
func (b *Branch) Project() (Projection, error) {
	b.follow()
	if news, ok := b.since(b.foldedAt); ok {
		if err := b.folded.extend(news); err != nil {
			return Projection{}, err
		}
	} else {
		p, err := new(Projector).Context(b.s.tree, b.leaf)
		if err != nil {
			return Projection{}, err
		}
		b.folded = p
		b.folded.Entries = slices.Clone(p.Entries)
	}
	b.foldedAt = b.leaf
	return b.folded, nil
}

// Brief tells what the path comes to without reading all that is said on it.
func (b *Branch) Brief() (Brief, error) {
	b.follow()
	return new(Projector).Brief(b.s.tree, b.leaf)
}

// since returns the entries between an entry above the leaf and the leaf, if
// they can simply be added to the projection of that entry.
func (b *Branch) since(at ID) ([]*Entry, bool) {
	if at == "" {
		return nil, false
	}
	var news []*Entry
	for id := b.leaf; id != at; {
		e := b.s.tree.Get(id)
		if e == nil || e.Type == TypeCompaction || e.Type == TypeContextEdit || len(news) > 1000 {
			return nil, false
		}
		news = append(news, e)
		id = e.Parent
	}
	slices.Reverse(news)
	return news, true
}

// Fork returns another handle at the entry of that id, for a second branch of
// the same session.
func (b *Branch) Fork(at ID) (*Branch, error) {
	f := b.s.Branch(b.Leaf())
	if err := f.Move(at); err != nil {
		return nil, err
	}
	return f, nil
}

// Move sets the leaf: to the entry of that id or, if nothing can be appended below
// that, as below a damaged line, to the nearest one above it. Nothing is written.
func (b *Branch) Move(leaf ID) error {
	if leaf != "" && !b.s.tree.Has(leaf) {
		return fmt.Errorf("entry %s: %w", leaf, ErrNoSuchEntry)
	}
	b.follow()
	b.leaf = b.s.tree.Standing(leaf)
	return nil
}

// Append adds an entry below the leaf, which it becomes. If the error is an
// *UnsavedError the entry is there all the same, but not yet written.
func (b *Branch) Append(ctx context.Context, body Body) (*Entry, error) {
	return b.AppendAs(ctx, NewID(b.s.tree.Has), body)
}

// AppendAs is Append with an id that was chosen before, by [NewID]. Should another
// entry have it by now the new one gets another id.
func (b *Branch) AppendAs(ctx context.Context, id ID, body Body) (*Entry, error) {
	body, err := b.check(body)
	if err != nil {
		return nil, err
	}
	e, err := b.s.appendAs(ctx, id, b.Leaf(), body)
	if e != nil {
		b.follow()
		b.leaf = e.ID
	}
	return e, err
}

// Mark writes down where the branch stands, unless the end of the log says so
// already, and returns the marker or nil. The leaf stays where it is
// (docs/spec/session.md 4).
func (b *Branch) Mark(ctx context.Context) (*Entry, error) {
	if b.s.log == nil || b.s.tree.Leaf() == b.Leaf() || len(b.s.held) > 0 && b.s.heldAt == b.leaf {
		return nil, nil
	}
	return b.s.append(ctx, b.leaf, Custom{LeafMarker, message.Value(`{"v":1}`)})
}

// check holds an entry against the rules for writing (docs/spec/session.md 3.2)
// and completes it.
func (b *Branch) check(body Body) (Body, error) {
	switch x := body.(type) {
	case Label:
		if !b.s.tree.Has(x.Target) {
			return nil, fmt.Errorf("label entry %s: %w", x.Target, ErrNoSuchEntry)
		}
	case Info:
		x.Name = CleanName(x.Name)
		return x, nil
	case ContextEdit:
		return b.checkEdit(x)
	case Compaction:
		if x.System == nil {
			p, err := b.Project()
			if err != nil {
				return nil, err
			}
			if sys, ok := message.FoldSystem(p.Messages()); ok {
				ms := rawjson.AppendNumber(nil, float64(b.s.now().UnixMilli()))
				sys = sys.WithField("timestamp", ms)
				x.System = &sys
			}
		}
		return x, nil
	}
	return body, nil
}

func (b *Branch) checkEdit(x ContextEdit) (Body, error) {
	i := slices.IndexFunc(b.Path(), func(e *Entry) bool { return e.ID == x.Target })
	if i < 0 {
		return nil, fmt.Errorf("edit entry %s: not on the current path: %w", x.Target, ErrNoSuchEntry)
	}
	e := b.s.tree.Get(x.Target)
	switch {
	case e.Type == TypeCustomMessage:
	case e.Role == message.User, e.Role == message.Assistant, e.Role == message.ToolResult:
	default:
		return nil, fmt.Errorf("edit entry %s: only messages of user, assistant, tools and extensions can be edited", x.Target)
	}
	if x.Omit {
		return ContextEdit{Target: x.Target, Omit: true}, nil
	}
	switch rawjson.Kind(x.Content) {
	case '[':
	case '"':
		if e.Role == message.Assistant || e.Role == message.ToolResult {
			s, _ := rawjson.String(x.Content)
			x.Content = message.EncodeContent([]message.Block{message.Text(s)})
		}
	default:
		return nil, fmt.Errorf("edit entry %s: the new content must be a text or a list", x.Target)
	}
	return x, nil
}
