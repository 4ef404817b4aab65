package session

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestTree(t *testing.T) {
	m := func(id, parent string) string { return userLine(id, parent, id) }
	at := func(id, parent, time string) string {
		return strings.Replace(m(id, parent), "09:00:00", time, 1)
	}
	for _, tt := range []struct {
		name  string
		lines []string
		roots string
		kids  string // of "a"
		path  string // to the last
	}{
		{"a line of three", []string{m("a", ""), m("b", "a"), m("c", "b")}, "a", "b", "a b c"},
		{"children by time", []string{m("a", ""), at("b", "a", "09:00:09"), at("c", "a", "09:00:01")}, "a", "c b", "a c"},
		{"equal times in the order of the log", []string{m("a", ""), m("c", "a"), m("b", "a")}, "a", "c b", "a b"},
		{"a child before its parent", []string{m("b", "a"), m("a", "")}, "a", "b", "a"},
		{"a lost parent", []string{m("a", "lost"), m("b", "a")}, "a", "b", "a b"},
		{"its own parent", []string{m("a", "a"), m("b", "a")}, "a", "b", "a b"},
		{"two that are each other's parent", []string{m("a", "b"), m("b", "a")}, "a", "b", "a b"},
		{"a path that ends before an entry would come twice", []string{m("a", "c"), m("b", "a"), m("c", "b")}, "a", "b", "a b c"},
		{"a repeated id in the place of the first, with what the last says", []string{m("r", ""), m("a", "r"), m("b", "a"), m("a", "")}, "r a", "b", "a"},
		{"a repeated id that closes a cycle", []string{m("a", ""), m("b", "a"), m("a", "b")}, "a", "b", "b a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tr := tree(t, tt.lines...)
			if got := ids(tr.Roots()); got != tt.roots {
				t.Errorf("roots %s, want %s", got, tt.roots)
			}
			if got := ids(tr.Children("a")); got != tt.kids {
				t.Errorf("children %s, want %s", got, tt.kids)
			}
			if got := ids(tr.Path(tr.Last().ID)); got != tt.path {
				t.Errorf("path %s, want %s", got, tt.path)
			}
		})
	}
}

func TestLabels(t *testing.T) {
	set := func(id, target, text string) string {
		return line(id, "", `"type":"label","targetId":"`+target+`","label":"`+text+`"`)
	}
	clear := func(id, target string) string { return line(id, "", `"type":"label","targetId":"`+target+`"`) }
	a, b := userLine("a", "", "a"), userLine("b", "a", "b")
	for _, tt := range []struct {
		name  string
		lines []string
		want  string
	}{
		{"the last label counts, in the place of the first", []string{a, b, set("1", "a", "x"), set("2", "b", "y"), set("3", "a", "z")}, "a=z b=y"},
		{"a cleared label begins anew", []string{a, b, set("1", "a", "x"), set("2", "b", "y"), clear("3", "a"), set("4", "a", "z")}, "b=y a=z"},
		{"an empty label clears", []string{a, set("1", "a", "x"), set("2", "a", "")}, ""},
		{"a label on nothing is not shown", []string{a, set("1", "lost", "x")}, ""},
		{"a label may come before its target", []string{set("1", "a", "x"), a}, "a=x"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, l := range tree(t, tt.lines...).Labels() {
				got = append(got, string(l.Target)+"="+l.Text)
			}
			if s := strings.Join(got, " "); s != tt.want {
				t.Errorf("labels %q, want %q", s, tt.want)
			}
		})
	}
}

// From the roots down each id is reached once, whatever the lines say.
func TestTreeReachesEachIDOnce(t *testing.T) {
	for seed := range uint64(300) {
		tr := tree(t, grow(rand.New(rand.NewPCG(seed, 0)), 40, true)...)
		reached := map[ID]int{}
		var down func(e *Entry)
		down = func(e *Entry) {
			if reached[e.ID]++; reached[e.ID] > 1 {
				t.Fatalf("seed %d: %s is reached twice", seed, e.ID)
			}
			for _, k := range tr.Children(e.ID) {
				if p := tr.Parent(k.ID); p != e {
					t.Fatalf("seed %d: %s is a child of %s, but has the parent %v", seed, k.ID, e.ID, p)
				}
				down(k)
			}
		}
		for _, root := range tr.Roots() {
			down(root)
		}
		if len(reached) != tr.Len() {
			t.Fatalf("seed %d: %d of %d ids are reached", seed, len(reached), tr.Len())
		}
	}
}

// A tree that is asked after each line says in the end what one says that is
// asked once.
func TestTreeGrowsAsItIsRead(t *testing.T) {
	show := func(tr *Tree) string {
		var b strings.Builder
		fmt.Fprintln(&b, ids(tr.Roots()))
		for e := range tr.All() {
			fmt.Fprintf(&b, "%s: %s; %s\n", e.ID, ids(tr.Children(e.ID)), ids(tr.Path(e.ID)))
		}
		return b.String()
	}
	for seed := range uint64(100) {
		entries := decode(t, grow(rand.New(rand.NewPCG(seed, 1)), 25, seed%2 == 0)...)
		asked, once := NewTree(), NewTree()
		for _, e := range entries {
			asked.Add(e)
			show(asked)
			once.Add(e)
		}
		if got, want := show(asked), show(once); got != want {
			t.Fatalf("seed %d:\n%s\nwant\n%s", seed, got, want)
		}
	}
}

// The common ancestor is on both paths, and no entry below it is.
func TestCommonAncestor(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 2))
		tr := tree(t, grow(r, 30, false)...)
		all := slices.Collect(tr.All())
		a, b := all[r.IntN(len(all))].ID, all[r.IntN(len(all))].ID
		anc := tr.CommonAncestor(a, b)
		pa, pb := tr.Path(a), tr.Path(b)
		n := 0
		for n < len(pa) && n < len(pb) && pa[n] == pb[n] {
			n++
		}
		want := ID("")
		if n > 0 {
			want = pa[n-1].ID
		}
		if anc != want {
			t.Fatalf("seed %d: common ancestor of %s and %s is %q, want %q", seed, a, b, anc, want)
		}
		if got := tr.Below(anc, a); !slices.Equal(got, pa[n:]) {
			t.Fatalf("seed %d: below %q to %s lie %v, want %v", seed, anc, a, got, pa[n:])
		}
	}
}
