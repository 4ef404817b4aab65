// Package internal has tests of the house itself: layers, package comments, and
// what ARCHITECTURE.md says.
package internal

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/boughdev/bough"

// floors is the layer table of ARCHITECTURE.md. A package imports only from
// lower floors; the first pattern that fits counts.
var floors = []struct {
	pattern string
	floor   int
}{
	{"cmd/...", 9},
	{"internal/cli", 8},
	{"internal/setup", 7},
	{"", 8},
	{"internal/picture", 0},
	{"internal/frontend/slash", 6},
	{"internal/frontend/...", 7},
	{"internal/control", 5},
	{"internal/render", 5},
	{"internal/conformance", 5},
	{"internal/doctor", 5},
	{"internal/importer", 5},
	{"internal/search", 5},
	{"internal/export", 6},
	{"internal/recall", 6},
	{"internal/remote", 6},
	{"internal/join", 4},
	{"internal/markdown", 6},
	{"session/filestore", 4},
	{"session/memstore", 4},
	{"provider/anthropic", 4},
	{"provider/openai", 4},
	{"provider/bedrock", 4},
	{"provider/chat", 4},
	{"provider/google", 4},
	{"provider/catalog/...", 4},
	{"provider/offline", 4},
	{"provider/scripted", 4},
	{"tool/builtin", 4},
	{"internal/agent", 4},
	{"internal/mcp", 4},
	{"internal/view", 4},
	{"internal/journal", 3},
	{"protocol", 3},
	{"internal/compaction", 3},
	{"internal/permission", 3},
	{"session", 2},
	{"provider", 2},
	{"tool", 2},
	{"internal/prompt", 2},
	{"internal/resource", 2},
	{"message", 1},
	{"internal/config", 1},
	{"internal/auth", 1},
	{"internal/googleauth", 1},
	{"internal/awsauth", 1},
	{"internal/trust", 1},
	{"internal/signin", 1},
	{"internal/workspace/...", 1},
	{"internal/script", 1},
	{"internal/term", 1},
	{"internal/pifile", 0},
	{"docs", 0},
	{"internal/styled", 0},
	{"internal/lang", 0},
	{"internal/rawjson", -1},
}

// helpers are for tests and examples, and may import what they like.
var helpers = []string{"examples/...", "internal/golden", "internal/fakellm/...", "internal/workspace/workspacetest", "provider/providertest", "session/storetest", "internal/term/termtest", "internal/frontend/tui/tuitest", "internal"}

// never says what the layers would let happen and must not.
var never = []struct{ from, to string }{
	{"internal/frontend/...", "internal/control"},
	{"internal/frontend/...", "internal/agent"},
	{"internal/frontend/...", "session/filestore"},
	{"internal/frontend/...", "session/memstore"},
	{"internal/agent", "session"},
	{"provider", "tool"},
	{"internal/control", "provider/..."},
	{"internal/control", "session/filestore"},
	{"internal/control", "session/memstore"},
	{"internal/control", "tool/builtin"},
	{"internal/frontend/...", "tool/builtin"},
	{"internal/remote", "internal/control"},
	{"internal/remote", "session/filestore"},
	{"internal/setup", "provider/..."},
	{"internal/setup", "session/filestore"},
}

func match(pattern, pkg string) bool {
	if p, ok := strings.CutSuffix(pattern, "/..."); ok {
		return strings.HasPrefix(pkg, p+"/") || pkg == p && p != "provider"
	}
	return pattern == pkg
}

func floorOf(pkg string) (int, bool) {
	for _, f := range floors {
		if match(f.pattern, pkg) {
			return f.floor, true
		}
	}
	return 0, false
}

type listed struct {
	ImportPath, Doc string
	Imports         []string
	GoFiles         []string
}

func packages(t *testing.T) []listed {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports,GoFiles,Doc", "./...")
	cmd.Dir = ".."
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var pkgs []listed
	d := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return pkgs
		} else if err != nil {
			t.Fatal(err)
		}
		pkgs = append(pkgs, p)
	}
}

func TestImportsGoDownOnly(t *testing.T) {
	for _, p := range packages(t) {
		from := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
		if slices.ContainsFunc(helpers, func(h string) bool { return match(h, from) }) {
			continue
		}
		floor, ok := floorOf(from)
		if !ok {
			t.Errorf("%s has no place in the layer table of ARCHITECTURE.md", from)
			continue
		}
		for _, imp := range p.Imports {
			to, ours := strings.CutPrefix(imp, module+"/")
			if !ours {
				continue
			}
			if slices.ContainsFunc(helpers, func(h string) bool { return match(h, to) }) && to != "internal/golden" && !strings.HasSuffix(from, "test") {
				t.Errorf("%s imports %s, which is for tests", from, to)
				continue
			}
			if f, ok := floorOf(to); ok && f >= floor {
				t.Errorf("%s imports %s, which is not below it", from, to)
			}
			for _, n := range never {
				if match(n.from, from) && match(n.to, to) {
					t.Errorf("%s must never import %s", from, to)
				}
			}
		}
	}
}

func TestEveryPackageSaysWhatItIs(t *testing.T) {
	for _, p := range packages(t) {
		if len(p.GoFiles) > 0 && p.Doc == "" {
			t.Errorf("%s has no package comment", p.ImportPath)
		}
	}
}

// The table of rooms names every package, in the first column of its rows, and says
// how large it is: one that has grown by half, or is only half as large, wants another
// look, and another figure.
func TestEveryPackageHasARow(t *testing.T) {
	rooms := rooms(t)
	for _, p := range packages(t) {
		pkg := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
		isTestHelp := slices.ContainsFunc(helpers, func(h string) bool { return match(h, pkg) })
		if pkg == "" || isTestHelp || strings.HasPrefix(pkg, "cmd/") {
			continue
		}
		told, ok := rooms[pkg]
		if !ok {
			t.Errorf("%s has no row in ARCHITECTURE.md", pkg)
			continue
		}
		is := 0
		for _, f := range p.GoFiles {
			data, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(pkg), f))
			if err != nil {
				t.Fatal(err)
			}
			is += bytes.Count(data, []byte("\n"))
		}
		if told > 0 && (is > told+told/2 && is > told+100 || 2*is < told) {
			t.Errorf("%s has %d lines, and not about %d as ARCHITECTURE.md says", pkg, is, told)
		}
	}
}

// rooms are the packages of the table with their lines; 0 where a row does not say
// it for each.
func rooms(t *testing.T) map[string]int {
	t.Helper()
	doc, err := os.ReadFile(filepath.Join("..", "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	rooms := map[string]int{}
	for line := range strings.Lines(string(doc)) {
		cells := strings.Split(line, "|")
		if len(cells) < 5 || !strings.HasPrefix(line, "| `") {
			continue
		}
		var names []string
		dir := ""
		for i, name := range strings.Split(cells[1], "`") {
			if i%2 == 0 {
				continue
			}
			if at := strings.LastIndex(name, "/"); at >= 0 {
				dir = name[:at+1]
			} else if i > 1 {
				name = dir + name // beside the one before
			}
			names = append(names, name)
		}
		figures := strings.Split(strings.ReplaceAll(cells[3], ",", ""), "/")
		for i, name := range names {
			rooms[name] = 0
			if n, err := strconv.Atoi(strings.TrimSpace(figures[min(i, len(figures)-1)])); err == nil && len(figures) >= len(names) {
				rooms[name] = n
			}
		}
	}
	return rooms
}

// Folds compute what they are given; a clock or a goroutine would make them
// depend on when they are asked.
func TestFoldsAreStill(t *testing.T) {
	for _, dir := range []string{"view", "render", "compaction"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if strings.HasSuffix(f, "_test.go") {
				continue
			}
			data, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			for _, word := range []string{"time.Now(", "\tgo func", "slog."} {
				if strings.Contains(string(data), word) {
					t.Errorf("%s: a fold uses %s", f, strings.TrimSpace(word))
				}
			}
		}
	}
}
