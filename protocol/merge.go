package protocol

// mergedMost is how many bytes of text progress may grow to before the next begins:
// joining costs what is there already.
const mergedMost = 64 << 10

// Merge joins progress that was not taken in time with what comes behind it: a
// delta with the delta of the same block before it, tool output with the older
// output of the same call. It reports false if both must be told.
func Merge(before, ev Event) (Event, bool) {
	switch e := ev.(type) {
	case Delta:
		prev, ok := before.(Delta)
		if !ok || prev.Kind != e.Kind || prev.Index != e.Index || e.Block != nil || e.ID != "" || e.Text == "" || prev.Text == "" || len(prev.Text) > mergedMost {
			return nil, false
		}
		prev.Text += e.Text
		prev.Usage = e.Usage
		return prev, true
	case ToolProgress:
		if prev, ok := before.(ToolProgress); ok && prev.CallID == e.CallID {
			return e, true
		}
	case BashOutput:
		if prev, ok := before.(BashOutput); ok && sameID(prev.ID, e.ID) && len(prev.Delta) <= mergedMost {
			prev.Delta += e.Delta
			return prev, true
		}
	}
	return nil, false
}

// sameID compares ids of commands, which may be of any type.
func sameID(a, b any) bool {
	switch x := a.(type) {
	case nil:
		return b == nil
	case string:
		y, ok := b.(string)
		return ok && x == y
	case RawID:
		y, ok := b.(RawID)
		return ok && x == y
	}
	return false
}
