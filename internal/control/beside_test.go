package control_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"testing"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// However several views of one file speak, move, add and call things off at the same
// time: each entry stands behind its parent, no line is lost or torn, what was
// promised is there, and every request is one that all families take (the witness
// looks at each).
func TestViewsSideBySide(t *testing.T) {
	const rules = `{"rules":[
 {"when":{"toolResult":"."},"reply":{"text":"Read."}},
 {"when":{"user":"^read"},"reply":{"text":"Reading.","toolCalls":[{"name":"read","args":{"path":"a"}},{"name":"read","args":{"path":"b"}}]}},
 {"when":{"user":"^broken"},"reply":{"error":"bad-request"}},
 {"reply":{"text":"Good."}}]}`
	for seed := range uint64(6) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			w := newWorld(t, rules)
			path := w.file(exampleLines...)
			had, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			places := []session.ID{"", "A", "B", "C", "D", "E", "F", "R", "X", "L"}
			var (
				wg       sync.WaitGroup
				mu       sync.Mutex
				promised []session.ID
			)
			for view := range uint64(4) {
				c := w.open(protocol.Open{Session: path, Own: view != 1, Who: fmt.Sprint(view)})
				r := rand.New(rand.NewPCG(seed, view))
				wg.Go(func() {
					at := func() session.ID { return places[r.IntN(len(places))] }
					for step := range 40 {
						var cmd protocol.Request
						text := []string{"hello", "read it", "broken", "早上好"}[r.IntN(4)]
						switch r.IntN(8) {
						case 0:
							cmd = protocol.PromptAt{Parent: at(), Text: text, Exact: r.IntN(2) == 0}
						case 1:
							cmd = protocol.Prompt{Text: text, WhenBusy: protocol.AsSteering}
						case 2:
							parent := at()
							cmd = protocol.Append{Parent: &parent, Message: saying(message.User, text), Stay: r.IntN(2) == 0}
						case 3:
							cmd = protocol.Append{Message: saying(message.User, text), Custom: "note", Stay: r.IntN(2) == 0}
						case 4:
							cmd = protocol.Navigate{Target: at(), At: r.IntN(2) == 0, Label: []string{"", "here"}[r.IntN(2)], Persist: r.IntN(2) == 0}
						case 5:
							entry := at()
							cmd = protocol.Retry{Entry: &entry}
						case 6:
							cmd = protocol.SetLabel{Entry: places[1+r.IntN(len(places)-1)], Text: fmt.Sprint(step)}
						case 7:
							cmd = []protocol.Request{protocol.Abort{}, protocol.Back{}, protocol.Forward{}, protocol.ClearQueue{}}[r.IntN(4)]
						}
						v, err := c.Do(t.Context(), cmd)
						if err != nil && protocol.CodeOf(err) == "" {
							t.Errorf("%+v: %v", cmd, err)
						}
						mu.Lock()
						switch x := v.(type) {
						case protocol.PromptedAt:
							if err == nil {
								promised = append(promised, x.Entry)
							}
						case protocol.Added:
							if err == nil {
								promised = append(promised, x.Entry)
							}
						}
						mu.Unlock()
					}
				})
			}
			wg.Wait()
			w.hub.Close()
			has, err := os.ReadFile(path)
			if err != nil || !bytes.HasPrefix(has, had) {
				t.Fatalf("old bytes have changed (%v)", err)
			}
			known := map[string]bool{}
			for i, line := range bytes.Split(bytes.TrimSuffix(has, []byte("\n")), []byte("\n")) {
				var e struct {
					ID       string
					ParentID *string
				}
				if err := json.Unmarshal(line, &e); err != nil || known[e.ID] {
					t.Fatalf("line %d: %v: %s", i+1, err, line)
				}
				if e.ParentID != nil && !known[*e.ParentID] {
					t.Errorf("line %d stands before its parent: %s", i+1, line)
				}
				known[e.ID] = true
			}
			for _, id := range promised {
				if !known[string(id)] {
					t.Errorf("entry %s was promised and is not there", id)
				}
			}
			if len(promised) == 0 {
				t.Error("nothing was added")
			}
		})
	}
}
