package compaction_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/compaction"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
)

// What is measured near the leaf is what the whole context says.
func TestUseNear(t *testing.T) {
	near := 0
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 0))
		s, err := session.New(nil, session.Header{ID: "s", CWD: "/srv"})
		if err != nil {
			t.Fatal(err)
		}
		b := s.Main()
		var said []session.ID
		for range 5 + r.IntN(60) {
			var body session.Body
			words := strings.Repeat("word ", 1+r.IntN(20))
			switch r.IntN(8) {
			case 0, 1:
				body = session.Message{Message: message.Message{Role: message.User, Content: []message.Block{message.Text(words)}}}
			case 2, 3, 4:
				m := message.Message{Role: message.Assistant, Content: []message.Block{message.Text(words)}, StopReason: message.Stop}
				if n := r.IntN(3); n > 0 {
					m.Usage = &message.Usage{Input: int64(n * 100), Output: 10, TotalTokens: int64(n*100 + 10)}
				}
				if r.IntN(5) == 0 {
					m.StopReason = message.Aborted
				}
				body = session.Message{Message: m}
			case 5:
				body = session.ThinkingChange{Level: "high"}
			case 6:
				if len(said) == 0 || r.IntN(3) > 0 {
					continue
				}
				body = session.ContextEdit{Target: said[r.IntN(len(said))], Omit: true}
			default:
				if len(said) == 0 || r.IntN(3) > 0 {
					continue
				}
				body = session.Compaction{Summary: words, FirstKept: said[r.IntN(len(said))]}
			}
			e, err := b.Append(t.Context(), body)
			if e == nil {
				t.Fatal(err)
			}
			if e.Type == session.TypeMessage {
				said = append(said, e.ID)
			}
			p, err := b.Project()
			if err != nil {
				t.Fatal(err)
			}
			got, ok := compaction.UseNear(s.Tree(), b.Leaf())
			if !ok {
				continue
			}
			near++
			if want := compaction.UseOf(s.Tree(), b.Leaf(), p); got.Tokens() != want.Tokens() || got.Unasked != want.Unasked {
				t.Fatalf("seed %d: %+v near the leaf, %+v in the whole", seed, got, want)
			}
		}
	}
	if near < 200 {
		t.Errorf("only %d were measured near the leaf", near)
	}
}
