package session

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// salvaged reads a log as a damaged one.
func salvaged(t testing.TB, data string) (*Tree, []Finding) {
	t.Helper()
	var s Salvage
	var found []Finding
	s.Found = func(f Finding) { found = append(found, f) }
	for at, line := range Lines([]byte(data), 0) {
		s.Line(line, at)
	}
	x, err := s.Index(file(data))
	if err != nil {
		t.Fatal(err)
	}
	return NewTreeOf(x, file(data)), found
}

// shape draws a tree: each entry with its children, and what is made up.
func shape(tr *Tree) string {
	var b strings.Builder
	tr.Walk(tr.Leaf(), func(s Step) bool {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "%s%s", strings.Repeat(".", s.Depth), s.Entry.ID)
		if d := s.Entry.Damage; d != nil {
			for i, c := range "LRMBUS" {
				if d.Kind&(1<<i) != 0 {
					b.WriteString(string(c))
				}
			}
		}
		return true
	})
	fmt.Fprintf(&b, " leaf %s", tr.Leaf())
	return b.String()
}

const headerLine = `{"type":"session","version":3,"id":"s","timestamp":"2026-03-01T09:00:00.000Z","cwd":"/"}`

// said is a message as pi writes it.
func said(id, parent, text string) string {
	p := "null"
	if parent != "" {
		p = `"` + parent + `"`
	}
	return `{"type":"message","id":"` + id + `","parentId":` + p + `,"timestamp":"2026-03-01T09:00:00.000Z","message":{"role":"user","content":[{"type":"text","text":"` + text + `"}],"timestamp":1}}`
}

func TestSalvage(t *testing.T) {
	a, b, c, d := said("a", "", "one"), said("b", "a", "two"), said("c", "b", "three"), said("d", "c", "four")
	torn := func(line string) string { return line[:len(line)-20] }
	for _, tt := range []struct {
		name  string
		lines []string
		want  string
		bad   int
	}{
		{"nothing is damaged", []string{a, b, c, d}, "a .b ..c ...d leaf d", 0},
		{"a torn line keeps its place", []string{a, torn(b), c, d}, "a .bL ..c ...d leaf d", 1},
		{"a torn last line is no leaf", []string{a, b, torn(c)}, "a .b ..cL leaf b", 1},
		{"a torn line that was written again", []string{a, torn(b), b, c}, "a .b ..c leaf c", 1},
		{"an entry that was glued to a torn line", []string{a, torn(b) + c, d}, "a .bL ..cR ...d leaf d", 1},
		{"and is the last one", []string{a, b, torn(c) + d}, "a .b ..cL ...dR leaf d", 1},
		{"two entries in one line", []string{a, b + c, d}, "a .bR ..cR ...d leaf d", 1},
		{"three, the last one torn", []string{a + b + torn(c), d}, "aR .bR ..cL ...d leaf d", 1},
		{"NUL bytes before an entry", []string{a, strings.Repeat("\x00", 50) + b, c}, "a .bR ..c leaf c", 1},
		{"NUL bytes behind an entry", []string{a, b, c + "\x00\x00"}, "a .b ..cR leaf c", 1},
		{"a line of NUL bytes at the end", []string{a, b, "\x00\x00\x00"}, "a .b leaf b", 1},
		{"NUL bytes in place of a line", []string{a, strings.Repeat("\x00", 90), c, d}, "a .bLM ..c ...d leaf d", 1},
		{"a line of which only the end is left", []string{a, b[60:], c, d}, "a .bLM ..c ...d leaf d", 1},
		{"a line that is gone", []string{a, c, d}, "a .cM ..d leaf d", 0},
		{"two answers to a line that is gone", []string{a, c, d, said("e", "b", "x")}, "a .cM ..d .eM leaf e", 0},
		{"two answers to a line that cannot be read", []string{a, "?", c, d, said("e", "b", "x")}, "a .bLM ..c ...d ..e leaf e", 1},
		{"the first line is gone", []string{b, c}, "b .c leaf c", 0},
		{"a broken parent", []string{a, b, strings.Replace(c, `"b"`, `"x"`, 1), d}, "a .b ..cM ...d leaf d", 0},
		{"a broken id", []string{a, strings.Replace(b, `"b"`, `"x"`, 1), c, d}, "a .x ..cM ...d leaf d", 0},
		{"a line cut behind its id", []string{a, b[:strings.Index(b, `,"parentId"`)], c}, "a .bLM ..c leaf c", 1},
		{"an entry without id", []string{a, strings.Replace(b, `"id":"b",`, "", 1), said("e", "a", "x")}, "a .line:3U .e leaf e", 0},
		{"the same lines again", []string{a, b, a, b}, "a .b leaf b", 0},
		{"another line with the id of one before", []string{a, b, c, said("b", "a", "other"), said("e", "b", "x")},
			"a .line:3S ..cB .b ..e leaf e", 0},
		{"a child before its parent", []string{a, c, b}, "a .b ..c leaf b", 0},
		{"what is moved closes no cycle", []string{said("p", "q", "x"), said("q", "lost", "x")}, "q .p leaf q", 0},
		{"its own parent", []string{a, said("b", "b", "x"), c}, "a b .c leaf c", 0},
		{"junk is no entry", []string{a, "42", "[1]", "null", "Killed", b}, "a .b leaf b", 1},
		{"a header in the middle", []string{a, headerLine, b}, "a .b leaf b", 0},
		{"a header glued to a torn line", []string{a, torn(b) + headerLine, c}, "a .bL ..c leaf c", 1},
		{"a call in a torn answer is no entry", []string{a,
			`{"type":"message","id":"b","parentId":"a","timestamp":"2026-03-01T09:00:00.000Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"read","arguments":{}}`}, "a .bL leaf a", 1},
		{"a position below a torn line", []string{a, torn(b), c, `{"type":"custom","id":"m","parentId":"b","timestamp":"2026-03-01T09:00:00.000Z","customType":"bough.leaf","data":{"v":1}}`},
			"a .bL ..c ..m leaf a", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tr, found := salvaged(t, headerLine+"\n"+strings.Join(tt.lines, "\n")+"\n")
			if got := shape(tr); got != tt.want {
				t.Errorf("got  %s\nwant %s\n%+v", got, tt.want, found)
			}
			if tr.BadLines() != tt.bad {
				t.Errorf("%d bad lines, want %d", tr.BadLines(), tt.bad)
			}
			for e := range tr.All() {
				if _, err := new(Projector).Context(tr, e.ID); err != nil {
					t.Errorf("context at %s: %v", e.ID, err)
				}
				if line, err := e.Raw(); err != nil || !e.Lost() && !bytes.Contains(line, []byte(e.Type)) {
					t.Errorf("%s: %s, %v", e.ID, line, err)
				}
			}
		})
	}
}
