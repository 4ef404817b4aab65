package builtin

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/workspace"
)

func TestGrep(t *testing.T) {
	long := strings.Repeat("l", 600)
	files := map[string]string{
		"a.go": "package a\n\nfunc One() {}\nfunc Two() {}\n", "sub/b.go": "package b\r\nfunc one() {}\r\n", "sub/deep/c.ts": "let one = 1\n",
		".hidden": "One\n", ".git/config": "One\n", ".gitignore": "out/\n*.log\n", "out/x.go": "One\n", "y.log": "One\n",
		"bin": "One\x00\n", "long.txt": "long " + long + "\n", "k.txt": "MA\u212AE\ntas\u017F\n", "last": "x\nend", "seven": "1\n2\n3\n4\n5\n6\n7\n",
		"emoji.txt": "emoji " + strings.Repeat("e", 492) + "\U0001F44D\U0001F3FD!\n", "bad": "b\xffd\n", "sub/x(y": "f(x)\n",
	}
	for _, tt := range []struct {
		name, args, want, details string
		isError                   bool
	}{
		{"a word", `{"pattern":"func Two"}`, "a.go:4: func Two() {}", "", false},
		{"in order of the paths, without what is left out", `{"pattern":"One"}`, ".hidden:1: One\na.go:3: func One() {}", "", false},
		{"in any case", `{"pattern":"oNe","ignoreCase":true}`,
			".hidden:1: One\na.go:3: func One() {}\nsub/b.go:2: func one() {}\nsub/deep/c.ts:1: let one = 1", "", false},
		{"letters that only fold", `{"pattern":"make|TASS","ignoreCase":true}`, "k.txt:1: MA\u212AE\nk.txt:2: tas\u017F", "", false},
		{"letters that fold, as a literal", `{"pattern":"mAke","ignoreCase":true}`, "k.txt:1: MA\u212AE", "", false},
		{"an expression", `{"pattern":"^func \\w+\\(\\) \\{\\}$"}`, "a.go:3: func One() {}\na.go:4: func Two() {}\nsub/b.go:2: func one() {}", "", false},
		{"plain text", `{"pattern":"f(x","literal":true}`, "sub/x(y:1: f(x)", "", false},
		{"in a folder", `{"pattern":"one","path":"sub"}`, "b.go:2: func one() {}\ndeep/c.ts:1: let one = 1", "", false},
		{"in a file", `{"pattern":"one","path":"sub/b.go"}`, "b.go:2: func one() {}", "", false},
		{"in a file that is left out otherwise", `{"pattern":"One","path":"out/x.go"}`, "x.go:1: One", "", false},
		{"in files of a kind", `{"pattern":"one","glob":"*.ts"}`, "sub/deep/c.ts:1: let one = 1", "", false},
		{"in files of a path", `{"pattern":"(?i)one","glob":"./sub/*.go"}`, "sub/b.go:2: func one() {}", "", false},
		{"in files of two kinds", `{"pattern":"one","glob":"*.{go,ts}"}`, "sub/b.go:2: func one() {}\nsub/deep/c.ts:1: let one = 1", "", false},
		{"in all files but some", `{"pattern":"(?i)one","glob":"!*.go"}`, ".hidden:1: One\nsub/deep/c.ts:1: let one = 1", "", false},
		{"in all files of a folder", `{"pattern":"one","glob":"deep/"}`, "sub/deep/c.ts:1: let one = 1", "", false},
		{"lines around", `{"pattern":"[36]","path":"seven","context":1}`,
			"seven-2- 2\nseven:3: 3\nseven-4- 4\nseven-5- 5\nseven:6: 6\nseven-7- 7", "", false},
		{"lines around that meet", `{"pattern":"[35]","path":"seven","context":3}`,
			"seven-1- 1\nseven-2- 2\nseven:3: 3\nseven-4- 4\nseven:5: 5\nseven-6- 6\nseven-7- 7", "", false},
		{"a limit", `{"pattern":"[0-9]","path":"seven","limit":2}`,
			"seven:1: 1\nseven:2: 2\n\n[There are more than 2 matches; narrow the search or raise limit.]", `{"matchLimitReached":2}`, false},
		{"a limit that is just met", `{"pattern":"[12]","path":"seven","limit":2}`, "seven:1: 1\nseven:2: 2", "", false},
		{"a limit of nothing is one of 1", `{"pattern":"2","path":"seven","limit":0}`, "seven:2: 2", "", false},
		{"a limit with lines around", `{"pattern":"[26]","path":"seven","limit":1,"context":1}`,
			"seven-1- 1\nseven:2: 2\nseven-3- 3\n\n[There are more than 1 matches; narrow the search or raise limit.]", `{"matchLimitReached":1}`, false},
		{"a long line", `{"pattern":"^long "}`, "long.txt:1: long " + long[:495] + "... [cut]\n\n[Lines are cut at 500 characters; read shows them whole.]",
			`{"linesTruncated":true}`, false},
		{"a long line is not cut within a sign", `{"pattern":"^emoji "}`, "emoji.txt:1: emoji " + strings.Repeat("e", 492) +
			"... [cut]\n\n[Lines are cut at 500 characters; read shows them whole.]", `{"linesTruncated":true}`, false},
		{"bytes that are no text", `{"pattern":"^b.*d$"}`, "bad:1: b\uFFFDd", "", false},
		{"a last line without an end", `{"pattern":"d$","path":"last"}`, "last:2: end", "", false},
		{"ends of lines", `{"pattern":"$","path":"last"}`, "last:1: x\nlast:2: end", "", false},
		{"empty lines", `{"pattern":"^$","path":"a.go"}`, "a.go:2: ", "", false},
		{"classes do not go over lines", `{"pattern":"One[^x]+Two"}`, "No line in . matches One[^x]+Two.", "", false},
		{"blanks do not either", `{"pattern":"a\\s+func"}`, `No line in . matches a\s+func.`, "", false},
		{"the beginning of the text is that of the line", `{"pattern":"\\Afunc T"}`, "a.go:4: func Two() {}", "", false},
		{"nothing", `{"pattern":"nowhere","path":"sub"}`, "No line in sub matches nowhere.", "", false},
		{"carriage returns", `{"pattern":"b\\r$"}`, "sub/b.go:1: package b", "", false},
		{"ends of lines before them", `{"pattern":"[^}]$","path":"sub/b.go"}`, "b.go:1: package b", "", false},
		{"a missing folder", `{"pattern":"x","path":"suh"}`, "There is no file or folder suh. Similar: sub/", "", true},
		{"a pattern that is broken", `{"pattern":"a("}`,
			"Invalid arguments for grep: pattern: missing closing ): a(; literal searches for plain text.", "", true},
		{"look-around", `{"pattern":"a(?=b)"}`,
			"Invalid arguments for grep: pattern: (?= is not supported: patterns are RE2, without look-around and back references; literal searches for plain text.", "", true},
		{"a back reference", `{"pattern":"(a)\\1"}`,
			`Invalid arguments for grep: pattern: \1 is not supported: patterns are RE2, without look-around and back references; literal searches for plain text.`, "", true},
		{"an empty pattern", `{"pattern":""}`, "Invalid arguments for grep: pattern is empty.", "", true},
		{"a glob that is broken", `{"pattern":"a","glob":"{a"}`, "Invalid arguments for grep: glob: not a glob pattern.", "", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, files)
			out := b.call("grep", tt.args)
			if text(out) != tt.want || string(out.Details) != tt.details || out.IsError != tt.isError {
				t.Errorf("%s\n%s, error %v\nwant %s\n%s", text(out), out.Details, out.IsError, tt.want, tt.details)
			}
		})
	}
}

func TestGrepCutsOutput(t *testing.T) {
	b := newBench(t, map[string]string{"f": strings.Repeat(strings.Repeat("x", 400)+"\n", 300)})
	out := b.call("grep", args{"pattern": "x", "limit": 200})
	if detail(out, "truncation", "truncatedBy") != `"bytes"` || detail(out, "truncation", "totalLines") != "200" ||
		detail(out, "truncation", "maxLines") != "9007199254740991" || detail(out, "matchLimitReached") != "200" {
		t.Errorf("details %s", out.Details)
	}
	if !strings.HasSuffix(text(out), "\n\n[There are more than 200 matches; narrow the search or raise limit. Cut at 50.0KB; narrow the search.]") {
		t.Errorf("%q", text(out)[len(text(out))-200:])
	}
}

func TestGrepOddFiles(t *testing.T) {
	b := newBench(t, map[string]string{
		"utf16": "\xff\xfen\x00e\x00e\x00d\x00l\x00e\x00\n\x00", "late": strings.Repeat("x\n", 40_000) + "needle\x00\n",
		"bom": "\uFEFFneedle first\n", "huge": strings.Repeat("h", 5<<20) + "needle\nneedle two\n", "sub/\xffname": "needle\n", "cr": "needle one\rneedle two\r",
	})
	if out := b.call("grep", args{"pattern": "^needle", "path": "bom"}); text(out) != "bom:1: needle first" {
		t.Errorf("behind a byte order mark: %q", text(out))
	}
	const want = "bom:1: needle first\ncr:1: needle one\rneedle two\nhuge:1: HUGE... [cut]\nhuge:2: needle two\n" +
		"late:40001: needle\x00\nsub/\uFFFDname:1: needle\n\n[Lines are cut at 500 characters; read shows them whole.]"
	if out := b.call("grep", args{"pattern": "needle"}); text(out) != strings.Replace(want, "HUGE", strings.Repeat("h", 500), 1) {
		t.Errorf("%q", text(out))
	}
	for _, special := range []string{os.DevNull} {
		if out := b.call("grep", args{"pattern": "x", "path": special}); text(out) != "Cannot search "+special+": it is a device, pipe or socket." || !out.IsError {
			t.Errorf("%q", text(out))
		}
	}
}

func TestGrepUnreadable(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root can read all")
	}
	b := newBench(t, map[string]string{"a": "x\n", "b": "x\n"})
	if err := os.Chmod(b.path("a"), 0); err != nil {
		t.Fatal(err)
	}
	if out := b.call("grep", args{"pattern": "x"}); text(out) != "b:1: x\n\n[1 file or folder could not be read.]" {
		t.Errorf("%q", text(out))
	}
}

// scanOf returns what one scan finds, as lines.
func scanOf(t *testing.T, b *bench, m *searcher, around, most int) string {
	t.Helper()
	s := &scan{searcher: m, around: around, most: most}
	hits, err := s.path(t.Context(), workspace.NewLocal(b.dir), b.path("f"))
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, h := range hits {
		fmt.Fprintln(&out, h.line, h.match, h.text)
	}
	return out.String()
}

// naive does what a scan does, line by line.
func naive(text string, re *regexp.Regexp, around, most int) string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	show := make([]int, len(lines))
	matches, last := 0, -1
	for i, l := range lines {
		if matches == most {
			break
		}
		if re.MatchString(strings.TrimSuffix(l, "\r")) {
			matches++
			last = i
			for j := max(0, i-around); j <= min(len(lines)-1, i+around); j++ {
				show[j] = max(show[j], 1)
			}
			show[i] = 2
		}
	}
	var out strings.Builder
	for i, l := range lines {
		if show[i] > 0 && i <= last+around {
			fmt.Fprintln(&out, i+1, show[i] == 2, strings.TrimSuffix(l, "\r"))
		}
	}
	return out.String()
}

// With its shortcuts a scan finds what one finds that looks at every line.
func TestScanAgainstNaive(t *testing.T) {
	patterns := []string{"ab", "a+b", "^a", "b$", "^$", "a|b", "(?i)AB", "a.*b", "[^a]b", "a\\s*b", "(ab)+c?", "b{2}", "\\bab\\b", "c?", "(?i:a)b", "x", "ab.?$", "[^b]$", "\\s$", "b.$"}
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 0))
		var text strings.Builder
		for range r.IntN(30) {
			for range r.IntN(5) {
				text.WriteByte("abcAB "[r.IntN(6)])
			}
			text.WriteString([]string{"\n", "\n", "\r\n"}[r.IntN(3)])
		}
		if r.IntN(2) == 0 {
			text.WriteString("ab")
		}
		if text.Len() == 0 {
			continue
		}
		b := newBench(t, map[string]string{"f": text.String()})
		p, around, most := patterns[r.IntN(len(patterns))], r.IntN(4), 1+r.IntN(8)
		m, err := newSearcher(p, false, false)
		if err != nil {
			t.Fatal(err)
		}
		got, want := scanOf(t, b, m, around, most), naive(text.String(), regexp.MustCompile(p), around, most)
		if got != want {
			t.Fatalf("seed %d: %q, %d around, at most %d, in %q:\n%s\nwant\n%s", seed, p, around, most, text.String(), got, want)
		}
	}
}

// Nothing is lost or doubled where one block ends and the next begins.
func TestScanLargeFile(t *testing.T) {
	var text strings.Builder
	r := rand.New(rand.NewPCG(1, 0))
	for i := 0; text.Len() < 5<<20; i++ {
		if r.IntN(5000) == 0 {
			fmt.Fprintf(&text, "needle %d\n", i)
		} else {
			fmt.Fprintf(&text, "line %d %s\n", i, strings.Repeat("h", r.IntN(120)))
		}
	}
	text.WriteString("needle " + strings.Repeat("e", 3<<20))
	b := newBench(t, map[string]string{"f": text.String()})
	for _, p := range []string{"needle", "^n.*[0-9e]$"} {
		m, err := newSearcher(p, false, false)
		if err != nil {
			t.Fatal(err)
		}
		got := scanOf(t, b, m, 3, 1<<30)
		want := naive(text.String(), regexp.MustCompile(p), 3, 1<<30)
		if cut := strings.LastIndex(want, "needle "); got[:cut] != want[:cut] {
			t.Errorf("%s: %d bytes, want %d", p, len(got), len(want))
		}
	}
}

func TestRequiredLiteral(t *testing.T) {
	for p, want := range map[string]string{
		"abc": "abc", "a(bc)d": "bc", "abc.*defg": "defg", "a|b": "", "(?i)HeLLo": "hello", "x+yz": "yz", "(abc)*d": "d", "(abc){2,}": "abc",
		"a?bc": "bc", "[ab]": "", "(?i)\u00e9t": "", "f(?i)oo_bar": "oo_bar", "": "",
	} {
		m, err := newSearcher(p, false, false)
		if err != nil {
			t.Fatal(err)
		}
		if string(m.literal) != want {
			t.Errorf("%q requires %q, want %q", p, m.literal, want)
		}
	}
}

// The search stops early, and what it began ends with it.
func TestGrepEnds(t *testing.T) {
	files := map[string]string{}
	for i := range 600 {
		files[fmt.Sprintf("d%d/f%d", i%20, i)] = "x\n"
	}
	b := newBench(t, files)
	before := runtime.NumGoroutine()
	if out := b.call("grep", args{"pattern": "x", "limit": 3}); detail(out, "matchLimitReached") != "3" {
		t.Errorf("details %s", out.Details)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	b.callWith(ctx, "grep", args{"pattern": "x"}, nil)
	if after := runtime.NumGoroutine(); after > before {
		t.Errorf("%d goroutines are left", after-before)
	}
}

func BenchmarkGrep(b *testing.B) {
	root := runtime.GOROOT() + "/src"
	if _, err := os.Stat(root); err != nil {
		b.Skip("no sources")
	}
	for _, p := range []string{"ErrNotExistNowhere", "func \\w+Reader\\(", "(?i)notexistnowhere", "[a-z]{40}"} {
		b.Run(p, func(b *testing.B) {
			w := newBench(b, nil)
			f := w.tool("grep")
			a := fmt.Appendf(nil, `{"pattern":%q,"path":%q,"limit":100000}`, p, root)
			for b.Loop() {
				if out, err := f.Run(b.Context(), a, nil); err != nil || out.IsError {
					b.Fatal(err, text(out))
				}
			}
		})
	}
}
