package search

// In returns where the first of the words is found in a text that has all of them.
func (x Expr) In(text string) (at int, ok bool) {
	found := x.find([]piece{{text: text}}, func(piece) bool { return true })
	if len(found) == 0 {
		return 0, false
	}
	return found[0].start, true
}
