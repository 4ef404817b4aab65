package tui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/boughdev/bough/internal/frontend/slash"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/internal/search"
	"github.com/boughdev/bough/internal/styled"
	"github.com/boughdev/bough/internal/term"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// sessionList is the list of sessions (docs/spec/frontends.md D13). What it lists is
// fetched beside the loop and stays in view while more of it comes.
type sessionList struct {
	a *app
	p *picker

	scope string // this folder, its repository, or all
	sort  string
	named bool // only those
	paths bool // instead of folders

	all     []known
	thread  []session.Thread // of all, in that order
	fetched int              // fetches, to tell late ones from the last
	loading bool
	problem string

	search  string // that was asked for last
	stop    context.CancelFunc
	busy    bool                    // it is being searched
	hits    map[string]protocol.Hit // by path, of search
	refused string                  // why it could not be searched for

	rows    []listedRow
	trashed string // path of the one that went into the trash last
	preview preview
}

// known is a session with what is looked at again and again.
type known struct {
	protocol.SessionInfo
	title string
	names string // in small letters: title and folder
	words string // and first message and id
	gone  bool   // its folder
}

type listedRow struct {
	at   int // in all
	bars string
	hit  *protocol.Hit
}

// The scopes, in the order of the key.
var (
	scopes = []string{"folder", "repository", "all"}
	sorts  = []string{"threaded", "recent", "relevance"}
)

func (s *sessionList) len() int { return len(s.rows) }

// text is not asked for: the list searches for itself.
func (s *sessionList) text(int) string { return "" }

func (s *sessionList) of(i int) *known {
	if i < 0 || i >= len(s.rows) {
		return nil
	}
	return &s.all[s.rows[i].at]
}

// pickSession lists the sessions, searched for a word.
func (a *app) pickSession(word string) error {
	s := &sessionList{a: a, scope: "folder", sort: "threaded"}
	s.p = &picker{title: "Sessions", list: s, fills: true, choose: func(a *app, i int) { s.choose(s.of(i), s.rows[i].hit) },
		side: s.side, act: s.act, state: s.state, asks: s.asks, filter: func(string, string) bool { return true },
		more: []hint{{"tui.input.tab", "scope"}, {"app.session.toggleSort", "sort"}, {"app.session.toggleNamedFilter", "named"}, {"app.session.rename", "rename"},
			{"app.session.delete", "trash"}, {"app.session.togglePath", "path"}, {"bough.tree.preview", "preview"}}}
	s.p.query.set(word)
	a.push(s.p)
	s.fetch()
	return nil
}

// fetch asks for the sessions of the scope: the newest, and then all.
func (s *sessionList) fetch() {
	a := s.a
	s.fetched++
	n, scope, here := s.fetched, s.scope, a.view.Header.CWD
	s.loading, s.problem = true, ""
	const first = 200
	get := func(limit int) bool {
		got, err := protocol.Call(a.ctx, a.c, protocol.ListSessions{All: scope != "folder", Limit: limit})
		last := err != nil || got.Next == "" || limit > first
		list, thread := s.know(got.Sessions, scope, here)
		a.send(func() {
			if n != s.fetched {
				return
			}
			if err != nil {
				s.problem = s.a.sentence(err)
			}
			s.loading = !last
			was := s.path()
			s.all, s.thread = list, thread
			s.build()
			s.stand(was)
		})
		return last
	}
	a.beside(func() func() {
		if !get(first) {
			get(1 << 30)
		}
		return nil
	})
}

// know prepares a list, beside the loop.
func (s *sessionList) know(list []protocol.SessionInfo, scope, here string) ([]known, []session.Thread) {
	o := s.a.o.Around
	if scope == "repository" && o.Repository != nil {
		repos := map[string]string{}
		of := func(dir string) string {
			r, ok := repos[dir]
			if !ok {
				r = o.Repository(dir)
				repos[dir] = r
			}
			return r
		}
		want := of(here)
		list = slices.DeleteFunc(list, func(i protocol.SessionInfo) bool {
			return i.CWD != here && (want == "" || of(i.CWD) != want)
		})
	}
	out := make([]known, len(list))
	plain := make([]session.Summary, len(list))
	for i, info := range list {
		plain[i] = info.Summary
	}
	gone := map[string]bool{}
	for i, title := range render.Titles(plain) {
		info := list[i]
		names := strings.ToLower(title + "\n" + info.CWD)
		dir, ok := gone[info.CWD]
		if !ok && o.Gone != nil && info.CWD != "" {
			dir = o.Gone(info.CWD)
			gone[info.CWD] = dir
		}
		out[i] = known{info, title, names, names + "\n" + strings.ToLower(info.FirstMessage+"\n"+info.ID+"\n"+info.Name), dir}
	}
	same := filepath.Clean
	if o.Canonical != nil {
		same = o.Canonical()
	}
	return out, session.Threads(plain, same)
}

// build lists what fits, in the order that is wanted.
func (s *sessionList) build() {
	s.rows = s.rows[:0:0]
	fits := func(k *known) bool { return !s.named || k.Name != "" }
	at := map[string]int{}
	for i := range s.all {
		at[s.all[i].Path] = i
	}
	switch words := strings.Fields(strings.ToLower(s.p.query.text)); {
	case len(words) > 0:
		s.buildFound(words, fits)
	case s.sort == "threaded" && !s.named:
		for i, t := range s.thread {
			s.rows = append(s.rows, listedRow{at: at[t.Path], bars: render.ThreadBars(s.thread, i, s.a.o.ASCII)})
		}
	default:
		for i := range s.all {
			if fits(&s.all[i]) {
				s.rows = append(s.rows, listedRow{at: i})
			}
		}
	}
	s.p.changed()
}

// buildFound lists what fits words: names before texts, and last those of which the
// letters stand somewhere in the name.
func (s *sessionList) buildFound(words []string, fits func(*known) bool) {
	var ranked [5][]listedRow
	special := search.Special(s.p.query.text) // only the search of texts knows what it means
	for i := range s.all {
		k := &s.all[i]
		if !fits(k) {
			continue
		}
		r := listedRow{at: i}
		if h, ok := s.hits[k.Path]; ok {
			r.hit = &h
		}
		rank := 0
		switch inNames := hasAll(k.names, words); {
		case special:
			rank = 4
		case inNames && k.Name != "":
			rank = 1
		case inNames, hasAll(k.words, words):
			rank = 2
		case r.hit != nil:
			rank = 3
		case !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(k.names, w) && !scattered(k.names, w) }):
			rank = 4
		}
		if rank == 0 || special && r.hit == nil {
			continue
		}
		ranked[rank] = append(ranked[rank], r)
	}
	for _, rows := range ranked {
		s.rows = append(s.rows, rows...)
	}
	if s.sort == "recent" {
		slices.SortStableFunc(s.rows, func(a, b listedRow) int { return cmp.Compare(a.at, b.at) })
	}
}

func hasAll(text string, words []string) bool {
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

// asks hears of a new search.
func (s *sessionList) asks(query string) {
	s.build()
	if s.stop != nil {
		s.stop()
		s.stop = nil
	}
	s.hits, s.refused, s.busy = nil, "", false
	s.search = query
	if len(strings.TrimSpace(query)) < 2 {
		return
	}
	ctx, stop := context.WithCancel(s.a.ctx)
	s.stop, s.busy = stop, true
	all := s.scope != "folder"
	s.a.beside(func() func() {
		found, err := protocol.Call(ctx, s.a.c, protocol.SearchSessions{Query: query, All: all, Limit: 200})
		stop()
		return func() {
			if s.search != query || !s.busy {
				return
			}
			s.busy = false
			if err != nil {
				if ctx.Err() == nil || !errors.Is(err, context.Canceled) {
					s.refused = s.a.sentence(err)
				}
				return
			}
			s.hits = map[string]protocol.Hit{}
			for _, h := range found.Hits {
				if _, ok := s.hits[h.Session.Path]; !ok {
					s.hits[h.Session.Path] = h
				}
			}
			was := s.path()
			s.build()
			s.stand(was)
		}
	})
}

// path is that of the chosen one.
func (s *sessionList) path() string {
	if k := s.of(s.p.chosen()); k != nil {
		return k.Path
	}
	return ""
}

// stand chooses the session of a path, if it is listed.
func (s *sessionList) stand(path string) {
	for i := range s.rows {
		if path != "" && s.of(i).Path == path {
			s.p.set(i)
			return
		}
	}
}

func (s *sessionList) state() styled.Line {
	t := s.a.theme
	var l styled.Line
	width, _ := s.a.term.Size()
	for i, scope := range scopes {
		style := t.dim
		if width < 60 && scope != s.scope {
			continue // there is no room to say what else there is
		}
		if scope == s.scope {
			style = t.accent
		}
		if i > 0 && len(l) > 0 {
			l = append(l, styled.Span{Text: " | ", Style: t.dim})
		}
		l = append(l, styled.Span{Text: s.a.t(scope), Style: style})
	}
	words := "  " + s.a.t("sort: %s", s.a.t(s.sort))
	if width < 60 {
		words = "  " + s.a.t(s.sort)
	}
	if s.named {
		words += "  " + s.a.t("named")
	}
	l = append(l, styled.Span{Text: words, Style: t.dim})
	switch {
	case s.problem != "":
		l = styled.Of(s.problem, t.failure)
	case s.refused != "":
		l = styled.Of(s.refused, t.warning)
	case s.loading:
		l = append(l, styled.Span{Text: "  " + s.a.t("loading"), Style: t.dim})
	case s.busy:
		l = append(l, styled.Span{Text: "  " + s.a.t("searching texts"), Style: t.dim})
	}
	s.p.wait = ""
	switch {
	case s.loading:
		s.p.wait = "loading"
	case s.busy:
		s.p.wait = "no name fits; texts are being searched"
	}
	switch tab := s.a.keys.name("tui.input.tab"); {
	case s.named:
		s.p.empty = s.a.t("no session here has a name; %s lists all", s.a.keys.name("app.session.toggleNamedFilter"))
	case s.scope != "all":
		s.p.empty = s.a.t("no sessions here; %s looks further", tab)
	default:
		s.p.empty = "there are no sessions yet"
	}
	return l
}

func (s *sessionList) row(i, width int, _ bool) styled.Line {
	k, r, t := s.of(i), s.rows[i], s.a.theme
	style := styled.Style{}
	switch {
	case s.p.confirm != nil && i == s.p.chosen():
		style = t.failure
	case k.ID == s.a.view.Header.ID:
		style = t.accent
	case k.Name != "":
		style = t.warning
	}
	facts := s.facts(k, width)
	if r.hit != nil {
		facts = s.facts(k, min(width, 63)) // what was found tells more
	}
	room := width - styled.Width(facts)
	l := styled.Line{{Text: r.bars, Style: t.dim}}
	if k.Live && k.ID != s.a.view.Header.ID {
		mark := s.a.t("(open) ")
		if k.Running {
			mark = s.a.t("(running) ")
		}
		l = append(l, styled.Span{Text: mark, Style: t.success})
	}
	if k.Junk > 0 {
		l = append(l, styled.Span{Text: "(" + s.a.n(k.Junk, "%d line damaged", "%d lines damaged") + ") ", Style: t.failure})
	}
	l = append(l, styled.Span{Text: k.title, Style: style})
	where := ""
	switch {
	case s.paths:
		where = s.a.home(k.Path)
	case s.scope != "folder" && k.CWD != s.a.view.Header.CWD:
		where = s.a.home(k.CWD)
	}
	if k.gone {
		where = strings.TrimLeft(where+" "+s.a.t("(gone)"), " ")
	}
	if where != "" && room > 30 {
		where = render.CutLeft(where, room/2-2)
		l = styled.Join(l.Cut(room-styled.Width(where)-2), styled.Of("  "+where, t.dim))
	}
	if left := room - l.Width() - 4; r.hit != nil && left > 16 {
		l = styled.Join(l, styled.Of("  ", t.dim), styled.Of(render.Quote(brief(r.hit.Text), left), t.dim))
	}
	return styled.Join(l.Cut(max(room-1, 1)).Pad(room, styled.Style{}), styled.Of(facts, t.dim))
}

// facts are what stands at the right, as much as there is room for.
func (s *sessionList) facts(k *known, width int) string {
	age := toTheRight(s.a.age(s.a.o.Now().Sub(k.Modified)), s.a.ageColumns())
	if width < 40 {
		return ""
	}
	out := toTheRight(s.a.t("%d msgs", k.Said), 10) + " " + age
	if width >= 64 {
		branches := ""
		if k.Leaves > 1 {
			branches = s.a.n(k.Leaves, "%d branch", "%d branches")
		}
		out = toTheRight(branches, 12) + fmt.Sprintf(" %7s ", render.Dollars(k.Cost)) + out
	}
	if width >= 116 {
		_, model, _ := strings.Cut(k.Model, "/")
		out = toTheRight(render.Cut(brief(model), 20), 20) + " " + out
	}
	return out
}

// home writes a path of this machine.
func (a *app) home(path string) string { return brief(slash.Home(path, a.o.Home)) }

func (s *sessionList) act(a *app, i int, k term.Key) bool {
	is := func(actions ...string) bool { return a.keys.is(k, actions...) }
	one := s.of(i)
	switch {
	case is("tui.input.tab"):
		at := (slices.Index(scopes, s.scope) + 1) % len(scopes)
		if scopes[at] == "repository" && (a.o.Around.Repository == nil || a.o.Around.Repository(a.view.Header.CWD) == "") {
			at++
		}
		s.scope = scopes[at]
		s.asks(s.p.query.text) // in the new scope
		s.fetch()
	case is("app.session.toggleSort"):
		s.sort = sorts[(slices.Index(sorts, s.sort)+1)%len(sorts)]
		s.again()
	case is("app.session.toggleNamedFilter"):
		s.named = !s.named
		s.again()
	case is("app.session.togglePath"):
		s.paths = !s.paths
	case is("app.session.rename") && one != nil:
		s.rename(one)
	case is("app.session.delete") && one != nil, is("app.session.deleteNoninvasive") && one != nil && s.p.query.empty():
		s.trash(one)
	case is("tui.editor.undo") && s.trashed != "" && s.p.query.empty():
		s.untrash()
	default:
		return false
	}
	return true
}

func (s *sessionList) again() {
	was := s.path()
	s.build()
	s.stand(was)
}

func (s *sessionList) rename(k *known) {
	path := k.Path
	t := &typing{title: "Name of the session", words: "Nothing typed keeps the old one.", done: func(a *app, name string) {
		name = session.CleanName(name)
		if name == "" {
			return
		}
		call(a, protocol.RenameSession{Session: path, To: name}, func(_ protocol.None, err error) {
			a.said(err, "name: %s", name)
			s.fetch()
		})
	}}
	t.in.set(brief(k.Name))
	s.a.push(t)
}

func (s *sessionList) trash(k *known) {
	if k.ID == s.a.view.Header.ID {
		s.refused = s.a.t("This session is open; go to another one first.")
		return
	}
	path, title := k.Path, k.title
	s.p.confirm = &confirmation{s.a.t("Into the trash: %s?", render.Cut(brief(title), 40)), func() {
		call(s.a, protocol.TrashSession{Session: path}, func(_ protocol.None, err error) {
			if err != nil {
				s.refused = s.a.sentence(err)
				return
			}
			s.trashed = path
			s.refused = s.a.t("In the trash; %s brings it back.", s.a.keys.name("tui.editor.undo"))
			s.fetch()
		})
	}}
}

func (s *sessionList) untrash() {
	path := s.trashed
	s.trashed = ""
	call(s.a, protocol.RestoreSession{Session: path}, func(_ string, err error) {
		if s.refused = ""; err != nil {
			s.refused = s.a.sentence(err)
		}
		s.fetch()
	})
}

// choose goes over to a session, and to what was found in it.
func (s *sessionList) choose(k *known, hit *protocol.Hit) {
	a := s.a
	if k == nil {
		return
	}
	if k.ID == a.view.Header.ID {
		if hit != nil {
			a.goTo(protocol.Navigate{Target: hit.Entry, At: true})
		}
		return
	}
	which := cmp.Or(k.Path, k.ID)
	leave := func() { s.open(which, k, "", hit) }
	if k.gone {
		here := a.view.Header.CWD
		leave = func() {
			a.push(&question{text: a.t("The folder of this session is gone: %s", a.home(k.CWD)), choices: []choice{
				{a.t("Go on with it in %s; next time this is asked again", a.home(here)), func() { s.open(which, k, here, hit) }},
				{a.t("Copy it into a new session of %s", a.home(here)), func() { s.copy(which, k, here) }},
				{"Stay here", nil},
			}})
		}
	}
	a.leaveSession(leave)
}

func (s *sessionList) open(which string, k *known, dir string, hit *protocol.Hit) {
	a, title := s.a, k.title
	a.beside(func() func() {
		_, err := protocol.Call(a.ctx, a.c, protocol.SwitchSession{Session: which, CWD: dir})
		if err == nil && hit != nil {
			_, err = protocol.Call(a.ctx, a.c, protocol.Navigate{Target: hit.Entry, At: true})
		}
		return func() { a.said(err, "%s", title) }
	})
}

func (s *sessionList) copy(which string, k *known, dir string) {
	a, title := s.a, k.title
	a.beside(func() func() {
		_, err := protocol.Call(a.ctx, a.c, protocol.SwitchSession{Session: which, CWD: dir})
		if err == nil {
			_, err = protocol.Call(a.ctx, a.c, protocol.Clone{})
		}
		return func() { a.said(err, "a copy of %s", title) }
	})
}

// preview is what a session looks like from outside.
type preview struct {
	path string
	stop context.CancelFunc
	text []told
	err  string
}

// told is a message of the end of a session.
type told struct{ who, text string }

const mostTold = 12

// look reads the end of a session beside the loop.
func (s *sessionList) look(path string) {
	if s.preview.path == path {
		return
	}
	if s.preview.stop != nil {
		s.preview.stop()
	}
	a := s.a
	ctx, stop := context.WithCancel(a.ctx)
	s.preview = preview{path: path, stop: stop}
	read := a.o.Around.Read
	if read == nil || path == "" {
		stop()
		return
	}
	a.beside(func() func() {
		defer stop()
		var text []told
		one, err := read(ctx, path)
		if err == nil {
			text = ending(one.Tree())
			err = one.Close()
		}
		return func() {
			if s.preview.path != path {
				return
			}
			if s.preview.text = text; err != nil && ctx.Err() == nil {
				s.preview.err = s.a.sentence(err)
			}
		}
	})
}

// ending returns the last messages of a session, as it would open.
func ending(t *session.Tree) []told {
	var out []told
	seen := 0
	for e := t.Get(t.Leaf()); e != nil && len(out) < mostTold && seen < 500; e = t.Parent(e.ID) {
		seen++
		if e.Role != message.User && e.Role != message.Assistant {
			continue
		}
		if p := render.NewPreviews(t).Of(e); p.Text != "" {
			out = append(out, told{p.Who, p.Text})
		}
	}
	slices.Reverse(out)
	return out
}

func (s *sessionList) side(i, width, height int) []styled.Line {
	k, t := s.of(i), s.a.theme
	if k == nil {
		return nil
	}
	s.look(k.Path)
	rows := styled.Wrap(styled.Of(brief(k.title), t.title), width, nil, nil)
	rows = rows[:min(len(rows), 2)]
	add := func(name, text string) {
		if text = brief(text); text != "" {
			rows = append(rows, styled.Line{{Text: render.Pad(s.a.t(name), 9), Style: t.dim}, {Text: text}}.Cut(width))
		}
	}
	when := func(at time.Time) string {
		if at.IsZero() {
			return ""
		}
		return s.a.ago(s.a.o.Now().Sub(at))
	}
	folder := s.a.home(k.CWD)
	if k.gone {
		folder += " " + s.a.t("(gone)")
	}
	add("folder", folder)
	add("model", k.Model)
	add("holds", strings.TrimRight(fmt.Sprintf("%s, %s, %s, %s", s.a.n(k.Said, "%d message", "%d messages"), s.a.n(max(k.Leaves, 1), "%d branch", "%d branches"),
		render.Bytes(k.Size), render.Dollars(k.Cost)), ", "))
	add("begun", when(k.Created))
	if k.Live && k.Process != 0 {
		add("open", s.a.t("in process %d; enter joins it", k.Process))
	}
	if h := s.rows[i].hit; h != nil {
		add("found", s.a.t(h.Role)+": "+h.Text)
	}
	if s.preview.err != "" {
		return append(rows, nil, styled.Of(s.preview.err, t.failure).Cut(width))
	}
	if room := height - len(rows) - 1; room > 0 && len(s.preview.text) > 0 {
		var said []styled.Line
		for _, m := range s.preview.text {
			style := t.dim
			if m.who == string(message.User) {
				style = t.accent
			}
			l := styled.Wrap(styled.Line{{Text: s.a.t(m.who) + ": ", Style: style}, {Text: brief(m.text)}}, width, nil, nil)
			said = append(said, l[:min(len(l), 4)]...)
		}
		rows = append(append(rows, nil), said[max(len(said)-room, 0):]...)
	}
	return rows
}
