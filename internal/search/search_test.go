package search

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/session/filestore"
)

// header is the first line of a session of a folder.
func header(id, cwd, created string) string {
	return fmt.Sprintf(`{"type":"session","version":3,"id":"%s","timestamp":"%s","cwd":"%s"}`, id, created, cwd)
}

// line is an entry below another; text may be any.
func line(id, parent, minute string, fields string) string {
	p := "null"
	if parent != "" {
		p = `"` + parent + `"`
	}
	return fmt.Sprintf(`{"type":"message","id":"%s","parentId":%s,"timestamp":"2026-03-01T09:%s:00.000Z",%s}`, id, p, minute, fields)
}

func said(role, text string) string {
	return fmt.Sprintf(`"message":{"role":"%s","content":%s}`, role, rawjson.Quote(text))
}

// store makes session files of their lines, by name, and returns their store and
// what it lists.
func store(t testing.TB, files map[string][]string) (filestore.Store, []session.Summary) {
	t.Helper()
	root := t.TempDir()
	for name, lines := range files {
		path := filepath.Join(root, "--p--", name+".jsonl")
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := filestore.Store{Root: root}
	l, err := s.Listing(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s, l.Sessions()
}

func look(t testing.TB, all []session.Summary, o Options, expr string) Result {
	t.Helper()
	var err error
	if o.Expr, err = Parse(expr); err != nil {
		t.Fatal(err)
	}
	r, err := Search(context.Background(), all, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// shown writes hits as ID role "before[match]after".
func shown(r Result) string {
	var b strings.Builder
	for _, h := range r.Hits {
		fmt.Fprintf(&b, "%s %s %s[%s]%s\n", h.Entry, h.Role, h.Before, h.Match, h.After)
	}
	return b.String()
}

func TestSearch(t *testing.T) {
	s, all := store(t, map[string][]string{
		"one": {
			header("one", "/srv/a", "2026-03-01T08:00:00.000Z"),
			line("s", "", "00", `"message":{"role":"system","content":"be brief","sections":{"tools":"close the port"}}`),
			line("a1", "s", "01", said("user", "Which ports are open?\nPlease close  port 80.")),
			line("a2", "a1", "02", `"message":{"role":"assistant","provider":"acme","model":"big-1","content":[{"type":"thinking","thinking":"use ss"},{"type":"text","text":"I close it."},{"type":"toolCall","id":"c1","name":"bash","arguments":{"command":"close-port 80","n":["x",{"y":"/srv/a/net.go"}]}}]}`),
			line("a3", "a2", "03", `"message":{"role":"toolResult","toolCallId":"c1","toolName":"bash","content":[{"type":"text","text":"port closed"},{"type":"image","data":"Y2xvc2Vwb3J0","mimeType":"image/png"}]}`),
			line("a4", "a2", "04", said("user", "关闭端口，然后 Straße МОСКВА 🎉 party")),
			`{"type":"label","id":"a5","parentId":"a4","timestamp":"2026-03-01T09:05:00.000Z","targetId":"a1","label":"the port question"}`,
			`{"type":"session_info","id":"a6","parentId":"a5","timestamp":"2026-03-01T09:06:00.000Z","name":"Port work"}`,
			`{"type":"compaction","id":"a7","parentId":"a6","timestamp":"2026-03-01T09:07:00.000Z","summary":"Ports were closed.","firstKeptEntryId":"a4","tokensBefore":1}`,
			`{"type":"message","id":"a8","parentId":"a7","timestamp":"2026-03-01T09:08:00.000Z","message":{"role":"user","content":"caf\u00e9 \u0050ort caf\u00E9"}}`,
			line("a9", "a8", "09", `"message":{"role":"bashExecution","command":"ls C:\\Users","output":"a/b \"c\""}`),
		},
		"two": {
			header("two", "/srv/b", "2026-03-01T07:00:00.000Z"),
			line("b1", "", "30", said("user", "an old PORT")),
			line("b2", "b1", "31", `"message":{"role":"assistant","provider":"acme","model":"small","content":[{"type":"text","text":"no"}]}`),
			`broken port`,
		},
		"old": {
			`{"type":"session","id":"old","timestamp":"2025-03-01T07:00:00.000Z","cwd":"/srv/b"}`,
			`{"type":"message","timestamp":"2025-03-01T09:00:00.000Z","message":{"role":"user","content":"a port of old"}}`,
		},
	})
	day := func(s string) time.Time {
		d, err := time.Parse("2006-01-02T15:04", s)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	for _, tt := range []struct {
		name, expr string
		o          Options
		want       string
	}{
		{"the newest first, in all roles but system", "port", Options{}, `b1 user an old [PORT]
a8 user café [Port] café
a7 summary [Port]s were closed.
a6 name [Port] work
a5 label the [port] question
a3 tool [port] closed
a2 call close-[port] 80
a1 user Which [port]s are open?
OLD user a [port] of old
`},
		{"all words in one entry", "port close", Options{}, "a7 summary [Port]s were closed.\na3 tool [port] closed\na2 call close-[port] 80\na1 user Which [port]s are open?\n"},
		{"a phrase, blanks folded", `"close port 80"`, Options{}, "a1 user Please [close  port 80].\n"},
		{"a phrase over lines", `"open? please"`, Options{}, "a1 user Which ports are [open?\nPlease] close  port 80.\n"},
		{"no phrase", `"80 close"`, Options{}, ""},
		{"an open quote is a letter", `"port`, Options{}, ""},
		{"Chinese", "端口", Options{}, "a4 user 关闭[端口]，然后 Straße МОСКВА 🎉 party\n"},
		{"Cyrillic in the other case", "москва", Options{}, "a4 user 关闭端口，然后 Straße [МОСКВА] 🎉 party\n"},
		{"an emoji", "🎉", Options{}, "a4 user 关闭端口，然后 Straße МОСКВА [🎉] party\n"},
		{"what is escaped in the file", "CAFÉ", Options{}, "a8 user [café] Port café\n"},
		{"backslashes", `c:\users`, Options{}, "a9 bash ls [C:\\Users]\n"},
		{"quotes and slashes", `a/b`, Options{}, "a9 bash [a/b] \"c\"\n"},
		{"images are not read", "Y2xvc2", Options{}, ""},
		{"a regular expression", `re:^ports?\b.*closed`, Options{}, "a7 summary [Ports were closed].\na3 tool [port closed]\n"},
		{"a regular expression of either case", `re:(moskva|москва)`, Options{}, "a4 user 关闭端口，然后 Straße [МОСКВА] 🎉 party\n"},
		{"a role", "port", Options{Role: Label}, "a5 label the [port] question\n"},
		{"system only if asked", "port", Options{Role: System}, "s system close the [port]\n"},
		{"assistant is thoughts and calls too", "s", Options{Role: Assistant}, "a2 thinking u[s]e ss\n"},
		{"a tool", "port", Options{Tool: "BASH"}, "a3 tool [port] closed\na2 call close-[port] 80\n"},
		{"a tool without words", "", Options{Tool: "bash"}, "a3 tool []port closed\na2 call []bash\n"},
		{"a file: its call and what came of it", "port", Options{File: "net.go"}, "a3 tool [port] closed\na2 call close-[port] 80\n"},
		{"a file without words", "", Options{File: "A/net.go"}, "a2 call []bash\n"},
		{"a model", "o", Options{Model: "small"}, "b2 assistant n[o]\nb1 user an [o]ld PORT\n"},
		{"a model's own answers", "i", Options{Model: "acme/big", Role: Assistant}, "a2 assistant [I] close it.\n"},
		{"since", "port", Options{Since: day("2026-03-01T09:08")}, "b1 user an old [PORT]\na8 user café [Port] café\n"},
		{"until", "port", Options{Until: day("2026-03-01T09:01")}, "a1 user Which [port]s are open?\nOLD user a [port] of old\n"},
		{"a limit", "port", Options{Limit: 2}, "b1 user an old [PORT]\na8 user café [Port] café\n"},
		{"the best first", "port", Options{Limit: 2, Relevance: true}, "a6 name [Port] work\na5 label the [port] question\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := look(t, all, tt.o, tt.expr)
			for i, h := range r.Hits {
				if h.Session.ID == "old" {
					r.Hits[i].Entry = "OLD"
				}
			}
			if got := shown(r); got != tt.want {
				t.Errorf("found\n%swant\n%s", got, tt.want)
			}
			if r.More != (tt.o.Limit > 0) {
				t.Errorf("more: %v", r.More)
			}
		})
	}
	r := look(t, all, Options{Store: s}, "re:port closed|party")
	if len(r.Hits) != 2 || !r.Hits[0].OnPath || r.Hits[1].OnPath {
		t.Errorf("places: %+v", r.Hits)
	}
}

func TestParseRefuses(t *testing.T) {
	for expr, want := range map[string]string{
		"re:":      "re: needs a regular expression behind it",
		"re:(":     "the regular expression is not understood: missing closing ): `(`",
		"re:a{2,1": "",
	} {
		_, err := Parse(expr)
		if got := fmt.Sprint(err); want != "" && got != want || want == "" && err != nil {
			t.Errorf("%s: %v, want %s", expr, err, want)
		}
	}
	if x, err := Parse(" \t "); err != nil || !x.Empty() {
		t.Errorf("blanks: %v, %v", x, err)
	}
}

// An entry that forks have too is found once, where it was said first.
func TestSearchFindsCopiesOnce(t *testing.T) {
	u := line("u", "", "01", said("user", "hello"))
	_, all := store(t, map[string][]string{
		"fork":  {header("fork", "/a", "2026-03-03T08:00:00.000Z"), u, line("v", "u", "02", said("user", "hello again"))},
		"first": {header("first", "/a", "2026-03-01T08:00:00.000Z"), u},
		"clone": {header("clone", "/a", "2026-03-02T08:00:00.000Z"), u},
	})
	r := look(t, all, Options{}, "hello")
	if len(r.Hits) != 2 || r.Hits[1].Entry != "u" || r.Hits[1].Session.ID != "first" || r.Hits[1].Copies != 2 || r.Hits[0].Copies != 0 {
		t.Errorf("%+v", r.Hits)
	}
}

// oracle is a needle said plainly.
func oracle(text, word string) bool {
	flat := func(s string) string {
		var b strings.Builder
		space := false
		for _, r := range s {
			if unicode.IsSpace(r) || r == '\uFEFF' {
				if !space {
					b.WriteByte(' ')
				}
				space = true
				continue
			}
			space = false
			if l := unicode.ToLower(r); r < 0x80 || l >= 0x80 {
				r = l
			}
			b.WriteRune(r)
		}
		return b.String()
	}
	return strings.Contains(flat(text), strings.TrimSpace(flat(word)))
}

var alphabet = []rune("aAbBkKsStTeE \n\t\"\\/<&.0éÉßẞжЖσΣςΩ\u212a\u017f\u0130ıﬀ端口关🎉👍🏽\u2028\u00a0\ufeff\ufffd\x1b")

func someText(r *rand.Rand, n int) string {
	var b strings.Builder
	for range r.IntN(n) {
		b.WriteRune(alphabet[r.IntN(len(alphabet))])
	}
	return b.String()
}

// quoted writes a text in one of the many ways JSON has.
func quoted(r *rand.Rand, s string) string {
	var b strings.Builder
	b.WriteByte('"')
	how := r.IntN(4)
	for _, c := range s {
		switch {
		case how == 0 && r.IntN(3) == 0 || c == 0x1b:
			if c > 0xFFFF {
				c -= 0x10000
				fmt.Fprintf(&b, `\u%04x\u%04X`, 0xD800+c>>10, 0xDC00+c&0x3FF)
			} else {
				fmt.Fprintf(&b, []string{`\u%04x`, `\u%04X`}[r.IntN(2)], c)
			}
		case c == '/' && how == 1:
			b.WriteString(`\/`)
		case c == '\ufffd' && how == 2:
			b.WriteByte(0xFF)
		default:
			q := string(rawjson.Quote(string(c)))
			b.WriteString(q[1 : len(q)-1])
		}
	}
	b.WriteByte('"')
	return b.String()
}

// What is found is what is there, however it is written in the file.
func TestSearchIsRight(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 5))
		texts := map[string]string{}
		files := map[string][]string{}
		for f := range 3 {
			lines := []string{header(fmt.Sprint(f), "/x", "2026-03-01T08:00:00.000Z")}
			for i := range 20 {
				id := fmt.Sprintf("f%de%d", f, i)
				texts[id] = someText(r, 30)
				lines = append(lines, fmt.Sprintf(`{"type":"message","id":"%s","parentId":null,"message":{"role":"user","content":%s}}`, id, quoted(r, texts[id])))
			}
			files[fmt.Sprint(f)] = lines
		}
		_, all := store(t, files)
		ids := make([]string, 0, len(texts))
		for id := range texts {
			ids = append(ids, id)
		}
		slices.Sort(ids)
		for range 30 {
			word := someText(r, 5)
			if t := []rune(texts[ids[r.IntN(len(ids))]]); len(t) > 2 && r.IntN(3) > 0 {
				from := r.IntN(len(t) - 1)
				word = string(t[from:min(len(t), from+1+r.IntN(6))])
				switch r.IntN(3) {
				case 0:
					word = strings.ToUpper(word)
				case 1:
					word = strings.ToLower(word)
				}
			}
			n := NewNeedle(word)
			if n.Empty() {
				continue
			}
			var want []string
			for _, id := range ids {
				if oracle(texts[id], word) {
					want = append(want, id)
				}
			}
			res, err := Search(t.Context(), all, Options{Expr: Expr{needles: []Needle{n}, phrase: []bool{true}}})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, h := range res.Hits {
				got = append(got, string(h.Entry))
				if !oracle(h.Match, word) && !strings.HasSuffix(h.Match, "…") {
					t.Fatalf("seed %d: %q matches %q", seed, h.Match, word)
				}
			}
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Fatalf("seed %d: %q found in %v, is in %v", seed, word, got, want)
			}

			// The same as a regular expression.
			x, err := Parse("re:" + regexp.QuoteMeta(word))
			if err != nil || strings.ContainsRune(word, '\ufffd') || strings.TrimFunc(word, blank) != word {
				continue
			}
			re := regexp.MustCompile("(?im)" + regexp.QuoteMeta(word))
			want, got = nil, nil
			for _, id := range ids {
				if texts[id] != "" && re.MatchString(texts[id]) {
					want = append(want, id)
				}
			}
			if res, err = Search(t.Context(), all, Options{Expr: x}); err != nil {
				t.Fatal(err)
			}
			for _, h := range res.Hits {
				got = append(got, string(h.Entry))
			}
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Fatalf("seed %d: re:%q found in %v, is in %v", seed, word, got, want)
			}
		}
	}
}

// The letters that fold to one are of one orbit, so that a filter knows all forms.
func TestFoldStaysInOrbit(t *testing.T) {
	for r := rune(0x80); r <= unicode.MaxRune; r++ {
		if f := fold(r); f != r && !slices.Contains(Needle{}.cases(f), r) {
			t.Errorf("%U folds to %U, whose forms are %U", r, f, Needle{}.cases(f))
		}
	}
}

// With a limit the newest are found, whatever the order of the files.
func TestSearchNewest(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 6))
		files := map[string][]string{}
		var times []int
		for f := range 12 {
			lines := []string{header(fmt.Sprint(f), "/x", "2026-03-01T08:00:00.000Z")}
			at := r.IntN(40)
			for i := range 1 + r.IntN(30) {
				at += r.IntN(3)
				if at >= 60 {
					break
				}
				times = append(times, at)
				lines = append(lines, line(fmt.Sprintf("f%de%d", f, i), "", fmt.Sprintf("%02d", at), said("user", "the same")))
			}
			files[fmt.Sprint(f)] = lines
		}
		_, all := store(t, files)
		slices.Sort(times)
		slices.Reverse(times)
		limit := 1 + r.IntN(20)
		res := look(t, all, Options{Limit: limit}, "same")
		if len(res.Hits) != min(limit, len(times)) || res.More != (limit < len(times)) {
			t.Fatalf("seed %d: %d hits of %d, more %v", seed, len(res.Hits), len(times), res.More)
		}
		for i, h := range res.Hits {
			if h.Time.Minute() != times[i] {
				t.Fatalf("seed %d: hit %d is of minute %d, want %d", seed, i, h.Time.Minute(), times[i])
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(`a "b c" re:`, `{"type":"message","id":"a","message":{"role":"user","content":"x"}}`)
	f.Add(`re:a(b|c)+`, `{"type":"label","id":"a","label":"abab"}`)
	f.Fuzz(func(t *testing.T, expr, text string) {
		x, err := Parse(expr)
		if err != nil {
			return
		}
		fl := x.filter()
		passed := map[string]bool{}
		fl.lines([]byte(text), func(line []byte) { passed[string(line)] = true })
		for _, line := range strings.Split(text, "\n") {
			e, err := session.Decode([]byte(line), session.Line{}, nil)
			if err != nil {
				continue
			}
			if at := x.find(pieces(nil, e, []byte(line)), func(piece) bool { return true }); at != nil && !passed[line] {
				t.Fatalf("%q is in %s, which the filter left out", expr, line)
			}
		}
	})
}
