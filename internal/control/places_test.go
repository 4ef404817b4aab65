package control_test

import (
	"testing"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// The way back goes on before the start: the file tells where one stood.
func TestBackToBeforeTheStart(t *testing.T) {
	w := newWorld(t, goodRule)
	f := w.connect(control.Start{Open: w.file(
		`{"type":"session","version":3,"id":"s","timestamp":"2026-03-01T09:00:00.000Z","cwd":"/"}`,
		`{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"ask"}}`,
		`{"type":"message","id":"b","parentId":"a","message":{"role":"assistant","content":[{"type":"text","text":"say"}],"stopReason":"stop"}}`,
		`{"type":"message","id":"c","parentId":"a","message":{"role":"assistant","content":[{"type":"text","text":"say more"}],"stopReason":"stop"}}`,
	)})
	stands := func(n protocol.Navigated, want session.ID) {
		t.Helper()
		if n.Leaf != want {
			t.Errorf("at %s, want %s", n.Leaf, want)
		}
	}
	call(f, protocol.Navigate{Target: "a", At: true})
	stands(call(f, protocol.Back{}), "c")
	stands(call(f, protocol.Back{}), "b")
	refused(f, protocol.Back{}, protocol.NotRunnable)
	stands(call(f, protocol.Forward{}), "c")
	stands(call(f, protocol.Forward{}), "a")
}
