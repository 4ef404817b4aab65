package session

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"
)

func TestFamilies(t *testing.T) {
	s := func(id, path, parent string) Summary { return Summary{ID: id, Path: path, ParentSession: parent} }
	list := []Summary{
		s("a", "/a", ""), s("b", "/b", ""), s("c", "/c", "/a"), s("d", "/d", "/c"), s("e", "/e", "/gone"), s("b", "/b2", ""),
		s("f", "/f", "/b2"), s("", "/x", ""), s("", "/y", ""), s("g", "/g", "/h"), s("h", "/h", "/g"),
	}
	want := [][]int{{0, 2, 3}, {1, 5, 6}, {4}, {7}, {8}, {9, 10}}
	if got := Families(list, nil); !reflect.DeepEqual(got, want) {
		t.Errorf("families %v, want %v", got, want)
	}
}

// The total of any set of forks is the sum of the distinct calls in it.
func TestLedger(t *testing.T) {
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 1))
		cost := map[string]float64{} // by the text of an entry's id and time
		clock := 0
		// Ids collide now and then, in branches and in forks that know nothing of each
		// other, never in one millisecond.
		say := func(parent ID) (ID, string) {
			clock++
			id := ID(fmt.Sprintf("e%d", r.IntN(60)))
			when := time.UnixMilli(1772355600000 + int64(clock)).UTC()
			c := float64(1+r.IntN(1000)) / 1024 // exact in binary
			cost[string(id)+when.String()] = c
			fields := []string{
				`"type":"message","message":{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"x"}],"usage":{"input":1,"cost":{"total":%v}}}`,
				`"type":"message","message":{"role":"toolResult","usage":{"input":1,"cost":{"total":%v}}}`,
				`"type":"usage","usage":{"input":1,"cost":{"total":%v}}`,
				`"type":"compaction","summary":"s","usage":{"input":1,"cost":{"total":%v}}`,
			}[r.IntN(4)]
			p := "null"
			if parent != "" {
				p = `"` + string(parent) + `"`
			}
			return id, fmt.Sprintf(`{"id":"%s","parentId":%s,"timestamp":"%s",`, id, p, FormatTime(when)) + fmt.Sprintf(fields, c) + `}`
		}
		grown := func(lines []string) []string {
			tr := tree(t, lines...)
			leaf := tr.Leaf()
			for range r.IntN(8) {
				id, l := say(leaf)
				if tr.Has(id) {
					continue // an id is not given twice in one session
				}
				lines = append(lines, l)
				tr.Add(decode(t, l)[0])
				leaf = id
			}
			return lines
		}
		family := [][]string{grown(nil)}
		for range 1 + r.IntN(6) {
			from := family[r.IntN(len(family))]
			tr := tree(t, from...)
			var lines []string
			switch path := tr.Path(tr.Leaf()); {
			case len(path) == 0:
			case r.IntN(2) == 0:
				lines = append(lines, from...) // --fork: all branches
			default:
				c, err := tr.CopyBranch(path[r.IntN(len(path))].ID)
				if err != nil {
					t.Fatal(err)
				}
				copied, err := c.Lines()
				if err != nil {
					t.Fatal(err)
				}
				for _, l := range copied {
					lines = append(lines, string(l))
				}
			}
			family = append(family, grown(lines))
		}
		var l Ledger
		distinct := map[string]float64{}
		sum := Stats{}
		billed, tally := map[BillKey]bool{}, Tally{}
		for _, i := range r.Perm(len(family))[:1+r.IntN(len(family))] {
			tr := tree(t, family[i]...)
			for e := range tr.Log() {
				distinct[string(e.ID)+e.Time.String()] = cost[string(e.ID)+e.Time.String()]
			}
			for k, b := range BillsOf(billsDumpOf(family[i])) {
				if !billed[k] {
					billed[k] = true
					tally.Add(b)
				}
			}
			own, err := l.Add(tr)
			if err != nil {
				t.Fatal(err)
			}
			sum = sum.Plus(own)
			if again, err := l.Add(tr); err != nil || again != (Stats{}) {
				t.Fatalf("seed %d: counted again: %+v, %v", seed, again, err)
			}
		}
		want := 0.0
		for _, c := range distinct {
			want += c
		}
		if got := l.Total(); got.Cost != want || got.Input != float64(len(distinct)) || got != sum {
			t.Fatalf("seed %d: %+v, want cost %v of %d calls; the parts come to %+v", seed, got, want, len(distinct), sum)
		}
		if tally.Cost != want || tally.Calls != len(distinct) {
			t.Fatalf("seed %d: the bills come to %+v, want cost %v of %d calls", seed, tally, want, len(distinct))
		}
	}
}
