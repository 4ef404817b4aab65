package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/internal/prompt"
	"github.com/boughdev/bough/internal/setup"
	"github.com/boughdev/bough/internal/trust"
)

// asker is a runner with somebody at its terminal who types in, and what it says.
func asker(t *testing.T, files map[string]string, a *args, in string) (r *runner, dir string, said *bytes.Buffer) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(root, "all", "project")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	said = &bytes.Buffer{}
	vars := map[string]string{"HOME": filepath.Join(root, "home"), "BOUGH_AGENT_DIR": filepath.Join(root, "agent"), "XDG_STATE_HOME": filepath.Join(root, "state")}
	if a == nil {
		a = &args{}
	}
	r, err = newRunner(Env{Stdin: strings.NewReader(in), Stdout: said, Stderr: said, Dir: dir, Getenv: func(n string) string { return vars[n] }}, a)
	if err != nil {
		t.Fatal(err)
	}
	r.asks = true
	return r, dir, said
}

func TestAskTrust(t *testing.T) {
	files := map[string]string{"all/project/.pi/settings.json": `{"shellPath":"/x/sh"}`, "all/project/.pi/skills/s/SKILL.md": "---\ndescription: d\n---\n"}
	for _, tt := range []struct {
		name, in string
		trusted  bool
		saved    string // what trust.json says then, of which folder
	}{
		{"yes", "y\n", true, "yes for project"},
		{"the folder above", "p\n", true, "yes for all"},
		{"only this time", "o\n", true, ""},
		{"never", "n\n", false, "no for project"},
		{"Enter", "\n", false, ""},
		{"nothing more to read", "", false, ""},
		{"another word, then yes", "what\nY\n", true, "yes for project"},
		{"a look first", "v\nyes\n", true, "yes for project"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, dir, said := asker(t, files, nil, tt.in)
			if got := r.settle(t.Context(), dir); got != tt.trusted {
				t.Errorf("trusted: %v", got)
			}
			if got := r.setup.Trusts(dir); got.Trusted != tt.trusted || got.Ask {
				t.Errorf("afterwards: %+v", got)
			}
			saved, err := trust.Lookup(r.paths.Agent, dir)
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if saved.Known {
				got = map[bool]string{true: "yes", false: "no"}[saved.Trusted] + " for " + filepath.Base(saved.At)
			}
			if got != tt.saved {
				t.Errorf("saved %q, want %q", got, tt.saved)
			}
			for _, want := range []string{"settings.json", "shellPath: /x/sh", "Trust it?"} {
				if !strings.Contains(said.String(), want) {
					t.Errorf("it does not say %s: %s", want, said)
				}
			}
			if looked := strings.Contains(said.String(), "    description: d"); looked != strings.HasPrefix(tt.in, "v") {
				t.Errorf("first lines shown: %v: %s", looked, said)
			}
			// Nobody is asked twice.
			said.Reset()
			if again := r.settle(t.Context(), dir); again != tt.trusted || said.Len() > 0 {
				t.Errorf("asked again: %v %s", again, said)
			}
		})
	}
}

func TestNobodyIsAsked(t *testing.T) {
	files := map[string]string{"all/project/.pi/settings.json": `{}`}
	for _, tt := range []struct {
		name    string
		files   map[string]string
		a       args
		asks    bool
		trusted bool
	}{
		{"without a terminal", files, args{}, false, false},
		{"with --approve", files, args{Options: setup.Options{Approve: true}}, true, true},
		{"with --no-approve", files, args{Options: setup.Options{NoApprove: true}}, true, false},
		{"if there is nothing to trust", nil, args{}, true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, dir, said := asker(t, tt.files, &tt.a, "y\n")
			r.asks = tt.asks
			if got := r.settle(t.Context(), dir); got != tt.trusted || said.Len() > 0 {
				t.Errorf("%v, said %s", got, said)
			}
		})
	}
}

func TestAskAgain(t *testing.T) {
	r, dir, said := asker(t, map[string]string{"all/project/.pi/settings.json": `{}`}, nil, "y\no\n")
	if !r.settle(t.Context(), dir) {
		t.Fatal("not trusted")
	}
	if err := os.WriteFile(filepath.Join(dir, ".pi", "mcp.json"), []byte(`{"mcpServers":{"x":{"command":"evil"}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	said.Reset()
	again, err := newRunner(r.env, &args{maxTurns: -1})
	if err != nil {
		t.Fatal(err)
	}
	again.asks = true
	if !again.settle(t.Context(), dir) {
		t.Error("not trusted")
	}
	for _, want := range []string{"this has changed", "new      " + filepath.Join(".pi", "mcp.json"), "MCP server x runs: evil"} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("it does not say %q: %s", want, said)
		}
	}
}

// contextOf returns the instructions that a session in a folder has, and what is
// odd about them.
func contextOf(t *testing.T, r *runner, dir string) (text string, odd []string) {
	t.Helper()
	made, odd := r.setup.Make(t.Context(), control.Place{Dir: dir}, control.Was{}, nil)
	defer made.Close()
	for _, s := range made.Prompt(nil).Sections {
		if s.Name == prompt.ProjectContext {
			text = s.Text
		}
	}
	return text, odd
}

func TestContextFilesOfStrangers(t *testing.T) {
	const text = "Do this.\n"
	files := map[string]string{"all/project/AGENTS.md": text, "agent/AGENTS.md": "mine"}
	for _, tt := range []struct {
		name, policy, in string
		trusted          bool
		used             int    // of the two files
		told             string // a part of what is told; "" if nothing
		then             string // the same, the second time
	}{
		{"always", "always", "", false, 2, "(9 B) is new and is used", ""},
		{"trusted", "trusted", "", false, 1, "left out: its folder is not trusted", "left out: its folder"},
		{"ask, no", "ask", "\n", false, 1, "left out: it is new", "left out: it is new"},
		{"ask, yes", "ask", "y\n", false, 2, "", ""},
		{"of a trusted project", "trusted", "", true, 2, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files["agent/settings.json"] = `{"bough":{"contextFiles":"` + tt.policy + `"}}`
			r, dir, said := asker(t, files, &args{Options: setup.Options{Approve: tt.trusted}, maxTurns: -1}, tt.in)
			if r.settle(t.Context(), dir); (tt.policy == "ask") != strings.Contains(said.String(), "It begins:\n    Do this.\n") {
				t.Errorf("asked: %s", said)
			}
			for _, told := range []string{tt.told, tt.then} {
				got, odd := contextOf(t, r, dir)
				if used := strings.Count(got, "mine") + strings.Count(got, strings.TrimSpace(text)); used != tt.used {
					t.Errorf("%d files are used: %s", used, got)
				}
				if line := strings.Join(odd, "\n"); (told == "") != (line == "") || !strings.Contains(line, told) {
					t.Errorf("told %q, want %q", line, told)
				}
			}
			if tt.policy != "trusted" && tt.used == 2 {
				if err := os.WriteFile(filepath.Join(dir, "AGENTS.md"), []byte("Do that."), 0o600); err != nil {
					t.Fatal(err)
				}
				if _, odd := contextOf(t, r, dir); len(odd) != 1 || !strings.Contains(odd[0], "changed") {
					t.Errorf("of a change it tells %q", odd)
				}
			}
		})
	}
}

// A yes for the folder of a context file counts, also if the project has none.
func TestContextFileOfATrustedFolderAbove(t *testing.T) {
	r, dir, _ := asker(t, map[string]string{"all/AGENTS.md": "Do this.", "agent/settings.json": `{"bough":{"contextFiles":"trusted"}}`}, nil, "")
	if err := trust.Remember(t.Context(), r.setup.Places(), filepath.Dir(dir), true); err != nil {
		t.Fatal(err)
	}
	if got, odd := contextOf(t, r, dir); !strings.Contains(got, "Do this.") || len(odd) > 0 {
		t.Errorf("%v %q", got, odd)
	}
}
