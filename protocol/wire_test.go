package protocol

import (
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/session"
)

// Who asked for it is told of every entry that is new, once each; pi's clients are told
// of what no other record tells.
func TestEntriesThatAreNew(t *testing.T) {
	entry := func(line string) *session.Entry {
		e, err := session.Decode([]byte(line), session.Line{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	said := entry(`{"type":"message","id":"m","parentId":null,"message":{"role":"user","content":"hi","timestamp":1}}`)
	edit := entry(`{"type":"context_edit","id":"c","parentId":"m","targetId":"m","action":"hide"}`)
	spaced := entry("{\"type\":\"custom\",\"id\":\"x\",\r\n\"parentId\":\"m\",\"customType\":\"y\"}")
	marker := entry(`{"type":"custom","id":"b","parentId":"m","customType":"bough.leaf","data":{}}`)
	for _, tt := range []struct {
		name      string
		ev        Appended
		pis, ours string
	}{
		{"a message", Appended{Entry: said, By: "me"}, "message_start message_end", `message_start message_end entry_appended(m by "me")`},
		{"one of others", Appended{Entry: said, Foreign: true}, "", "entry_appended(m by )"},
		{"an edit", Appended{Entry: edit, By: "me"}, "entry_appended(c by )", `entry_appended(c by "me")`},
		{"one on two lines", Appended{Entry: spaced, By: "me"}, "entry_appended(x by )", `entry_appended(x by "me")`},
		{"where the conversation stands", Appended{Entry: marker}, "", "entry_appended(b by )"},
	} {
		for ours, want := range map[bool]string{false: tt.pis, true: tt.ours} {
			var got []string
			for _, rec := range (&Wire{Ours: ours}).Records(tt.ev) {
				name, _ := rawjson.GetString(rec, "type")
				if name == "entry_appended" {
					id, _ := rawjson.GetString(rawjson.Get(rec, "entry"), "id")
					name += "(" + id + " by " + string(rawjson.Get(rec, "by")) + ")"
				}
				if ours && strings.ContainsAny(string(rec), "\r\n") {
					t.Errorf("%s has line ends: %q", tt.name, rec)
				}
				got = append(got, name)
			}
			if strings.Join(got, " ") != want {
				t.Errorf("%s, ours %v: %v, want %s", tt.name, ours, got, want)
			}
		}
	}
}
