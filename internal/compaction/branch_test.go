package compaction

import (
	"fmt"
	"strings"
	"testing"

	"github.com/boughdev/bough/session"
)

// abandoned is the path of the worked example of docs/spec/session.md 8.
func abandoned(t *testing.T) *session.Tree {
	tree, _ := path(t, "U:A:1", "A:B:1", "U:C:1", "A:D:1",
		`{"type":"compaction","summary":"xxxx","firstKeptEntryId":"A","details":{"readFiles":["cr"],"modifiedFiles":["cm"]}}`,
		"U:E:1",
		`{"type":"message","message":{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"edit","arguments":{"path":"f.go"}}]}}`,
		"R:R:1",
		`{"type":"label","targetId":"A","label":"x"}`)
	e, err := session.Decode([]byte(`{"type":"message","id":"X","parentId":"B","message":{"role":"user","content":"xxxx"}}`), session.Line{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	tree.Add(e)
	return tree
}

func TestLeft(t *testing.T) {
	tree := abandoned(t)
	for _, tt := range []struct {
		name        string
		old, target session.ID
		left        string
		ancestor    session.ID
	}{
		{"up to an answer", "e8", "B", "C D e4 E e6 R e8", "B"},
		{"up to a question, which stays", "e8", "C", "D e4 E e6 R e8", "C"},
		{"up to the root", "e8", "A", "B C D e4 E e6 R e8", "A"},
		{"down leaves nothing", "B", "e8", "", "B"},
		{"across", "X", "E", "X", "B"},
		{"from the start leaves nothing", "", "E", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			entries, ancestor := Left(tree, tt.old, tt.target)
			var ids []string
			for _, e := range entries {
				ids = append(ids, string(e.ID))
			}
			if got := strings.Join(ids, " "); got != tt.left || ancestor != tt.ancestor {
				t.Errorf("left %q below %q, want %q below %q", got, ancestor, tt.left, tt.ancestor)
			}
		})
	}
}

func TestBranchPlan(t *testing.T) {
	tree := abandoned(t)
	entries, _ := Left(tree, "e8", "B")
	b, err := MeasureBranch(new(session.Projector), entries, nil)
	if err != nil {
		t.Fatal(err)
	}
	edit := b.size[len(b.size)-1] // the call of edit
	for _, tt := range []struct {
		name   string
		budget int64
		want   string
	}{
		{"no budget takes all but results and bookkeeping", 0, "C D e4 E e6"},
		{"a budget for the last only", edit, "e6"},
		{"and one for one more", edit + 1, "E e6"},
		{"a summary no longer fits", edit + 1, "E e6"},
		{"a budget that is too small for anything", 1, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := b.Plan(tt.budget)
			var ids []string
			for _, it := range p.Items {
				ids = append(ids, string(it.Entry.ID))
			}
			if got := strings.Join(ids, " "); got != tt.want {
				t.Errorf("items %q, want %q", got, tt.want)
			}
			if got := fmt.Sprint(p.Files.Edited, p.Files.Read); got != "[f.go] []" {
				t.Errorf("files %s, want f.go alone: those of a compaction are not inherited", got)
			}
		})
	}
}

func TestASummaryIsTakenWhileATenthOfTheBudgetIsLeft(t *testing.T) {
	for _, tt := range []struct {
		name string
		size int // of the newest message
		want int
	}{
		{"less than nine tenths used", 8, 2},
		{"nine tenths used", 9, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, entries := path(t, "U:a:1", `{"type":"branch_summary","fromId":"root","summary":"`+strings.Repeat("x", 400)+`","details":{"modifiedFiles":["z.go"]}}`, fmt.Sprintf("U:b:%d", tt.size))
			b, err := MeasureBranch(new(session.Projector), entries, nil)
			if err != nil {
				t.Fatal(err)
			}
			p := b.Plan(10)
			if len(p.Items) != tt.want {
				t.Errorf("%d items, want %d", len(p.Items), tt.want)
			}
			if fmt.Sprint(p.Files.Edited) != "[z.go]" {
				t.Errorf("edited %v: the files of a summary count whether it is taken or not", p.Files.Edited)
			}
		})
	}
}
