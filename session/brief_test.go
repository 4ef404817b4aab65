package session

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/boughdev/bough/message"
)

// odd puts lines into a session whose place in a context is not plain.
func odd(r *rand.Rand, lines []string) []string {
	more := []string{
		`"type":"message","message":{"role":"odd","content":"?"}`,
		`"type":"message","message":{"content":"of nobody"}`,
		`"type":"message"`,
		`"type":"branch_summary","fromId":"root","summary":""`,
		`"type":"compaction","summary":7,"firstKeptEntryId":"e3","systemMessage":{"role":"system","content":"all"}`,
		`"type":"context_edit","targetId":"e2","replacement":null`,
		`"type":"custom","customType":"bough.setup","data":{"at":"%s"}`,
		`"type":"custom","customType":"bough.setup","data":null`,
		`"type":"custom","customType":"todo","data":1`,
	}
	for i, l := range lines {
		if r.IntN(3) > 0 {
			continue
		}
		front, _, _ := strings.Cut(l, `,"type"`)
		body := more[r.IntN(len(more))]
		if strings.Contains(body, "%s") {
			body = fmt.Sprintf(body, fmt.Sprint(i))
		}
		lines[i] = front + "," + body + "}"
	}
	return lines
}

// What is told of a context in short is what the context is, and a count that goes
// on from one entry to another is what it comes to from scratch.
func TestABriefIsWhatTheContextIs(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 21))
		entries := decode(t, odd(r, grow(r, 1+r.IntN(60), seed%3 == 0))...)
		tr := NewTree()
		var counter Counter
		for n, e := range entries {
			tr.Add(e)
			leaf := e.ID
			if r.IntN(4) == 0 {
				leaf = entries[r.IntN(n+1)].ID
			}
			p, err := Project(tr.Path(leaf))
			if err != nil {
				t.Fatal(err)
			}
			b, err := new(Projector).Brief(tr, leaf)
			if err != nil {
				t.Fatal(err)
			}
			b.edited = nil // not for those who ask
			want := Brief{Messages: len(p.Items), Model: p.Model, Thinking: p.Thinking, ThinkingSet: p.ThinkingSet}
			for _, it := range p.Items {
				if it.Message.Role == message.System {
					want.System = append(want.System, it.Message)
				}
			}
			if !reflect.DeepEqual(b, want) {
				t.Fatalf("seed %d: at %s %+v, want %+v", seed, leaf, b, want)
			}
			var newest []Item
			stop := r.IntN(len(p.Items) + 1)
			if err := new(Projector).Newest(tr, leaf, func(it Item) bool {
				newest = append(newest, it)
				return len(newest) < stop
			}); err != nil {
				t.Fatal(err)
			}
			for i, it := range newest {
				if same := p.Items[len(p.Items)-1-i]; it.Entry.ID != same.Entry.ID || string(it.Message.JSON()) != string(same.Message.JSON()) {
					t.Fatalf("seed %d: at %s message %d from the end is of %s, want %s", seed, leaf, i, it.Entry.ID, same.Entry.ID)
				}
			}
			if len(newest) != min(max(stop, 1), len(p.Items)) {
				t.Fatalf("seed %d: at %s %d messages were visited, want %d of %d", seed, leaf, len(newest), stop, len(p.Items))
			}
			if r.IntN(3) == 0 {
				continue // the count need not be asked for at each entry
			}
			if got, err := counter.Messages(tr, leaf); err != nil || got != want.Messages {
				t.Fatalf("seed %d: %d messages are counted at %s (%v), want %d", seed, got, leaf, err, want.Messages)
			}
		}
	}
}

// How a session was set up is what the nearest entry says on the path.
func TestTheNearestSetupCounts(t *testing.T) {
	found := 0
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 22))
		tr := tree(t, odd(r, grow(r, 40, seed%3 == 0))...)
		for _, of := range []*Tree{tr, tr.Snapshot()} {
			for e := range tr.All() {
				want := "none"
				for _, above := range tr.Path(e.ID) {
					if above.Type == TypeCustom && above.Custom == Setup {
						b, err := above.Body()
						if err != nil {
							t.Fatal(err)
						}
						want = string(b.(Custom).Data)
						found++
					}
				}
				got := "none"
				if v, ok := of.SetupOf(e.ID); ok {
					got = string(v)
				}
				if got != want {
					t.Fatalf("seed %d: at %s the setup is %s, want %s", seed, e.ID, got, want)
				}
			}
		}
	}
	if found == 0 {
		t.Error("no session had a setup")
	}
}

// The name of a session is what the last entry says that names it, also one with
// no name.
func TestTheLastNameCounts(t *testing.T) {
	tr := tree(t, line("a", "", `"type":"session_info","name":" one "`), userLine("b", "a", "hello"))
	steps := []struct{ line, want string }{
		{userLine("c", "b", "more"), "one"},
		{line("d", "a", `"type":"session_info","name":"two"`), "two"},
		{line("e", "d", `"type":"session_info"`), ""},
		{line("f", "e", `"type":"session_info","name":"three"`), "three"},
	}
	for _, s := range steps {
		tr.Add(decode(t, s.line)[0])
		if got := tr.Snapshot().Name(); got != s.want {
			t.Errorf("behind %s the name is %q, want %q", s.line, got, s.want)
		}
	}
	tr.Add(&Entry{ID: "g", Parent: "f", Type: TypeInfo, src: unreadable{}})
	if got := tr.Name(); got != "three" {
		t.Errorf("with a last name that cannot be read the name is %q, want three", got)
	}
}

type unreadable struct{}

func (unreadable) Read(Line) ([]byte, error) { return nil, ErrTooLong }
