package rpc

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/boughdev/bough/protocol"
)

// Everything that a front end can ask for is a command of RPC too.
func TestEveryCommandOfTheProtocolHasAName(t *testing.T) {
	// What pi calls otherwise, and gives less of.
	for _, name := range append(protocol.CommandNames(), "export_html") {
		if _, _, ok := find(name); !ok {
			t.Errorf("%s is no command of RPC", name)
		}
	}
}

// Discovery tells of all commands that only bough has.
func TestCapabilitiesAreComplete(t *testing.T) {
	known := named(t, "ours.go")
	told := ourNames()
	slices.Sort(known)
	slices.Sort(told)
	if !slices.Equal(known, told) {
		t.Errorf("known %v\ntold  %v", known, told)
	}
	for _, name := range told {
		cmd, ours, ok := find(name)
		if !ok || !ours || (cmd.does == nil) == (cmd.begins == nil) {
			t.Errorf("%s: ours %v, known %v", name, ours, ok)
		}
	}
}

// named are the texts of the cases in a file: names of commands.
func named(t *testing.T, file string) (names []string) {
	t.Helper()
	for _, f := range parsed(t, file) {
		ast.Inspect(f, func(n ast.Node) bool {
			if c, ok := n.(*ast.CaseClause); ok {
				for _, e := range c.List {
					if lit, ok := e.(*ast.BasicLit); ok {
						name, err := strconv.Unquote(lit.Value)
						if err != nil {
							t.Fatal(err)
						}
						names = append(names, name)
					}
				}
			}
			return true
		})
	}
	return names
}

// The manual has every command with all of its fields, and an example of each.
func TestTheManualHasEveryCommand(t *testing.T) {
	read := func(name string) string {
		b, err := os.ReadFile("../../../docs/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	page, examples := read("rpc.md"), read("rpc-commands.md")
	n := 0
	for _, name := range append(named(t, "command.go"), named(t, "ours.go")...) {
		cmd, _, ok := find(name)
		if !ok {
			continue // a case of another switch
		}
		n++
		if !strings.Contains(examples, `> {"type":"`+name+`"`) {
			t.Errorf("rpc-commands.md has no example of %s", name)
		}
		row := ""
		for line := range strings.Lines(page) {
			if cells := strings.Split(line, " | "); len(cells) == 3 && strings.Contains(cells[0], "`"+name+"`") {
				row = cells[1]
			}
		}
		for _, f := range cmd.fields {
			if !strings.Contains(row, "`"+f.name+"`") && !strings.Contains(row, "`"+f.name+"?`") {
				t.Errorf("rpc.md does not tell of the field %s of %s: %s", f.name, name, row)
			}
		}
	}
	if n < 80 {
		t.Errorf("%d commands were found", n)
	}
}

func parsed(t *testing.T, pattern string) (files []*ast.File) {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatal("nothing at", pattern, err)
	}
	for _, p := range paths {
		f, err := parser.ParseFile(token.NewFileSet(), p, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	return files
}
