package render

import (
	"fmt"
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
	All         Filter = "all" // everything but usage
)

// Filters are all filters, in the order in which they are cycled through.
func Filters() []Filter { return []Filter{Default, NoTools, UserOnly, LabeledOnly, All} }

// TreeOptions say how a tree is drawn. The zero value is the default.
type TreeOptions struct {
	Layout Layout
	Filter Filter // "": Default
	ASCII  bool   // connectors that every terminal and every font has
	Width  int    // columns; indentation takes a third of them at most. 0: no limit

	// Match, if set, leaves out entries for which it is false.
	Match func(*session.Entry) bool
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
	if o.Layout == Classic {
		d.classic()
	} else {
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
	kids   []int
	onPath bool
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
	for _, e := range t.Path(leaf) {
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
	push(t.Roots(), -1)
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		at := v.above
		if o.shows(t, v.e, leaf, v.e.ID == here) {
			at = len(f.nodes)
			f.nodes = append(f.nodes, leafy{entry: v.e, onPath: path[v.e.ID]})
			if path[v.e.ID] {
				f.leaf = at // the deepest comes last, since the path is walked first
			}
			if v.above < 0 {
				f.roots = append(f.roots, at)
			} else {
				f.nodes[v.above].kids = append(f.nodes[v.above].kids, at)
			}
		}
		push(t.Children(v.e.ID), at)
	}
	return f
}

// shows reports whether an entry is listed. here is for the one that the
// conversation stands at.
func (o TreeOptions) shows(t *session.Tree, e *session.Entry, leaf session.ID, here bool) bool {
	if !o.lists(t, e, here) || o.Match != nil && !o.Match(e) {
		return false
	}
	return o.Filter == All || e.ID == leaf || !IsSilent(e)
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
	bars   []bool // one for each level: whether a line goes on there
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
	b.WriteString(connector)
	if connector != "" {
		level++
	}
	d.rows = append(d.rows, Row{Entry: node.entry, Prefix: b.String(), Mark: mark, Level: level,
		OnPath: node.onPath, Leaf: n == d.leaf, Head: connector != ""})
}

// markOf is what stands before the words of a node that has no connector.
func (d *drawer) markOf(n int) string {
	if d.nodes[n].onPath {
		return d.glyphs.mark
	}
	return strings.Repeat(" ", styled.Width(d.glyphs.mark))
}
