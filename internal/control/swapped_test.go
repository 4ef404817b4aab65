package control_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/internal/permission"
)

// A yes is for the file that was asked about, not for one that a link leads to which
// was put in its place meanwhile.
func TestAFileThatIsSwappedWhileItIsAskedAbout(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links want rights there")
	}
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	w, dir := guarded(t, permission.Policy{Mode: permission.Ask}, true)
	f := w.connect(control.Start{})
	f.prompt("one")
	q := f.question("")
	if err := os.Symlink(elsewhere, filepath.Join(dir, "a")); err != nil {
		t.Fatal(err)
	}
	f.reply(q, "yes", "")
	f.until("the end", func() bool { return f.ends() > 0 })
	if _, err := os.Stat(elsewhere); err == nil {
		t.Error("the file elsewhere was written")
	}
	if talk := strings.Join(f.talk(), "\n"); !strings.Contains(talk, "became another file") {
		t.Errorf("the model is told\n%s", talk)
	}
}
