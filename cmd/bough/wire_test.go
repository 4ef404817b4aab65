package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/fakellm"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/session/filestore"
)

// home is a fresh home with a project, and models.json for a fake server.
type home struct {
	t   *testing.T
	dir string
	env []string
}

func newHome(t *testing.T, server string) *home {
	t.Helper()
	h := &home{t: t, dir: t.TempDir()}
	for _, d := range []string{"agent", "project"} {
		if err := os.Mkdir(filepath.Join(h.dir, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	h.env = append(os.Environ(), "HOME="+h.dir, "BOUGH_AGENT_DIR="+filepath.Join(h.dir, "agent"),
		"XDG_STATE_HOME="+filepath.Join(h.dir, "state"), "XDG_CACHE_HOME="+filepath.Join(h.dir, "cache"), "BOUGH_OFFLINE=1", "HTTP_PROXY=http://127.0.0.1:1")
	h.write("../agent/settings.json", `{"retry":{"baseDelayMs":5}}`)
	h.write("../agent/models.json", fmt.Sprintf(`{"providers":{
		"fakechat":{"baseUrl":"%[1]s/v1","api":"openai-completions","apiKey":"k","models":[{"id":"m","contextWindow":100000}]},
		"fakeresp":{"baseUrl":"%[1]s/v1","api":"openai-responses","apiKey":"k","models":[{"id":"m","reasoning":true}]},
		"fakegoog":{"baseUrl":"%[1]s/v1beta","api":"google-generative-ai","apiKey":"k","models":[{"id":"m","reasoning":true},{"id":"gemini-3-pro","reasoning":true}]},
		"fakebed":{"baseUrl":"%[1]s","api":"bedrock-converse-stream","apiKey":"k","models":[{"id":"us.anthropic.claude-sonnet-4-5-20250929-v1:0","reasoning":true}]},
		"fakeazure":{"baseUrl":"%[1]s/openai/v1","api":"azure-openai-responses","apiKey":"k","models":[{"id":"m","reasoning":true}]},
		"fakemist":{"baseUrl":"%[1]s/mistral","api":"mistral-conversations","apiKey":"k","models":[{"id":"m","reasoning":true}]},
		"fakeanth":{"baseUrl":"%[1]s","api":"anthropic-messages","apiKey":"k","headers":{"x-test":"yes"},"models":[{"id":"m","reasoning":true}]}}}`, server))
	return h
}

func (h *home) write(name, text string) {
	h.t.Helper()
	if err := os.WriteFile(filepath.Join(h.dir, "project", name), []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
}

// bough runs the program in the project with lines on standard input.
func (h *home) bough(stdin string, args ...string) string {
	h.t.Helper()
	out, err := h.try(stdin, args...)
	if err != nil {
		h.t.Fatalf("bough %v: %v\n%s", args, err, out)
	}
	return out
}

func (h *home) try(stdin string, args ...string) (string, error) {
	cmd := exec.CommandContext(h.t.Context(), "bough", args...)
	cmd.Dir, cmd.Env, cmd.Stdin = filepath.Join(h.dir, "project"), h.env, strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// newest returns the session file that was begun last.
func (h *home) newest() string {
	h.t.Helper()
	files, err := filepath.Glob(filepath.Join(h.dir, "agent", "sessions", "*", "*.jsonl"))
	if err != nil || len(files) == 0 {
		h.t.Fatalf("no session file: %v", err)
	}
	return slices.Max(files)
}

var wires = []string{"fakechat/m", "fakeresp/m", "fakeanth/m", "fakegoog/m", "fakegoog/gemini-3-pro",
	"fakebed/us.anthropic.claude-sonnet-4-5-20250929-v1:0", "fakeazure/m", "fakemist/m"}

// The story of the first day, over each of the wire formats, against a server
// that refuses what a real one would refuse.
func TestTheStoryOverEachWireFormat(t *testing.T) {
	for _, at := range wires {
		t.Run(at, func(t *testing.T) {
			server := fakellm.Start(t, fakellm.Options{Strict: true})
			h := newHome(t, server.URL)
			h.write("hello.txt", "first content\n")
			model := []string{"--repl", "--model", at}

			out := h.bough("read hello.txt\n/history\n", model...)
			for _, want := range []string{"first content", "[0] system", "[1] user", "[2] assistant", "-> read", "[3] tool", "[4] assistant"} {
				if !strings.Contains(out, want) {
					t.Fatalf("the first talk lacks %q:\n%s", want, out)
				}
			}
			file := h.newest()
			before, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}

			h.write("hello.txt", "second content\n")
			out = h.bough("/history\n/branch 1\nread hello.txt\n", append(model, "-c")...)
			if !strings.Contains(out, "second content") {
				t.Fatalf("the new branch did not read the file again:\n%s", out)
			}
			out = h.bough("/history\n/branch 2\n/history\n/retry\n", append(model, "-c")...)
			if !strings.Contains(out, "second content") {
				t.Errorf("/retry at the question did not ask again:\n%s", out)
			}
			out = h.bough("/history\n/edit 1\n", append(model, "-c")...)
			if !strings.Contains(out, "read hello.txt") {
				t.Errorf("/edit 1 did not give the question back:\n%s", out)
			}
			after, err := os.ReadFile(file)
			if err != nil || !strings.HasPrefix(string(after), string(before)) {
				t.Errorf("what was there has changed (%v)", err)
			}
			s, err := session.Open(t.Context(), filestore.Store{}, file)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			for e := range s.Tree().All() {
				if e.Role == message.User {
					children := slices.DeleteFunc(s.Tree().Children(e.ID), (*session.Entry).IsLeafMarker)
					if len(children) != 2 {
						t.Errorf("the first question has %d children, want 2", len(children))
					}
					break
				}
			}
			for _, r := range server.Requests() {
				if len(r.Violations) > 0 {
					t.Errorf("request %d (%s): %v", r.N, r.Path, r.Violations)
				}
			}
		})
	}
}

// At every entry of a session with parallel calls a prompt makes a legal request,
// also where the place is taken as it is.
func TestEveryPlaceMakesALegalRequest(t *testing.T) {
	for _, at := range wires {
		t.Run(at, func(t *testing.T) {
			server := fakellm.Start(t, fakellm.Options{Strict: true})
			h := newHome(t, server.URL)
			h.write("a.txt", "a\n")
			h.write("b.txt", "b\n")
			h.bough("think: hard\nread a.txt and b.txt\nrun echo x\n", "--repl", "--model", at)
			file := h.newest()
			n := len(strings.Split(h.bough("/history\n", "--repl", "-q", "--session", file), "\n")) - 1
			for i := range n {
				for _, how := range []string{"", " --exact"} {
					out, err := h.try(fmt.Sprintf("/history\n/branch %d%s\nhello\n", i, how), "--repl", "--session", file, "--model", at)
					if err != nil {
						t.Errorf("at [%d]%s: %v\n%s", i, how, err, out)
					}
					// Back to where the list was made.
					h.bough("/branch #"+fmt.Sprint(n-1)+"\n", "--repl", "--session", file)
				}
			}
			for _, r := range server.Requests() {
				if len(r.Violations) > 0 {
					t.Errorf("request %d: %v\n%s", r.N, r.Violations, r.Body)
				}
			}
		})
	}
}

// Switching the API in mid-session works in every pair.
func TestSwitchingTheProvider(t *testing.T) {
	server := fakellm.Start(t, fakellm.Options{Strict: true})
	h := newHome(t, server.URL)
	h.write("a.txt", "a\n")
	h.bough("think: first\nread a.txt\n", "--repl", "--model", "fakeresp/m")
	for _, from := range wires {
		for _, to := range wires {
			h.bough("think: "+from+"\nread a.txt\n", "--repl", "-c", "--model", from)
			h.bough("think: "+to+"\nread a.txt\n", "--repl", "-c", "--model", to)
		}
	}
	for _, r := range server.Requests() {
		if len(r.Violations) > 0 {
			t.Errorf("request %d (%s): %v", r.N, r.Path, r.Violations)
		}
	}
}

func TestFailuresEndInASentenceThatHelps(t *testing.T) {
	// Whatever is left out of it, a conversation with these words is too long.
	server := fakellm.Start(t, fakellm.Options{Script: fakellm.MustParse(`[{"when":{"any":"too much"},"reply":{"error":"overflow"}}]`)})
	h := newHome(t, server.URL)
	for _, tt := range []struct{ prompt, want string }{
		{"fail auth", "401"},
		{"fail not-found", "404"},
		{"too much", "context"},
		{"fail quota", "quota"},
	} {
		out, err := h.try("", "-p", "--model", "fakechat/m", tt.prompt)
		if err == nil || !strings.Contains(strings.ToLower(out), tt.want) {
			t.Errorf("%s: %v\n%s", tt.prompt, err, out)
		}
	}
	if out, err := h.try("", "--mode", "json", "-p", "x"); err != nil {
		t.Errorf("json mode with models: %v\n%s", err, out)
	}
	os.Remove(filepath.Join(h.dir, "agent", "models.json"))
	out, err := h.try("", "--mode", "json", "x")
	if err == nil || !strings.Contains(out, "offline/demo") || json.Valid([]byte(strings.Split(out, "\n")[0])) {
		t.Errorf("json mode without a model: %v\n%s", err, out)
	}
	if out, err := h.try("", "-p", "hello"); err != nil || !strings.Contains(out, "offline") {
		t.Errorf("print mode without a model: %v\n%s", err, out)
	}
}
