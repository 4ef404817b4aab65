package builtin

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	files := map[string]string{
		"a.go": "", "src/b.go": "", "src/sub/c.go": "", "pkg/src/d.go": "", ".hid/e.go": "", "README.md": "", "Makefile": "", "src/[x].txt": "",
		".gitignore": "out\n", "out/f.go": "", ".git/g.go": "", "vendor/n/.git/HEAD": "", "vendor/n/.gitignore": "*.tmp\n", "vendor/n/h.tmp": "", "vendor/n/out": "",
	}
	for _, tt := range []struct {
		name, args, want, details string
		isError                   bool
	}{
		{"names at any depth", `{"pattern":"*.go"}`, ".hid/e.go\na.go\npkg/src/d.go\nsrc/b.go\nsrc/sub/c.go", "", false},
		{"folders too", `{"pattern":"src"}`, "pkg/src/\nsrc/", "", false},
		{"folders only", `{"pattern":"s*/"}`, "pkg/src/\nsrc/\nsrc/sub/", "", false},
		{"paths begin at the folder", `{"pattern":"src/*.go"}`, "src/b.go", "", false},
		{"paths at any depth", `{"pattern":"**/src/*.go"}`, "pkg/src/d.go\nsrc/b.go", "", false},
		{"all below a folder", `{"pattern":"src/**"}`, "src/\nsrc/[x].txt\nsrc/b.go\nsrc/sub/\nsrc/sub/c.go", "", false},
		{"in a folder", `{"pattern":"*.go","path":"src"}`, "b.go\nsub/c.go", "", false},
		{"small letters stand for both", `{"pattern":"readme*"}`, "README.md", "", false},
		{"capitals do not", `{"pattern":"Readme*"}`, "Nothing in . matches Readme*.", "", false},
		{"a name alone", `{"pattern":"./a.go"}`, "a.go", "", false},
		{"one of several", `{"pattern":"*.{md,txt}"}`, "README.md\nsrc/[x].txt", "", false},
		{"a nested repository has its own rules", `{"pattern":"vendor/**/*"}`, "vendor/n/\nvendor/n/.gitignore\nvendor/n/out", "", false},
		{"nothing", `{"pattern":"*.zig"}`, "Nothing in . matches *.zig.", "", false},
		{"a limit", `{"pattern":"*.go","limit":"2"}`, ".hid/e.go\na.go\n\n[There are more than 2; narrow the pattern or raise limit.]", `{"resultLimitReached":2}`, false},
		{"a limit that is just met", `{"pattern":"*.md","limit":1}`, "README.md", "", false},
		{"a missing folder", `{"pattern":"*","path":"scr"}`, "There is no folder scr. Similar: src/", "", true},
		{"a file for a folder", `{"pattern":"*","path":"a.go"}`, "a.go is not a folder.", "", true},
		{"no pattern", `{}`, "Invalid arguments for find: pattern is missing.", "", true},
		{"a pattern that is broken", `{"pattern":"[a"}`, "Invalid arguments for find: pattern: not a glob pattern.", "", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, files)
			out := b.call("find", tt.args)
			if text(out) != tt.want || string(out.Details) != tt.details || out.IsError != tt.isError {
				t.Errorf("%s\n%s, error %v\nwant %s\n%s", text(out), out.Details, out.IsError, tt.want, tt.details)
			}
		})
	}
	b := newBench(t, files)
	if out := b.call("find", args{"pattern": b.path("src") + "/*.go"}); text(out) != "src/b.go" {
		t.Errorf("an absolute pattern: %q", text(out))
	}
}

func TestLs(t *testing.T) {
	b := newBench(t, map[string]string{"b.txt": "", "A.txt": "", "a.txt": "", ".dot": "", "Sub/x": "", "empty/": "", ".gitignore": "b.txt\n"})
	for link, to := range map[string]string{"broken": "nowhere", "folder": "Sub", "file": "b.txt"} {
		if err := os.Symlink(to, b.path(link)); err != nil {
			t.Skip(err)
		}
	}
	for _, tt := range []struct {
		name, args, want, details string
		isError                   bool
	}{
		{"the folder", `{}`, ".dot\n.gitignore\nA.txt\na.txt\nb.txt\nbroken@\nempty/\nfile\nfolder/\nSub/", "", false},
		{"another", `{"path":"Sub"}`, "x", "", false},
		{"behind a link", `{"path":"folder"}`, "x", "", false},
		{"an empty one", `{"path":"empty"}`, "(empty folder)", "", false},
		{"a limit", `{"limit":2}`, ".dot\n.gitignore\n\n[2 of 10 shown; raise limit for more.]", `{"entryLimitReached":2}`, false},
		{"a limit that is just met", `{"limit":10,"path":null}`, ".dot\n.gitignore\nA.txt\na.txt\nb.txt\nbroken@\nempty/\nfile\nfolder/\nSub/", "", false},
		{"a missing one", `{"path":"Sup"}`, "There is no folder Sup. Similar: Sub/", "", true},
		{"a file", `{"path":"b.txt"}`, "b.txt is not a folder.", "", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out := b.call("ls", tt.args)
			if text(out) != tt.want || string(out.Details) != tt.details || out.IsError != tt.isError {
				t.Errorf("%q %s, error %v\nwant %q", text(out), out.Details, out.IsError, tt.want)
			}
		})
	}
}

// Names may be any bytes; what is told of them is text.
func TestNamesThatAreNoText(t *testing.T) {
	b := newBench(t, map[string]string{"a\xff/c\xfe": "x\n"})
	if _, err := os.Stat(b.path("a\xff/c\xfe")); err != nil {
		t.Skip("this file system takes text only")
	}
	for tool, want := range map[string]string{"ls": "a\uFFFD/", "find": "a\uFFFD/\na\uFFFD/c\uFFFD", "grep": "a\uFFFD/c\uFFFD:1: x", "read": "There is no file A\uFFFD. Similar: a\uFFFD/"} {
		a := args{"pattern": "*", "path": "."}
		switch tool {
		case "grep":
			a["pattern"] = "x"
		case "read":
			a["path"] = "A\uFFFD"
		}
		if got := text(b.call(tool, a)); got != want {
			t.Errorf("%s: %q, want %q", tool, got, want)
		}
	}
}

func TestLsCutsOutput(t *testing.T) {
	files := map[string]string{}
	for i := range 400 {
		files[fmt.Sprintf("%03d%s", i, strings.Repeat("n", 200))] = ""
	}
	out := newBench(t, files).call("ls", args{})
	if !strings.HasSuffix(text(out), "\n\n[Cut at 50.0KB: 250 of 400 shown.]") || detail(out, "truncation", "outputLines") != "250" {
		t.Errorf("%q %s", text(out)[len(text(out))-60:], out.Details)
	}
}
