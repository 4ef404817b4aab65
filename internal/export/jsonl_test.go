package export

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/boughdev/bough/session"
)

var now = time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)

func load(t *testing.T, lines ...string) (session.Header, *session.Tree) {
	t.Helper()
	h, entries, err := session.Load([]byte(strings.Join(lines, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	tree := session.NewTree()
	for _, e := range entries {
		tree.Add(e)
	}
	return h, tree
}

const head = `{"type":"session","version":3,"id":"s","timestamp":"2026-03-01T08:00:00.000Z","cwd":"/srv/app","parentSession":"/p.jsonl"}`

func entry(id, parent, fields string) string {
	p := "null"
	if parent != "" {
		p = `"` + parent + `"`
	}
	return fmt.Sprintf(`{"type":"message","id":"%s","parentId":%s,"timestamp":"2026-03-01T09:00:00.000Z",%s}`, id, p, fields)
}

func said(text string) string {
	return `"message":{"role":"user","content":"` + text + `"},"x":[1.50,"\ud800"]`
}

func TestJSONL(t *testing.T) {
	h, tree := load(t, head,
		entry("a", "", said("one")),
		`{"type":"label","id":"l1","parentId":"a","timestamp":"2026-03-01T09:01:00.000Z","targetId":"a","label":"start"}`,
		entry("b", "l1", said("two")),
		`{"type":"custom","id":"m","parentId":"b","timestamp":"2026-03-01T09:00:00.000Z","customType":"bough.leaf","data":{"v":1}}`,
		entry("c", "m", said("from a marker")),
		`{"type":"compaction","id":"k","parentId":"c","timestamp":"2026-03-01T09:00:00.000Z","summary":"s","firstKeptEntryId":"l1","tokensBefore":1}`,
		entry("d", "k", said("three")),
		entry("side", "a", said("side")),
		`{"type":"label","id":"l2","parentId":"side","timestamp":"2026-03-01T09:02:00.000Z","targetId":"b","label":"from elsewhere"}`,
	)
	newHead := `{"type":"session","version":3,"id":"s","timestamp":"2026-03-02T08:00:00.000Z","cwd":"/srv/app"}`
	var b bytes.Buffer
	r, err := JSONL(&b, h, tree, Options{Leaf: "d", Now: now})
	want := strings.Join([]string{newHead,
		entry("a", "", said("one")),
		`{"type":"label","id":"l1","parentId":"a","timestamp":"2026-03-01T09:01:00.000Z","targetId":"a","label":"start"}`,
		entry("b", "l1", said("two")),
		entry("c", "b", said("from a marker")),
		`{"type":"compaction","id":"k","parentId":"c","timestamp":"2026-03-01T09:00:00.000Z","summary":"s","firstKeptEntryId":"l1","tokensBefore":1}`,
		entry("d", "k", said("three")), ""}, "\n")
	if err != nil || b.String() != want || r.Entries != 6 || r.Left != 0 {
		t.Errorf("%+v, %v\n%s\nwant\n%s", r, err, b.String(), want)
	}

	b.Reset()
	if r, err = JSONL(&b, h, tree, Options{Leaf: "d", Now: now, Labels: true}); err != nil || r.Entries != 7 {
		t.Fatalf("%+v, %v", r, err)
	}
	_, again := load(t, strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")...)
	if again.Label("a") != "start" || again.Label("b") != "from elsewhere" || again.Get("b").Parent != "a" {
		t.Errorf("with labels\n%s", b.String())
	}
	if !strings.Contains(b.String(), `"firstKeptEntryId":"b"`) {
		t.Errorf("a compaction keeps from a label that is not there\n%s", b.String())
	}
}

// What a model sees at a place it sees in the export of the way there.
func TestJSONLKeepsTheContext(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 1))
		lines := []string{head}
		for i := range 30 {
			parent := ""
			if i > 0 {
				parent = fmt.Sprintf("e%d", max(0, i-1-r.IntN(3)*r.IntN(3)))
			}
			id := fmt.Sprintf("e%d", i)
			any := fmt.Sprintf("e%d", r.IntN(i+1))
			front := fmt.Sprintf(`"id":"%s","parentId":"%s","timestamp":"2026-03-01T09:00:00.000Z"}`, id, parent)
			if parent == "" {
				front = fmt.Sprintf(`"id":"%s","parentId":null,"timestamp":"2026-03-01T09:00:00.000Z"}`, id)
			}
			lines = append(lines, []string{
				entry(id, parent, said(id)),
				entry(id, parent, `"message":{"role":"assistant","content":[{"type":"text","text":"`+id+`"}],"provider":"p","model":"m"}`),
				`{"type":"label","targetId":"` + any + `","label":"x",` + front,
				`{"type":"custom","customType":"bough.leaf",` + front,
				`{"type":"compaction","summary":"` + id + `","firstKeptEntryId":"` + any + `","tokensBefore":1,` + front,
				`{"type":"context_edit","targetId":"` + any + `","replacement":null,` + front,
				`{"type":"thinking_level_change","thinkingLevel":"high",` + front,
			}[r.IntN(7)])
		}
		h, tree := load(t, lines...)
		leaf := session.ID(fmt.Sprintf("e%d", r.IntN(30)))
		want, err := session.Project(tree.Path(leaf))
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if _, err := JSONL(&b, h, tree, Options{Leaf: leaf, Now: now, Labels: seed%2 == 0}); err != nil {
			t.Fatal(err)
		}
		_, copied := load(t, strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")...)
		if copied.Len() == 0 {
			continue // nothing but markers
		}
		got, err := session.Project(copied.Path(copied.Last().ID))
		if err != nil {
			t.Fatal(err)
		}
		show := func(p session.Projection) string {
			s := fmt.Sprintf("%s %+v", p.Thinking, p.Model)
			for _, m := range p.Messages() {
				s += "\n" + string(m.JSON())
			}
			return s
		}
		if show(got) != show(want) {
			t.Fatalf("seed %d, leaf %s: %s\nwant %s\nof\n%s\nexported\n%s", seed, leaf, show(got), show(want), strings.Join(lines, "\n"), b.String())
		}
	}
}
