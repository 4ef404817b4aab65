package builtin

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/rawjson"
)

type pair [2]string

func edits(pairs ...pair) []args {
	var list []args
	for _, p := range pairs {
		list = append(list, args{"oldText": p[0], "newText": p[1]})
	}
	return list
}

func TestEdit(t *testing.T) {
	for _, tt := range []struct {
		name, file string
		edits      []args
		want       string // the file; "" if it stays
		result     string
	}{
		{"one change", "a\nb\nc\n", edits(pair{"b", "x"}), "a\nx\nc\n", "Made 1 change in f."},
		{"several changes, in any order", "a\nb\nc\n", edits(pair{"c", "z"}, pair{"a\n", ""}), "b\nz\n", "Made 2 changes in f."},
		{"changes side by side", "abc", edits(pair{"a", "1"}, pair{"b", "2"}, pair{"c", "3"}), "123", "Made 3 changes in f."},
		{"all are found in the original", "a b", edits(pair{"a", "b"}, pair{"b", "a"}), "b a", "Made 2 changes in f."},
		{"a text that is deleted", "a\nb\n", edits(pair{"a\n", ""}), "b\n", "Made 1 change in f."},
		{"a dollar is a dollar", "a", edits(pair{"a", "$1 $& \\1"}), "$1 $& \\1", "Made 1 change in f."},

		{"a text that is not there", "a\nb\n", edits(pair{"x", "y"}), "", "f was not changed: oldText was not found; read the file again."},
		{"a text that is there twice", "a\nb\na\n", edits(pair{"a", "y"}), "",
			"f was not changed: oldText occurs 2 times (lines 1, 3); add what surrounds the right one."},
		{"a text that overlaps itself", "aaa", edits(pair{"aa", "b"}), "",
			"f was not changed: oldText occurs 2 times (lines 1, 1); add what surrounds the right one."},
		{"one of several that is not there", "a\nb\n", edits(pair{"a", "y"}, pair{"  b2", ""}), "",
			"f was not changed: edits[1].oldText was not found; read the file again."},
		{"a text of which the first line is there", "if x {\n\ty\n}\n", edits(pair{"  if x {\n  z", ""}), "",
			"f was not changed: oldText was not found; its first line is like line 1, what follows differs."},
		{"texts that overlap", "abcd", edits(pair{"bcd", ""}, pair{"abc", ""}), "", "f was not changed: edits[0] and edits[1] overlap."},
		{"the same text twice", "abcd", edits(pair{"b", "x"}, pair{"b", "x"}), "", "f was not changed: edits[0] and edits[1] overlap."},
		{"nothing new", "abc", edits(pair{"b", "b"}), "", "f was not changed: the new text is the same as the old."},
		{"an empty text", "abc", edits(pair{"", "b"}), "", "Invalid arguments for edit: edits[0].oldText is empty."},
		{"no edits", "abc", nil, "", "Invalid arguments for edit: edits has no element."},
		{"an edit without its new text", "abc", []args{{"oldText": "a"}}, "", "Invalid arguments for edit: edits[0].newText is missing."},

		{"CRLF stays", "a\r\nb\r\nc\r\n", edits(pair{"a\nb", "x\ny\nz"}), "x\r\ny\r\nz\r\nc\r\n", "Made 1 change in f."},
		{"CRLF is understood", "a\nb\n", edits(pair{"a\r\nb", "x\r\ny"}), "x\ny\n", "Made 1 change in f."},
		{"mixed line ends: as at the place", "a\r\nb\nc\r\nd", edits(pair{"b", "1\n2"}, pair{"c", "3\n4"}, pair{"d", "5\n6"}), "a\r\n1\n2\n3\r\n4\r\n5\r\n6", "Made 3 changes in f."},
		{"CR alone", "a\rb\rc", edits(pair{"a\nb", "x\ny\nz"}), "x\ry\rz\rc", "Made 1 change in f."},
		{"a file of one line", "abc", edits(pair{"b", "1\n2"}), "a1\n2c", "Made 1 change in f."},
		{"CR and LF do not become one at the front", "a\rbc\n", edits(pair{"b", "\nx"}), "a\r\r\nxc\n", "Made 1 change in f."},
		{"CR and LF do not become one at a deletion", "a\rb\nc\n", edits(pair{"b", ""}), "a\r\r\nc\n", "Made 1 change in f."},
		{"a CRLF is deleted as a whole", "a\r\nb\r\n", edits(pair{"a\n", ""}), "b\r\n", "Made 1 change in f."},
		{"a line end between", "a\r\nb\r\n", edits(pair{"\nb", "!"}), "a!\r\n", "Made 1 change in f."},

		{"a byte order mark stays", "\uFEFFa\nb\n", edits(pair{"a", "x"}), "\uFEFFx\nb\n", "Made 1 change in f."},
		{"bytes that are no text stay", "a\xff\xfe\r\nb\x00\n", edits(pair{"b", "x"}), "a\xff\xfe\r\nx\x00\n", "Made 1 change in f."},

		{"curly quotes", "say \u201chi\u201d it\u2019s\nb\u2019s\n", edits(pair{"\"hi\" it's", "'yo'"}), "say 'yo'\nb\u2019s\n", "Made 1 change in f."},
		{"straight quotes for curly ones", "it's\n", edits(pair{"it\u2019s", "is"}), "is\n", "Made 1 change in f."},
		{"dashes and blanks", "a\u2014b\u00a0c \u2212 d\u2026\n", edits(pair{"a-b c - d...", "x"}), "x\n", "Made 1 change in f."},
		{"other forms of characters", "\uFB01ne cafe\u0301 \uFF21\n", edits(pair{"fine caf\u00e9 A", "x"}), "x\n", "Made 1 change in f."},
		{"not within a character", "\uFB01ne\n", edits(pair{"ine", "x"}), "", "f was not changed: oldText was not found; read the file again."},
		{"blanks at ends of lines in the file", "a  \n\tb\t\nc\n", edits(pair{"a\n\tb\n", "x\n"}), "x\nc\n", "Made 1 change in f."},
		{"those behind what was found stay", "a  \nb  \nc\n", edits(pair{"a\nb", "x"}), "x  \nc\n", "Made 1 change in f."},
		{"blanks at ends of lines in the text", "a\nb\nc\n", edits(pair{"a \nb \n", "x\n"}), "x\nc\n", "Made 1 change in f."},
		{"blanks at the very end of the text", "a\nb\t\nc\n", edits(pair{"a\nb  ", "x"}), "x\nc\n", "Made 1 change in f."},
		{"blanks at the very end of the text count within a line", "a \nb c\nb d\n", edits(pair{"a\nb ", "x"}), "xc\nb d\n", "Made 1 change in f."},
		{"but they do not vanish", "a \nbc\n", edits(pair{"a\nb ", "x"}), "",
			"f was not changed: oldText was not found; its first line is like line 1, what follows differs."},
		{"exact matches go first", "it\u2019s\nit's\n", edits(pair{"it's", "x"}), "it\u2019s\nx\n", "Made 1 change in f."},
		{"alike twice, exact never", "it\u2019s\nit\u2018s\n", edits(pair{"it's", "x"}), "",
			"f was not changed: oldText occurs 2 times (lines 1, 2); add what surrounds the right one."},
		{"alike in one edit, exact in another", "it\u2019s\n\u201cb\u201d  \nc\n", edits(pair{"it's", "x"}, pair{"c", "y"}), "x\n\u201cb\u201d  \ny\n", "Made 2 changes in f."},
		{"alike with CRLF", "a \r\nb\u2019 \r\nc\r\n", edits(pair{"a\nb'", "x\ny"}), "x\r\ny \r\nc\r\n", "Made 1 change in f."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, map[string]string{"f": tt.file})
			out := b.call("edit", args{"path": "f", "edits": tt.edits})
			if text(out) != tt.result {
				t.Errorf("%q, want %q", text(out), tt.result)
			}
			want := tt.want
			if want == "" {
				want = tt.file
			}
			if out.IsError != (tt.want == "") {
				t.Errorf("error %v", out.IsError)
			}
			if out.IsError && out.Details != nil {
				t.Errorf("details of an error: %s", out.Details)
			}
			if got := b.get("f"); got != want {
				t.Errorf("file %q, want %q", got, want)
			}
		})
	}
}

func TestEditForms(t *testing.T) {
	for _, tt := range []struct{ name, args string }{
		{"a list", `{"path":"f","edits":[{"oldText":"a","newText":"x"}]}`},
		{"a list as text", `{"path":"f","edits":"[{\"oldText\":\"a\",\"newText\":\"x\"}]"}`},
		{"one object", `{"path":"f","edits":{"oldText":"a","newText":"x"}}`},
		{"one object as text", `{"path":"f","edits":"{\"oldText\":\"a\",\"newText\":\"x\"}"}`},
		{"the old form", `{"path":"f","oldText":"a","newText":"x"}`},
		{"the old form beside a list", `{"path":"f","edits":[],"oldText":"a","newText":"x"}`},
		{"a null beside a list", `{"path":"f","edits":[{"oldText":"a","newText":"x","replaceAll":false}],"oldText":null,"newText":null}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, map[string]string{"f": "a\n"})
			if out := b.call("edit", tt.args); out.IsError || b.get("f") != "x\n" {
				t.Errorf("%q, file %q", text(out), b.get("f"))
			}
		})
	}
	b := newBench(t, map[string]string{"f": "a\n"})
	for _, bad := range []string{`"[{"`, `7`, `"text"`, `[7]`, `[[]]`} {
		if out := b.call("edit", `{"path":"f","edits":`+bad+`}`); !out.IsError || !strings.HasPrefix(text(out), "Invalid arguments for edit: ") {
			t.Errorf("%s: %q", bad, text(out))
		}
	}
}

func TestEditFiles(t *testing.T) {
	b := newBench(t, map[string]string{"main.go": "a", "sub/": ""})
	e := edits(pair{"a", "b"})
	for name, want := range map[string]string{
		"main.c":   "There is no file main.c. Similar: main.go",
		"sub":      "sub is a folder. Use ls to see what is in it.",
		os.DevNull: "Cannot edit " + os.DevNull + ": it is a device, pipe or socket.",
	} {
		if out := b.call("edit", args{"path": name, "edits": e}); text(out) != want || !out.IsError {
			t.Errorf("%q, want %q", text(out), want)
		}
	}
}

func TestEditDetails(t *testing.T) {
	file := numbered(100, "")
	b := newBench(t, map[string]string{"f.txt": file})
	out := b.call("edit", args{"path": "f.txt", "edits": edits(pair{"\n20\n21\n", "\n20\nnew\nlines\n"}, pair{"\n30\n", "\n"}, pair{"100\n", "100"})})
	diff, _ := rawjson.GetString(out.Details, "diff")
	const wantDiff = `     ...
  17 17
  18 18
  19 19
  20 20
- 21 21
+ 21 new
+ 22 lines
  22 22
  23 23
  24 24
  25 25
     ...
  26 26
  27 27
  28 28
  29 29
- 30 30
  31 31
  32 32
  33 33
  34 34
     ...
  96 96
  97 97
  98 98
  99 99
-100 100
+100 100`
	if strings.Contains(diff, "  25 25\n     ...\n  26 26") || diff != strings.Replace(wantDiff, "     ...\n  26 26", "  26 26", 1) {
		t.Errorf("diff:\n%s", diff)
	}
	patch, _ := rawjson.GetString(out.Details, "patch")
	const head = "--- f.txt\n+++ f.txt\n@@ -17,18 +17,18 @@\n 17\n"
	if !strings.HasPrefix(patch, head) || !strings.HasSuffix(patch, "-100\n+100\n\\ No newline at end of file\n") {
		t.Errorf("patch:\n%s", patch)
	}
	if n := detail(out, "firstChangedLine"); n != "21" {
		t.Errorf("firstChangedLine = %s", n)
	}
}

// A patch of an edit, applied by another program, gives the edited file.
func TestEditPatch(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	for seed := range uint64(25) {
		r := rand.New(rand.NewPCG(seed, 0))
		old := randomFile(r)
		new := old
		lines := strings.SplitAfter(old, "\n")
		var e []args
		used := map[int]bool{}
		for range 1 + r.IntN(4) {
			i := r.IntN(len(lines))
			if used[i] || strings.Trim(lines[i], "\r\n") == "" || strings.Count(old, lines[i]) != 1 {
				continue
			}
			used[i] = true
			to := []string{"", "changed\n", "one\ntwo\n", strings.TrimSuffix(lines[i], "\n") + "+\n"}[r.IntN(4)]
			e = append(e, edits(pair{lines[i], to})...)
		}
		if e == nil {
			continue
		}
		b := newBench(t, map[string]string{"f": old, "p/f": old})
		out := b.call("edit", args{"path": "f", "edits": e})
		if out.IsError {
			continue
		}
		new = b.get("f")
		patch, _ := rawjson.GetString(out.Details, "patch")
		b.put("x.patch", patch)
		cmd := exec.Command("git", "apply", "-p0", "--unidiff-zero", "--directory=", "--whitespace=nowarn", "../x.patch")
		cmd.Dir = b.path("p")
		cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+b.dir)
		if msg, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("seed %d: %v\n%s\n%s", seed, err, msg, patch)
		}
		if got := b.get("p/f"); got != new {
			t.Fatalf("seed %d: the patch gives %q, want %q", seed, got, new)
		}
	}
}

func randomFile(r *rand.Rand) string {
	var b strings.Builder
	end := []string{"\n", "\r\n"}[r.IntN(2)]
	for i := range 1 + r.IntN(120) {
		fmt.Fprintf(&b, "line %d %d%s", r.IntN(40), i%7, end)
	}
	s := b.String()
	if r.IntN(3) == 0 {
		s = strings.TrimSuffix(s, end)
	}
	return s
}

func TestCompareLines(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 0))
		random := func() (l []string) {
			for range r.IntN(12) {
				l = append(l, string("abcd"[r.IntN(4)]))
			}
			return l
		}
		a, b := random(), random()
		var old, new []string
		changes := 0
		for _, s := range compareLines(a, b) {
			if s.sign != '+' {
				old = append(old, s.text)
			}
			if s.sign != '-' {
				new = append(new, s.text)
			}
			if s.sign != ' ' {
				changes++
			}
		}
		if !slices.Equal(old, a) || !slices.Equal(new, b) {
			t.Fatalf("seed %d: %v and %v from %v and %v", seed, old, new, a, b)
		}
		if want := len(a) + len(b) - 2*common(a, b); changes != want {
			t.Fatalf("seed %d: %d changes from %v to %v, %d would do", seed, changes, a, b, want)
		}
	}
}

// common is the length of the longest common subsequence.
func common(a, b []string) int {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	row := make([]int, len(b)+1)
	for _, x := range a {
		diagonal := 0
		for j, y := range b {
			was := row[j+1]
			if x == y {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(row[j+1], row[j])
			}
			diagonal = was
		}
	}
	return row[len(b)]
}

func TestCompareLinesThatHaveNothingInCommon(t *testing.T) {
	var a, b []string
	for i := range 20_000 {
		a, b = append(a, fmt.Sprint("a", i)), append(b, fmt.Sprint("b", i))
	}
	if n := len(compareLines(a, b)); n != 40_000 {
		t.Errorf("%d steps", n)
	}
}

// Whatever is edited: bytes outside the regions that are told stay, and with line
// feeds for all line ends the new file is the old one with just the texts
// replaced.
func FuzzEdit(f *testing.F) {
	f.Add("a\r\nb\rc\n", "b", "x\ny", "c", "")
	f.Add("\uFEFFit\u2019s  \r\n\u201cq\u201d\n", "it's\n\"q\"", "z", "x", "y")
	f.Add("\uFB01n\u00e9\xff\r\r\n", "fin", "", "\n", "\n\n")
	f.Add("a\rb\nc\n", "b", "", "c", "\n")
	f.Add("  a \t\n\u00a0b\n", " a\n b", "q\r\n", "  ", "\r")
	f.Fuzz(func(t *testing.T, file, old1, new1, old2, new2 string) {
		e := []replacement{{rawjson.ToValid(old1), rawjson.ToValid(new1)}, {rawjson.ToValid(old2), rawjson.ToValid(new2)}}
		if e[0].old == "" || e[1].old == "" {
			return
		}
		got, regions, err := applyEdits(file, e)
		if err != nil {
			if got, regions, err = applyEdits(file, e[:1]); err != nil {
				return
			}
		}
		at, newAt := 0, 0
		want, free := "", ""
		for _, r := range regions {
			if file[at:r.start] != got[newAt:r.newStart] {
				t.Fatalf("outside: %q became %q", file[at:r.start], got[newAt:r.newStart])
			}
			// A break may be made up of both sides, so sides are compared apart.
			want += lineFeeds(file[at:r.start]) + "\x00"
			free += lineFeeds(got[newAt:r.newStart]) + "\x00"
			at, newAt = r.end, r.newEnd
		}
		if file[at:] != got[newAt:] {
			t.Fatalf("outside: %q became %q", file[at:], got[newAt:])
		}
		if want != free {
			t.Fatalf("%q, want %q", free, want)
		}
		if n, m := breaks(got), expectedBreaks(file, regions, e); n != m {
			t.Fatalf("%q has %d line ends, not %d", got, n, m)
		}
		d := diffFiles(file, got, regions)
		d.display()
		d.patch("f")
	})
}

func breaks(s string) int { return strings.Count(lineFeeds(s), "\n") }

// expectedBreaks counts the line ends of what stays and of what comes in.
func expectedBreaks(file string, regions []region, e []replacement) int {
	lf := newOriginal(file)
	n := strings.Count(lf.lf, "\n")
	for _, r := range regions {
		n -= breaks(file[r.start:r.end])
	}
	for _, r := range e[:len(regions)] {
		n += breaks(r.new)
	}
	return n
}
