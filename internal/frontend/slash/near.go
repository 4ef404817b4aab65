package slash

import "strings"

// nearest returns the command that a mistyped name most likely means, or "".
func nearest(name string) string {
	name = strings.ToLower(name)
	best, at := "", 3
	for _, s := range commands {
		for _, n := range []string{s.Name, s.Alias} {
			if n == "" {
				continue
			}
			if d := distance(name, n); d < at && d <= allowed(n) {
				best, at = s.Name, d
			}
		}
	}
	if best != "" || len(name) < 2 {
		return best
	}
	for _, s := range commands {
		if strings.HasPrefix(s.Name, name) {
			if best != "" {
				return "" // it may be either
			}
			best = s.Name
		}
	}
	return best
}

// allowed is how many slips a name of that length may have.
func allowed(name string) int {
	if len(name) <= 4 {
		return 1
	}
	return 2
}

// distance counts the slips between two words: a letter too many, missing or
// wrong, or two letters in the wrong order.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	rows := make([][]int, len(x)+1)
	for i := range rows {
		rows[i] = make([]int, len(y)+1)
		rows[i][0] = i
	}
	for k := range rows[0] {
		rows[0][k] = k
	}
	for i := 1; i <= len(x); i++ {
		for k := 1; k <= len(y); k++ {
			wrong := 1
			if x[i-1] == y[k-1] {
				wrong = 0
			}
			rows[i][k] = min(rows[i-1][k]+1, rows[i][k-1]+1, rows[i-1][k-1]+wrong)
			if i > 1 && k > 1 && x[i-1] == y[k-2] && x[i-2] == y[k-1] {
				rows[i][k] = min(rows[i][k], rows[i-2][k-2]+1)
			}
		}
	}
	return rows[len(x)][len(y)]
}
