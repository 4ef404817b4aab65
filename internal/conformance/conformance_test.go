package conformance

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/boughdev/bough/internal/rawjson"
)

// testCase is one line of cases.json.
type testCase struct {
	Name    string
	Kind    string // "pi", or "better" where pi hangs, crashes or loses data
	Rule    string
	List    bool
	Any     bool
	Foreign bool

	dir string
}

const casesDir = "../../testdata/conformance/session"

func readCases(t *testing.T, dir string) []testCase {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "cases.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []testCase
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	for i := range cases {
		cases[i].dir = dir
	}
	return cases
}

// sharedCases returns the folder with the cases whose files are not ours, so not
// in this repository, or "".
func sharedCases() string {
	if dir := os.Getenv("BOUGH_SHARED"); dir != "" {
		return filepath.Join(dir, "conformance", "session")
	}
	dir, err := filepath.Abs(".")
	for err == nil {
		shared := filepath.Join(dir, "shared", "conformance", "session")
		if _, err := os.Stat(filepath.Join(shared, "cases.json")); err == nil {
			return shared
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
	return ""
}

func TestCases(t *testing.T) {
	for _, c := range readCases(t, casesDir) {
		t.Run(c.Name, c.run)
	}
}

func TestForeignCases(t *testing.T) {
	dir := sharedCases()
	if dir == "" {
		t.Skip("the cases made of other people's sessions are not here; set BOUGH_SHARED to the folder that holds conformance/session")
	}
	for _, c := range readCases(t, dir) {
		if c.Foreign {
			t.Run(c.Name, c.run)
		}
	}
}

func (c testCase) run(t *testing.T) {
	want, err := os.ReadFile(filepath.Join(c.dir, c.Name+".expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if c.List {
		err = List(&got, listDir(t, filepath.Join(c.dir, c.Name)))
	} else {
		err = Dump(&got, read(t, filepath.Join(c.dir, c.Name+".jsonl")))
	}
	if err != nil {
		t.Fatal(err)
	}
	same := bytes.Equal(got.Bytes(), want)
	if c.Any {
		same = matches(rawjson.Delete(want, "pool"), rawjson.Delete(got.Bytes(), "pool"))
	}
	if !same {
		t.Errorf("%s\n%s", c.Rule, difference(want, got.Bytes()))
	}
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// listDir copies a folder and sets the times that its expected list is made for.
func listDir(t *testing.T, from string) string {
	t.Helper()
	to := t.TempDir()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(to, "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(files)
	for i, f := range files {
		at := time.Unix(1000000000+60*int64(i), 0)
		if err := os.Chtimes(f, at, at); err != nil {
			t.Fatal(err)
		}
	}
	return to
}

// matches compares values; {"$any":true} in want matches whatever is there.
func matches(want, got []byte) bool {
	switch rawjson.Kind(want) {
	case '{':
		if rawjson.Bool(rawjson.Get(want, "$any")) {
			return rawjson.Kind(got) != 0
		}
		n := 0
		for key, w := range rawjson.Members(want) {
			if n++; !matches(w, rawjson.Get(got, key)) {
				return false
			}
		}
		for range rawjson.Members(got) {
			n--
		}
		return n == 0 && rawjson.Kind(got) == '{'
	case '[':
		ws, gs := slices.Collect(rawjson.Elements(want)), slices.Collect(rawjson.Elements(got))
		return rawjson.Kind(got) == '[' && slices.EqualFunc(ws, gs, matches)
	}
	return canonical(want) == canonical(got) && rawjson.Kind(got) != 0
}

// difference shows where two documents begin to differ.
func difference(want, got []byte) string {
	i := 0
	for i < len(want) && i < len(got) && want[i] == got[i] {
		i++
	}
	around := func(b []byte) string {
		s := string(b[max(0, min(len(b), i)-100):min(len(b), i+200)])
		return strings.TrimSpace(s)
	}
	return "got  …" + around(got) + "…\nwant …" + around(want) + "…"
}

// A case may leave values open, but not leave them out.
func TestMatches(t *testing.T) {
	for _, tt := range []struct {
		name, want, got string
		match           bool
	}{
		{"an open value matches any", `{"a":{"$any":true}}`, `{"a":[1,2]}`, true},
		{"an open value must be there", `{"a":{"$any":true}}`, `{}`, false},
		{"a member too many", `{"a":1}`, `{"a":1,"b":2}`, false},
		{"an element too few", `[1,2]`, `[1]`, false},
		{"numbers are compared as values", `{"a":1.0}`, `{"a":1}`, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := matches([]byte(tt.want), []byte(tt.got)); got != tt.match {
				t.Errorf("matches(%s, %s) = %t", tt.want, tt.got, got)
			}
		})
	}
}
