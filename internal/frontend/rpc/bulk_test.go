package rpc

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/boughdev/bough/session"
)

// bulked returns what is written, and how often a part went out before the end.
func bulked(t *testing.T, write func(*bulk) error) ([]byte, int) {
	t.Helper()
	var b bytes.Buffer
	out := bufio.NewWriter(&b)
	pushes := 0
	k := &bulk{out: out, moved: func() { pushes++ }, odd: &bytes.Buffer{}}
	if err := write(k); err != nil {
		t.Fatal(err)
	}
	parts := pushes
	if err := k.push(); err != nil {
		t.Fatal(err)
	}
	if err := out.Flush(); err != nil {
		t.Fatal(err)
	}
	if !json.Valid(b.Bytes()) {
		t.Fatalf("the answer is no JSON: %.200s", b.Bytes())
	}
	return b.Bytes(), parts
}

func treeOf(t *testing.T, lines ...string) *session.Tree {
	t.Helper()
	tr := session.NewTree()
	for i, l := range lines {
		e, err := session.Decode([]byte(l), session.Line{Seq: session.Seq(i + 1), Size: 1}, nil)
		if err != nil {
			t.Fatalf("%s: %v", l, err)
		}
		tr.Add(e)
	}
	return tr
}

// The tree that is written is that of the entries, labels included, whatever its
// form, and all entries are in it.
func TestTheTreeIsWrittenAsItIs(t *testing.T) {
	type node struct {
		Entry          struct{ ID string }
		Children       []node
		Label          string
		LabelTimestamp string
	}
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 3))
		var lines []string
		labels := map[string]string{}
		n := 1 + r.IntN(40)
		for i := range n {
			parent := "null"
			if i > 0 && r.IntN(8) > 0 {
				parent = fmt.Sprintf("%q", fmt.Sprintf("e%d", max(0, i-1-r.IntN(4))))
			} else if r.IntN(3) == 0 {
				parent = `"lost"`
			}
			head := fmt.Sprintf(`"id":"e%d","parentId":%s,"timestamp":"2026-03-01T09:00:%02d.000Z"`, i, parent, r.IntN(60))
			switch r.IntN(5) {
			case 0:
				of := fmt.Sprintf("e%d", r.IntN(i+1))
				text := fmt.Sprintf("l%d", i)
				lines = append(lines, fmt.Sprintf(`{"type":"label",%s,"targetId":%q,"label":%q}`, head, of, text))
				labels[of] = text
			default:
				lines = append(lines, fmt.Sprintf(`{"type":"message",%s,"message":{"role":"user","content":"\"%d\""}}`, head, i))
			}
		}
		tr := treeOf(t, lines...)
		leaf := session.ID(fmt.Sprintf("e%d", n-1))
		b, _ := bulked(t, func(k *bulk) error { return k.tree(tr, leaf) })
		var got struct {
			Tree   []node
			LeafID string
		}
		if err := json.Unmarshal(b, &got); err != nil {
			t.Fatal(err)
		}
		if got.LeafID != string(leaf) {
			t.Errorf("seed %d: the leaf is %s, want %s", seed, got.LeafID, leaf)
		}
		seen := 0
		var compare func(list []node, want []*session.Entry)
		compare = func(list []node, want []*session.Entry) {
			var is, wants []string
			for _, n := range list {
				is = append(is, n.Entry.ID+" "+n.Label)
			}
			for _, e := range want {
				wants = append(wants, string(e.ID)+" "+labels[string(e.ID)])
			}
			if !reflect.DeepEqual(is, wants) {
				t.Fatalf("seed %d: %v stand beside each other, want %v", seed, is, wants)
			}
			for _, n := range list {
				if n.Label != "" && n.LabelTimestamp == "" {
					t.Fatalf("seed %d: the label of %s has no time", seed, n.Entry.ID)
				}
				seen++
				compare(n.Children, tr.Children(session.ID(n.Entry.ID)))
			}
		}
		compare(got.Tree, tr.Roots())
		if seen != n {
			t.Fatalf("seed %d: %d of %d entries are in the tree", seed, seen, n)
		}
	}
}

// What is large goes out in parts, and nothing of it is missing.
func TestALargeAnswerGoesOutInParts(t *testing.T) {
	big := strings.Repeat("x", bulkFirst)
	var lines []string
	parent := "null"
	for i := range 5 {
		lines = append(lines, fmt.Sprintf(`{"type":"message","id":"e%d","parentId":%s,"timestamp":"2026-03-01T09:00:00.000Z","message":{"role":"user","content":"%s"}}`, i, parent, big))
		parent = fmt.Sprintf(`"e%d"`, i)
	}
	tr := treeOf(t, lines...)
	for _, tt := range []struct {
		name  string
		write func(*bulk) error
		want  int
	}{
		{"messages", func(k *bulk) error { return k.messages(tr, "e4") }, 5},
		{"entries", func(k *bulk) error { return k.entries(tr, "e4", "") }, 5},
		{"entries behind one", func(k *bulk) error { return k.entries(tr, "e4", "e2") }, 2},
		{"a tree", func(k *bulk) error { return k.tree(tr, "e4") }, 5},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b, parts := bulked(t, tt.write)
			if got := strings.Count(string(b), big); got != tt.want || parts != tt.want {
				t.Errorf("%d texts in %d parts, want %d", got, parts, tt.want)
			}
		})
	}
}

// torn is a source whose line cannot be read.
type torn struct{ err error }

func (s torn) Read(session.Line) ([]byte, error) { return nil, s.err }

// An entry that cannot be read makes an error as long as nothing of the answer is
// out; behind that its place in the tree is told.
func TestWhatCannotBeReadIsTold(t *testing.T) {
	line := func(id, parent, text string) string {
		return fmt.Sprintf(`{"type":"message","id":%q,"parentId":%q,"timestamp":"2026-03-01T09:00:00.000Z","message":{"role":"user","content":"%s"}}`, id, parent, text)
	}
	lost := fmt.Errorf("the disk is gone")
	for _, early := range []bool{true, false} {
		text := strings.Repeat("x", bulkFirst)
		if early {
			text = "x"
		}
		tr := treeOf(t, line("a", "", text))
		e, err := session.Decode([]byte(line("b", "a", "y")), session.Line{Seq: 9, Size: 1}, torn{lost})
		if err != nil {
			t.Fatal(err)
		}
		tr.Add(e)
		var b, odd bytes.Buffer
		out := bufio.NewWriter(&b)
		k := &bulk{out: out, moved: func() {}, odd: &odd}
		err = k.entries(tr, "b", "")
		if early {
			if err == nil || !strings.Contains(err.Error(), "read entry b") {
				t.Errorf("err = %v, want one that names the entry", err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(k.buf, []byte(`{"type":"message","id":"b","parentId":"a"}`)) || !strings.Contains(odd.String(), "the disk is gone") {
			t.Errorf("the answer ends in %q, and people are told %q", k.buf, odd.String())
		}
	}
}
