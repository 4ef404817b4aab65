package control

import (
	"context"
	"testing"
	"testing/synctest"
)

// Calls ask in the order in which they began, whichever is ready first; one that has
// no question, or whose id comes again, keeps nobody waiting.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var all turns
		var asked []string
		ask := func(call string) {
			go func() {
				all.wait(t.Context(), call)
				asked = append(asked, call)
			}()
			synctest.Wait()
		}
		for _, call := range []string{"a", "b", "c", "d"} {
			all.join(call)
		}
		ask("d")
		ask("b")
		if len(asked) != 0 {
			t.Fatalf("%v have asked before their turn", asked)
		}
		all.end("c") // out of order
		all.end("a")
		synctest.Wait()
		if len(asked) != 1 || asked[0] != "b" {
			t.Fatalf("%v have asked, want b", asked)
		}
		all.join("b") // the same id again: the one before is over
		synctest.Wait()
		if len(asked) != 2 || asked[1] != "d" {
			t.Fatalf("%v have asked, want b and d", asked)
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		all.wait(gone, "b")       // who has gone does not wait
		all.wait(t.Context(), "") // nor one that has no turn
		all.end("d")
		all.end("d")
		all.wait(t.Context(), "b")
		all.end("b")
		if len(all.calls) != 0 {
			t.Errorf("%v are kept", all.calls)
		}
	})
}
