// Package doctor says in plain words what is wrong with a session file, what of it
// can still be reached, what pi would make of it and what to do; and it writes a
// whole session of what is left. The file itself is only read.
//
//	file ── lines ──▶ checks of each line, session.Salvage
//	                        │
//	                      tree ──▶ checks of how entries hang together ──▶ Report
//	                        └──▶ Repair: a new file
package doctor

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sort"

	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/session/filestore"
)

// Level says how bad a finding is.
type Level string

const (
	Damage  Level = "damage"  // something is lost, stands in the wrong place or contradicts itself
	Trouble Level = "trouble" // nothing is lost, but pi cannot go on with it
	Note    Level = "note"    // odd, and harmless
)

// A Finding is one thing that is wrong, or odd.
type Finding struct {
	Kind   Kind
	Level  Level
	Line   int   // from 1; 0: of the file as a whole
	Offset int64 // of the bytes in question in the file
	Size   int64
	Entry  session.ID // "" if it is about none
	Text   string     // plain words; may hold words of the file, which are to be cleaned
}

// Most is how many findings of one kind a report has.
const Most = 1000

// A Report is what was found out about a file.
type Report struct {
	Path   string
	Header session.Header
	Size   int64
	Lines  int

	Session  bool // it is a session, or what is left of one
	Findings []Finding
	Counts   map[Kind]int // of all findings, also those beyond Most

	Entries  int // that can be read
	Lost     int // that cannot, but keep their place
	BadLines int
	Ends     int // ends of branches
	Messages int // of the context where the conversation stands
	Pi       Pi

	tree   *session.Tree
	source *source
	whole  bool // Header was read, wherever it stands
}

// Pi is what pi makes of a file.
type Pi struct {
	Opens    bool
	Hangs    bool // it walks in a circle until its memory is full
	Fails    bool // it cannot make a context
	Entries  int
	Messages int // of the context where it stands
}

// Fine reports whether there is nothing but notes.
func (r *Report) Fine() bool { return r.Session && r.level(Damage) == 0 && r.level(Trouble) == 0 }

// level counts the findings of a level.
func (r *Report) level(l Level) int {
	n := 0
	for k, c := range r.Counts {
		if levels[k] == l {
			n += c
		}
	}
	return n
}

// Close gives back the file.
func (r *Report) Close() error { return r.source.Close() }

// Check examines a file. The report must be closed.
func Check(ctx context.Context, path string) (*Report, error) {
	src, err := open(path)
	if err != nil {
		return nil, err
	}
	r := &Report{Path: path, Size: src.size, Counts: map[Kind]int{}, source: src}
	if err := r.check(ctx); err != nil {
		src.Close() // only read
		return nil, fmt.Errorf("examine %s: %w", path, err)
	}
	return r, nil
}

func (r *Report) check(ctx context.Context) error {
	c := newChecker(r)
	if err := c.begin(); err != nil {
		return err
	}
	if err := c.lines(ctx); err != nil {
		return err
	}
	x, err := c.salvage.Index(r.source)
	if err != nil {
		return err
	}
	r.tree = session.NewTreeOf(x, r.source)
	r.BadLines = r.tree.BadLines()
	for e := range r.tree.Log() {
		if e.Lost() {
			r.Lost++
		} else {
			r.Entries++
		}
	}
	if c.header(); r.Session {
		c.places()
		c.walk()
		if err := c.readings(ctx); err != nil {
			return err
		}
	}
	slices.SortStableFunc(r.Findings, func(a, b Finding) int { return cmp.Compare(a.Line, b.Line) })
	return nil
}

// source gives back the lines of a file; of one of an old version, those that it
// migrates to.
type source struct {
	f    *os.File
	size int64
	old  []byte // migrated; nil for a file of version 3
}

func open(path string) (*source, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no file", path)
	}
	if err != nil {
		f.Close() // only read
		return nil, err
	}
	return &source{f: f, size: info.Size()}, nil
}

func (s *source) Close() error { return s.f.Close() }

// Read returns the bytes of a line without its line end.
func (s *source) Read(at session.Line) ([]byte, error) {
	if at.Size > session.MaxLine {
		return nil, session.ErrTooLong
	}
	b := make([]byte, at.Size)
	if s.old != nil {
		if int(at.Seq) > len(s.old) || at.Size > int(at.Seq) {
			return nil, io.ErrUnexpectedEOF
		}
		copy(b, s.old[int(at.Seq)-at.Size:])
	} else if _, err := s.f.ReadAt(b, int64(at.Seq)-int64(at.Size)); err != nil {
		return nil, fmt.Errorf("read %s: %w", s.f.Name(), err)
	}
	for len(b) > 0 && b[len(b)-1] == '\n' {
		b = b[:len(b)-1]
	}
	return b, nil
}

// ReadAhead reads several lines at once.
func (s *source) ReadAhead(b []byte, from session.Seq) (int, error) {
	if s.old != nil {
		return copy(b, s.old[min(int(from), len(s.old)):]), nil
	}
	n, err := s.f.ReadAt(b, int64(from))
	if err == io.EOF {
		err = nil
	}
	return n, err
}

// checker goes over a file.
type checker struct {
	*Report
	salvage session.Salvage
	data    []byte  // the file, if it is of an old version
	starts  []int64 // of all lines, in what source reads
	origins []int64 // of all lines, in the file; nil if that is the same

	// Of the line at hand.
	number int
	text   []byte
	place  session.Line

	crlf    int // lines that end in a carriage return
	valued  int // the line of the first value; 0: there is none
	headed  int // the line of the first header; 0: there is none
	version int // what the file counts as

	// Of entries, by their places, for what is looked at along paths.
	calls  map[session.Seq]call
	kept   map[session.Seq]session.ID // the first entry that a compaction keeps
	edits  map[session.Seq]session.ID // the target of a context edit
	silent map[session.Seq]bool       // message entries without a message
}

func newChecker(r *Report) *checker {
	c := &checker{Report: r, version: session.Version, calls: map[session.Seq]call{}, kept: map[session.Seq]session.ID{},
		edits: map[session.Seq]session.ID{}, silent: map[session.Seq]bool{}}
	c.salvage.Found = c.found
	return c
}

// add adds a finding.
func (r *Report) add(k Kind, line int, offset, size int64, id session.ID, format string, args ...any) {
	r.Counts[k]++
	if r.Counts[k] <= Most {
		r.Findings = append(r.Findings, Finding{k, levels[k], line, offset, size, id, fmt.Sprintf(format, args...)})
	}
}

// here adds a finding about the bytes of a part of the line at hand.
func (c *checker) here(k Kind, at session.Line, id session.ID, format string, args ...any) {
	c.add(k, c.number, c.offset(c.number, at), int64(at.Size), id, format, args...)
}

// about adds a finding about an entry.
func (c *checker) about(k Kind, e *session.Entry, format string, args ...any) {
	line := c.lineOf(e)
	c.add(k, line, c.offset(line, e.Line), int64(e.Line.Size), e.ID, format, args...)
}

// lineOf returns the number of the line that an entry stands in.
func (c *checker) lineOf(e *session.Entry) int {
	start := int64(e.Line.Seq) - int64(e.Line.Size)
	return sort.Search(len(c.starts), func(i int) bool { return c.starts[i] > start })
}

// offset returns where the bytes of a part of a line are in the file.
func (c *checker) offset(line int, at session.Line) int64 {
	if c.origins != nil && line > 0 {
		return c.origins[line-1]
	}
	return int64(at.Seq) - int64(at.Size)
}

// begin looks at the version of the file; one of an old version is read as what it
// migrates to.
func (c *checker) begin() error {
	h, err := filestore.ReadHeader(c.Path)
	if errors.Is(err, session.ErrNotSession) {
		return nil // what is wrong with it is said later
	}
	if err != nil {
		return err
	}
	c.version = h.Version
	if h.Version >= session.Version {
		return nil
	}
	c.data = make([]byte, c.source.size)
	if _, err := c.source.f.ReadAt(c.data, 0); err != nil && err != io.EOF {
		return err
	}
	c.data = bytes.TrimPrefix(c.data, byteOrderMark)
	c.version = session.FormatVersion(h, c.data)
	c.source.old = []byte{}
	for _, line := range session.Migrate(h, c.data) {
		c.source.old = append(append(c.source.old, line...), '\n')
	}
	return nil
}

var byteOrderMark = []byte("\uFEFF")
