package offline

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/boughdev/bough/internal/rawjson"
)

// lang is the language of an answer: that of the question.
type lang bool

const (
	english lang = false
	chinese lang = true
)

const (
	introEn = "(I am offline/demo: rules, not a language model. The tools I call are real.)"
	introZh = "（我是 offline/demo：一套规则，不是语言模型。我调用的工具是真的。）"

	// shown is how much of a tool's output an answer quotes, in bytes; brief is
	// how much of it has room in a sentence.
	shown = 4000
	brief = 120
)

// languageOf tells the language of a question; the names of files in it and what
// it quotes do not count.
func languageOf(s string) lang {
	for _, w := range split(head(s, 4096)) {
		if unquote(w) != w {
			continue
		}
		for _, f := range mixed(w) {
			w = strings.ReplaceAll(w, f, "")
		}
		if strings.IndexFunc(w, isHan) >= 0 {
			return chinese
		}
	}
	return english
}

func isHan(r rune) bool { return unicode.Is(unicode.Han, r) }

func (l lang) say(en, zh string, args ...any) string {
	if l == chinese {
		en = zh
	}
	if len(args) == 0 {
		return en
	}
	return fmt.Sprintf(en, args...)
}

// announce says what is about to be done.
func (l lang) announce(t task) string {
	switch t.kind {
	case readFile:
		return l.say("I read %s.", "我来读取 %s。", t.path)
	case writeFile:
		return l.say("I write %s.", "我来写入 %s。", t.path)
	case editFile:
		return l.say("I replace “%s” with “%s” in %s.", "我来把“%s”改成“%s”（%s）。", t.text, t.new, t.path)
	case runCommand:
		return l.say("I run `%s`.", "我来运行 `%s`。", t.text)
	case searchText:
		return l.say("I search for “%s”.", "我来搜索“%s”。", t.text)
	case findFiles:
		return l.say("I look for files named %s.", "我来查找名为 %s 的文件。", t.text)
	}
	return l.say("I list the files.", "我来列出文件。")
}

// missing says that no tool for a task is offered.
func (l lang) missing(t task) string {
	name := [...]string{readFile: "read", writeFile: "write", editFile: "edit", runCommand: "bash", searchText: "grep", findFiles: "find", listFiles: "ls"}[t.kind]
	return l.say("I would need the tool `%s` for that, and it is not offered to me.", "这需要工具 `%s`，但现在没有提供给我。", name)
}

// report says what the calls of this turn came to.
func (l lang) report(question string, results []result) string {
	var parts []string
	for _, r := range results {
		parts = append(parts, l.reportOne(question, r))
	}
	return strings.Join(parts, "\n\n")
}

func (l lang) reportOne(question string, r result) string {
	arg := func(names ...string) string {
		for _, n := range names {
			if s, ok := rawjson.GetString(r.call.Args(), n); ok && s != "" {
				return s
			}
		}
		return ""
	}
	path := arg("path", "file_path", "filePath", "filename", "file")
	command := arg("command", "cmd", "script")
	name := path
	if name == "" {
		name = command
	}
	if name == "" {
		name = r.call.Name
	}
	switch {
	case !r.done:
		return l.say("There is no result for %s.", "%s 没有结果。", name)
	case r.err && command != "":
		return l.say("`%s` failed:", "`%s` 失败了：", command) + l.quote(r.text)
	case r.err:
		return l.say("That did not work with %s:", "%s 没有成功：", name) + l.quote(r.text)
	}
	switch r.call.Name {
	case "read", "read_file":
		return l.tellFile(question, path, r.text)
	case "write", "write_file", "edit", "edit_file":
		return l.say("Done with %s:", "%s 已完成：", path) + l.quote(r.text)
	case "ls", "list_dir":
		return l.say("In %s there is:", "%s 里有：", orDot(path)) + l.quote(r.text)
	case "grep", "find", "glob":
		return l.say("For “%s” I found:", "“%s”的查找结果：", arg("pattern", "query", "glob")) + l.quote(r.text)
	case "bash", "shell":
		if strings.TrimSpace(r.text) == "" {
			return l.say("`%s` ran and printed nothing.", "`%s` 已运行，没有输出。", command)
		}
		return l.say("`%s` printed:", "`%s` 的输出：", command) + l.quote(r.text)
	}
	return l.say("%s gave:", "%s 的结果：", r.call.Name) + l.quote(r.text)
}

// tellFile quotes a file, or its gist, or counts its lines.
func (l lang) tellFile(question, path, content string) string {
	q := strings.ToLower(question)
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(q, w) {
				return true
			}
		}
		return false
	}
	switch {
	case content == "":
		return l.say("%s is empty.", "%s 是空的。", path)
	case has("how many lines", "count the lines", "多少行", "几行"):
		n := strings.Count(strings.TrimSuffix(content, "\n"), "\n") + 1
		return l.say("%s has %d lines:", "%s 有 %d 行：", path, n) + l.quote(content)
	case wantsGist(question):
		return l.say("The headings or first lines of %s:", "%s 的标题或开头几行：", path) + l.quote(strings.Join(gist(content, 8), "\n"))
	}
	return l.say("%s says:", "%s 的内容是：", path) + l.quote(content)
}

// wantsGist reports whether a question asks to sum something up.
func wantsGist(question string) bool {
	q := strings.ToLower(question)
	for _, w := range []string{"summar", "sum ", "outline", "gist", "总结", "概括", "摘要", "大意"} {
		if strings.Contains(q, w) {
			return true
		}
	}
	return false
}

// tellAttached tells of the files that came with a question.
func (l lang) tellAttached(question string, files []file) string {
	var parts []string
	for _, f := range files {
		parts = append(parts, l.tellFile(question, f.name, f.text))
	}
	return strings.Join(parts, "\n\n")
}

// quote puts a text into a fence that it does not break, and cuts a long one.
// What is brief and plain stands in the sentence.
func (l lang) quote(s string) string {
	s = strings.TrimRight(s, "\n")
	if plain := strings.TrimSpace(s); plain != "" && len(plain) <= brief && !strings.ContainsAny(plain, "\n\r\t`*_<>[]#|\\") {
		return l.say(" ", "") + plain
	}
	note := ""
	if cut := head(s, shown); len(cut) < len(s) {
		if i := strings.LastIndexByte(cut, '\n'); i > shown/2 {
			cut = cut[:i]
		}
		note = "\n" + l.say("(and %d bytes more)", "（还有 %d 字节）", len(s)-len(cut))
		s = cut
	}
	fence := "```"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	return "\n\n" + fence + "\n" + s + "\n" + fence + note
}

// gist returns the headings of a text, or its first lines if it has none.
func gist(s string, most int) []string {
	var headings, lines []string
	for line := range strings.Lines(s) {
		line = strings.TrimRight(line, "\r\n")
		if strings.TrimSpace(line) == "" {
			continue
		}
		if strings.HasPrefix(line, "#") && len(headings) < most {
			headings = append(headings, line)
		}
		if len(lines) < most/2 {
			lines = append(lines, line)
		}
	}
	if len(headings) > 1 {
		return headings
	}
	return lines
}

// help says what can be asked.
func (l lang) help(question string) string {
	echo := ""
	if q := strings.TrimSpace(question); q != "" {
		if cut := head(q, 200); len(cut) < len(q) {
			q = cut + "…"
		}
		echo = l.say("You said: “%s”. ", "您说的是：“%s”。", q)
	}
	return echo + l.say("I understand only a few requests, for example:\n\n"+
		"- What does README.md say?\n- List the files in src\n- Search for main\n- Find *.go\n- Run `git status`\n"+
		"- Write \"hello\" to hello.txt\n- Replace hello with goodbye in hello.txt\n\n"+
		"For real answers set a provider's key, such as ANTHROPIC_API_KEY, and start bough again: bough --help says more.",
		"我只懂几种请求，例如：\n\n"+
			"- 读一下 README.md 里写了什么\n- 列出 src 目录里的文件\n- 搜索 main\n- 查找 *.go\n- 运行 `git status`\n"+
			"- 把“你好”写入 hello.txt\n- 把 hello.txt 里的 你好 换成 再见\n\n"+
			"要得到真正的回答，请设置密钥（例如 ANTHROPIC_API_KEY），再启动 bough；详见 bough --help。")
}
