package search

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/session/filestore"
)

func TestFinder(t *testing.T) {
	answer := session.NewEntry("a", "", time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), session.Message{Message: message.Message{
		Role: message.Assistant, Provider: "stub", Model: "large-1", Content: []message.Block{
			message.Text("The Größe of it"), message.ToolCall("c", "edit", []byte(`{"path":"src/main.go","n":"\u0041"}`))}}})
	for _, tt := range []struct {
		words, label string
		o            Options
		role, match  string
		no           bool
	}{
		{words: "größe", role: Assistant, match: "Größe"},
		{words: "main.go größe", role: Call, match: "main.go"},
		{words: "large-1", role: Custom},
		{words: "assistant größe", role: Custom},
		{words: "a label", label: "This is a Label", role: Label, match: "a"},
		{words: `"a label"`, label: "This is a Label", role: Label, match: "a Label"},
		{words: "re:gr.+e", role: Assistant, match: "Größe"},
		{words: "re:^good", label: "good one", role: Label, match: "good"},
		{words: "nothing", no: true},
		{words: "nothing", label: "something", no: true},
		{o: Options{File: "main.go"}, role: Call},
		{o: Options{File: "other.go"}, no: true},
		{o: Options{Tool: "EDIT"}, role: Call},
		{o: Options{Tool: "bash"}, no: true},
		{words: "größe", o: Options{Since: time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)}, no: true},
		{words: "größe", o: Options{Until: time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)}, role: Assistant, match: "Größe"},
	} {
		t.Run(tt.words+tt.o.File+tt.o.Tool, func(t *testing.T) {
			o := tt.o
			var err error
			if o.Expr, err = Parse(tt.words); err != nil {
				t.Fatal(err)
			}
			h, ok, err := NewFinder(o).Find(answer, tt.label)
			if err != nil || ok == tt.no {
				t.Fatalf("found %v, %v", ok, err)
			}
			if ok && (h.Role != tt.role || h.Match != tt.match) {
				t.Errorf("%s %q, want %s %q", h.Role, h.Match, tt.role, tt.match)
			}
		})
	}
}

func TestMarks(t *testing.T) {
	for _, tt := range []struct {
		words, text string
		want        int
	}{{"a", "A b a", 2}, {"ab b", "ab b ab", 3}, {"re:[0-9]+", "1 22 x 3", 3}, {"re:x*", "abc", 0}, {"", "abc", 0}} {
		x, err := Parse(tt.words)
		if err != nil {
			t.Fatal(err)
		}
		got := x.Marks(tt.text)
		last := 0
		for _, m := range got {
			if m[0] < last || m[1] <= m[0] || m[1] > len(tt.text) {
				t.Errorf("%q in %q: %v", tt.words, tt.text, got)
			}
			last = m[1]
		}
		if len(got) != tt.want {
			t.Errorf("%q in %q: %v, want %d", tt.words, tt.text, got, tt.want)
		}
	}
}

// Whether lines are read one by one or several at once, the same is found.
func TestFindReadsAhead(t *testing.T) {
	store := filestore.Store{Root: t.TempDir(), Sync: filestore.SyncOff}
	h := session.Header{CWD: "/srv"}.Complete()
	var lines [][]byte
	parent := session.ID("")
	add := func(m message.Message) {
		e := session.NewEntry(session.ID(fmt.Sprintf("e%06d", len(lines))), parent, time.Date(2026, 3, 1, 0, 0, len(lines), 0, time.UTC), session.Message{Message: m})
		line, err := e.Raw()
		if err != nil {
			t.Fatal(err)
		}
		lines, parent = append(lines, line), e.ID
	}
	for i := range 80 {
		add(message.Message{Role: message.User, Content: []message.Block{message.Text(fmt.Sprintf("word %d %s", i, strings.Repeat("x", i*150)))}})
		call := message.Block{Type: message.ToolCallBlock, ID: fmt.Sprint("c", i), Name: []string{"edit", "read"}[i%2], Arguments: fmt.Appendf(nil, `{"path":"src/%d.go"}`, i)}
		add(message.Message{Role: message.Assistant, Content: []message.Block{message.Text("an answer"), call}})
		add(message.Message{Role: message.ToolResult, ToolCallID: call.ID, ToolName: call.Name, Content: []message.Block{message.Text(fmt.Sprint("result ", i))}})
	}
	log, err := store.Create(t.Context(), h, lines...)
	if err != nil {
		t.Fatal(err)
	}
	log.Close()
	s, err := session.Open(t.Context(), store, h.ID)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, o := range []Options{{}, {Tool: "edit"}, {File: "src/7.go"}, {File: "src/7.go", Tool: "read"}} {
		for _, words := range []string{"", "word 7", "result", "re:x{900}", "assistant"} {
			if o.Expr, err = Parse(words); err != nil {
				t.Fatal(err)
			}
			one, many := NewFinder(o), NewFinder(o)
			many.Lines = s.Tree().Reader()
			found := 0
			for e := range s.Tree().Log() {
				a, aok, aerr := one.Find(e, "")
				b, bok, berr := many.Find(e, "")
				if a != b || aok != bok || aerr != nil || berr != nil {
					t.Fatalf("%+v %q, %s: %v %v %v, several lines at once %v %v %v", o, words, e.ID, a, aok, aerr, b, bok, berr)
				}
				if aok {
					found++
				}
			}
			if words != "" && o.File == "" && o.Tool == "" && found == 0 {
				t.Errorf("%q is nowhere", words)
			}
		}
	}
}
