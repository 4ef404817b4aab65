package tui

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/boughdev/bough/internal/frontend/slash"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/internal/styled"
	"github.com/boughdev/bough/internal/term"
	"github.com/boughdev/bough/session"
)

// finder searches the conversation, also where it is closed or was summed up
// (docs/spec/frontends.md D23). Its line stands above the conversation. What takes a
// while is done beside the loop, piece by piece.
type finder struct {
	query input

	path  []*session.Entry // from the root to here, once it is known
	hits  []session.ID     // in the order of the path
	at    int
	asked string // what hits are of
	over  bool   // all was looked at
	turn  int    // of the search; older ones are let go

	// Where the view stood before.
	top, off int
	follows  bool
	count    int
}

// find is /find: it searches the conversation for words.
func (a *app) find(c slash.Command) error {
	if a.o.Regular {
		return a.openTree(c.Rest)
	}
	a.openSearch()
	if f, ok := a.top().(*finder); ok && c.Rest != "" {
		f.query.set(c.Rest)
		f.search(a)
	}
	return nil
}

func (a *app) openSearch() {
	t := &a.look
	if a.o.Regular {
		a.flash("the conversation is the terminal's here, and so is its search; /tree WORDS searches all branches")
		return
	}
	if len(t.path) == 0 {
		a.flash("nothing has been said yet")
		return
	}
	a.push(&finder{top: t.top, off: t.off, follows: t.follows, count: len(t.list), path: a.view.Tree.Path(a.view.Leaf)})
}

func (f *finder) hints() []hint {
	if f.inVain() {
		return []hint{{"tui.altScreen.searchNext", "search all branches"}, {"tui.altScreen.searchClose", "close"}}
	}
	return []hint{{"tui.altScreen.searchNext", "older"}, {"tui.altScreen.searchPrevious", "newer"}, {"tui.altScreen.searchClose", "close"}}
}

func (f *finder) update(a *app, ev term.Event) {
	t := &a.look
	switch e := ev.(type) {
	case term.Mouse:
		a.wheel(e)
	case term.Paste:
		f.query.paste(e.Text)
		f.search(a)
	case term.Key:
		is := func(actions ...string) bool { return a.keys.is(e, actions...) }
		switch {
		case is("tui.altScreen.searchClose"), is("app.clear"):
			f.end(a)
		case is("tui.altScreen.searchPrevious"):
			f.step(a, 1)
		case is("tui.altScreen.searchNext") && f.inVain():
			f.end(a)
			a.problem(a.openTree(f.query.text))
		case is("tui.altScreen.searchNext"):
			f.step(a, -1)
		case is("bough.transcript.focus"):
			t.find = ""
			a.close(f)
			a.focusTranscript()
		default:
			before := f.query.text
			f.query.key(a.keys, e)
			if f.query.text != before {
				f.search(a)
			}
		}
	}
}

// end closes the search and returns to where the view stood before.
func (f *finder) end(a *app) {
	t := &a.look
	t.find = ""
	a.close(f)
	if f.follows {
		t.follow()
	} else {
		t.top, t.off, t.follows = f.top+len(t.list)-f.count, f.off, false
	}
}

// inVain reports whether this branch has not what is looked for. Another may have it.
func (f *finder) inVain() bool {
	return f.over && len(f.hits) == 0 && strings.TrimSpace(f.asked) != ""
}

// mostFound is how many blocks are listed.
const mostFound = 10000

// search looks for the words anew, from the newest block back, so that what is found
// first is what is shown first.
func (f *finder) search(a *app) {
	f.turn++
	turn, query := f.turn, f.query.text
	f.hits, f.at, f.over, f.asked = nil, 0, false, query
	a.look.find = ""
	if strings.TrimSpace(query) == "" {
		f.over = true
		return
	}
	path, thinking := f.path, !a.hidesThinking()
	a.beside(func() func() {
		var some []session.ID
		tell := func(over bool) bool {
			found := some
			some = nil
			a.send(func() { f.take(a, turn, found, over) })
			return a.ctx.Err() == nil
		}
		n := 0
		for i := len(path) - 1; i >= 0 && n < mostFound; i-- {
			e := path[i]
			if e.Speaks() {
				if text, err := render.Full(e, thinking); err == nil {
					if at, _ := foldIndex(text, query); at >= 0 {
						some = append(some, e.ID)
						n++
					}
				}
			}
			if len(some) > 0 && n == len(some) || i%2000 == 0 {
				if !tell(false) || !f.current(a, turn) {
					return nil
				}
			}
		}
		tell(true)
		return nil
	})
}

// current reports whether a search is still the one that is wanted.
func (f *finder) current(a *app, turn int) bool {
	is := make(chan bool, 1)
	a.send(func() { is <- f.turn == turn && a.isOpen(f) })
	select {
	case ok := <-is:
		return ok
	case <-a.ctx.Done():
		return false
	}
}

func (a *app) isOpen(s screen) bool {
	for _, o := range a.screens {
		if o == s {
			return true
		}
	}
	return false
}

func (f *finder) take(a *app, turn int, found []session.ID, over bool) {
	if turn != f.turn || !a.isOpen(f) {
		return
	}
	first := len(f.hits) == 0 && len(found) > 0
	f.hits, f.over = append(f.hits, found...), over
	a.look.find = f.asked
	if first {
		f.show(a)
	}
}

// step goes to another hit; 1 is an older one.
func (f *finder) step(a *app, by int) {
	n := len(f.hits)
	if n == 0 {
		return
	}
	// Enter goes on to older ones: the search begins at the end.
	f.at = (f.at - by + n) % n
	f.show(a)
}

// show scrolls to the hit and opens what it stands in.
func (f *finder) show(a *app) {
	t := &a.look
	i := t.itemOf(f.hits[f.at])
	if i < 0 {
		return
	}
	row, ok := t.rowWith(i, f.asked)
	if !ok && !t.isOpen(t.entryAt(i).ID) {
		t.toggle(i)
		if row, ok = t.rowWith(i, f.asked); !ok {
			t.toggle(i)
		}
	}
	t.hold(a.room())
	t.top, t.off = i, max(row, 0)
	t.up(a.room() / 3)
}

func (t *transcript) rowWith(i int, words string) (int, bool) {
	for k, l := range t.of(i).lines {
		if at, _ := foldIndex(l.Text(), words); at >= 0 {
			return k, true
		}
	}
	return 0, false
}

// itemOf finds the item that shows an entry, looking back as far as it takes; -1: it
// is not on the path.
func (t *transcript) itemOf(id session.ID) int {
	find := func(to int) int {
		last := -1
		for i, e := range t.path[:to] {
			if e.ID == id {
				last = i
				break
			}
		}
		if last < 0 {
			return -1
		}
		best := -1
		for i, it := range t.list {
			if it.at > last {
				break
			}
			if it.at >= 0 {
				best = i // a result stands in the block of its answer
			}
		}
		return best
	}
	if i := find(len(t.path)); i >= 0 {
		return i
	}
	if t.older.first != "" && !t.older.open {
		t.toggleOlder(true)
	}
	for {
		n := len(t.path)
		if !t.extend() {
			return -1
		}
		if i := find(len(t.path) - n); i >= 0 {
			return i
		}
	}
}

// bar draws the line of the search.
func (f *finder) bar(a *app, width int) (styled.Line, int) {
	words := ""
	switch n := len(f.hits); {
	case strings.TrimSpace(f.asked) == "":
	case n == 0 && f.over:
		words = a.t("nothing here")
	case n == 0:
		words = a.t("looking")
	case f.over:
		words = a.n(n, "%[2]d of %[1]d block", "%[2]d of %[1]d blocks", f.at+1)
	default:
		words = a.t("%d of %d so far", f.at+1, n)
	}
	right := styled.Of(" "+words+"  ", a.theme.accent)
	right = styled.Join(right, a.help(f.hints(), width-right.Width()-9-width/3))
	room := max(width-right.Width()-10, width/3)
	line, x := f.query.draw(max(room, 1), styled.Style{})
	l := styled.Join(styled.Of(" "+a.t("Search: "), a.theme.title), line)
	l = l.Pad(min(9+room, width), styled.Style{})
	return styled.Join(l, right).Cut(width).Styled(a.theme.selection).Pad(width, a.theme.selection), min(9+x, max(width-1, 0))
}

// view is that of the editor: the bar is drawn above the conversation.
func (f *finder) view(a *app, width, height int) panel { return panel{} }

// foldIndex finds words in a text, whatever their case; -1: they are not in it.
func foldIndex(text, words string) (from, to int) {
	if words == "" {
		return -1, -1
	}
	first, _ := utf8.DecodeRuneInString(words)
	ascii := first < utf8.RuneSelf && first != 'k' && first != 'K' && first != 's' && first != 'S'
	lower, upper := byte(unicode.ToLower(first)), byte(unicode.ToUpper(first))
	for at := 0; at < len(text); {
		if ascii {
			i := strings.IndexByte(text[at:], lower)
			if lower != upper {
				if j := strings.IndexByte(text[at:at+max(i, 0)], upper); i < 0 {
					i = strings.IndexByte(text[at:], upper)
				} else if j >= 0 {
					i = j
				}
			}
			if i < 0 {
				return -1, -1
			}
			at += i
		}
		if end, ok := foldPrefix(text[at:], words); ok {
			return at, at + end
		}
		_, n := utf8.DecodeRuneInString(text[at:])
		at += n
	}
	return -1, -1
}

// foldPrefix reports whether a text begins with words, and where they end.
func foldPrefix(text, words string) (int, bool) {
	at := 0
	for _, w := range words {
		if at >= len(text) {
			return 0, false
		}
		r, n := utf8.DecodeRuneInString(text[at:])
		if r != w && unicode.ToLower(r) != unicode.ToLower(w) && unicode.SimpleFold(r) != w {
			return 0, false
		}
		at += n
	}
	return at, true
}
