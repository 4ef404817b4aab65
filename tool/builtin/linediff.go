package builtin

import "slices"

// step is one line of a comparison: ' ' is in both, '-' only in the old, '+' only
// in the new text.
type step struct {
	sign byte
	text string
}

// maxDistance is how many lines may differ before two texts are taken to have
// nothing in common; it bounds time and memory.
const maxDistance = 1000

// compareLines finds a shortest way from a to b. Of lines that change in one
// place, the old come before the new.
func compareLines(a, b []string) []step {
	var steps []step
	add := func(sign byte, lines []string) {
		for _, l := range lines {
			steps = append(steps, step{sign, l})
		}
	}
	from := 0
	for from < min(len(a), len(b)) && a[from] == b[from] {
		from++
	}
	same := 0
	for same < min(len(a), len(b))-from && a[len(a)-1-same] == b[len(b)-1-same] {
		same++
	}
	add(' ', a[:from])
	x, y := a[from:len(a)-same], b[from:len(b)-same]
	if len(x) == 0 || len(y) == 0 {
		add('-', x)
		add('+', y)
	} else if way, ok := shortest(x, y); ok {
		steps = append(steps, oldBeforeNew(way)...)
	} else {
		add('-', x)
		add('+', y)
	}
	add(' ', a[len(a)-same:])
	return steps
}

// shortest is Myers' greedy algorithm. It gives up beyond maxDistance.
func shortest(a, b []string) ([]step, bool) {
	most := min(len(a)+len(b), maxDistance)
	// reach[most+k] is how far one gets in a on diagonal k, and trail what it
	// was before each round.
	reach := make([]int32, 2*most+2)
	var trail [][]int32
	for d := 0; d <= most; d++ {
		trail = append(trail, slices.Clone(reach[most-d:most+d+2]))
		for k := -d; k <= d; k += 2 {
			i := most + k
			var x int
			if k == -d || k != d && reach[i-1] < reach[i+1] {
				x = int(reach[i+1])
			} else {
				x = int(reach[i-1]) + 1
			}
			y := x - k
			for x < len(a) && y < len(b) && a[x] == b[y] {
				x, y = x+1, y+1
			}
			reach[i] = int32(x)
			if x >= len(a) && y >= len(b) {
				return walkBack(a, b, trail), true
			}
		}
	}
	return nil, false
}

func walkBack(a, b []string, trail [][]int32) []step {
	var back []step
	x, y := len(a), len(b)
	for d := len(trail) - 1; d >= 0; d-- {
		reach := trail[d] // of diagonals -d to d+1
		k := x - y
		at := func(k int) int { return int(reach[k+d]) }
		down := k == -d || k != d && at(k-1) < at(k+1)
		px := 0
		switch {
		case d == 0:
		case down:
			px = at(k + 1)
		default:
			px = at(k-1) + 1
		}
		for x > px && x > 0 && y > 0 {
			x, y = x-1, y-1
			back = append(back, step{' ', a[x]})
		}
		if d == 0 {
			break
		}
		if down {
			y--
			back = append(back, step{'+', b[y]})
		} else {
			x--
			back = append(back, step{'-', a[x]})
		}
	}
	slices.Reverse(back)
	return back
}

// oldBeforeNew sorts the changes between two common lines.
func oldBeforeNew(steps []step) []step {
	for at := 0; at < len(steps); {
		end := at
		for end < len(steps) && steps[end].sign != ' ' {
			end++
		}
		slices.SortStableFunc(steps[at:end], func(a, b step) int { return int(b.sign) - int(a.sign) })
		at = end + 1
	}
	return steps
}
