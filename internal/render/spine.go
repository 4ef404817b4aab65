package render

// spine draws the ways on from a place. One of them is the place's own line and
// stays where it is; the others stand before it, one level in. allAside is for a
// place where the conversation itself stands: its own line ends there.
func (d *drawer) spine(ways []int, onPath, allAside bool) {
	for len(ways) > 0 {
		own := -1
		switch {
		case allAside:
		case onPath && d.onPathOf(ways) >= 0:
			own = d.onPathOf(ways)
		default:
			own = ways[len(ways)-1] // the newest
		}
		for i, n := range ways {
			if n != own {
				d.aside(n, own < 0 && i == len(ways)-1)
			}
		}
		if own < 0 {
			return
		}
		d.row(own, "", d.markOf(own))
		onPath = d.nodes[own].onPath
		ways = d.nodes[own].kids
		allAside = onPath && d.onPathOf(ways) < 0
	}
}

// aside draws a side branch: its first row with a connector, the others behind a
// bar, which the last branch of a place does not need.
func (d *drawer) aside(n int, last bool) {
	connector := d.glyphs.tee
	if last {
		connector = d.glyphs.corner
	}
	d.row(n, connector, "")
	d.bars = append(d.bars, !last)
	d.spine(d.nodes[n].kids, false, false)
	d.bars = d.bars[:len(d.bars)-1]
}
