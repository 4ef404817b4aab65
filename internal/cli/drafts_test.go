package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/boughdev/bough/internal/config"
	"github.com/boughdev/bough/session"
)

func TestDraftFiles(t *testing.T) {
	d := draftFiles{filepath.Join(t.TempDir(), "drafts")}
	if got, err := d.Load("none"); got != nil || err != nil {
		t.Fatalf("%v, %v", got, err)
	}
	want := map[session.ID]string{"": "at the start", "a1": "two\nlines \u202e \"quoted\""}
	if err := d.Save("../../etc/passwd", want); err != nil {
		t.Fatal(err)
	}
	if got, err := d.Load("../../etc/passwd"); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	files, _ := os.ReadDir(d.dir)
	if len(files) != 1 {
		t.Fatalf("there are %d files", len(files))
	}
	private(t, filepath.Join(d.dir, files[0].Name()))
	if err := d.Save("../../etc/passwd", map[session.ID]string{"": "", "a1": ""}); err != nil {
		t.Fatal(err)
	}
	if files, _ := os.ReadDir(d.dir); len(files) != 0 {
		t.Errorf("an empty draft is kept in %s", files[0].Name())
	}
	if err := d.Save("never", nil); err != nil {
		t.Error(err)
	}
	if err := writePrivate(d.file("bad"), []byte("{")); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Load("bad"); err == nil || !strings.Contains(err.Error(), "cannot be read") {
		t.Error(err)
	}
}

func TestTreeLooks(t *testing.T) {
	l := treeLooks{filepath.Join(t.TempDir(), "trees")}
	if got := l.load("none"); got != "" {
		t.Errorf("%q of nothing", got)
	}
	if err := l.save("../s", "all classic 2"); err != nil {
		t.Fatal(err)
	}
	private(t, l.file("../s"))
	if got := l.load("../s"); got != "all classic 2" {
		t.Errorf("%q", got)
	}
}

// Two terminals at one session keep their drafts beside each other.
func TestDraftsOfTwoTerminals(t *testing.T) {
	d := draftFiles{t.TempDir()}
	const each = 20
	var work sync.WaitGroup
	for _, who := range []string{"a", "b"} {
		work.Go(func() {
			for i := range each {
				id := session.ID(fmt.Sprint(who, i))
				if err := d.Save("one", map[session.ID]string{id: who, session.ID(fmt.Sprint(who, i-1)): ""}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	work.Wait()
	want := map[session.ID]string{"a19": "a", "b19": "b"}
	if got, err := d.Load("one"); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
}

func private(t *testing.T, path string) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
}

func TestPromptFile(t *testing.T) {
	f := newPromptFile(config.Paths{State: t.TempDir()}, "/srv/app")
	if got := f.last(); got != nil {
		t.Errorf("%q", got)
	}
	for i := range 250 {
		if err := f.add(fmt.Sprintf("prompt\n%d", i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.add(strings.Repeat("x", 1<<20)); err != nil {
		t.Fatal(err)
	}
	private(t, f.path)
	got := f.last()
	if len(got) != keptPrompts || got[0] != "prompt\n150" || got[99] != "prompt\n249" {
		t.Errorf("%d, %q", len(got), got)
	}
	if err := os.WriteFile(f.path, []byte(strings.Repeat("\"old\"\nno JSON\n", 100_000)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := f.add("new"); err != nil {
		t.Fatal(err)
	}
	got = f.last()
	if info, err := os.Stat(f.path); err != nil || info.Size() > 2000 || got[len(got)-1] != "new" || got[0] != "old" {
		t.Errorf("%v %v, %q", info.Size(), err, got)
	}
}
