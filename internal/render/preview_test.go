package render

import (
	"testing"
	"time"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
)

func TestPreviews(t *testing.T) {
	one := 1
	note := "x"
	image := message.Block{Type: message.ImageBlock, Data: "AA==", MimeType: "image/png"}
	said := func(m message.Message) session.Body { return session.Message{Message: m} }
	text := func(s string) []message.Block { return []message.Block{message.Text(s)} }
	for _, tt := range []struct {
		name string
		body session.Body
		want Preview
	}{
		{"a user", user("a\n b"), Preview{Who: "user", Text: "a b", Row: "user: a b"}},
		{"a user with images", said(message.Message{Role: message.User, Content: []message.Block{message.Text("look"), image, image}}),
			Preview{Who: "user", Text: "look [2 images]", Row: "user: look [2 images]"}},
		{"just an image", said(message.Message{Role: message.User, Content: []message.Block{image}}),
			Preview{Who: "user", Text: "[1 image]", Row: "user: [1 image]"}},
		{"hostile words", user("\x1b]0;x\x07a\u202eb"), Preview{Who: "user", Text: "a<U+202E>b", Row: "user: a<U+202E>b"}},
		{"an answer", answer("yes"), Preview{Who: "assistant", Text: "yes", Row: "assistant: yes"}},
		{"an answer that calls", answer("so", call("1", "read", `{}`), call("2", "bash", `{}`), call("3", "read", `{}`)),
			Preview{Who: "assistant", Text: "so", Calls: "read x2, bash", Row: "assistant: so"}},
		{"an answer of calls", answer("", call("1", "read", `{}`)), Preview{Who: "assistant", Calls: "read", Row: "assistant: -> read"}},
		{"an empty answer", answer(""), Preview{Who: "assistant", Text: "(no content)", Row: "assistant: (no content)"}},
		{"an aborted answer", said(message.Message{Role: message.Assistant, StopReason: message.Aborted}),
			Preview{Who: "assistant", Row: "assistant: (aborted)", Mark: "aborted"}},
		{"a failed answer", said(message.Message{Role: message.Assistant, StopReason: message.Failed, ErrorMessage: "503: busy"}),
			Preview{Who: "assistant", Text: "503: busy", Row: "assistant: 503: busy", Mark: "error"}},
		{"a cut answer", said(message.Message{Role: message.Assistant, StopReason: message.Length, Content: text("and")}),
			Preview{Who: "assistant", Text: "and", Row: "assistant: and", Mark: "cut"}},
		{"a result without a call", result("nope", "read"), Preview{Who: "tool", Text: "read", Row: "[tool read]"}},
		{"a command", said(message.Message{Role: message.Bash, Command: "ls\n-l", ExitCode: &one}),
			Preview{Who: "bash", Text: "ls -l", Row: "[bash]: ls -l", Mark: "exit 1"}},
		{"a command kept from the model", said(message.Message{Role: message.Bash, Command: "ls", Cancelled: true, ExcludeFromContext: true}),
			Preview{Who: "bash", Text: "ls", Row: "[bash]: ls", Mark: "cancelled", Dim: true}},
		{"a changed prompt", said(message.Message{Role: message.System, Sections: []message.Section{{Name: "skills", Text: &note}, {Name: "docs"}},
			ToolsAdded: []message.ToolSpec{{Name: "a"}, {Name: "b"}}, ToolsRemoved: []string{"c"}}),
			Preview{Who: "system", Text: "instructions (1 section, 2 tools)", Row: "[system: tools +2 -1, skills changed, docs removed]"}},
		{"a compaction", session.Compaction{Summary: "# Goal\n**count**", TokensBefore: 98765},
			Preview{Who: "compaction", Text: "99k tokens -> Goal count", Row: "[compaction: 99k tokens] Goal count"}},
		{"a branch summary", session.BranchSummary{Summary: "> used `flag`"}, Preview{Who: "summary", Text: "used flag", Row: "[branch summary]: used flag"}},
		{"a branch summary behind its introduction", session.BranchSummary{Summary: "They went elsewhere.\nThis is what came of it:\n\n## Goal\nuse it"}, Preview{Who: "summary", Text: "Goal use it", Row: "[branch summary]: Goal use it"}},
		{"a summary that begins like one", session.BranchSummary{Summary: "Tried:\n\nuse it"}, Preview{Who: "summary", Text: "Tried: use it", Row: "[branch summary]: Tried: use it"}},
		{"what was taken from another branch", session.CustomMessage{CustomType: "bough.take", Content: text("From another branch of this conversation, the assistant:\n\nIt is 7.")}, Preview{Who: "taken", Text: "the assistant: It is 7.", Row: "[taken]: the assistant: It is 7."}},
		{"words of an extension", session.CustomMessage{CustomType: "todo", Content: text("one")}, Preview{Who: "custom", Text: "todo: one", Row: "[todo]: one"}},
		{"a model", session.ModelChange{Provider: "p", ModelID: "m"}, Preview{Row: "[model: m]"}},
		{"a thinking level", session.ThinkingChange{Level: "high"}, Preview{Row: "[thinking: high]"}},
		{"a label", session.Label{Target: "root", Text: "x"}, Preview{Row: "[label: x]"}},
		{"a label taken away", session.Label{Target: "root"}, Preview{Row: "[label: cleared]"}},
		{"a name", session.Info{Name: "n"}, Preview{Row: "[title: n]"}},
		{"a name taken away", session.Info{}, Preview{Row: "[title: empty]"}},
		{"data of an extension", session.Custom{CustomType: "x.y", Data: []byte(`1`)}, Preview{Row: "[custom: x.y]"}},
		{"an entry that is left out", session.ContextEdit{Target: "root", Omit: true}, Preview{Row: "[context omit: user: root]"}},
		{"an entry with other words", session.ContextEdit{Target: "gone", Content: []byte(`"x"`)}, Preview{Row: "[context replace: gone]"}},
		{"a type of tomorrow", session.Other{Type: "hologram"}, Preview{Row: "[hologram]", Dim: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tr := newTree()
			tr.add("sys", "", declares()).add("root", "sys", user("root")).add("x", "root", tt.body)
			if got := NewPreviews(tr.Tree).Of(tr.Get("x")); got != tt.want {
				t.Errorf("preview %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestRowsOfTools(t *testing.T) {
	for _, tt := range []struct{ tool, args, line, row string }{
		{"read", `{"path":"src/main.go"}`, "read src/main.go", "[read: src/main.go]"},
		{"read", `{"path":"a","offset":3,"limit":18}`, "read a:3-20", "[read: a:3-20]"},
		{"read", `{"path":"a","limit":"20"}`, "read a:1-20", "[read: a:1-20]"},
		{"read", `{"path":"a","offset":7}`, "read a:7", "[read: a:7]"},
		{"read", `{"file_path":"a"}`, "read a", "[read: a]"},
		{"read", `{}`, "read", "[read]"},
		{"write", `{"path":"a b","content":"x"}`, "write a b", "[write: a b]"},
		{"edit", `{"path":"a","edits":[]}`, "edit a", "[edit: a]"},
		{"bash", `{"command":"go test ./...\n"}`, "bash go test ./...", "[bash: go test ./...]"},
		{"bash", `{"command":"1234567890123456789012345678901234567890123456789012345"}`, "bash 1234567890123456789012345678901234567890123456789012345",
			"[bash: 12345678901234567890123456789012345678901234567890...]"},
		{"grep", `{"pattern":"x","path":"src"}`, "grep /x/ in src", "[grep: /x/ in src]"},
		{"grep", `{"pattern":"x"}`, "grep /x/", "[grep: /x/]"},
		{"find", `{"pattern":"*.go","path":"src"}`, "find *.go in src", "[find: *.go in src]"},
		{"ls", `{}`, "ls .", "[ls: .]"},
		{"weather", `{"city":"Paris","days":[1,2,3],"units":"metric"}`, `weather {"city":"Paris","days":[1,2,3],"units":"metric"}`,
			`[weather: {"city":"Paris","days":[1,2,3],"units":"...]`},
	} {
		t.Run(tt.row, func(t *testing.T) {
			tr := newTree()
			tr.add("a", "", user("a")).add("b", "a", answer("", call("c", tt.tool, tt.args), call("d", "ls", `{}`)))
			tr.add("x", "b", result("d", "ls")).add("y", "x", result("c", tt.tool))
			got := NewPreviews(tr.Tree).Of(tr.Get("y"))
			if got.Text != tt.line || got.Row != tt.row {
				t.Errorf("%q, %q; want %q, %q", got.Text, got.Row, tt.line, tt.row)
			}
		})
	}
}

func TestChain(t *testing.T) {
	tr := counter()
	tr.add("11", "10", says(message.Message{Role: message.System, ToolsRemoved: []string{"bash"}}))
	tr.add("12", "11", user("next")).add("13", "12", session.Label{Target: "5", Text: "here"})
	chain, err := Chain(tr.Tree, "13")
	if err != nil {
		t.Fatal(err)
	}
	var ids []session.ID
	for i, l := range chain {
		ids = append(ids, l.Entry.ID)
		if l.Index != i || IndexOf(tr.Tree, l.Entry.ID) != i {
			t.Errorf("%s has index %d, %d; want %d", l.Entry.ID, l.Index, IndexOf(tr.Tree, l.Entry.ID), i)
		}
		if l.Entry.ID == "5" && (l.Branches != 2 || l.Label != "here") {
			t.Errorf("5: %+v", l)
		}
	}
	if got := join(ids); got != "0 1 2 3 4 5 8 9 10 12" {
		t.Errorf("chain %s", got)
	}
	if IndexOf(tr.Tree, "11") != -1 || IndexOf(tr.Tree, "nope") != -1 {
		t.Error("an entry has a number that has none")
	}
	if at, ways := Nearest(tr.Tree, "13"); at != "5" || len(ways) != 2 {
		t.Errorf("nearest branch point %q, %d ways", at, len(ways))
	}
	if at, ways := Nearest(newTree().add("a", "", user("a")).Tree, "a"); at != "" || ways != nil {
		t.Errorf("a branch point where there is none: %q %v", at, ways)
	}
	if e := Above(tr.Tree, "13"); e == nil || e.ID != "12" {
		t.Errorf("above 13: %v", e)
	}
	n := NumbersOf(tr.Tree)
	if k, ok := n.Of("7"); !ok || k != 9 || n.Entries[9].ID != "7" {
		t.Errorf("#%d, %v", k, ok)
	}
	if tip := n.Tip(tr.Tree, "6"); tip != "7" {
		t.Errorf("tip of 6: %s", tip)
	}
	if tip := n.Tip(tr.Tree, "12"); tip != "12" {
		t.Errorf("tip of 12: %s", tip)
	}
}

func join(ids []session.ID) string {
	s := ""
	for i, id := range ids {
		if i > 0 {
			s += " "
		}
		s += string(id)
	}
	return s
}

func TestChainSaysWhatTheModelSees(t *testing.T) {
	tr := newTree()
	tr.add("0", "", declares()).add("1", "0", user("old")).add("2", "1", answer("old too")).add("3", "2", user("kept"))
	tr.add("4", "3", session.Compaction{Summary: "s", FirstKept: "3", TokensBefore: 1}).add("5", "4", user("hidden")).add("6", "5", answer("other"))
	tr.add("7", "6", session.ContextEdit{Target: "5", Omit: true}).add("8", "7", session.ContextEdit{Target: "6", Content: []byte(`"new"`)})
	chain, err := Chain(tr.Tree, "8")
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, l := range chain {
		got += string(l.Entry.ID)
		if l.Compacted {
			got += "c"
		}
		if l.Omitted {
			got += "o"
		}
		if l.Edited {
			got += "e"
		}
		got += " "
	}
	if got != "0 1c 2c 3 4 5o 6e " {
		t.Errorf("chain %s", got)
	}
}

func TestNumbers(t *testing.T) {
	for _, tt := range []struct {
		n    int64
		want string
	}{{0, "0"}, {999, "999"}, {1000, "1.0k"}, {1234, "1.2k"}, {9949, "9.9k"}, {9999, "10k"}, {12999, "13k"}, {999499, "999k"}, {999999, "1.0M"}, {1200000, "1.2M"}, {12e6, "12M"}} {
		if got := Count(tt.n); got != tt.want {
			t.Errorf("Count(%d) = %s, want %s", tt.n, got, tt.want)
		}
	}
	for _, tt := range []struct {
		usd  float64
		want string
	}{{0, ""}, {0.0001, "<$0.001"}, {0.0061, "$0.006"}, {0.069, "$0.069"}, {4.1, "$4.10"}} {
		if got := Dollars(tt.usd); got != tt.want {
			t.Errorf("Dollars(%v) = %s, want %s", tt.usd, got, tt.want)
		}
	}
	for _, tt := range []struct {
		d    time.Duration
		want string
	}{{-time.Hour, "now"}, {59 * time.Second, "now"}, {5 * time.Minute, "5m"}, {3 * time.Hour, "3h"}, {50 * time.Hour, "2d"}, {22 * 24 * time.Hour, "3w"}, {130 * 24 * time.Hour, "4mo"}, {400 * 24 * time.Hour, "1y"}} {
		if got := Age(tt.d); got != tt.want {
			t.Errorf("Age(%v) = %s, want %s", tt.d, got, tt.want)
		}
	}
	if a, r, ok := DiffCount([]byte(`{"diff":" 1 a\n-2 b\n+2 c\n+3 d\n   ..."}`)); a != 2 || r != 1 || !ok {
		t.Errorf("diff +%d -%d %v", a, r, ok)
	}
	if _, _, ok := DiffCount(nil); ok {
		t.Error("a diff without details")
	}
}
