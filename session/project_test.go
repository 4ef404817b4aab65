package session

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/boughdev/bough/message"
)

// seen returns what a model sees at a leaf, one message a line.
func seen(t testing.TB, path []*Entry) string {
	t.Helper()
	p, err := Project(path)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, it := range p.Items {
		b.Write(it.Message.JSON())
		b.WriteByte('\n')
	}
	return b.String() + p.Model.Provider + "/" + p.Model.ModelID + " " + p.Thinking
}

// The example of docs/spec/session.md 6.6.
func TestProjectAfterTwoCompactions(t *testing.T) {
	system := func(id, parent string) string {
		return line(id, parent, `"type":"message","message":{"role":"system","content":"`+id+`","timestamp":1}`)
	}
	tr := tree(t,
		system("S", ""), userLine("U1", "S", "1"), answerLine("A1", "U1", "1"), system("S2", "A1"),
		userLine("U2", "S2", "2"), answerLine("A2", "U2", "2"),
		line("C1", "A2", `"type":"compaction","summary":"one","firstKeptEntryId":"U2","tokensBefore":1`),
		system("S3", "C1"), userLine("U3", "S3", "3"), answerLine("A3", "U3", "3"),
		line("C2", "A3", `"type":"compaction","summary":"two","firstKeptEntryId":"A2","tokensBefore":1,"systemMessage":{"role":"system","content":"S S2 S3","timestamp":1}`),
		userLine("U4", "C2", "4"))
	p, err := Project(tr.Path("U4"))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := ids(p.Entries), "C2 A2 C1 U3 A3 U4"; got != want {
		t.Errorf("entries %s, want %s", got, want)
	}
	var roles []message.Role
	for _, it := range p.Items {
		roles = append(roles, it.Message.Role)
	}
	want := []message.Role{message.System, message.CompactionSummary, message.Assistant, message.User, message.Assistant, message.User}
	if !reflect.DeepEqual(roles, want) {
		t.Errorf("roles %v, want %v", roles, want)
	}
}

func TestProjectEdits(t *testing.T) {
	edit := func(id, parent, target, replacement string) string {
		return line(id, parent, `"type":"context_edit","targetId":"`+target+`","replacement":`+replacement)
	}
	for _, tt := range []struct {
		name  string
		lines []string
		want  string // the texts of the context
	}{
		{"an omission", []string{userLine("u", "", "q"), answerLine("a", "u", "r"), edit("e", "a", "a", "null")}, "q"},
		{"a replacement", []string{userLine("u", "", "q"), answerLine("a", "u", "r"), edit("e", "a", "a", `{"content":"new"}`)}, "q|new"},
		{"the last edit counts", []string{userLine("u", "", "q"), edit("e", "u", "u", "null"), edit("f", "e", "u", `{"content":"new"}`)}, "new"},
		{"an edit that cannot be understood changes nothing", []string{userLine("u", "", "q"), edit("e", "u", "u", `{"content":5}`)}, "q"},
		{"an edit before its target", []string{edit("e", "", "u", "null"), userLine("u", "e", "q")}, ""},
		{"other messages are only omitted", []string{line("b", "", `"type":"branch_summary","fromId":"root","summary":"s"`), edit("e", "b", "b", `{"content":"new"}`)}, "s"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tr := tree(t, tt.lines...)
			p, err := Project(tr.Path(tr.Last().ID))
			if err != nil {
				t.Fatal(err)
			}
			var texts []string
			for _, m := range p.Messages() {
				texts = append(texts, m.Text("")+m.Summary)
			}
			if got := strings.Join(texts, "|"); got != tt.want {
				t.Errorf("context %q, want %q", got, tt.want)
			}
		})
	}
}

// What a model sees at a leaf hangs on the path to it alone, not on other
// branches or the order of lines.
func TestProjectionHangsOnThePathAlone(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 0))
		entries := decode(t, grow(r, 40, false)...)
		whole := NewTree()
		for _, e := range entries {
			whole.Add(e)
		}
		leaf := entries[r.IntN(len(entries))].ID
		want := seen(t, whole.Path(leaf))

		alone := NewTree()
		for _, e := range whole.Path(leaf) {
			alone.Add(e)
		}
		if got := seen(t, alone.Path(leaf)); got != want {
			t.Fatalf("seed %d: leaf %s, other branches away:\n%s\nwant\n%s", seed, leaf, got, want)
		}
		shuffled := NewTree()
		for _, i := range r.Perm(len(entries)) {
			shuffled.Add(entries[i])
		}
		if got := seen(t, shuffled.Path(leaf)); got != want {
			t.Fatalf("seed %d: leaf %s, lines shuffled:\n%s\nwant\n%s", seed, leaf, got, want)
		}
	}
}

// A projector that remembers says what a fresh one says.
func TestProjectorRemembersNothingWrong(t *testing.T) {
	for seed := range uint64(50) {
		tr := tree(t, grow(rand.New(rand.NewPCG(seed, 3)), 40, true)...)
		var p Projector
		for e := range tr.All() {
			got, err := p.Project(tr.Path(e.ID))
			if err != nil {
				t.Fatal(err)
			}
			want, err := Project(tr.Path(e.ID))
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("seed %d: leaf %s: %+v, want %+v", seed, e.ID, got, want)
			}
		}
	}
}
