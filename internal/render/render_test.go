package render

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/boughdev/bough/internal/golden"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
)

// tree makes trees line by line; each entry is a second later than the one before.
type tree struct {
	*session.Tree
	n int
}

func newTree() *tree { return &tree{Tree: session.NewTree()} }

func (t *tree) add(id, parent string, body session.Body) *tree {
	t.n++
	at := time.Date(2026, 3, 1, 9, 0, t.n, 0, time.UTC)
	t.Add(session.NewEntry(session.ID(id), session.ID(parent), at, body))
	return t
}

func says(m message.Message) session.Body { return session.Message{Message: m} }

func user(s string) session.Body {
	return says(message.Message{Role: message.User, Content: []message.Block{message.Text(s)}})
}

func answer(s string, calls ...message.Block) session.Body {
	m := message.Message{Role: message.Assistant, StopReason: message.Stop}
	if s != "" {
		m.Content = append(m.Content, message.Text(s))
	}
	if len(calls) > 0 {
		m.StopReason = message.ToolUse
	}
	m.Content = append(m.Content, calls...)
	return says(m)
}

func call(id, name, args string) message.Block { return message.ToolCall(id, name, []byte(args)) }

func result(id, name string) session.Body {
	return says(message.Message{Role: message.ToolResult, ToolCallID: id, ToolName: name, Content: []message.Block{message.Text("ok")}})
}

func declares() session.Body {
	text := "You are bough."
	m := message.Message{Role: message.System, IsText: true, Content: []message.Block{message.Text("")}}
	for _, s := range []string{"preamble", "tools", "rules", "cwd"} {
		m.Sections = append(m.Sections, message.Section{Name: s, Text: &text})
	}
	for _, s := range []string{"read", "bash", "edit", "write"} {
		m.ToolsAdded = append(m.ToolsAdded, message.ToolSpec{Name: s, Parameters: []byte(`{}`)})
	}
	return says(m)
}

// counter is the conversation of the specification's samples.
func counter() *tree {
	t := newTree()
	t.add("m", "", session.ModelChange{Provider: "stub", ModelID: "stub-large"})
	t.add("0", "m", declares())
	t.add("1", "0", user("Build a CLI that counts words in files.\nIt must handle UTF-8."))
	t.add("2", "1", answer("I will look at the repository first.", call("c1", "bash", `{"command":"ls -la && git status && echo a very long command line"}`), call("c2", "read", `{"path":"src/main.go"}`)))
	t.add("3", "2", result("c1", "bash"))
	t.add("4", "3", result("c2", "read"))
	t.add("5", "4", answer("There is a main.go. Shall I use cobra or flag?"))
	t.add("6", "5", user("Use the flag package"))
	t.add("6a", "6", answer("", call("c3", "edit", `{"path":"src/main.go","edits":[]}`)))
	t.add("6b", "6a", result("c3", "edit"))
	t.add("7", "6b", answer("Done with flag."))
	t.add("7l", "7", session.Label{Target: "7", Text: "flag-works"})
	t.add("8", "5", session.BranchSummary{From: "7", Summary: "## Goal\nuse **flag**"})
	t.add("9", "8", user("Use cobra instead"))
	t.add("10", "9", answer("OK, cobra it is."))
	return t
}

func draw(t *session.Tree, leaf session.ID, o TreeOptions) string {
	var b strings.Builder
	p := NewPreviews(t)
	for _, r := range TreeRows(t, leaf, o) {
		gutter := "  "
		if r.Leaf {
			gutter = "> "
		}
		label := ""
		if l := t.Label(r.Entry.ID); l != "" {
			label = "[" + l + "] "
		}
		fmt.Fprintln(&b, strings.TrimRight(gutter+r.Prefix+r.Mark+label+p.Of(r.Entry).Row, " "))
	}
	return b.String()
}

func TestTreeRows(t *testing.T) {
	for _, tt := range []struct {
		name string
		tree *tree
		leaf session.ID
		o    TreeOptions
	}{
		{"spine", counter(), "10", TreeOptions{}},
		{"spine_ascii", counter(), "10", TreeOptions{ASCII: true}},
		{"spine_other_leaf", counter(), "7l", TreeOptions{ASCII: true}},
		{"spine_at_branch_point", counter(), "5", TreeOptions{ASCII: true}},
		{"spine_at_the_start", counter(), "0", TreeOptions{ASCII: true}},
		{"classic", counter(), "10", TreeOptions{Layout: Classic}},
		{"classic_ascii", counter(), "7", TreeOptions{Layout: Classic, ASCII: true}},
		{"all", counter(), "10", TreeOptions{ASCII: true, Filter: All}},
		{"no_tools", counter(), "10", TreeOptions{ASCII: true, Filter: NoTools}},
		{"user_only", counter(), "10", TreeOptions{ASCII: true, Filter: UserOnly}},
		{"labeled_only", counter(), "10", TreeOptions{ASCII: true, Filter: LabeledOnly}},
		{"two_roots", counter().add("1b", "0", user("Build a GUI")).add("2b", "1b", answer("No.")), "2b", TreeOptions{ASCII: true}},
		{"two_roots_classic", counter().add("1b", "0", user("Build a GUI")).add("2b", "1b", answer("No.")), "2b", TreeOptions{ASCII: true, Layout: Classic}},
		{"nested", nested(), "f2", TreeOptions{ASCII: true}},
		{"nested_classic", nested(), "f2", TreeOptions{Layout: Classic, ASCII: true}},
		{"narrow", deep(12), "r", TreeOptions{ASCII: true, Width: 30}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			golden.Equal(t, "tree_"+tt.name+".txt", draw(tt.tree.Tree, tt.leaf, tt.o))
		})
	}
}

// nested has side branches of side branches, and the newest of them is a long one.
func nested() *tree {
	t := newTree()
	t.add("a", "", user("a")).add("b", "a", answer("b"))
	t.add("c", "b", user("c: side")).add("c2", "c", answer("c2"))
	t.add("d", "c2", user("d: side of side")).add("d2", "d", answer("d2"))
	t.add("e", "c2", user("e: own line of the side")).add("e2", "e", answer("e2"))
	t.add("f", "b", user("f: path")).add("f2", "f", answer("f2"))
	t.add("g", "b", user("g: another side"))
	return t
}

// deep has a side branch at every entry of a side branch.
func deep(n int) *tree {
	t := newTree()
	t.add("r", "", user("r"))
	at := "r"
	for i := range n {
		id := fmt.Sprint("s", i)
		t.add(id, at, user("side "+id))
		t.add(id+"x", at, user("own line "+id))
		at = id
	}
	return t
}

func TestMarkersAreListedInAllOnly(t *testing.T) {
	tr := newTree()
	tr.add("a", "", user("a")).add("b", "a", answer("b"))
	tr.add("k", "a", session.Custom{CustomType: session.LeafMarker, Data: []byte(`{"v":1}`)})
	if got := draw(tr.Tree, "a", TreeOptions{ASCII: true}); strings.Contains(got, "leaf") {
		t.Errorf("a marker is listed:\n%s", got)
	}
	if got := draw(tr.Tree, "a", TreeOptions{ASCII: true, Filter: All}); !strings.Contains(got, "[custom: bough.leaf]") {
		t.Errorf("the marker is missing in all:\n%s", got)
	}
	if n := len(Next(tr.Tree, "a")); n != 1 {
		t.Errorf("a marker makes a branch: %d ways on", n)
	}
}
