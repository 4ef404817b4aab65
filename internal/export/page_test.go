package export

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/session/filestore"
)

// unpage gives back the lines of a page as its script does.
func unpage(t *testing.T, page string) string {
	t.Helper()
	var out strings.Builder
	for part := range strings.SplitSeq(page, openBlock) {
		text, _, ok := strings.Cut(part, "</script>")
		if !ok || strings.HasPrefix(part, "<!DOCTYPE") {
			continue
		}
		for line := range strings.Lines(text) {
			line = strings.TrimSuffix(line, "\n")
			if b, ok := strings.CutPrefix(line, "="); ok {
				raw, err := base64.StdEncoding.DecodeString(b)
				if err != nil {
					t.Fatal(err)
				}
				line = string(raw)
			} else if b, ok := strings.CutPrefix(line, "-"); ok {
				line = pair.ReplaceAllStringFunc(b, func(p string) string {
					if p == `\l` {
						return "<"
					}
					return p
				})
			}
			out.WriteString(line + "\n")
		}
	}
	return out.String()
}

var pair = regexp.MustCompile(`(?s)\\.`)

func TestPageLinesComeBackToTheByte(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	pieces := []string{"<", "-", "</script>", "<!--", `\l`, `\\l`, `\\`, `\`, "=", "\r", "\x00", "\xff", "a", "中", "$$", "\u2028", "\ufeff", `"`, "\v"}
	for range 2000 {
		var line []byte
		for range r.IntN(8) {
			line = append(line, pieces[r.IntN(len(pieces))]...)
		}
		got := appendPageLine(nil, line)
		if bytes.ContainsAny(got, "<\r\x00\n") {
			t.Fatalf("%q stands in the page as %q", line, got)
		}
		if back := unpage(t, openBlock+string(got)+"\n</script>"); back != string(line)+"\n" {
			t.Fatalf("%q comes back as %q", line, back)
		}
	}
}

// stored makes a session of a file, whose lines are copied many at a time.
func stored(t *testing.T, lines ...string) (session.Header, *session.Tree) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.jsonl")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := session.Open(t.Context(), filestore.Store{Root: t.TempDir()}, path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s.Header(), s.Tree()
}

// Copying many lines at a time gives what copying entry by entry gives.
func TestQuickIsSlow(t *testing.T) {
	quick := 0
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 2))
		lines := []string{head}
		for i := range 40 {
			parent := ""
			if i > 0 {
				parent = fmt.Sprintf("e%d", max(0, i-1-r.IntN(3)*r.IntN(3)))
			}
			id, any := fmt.Sprintf("e%d", i), fmt.Sprintf("e%d", r.IntN(i+1))
			front := `"id":"` + id + `","parentId":"` + parent + `","timestamp":"2026-03-01T09:00:00.000Z"`
			if parent == "" {
				front = `"id":"` + id + `","parentId":null,"timestamp":"2026-03-01T09:00:00.000Z"`
			}
			lines = append(lines, []string{
				entry(id, parent, said(strings.Repeat(id, 1+r.IntN(40000)))),
				`{"type":"label",` + front + `,"targetId":"` + any + `","label":"` + []string{"x", "", "y"}[r.IntN(3)] + `"}`,
				`{"type":"custom",` + front + `,"customType":"bough.leaf"}`,
				`{"type":"compaction",` + front + `,"summary":"` + id + `","firstKeptEntryId":"` + any + `","tokensBefore":1}`,
			}[r.IntN(4)])
		}
		h, tree := stored(t, lines...)
		_, plain := load(t, lines...)
		if _, ok := tree.Way(""); ok {
			quick++
		}
		leaf := session.ID(fmt.Sprintf("e%d", r.IntN(40)))
		for _, o := range []Options{{Leaf: leaf, Now: now}, {Now: now}, {Below: leaf, Now: now}, {Leaf: leaf, Labels: true, Now: now}} {
			var a, b bytes.Buffer
			ra, err := JSONL(&a, h, tree, o)
			if err != nil {
				t.Fatal(err)
			}
			rb, err := JSONL(&b, h, plain, o)
			if err != nil || ra.Entries != rb.Entries {
				t.Fatal(err, ra, rb)
			}
			ids := regexp.MustCompile(`"label","id":"[0-9a-f]{8}","parentId":"[^"]*"`) // made anew each time
			if x, y := ids.ReplaceAllString(a.String(), ""), ids.ReplaceAllString(b.String(), ""); x != y {
				t.Fatalf("seed %d, %+v: quick\n%.2000s\nslow\n%.2000s", seed, o, x, y)
			}
		}
	}
	if quick < 50 {
		t.Errorf("only %d sessions were copied quickly", quick)
	}
}

// A page holds what a session file of the same part holds.
func TestPageHasTheSessionFile(t *testing.T) {
	lines := []string{head,
		entry("a", "", said("one </script><script>alert(1)</script>")),
		entry("b", "a", said(`two \\l`)),
		`{"type":"custom","id":"m","parentId":"b","timestamp":"2026-03-01T09:00:00.000Z","customType":"bough.leaf","data":{"v":1}}`,
		entry("c", "m", said("three")),
		entry("side", "a", said("side"))}
	h, tree := stored(t, lines...)
	for _, o := range []Options{{Now: now}, {Now: now, Leaf: "c", Labels: true}, {Now: now, Below: "b", Stand: "c", Labels: true}} {
		var page, file bytes.Buffer
		r, err := Page(&page, h, tree, o)
		if err != nil {
			t.Fatal(err)
		}
		f, err := JSONL(&file, h, tree, o)
		if err != nil || f.Entries != r.Entries {
			t.Fatal(err, f, r)
		}
		if got := unpage(t, page.String()); got != file.String() {
			t.Errorf("%+v: the page holds\n%s\nthe file\n%s", o, got, file.String())
		}
		if n := strings.Count(page.String(), "<script"); n != 3 {
			t.Errorf("%d scripts in the page, want 3", n)
		}
	}
	var file bytes.Buffer
	if _, err := JSONL(&file, h, tree, Options{Below: "b", Now: now}); err != nil || strings.Contains(file.String(), "side") || !strings.Contains(file.String(), "three") {
		t.Errorf("subtree: %v\n%s", err, file.String())
	}
}

// The script stands in the page as it is.
func TestPageScriptEndsWhereItEnds(t *testing.T) {
	for _, bad := range []string{"</script", "<!--", "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("} {
		if strings.Contains(pageScript, bad) {
			t.Errorf("page.js has %q", bad)
		}
	}
	if strings.Contains(pageStyle+staticStyle, "</style") {
		t.Error("the style ends in its middle")
	}
}

// What is in a session acts nowhere: no tag, no link to code, no image from elsewhere.
func TestStaticIsHarmless(t *testing.T) {
	evil := []string{`<script>alert(1)</script>`, `</script><img src=x onerror=alert(1)>`, `[x](javascript:alert(1))`, `![x](https://evil.example/a.png)`, `[x](JaVaScRiPt:alert(1))`,
		`<a href=\"javascript:alert(1)\">x</a>`, `<javascript:alert(1)>`, `[x](data:text/html;base64,xxxx)`, `[x]( https://ok.example/\" onclick=\"alert(1) )`, "```\\\"><script>\\nx\\n```",
		`<style>*{display:none}</style>`, `<!-- x`, `<details open ontoggle=alert(1)>`, `| <b onclick=alert(1)> |\n|---|\n| <img src=x> |`, `[x]: javascript:alert(1)\n\n[x]`, `<vbscript:x>`, `\u001b]8;;http://x\u0007`, `\u202etxt`}
	lines := []string{`{"type":"session","version":3,"id":"s<b>","timestamp":"2026-03-01T08:00:00.000Z","cwd":"/<i>"}`}
	parent := ""
	for i, e := range evil {
		id := fmt.Sprintf("e%d", i)
		lines = append(lines, entry(id, parent, said(e)),
			entry(id+`\"><b>`, id, `"message":{"role":"assistant","model":"`+e+`","provider":"p","content":[{"type":"thinking","thinking":"`+e+`"},{"type":"toolCall","id":"`+e+`","name":"`+e+`","arguments":{"path":"`+e+`"}},{"type":"image","mimeType":"image/png\" onerror=\"x","data":"x"},{"type":"`+e+`"}],"stopReason":"error","errorMessage":"`+e+`"}`),
			entry("r"+id, id+`\"><b>`, `"message":{"role":"toolResult","toolCallId":"`+e+`","toolName":"`+e+`","isError":true,"content":[{"type":"text","text":"`+e+`"}],"details":{"diff":"`+e+`"}}`),
			`{"type":"compaction","id":"k`+id+`","parentId":"r`+id+`","timestamp":"2026-03-01T09:00:00.000Z","summary":"`+e+`","firstKeptEntryId":"`+e+`","tokensBefore":1}`,
			`{"type":"label","id":"l`+id+`","parentId":"k`+id+`","timestamp":"2026-03-01T09:00:00.000Z","targetId":"`+id+`","label":"`+e+`"}`)
		parent = "l" + id
	}
	h, tree := load(t, lines...)
	var b bytes.Buffer
	if _, err := Static(&b, h, tree, Options{Now: now}); err != nil {
		t.Fatal(err)
	}
	page := b.String()[strings.Index(b.String(), "<body"):]
	tags := regexp.MustCompile(`<[a-zA-Z!/][^>]*>`).FindAllString(page, -1)
	fine := regexp.MustCompile(`^<(/?(body|html|nav|div|span|header|main|footer|article|h1|h2|h3|h4|h5|h6|p|pre|code|ul|ol|li|em|strong|del|table|thead|tbody|tr|th|td|dl|dt|dd|details|summary|time|blockquote|hr|br|a|img|input)( (class|id|href|rel|dir|open|aria-label|alt|loading|src|style|type|checked|disabled|start)(="[^"<>]*")?)* ?/?)>$`)
	for _, tag := range tags {
		if !fine.MatchString(tag) {
			t.Errorf("a tag that is not ours: %s", tag)
		}
	}
	for _, a := range regexp.MustCompile(`(?:href|src)="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		if !regexp.MustCompile(`^(#[ex]-|https?://|mailto:|data:image/)`).MatchString(a[1]) {
			t.Errorf("a link to %s", a[1])
		}
	}
	if strings.ContainsAny(page, "\x1b\u202e") {
		t.Error("control characters are left")
	}
	if strings.Contains(b.String()[:strings.Index(b.String(), "<body")], "script-src") {
		t.Error("a page without a script allows scripts")
	}
}

// No text makes the parser work for minutes; one that could is shown as it stands.
func TestWordsAreTame(t *testing.T) {
	w := newWords()
	for _, s := range []string{strings.Repeat("[a](", 100000), strings.Repeat("_a_ **b", 100000), strings.Repeat("> ", 100000) + "x", strings.Repeat("- ", 60000), strings.Repeat("`", 3000) + "x",
		strings.Repeat("w", 2<<20)} {
		if got := w.html(s); !strings.HasPrefix(got, `<pre class="plain">`) {
			t.Errorf("%.20q is parsed", s)
		}
	}
	if got := w.html(strings.Repeat("A *long* text.\n\n", 20000)); !strings.Contains(got, "<em>long</em>") {
		t.Errorf("a long text is not parsed: %.200s", got)
	}
}

func TestRedact(t *testing.T) {
	r := NewRedactor(map[string]string{"MY_KEY": `s3cr"et\value`, "SHORT": "abc", "OUTER": `s3cr"et\value-and-more`})
	for _, tt := range []struct{ name, line, want string }{
		{"a known value", `{"a":"s3cr\"et\\value"}`, `{"a":"[redacted: MY_KEY]"}`},
		{"a longer one that holds it", `{"a":"s3cr\"et\\value-and-more"}`, `{"a":"[redacted: OUTER]"}`},
		{"a known value in JSON in JSON", `{"a":"{\"k\":\"s3cr\\\"et\\\\value\"}"}`, `{"a":"{\"k\":\"[redacted: MY_KEY]\"}"}`},
		{"short values are words", `{"a":"abc"}`, `{"a":"abc"}`},
		{"a bearer token", `{"a":"Authorization: Bearer abcdefghijklmnop.q"}`, `{"a":"Authorization: Bearer [redacted: bearer token]"}`},
		{"bearer as a word", `{"a":"the bearer of this letter"}`, `{"a":"the bearer of this letter"}`},
		{"a private key", `{"a":"x -----BEGIN RSA PRIVATE KEY-----\nabc\ndef\n-----END RSA PRIVATE KEY----- y"}`, `{"a":"x [redacted: private key] y"}`},
		{"a private key that is cut off", `{"a":"-----BEGIN PRIVATE KEY-----\nabc","b":1}`, `{"a":"[redacted: private key]","b":1}`},
		{"one cut off in JSON in JSON", `{"a":"{\"k\":\"-----BEGIN PRIVATE KEY-----\\nabc\"}"}`, `{"a":"{\"k\":\"[redacted: private key]\"}"}`},
		{"an API key", `{"a":"key sk-` + strings.Repeat("a1", 12) + `, ok"}`, `{"a":"key [redacted: API key], ok"}`},
		{"a GitHub token", `{"a":"ghp_abcdefghijklmnopqrstuvwxyz0123456789"}`, `{"a":"[redacted: access token]"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := string(r.line([]byte(tt.line))); got != tt.want {
				t.Errorf("%s\nwant %s", got, tt.want)
			}
		})
	}
	counts := fmt.Sprint(r.Report())
	if counts != "[{API key 1} {MY_KEY 2} {OUTER 1} {access token 1} {bearer token 1} {private key 3}]" {
		t.Errorf("report %s", counts)
	}
	var none *Redactor
	if got := none.Text("x"); got != "x" || none.Report() != nil {
		t.Error("no redactor changes something")
	}
}

func TestMarkdownDocument(t *testing.T) {
	h, tree := load(t, head,
		entry("u", "", `"message":{"role":"user","content":[{"type":"text","text":"Look\n`+"```"+`\nopen"},{"type":"image","mimeType":"image/png","data":"aGk="}]}`),
		entry("a", "u", `"message":{"role":"assistant","provider":"p","model":"m_1","content":[{"type":"thinking","thinking":"hm"},{"type":"toolCall","id":"c","name":"bash","arguments":{"command":"ls"}},{"type":"text","text":"Done."}],"usage":{"input":1,"output":2,"cost":{"total":0.5}},"stopReason":"toolUse"}`),
		entry("r", "a", `"message":{"role":"toolResult","toolCallId":"c","toolName":"bash","content":[{"type":"text","text":"a `+"````"+` b"}],"isError":false}`))
	var b bytes.Buffer
	kept := 0
	_, err := Markdown(&b, h, tree, Options{Leaf: "r", Now: now}, func(data []byte, ext string) (string, error) {
		kept++
		return "x/" + string(data) + "." + ext, nil
	})
	want := `---
title: "Look ` + "``` open" + `"
session: "s"
folder: "/srv/app"
date: "2026-03-01T09:00:00.000Z"
last: "2026-03-01T09:00:00.000Z"
models: ["p/m_1"]
tokens: 3
cost: 0.5 # US dollars
---

# Look ` + "\\`\\`\\`" + ` open

## You · 2026-03-01 09:00 UTC

Look
` + "```" + `
open
` + "```" + `

![image](x/hi.png)


## Assistant · m\_1

<details><summary>Thinking</summary>

hm

</details>

<details><summary>bash ls (1 line)</summary>

` + "```sh" + `
$ ls
` + "```" + `

` + "`````" + `
a ` + "````" + ` b
` + "`````" + `


</details>

Done.

`
	if err != nil || kept != 1 || b.String() != want {
		t.Errorf("%v, %d images\n%s\nwant\n%s", err, kept, b.String(), want)
	}
}
