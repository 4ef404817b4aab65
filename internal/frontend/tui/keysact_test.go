package tui

import (
	"os"
	"strings"
	"testing"
)

// Each action of the table is asked for somewhere: no key is listed that does nothing.
func TestEveryActionIsHeard(t *testing.T) {
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	var code strings.Builder
	for _, f := range files {
		if name := f.Name(); strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") && name != "keys.go" && name != "keysof.go" {
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			code.Write(b)
		}
	}
	for _, b := range bindings {
		if b.id == "tui.input.copy" {
			continue // its key clears the editor
		}
		if !strings.Contains(code.String(), `"`+b.id+`"`) {
			t.Errorf("nothing listens to %s (%s)", b.id, b.keys)
		}
	}
}

// The list of what the main view listens to has only what there is, and all of app.*
// that is not of a list or of the tree.
func TestMainActions(t *testing.T) {
	listed := map[string]bool{"app.exit": true} // in an empty editor only
	for _, id := range mainActions() {
		listed[id] = true
	}
	for _, b := range bindings {
		group := strings.Join(strings.SplitN(b.id, ".", 3)[:2], ".")
		switch {
		case !strings.HasPrefix(b.id, "app."), group == "app.models", group == "app.tree", b.id == "app.thinking.save", listed[b.id]:
		case group == "app.session" && b.keys != "": // of the list of sessions
		default:
			t.Errorf("%s is not looked at for keys that collide", b.id)
		}
		delete(listed, b.id)
	}
	for id := range listed {
		t.Errorf("there is no action %s", id)
	}
}
