package main

import (
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// sessionFile sets a variable to the path of the newest session file:
// session NAME.
func sessionFile(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 || neg {
		ts.Fatalf("usage: session VARIABLE")
	}
	var files []string
	root := filepath.Join(ts.Getenv("BOUGH_AGENT_DIR"), "sessions")
	ts.Check(filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".jsonl") {
			files = append(files, path)
		}
		return err
	}))
	if len(files) == 0 {
		ts.Fatalf("there is no session file in %s", root)
	}
	ts.Setenv(args[0], slices.Max(files)) // names begin with the time
}

// count checks how often a pattern is found in a file, by lines: count N PATTERN FILE.
func count(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 3 || neg {
		ts.Fatalf("usage: count N PATTERN FILE")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	re, err := regexp.Compile(args[1])
	ts.Check(err)
	n := 0
	for line := range strings.Lines(ts.ReadFile(args[2])) {
		if re.MatchString(line) {
			n++
		}
	}
	if n != want {
		ts.Fatalf("%d lines of %s match %s, want %d", n, args[2], args[1], want)
	}
}

// prefix checks that a file begins with another, to the byte: prefix SHORT LONG.
func prefix(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 || neg {
		ts.Fatalf("usage: prefix SHORT LONG")
	}
	if !strings.HasPrefix(ts.ReadFile(args[1]), ts.ReadFile(args[0])) {
		ts.Fatalf("%s does not begin with %s", args[1], args[0])
	}
}
