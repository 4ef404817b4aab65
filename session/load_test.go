package session

import (
	"errors"
	"strings"
	"testing"
)

func TestFindHeader(t *testing.T) {
	const head = `{"type":"session","version":3,"id":"s"}`
	for _, tt := range []struct {
		name, data string
		ok         bool
	}{
		{"at the beginning", head, true},
		{"behind what is no JSON", "garbage{\n\n \n" + head, true},
		{"behind values that say nothing", "null\nfalse\n0\n\"\"\n" + head, true},
		{"not behind another value", "[1]\n" + head, false},
		{"not behind an entry", userLine("a", "", "x") + "\n" + head, false},
		{"not behind a byte order mark", "\ufeff" + head, false},
		{"not with an id that is no text", `{"type":"session","id":5}`, false},
		{"not in nothing", "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h, _, err := FindHeader([]byte(tt.data))
			if tt.ok && (err != nil || h.ID != "s") || !tt.ok && !errors.Is(err, ErrNotSession) {
				t.Errorf("header %+v, %v", h, err)
			}
		})
	}
}

// The example of docs/spec/session.md 2.
func TestMigrateVersion1(t *testing.T) {
	msg := func(role, text string) string {
		return `{"type":"message","message":{"role":"` + role + `","content":"` + text + `"}}`
	}
	data := strings.Join([]string{`{"type":"session","id":"s","x":1}`, msg("user", "one"), msg("assistant", "r"), "torn{", msg("user", "two"),
		msg("hookMessage", "h"), `{"type":"compaction","summary":"c","firstKeptEntryIndex":3}`,
		`{"type":"compaction","summary":"own","firstKeptEntryIndex":6}`, `{"type":"compaction","summary":"later","firstKeptEntryIndex":8}`, msg("user", "three")}, "\n")
	h, entries, err := Load([]byte(data))
	if err != nil {
		t.Fatal(err)
	}
	if h.Version != 3 || string(h.Line()) != `{"type":"session","id":"s","x":1,"version":3}` {
		t.Errorf("header %s", h.Line())
	}
	if len(entries) != 8 {
		t.Fatalf("%d entries, want 8: the torn line is none", len(entries))
	}
	var parent ID
	for i, e := range entries {
		if e.Parent != parent || len(e.ID) != 8 {
			t.Errorf("entry %d: id %s below %q, want 8 digits below %q", i, e.ID, e.Parent, parent)
		}
		parent = e.ID
	}
	if entries[3].Role != "custom" {
		t.Errorf("role %s, want custom", entries[3].Role)
	}
	for i, want := range map[int]ID{4: entries[2].ID, 5: entries[5].ID, 6: ""} {
		body, err := entries[i].Body()
		if err != nil {
			t.Fatal(err)
		}
		if got := body.(Compaction).FirstKept; got != want {
			t.Errorf("compaction %d keeps from %q, want %q", i, got, want)
		}
	}
	_, again, err := Load([]byte(data))
	if err != nil || ids(again) != ids(entries) {
		t.Errorf("ids %s, then %s: want the same, %v", ids(entries), ids(again), err)
	}
	if v := FormatVersion(Header{ID: "s", Version: 1}, []byte(data)); v != 1 {
		t.Errorf("version %d, want 1", v)
	}
}

func TestATreeThatLostItsVersionIsKept(t *testing.T) {
	data := []byte(`{"type":"session","id":"s"}` + "\n" + userLine("a", "", "x") + "\n" + userLine("b", "a", "y"))
	h, entries, err := Load(data)
	if err != nil {
		t.Fatal(err)
	}
	if ids(entries) != "a b" || h.Version != 3 {
		t.Errorf("entries %s of version %d, want a b of 3", ids(entries), h.Version)
	}
	if v := FormatVersion(Header{ID: "s", Version: 1}, data); v != 2 {
		t.Errorf("version %d, want 2", v)
	}
}
