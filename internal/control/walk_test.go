package control_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// However people move about, sum up, take, hide, label, speak and call things off:
// no byte of the session is lost, a leaf's context hangs on its path alone, and
// every request is one that all families take (the witness looks at each).
func TestWalks(t *testing.T) {
	const rules = `{"rules":[
 {"when":{"user":"<conversation>","turn":0},"reply":{"text":"## Goal\nIt was tried."}},
 {"when":{"toolResult":"."},"reply":{"text":"Read."}},
 {"when":{"user":"^read"},"reply":{"text":"Reading.","toolCalls":[{"name":"read","args":{"path":"a"}},{"name":"read","args":{"path":"b"}}]}},
 {"when":{"user":"^broken"},"reply":{"error":"bad-request"}},
 {"reply":{"text":"Good."}}]}`
	met := map[session.Type]int{}
	for seed := range uint64(12) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 2))
			w := newWorld(t, rules)
			path := w.file(exampleLines...)
			f := w.connect(control.Start{Open: path})
			had, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			contexts := map[session.ID]string{}
			for step := range 60 {
				tree, leaf := look(t, w, path, f)
				entries := entriesOf(tree)
				at := func() session.ID { return entries[r.IntN(len(entries))].ID }
				var cmd protocol.Request
				switch r.IntN(9) {
				case 0, 1:
					f.say([]string{"hello", "read it", "broken", "早上好"}[r.IntN(4)])
				case 2, 3:
					cmd = protocol.Navigate{Target: at(), At: r.IntN(2) == 0, Exact: r.IntN(4) == 0}
				case 4:
					cmd = protocol.Navigate{Target: at(), At: r.IntN(2) == 0, Summarize: true, Label: []string{"", "here"}[r.IntN(2)]}
				case 5:
					cmd = protocol.Take{What: []protocol.Taking{protocol.TakeAnswer, protocol.TakeEntries, protocol.TakeSummary}[r.IntN(3)], Entries: []session.ID{at()}}
				case 6:
					cmd = protocol.Take{What: protocol.TakeEntries, Entries: []session.ID{at()}, To: at()}
				case 7:
					cmd = []protocol.Request{protocol.Back{}, protocol.Forward{}, protocol.Abort{}, protocol.SetLabel{Entry: at(), Text: "x"}}[r.IntN(4)]
				case 8:
					cmd = []protocol.Request{protocol.Hide{Entry: at()}, protocol.Unhide{}}[r.IntN(2)]
				}
				if cmd != nil {
					if _, err := f.Do(t.Context(), cmd); err != nil && protocol.CodeOf(err) == "" {
						t.Fatalf("step %d: %+v: %v", step, cmd, err)
					}
				}
				has, err := os.ReadFile(path)
				if err != nil || !bytes.HasPrefix(has, had) {
					t.Fatalf("step %d: %+v from %s: old bytes have changed (%v)", step, cmd, leaf, err)
				}
				had = has
			}
			tree, _ := look(t, w, path, f)
			for _, e := range entriesOf(tree) {
				met[e.Type]++
				p, err := new(session.Projector).Context(tree, e.ID)
				if err != nil {
					t.Fatal(err)
				}
				var b bytes.Buffer
				for _, m := range p.Messages() {
					b.Write(m.JSON())
				}
				contexts[e.ID] = b.String()
			}
			for range 3 { // a view at any leaf reads the same, and can go on from there
				id := entriesOf(tree)[r.IntN(len(contexts))].ID
				own := w.connect(control.Start{Open: path, Own: true})
				own.navigate(protocol.Navigate{Target: id, At: true, Exact: true})
				p, err := session.Project(own.view.Tree.Path(id))
				if err != nil {
					t.Fatal(err)
				}
				var b bytes.Buffer
				for _, m := range p.Messages() {
					b.Write(m.JSON())
				}
				if b.String() != contexts[id] {
					t.Errorf("the context at %s is\n%s\nwas\n%s", id, b.String(), contexts[id])
				}
				own.say("hello")
			}
		})
	}
	for _, typ := range []session.Type{session.TypeBranchSummary, session.TypeCustomMessage, session.TypeContextEdit, session.TypeLabel, session.TypeMessage} {
		if met[typ] < 10 {
			t.Errorf("only %d of %s in all walks", met[typ], typ)
		}
	}
}

// look reads the session as somebody would who comes now.
func look(t *testing.T, w *world, path string, f *front) (*session.Tree, session.ID) {
	t.Helper()
	s, err := session.Open(t.Context(), w.store, path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	st, err := protocol.Call(t.Context(), f, protocol.GetState{})
	if err != nil {
		t.Fatal(err)
	}
	return s.Tree(), st.Leaf
}

func entriesOf(tree *session.Tree) []*session.Entry {
	var out []*session.Entry
	for e := range tree.All() {
		out = append(out, e)
	}
	return out
}
