package tui

import "github.com/boughdev/bough/internal/styled"

// The scroll bar counts blocks: how many rows there are nobody knows (transcript.go).

// share is where the rows that are seen stand among all: the first row of the bar's
// thumb, and how many it has, of so many rows.
func (t *transcript) share(rows int) (at, n int) {
	all := t.count()
	if all == 0 || len(t.items) == 0 || rows < 1 {
		return 0, rows
	}
	first, last := t.items[0], t.items[len(t.items)-1]
	n = min(max(rows*(last-first+1)/all, 1), rows)
	switch {
	case t.follows:
		return rows - n, n
	case t.top == 0 && t.off == 0:
		return 0, n
	}
	return min(rows*first/all, rows-n), n
}

// bar draws the scroll bar over the last column.
func (t *transcript) bar(rows []styled.Line, width int) []styled.Line {
	a := t.app
	t.barShown = a.o.Scrollbar == "always" || a.o.Scrollbar != "hidden" && !t.follows
	if !t.barShown || width < 2 || len(rows) == 0 {
		return rows
	}
	thumb, line := "█", "│"
	if a.o.ASCII {
		thumb, line = "#", "|"
	}
	at, n := t.share(len(rows))
	out := make([]styled.Line, len(rows))
	for y, l := range rows {
		mark := styled.Of(line, a.theme.track)
		if y >= at && y < at+n {
			mark = styled.Of(thumb, a.theme.thumb)
		}
		if l.Width() >= width {
			l = l.Slice(0, width-1)
		}
		out[y] = styled.Join(l.Pad(width-1, styled.Style{}), mark)
	}
	return out
}

// toShare moves the view to where a row of the bar is.
func (t *transcript) toShare(y int) {
	rows := max(t.rows, 1)
	if y >= rows-1 {
		t.follow()
		return
	}
	t.hold(rows)
	if y <= 0 {
		t.top, t.off = 0, 0
		return
	}
	t.top, t.off = min(y*t.count()/rows, max(t.count()-1, 0)), 0
}
