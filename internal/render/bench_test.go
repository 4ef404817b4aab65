package render

import (
	"fmt"
	"testing"

	"github.com/boughdev/bough/session"
)

// big has n entries, a side branch at every tenth.
func big(n int) (*session.Tree, session.ID) {
	t := newTree()
	at := ""
	for i := range n {
		id := fmt.Sprint("e", i)
		if i%2 == 0 {
			t.add(id, at, user("a question of some length, as they are"))
		} else {
			t.add(id, at, answer("an answer of some length, as they are"))
		}
		if i%10 != 9 {
			at = id
		}
	}
	return t.Tree, session.ID(at)
}

func BenchmarkTreeRows(b *testing.B) {
	t, leaf := big(50000)
	for b.Loop() {
		if rows := TreeRows(t, leaf, TreeOptions{Width: 80}); len(rows) != 50000 {
			b.Fatal(len(rows))
		}
	}
}

func BenchmarkChain(b *testing.B) {
	t, leaf := big(50000)
	for b.Loop() {
		if _, err := Chain(t, leaf); err != nil {
			b.Fatal(err)
		}
	}
}
