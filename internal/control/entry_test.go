package control_test

import (
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// An entry is given whole wherever it stands, with what the model sees of it.
func TestGetEntry(t *testing.T) {
	w := newWorld(t, readRule)
	f := w.connect(control.Start{})
	f.say("hello")
	answer := f.view.Leaf
	question := f.view.Tree.Parent(answer).ID
	get := func(id session.ID) protocol.EntryInfo {
		t.Helper()
		e, err := protocol.Call(t.Context(), f, protocol.GetEntry{Entry: id})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	if e := get(question); !e.OnPath || !e.Seen || !strings.Contains(string(e.Line), `"hello"`) {
		t.Errorf("on the path: %+v", e)
	}
	if _, err := protocol.Call(t.Context(), f, protocol.Hide{Entry: question}); err != nil {
		t.Fatal(err)
	}
	if e := get(question); !e.OnPath || e.Seen {
		t.Errorf("hidden: %+v", e)
	}
	if _, err := protocol.Call(t.Context(), f, protocol.Navigate{Target: question, At: true}); err != nil {
		t.Fatal(err)
	}
	if e := get(answer); e.OnPath || e.Seen || !strings.Contains(string(e.Line), "Echo: hello") {
		t.Errorf("on another branch: %+v", e)
	}
	if _, err := protocol.Call(t.Context(), f, protocol.GetEntry{Entry: "none"}); protocol.CodeOf(err) != protocol.UnknownEntry {
		t.Errorf("no such entry: %v", err)
	}
}
