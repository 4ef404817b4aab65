package render

import "strings"

// classic draws as pi does: the children of an entry with several are one level
// in and have a connector, what follows such a child is one more level in, and
// an unbranched run stays where it is. Several roots count as children of an
// entry that is not drawn, without connectors.
func (d *drawer) classic() {
	type visit struct {
		node      int
		level     int
		branched  bool // it has just been one of several
		connector bool
		last      bool
		bars      []bar
	}
	several := len(d.roots) > 1
	var stack []visit
	push := func(nodes []int, v visit) {
		for i := len(nodes) - 1; i >= 0; i-- {
			v.node, v.last = nodes[i], i == len(nodes)-1
			stack = append(stack, v)
		}
	}
	first := visit{branched: several}
	if several {
		first.level = 1
	}
	push(d.roots, first)
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		drawn := v.level
		if several {
			drawn = max(drawn-1, 0)
		}
		d.classicRow(v.node, drawn, v.connector, v.last, v.bars)
		next := visit{level: v.level, bars: v.bars}
		kids := d.nodes[v.node].kids
		switch {
		case len(kids) > 1:
			next.level, next.branched, next.connector = v.level+1, true, true
		case v.branched && v.level > 0:
			next.level = v.level + 1
		}
		if v.connector {
			next.bars = append(v.bars[:len(v.bars):len(v.bars)], bar{max(drawn-1, 0), !v.last})
		}
		push(kids, next)
	}
}

// bar is a line that goes on at a level while a branch is drawn, or the blank in
// its place.
type bar struct {
	level int
	on    bool
}

func (d *drawer) classicRow(n, level int, connector, last bool, bars []bar) {
	d.bars = d.bars[:0]
	for range level {
		d.bars = append(d.bars, false)
	}
	for _, b := range bars {
		if b.level < level {
			d.bars[b.level] = b.on
		}
	}
	glyph := ""
	if connector && level > 0 {
		d.bars = d.bars[:level-1]
		glyph = d.glyphs.tee
		if last {
			glyph = d.glyphs.corner
		}
	}
	mark := ""
	if d.nodes[n].onPath {
		mark = strings.TrimRight(d.glyphs.mark, " ") + " "
	}
	d.row(n, glyph, mark)
	d.bars = d.bars[:0]
}
