package render_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
)

// wild makes a tree of messages at random.
func wild(r *rand.Rand, n int) (*session.Tree, session.ID) {
	t := session.NewTree()
	ids := []session.ID{""}
	for i := range n {
		id := session.ID(fmt.Sprintf("e%d", i))
		m := message.Message{Role: message.User, Content: []message.Block{message.Text(fmt.Sprint("text ", i))}}
		if i%2 == 1 {
			m.Role, m.StopReason = message.Assistant, message.Stop
		}
		parent := ids[len(ids)-1]
		if r.IntN(4) == 0 {
			parent = ids[r.IntN(len(ids))]
		}
		t.Add(session.NewEntry(id, parent, time.Unix(int64(i), 0), session.Message{Message: m}))
		ids = append(ids, id)
	}
	return t, ids[r.IntN(len(ids))]
}

// Of a tree with folds just those rows are missing that hang on folded ones, the
// others are as they were, and each folded row says how many it hides.
func TestFoldsLaw(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 0))
		tree, leaf := wild(r, 40)
		o := render.TreeOptions{Layout: render.Layout(seed % 2)}
		all := render.TreeRows(tree, leaf, o)
		o.Folded = map[session.ID]bool{}
		hidden := map[session.ID]bool{}
		for i, row := range all {
			if row.Above >= i || row.Above >= 0 && all[row.Above].Entry.ID == row.Entry.ID {
				t.Fatalf("seed %d: row %d hangs on row %d", seed, i, row.Above)
			}
			if row.Folds && r.IntN(3) == 0 {
				o.Folded[row.Entry.ID] = true
			}
		}
		for _, row := range all {
			if row.Above >= 0 {
				up := all[row.Above].Entry.ID
				hidden[row.Entry.ID] = hidden[up] || o.Folded[up]
			}
		}
		var want, got []string
		for _, row := range all {
			if !hidden[row.Entry.ID] {
				want = append(want, string(row.Entry.ID))
			}
		}
		inside := 0
		for _, row := range render.TreeRows(tree, leaf, o) {
			got = append(got, string(row.Entry.ID))
			if inside += row.Inside; row.Folded != o.Folded[row.Entry.ID] {
				t.Errorf("seed %d: %s folded: %v", seed, row.Entry.ID, row.Folded)
			}
		}
		if !slices.Equal(got, want) || inside != len(all)-len(got) {
			t.Fatalf("seed %d: %v, want %v; %d inside", seed, got, want, inside)
		}
	}
}

// A search keeps what it found, and besides only places where branches part or begin.
func TestPointsLaw(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 1))
		tree, leaf := wild(r, 40)
		found := map[session.ID]bool{}
		for e := range tree.All() {
			found[e.ID] = r.IntN(6) == 0
		}
		rows := render.TreeRows(tree, leaf, render.TreeOptions{Points: true, Match: func(e *session.Entry) bool { return found[e.ID] }})
		seen := map[session.ID]bool{}
		for _, row := range rows {
			seen[row.Entry.ID] = true
			up := session.ID("")
			if p := tree.Parent(row.Entry.ID); p != nil {
				up = p.ID
			}
			if row.Point == found[row.Entry.ID] || row.Point && len(tree.Children(row.Entry.ID)) < 2 && len(tree.Children(up)) < 2 && up != "" {
				t.Errorf("seed %d: %s: point %v, found %v", seed, row.Entry.ID, row.Point, found[row.Entry.ID])
			}
		}
		for id, is := range found {
			if is && !seen[id] {
				t.Errorf("seed %d: %s was found and is not listed", seed, id)
			}
		}
	}
}

// What is near the leaf is drawn as in the whole tree.
func TestFromAnEntry(t *testing.T) {
	tree, _ := wild(rand.New(rand.NewPCG(3, 0)), 60)
	leaf := session.ID("e59")
	path := tree.Path(leaf)
	from := path[len(path)/2].ID
	var want []string
	under := map[session.ID]bool{}
	for e := range render.Subtree(tree, from) {
		under[e.ID] = true
	}
	for _, row := range render.TreeRows(tree, leaf, render.TreeOptions{}) {
		if under[row.Entry.ID] {
			want = append(want, row.Prefix+row.Mark+string(row.Entry.ID))
		}
	}
	var got []string
	for _, row := range render.TreeRows(tree, leaf, render.TreeOptions{From: from}) {
		got = append(got, row.Prefix+row.Mark+string(row.Entry.ID))
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s\n\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if rows := render.TreeRows(tree, leaf, render.TreeOptions{From: from, Most: 3}); len(rows) != 3 {
		t.Errorf("%d rows, want 3", len(rows))
	}
}

func TestFiltersOfBranchesAndErrors(t *testing.T) {
	tree := session.NewTree()
	say := func(id, parent string, m message.Message) {
		tree.Add(session.NewEntry(session.ID(id), session.ID(parent), time.Unix(0, 0), session.Message{Message: m}))
	}
	text := func(r message.Role, s string) message.Message {
		return message.Message{Role: r, StopReason: message.Stop, Content: []message.Block{message.Text(s)}}
	}
	failed := text(message.Assistant, "x")
	failed.StopReason = message.Failed
	tool := text(message.ToolResult, "no")
	tool.IsError = true
	code := 1
	say("a", "", text(message.User, "a"))
	say("b", "a", text(message.Assistant, "b"))
	say("c", "b", text(message.User, "c"))
	say("d", "c", text(message.Assistant, "d"))
	say("e", "d", tool)
	say("f", "e", message.Message{Role: message.Bash, Command: "false", ExitCode: &code})
	say("g", "f", failed)
	say("h", "d", text(message.User, "h"))
	say("i", "h", text(message.Assistant, "i"))
	say("j", "i", text(message.User, "j"))
	for filter, want := range map[render.Filter]string{render.Branches: "a d e g h j", render.Errors: "e f g"} {
		var got []string
		for _, row := range render.TreeRows(tree, "j", render.TreeOptions{Filter: filter}) {
			got = append(got, string(row.Entry.ID))
		}
		if slices.Sort(got); strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s", filter, got, want)
		}
	}
	f := render.FactsOf(render.Subtree(tree, "e"))
	if f.Entries != 3 || f.Turns != 0 || !f.Bad || f.Last.ID != "g" {
		t.Errorf("facts %+v", f)
	}
	if turns := render.TurnsOf(tree.Path("j"), render.IsSilent); len(turns) != 4 || turns[1].Said.ID != "c" || turns[1].Answer.ID != "d" || turns[3].Answer != nil {
		t.Errorf("turns %+v", turns)
	}
	var turn []string
	for _, e := range render.TurnAt(tree, "c", "g") {
		turn = append(turn, string(e.ID))
	}
	if got := strings.Join(turn, " "); got != "c d e f g" {
		t.Errorf("the turn of c is %s", got)
	}
}
