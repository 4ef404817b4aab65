package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/boughdev/bough/internal/styled"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
)

// Layout says how a tree is indented.
type Layout int

const (
	// Spine draws the active path as one straight line; the other ways of a
	// branch point stand right below it, one level in (docs/spec/frontends.md
	// D11-13).
	Spine Layout = iota
	// Classic indents at every branch point, as pi does (D11-11).
	Classic
)

// Filter says which entries of a tree are listed.
type Filter string

const (
	Default     Filter = "default" // no bookkeeping, no system messages but where one is stood at
	NoTools     Filter = "no-tools"
	UserOnly    Filter = "user-only"
	LabeledOnly Filter = "labeled-only"
	All         Filter = "all"      // everything but usage
	Branches    Filter = "branches" // where branches part, and the first and last entry of each run
	Errors      Filter = "errors"   // tools that failed, errors, what was stopped
)

// Filters are all filters, in the order in which they are cycled through.
func Filters() []Filter {
	return []Filter{Default, NoTools, UserOnly, LabeledOnly, All, Branches, Errors}
}

// TreeOptions say how a tree is drawn. The zero value is the default.
type TreeOptions struct {
	Layout Layout
	Filter Filter // "": Default
	ASCII  bool   // connectors that every terminal and every font has
	Width  int    // columns; indentation takes a third of them at most. 0: no limit

	// Match, if set, leaves out entries for which it is false. With Points, places
	// where branches part stay if something below several of them matches, and so
	// does the first entry of a side branch.
	Match  func(*session.Entry) bool
	Points bool

	// Folded are entries whose rows below are left out.
	Folded map[session.ID]bool

	// From, if set, draws only what hangs on that entry, and Most, if not 0, no more
	// entries than that: those on the way to the leaf come first.
	From session.ID
	Most int

	// Flat draws no indentation and no connectors.
	Flat bool

	// Silent, if set, is [IsSilent] for those who remember what it said, which reads
	// the entry.
	Silent func(*session.Entry) bool
}

// A Row is one line of a drawn tree. Its words are for the caller to add, with
// [Previews], so that only rows that are seen cost something.
type Row struct {
	Entry  *session.Entry
	Prefix string // bars and connectors
	Mark   string // what stands between them and the words: a dot on the active path
	Level  int    // of indentation

	OnPath bool
	Leaf   bool // the conversation stands here, or at something unlisted below
	Head   bool // the first row of a side branch
	Point  bool // kept by [TreeOptions.Points] though it does not match

	Above  int  // the row of the nearest visible entry above, -1 if there is none
	Folds  bool // it may be folded: it has rows below and is a root or one of several
	Folded bool
	Inside int  // rows that it hides
	Holds  bool // the conversation stands in what it hides
}

// TreeRows draws the tree of a session that stands at leaf.
func TreeRows(t *session.Tree, leaf session.ID, o TreeOptions) []Row {
	f := grow(t, leaf, o)
	d := &drawer{forest: f, glyphs: boxGlyphs, limit: maxLevels}
	if o.ASCII {
		d.glyphs = asciiGlyphs
	}
	if o.Width > 0 {
		d.limit = min(max(o.Width/3/levelWidth, 1), maxLevels)
	}
	d.at = make([]int, len(f.nodes))
	d.rows = make([]Row, 0, len(f.nodes))
	f.fold(o.Folded)
	switch {
	case o.Flat:
		for n := range f.nodes {
			d.row(n, "", d.markOf(n))
		}
	case o.Layout == Classic:
		d.classic()
	default:
		d.spine(f.roots, true, f.onPathOf(f.roots) < 0)
	}
	return d.rows
}

// forest is what is visible of a tree: a hidden entry hands its children to the
// nearest visible one above it.
type forest struct {
	nodes []leafy
	roots []int
	leaf  int // to nodes; -1 if the conversation stands above everything visible
}

type leafy struct {
	entry  *session.Entry
	above  int // -1: none
	kids   []int
	onPath bool
	point  bool

	folds, folded bool
	inside        int
	holds         bool
}

// prune leaves out nodes. What hangs on them hangs on the nearest one above that
// stays.
func (f *forest) prune(keep []bool) {
	to := make([]int, len(f.nodes))
	out := &forest{leaf: -1}
	for i, n := range f.nodes {
		above := -1
		if n.above >= 0 {
			above = to[n.above]
		}
		if to[i] = above; !keep[i] {
			continue
		}
		to[i] = len(out.nodes)
		n.kids, n.above = nil, above
		out.put(n)
	}
	*f = *out
}

// put adds a node behind those that stand above it.
func (f *forest) put(n leafy) {
	at := len(f.nodes)
	f.nodes = append(f.nodes, n)
	if n.onPath {
		f.leaf = at // the deepest comes last, since the path is walked first
	}
	if n.above < 0 {
		f.roots = append(f.roots, at)
	} else {
		f.nodes[n.above].kids = append(f.nodes[n.above].kids, at)
	}
}

// narrow leaves out what does not match, but not the places where branches with
// matches part, nor the first row of a side branch that has one.
func (f *forest) narrow(match func(*session.Entry) bool) {
	keep := make([]bool, len(f.nodes))
	with := make([]int, len(f.nodes))    // kids that match or have something below that does
	inside := make([]bool, len(f.nodes)) // something in this run of entries matches
	for i := len(f.nodes) - 1; i >= 0; i-- {
		n := &f.nodes[i]
		keep[i] = match(n.entry)
		inside[i] = inside[i] || keep[i]
		first := n.above < 0 || len(f.nodes[n.above].kids) > 1
		if !first {
			inside[n.above] = inside[n.above] || inside[i]
		}
		n.point = !keep[i] && (with[i] > 1 || first && inside[i] && !n.onPath)
		if (keep[i] || with[i] > 0) && n.above >= 0 {
			with[n.above]++
		}
		keep[i] = keep[i] || n.point
	}
	f.prune(keep)
}

// segments leaves out what lies within a run of entries without branches.
func (f *forest) segments() {
	keep := make([]bool, len(f.nodes))
	for i, n := range f.nodes {
		keep[i] = len(n.kids) != 1 || n.above < 0 || len(f.nodes[n.above].kids) > 1 || i == f.leaf
	}
	f.prune(keep)
}

// fold takes away what hangs on folded nodes, and says which may be folded.
func (f *forest) fold(folded map[session.ID]bool) {
	size := make([]int, len(f.nodes)) // of what hangs on a node: it stands right behind it
	for i := len(f.nodes) - 1; i >= 0; i-- {
		n := &f.nodes[i]
		if n.above >= 0 {
			size[n.above] += size[i] + 1
		}
		n.folds = len(n.kids) > 0 && (n.above < 0 || len(f.nodes[n.above].kids) > 1)
		if n.folds && folded[n.entry.ID] {
			n.folded, n.inside, n.kids = true, size[i], nil
			n.holds = f.leaf > i && f.leaf <= i+size[i]
		}
	}
}

func (f *forest) onPathOf(nodes []int) int {
	for _, n := range nodes {
		if f.nodes[n].onPath {
			return n
		}
	}
	return -1
}

// grow collects what is visible, the way that leads to the leaf first and the
// others by time.
func grow(t *session.Tree, leaf session.ID, o TreeOptions) *forest {
	path := map[session.ID]bool{}
	way := t.Path
	if p := t.Parent(o.From); p != nil {
		way = func(leaf session.ID) []*session.Entry { return t.Below(p.ID, leaf) }
	}
	for _, e := range way(leaf) {
		path[e.ID] = true
	}
	f := &forest{leaf: -1}
	here := session.ID("")
	if e := Above(t, leaf); e != nil {
		here = e.ID
	}
	type visit struct {
		e     *session.Entry
		above int // the nearest visible node; -1: none
	}
	var stack []visit
	push := func(es []*session.Entry, above int) {
		first := -1
		for i, e := range es {
			if path[e.ID] {
				first = i
			}
		}
		for i := len(es) - 1; i >= 0; i-- {
			if i != first {
				stack = append(stack, visit{es[i], above})
			}
		}
		if first >= 0 {
			stack = append(stack, visit{es[first], above})
		}
	}
	if e := t.Get(o.From); e != nil {
		push([]*session.Entry{e}, -1)
	} else {
		push(t.Roots(), -1)
	}
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if o.Most > 0 && len(f.nodes) >= o.Most {
			break
		}
		at := v.above
		if o.shows(t, v.e, leaf, v.e.ID == here) {
			at = len(f.nodes)
			f.put(leafy{entry: v.e, above: v.above, onPath: path[v.e.ID]})
		}
		push(t.Children(v.e.ID), at)
	}
	if o.Filter == Branches {
		f.segments()
	}
	if o.Match != nil && o.Points {
		f.narrow(o.Match)
	}
	return f
}

// shows reports whether an entry is listed. here is for the one that the
// conversation stands at.
func (o TreeOptions) shows(t *session.Tree, e *session.Entry, leaf session.ID, here bool) bool {
	if !o.lists(t, e, here) || o.Match != nil && !o.Points && !o.Match(e) {
		return false
	}
	return o.Filter == All || o.Filter == UserOnly || e.ID == leaf || e.Role != message.Assistant || !o.silent(e)
}

func (o TreeOptions) silent(e *session.Entry) bool {
	if o.Silent != nil {
		return o.Silent(e)
	}
	return IsSilent(e)
}

func (o TreeOptions) lists(t *session.Tree, e *session.Entry, here bool) bool {
	switch o.Filter {
	case All:
		return e.Type != session.TypeUsage
	case LabeledOnly:
		return t.Label(e.ID) != ""
	case UserOnly:
		return e.Role == message.User
	case NoTools:
		return e.Role != message.ToolResult && listed(e, here)
	case Errors:
		return listed(e, here) && IsTroubled(e)
	}
	return listed(e, here)
}

// listed is the default filter. The instructions are listed where nothing else
// could show that the conversation stands at the beginning.
func listed(e *session.Entry, here bool) bool {
	if e.Lost() {
		return listsLost(e)
	}
	return e.Speaks() && (e.Role != message.System || here) && !silentMessage(e)
}

func silentMessage(e *session.Entry) bool { return e.Type == session.TypeMessage && e.Role == "" }

// drawer draws a forest.
type drawer struct {
	*forest
	glyphs glyphs
	limit  int // levels of indentation that are drawn
	rows   []Row
	at     []int  // the row of a node
	bars   []bool // one for each level: whether a line goes on there

	drawn  string // what stood before the last row
	behind []bool // the bars of that
}

type glyphs struct{ bar, tee, corner, mark string }

var (
	boxGlyphs   = glyphs{"│  ", "├─ ", "└─ ", "• "}
	asciiGlyphs = glyphs{"|  ", "|- ", "'- ", "* "}
)

const (
	levelWidth = 3
	maxLevels  = 100
)

// row adds a row below the bars. connector is "" for a row that goes on.
func (d *drawer) row(n int, connector, mark string) {
	node := d.nodes[n]
	level := len(d.bars)
	if connector != "" {
		level++
	}
	d.at[n] = len(d.rows)
	above := -1
	if node.above >= 0 {
		above = d.at[node.above]
	}
	d.rows = append(d.rows, Row{Entry: node.entry, Prefix: d.front() + connector, Mark: mark, Level: level,
		OnPath: node.onPath, Leaf: n == d.leaf, Head: connector != "", Point: node.point, Above: above,
		Folds: node.folds, Folded: node.folded, Inside: node.inside, Holds: node.holds})
}

// front writes the bars. Rows that follow each other mostly have the same.
func (d *drawer) front() string {
	if slices.Equal(d.bars, d.behind) {
		return d.drawn
	}
	var b strings.Builder
	bars := d.bars
	if hidden := len(bars) - d.limit; hidden > 0 {
		b.WriteString(Pad(fmt.Sprintf("..%d", hidden), levelWidth+1))
		bars = bars[hidden+1:]
	}
	for _, on := range bars {
		if on {
			b.WriteString(d.glyphs.bar)
		} else {
			b.WriteString(strings.Repeat(" ", levelWidth))
		}
	}
	d.drawn, d.behind = b.String(), append(d.behind[:0], d.bars...)
	return d.drawn
}

// markOf is what stands before the words of a node that has no connector.
func (d *drawer) markOf(n int) string {
	if d.nodes[n].onPath {
		return d.glyphs.mark
	}
	return strings.Repeat(" ", styled.Width(d.glyphs.mark))
}
