package render

import (
	"strings"
	"testing"
	"time"

	"github.com/boughdev/bough/internal/lang"
	"github.com/boughdev/bough/internal/styled"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
)

// What the model sees, what it does not, and what that saves; the tokens of the rows are
// the sum.
func TestContextOf(t *testing.T) {
	at := time.Unix(1772355600, 0).UTC()
	tree := session.NewTree()
	parent := session.ID("")
	add := func(id string, body session.Body) {
		at = at.Add(time.Second)
		tree.Add(session.NewEntry(session.ID(id), parent, at, body))
		parent = session.ID(id)
	}
	say := func(id string, r message.Role, text string) {
		add(id, session.Message{Message: message.Message{Role: r, Content: []message.Block{message.Text(text)}}})
	}
	say("a", message.User, strings.Repeat("old ", 100))
	say("b", message.Assistant, "kept")
	add("k", session.Compaction{Summary: "what was", FirstKept: "b", TokensBefore: 101})
	say("c", message.User, strings.Repeat("long ", 40))
	say("d", message.Assistant, strings.Repeat("word", 10))
	say("e", message.User, "你好 \x1b[31m")
	add("h", session.ContextEdit{Target: "c", Omit: true})
	add("r", session.ContextEdit{Target: "d", Content: message.EncodeContent([]message.Block{message.Text("short")})})

	l, err := ContextOf(lang.English, tree, parent)
	if err != nil {
		t.Fatal(err)
	}
	sum := int64(0)
	for _, r := range l.Rows {
		sum += r.Tokens
	}
	if sum != l.Tokens || !l.Use.Unasked || l.Folded != 1 {
		t.Errorf("tokens %d, rows come to %d; %+v", l.Tokens, sum, l)
	}
	got := strings.Join(l.Lines(79, 1000), "\n")
	want := `(1 earlier entry is compacted: 98 tokens saved)
[2] compaction      2  29%  101 tokens -> what was
[1] assistant       1  14%  kept
[3] user            0   0%  long long long long long lon...  (hidden: 50 saved)
[4] assistant       2  29%  short  (replaced, was 10)
[5] user            2  29%  你好
4 messages, about 7 tokens, 0.7% of its window of 1.0k.
1 hidden saves 50; 1 replaced saves 8; 1 compacted saves 98.`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for _, line := range l.Lines(60, 0) {
		if styled.Width(line) > 60 {
			t.Errorf("%q is wider than 60 columns", line)
		}
	}
	if l, err := ContextOf(lang.English, tree, ""); err != nil || len(l.Rows) != 0 {
		t.Errorf("before the first entry: %+v, %v", l, err)
	}
}

// What earlier compactions saved counts too: the list counts the entries of all.
func TestContextGainOfSeveralCompactions(t *testing.T) {
	tree := session.NewTree()
	at, parent := time.Unix(1772355600, 0).UTC(), session.ID("")
	add := func(id string, body session.Body) {
		at = at.Add(time.Second)
		tree.Add(session.NewEntry(session.ID(id), parent, at, body))
		parent = session.ID(id)
	}
	say := func(id, text string) {
		add(id, session.Message{Message: message.Message{Role: message.User, Content: []message.Block{message.Text(text)}}})
	}
	say("a", strings.Repeat("old ", 100))
	say("b", "kept")
	add("k", session.Compaction{Summary: "what was", FirstKept: "b", TokensBefore: 101}) // 3 are left
	say("c", strings.Repeat("long ", 40))
	add("l", session.Compaction{Summary: "what was", FirstKept: "c", TokensBefore: 53}) // 52 are left
	for leaf, want := range map[session.ID]int64{"b": 0, "k": 98, "c": 98, "l": 99} {
		if l, err := ContextOf(lang.English, tree, leaf); err != nil || l.Gain != want {
			t.Errorf("at %s %d are saved, %v; want %d", leaf, l.Gain, err, want)
		}
	}
}
