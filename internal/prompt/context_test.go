package prompt

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tree writes files, named by slash paths, under a new folder.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(strings.ReplaceAll(text, "ROOT", root)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestContextFiles(t *testing.T) {
	for _, tt := range []struct {
		name       string
		files      map[string]string
		agent, dir string
		want       []string
	}{
		{"the user's file first, then from the root down", map[string]string{"agent/AGENTS.md": "u", "a/AGENTS.md": "a", "a/b/CLAUDE.md": "b", "a/b/c/x": ""},
			"agent", "a/b/c", []string{"agent/AGENTS.md", "a/AGENTS.md", "a/b/CLAUDE.md"}},
		{"one file a directory", map[string]string{"a/AGENTS.override.md": "o", "a/AGENTS.md": "a", "a/CLAUDE.md": "c"},
			"agent", "a", []string{"a/AGENTS.override.md"}},
		{"a directory of that name is none", map[string]string{"a/AGENTS.md/x": "", "a/CLAUDE.md": "c"}, "agent", "a", []string{"a/CLAUDE.md"}},
		{"the agent directory above the session's counts once", map[string]string{"a/AGENTS.md": "a", "a/b/AGENTS.md": "b"},
			"a", "a/b", []string{"a/AGENTS.md", "a/b/AGENTS.md"}},
		{"a worktree inside its repository has its own file",
			map[string]string{"r/AGENTS.md": "main", "r/.git/worktrees/w/x": "", "r/trees/w/.git": "gitdir: ROOT/r/.git/worktrees/w\n", "r/trees/w/AGENTS.md": "tree"},
			"agent", "r/trees/w", []string{"r/trees/w/AGENTS.md"}},
		{"a worktree without one has that of the repository",
			map[string]string{"r/AGENTS.md": "main", "r/.git/worktrees/w/x": "", "r/trees/w/.git": "gitdir: ../../.git/worktrees/w\n", "r/trees/w/sub/x": ""},
			"agent", "r/trees/w/sub", []string{"r/AGENTS.md"}},
		{"a file of another name stays",
			map[string]string{"r/AGENTS.md": "main", "r/.git/worktrees/w/x": "", "r/trees/w/.git": "gitdir: ROOT/r/.git/worktrees/w\n", "r/trees/w/CLAUDE.md": "tree"},
			"agent", "r/trees/w", []string{"r/AGENTS.md", "r/trees/w/CLAUDE.md"}},
		{"a submodule is no worktree",
			map[string]string{"r/AGENTS.md": "main", "r/.git/modules/m/x": "", "r/m/.git": "gitdir: ../.git/modules/m\n", "r/m/AGENTS.md": "sub"},
			"agent", "r/m", []string{"r/AGENTS.md", "r/m/AGENTS.md"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root := tree(t, tt.files)
			files, warnings := ContextFiles(filepath.Join(root, tt.agent), filepath.Join(root, tt.dir))
			var got []string
			for _, f := range files {
				rel, err := filepath.Rel(root, f.Path)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, filepath.ToSlash(rel))
			}
			if !slices.Equal(got, tt.want) || len(warnings) > 0 {
				t.Errorf("files %q, want %q; warnings %q", got, tt.want, warnings)
			}
		})
	}
}

func TestContextFileTexts(t *testing.T) {
	root := tree(t, map[string]string{"agent/AGENTS.md": "\ufeffhello \xff", "a/AGENTS.md": strings.Repeat("x", contextLimit)})
	files, warnings := ContextFiles(filepath.Join(root, "agent"), filepath.Join(root, "a"))
	if len(files) != 2 || files[0].Text != "hello \ufffd" {
		t.Errorf("files %.100q", files)
	}
	if len(warnings) != 1 || !strings.Contains(warnings[0], "257 KB") || !strings.Contains(warnings[0], files[1].Path+" 256 KB") {
		t.Errorf("warnings %q", warnings)
	}
}

func TestPromptFiles(t *testing.T) {
	for _, tt := range []struct {
		name             string
		files            map[string]string
		trusted          bool
		preamble, append string
	}{
		{"none", nil, true, "", ""},
		{"the user's", map[string]string{"agent/SYSTEM.md": "\nsys\n", "agent/APPEND_SYSTEM.md": "app"}, true, "sys", "app"},
		{"a project's replaces the one of its name", map[string]string{"agent/SYSTEM.md": "sys", "agent/APPEND_SYSTEM.md": "app", "p/.pi/SYSTEM.md": "own"}, true, "own", "app"},
		{"but not without trust", map[string]string{"agent/SYSTEM.md": "sys", "p/.pi/SYSTEM.md": "own"}, false, "sys", ""},
		{"a blank one is none", map[string]string{"agent/SYSTEM.md": " \n"}, true, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root := tree(t, tt.files)
			project := ""
			if tt.trusted {
				project = filepath.Join(root, "p")
			}
			pre, app, warnings := PromptFiles(filepath.Join(root, "agent"), project)
			if pre.Text != tt.preamble || app.Text != tt.append || len(warnings) > 0 {
				t.Errorf("%+v %+v %q", pre, app, warnings)
			}
		})
	}
}

func TestTextOrFile(t *testing.T) {
	root := tree(t, map[string]string{"p.md": "from the file\n", "d/x": ""})
	for _, tt := range []struct{ name, value, want string }{
		{"words", "You are a poet.", "You are a poet."},
		{"a file", "p.md", "from the file"},
		{"an absolute path", filepath.Join(root, "p.md"), "from the file"},
		{"a folder is no file", "d", "d"},
		{"no file of that name", "q.md", "q.md"},
		{"several lines are words", "p.md\nx", "p.md\nx"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := TextOrFile(tt.value, root)
			if err != nil || got.Text != tt.want {
				t.Errorf("%q, %v; want %q", got.Text, err, tt.want)
			}
		})
	}
}

func TestFilesThatNoModelReadsAreLeftOut(t *testing.T) {
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, "SYSTEM.md"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Truncate(65<<20), f.Close()); err != nil {
		t.Fatal(err)
	}
	if preamble, _, warnings := PromptFiles(dir, ""); preamble.Text != "" || len(warnings) != 1 || !strings.Contains(warnings[0], "is larger than 64 MB") {
		t.Errorf("%d bytes, %q", len(preamble.Text), warnings)
	}
}

func TestDevicesAreNotRead(t *testing.T) {
	root := tree(t, map[string]string{"p/x": "", "agent/x": ""})
	for _, name := range []string{"p/.git", "agent/SYSTEM.md"} {
		if err := os.Symlink("/dev/zero", filepath.Join(root, filepath.FromSlash(name))); err != nil {
			t.Skip(err)
		}
	}
	if files, warnings := ContextFiles(filepath.Join(root, "agent"), filepath.Join(root, "p")); len(files)+len(warnings) > 0 {
		t.Errorf("%v %q", files, warnings)
	}
	if preamble, _, warnings := PromptFiles(filepath.Join(root, "agent"), ""); preamble.Text != "" || len(warnings) != 1 || !strings.Contains(warnings[0], "is no file") {
		t.Errorf("%v %q", preamble, warnings)
	}
}
