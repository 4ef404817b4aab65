package printer_test

import (
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/internal/frontend/printer"
	"github.com/boughdev/bough/protocol"
)

// In a session that asks elsewhere people learn what is waited for.
func TestAskedElsewhere(t *testing.T) {
	w := newWorld(t, `{"rules":[{"when":{"turn":0},"reply":{"toolCalls":[{"name":"echo","args":{"text":"x"}}]}},{"reply":{"text":"Seen."}}]}`, control.Options{})
	if _, err := protocol.Call(t.Context(), w.conn, protocol.SetPermissions{Mode: "ask"}); err != nil {
		t.Fatal(err)
	}
	watches := make(chan bool)
	go func() { // another front end
		for ev := range w.conn.Watch(t.Context(), 0) {
			switch e := ev.(type) {
			case protocol.State:
				watches <- true
			case protocol.Asked:
				protocol.Call(t.Context(), w.conn, protocol.Answer{Question: e.ID, Choice: "yes"})
			}
		}
	}()
	<-watches
	code, out, errs := w.run(printer.Options{Prompts: prompts("hello")})
	if code != 0 || out != "Seen.\n" || !strings.Contains(errs, "waiting until somebody answers at another front end: May echo be run? (it is not known to bough what this tool does)") {
		t.Errorf("%d %q %q", code, out, errs)
	}
}
