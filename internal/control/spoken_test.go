package control

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/provider/providertest"
	"github.com/boughdev/bough/session"
)

// What a model is told of a context hangs on the context alone, not on what was
// asked before.
func TestSpoken(t *testing.T) {
	naive := func(items []session.Item) (out []message.Message) {
		for _, it := range session.InCallOrder(items) {
			if m, ok := message.ForModel(it.Message); ok {
				out = append(out, m)
			}
		}
		return out
	}
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 9))
		var items []session.Item
		for i, m := range providertest.Conversation(r, provider.Info{ID: "m", API: "a", Provider: "p"}) {
			if i%5 == 4 {
				raw := fmt.Appendf(nil, `{"role":"bashExecution","command":"ls","output":"%d","exitCode":0,"excludeFromContext":%v}`, i, i%2 == 0)
				b, err := message.Decode(raw)
				if err != nil {
					t.Fatal(err)
				}
				items = append(items, session.Item{Message: b})
			}
			items = append(items, session.Item{Message: m})
		}
		var s spoken
		for n := 0; n < len(items); {
			n = min(len(items), n+1+r.IntN(3))
			if r.IntN(8) == 0 { // an edit somewhere
				at := r.IntN(n)
				items = slices.Clone(items)
				items[at].Message = items[at].Message.WithField("timestamp", []byte("2"))
			}
			if r.IntN(8) == 0 {
				n = 1 + r.IntN(n)
			}
			got, from := s.of(session.Projection{Items: items[:n]})
			want := naive(items[:n])
			fold, _ := message.FoldSystem(want)
			if declared := s.declares(session.Projection{Items: items[:n]}); !bytes.Equal(declared.JSON(), fold.JSON()) {
				t.Fatalf("seed %d, %d items: declared %s, want %s", seed, n, declared.JSON(), fold.JSON())
			}
			if len(got) != len(want) || len(from) != len(want) {
				t.Fatalf("seed %d, %d items: %d messages, want %d", seed, n, len(got), len(want))
			}
			for i := range got {
				if !bytes.Equal(got[i].JSON(), want[i].JSON()) {
					t.Fatalf("seed %d, %d items: message %d is %s, want %s", seed, n, i, got[i].JSON(), want[i].JSON())
				}
			}
		}
	}
}
