package e2e

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const head = `{"type":"session","version":3,"id":"s","timestamp":"2026-03-01T08:00:00.000Z","cwd":"/srv/app"}`

func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// entry is a line of a session; fields is JSON without braces.
func entry(id, parent, fields string) string {
	up := "null"
	if parent != "" {
		up = quote(parent)
	}
	return fmt.Sprintf(`{"type":"message","id":%s,"parentId":%s,"timestamp":"2026-03-01T09:00:00.000Z",%s}`, quote(id), up, fields)
}

func user(text string) string {
	return `"message":{"role":"user","content":` + quote(text) + `}`
}

// What stands in a session cannot act, whatever field it stands in.
func TestHostileSession(t *testing.T) {
	evil := []string{
		`<script>window.pwned=1</script>`, `</script><script>window.pwned=1</script>`, `<!--<script>`, `<img src=x onerror="window.pwned=1">`,
		`"><svg onload=window.pwned=1>`, `[x](javascript:window.pwned=1)`, `<javascript:window.pwned=1>`, `![x](https://evil.example/a.png)`,
		`[x](data:text/html,<script>window.pwned=1</script>)`, `<a href="javascript:window.pwned=1">x</a>`, `$$ $& $1 ${window.pwned=1}`,
		"```\"><script>window.pwned=1</script>\nx\n```", "| <img src=x onerror=window.pwned=1> |\n|---|\n| x |", "\u202etxt.exe \u2066x", "\x1b]8;;https://evil.example\x07x\x1b[2J",
		`__proto__`, "constructor", strings.Repeat("*a ", 3000), strings.Repeat("[", 20000), strings.Repeat("`", 5001) + "x", strings.Repeat("> ", 3000) + "x", strings.Repeat("- ", 3000) + "x",
		strings.Repeat("| a ", 3000) + "\n" + strings.Repeat("|-", 900) + "|\nx|", strings.Repeat("_a_ **b", 8000), "<https://" + strings.Repeat("a", 50000), strings.Repeat("w", 1<<20),
	}
	lines := []string{`{"type":"session","version":3,"id":"s\"><script>window.pwned=1</script>","timestamp":"<b>","cwd":"/<i>"}`}
	parent := ""
	for i, e := range evil {
		q, id := quote(e), fmt.Sprintf("e%d<b>\"'", i)
		u, k, r := id+"u", id+"k", id+"r"
		lines = append(lines,
			entry(id, parent, `"message":{"role":"user","content":[{"type":"text","text":`+q+`},{"type":"image","mimeType":"image/svg+xml","data":"PHN2Zz4="},{"type":"image","mimeType":`+q+`,"data":`+q+`}]}`),
			entry(u, id, `"message":{"role":"assistant","provider":`+q+`,"model":`+q+`,"content":[{"type":"thinking","thinking":`+q+`},{"type":"text","text":`+q+`},`+
				`{"type":"toolCall","id":`+q+`,"name":`+q+`,"arguments":{"path":`+q+`,"x":`+q+`}},{"type":"toolCall","id":"c2","name":"edit","arguments":{"path":`+q+`,"edits":[{"oldText":`+q+`,"newText":7},null,3]}},`+
				`{"type":"toolCall","id":"c3","name":"bash","arguments":{"command":`+q+`}},{"type":`+q+`},null,5,"x"],"usage":{"input":"1e3","cost":{"total":`+q+`}},"stopReason":"error","errorMessage":`+q+`}`),
			entry(r, u, `"message":{"role":"toolResult","toolCallId":`+q+`,"toolName":`+q+`,"content":[{"type":"text","text":`+q+`}],"isError":true,"details":{"diff":`+q+`},"nestedCalls":{"calls":[{"name":`+q+`,"arguments":`+q+`,"status":`+q+`,"error":`+q+`}]}}`),
			entry(r+"2", r, `"message":{"role":"toolResult","toolCallId":"c2","toolName":`+q+`,"content":`+q+`,"details":{"diff":`+q+`}}`),
			entry(r+"3", r+"2", `"message":{"role":"bashExecution","command":`+q+`,"output":`+q+`,"exitCode":`+q+`}`),
			entry(r+"4", r+"3", `"message":{"role":`+q+`,"content":`+q+`}`),
			`{"type":`+q+`,"id":`+quote(r+"5")+`,"parentId":`+quote(r+"4")+`,"timestamp":`+q+`,"data":`+q+`}`,
			`{"type":"custom_message","id":`+quote(r+"6")+`,"parentId":`+quote(r+"5")+`,"timestamp":"2026-03-01T09:00:00.000Z","customType":`+q+`,"content":`+q+`,"display":true}`,
			`{"type":"label","id":`+quote(r+"7")+`,"parentId":`+quote(r+"6")+`,"timestamp":"2026-03-01T09:00:00.000Z","targetId":`+quote(id)+`,"label":`+q+`}`,
			`{"type":"branch_summary","id":`+quote(r+"8")+`,"parentId":`+quote(r+"7")+`,"timestamp":"2026-03-01T09:00:00.000Z","fromId":`+q+`,"summary":`+q+`,"details":{"readFiles":[`+q+`,1]}}`,
			`{"type":"context_edit","id":`+quote(r+"9")+`,"parentId":`+quote(r+"8")+`,"timestamp":"2026-03-01T09:00:00.000Z","targetId":`+quote(id)+`,"replacement":{"content":`+q+`}}`,
			entry(r+"10", r+"9", `"message":{"role":"system","content":`+q+`,"sections":{`+q+`:`+q+`,"gone":null},"toolsAdded":[{"name":`+q+`,"description":`+q+`},null],"toolsRemoved":[{"name":`+q+`}]}`),
			`{"type":"session_info","id":`+quote(r+"11")+`,"parentId":`+quote(r+"10")+`,"timestamp":"2026-03-01T09:00:00.000Z","name":`+q+`}`,
			`{"type":"compaction","id":`+quote(k)+`,"parentId":`+quote(r+"11")+`,"timestamp":"2026-03-01T09:00:00.000Z","summary":`+q+`,"firstKeptEntryId":`+quote(r)+`,"tokensBefore":`+q+`}`,
		)
		parent = k
	}
	lines = append(lines, entry("side", "e0<b>\"'", user("side")), entry("last", parent, user("the end")))
	dir := t.TempDir()
	write(t, filepath.Join(dir, "s.jsonl"), strings.Join(lines, "\n")+"\n")
	for _, args := range [][]string{{"--all-branches"}, {"--branch", "last"}} {
		run(t, dir, append([]string{"export", "s.jsonl", "s.html", "--force"}, args...)...)
		b := open(t, "file://"+filepath.Join(dir, "s.html"), 1300, 900)
		eval[bool](b, `document.addEventListener("securitypolicyviolation", e => { window.violated = e.blockedURI + " " + e.violatedDirective; }), true`)
		for _, key := range "chto" {
			b.key(string(key))
		}
		eval[bool](b, `dispatchEvent(new Event("beforeprint")), document.querySelectorAll("details").forEach(d => { d.open = true; }), true`)
		b.true(`!document.querySelector("#totals.counting")`)
		eval[bool](b, `document.querySelectorAll(".more").forEach(x => x.click()), true`)
		eval[bool](b, `[...document.querySelectorAll(".filters button")].forEach(x => x.click()), true`)
		if got := eval[string](b, `String(window.pwned) + " " + String(window.violated)`); got != "undefined undefined" {
			t.Errorf("%v: something acted: %s", args, got)
		}
		if got := eval[[]string](b, `[...document.querySelectorAll("a[href]")].map(a => a.protocol).filter((p, i, all) => all.indexOf(p) === i).sort()`); len(got) > 1 || len(got) == 1 && got[0] != "https:" {
			t.Errorf("%v: links lead to %v", args, got)
		}
		if got := eval[int](b, `document.querySelectorAll("main script, main iframe, main svg, main style, main object, nav script, header script, main [onerror], main [onclick], main [style]:not(section)").length`); got != 0 {
			t.Errorf("%v: %d elements that are not ours", args, got)
		}
		if got := eval[int](b, `document.querySelectorAll("main article").length`); got < 9*len(evil) {
			t.Errorf("%v: %d entries are shown of %d pieces", args, got, len(evil))
		}
		if got := eval[string](b, `[...document.querySelectorAll("main p.dim")].map(p => p.textContent).filter(s => s.startsWith("This entry cannot")).join("\n")`); got != "" {
			t.Errorf("%v: %s", args, got)
		}
		if text := eval[string](b, `document.body.innerText`); strings.ContainsAny(text, "\u202e\u2066\x1b") || !strings.Contains(text, "<U+202E>txt.exe") || !strings.Contains(text, "$$ $& $1") {
			t.Errorf("%v: control characters act, or text was lost", args)
		}
		b.innocent()
	}
}

// The button gives the session file, to the byte.
func TestDownload(t *testing.T) {
	lines := []string{head,
		entry("a", "", user(`one </script> \l \\l <!-- = "q"`)+`,"x":[1.50,"\ud800",123456789012345678901]`),
		"  " + entry("b", "a", user("Ünïcödé 中文 \u2028 \ufeff")) + " ",
		entry("c", "b", user("bytes \xff that are no UTF-8")),
		entry("side", "a", user("side")),
	}
	lines[3] = strings.Replace(lines[3], `\ufffd`, "\xff", 1)
	dir := t.TempDir()
	want := strings.Join(lines, "\n") // without an end: the download has one
	write(t, filepath.Join(dir, "s.jsonl"), want)
	run(t, dir, "export", "s.jsonl", "s.html", "--all-branches")
	run(t, dir, "export", "s.jsonl", "path.html", "--branch", "c")
	run(t, dir, "export", "s.jsonl", "path.jsonl", "--branch", "c", "--labels")
	path, err := os.ReadFile(filepath.Join(dir, "path.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"s.html": want + "\n", "path.html": string(path)} {
		b := open(t, "file://"+filepath.Join(dir, name), 1300, 900)
		eval[bool](b, `URL.createObjectURL = x => { window.kept = x; return "blob:x"; }, HTMLAnchorElement.prototype.click = function () { window.keptName = this.download; }, true`)
		eval[bool](b, `[...document.querySelectorAll(".topbar button")].find(x => x.textContent === "JSONL").click(), true`)
		got := unbase64(t, eval[string](b, `window.kept.arrayBuffer().then(a => btoa(String.fromCharCode(...new Uint8Array(a))))`))
		if strip := regexp.MustCompile(`"timestamp":"20(2[^6]|26-1)[^"]*"`); strip.ReplaceAllString(got, "") != strip.ReplaceAllString(want, "") {
			t.Errorf("%s gives\n%q\nwant\n%q", name, got, want)
		}
		if n := eval[string](b, "window.keptName"); n != "session-s.jsonl" {
			t.Errorf("the file is called %s", n)
		}
		b.innocent()
	}
}

// The tree of the page is the one that bough tree draws.
func TestTreeIsDrawnAsInTheTerminal(t *testing.T) {
	dir := t.TempDir()
	row := regexp.MustCompile(`^[ >] #\d+ +([a-z0-9]+) {1,6}(.*)$`)
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 5))
		lines := []string{head}
		for i := range 45 {
			parent := ""
			if i > 0 {
				parent = fmt.Sprintf("e%d", max(0, i-1-r.IntN(3)*r.IntN(4)))
			}
			id, any := fmt.Sprintf("e%d", i), fmt.Sprintf("e%d", r.IntN(i+1))
			at := fmt.Sprintf(`"id":"%s","parentId":"%s","timestamp":"2026-03-01T09:00:%02d.000Z"`, id, parent, r.IntN(3))
			if parent == "" {
				at = fmt.Sprintf(`"id":"%s","parentId":null,"timestamp":"2026-03-01T09:00:00.000Z"`, id)
			}
			lines = append(lines, []string{
				`{"type":"message",` + at + `,` + user("says "+id) + `}`,
				`{"type":"message",` + at + `,"message":{"role":"assistant","content":[{"type":"text","text":"answers ` + id + `"}],"stopReason":"stop"}}`,
				`{"type":"message",` + at + `,"message":{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"ls","arguments":{}}],"stopReason":"toolUse"}}`,
				`{"type":"message",` + at + `,"message":{"role":"toolResult","toolCallId":"c","toolName":"ls","content":[{"type":"text","text":"x"}]}}`,
				`{"type":"label",` + at + `,"targetId":"` + any + `","label":"` + []string{"x", ""}[r.IntN(2)] + `"}`,
				`{"type":"model_change",` + at + `,"provider":"p","modelId":"m"}`,
				`{"type":"message",` + at + `,"message":{"role":"system","content":"be kind"}}`,
				`{"type":"compaction",` + at + `,"summary":"s","firstKeptEntryId":"` + any + `","tokensBefore":1}`,
			}[r.IntN(8)])
		}
		write(t, filepath.Join(dir, "s.jsonl"), strings.Join(lines, "\n")+"\n")
		run(t, dir, "export", "s.jsonl", "s.html", "--all-branches", "--force")
		var want []string
		for line := range strings.Lines(run(t, dir, "tree", "s.jsonl", "--live", "--ids")) {
			m := row.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
			if m == nil {
				continue
			}
			// Only the lines before the words count: what stands behind is the label or the words.
			m[2] = strings.TrimSuffix(line, "\n")[strings.Index(line, m[1])+len("12345678 "):]
			want = append(want, m[1]+" "+regexp.MustCompile(`^(?:(?:│  |   )*(?:├─ |└─ |• )|(?:│  |   )*  )`).FindString(m[2]))
		}
		b := open(t, "file://"+filepath.Join(dir, "s.html"), 1300, 3000)
		got := eval[[]string](b, `[...document.querySelectorAll(".rows .row")].map(r => "e" + r.dataset.row + " " + [...r.querySelectorAll("i")].map((i, n) =>
			({ rail: "│  ", tee: "├─ ", corner: "└─ ", dot: "• ", nodot: "  " })[i.className] ?? (i.nextElementSibling?.tagName === "I" ? "   " : "")).join(""))`)
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Fatalf("seed %d\n%s\nwant\n%s\nof\n%s", seed, strings.Join(got, "\n"), strings.Join(want, "\n"), strings.Join(lines, "\n"))
		}
		b.innocent()
	}
}

// One goes about in the page by tree, keys, search, folds and addresses.
func TestGoingAbout(t *testing.T) {
	var lines []string
	add := func(l string) { lines = append(lines, l) }
	add(head)
	parent := ""
	for i := range 300 {
		id := fmt.Sprintf("e%d", i)
		if i%2 == 0 {
			add(entry(id, parent, user(fmt.Sprintf("question %d", i))))
		} else {
			add(entry(id, parent, fmt.Sprintf(`"message":{"role":"assistant","provider":"p","model":"m","content":[{"type":"text","text":"answer %d"},{"type":"toolCall","id":"c%d","name":"read","arguments":{"path":"f%d"}}],"usage":{"input":10,"output":1,"cost":{"total":0.01}},"stopReason":"toolUse"}`, i, i, i)))
			parent = id
			id += "r"
			add(entry(id, parent, fmt.Sprintf(`"message":{"role":"toolResult","toolCallId":"c%d","toolName":"read","content":[{"type":"text","text":"contents %d"}],"usage":{"cost":{"total":0.01}}}`, i, i)))
		}
		parent = id
	}
	add(`{"type":"compaction","id":"k","parentId":"` + parent + `","timestamp":"2026-03-01T09:00:00.000Z","summary":"all of it","firstKeptEntryId":"e250","tokensBefore":5000,"usage":{"cost":{"total":1}}}`)
	add(entry("end", "k", user("the end")))
	add(entry("other", "e250", user("another way")))
	add(entry("other2", "other", user("and on")))
	add(`{"type":"label","id":"l","parentId":"end","timestamp":"2026-03-01T09:00:00.000Z","targetId":"e100","label":"here"}`)
	dir := t.TempDir()
	write(t, filepath.Join(dir, "s.jsonl"), strings.Join(lines, "\n")+"\n")
	run(t, dir, "export", "s.jsonl", "s.html", "--all-branches")
	file := "file://" + filepath.Join(dir, "s.html")
	b := open(t, file, 1300, 900)
	b.true(`document.querySelector("#totals").innerText.includes("$4.00")`) // answers, results and the summary
	if got := eval[string](b, `document.querySelector(".fold").textContent`); !strings.Contains(got, "375 entries") {
		t.Errorf("the fold says %q", got)
	}
	eval[bool](b, `document.querySelector(".fold").click(), true`)
	b.true(`document.querySelector('[data-entry="0"]')`)
	b.key("c")
	b.key("c") // folded again
	b.true(`!document.querySelector('[data-entry="0"]')`)

	visible := func(n int) string {
		return fmt.Sprintf(`(() => { const e = document.querySelector('[data-entry="%d"]'); if (!e) return false; const r = e.getBoundingClientRect(); return r.top >= -1 && r.top < innerHeight; })()`, n)
	}
	// An address leads to an entry, also one that is folded away, and to a result.
	eval[bool](b, `location.hash = "#leafId=l&targetId=e100", true`)
	b.true(visible(150))
	eval[bool](b, `location.hash = "#targetId=e101r", true`)
	b.true(`document.querySelector('[data-result="152"]').classList.contains("flash")`)

	// Search, and going to another branch by its row.
	eval[bool](b, `(() => { const s = document.getElementById("search"); s.value = "another WAY"; s.dispatchEvent(new Event("input")); return true; })()`)
	b.true(`document.querySelectorAll(".row").length === 1 && document.querySelector(".status").textContent.startsWith("1 /")`)
	eval[bool](b, `document.querySelector(".row").click(), true`)
	b.true(`document.querySelector("main").innerText.includes("and on")`) // the newest place below
	if got := eval[string](b, `location.hash`); got != "#leafId=other2&targetId=other" {
		t.Errorf("the address is %s", got)
	}
	b.key("\x1b")
	b.key("\x1b")
	b.true(`document.querySelector("main").innerText.includes("the end") && !document.querySelector("main").innerText.includes("and on")`)
	eval[bool](b, `dispatchEvent(new Event("beforeprint")), [...document.querySelectorAll(".ways button")].find(x => x.textContent.includes("another way")).click(), true`)
	b.true(`document.querySelector("main").innerText.includes("and on")`)

	eval[bool](b, `[...document.querySelectorAll(".filters button")].find(x => x.textContent === "Labeled").click(), true`)
	b.true(`document.querySelectorAll(".row").length === 1 && document.querySelector(".row .label").textContent === "here"`)
	b.innocent()
}

// On a phone the tree is drawn over the page, and nothing is wider than the screen.
func TestNarrow(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "s.jsonl"), strings.Join([]string{head, entry("a", "", user("中文 "+strings.Repeat("w", 5000)+"\n\n```\n"+strings.Repeat("code ", 200)+"\n```\n\n|"+strings.Repeat("a|", 60)+"\n|"+strings.Repeat("-|", 60)+"\n"))}, "\n"))
	run(t, dir, "export", "s.jsonl", "s.html")
	b := open(t, "file://"+filepath.Join(dir, "s.html"), 360, 740)
	if got := eval[int](b, `document.documentElement.scrollWidth`); got > 360 {
		t.Errorf("the page is %d wide", got)
	}
	const left = `document.querySelector("nav").getBoundingClientRect().left`
	if got := eval[float64](b, left); got >= 0 {
		t.Errorf("the tree is there at once, at %v", got)
	}
	eval[bool](b, `document.querySelector(".open").click(), true`)
	b.true(left + ` === 0`)
	b.shot("narrow")
	eval[bool](b, `document.querySelector(".row").click(), true`)
	b.true(left + ` < 0`)
	b.innocent()
}
