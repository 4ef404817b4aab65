// Package search looks for texts in session files.
//
// It keeps no index. A line of a file is read only if two bytes of the rarest word
// stand in it, eight places of a buffer being looked at at once, so that ten thousand
// sessions are searched about as fast as they are read; and what is found is always
// true, in any script, as far as what is in the files.
package search

import (
	"cmp"
	"context"
	"errors"
	"hash/maphash"
	"io/fs"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
)

// Options say what is looked for. The zero value finds every text.
type Options struct {
	Expr Expr

	Role  string // one of [Roles]; "" is all but system
	Tool  string // calls of this tool, and what it said
	File  string // calls that name this file, and what came of them
	Model string // sessions in which a model of that name answered; of answers, its own

	Since, Until time.Time // of entries; zero is no limit

	Limit     int  // how many hits are wanted; 0 is all
	Relevance bool // the best hits; else the newest

	// Store tells which hits are on the active path of their session. nil: they are
	// not told.
	Store session.Store
}

// A Hit is one entry in which something was found.
type Hit struct {
	Session *session.Summary
	Entry   session.ID
	Role    string // one of [Roles]
	Tool    string // of a call or a result
	Time    time.Time

	// The line in which it was found, shortened, around the first match.
	Before, Match, After string

	OnPath bool // on the active path
	Copies int  // how many more sessions have the same entry: forks and clones
	Score  float64
}

// A Result is what was found.
type Result struct {
	Hits  []Hit
	More  bool  // there are, or may be, more than the limit
	Files int   // looked at
	Bytes int64 // read
}

// Search looks through the files of sessions. Files that went away are passed over.
func Search(ctx context.Context, sessions []session.Summary, o Options) (Result, error) {
	s := newSearcher(sessions, o)
	err := s.run(ctx)
	if err == nil {
		err = s.places(ctx)
	}
	return s.result(), err
}

// searcher is one search.
type searcher struct {
	o      Options
	order  []*session.Summary // latest activity first
	filter filter
	model  Needle
	file   Needle
	seed   maphash.Seed // of prints

	files atomic.Int64
	bytes atomic.Int64
	full  atomic.Int64 // time of the oldest of the hits wanted, once there are enough

	mu   sync.Mutex
	hits []found        // guarded by mu
	have map[uint64]int // by print: where it is in hits; guarded by mu
	more bool           // guarded by mu
}

// found is a hit with the print of its entry.
type found struct {
	Hit
	print uint64
}

func newSearcher(sessions []session.Summary, o Options) *searcher {
	s := &searcher{o: o, model: NewNeedle(o.Model), file: NewNeedle(o.File), have: map[uint64]int{}, seed: maphash.MakeSeed()}
	s.full.Store(never)
	for i := range sessions {
		sum := &sessions[i]
		if !o.Since.IsZero() && !sum.Touched.IsZero() && sum.Touched.Before(o.Since) && sum.Modified.Before(o.Since) {
			continue
		}
		s.order = append(s.order, sum)
	}
	slices.SortStableFunc(s.order, func(a, b *session.Summary) int { return latest(b).Compare(latest(a)) })
	s.filter = s.lines()
	return s
}

// never is a time before all entries.
const never = -1 << 62

// latest is when something was last written to a session; of one that does not tell
// it may be now.
func latest(s *session.Summary) time.Time {
	if s.Touched.IsZero() {
		return time.Unix(1<<40, 0)
	}
	if s.Modified.After(s.Touched) {
		return s.Modified
	}
	return s.Touched
}

// lines is the filter for lines that must be read.
func (s *searcher) lines() filter {
	f := s.o.Expr.filter()
	if len(f.pairs) == 0 && s.o.Tool != "" {
		f = newFilter(NewNeedle(s.o.Tool))
	}
	// Calls and answers must be known whose words are not looked for.
	for _, n := range []Needle{s.file, s.model} {
		if n.Empty() {
			continue
		}
		if g := newFilter(n); len(f.pairs) == 0 || len(g.pairs) == 0 {
			f = filter{}
		} else {
			f.pairs, f.also = append(f.pairs, g.pairs...), nil
		}
	}
	return f
}

func (s *searcher) run(ctx context.Context) error {
	var mu sync.Mutex
	var failed error
	read := parallel(ctx, len(s.order), func(r *reader, i int) bool {
		sum := s.order[i]
		if latest(sum).UnixMilli() < s.full.Load() {
			s.mu.Lock()
			s.more = true
			s.mu.Unlock()
			return false // all that follow are older still
		}
		if err := s.search(ctx, r, sum); err != nil && !errors.Is(err, fs.ErrNotExist) {
			mu.Lock()
			failed = err
			mu.Unlock()
		}
		s.files.Add(1)
		return true
	})
	s.bytes.Store(read)
	return cmp.Or(ctx.Err(), failed)
}

func (s *searcher) search(ctx context.Context, r *reader, sum *session.Summary) error {
	l := looker{searcher: s, sum: sum, pieces: r.pieces}
	r.filter, r.each = s.filter, l.line
	err := r.file(ctx, sum)
	if s.model.Empty() || l.asked {
		for _, h := range l.wait {
			s.take(h)
		}
	}
	r.pieces = l.pieces
	return err
}

// A looker looks at the lines of one session.
type looker struct {
	*searcher
	sum    *session.Summary
	pieces []piece
	calls  map[string]bool // that name the file
	asked  bool            // the model answered here
	wait   []found         // until that is known
}

// line looks at one line that passed the filter.
func (r *looker) line(line []byte) {
	e, err := session.Decode(line, session.Line{}, session.Bytes(line))
	if err != nil {
		return // not an entry
	}
	own := false
	if !r.model.Empty() && (e.Role == message.Assistant || e.Type == session.TypeModel) {
		own = r.model.In(modelOf(e, line))
		r.asked = r.asked || own && e.Role == message.Assistant
	}
	r.pieces = pieces(r.pieces[:0], e, line)
	r.note()
	if o := &r.o; !o.Since.IsZero() && e.Time.Before(o.Since) || !o.Until.IsZero() && e.Time.After(o.Until) {
		return
	}
	if !r.model.Empty() && e.Role == message.Assistant && !own {
		return
	}
	at := r.o.Expr.find(r.pieces, r.allowed)
	if at == nil {
		return
	}
	p := r.pieces[at[0].piece]
	h := found{Hit{Session: r.sum, Entry: e.ID, Role: p.role, Tool: p.tool, Time: e.Time}, printOf(r.seed, e, line)}
	h.Before, h.Match, h.After = around(p.text, at[0].start, at[0].end)
	h.Score = r.score(at)
	if r.model.Empty() {
		r.take(h)
		return
	}
	r.wait = append(r.wait, h) // until it is known whether the model answered here
}

func modelOf(e *session.Entry, line []byte) string {
	from, key := line, "modelId"
	if e.Role == message.Assistant {
		from, key = rawjson.Get(line, "message"), "model"
	}
	provider, _ := rawjson.GetString(from, "provider")
	id, _ := rawjson.GetString(from, key)
	return provider + "/" + id
}

// note remembers the calls that name the file.
func (r *looker) note() {
	if r.file.Empty() {
		return
	}
	for _, p := range r.pieces {
		if p.role == Call && p.call != "" && r.names(p) {
			if r.calls == nil {
				r.calls = map[string]bool{}
			}
			r.calls[p.call] = true
		}
	}
}

// names reports whether a call names the file: as a part of it, the tool aside.
func (r *looker) names(p piece) bool {
	_, args, _ := strings.Cut(p.text, "\n")
	return r.file.In(args)
}

func (r *looker) allowed(p piece) bool {
	o := &r.o
	switch {
	case !p.is(o.Role):
		return false
	case o.Tool != "" && !strings.EqualFold(p.tool, o.Tool):
		return false
	case o.File == "":
		return true
	case p.role == Call:
		return r.names(p)
	}
	return p.role == Tool && !o.Expr.Empty() && r.calls[p.call]
}

// printOf tells entries apart; copies in forks have the same.
func printOf(seed maphash.Seed, e *session.Entry, line []byte) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	h.WriteString(string(e.ID))
	h.WriteByte(0)
	h.WriteString(string(e.Type))
	maphash.WriteComparable(&h, e.Time.UnixMilli())
	h.Write(rawjson.Get(line, "message"))
	return h.Sum64()
}

// take keeps a hit. An entry that several sessions have is one hit.
func (s *searcher) take(h found) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i, ok := s.have[h.print]; ok {
		had := &s.hits[i]
		if had.Session != h.Session {
			had.Copies++
		}
		if begun(h.Session, had.Session) < 0 {
			had.Session = h.Session // where it was said first
		}
		return
	}
	s.have[h.print] = len(s.hits)
	s.hits = append(s.hits, h)
	if s.o.Limit > 0 && len(s.hits) >= 2*s.o.Limit+100 {
		s.trimLocked()
	}
}

// trimLocked sorts the hits and leaves no more than are wanted.
func (s *searcher) trimLocked() {
	slices.SortFunc(s.hits, func(a, b found) int { return s.better(&a.Hit, &b.Hit) })
	if s.o.Limit == 0 || len(s.hits) <= s.o.Limit {
		return
	}
	s.more = true
	s.hits = s.hits[:s.o.Limit]
	clear(s.have)
	for i, h := range s.hits {
		s.have[h.print] = i
	}
	if !s.o.Relevance {
		s.full.Store(s.hits[len(s.hits)-1].Time.UnixMilli())
	}
}

// places tells which hits are on the active path of their session.
func (s *searcher) places(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.trimLocked()
	if s.o.Store == nil {
		return nil
	}
	by := map[*session.Summary][]*Hit{}
	for i := range s.hits {
		h := &s.hits[i].Hit
		by[h.Session] = append(by[h.Session], h)
	}
	for sum, hits := range by {
		if err := ctx.Err(); err != nil {
			return err
		}
		open, err := session.Open(ctx, s.o.Store, sum.Path)
		if err != nil {
			continue // it went away
		}
		on := map[session.ID]bool{}
		for _, e := range open.Tree().Path(open.Tree().Leaf()) {
			on[e.ID] = true
		}
		for _, h := range hits {
			h.OnPath = on[h.Entry]
		}
		open.Close() // it was only looked at
	}
	return nil
}

func (s *searcher) result() Result {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := Result{More: s.more, Files: int(s.files.Load()), Bytes: s.bytes.Load()}
	for _, h := range s.hits {
		r.Hits = append(r.Hits, h.Hit)
	}
	return r
}

// weights say how much a text tells of a session.
func weight(role string) float64 {
	switch role {
	case Name:
		return 8
	case Label:
		return 6
	case User:
		return 3
	case Assistant, Summary, Edit, Custom:
		return 2
	}
	return 1
}

// score is higher for what is found in a text that tells much, as a whole word, and
// again and again, and lower the longer the text is.
func (r *looker) score(at []place) float64 {
	score := 0.0
	for i, p := range at {
		piece := r.pieces[p.piece]
		s := weight(piece.role)
		if p.end > p.start && edge(piece.text, p.start) && edge(piece.text, p.end) {
			s *= 1.5
		}
		n := 1
		if i < len(r.o.Expr.needles) {
			for from := p.end; n < 8; n++ {
				if _, from = r.o.Expr.needles[i].Index(piece.text, from); from < 0 {
					break
				}
			}
		}
		score += s * (1 + math.Log2(float64(n))/2) / (1 + math.Log2(1+float64(len(piece.text))/500)/4)
	}
	return score
}

// edge reports whether a word may begin or end at a place of a text.
func edge(s string, i int) bool {
	a, _ := utf8.DecodeLastRuneInString(s[:i])
	b, _ := utf8.DecodeRuneInString(s[i:])
	letter := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }
	return i == 0 || i == len(s) || !letter(a) || !letter(b)
}

// begun orders sessions by when they were begun.
func begun(a, b *session.Summary) int {
	return cmp.Or(a.Created.Compare(b.Created), strings.Compare(a.Path, b.Path))
}

// better orders hits as they are wanted.
func (s *searcher) better(a, b *Hit) int {
	if s.o.Relevance {
		if c := cmp.Compare(b.Score, a.Score); c != 0 {
			return c
		}
	}
	return cmp.Or(b.Time.Compare(a.Time), strings.Compare(a.Session.Path, b.Session.Path), strings.Compare(string(a.Entry), string(b.Entry)))
}

// around returns the line of a text in which a match stands, shortened.
func around(text string, start, end int) (before, match, after string) {
	const left, right = 60, 120 // characters
	from := strings.LastIndexByte(text[:start], '\n') + 1
	to := len(text)
	if i := strings.IndexByte(text[end:], '\n'); i >= 0 {
		to = end + i
	}
	before = lastRunes(strings.TrimLeftFunc(text[from:start], blank), left)
	after = firstRunes(strings.TrimRightFunc(text[end:to], blank), right)
	match = firstRunes(text[start:end], right)
	return strings.Clone(before), strings.Clone(match), strings.Clone(after)
}

func firstRunes(s string, n int) string {
	i := 0
	for ; i < len(s) && n > 0; n-- {
		_, size := utf8.DecodeRuneInString(s[i:])
		i += size
	}
	if i == len(s) {
		return s
	}
	return s[:i] + "…"
}

func lastRunes(s string, n int) string {
	i := len(s)
	for ; i > 0 && n > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(s[:i])
		i -= size
	}
	if i == 0 {
		return s
	}
	return "…" + s[i:]
}
