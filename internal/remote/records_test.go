package remote_test

import (
	"bufio"
	"net/http"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/protocol"
)

// With ?form=rpc a stream has pi's records, and the entries that are new.
func TestRecordsOfRPC(t *testing.T) {
	w := newWorld(t)
	id, _ := w.begun()
	r, err := http.NewRequestWithContext(t.Context(), "GET", w.http.URL+"/api/v1/events?form=rpc&session="+id, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+secret)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	if !lines.Scan() || lines.Text() != ": bough" {
		t.Fatalf("it begins with %q", lines.Text())
	}
	far := w.open(w.dialer(), protocol.Open{Session: id})
	far.say("hello")
	var names []string
	last, entries := "", 0
	for lines.Scan() {
		line := lines.Text()
		if id, ok := strings.CutPrefix(line, "id: "); ok {
			last = id
		}
		rec, ok := strings.CutPrefix(line, "data: ")
		if !ok {
			continue
		}
		name, _ := rawjson.GetString([]byte(rec), "type")
		names = append(names, name)
		if name == "entry_appended" {
			entries++
			if entry := rawjson.Get([]byte(rec), "entry"); strings.Contains(string(entry), "ask A") {
				t.Error("what was there before is told")
			}
		}
		if name == "agent_settled" {
			break
		}
	}
	got := strings.Join(names, " ")
	for _, want := range []string{"agent_start", "message_start message_end entry_appended", "message_update", "turn_end", "agent_end agent_settled"} {
		if !strings.Contains(got, want) {
			t.Errorf("there is no %s in %s", want, got)
		}
	}
	if last == "" || entries < 2 {
		t.Errorf("id %q, %d entries", last, entries)
	}
}
