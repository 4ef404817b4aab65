package control_test

import (
	"os"
	"testing"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/protocol"
)

// Where a session lies that another program has taken the file of is told before
// anything is saved there.
func TestFileOfReplaced(t *testing.T) {
	w := newWorld(t, readRule)
	f := w.connect(control.Start{})
	f.say("hello")
	old := f.view.File
	if err := os.Truncate(old, 0); err != nil {
		t.Fatal(err)
	}
	f.say("and on")
	if f.view.File == "" || f.view.File == old {
		t.Fatalf("it lies in %q, was in %s", f.view.File, old)
	}
	if _, err := os.Stat(f.view.File); err != nil {
		t.Error(err)
	}
}

// A command that the system cannot begin is refused in plain words.
func TestBashWithZero(t *testing.T) {
	w := newWorld(t, readRule)
	f := w.connect(control.Start{})
	if _, err := protocol.Call(t.Context(), f, protocol.Bash{Command: "a\x00b"}); protocol.CodeOf(err) != protocol.BadRequest {
		t.Errorf("bash: %v", err)
	}
}
