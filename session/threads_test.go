package session

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

func march(day int) time.Time { return time.Date(2026, 3, day, 0, 0, 0, 0, time.UTC) }

// drawn writes threads as indented names.
func drawn(ts []Thread) string {
	var b strings.Builder
	for _, t := range ts {
		b.WriteString(strings.Repeat(">", t.Depth) + t.ID + " ")
	}
	return strings.TrimSpace(b.String())
}

func TestThreads(t *testing.T) {
	s := func(id, parent string, created, modified int) Summary {
		return Summary{ID: id, Path: "/s/" + id, ParentSession: parent, Created: march(created), Modified: march(modified)}
	}
	for _, tt := range []struct {
		name, want string
		list       []Summary
	}{
		{"by activity", "b a", []Summary{s("a", "", 1, 5), s("b", "", 1, 6)}},
		{"a fork below its source", "a >b c", []Summary{s("c", "", 1, 4), s("b", "/s/a", 2, 3), s("a", "", 1, 5)}},
		{"activity below lifts what is above", "a >b >>d c", []Summary{s("a", "", 1, 1), s("b", "/s/a", 1, 1), s("c", "", 1, 8), s("d", "/s/b", 1, 9)}},
		{"siblings by what is below them", "a >c >>d >b", []Summary{s("a", "", 1, 1), s("b", "/s/a", 1, 5), s("c", "/s/a", 1, 2), s("d", "/s/c", 1, 6)}},
		{"a parent that is not there", "a", []Summary{s("a", "/s/gone", 1, 1)}},
		{"its own parent", "a", []Summary{s("a", "/s/a", 1, 1)}},
		{"a circle breaks at the oldest", "b >c >>a >>>d", []Summary{s("a", "/s/c", 3, 1), s("b", "/s/a", 1, 1), s("c", "/s/b", 2, 1), s("d", "/s/a", 9, 1)}},
		{"paths in another form", "a >b", []Summary{s("a", "", 1, 1), s("b", "/S/A", 1, 2)}},
		{"nothing", "", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := Threads(tt.list, strings.ToLower)
			if d := drawn(got); d != tt.want {
				t.Errorf("threads %s, want %s", d, tt.want)
			}
		})
	}
}

// Every session stands there once, below its parent unless that closes a circle, and
// the last of siblings is marked.
func TestThreadsHaveAll(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		var list []Summary
		for i := range 1 + r.IntN(30) {
			list = append(list, Summary{ID: fmt.Sprint(i), Path: fmt.Sprint("/", i), ParentSession: fmt.Sprint("/", r.IntN(40)),
				Created: march(r.IntN(9)), Modified: march(r.IntN(9))})
		}
		got := Threads(list, nil)
		seen := map[string]bool{}
		var path []Thread
		for i, th := range got {
			if seen[th.ID] {
				t.Fatalf("seed %d: %s twice", seed, th.ID)
			}
			seen[th.ID] = true
			path = append(path[:th.Depth], th)
			if th.Depth > 0 && path[th.Depth-1].Path != th.ParentSession {
				t.Fatalf("seed %d: %s stands below %s", seed, th.ID, path[th.Depth-1].ID)
			}
			last := true
			for _, next := range got[i+1:] {
				if next.Depth <= th.Depth {
					last = next.Depth < th.Depth
					break
				}
			}
			if th.Last != last {
				t.Fatalf("seed %d: %s last: %v", seed, th.ID, th.Last)
			}
		}
		if len(got) != len(list) {
			t.Fatalf("seed %d: %d of %d", seed, len(got), len(list))
		}
	}
}
