package workspace_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/boughdev/bough/internal/workspace"
	"github.com/boughdev/bough/internal/workspace/workspacetest"
)

func TestLocal(t *testing.T) {
	workspacetest.Run(t, func(t *testing.T) workspace.Workspace { return workspace.NewLocal(t.TempDir()) })
}

func TestPath(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"a relative name", "a/b", "/w/a/b"},
		{"an absolute name", "/x//y/../z", "/x/z"},
		{"home", "~", "/home/u"},
		{"below home", "~/a b", "/home/u/a b"},
		{"another's home is a name", "~root/x", "/w/~root/x"},
		{"a mention", "@src/main.go", "/w/src/main.go"},
		{"a mention of home", "@~/x", "/home/u/x"},
		{"unusual blanks", "a\u00a0b\u202fc\u3000d", "/w/a b c d"},
		{"a file URL", "file:///tmp/a%20b.txt", "/tmp/a b.txt"},
		{"a file URL of this machine", "FILE://localhost/tmp/x", "/tmp/x"},
		{"the folder itself", "", "/w"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, err := workspace.Path("/w", "/home/u", tt.in); err != nil || got != tt.want {
				t.Errorf("Path(%q) = %q, %v; want %q", tt.in, got, err, tt.want)
			}
		})
	}
	for _, bad := range []string{"file://host/share/x", "file://", "file:///a%zz"} {
		if got, err := workspace.Path("/w", "/home/u", bad); err == nil {
			t.Errorf("Path(%q) = %q, want an error", bad, got)
		}
	}
}

func TestResolvePrefersWhatExists(t *testing.T) {
	dir := t.TempDir()
	ws := workspace.NewLocal(dir)
	put(t, filepath.Join(dir, "@types"), "")
	put(t, filepath.Join(dir, "a\u00a0b"), "")
	for in, want := range map[string]string{"@types": "@types", "a\u00a0b": "a\u00a0b", "@other": "other", "c\u00a0d": "c d"} {
		if got, err := ws.Resolve(in); err != nil || got != filepath.Join(dir, want) {
			t.Errorf("Resolve(%q) = %q, %v", in, got, err)
		}
	}
	put(t, filepath.Join(dir, "types"), "")
	if got, _ := ws.Resolve("@types"); got != filepath.Join(dir, "types") {
		t.Errorf("Resolve(@types) = %q where both exist", got)
	}
}

func TestFind(t *testing.T) {
	for _, tt := range []struct{ name, file, asked string }{
		{"the name itself", "a.txt", "a.txt"},
		{"a narrow blank before PM", "Screenshot 2026-01-01 at 9.41.07\u202fPM.png", "Screenshot 2026-01-01 at 9.41.07 PM.png"},
		{"decomposed accents", "cafe\u0301.txt", "caf\u00e9.txt"},
		{"a curly apostrophe", "Bob\u2019s.txt", "Bob's.txt"},
		{"all of them", "E\u0301t\u00e9\u2019s 1\u202fam.png", "\u00c9t\u00e9's 1 am.png"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			if tt.name == "all of them" {
				tt.file = "E\u0301te\u0301\u2019s 1\u202fam.png"
			}
			put(t, filepath.Join(dir, tt.file), "x")
			got, _, err := workspace.Find(t.Context(), workspace.NewLocal(dir), filepath.Join(dir, tt.asked))
			if err != nil || filepath.Base(got) != tt.file {
				t.Errorf("found %q, %v; want %q", got, err, tt.file)
			}
		})
	}
	_, _, err := workspace.Find(t.Context(), workspace.NewLocal(t.TempDir()), "/nothing/here's PM.png")
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("err = %v", err)
	}
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestUpdateKeepsNoLitter(t *testing.T) {
	dir := t.TempDir()
	ws := workspace.NewLocal(dir)
	put(t, filepath.Join(dir, "f"), "old")
	for _, err := range []error{nil, errors.New("no")} {
		_ = ws.Update(t.Context(), filepath.Join(dir, "f"), func(fs.File) ([]byte, error) { return []byte("new"), err })
		list, _ := os.ReadDir(dir)
		if len(list) != 1 {
			t.Errorf("after %v: %v", err, list)
		}
	}
}

// Sessions in one folder have workspaces of their own.
func TestUpdateFromTwoWorkspaces(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "f"), "")
	must(t, os.Symlink(dir, filepath.Join(dir, "self")))
	var wg sync.WaitGroup
	for _, path := range []string{"f", "self/f", "self/self/f"} {
		ws := workspace.NewLocal(dir)
		wg.Go(func() {
			for range 10 {
				err := ws.Update(t.Context(), filepath.Join(dir, path), func(old fs.File) ([]byte, error) {
					b, err := io.ReadAll(old)
					return append(b, '.'), err
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if b, _ := os.ReadFile(filepath.Join(dir, "f")); len(b) != 30 {
		t.Errorf("%d of 30 changes", len(b))
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestUpdateAfterTheEnd(t *testing.T) {
	dir := t.TempDir()
	ws := workspace.NewLocal(dir)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for _, name := range []string{"f", "new"} {
		put(t, filepath.Join(dir, "f"), "old")
		err := ws.Update(ctx, filepath.Join(dir, name), func(fs.File) ([]byte, error) { cancel(); return []byte("new"), nil })
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
	b, _ := os.ReadFile(filepath.Join(dir, "f"))
	if _, err := os.Stat(filepath.Join(dir, "new")); string(b) != "old" || err == nil {
		t.Errorf("a change of after the end was made: %q, %v", b, err)
	}
}

func TestWalk(t *testing.T) {
	for _, tt := range []struct {
		name, from string
		files      map[string]string
		want       string
	}{
		{"paths come in their order", ".", map[string]string{"b/x": "", "a.go": "", "a/z": "", "a-b": ""},
			"a-b a.go a/ a/z b/ b/x"},
		{"ignore files count outside repositories", ".", map[string]string{".gitignore": "*.log\n", "a.log": "", "d/b.log": "", "c": ""},
			".gitignore c d/"},
		{"rules from above count up to the workspace", "sub", map[string]string{".gitignore": "/sub/x\ny\n", "sub/x": "", "sub/y": "", "sub/z": ""},
			"z"},
		{"an .ignore file goes before a .gitignore", ".", map[string]string{".gitignore": "a\n", ".ignore": "!a\nb\n", "a": "", "b": ""},
			".gitignore .ignore a"},
		{"what is left out is not entered", ".", map[string]string{".gitignore": "d/\n!d/keep\n", "d/keep": ""},
			".gitignore"},
		{"excludes of a repository", ".", map[string]string{".git/info/exclude": "secret\n", ".gitignore": "!other\n", "secret": "", "other": ""},
			".gitignore other"},
		{"a nested repository has its own rules", ".",
			map[string]string{".gitignore": "*.o\n", "n/.git/HEAD": "", "n/.gitignore": "x\n", "n/a.o": "", "n/x": "", "m/a.o": "", ".ignore": "q\n", "n/q": ""},
			".gitignore .ignore m/ n/ n/.gitignore n/a.o"},
		{"a linked work tree", ".", map[string]string{".git": "gitdir: ../real/worktrees/w\n", "../real/worktrees/w/commondir": "../..\n",
			"../real/info/exclude": "no\n", "no": "", "yes": ""}, "yes"},
		{"the folder that is asked for counts even if it is left out", "out", map[string]string{".gitignore": "out\n", "out/f": ""}, "f"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "w")
			for name, text := range tt.files {
				put(t, filepath.Join(dir, name), text)
			}
			var got []string
			for e, err := range workspace.Walk(t.Context(), workspace.NewLocal(dir), filepath.Join(dir, tt.from)) {
				if err != nil {
					t.Fatal(err)
				}
				if e.Type.IsDir() {
					e.Rel += "/"
				}
				got = append(got, e.Rel)
			}
			if s := strings.Join(got, " "); s != tt.want {
				t.Errorf("walk = %s\nwant   %s", s, tt.want)
			}
		})
	}
}

func TestWalkEnds(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "a/b"), "")
	put(t, filepath.Join(dir, "c"), "")
	for range workspace.Walk(t.Context(), workspace.NewLocal(dir), dir) {
		break
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var last error
	for e, err := range workspace.Walk(ctx, workspace.NewLocal(dir), dir) {
		if e.Rel == "a" {
			cancel()
		}
		last = err
	}
	if !errors.Is(last, context.Canceled) {
		t.Errorf("err = %v", last)
	}
	for _, err := range workspace.Walk(t.Context(), workspace.NewLocal(dir), filepath.Join(dir, "none")) {
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("err = %v", err)
		}
	}
}
