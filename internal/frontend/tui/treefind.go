package tui

import (
	"context"
	"maps"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/internal/search"
	"github.com/boughdev/bough/session"
)

// finding is a search through whole texts, which goes on beside the loop.
type finding struct {
	expr   search.Expr
	hits   map[session.ID]*hitText // nil: see text. Whoever grows the tree reads it too
	texts  map[session.ID]hitText
	seer   *search.Finder // the loop's
	words  string         // the query, if it is plain
	found  int
	wrong  string // why the query is not understood
	flat   bool
	ready  bool // there are hits to show, or it is over
	over   bool
	seen   int // entries
	size   int
	cancel context.CancelFunc
}

// hitText is the line in which something was found, fit for the screen.
type hitText struct{ role, tool, before, match, after string }

// wanted is a query that was read.
type wanted struct{ search.Query }

// readQuery reads what was typed; a slash may begin it.
func readQuery(text string, now time.Time) (wanted, error) {
	q, err := search.ReadQuery(strings.TrimPrefix(strings.TrimSpace(text), "/"), now)
	return wanted{q}, err
}

func (w wanted) nothing() bool { return w.Empty() }

// mostTexts is how many hits bring along what stands around them. Of more words it is
// looked up when they are seen.
const mostTexts = 500

// plain reports whether a query is of nothing but words that may stand anywhere: what
// one more letter finds is among what was found before.
func (w wanted) plain(text string) bool {
	return !w.Expr.Empty() && w.Label == "" && !strings.ContainsAny(text, `:"`)
}

// search looks anew for what is typed.
func (t *treeScreen) search(a *app) {
	was := t.find
	if was != nil && was.cancel != nil {
		was.cancel()
	}
	text := t.query.text
	w, err := readQuery(text, a.o.Now())
	switch {
	case err != nil:
		t.find = &finding{wrong: render.OneLine(err.Error()), over: true}
		return
	case w.nothing():
		t.find = nil
		t.regrow(a)
		return
	}
	ctx, cancel := context.WithCancel(a.ctx)
	f := &finding{expr: w.Expr, cancel: cancel, seer: search.NewFinder(w.Options), texts: map[session.ID]hitText{}}
	var among map[session.ID]*hitText // nil: all
	if w.plain(text) {
		f.words = text
	}
	if was != nil {
		f.flat = was.flat
		f.hits, f.ready = was.hits, was.ready // until there are others
		// What has come since may be a label, which changes what older entries have.
		if was.over && was.size == a.view.Tree.Size() && was.words != "" && f.words != "" && strings.HasPrefix(f.words, was.words) {
			among = was.hits
		}
	}
	t.find = f
	tree := a.view.Tree.Snapshot()
	a.beside(func() func() {
		defer cancel()
		hits := map[session.ID]*hitText{}
		size, seen, shown := tree.Size(), 0, 0
		tell := func(over bool) func() {
			at, n := seen, len(hits)
			var now map[session.ID]*hitText
			if over {
				now = hits
			} else if n >= max(8*shown, 1) { // to grow the rows costs more than to find them
				now, shown = maps.Clone(hits), n
			}
			return func() {
				if t.find != f {
					return
				}
				f.seen, f.size, f.over, f.found = at, size, over, n
				if now != nil {
					f.hits, f.ready = now, true
					t.regrow(a)
				}
			}
		}
		for some := range w.through(ctx, tree, among, f.words != "") {
			if some.failure != nil {
				panic(some.failure) // as if it were ours
			}
			seen += some.seen
			maps.Copy(hits, some.hits)
			a.send(tell(false))
		}
		if ctx.Err() != nil {
			return nil
		}
		return tell(true)
	})
}

// sought is what a part of a log came to.
type sought struct {
	seen int
	hits map[session.ID]*hitText

	failure any // what it panicked with
}

// soughtAtOnce is how many entries are looked through in one go.
const soughtAtOnce = 8192

// through looks through a tree, some of it on each processor. If few is set only the
// first hits bring along what stands around them.
func (w wanted) through(ctx context.Context, tree *session.Tree, among map[session.ID]*hitText, few bool) <-chan sought {
	workers := runtime.GOMAXPROCS(0)
	if w.File != "" {
		workers = 1 // what a result is of stands in the call before
	}
	out := make(chan sought)
	needle := search.NewNeedle(w.Label)
	var next, texts atomic.Int64
	var all sync.WaitGroup
	for range min(workers, 1+tree.Size()/soughtAtOnce) {
		tree := tree.Snapshot()
		all.Go(func() {
			defer func() {
				if f := recover(); f != nil {
					select {
					case out <- sought{failure: fault{f, debug.Stack()}}:
					case <-ctx.Done():
					}
				}
			}()
			finder := search.NewFinder(w.Options)
			finder.Lines = tree.Reader()
			for size := tree.Size(); ; {
				from := int(next.Add(soughtAtOnce)) - soughtAtOnce
				if from >= size || ctx.Err() != nil {
					return
				}
				some := sought{seen: min(soughtAtOnce, size-from), hits: map[session.ID]*hitText{}}
				n := 0
				for e := range tree.LogFrom(from) {
					if n++; n > some.seen {
						break
					}
					if among != nil {
						if _, ok := among[e.ID]; !ok {
							continue
						}
					}
					if h, ok := w.in(finder, tree, e, needle); ok {
						some.hits[e.ID] = nil
						if !few || texts.Add(1) <= mostTexts {
							text := standsIn(h)
							some.hits[e.ID] = &text
						}
					}
				}
				select {
				case out <- some:
				case <-ctx.Done():
					return
				}
			}
		})
	}
	go func() {
		all.Wait()
		close(out)
	}()
	return out
}

// in looks into an entry.
func (w wanted) in(finder *search.Finder, tree *session.Tree, e *session.Entry, label search.Needle) (search.Hit, bool) {
	if e.Type == session.TypeLabel {
		return search.Hit{}, false // the entry that has it is found
	}
	has := tree.Label(e.ID)
	if !label.Empty() && !label.In(has) {
		return search.Hit{}, false
	}
	h, ok, err := finder.Find(e, has)
	return h, ok && err == nil // what cannot be read has no text
}

// standsIn makes a hit fit for a row.
func standsIn(h search.Hit) hitText {
	line := render.OneLine
	before := line(h.Before)
	if strings.HasSuffix(h.Before, " ") && before != "" {
		before += " "
	}
	after := line(h.After)
	if strings.HasPrefix(h.After, " ") && after != "" {
		after = " " + after
	}
	return hitText{h.Role, h.Tool, before, line(h.Match), after}
}

// text is what stands around what was found in an entry.
func (f *finding) text(e *session.Entry, label string) (hitText, bool) {
	h, ok := f.hits[e.ID]
	switch {
	case !ok:
		return hitText{}, false
	case h != nil:
		return *h, true
	}
	text, known := f.texts[e.ID]
	if !known {
		if found, ok, err := f.seer.Find(e, label); ok && err == nil {
			text = standsIn(found)
		}
		f.texts[e.ID] = text
	}
	return text, true
}

// regrow makes the rows anew, unfolded.
func (t *treeScreen) regrow(a *app) {
	clear(t.fold)
	t.grow(a)
}

// entered does what enter was pressed for while something was looked for.
func (t *treeScreen) entered(a *app) {
	if t.enter && (t.find == nil || t.find.over) && !t.growing {
		t.enter = false
		t.choose(a)
	}
}
