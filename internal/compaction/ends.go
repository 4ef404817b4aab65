package compaction

import "github.com/boughdev/bough/internal/rawjson"

func len16(s string) int { return rawjson.UTF16Len(s) }

// firstUnits returns how many bytes of s are its first UTF-16 units, n of them at
// most; no character is split.
func firstUnits(s string, n int) int {
	for i, c := range s {
		if n--; c > 0xFFFF {
			n--
		}
		if n < 0 {
			return i
		}
	}
	return len(s)
}

// lastUnits returns where the last n UTF-16 units of s begin, at most.
func lastUnits(s string, n int) int {
	whole := len16(s)
	if whole <= n {
		return 0
	}
	at := firstUnits(s, whole-n)
	if len16(s[at:]) > n {
		at = firstUnits(s, whole-n+1) // behind the character on the border
	}
	return at
}
