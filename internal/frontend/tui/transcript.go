package tui

import (
	"slices"

	"github.com/boughdev/bough/internal/styled"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// transcript is the path as it is read: a list of items of which only those that
// are seen are drawn. Where the view stands is an item and a row in it, never a
// count of rows: nobody knows how many there are, and nobody needs to.
type transcript struct {
	app  *app
	tree *session.Tree    // nil: that of the view
	path []*session.Entry // to the leaf, as far back as somebody has looked
	list []item
	late []item // lines of ours that stand below the answer that is being streamed

	drawn map[*session.Entry]drawing // what was drawn lately
	width int                        // that they were drawn for
	open  map[session.ID]bool        // blocks that are open, or closed if all is open
	all   bool                       // all are open

	live    live
	by      map[session.ID]string // who said what others said
	foreign foreign               // what came of other programs
	edits   map[session.ID]*edit  // what the model sees otherwise
	older   older
	keptAt  int // in path, the first entry that the model sees; what is before was summed up

	focused int // item that the keyboard stands at; see focus.go
	focuses bool
	find    string // marked wherever it stands
	items   []int  // of the rows that are seen
	rows    int    // that are seen

	chosen   selection // with the mouse
	barShown bool

	follows bool // the end is shown
	top     int  // otherwise: the first item that is shown
	off     int  // and its first row
	seen    int  // items there were when the view left the end

	// Where the terminal's own scrolling is kept: up to where it has everything.
	said     int  // item
	saidRow  int  // and row
	headSaid bool // the header was, which is away
}

// item is a block of the transcript: an entry of the path, or a line of ours.
type item struct {
	at    int // in path; -1: a line
	line  string
	style styled.Style
	older bool // a row for what was summed up
	head  bool // the header
}

type drawing struct {
	lines  []styled.Line
	stable int // rows that will not change, however it goes on
	open   bool
}

// live is the answer that is being streamed.
type live struct {
	parts []*livePart // by block
}

func (t *transcript) reset() {
	*t = transcript{app: t.app, all: t.all, follows: true, list: t.lines(), said: t.said, saidRow: t.saidRow}
	t.lead()
}

// lines are the lines of ours that stand at the start.
func (t *transcript) lines() []item {
	return slices.DeleteFunc(slices.Clone(t.list), func(i item) bool { return i.at >= 0 || i.older || i.head })
}

// chunk is how much of the path is looked up at a time. A session of years opens
// like a new one.
const chunk = 300

// load returns the end of the way to an entry: so many, and on to where a person
// speaks, so that no answer is parted from its results.
func (t *transcript) load(id session.ID, most int) []*session.Entry {
	tree := t.app.view.Tree
	if tree == nil {
		return nil
	}
	var path []*session.Entry
	for e := tree.Get(id); e != nil && len(path) < tree.Size(); e = tree.Parent(e.ID) {
		path = append(path, e)
		if e.Type == session.TypeCompaction && t.older.first == "" {
			t.older = t.olderOf(e)
		}
		if e.ID == t.older.first && !t.older.open || len(path) >= most && e.Role == message.User || len(path) >= 20*most {
			break
		}
	}
	slices.Reverse(path)
	return path
}

// extend looks further back. It returns false if there is nothing.
func (t *transcript) extend() bool { return t.extendBy(chunk) }

func (t *transcript) extendBy(most int) bool {
	if len(t.path) == 0 || t.path[0].ID == t.older.first && !t.older.open {
		return false
	}
	more := t.load(t.path[0].Parent, most)
	if len(more) == 0 {
		return false
	}
	t.unlead()
	defer t.lead()
	path, list := t.path, t.list
	t.path, t.list = more, nil
	if t.keptAt > 0 || path[0].ID == t.older.first {
		t.keptAt += len(more)
	}
	for i := range more {
		t.add(i)
	}
	t.learn(more, true)
	n := len(t.list)
	t.path = append(more, path...)
	for _, it := range list {
		if it.at >= 0 {
			it.at += len(more)
		}
		t.list = append(t.list, it)
	}
	t.top, t.seen, t.focused = t.top+n, t.seen+n, t.focused+n
	t.chosen.from.item, t.chosen.to.item = t.chosen.from.item+n, t.chosen.to.item+n
	if t.said >= 0 {
		t.said += n
	}
	return true
}

// whole looks back to the root.
func (t *transcript) whole() {
	for t.extendBy(1 << 20) {
	}
}

// rebuild takes the path anew.
func (t *transcript) rebuild() {
	lines := t.lines()
	if len(t.path) > 0 {
		lines = nil // they belonged to where we were
	}
	was := t.older
	t.older, t.keptAt, t.edits = older{}, 0, nil
	t.path, t.list = t.load(t.app.view.Leaf, chunk), nil
	if was.open && was.first == t.older.first {
		t.older = was
	}
	for i := range t.path {
		t.add(i)
	}
	t.learn(t.path, false)
	t.list = append(t.list, lines...)
	t.lead()
	t.drawn, t.top, t.off = nil, 0, 0
	t.follows = true
	t.replay()
}

// add lists an entry of the path if there is something to see of it.
func (t *transcript) add(i int) {
	e := t.path[i]
	if e.ID == t.older.first {
		t.list = append(t.list, item{at: -1, older: true})
		t.keptAt = i
	}
	switch e.Type {
	case session.TypeMessage:
		if e.Role == message.System || e.Role == message.ToolResult && t.answered(i) {
			return
		}
	case session.TypeCompaction, session.TypeBranchSummary, session.TypeCustomMessage:
	default:
		return
	}
	t.list = append(t.list, item{at: i})
}

// answered reports whether an answer stands before a result, which shows it.
func (t *transcript) answered(i int) bool {
	for i--; i >= 0; i-- {
		switch t.path[i].Role {
		case message.Assistant:
			return true
		case message.User, message.Bash:
			return false
		}
	}
	return false
}

// appended takes up a new entry, which stands at the end of the path or elsewhere.
func (t *transcript) appended(e protocol.Appended, before session.ID) {
	switch {
	case e.Foreign:
		if t.app.opened && !e.Entry.IsLeafMarker() {
			t.app.arrived(e, before)
		}
		return
	case len(t.path) > 0 && t.path[len(t.path)-1].ID == e.Entry.Parent, len(t.path) == 0 && e.Entry.Parent == "":
	case !t.app.opened:
		return // State comes
	default:
		t.rebuild()
		return
	}
	if t.app.others(e.By) && e.Entry.Role == message.User {
		if t.by == nil {
			t.by = map[session.ID]string{}
		}
		t.by[e.Entry.ID] = t.app.who(e.By)
	}
	t.path = append(t.path, e.Entry)
	t.add(len(t.path) - 1)
	if e.Entry.Role == message.ToolResult {
		t.forgetAnswer()
	}
	t.learn([]*session.Entry{e.Entry}, false)
	if e.Entry.Type == session.TypeCompaction {
		t.summedUp(e.Entry)
	}
	t.settle()
}

// settle puts the lines that came during an answer behind it.
func (t *transcript) settle() {
	if t.app.view.Answer == nil {
		t.list, t.late = append(t.list, t.late...), nil
	}
}

// forgetAnswer has the newest answer drawn anew, since a result of it came.
func (t *transcript) forgetAnswer() {
	for i := len(t.path) - 1; i >= 0; i-- {
		if t.path[i].Role == message.Assistant {
			delete(t.drawn, t.path[i])
			return
		}
	}
}

// fresh begins an answer.
func (t *transcript) fresh() { t.live = live{} }

// say adds a line of ours.
func (t *transcript) say(style styled.Style, line string) {
	list := &t.list
	if t.app.view.Answer != nil {
		list = &t.late
	}
	if n := len(*list); n > 0 && (*list)[n-1].at < 0 && line != "" && (*list)[n-1].line == line {
		return
	}
	*list = append(*list, item{at: -1, line: line, style: style})
}

// count is how many items there are, the answer that is being streamed included.
func (t *transcript) count() int {
	if t.app.view.Answer != nil {
		return len(t.list) + 1 + len(t.late)
	}
	return len(t.list) + len(t.late)
}

// of draws an item, unless it was drawn before.
func (t *transcript) of(i int) drawing {
	var it item
	switch n := len(t.list); {
	case i < n:
		it = t.list[i]
	case i == n && t.app.view.Answer != nil:
		return t.answer()
	default:
		it = t.late[len(t.late)-(t.count()-i)]
	}
	switch {
	case it.older:
		return t.olderRow()
	case it.head:
		return whole(t.app.headerBlock(t.isOpen(headID)))
	}
	if it.at < 0 {
		lines := styled.Wrap(styled.Of(it.line, it.style), t.width, margin, margin)
		return drawing{lines: append([]styled.Line{nil}, lines...), stable: len(lines) + 1}
	}
	e := t.path[it.at]
	open := t.isOpen(e.ID)
	if d, ok := t.drawn[e]; ok && d.open == open {
		return d
	}
	t.app.pictures.waiting = false
	d := t.marked(it.at, t.app.block(it.at, open), open)
	d.open = open
	if t.app.pictures.waiting {
		d.stable = 0
		return d
	}
	if d.stable < len(d.lines) {
		return d // a tool of it still runs
	}
	if t.drawn == nil || len(t.drawn) > 600 {
		t.drawn = map[*session.Entry]drawing{}
	}
	t.drawn[e] = d
	return d
}

func (t *transcript) isOpen(id session.ID) bool { return t.open[id] != t.all }

// toggleAll opens or closes all long blocks.
func (t *transcript) toggleAll() {
	t.all, t.open = !t.all, nil
	t.chosen = selection{}
	t.drawn = nil
	if t.older.first != "" {
		t.toggleOlder(t.all)
	}
	t.replay()
}

// setWidth has everything drawn for a width.
func (t *transcript) setWidth(width int) {
	if width != t.width {
		t.width, t.drawn = width, nil
		t.chosen = selection{}
		t.live = live{}
		t.off = 0
	}
}

// window returns what is seen in so many rows.
func (t *transcript) window(height int) []styled.Line {
	if height <= 0 {
		return nil
	}
	n := t.count()
	if !t.follows {
		t.top = min(t.top, max(n-1, 0))
		var out []styled.Line
		t.items = t.items[:0]
		for i := t.top; i < n && len(out) < height; i++ {
			lines := t.seenAs(i)
			if i == t.top {
				t.off = min(t.off, max(len(lines)-1, 0))
				lines = lines[t.off:]
			}
			out = append(out, lines...)
			for range lines {
				t.items = append(t.items, i)
			}
		}
		if len(out) >= height {
			return out[:height]
		}
		t.follow() // the end has come into view
	}
	var parts [][]styled.Line
	have, first := 0, n
	for i := n - 1; have < height; i-- {
		if i < 0 {
			if !t.extend() {
				break
			}
			i += t.count() - n
			n = t.count()
		}
		lines := t.seenAs(i)
		parts = append(parts, lines)
		have += len(lines)
		first = i
	}
	out := make([]styled.Line, 0, have)
	t.items = t.items[:0]
	for i := len(parts) - 1; i >= 0; i-- {
		out = append(out, parts[i]...)
		for range parts[i] {
			t.items = append(t.items, first+len(parts)-1-i)
		}
	}
	cut := max(len(out)-height, 0)
	t.items = t.items[cut:]
	return out[cut:]
}

func (t *transcript) follow() { t.follows = true }

// hold keeps the view where it is instead of at the end.
func (t *transcript) hold(height int) {
	if !t.follows {
		return
	}
	t.follows = false
	t.seen = t.count()
	t.top, t.off = t.count(), 0
	t.up(height)
}

// scroll moves the view by rows, up if by is negative.
func (t *transcript) scroll(by, height int) {
	t.hold(height)
	if by < 0 {
		t.up(-by)
		return
	}
	for by > 0 && t.top < t.count() {
		rows := len(t.of(t.top).lines) - t.off
		if rows > by {
			t.off += by
			return
		}
		by -= rows
		t.top, t.off = t.top+1, 0
	}
}

func (t *transcript) up(by int) {
	for by > 0 {
		if t.off >= by {
			t.off -= by
			return
		}
		by -= t.off
		t.off = 0
		if t.top == 0 && !t.extend() {
			return
		}
		t.top--
		t.off = len(t.of(t.top).lines)
	}
}

// toPrompt moves to the message of the user before or behind the first row.
func (t *transcript) toPrompt(step, height int) {
	t.hold(height)
	i := t.top
	if step < 0 && t.off > 0 && t.isPrompt(i) {
		t.off = 0
		return
	}
	for i += step; i < len(t.list); i += step {
		if n := len(t.list); i < 0 {
			if !t.extend() {
				break
			}
			i += len(t.list) - n
		}
		if t.isPrompt(i) {
			t.top, t.off = i, 0
			return
		}
	}
	if step < 0 {
		t.top, t.off = 0, 0
	} else {
		t.follow()
	}
}

func (t *transcript) isPrompt(i int) bool {
	return i < len(t.list) && t.list[i].at >= 0 && t.path[t.list[i].at].Role == message.User
}

// news is how many blocks came since the view left the end.
func (t *transcript) news() int {
	if t.follows {
		return 0
	}
	return max(t.count()-t.seen, 0)
}

// replay has the end said again, where the terminal's own scrolling is kept.
func (t *transcript) replay() {
	if t.said == 0 && t.saidRow == 0 {
		return // nothing was said yet
	}
	t.said, t.saidRow = -1, 0
	if t.app.term != nil {
		t.app.term.Redraw()
	}
}

// leaves returns the rows that will not change any more and were not said yet, and
// those below them, which may.
func (t *transcript) leaves(height int) (above, live []styled.Line) {
	n := t.count()
	if t.said < 0 { // as much as a screen has, at the end
		t.said = n
		for have := 0; t.said > 0 && have < height; have += len(t.of(t.said).lines) {
			t.said--
		}
		t.saidRow = 0
	}
	for ; t.said < n; t.said, t.saidRow = t.said+1, 0 {
		d := t.of(t.said)
		if from := min(t.saidRow, d.stable); d.stable > from {
			above = append(above, d.lines[from:d.stable]...)
			t.saidRow = d.stable
		}
		if d.stable < len(d.lines) || t.said >= len(t.list) {
			break
		}
	}
	for i := t.said; i < n; i++ {
		lines := t.of(i).lines
		if i == t.said {
			lines = lines[min(t.saidRow, len(lines)):]
		}
		live = append(live, lines...)
	}
	return above, live
}

// last is the line of ours that was told last; "" if there is none.
func (t *transcript) last() string {
	for _, i := range slices.Backward(t.list) {
		if i.at < 0 && i.line != "" {
			return i.line
		}
	}
	return ""
}
