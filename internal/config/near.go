package config

import "strings"

// Near returns the setting that a name which is none most likely means, or "".
func Near(name string) string { return near(name, allKeys()) }

func near(name string, keys []key) string {
	if len(name) > 60 {
		return "" // longer than all there are
	}
	name = strings.ToLower(name)
	best, at := "", 3
	for _, k := range keys {
		full := strings.ToLower(k.Name)
		for _, known := range []string{full, strings.TrimPrefix(full, "bough."), full[strings.LastIndexByte(full, '.')+1:]} {
			if len(known) < 4 && known != name {
				continue
			}
			d := Slips(name, known)
			if strings.TrimSuffix(strings.TrimSuffix(name, "ms"), "s") == known {
				d = min(d, 1)
			}
			if d < at && d <= len(known)/4 {
				best, at = k.Name, d
			}
		}
	}
	return best
}

// Slips counts the letters that are too many, missing, wrong or swapped.
func Slips(a, b string) int {
	if len(a)-len(b) > 3 || len(b)-len(a) > 3 {
		return 9 // too many to matter
	}
	var before, last, row []int
	for k := range len(b) + 1 {
		last = append(last, k)
	}
	for i := 1; i <= len(a); i++ {
		row = append([]int{i}, make([]int, len(b))...)
		for k := 1; k <= len(b); k++ {
			wrong := 1
			if a[i-1] == b[k-1] {
				wrong = 0
			}
			row[k] = min(last[k]+1, row[k-1]+1, last[k-1]+wrong)
			if i > 1 && k > 1 && a[i-1] == b[k-2] && a[i-2] == b[k-1] {
				row[k] = min(row[k], before[k-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
