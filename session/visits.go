package session

// Visits returns the places that were left for another one among the first n entries, in
// the order of the log: a log that goes on elsewhere than where it stood tells of a move.
// The last place, which was not left, is not among them.
func (t *Tree) Visits(n int) []ID {
	var left []ID
	var at ID
	begun := false
	for e := range t.Log() {
		if n--; n < 0 {
			break
		}
		was, now := at, e.ID
		if e.IsLeafMarker() {
			now = e.Parent
		}
		if begun && e.Parent != was && now != was {
			left = append(left, was)
		}
		at, begun = now, true
	}
	return left
}
