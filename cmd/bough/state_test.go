package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/fakellm"
)

// stateHome is a home in which a session can have everything: skills, templates,
// instructions, an MCP server, models.
func stateHome(t *testing.T, server *fakellm.Server) *home {
	t.Helper()
	h := newHome(t, server.URL)
	h.env = append(h.env, "XDG_DATA_HOME="+filepath.Join(h.dir, "data"), "FAKE_KEY=k")
	h.tree(map[string]string{
		"agent/AGENTS.md":             "Answer in short sentences.\n",
		"agent/skills/pdf/SKILL.md":   "---\nname: pdf\ndescription: Reads PDF files.\n---\nUse pdftotext.\n",
		"extra/chess/SKILL.md":        "---\nname: chess\ndescription: Plays chess.\n---\nThink.\n",
		"project/AGENTS.md":           "Use tabs.\n",
		"project/.pi/settings.json":   `{"bough":{"maxTurns":9}}`,
		"project/.pi/prompts/ship.md": "Ship it.\n",
		"agent/mcp.json":              `{"mcpServers":{"parrot":{"command":"mcpserver"}}}`,
		"agent/models.json": fmt.Sprintf(`{"providers":{
			"other":{"baseUrl":"%[1]s/v1","api":"openai-completions","apiKey":"k","models":[{"id":"plain"}]},
			"fakeresp":{"baseUrl":"%[1]s/v1","api":"openai-responses","apiKey":"$FAKE_KEY","models":[{"id":"m","reasoning":true,"cost":{"input":1,"output":2}}]}}}`, server.URL),
		"agent/settings.json": `{"defaultProvider":"other","defaultModel":"plain","retry":{"baseDelayMs":5}}`,
		"elsewhere/empty.txt": "",
	})
	return h
}

// from runs bough in another folder and returns what it told.
func (h *home) from(dir string, args ...string) (out, told string) {
	h.t.Helper()
	cmd := exec.CommandContext(h.t.Context(), "bough", args...)
	var so, se strings.Builder
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = filepath.Join(h.dir, dir), h.env, &so, &se
	if err := cmd.Run(); err != nil {
		h.t.Fatalf("bough %v in %s: %v\n%s%s", args, dir, err, &so, &se)
	}
	return so.String(), se.String()
}

// A session with all of it is the same when it goes on from another folder.
func TestTheWholeStateComesBack(t *testing.T) {
	server := fakellm.Start(t, fakellm.Options{})
	h := stateHome(t, server)
	h.bough("", "trust", "yes")
	h.bough("", "-p", "--session-id", "s1", "--model", "fakeresp/m", "--thinking", "high", "--tools", "+grep,-write",
		"--append-system-prompt", "Speak French.", "--skill", "../extra/chess", "run pwd")
	file := h.newest()
	asked := server.Requests()
	first := read(t, asked[len(asked)-1])
	wantState := func(got meaning) {
		t.Helper()
		first, got := first, got
		first.Said, got.Said = nil, nil
		if a, b := encode(first), encode(got); a != b {
			t.Errorf("it goes on with\n%s\nand began with\n%s", b, a)
		}
	}
	if len(first.Tools) != 5 || first.Tools["mcp__parrot__say"] == "" || first.Addendum != "Speak French." || len(first.Skills) != 2 || len(first.Context) != 2 {
		t.Fatalf("the session began with %s", encode(first))
	}
	stats := func() map[string]any {
		t.Helper()
		out, _ := h.from("elsewhere", "sessions", "show", file, "--json")
		var got map[string]any
		if err := json.Unmarshal([]byte(out), &got); err != nil {
			t.Fatal(err)
		}
		return got
	}
	before := stats()

	out, told := h.from("elsewhere", "-p", "--session", file, "run pwd")
	if told != "" {
		t.Errorf("told %q", told)
	}
	asked = server.Requests()
	wantState(read(t, asked[len(asked)-1]))
	if want := filepath.Join(h.dir, "project"); !strings.Contains(out, want) || strings.Contains(out, "elsewhere") {
		t.Errorf("commands run in %q, want %s", out, want)
	}
	was, ok1 := before["cost"].(float64)
	is, ok2 := stats()["cost"].(float64)
	if !ok1 || !ok2 || was <= 0 || is <= was {
		t.Errorf("it cost %v before and %v after another prompt", was, is)
	}
	_, _ = h.from("elsewhere", "-p", "--session", file, "/ship")
	asked = server.Requests()
	if got := read(t, asked[len(asked)-1]).Said; got[len(got)-1] != "user Ship it." {
		t.Errorf("the template became %q", got[len(got)-1])
	}

	// What is chosen anew counts from there on, and on other branches it does not.
	h.from("elsewhere", "-p", "--session", file, "--tools", "read", "--append-system-prompt", "Speak German.", "hello")
	h.from("elsewhere", "-p", "--session", file, "hello")
	asked = server.Requests()
	if got := read(t, asked[len(asked)-1]); got.Addendum != "Speak German." || len(got.Tools) != 2 {
		t.Errorf("after another choice: %s", encode(got))
	}
	h.from("elsewhere", "-p", "--session", file, "--at", "#8", "hello")
	asked = server.Requests()
	wantState(read(t, asked[len(asked)-1]))
}

// What is not there any more is named in one line, and the session goes on.
func TestWhatIsMissingIsNamed(t *testing.T) {
	for _, tt := range []struct {
		name string
		take func(h *home)
		want string
	}{
		{"a skill", func(h *home) { h.remove("extra/chess") }, "The skill chess, which this session had, is not there."},
		{"an MCP server", func(h *home) { h.remove("agent/mcp.json") },
			"The tool mcp__parrot__say, which this session had, is not there: no MCP server parrot is set up. bough mcp add sets one up."},
		{"the command of an MCP server", func(h *home) {
			h.tree(map[string]string{"agent/mcp.json": `{"mcpServers":{"parrot":{"command":"no-such-command-here"}}}`})
		}, "MCP server parrot"},
		{"instructions", func(h *home) { h.remove("project/AGENTS.md") }, "project/AGENTS.md, which this session had, are not there."},
		{"a model", func(h *home) {
			h.tree(map[string]string{"agent/models.json": strings.ReplaceAll(h.read("agent/models.json"), `"id":"m"`, `"id":"n"`)})
		}, "The session's model fakeresp/m cannot be used: there is no model fakeresp/m"},
		{"a key", func(h *home) { h.env = append(h.env, "FAKE_KEY=") }, "The session's model fakeresp/m cannot be used: "},
		{"trust", func(h *home) { h.remove("agent/trust.json") }, "bough trust yes"},
		{"an extension of pi", func(h *home) {
			lines := strings.Split(strings.TrimSpace(h.read(h.rel(h.newest()))), "\n")
			var last struct{ ID string }
			if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil {
				h.t.Fatal(err)
			}
			h.tree(map[string]string{h.rel(h.newest()): strings.Join(lines, "\n") + "\n" +
				`{"type":"custom","id":"00000bad","parentId":"` + last.ID + `","timestamp":"2026-11-01T10:00:00.000Z","customType":"todo-list","data":{"items":[1.50]}}` + "\n"})
		}, "Extensions of pi have kept data in this session (todo-list)."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			server := fakellm.Start(t, fakellm.Options{})
			h := stateHome(t, server)
			h.bough("", "trust", "yes")
			h.bough("", "-p", "--model", "fakeresp/m", "--skill", "../extra/chess", "hello")
			file := h.newest()
			tt.take(h)
			out, told := h.from("elsewhere", "-p", "--session", file, "hello again")
			n := 0
			for line := range strings.Lines(told) {
				if strings.Contains(line, tt.want) {
					n++
				}
			}
			if n != 1 {
				t.Errorf("told\n%swant one line with %q", told, tt.want)
			}
			if !strings.Contains(out, "Echo: hello again") {
				t.Errorf("it does not go on: %q", out)
			}
		})
	}
	t.Run("the folder", func(t *testing.T) {
		server := fakellm.Start(t, fakellm.Options{})
		h := stateHome(t, server)
		h.bough("", "-p", "--no-approve", "--model", "fakeresp/m", "hello")
		file := h.newest()
		h.remove("project")
		cmd := exec.CommandContext(t.Context(), "bough", "-p", "--session", file, "again")
		cmd.Dir, cmd.Env = filepath.Join(h.dir, "elsewhere"), h.env
		told, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(told), "is not there any more. Copy the session here with: bough --fork "+file) {
			t.Errorf("told %q, error %v", told, err)
		}
		if out, _ := h.from("elsewhere", "-p", "--fork", file, "again"); !strings.Contains(out, "Echo: again") {
			t.Errorf("the copy does not go on: %q", out)
		}
	})
}

func (h *home) remove(name string) {
	h.t.Helper()
	if err := os.RemoveAll(filepath.Join(h.dir, name)); err != nil {
		h.t.Fatal(err)
	}
}

func (h *home) read(name string) string {
	h.t.Helper()
	b, err := os.ReadFile(filepath.Join(h.dir, name))
	if err != nil {
		h.t.Fatal(err)
	}
	return string(b)
}

func (h *home) rel(path string) string {
	h.t.Helper()
	rel, err := filepath.Rel(h.dir, path)
	if err != nil {
		h.t.Fatal(err)
	}
	return rel
}
