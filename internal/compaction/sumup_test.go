package compaction

import (
	"strings"
	"testing"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/session"
)

// left measures what the worked example of docs/spec/session.md 8 leaves behind.
func left(t *testing.T, tree *session.Tree, old, target session.ID) *Branch {
	t.Helper()
	entries, _ := Left(tree, old, target)
	b, err := MeasureBranch(new(session.Projector), entries, nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestSumUp(t *testing.T) {
	b := left(t, abandoned(t), "e8", "B")
	const talk = "[User]: xxxx\n\n[Assistant]: xxxx\n\n[User]: " + message.CompactionIntro + "\n\n<summary>\nxxxx\n</summary>\n\n[User]: xxxx\n\n[Assistant tool calls]: edit(path=\"f.go\")"
	for _, tt := range []struct {
		name  string
		o     BranchOptions
		holds []string
		lacks string
	}{
		{"as usual", BranchOptions{}, []string{"## Goal", "## Next Steps"}, "above all"},
		{"with a focus", BranchOptions{Instructions: "the price"}, []string{"## Goal", "above all: the price"}, ""},
		{"told otherwise", BranchOptions{Instructions: "Say it in one word.", Replace: true}, []string{"</conversation>\n\nSay it in one word."}, "## Goal"},
		{"replaced by nothing", BranchOptions{Replace: true}, []string{"## Goal"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := &replies{list: []reply{{text: "Tried it.", stop: message.Stop}}}
			got, err := b.SumUp(t.Context(), Asker{Model: m}, tt.o)
			if err != nil {
				t.Fatal(err)
			}
			if want := branchIntro + "Tried it.\n\n<modified-files>\nf.go\n</modified-files>"; got.Summary != want {
				t.Errorf("summary %q, want %q", got.Summary, want)
			}
			if string(got.Details) != `{"readFiles":[],"modifiedFiles":["f.go"]}` || got.FromHook || got.Usage == nil {
				t.Errorf("%s, %+v", got.Details, got)
			}
			asked := m.asked[0].Messages[1].Text("")
			if want := "<conversation>\n" + talk + "\n</conversation>\n\n"; !strings.HasPrefix(asked, want) {
				t.Errorf("asked %q, want it to begin with %q", asked, want)
			}
			for _, s := range tt.holds {
				if !strings.Contains(asked, s) {
					t.Errorf("asked %q, which lacks %q", asked, s)
				}
			}
			if tt.lacks != "" && strings.Contains(asked, tt.lacks) {
				t.Errorf("asked %q, with %q", asked, tt.lacks)
			}
		})
	}
}

func TestNothingIsSummedUp(t *testing.T) {
	tree, _ := path(t, "U:A:1", `{"type":"label","targetId":"A","label":"x"}`, `{"type":"message","message":{"role":"system","content":"be good"}}`,
		`{"type":"model_change","provider":"p","modelId":"m"}`)
	b := left(t, tree, tree.Leaf(), "A")
	if got, err := b.SumUp(t.Context(), Asker{Model: &replies{}}, BranchOptions{}); got != nil || err != nil {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestASmallWindow(t *testing.T) {
	tree, _ := path(t, "U:A:1", `{"type":"message","message":{"role":"user","content":"`+strings.Repeat("早上好", 3000)+`"}}`)
	b := left(t, tree, tree.Leaf(), "A")
	tooLong := &provider.Error{Kind: provider.Overflow, Message: "too long"}
	m := &replies{list: []reply{{err: tooLong}, {err: tooLong}, {text: "Greetings.", stop: message.Stop}}}
	got, err := b.SumUp(t.Context(), Asker{Model: m}, BranchOptions{Reserve: 16384})
	if err != nil || !strings.Contains(got.Summary, "Greetings.") || got.Usage.Input != 12 {
		t.Fatalf("%+v, %v", got, err)
	}
	size := func(i int) int { return len(m.asked[i].Messages[1].Text("")) }
	if !strings.Contains(m.asked[0].Messages[1].Text(""), "\n[...]\n") || strings.Contains(m.asked[2].Messages[1].Text(""), "\uFFFD") || size(2) >= size(1) || size(1) >= size(0) {
		t.Errorf("sizes %d, %d, %d: %q", size(0), size(1), size(2), m.asked[2].Messages[1].Text(""))
	}
	m = &replies{list: []reply{{err: tooLong}, {err: tooLong}, {err: tooLong}, {err: tooLong}}}
	if got, err := b.SumUp(t.Context(), Asker{Model: m}, BranchOptions{}); got != nil || provider.KindOf(err) != provider.Overflow || len(m.list) != 0 {
		t.Errorf("%+v, %v, %d left", got, err, len(m.list))
	}
}

func TestBudget(t *testing.T) {
	for _, tt := range []struct{ window, reserve, want int64 }{
		{200000, 16384, 183616}, {0, 16384, 128000 - 16384}, {8192, 16384, 4096}, {1, 5, 1}, {20000, 16384, 10000},
	} {
		if got := budgetOf(tt.window, tt.reserve); got != tt.want {
			t.Errorf("budgetOf(%d, %d) = %d, want %d", tt.window, tt.reserve, got, tt.want)
		}
	}
}
