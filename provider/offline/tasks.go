package offline

import (
	"regexp"
	"strings"
	"sync"
)

// kind is what a task does.
type kind int

const (
	readFile kind = iota
	writeFile
	editFile
	runCommand
	searchText
	findFiles
	listFiles
)

// task is one thing to do with a tool.
type task struct {
	kind kind
	path string // a file or folder; "" is the session's folder
	text string // to write, to run, to search, to find, to be replaced
	new  string // what replaces it
}

const (
	longest = 32 << 10 // bytes of a question; longer ones are not understood
	most    = 8        // tasks of one step
)

// parse finds out what a question wants: steps, one after the other, each of
// tasks that can be done at once.
func parse(s string) [][]task {
	s = withoutPlease(strings.TrimSpace(s))
	if s == "" || len(s) > longest {
		return nil
	}
	t := table()
	if parts := t.then.Split(s, -1); len(parts) > 1 {
		var steps [][]task
		for _, p := range parts {
			step := t.step(withoutPlease(strings.TrimSpace(p)))
			if step == nil {
				steps = nil
				break
			}
			steps = append(steps, step)
		}
		if steps != nil {
			return steps
		}
	}
	if step := t.step(s); step != nil {
		return [][]task{step}
	}
	return nil
}

type tables struct {
	rules []rule
	then  *regexp.Regexp // between two steps
	again *regexp.Regexp // words of somebody who wants to see something once more
	reads *regexp.Regexp // words of somebody who wants to see a file
}

type rule struct {
	re   *regexp.Regexp
	kind kind
}

// step returns the tasks of one sentence: those of the first rule that fits,
// else to read the files it names.
func (t *tables) step(s string) []task {
	bare := withoutThanks(s)
	for _, r := range t.rules {
		said := bare
		if r.kind == writeFile || r.kind == editFile {
			said = s // whose last word may be meant
		}
		if found, ok := r.match(said); ok {
			return []task{found}
		}
	}
	var tasks []task
	for _, f := range filesIn(s, t.reads.MatchString(s)) {
		if len(tasks) < most {
			tasks = append(tasks, named(f))
		}
	}
	return tasks
}

// named is the task to look at something that was just named.
func named(f string) task {
	if strings.HasSuffix(f, "/") {
		return task{kind: listFiles, path: f}
	}
	return task{kind: readFile, path: f}
}

func (r rule) match(s string) (task, bool) {
	m := r.re.FindStringSubmatch(s)
	if m == nil {
		return task{}, false
	}
	group := func(name string) string {
		if i := r.re.SubexpIndex(name); i >= 0 {
			return strings.TrimSpace(m[i])
		}
		return ""
	}
	found := task{kind: r.kind, path: unquote(trimEnd(group("f"))), text: unquote(group("x")), new: unquote(group("y"))}
	switch r.kind {
	case editFile:
		return found, isFile(found.path) && found.text != ""
	case writeFile:
		return found, isFile(found.path)
	case runCommand:
		return found, isCommand(&found)
	case searchText:
		found.text = unquote(trimEnd(group("x")))
		found.path = folder(found.path)
		return found, found.text != "" && !strings.HasPrefix(found.text, "out ") && !strings.HasPrefix(found.text, "at ")
	case findFiles:
		found.text = unquote(trimEnd(group("x")))
		found.path = folder(found.path)
		return found, strings.ContainsAny(found.text, "*?") || isFile(found.text)
	case listFiles:
		found.path = folder(found.path)
		return found, !isFile(found.path) || strings.HasSuffix(found.path, "/")
	}
	return found, true
}

// isCommand makes the text of found the bare command.
func isCommand(found *task) bool {
	if rest, ok := strings.CutPrefix(found.text, "`"); ok {
		if cmd, _, ok := strings.Cut(rest, "`"); ok && strings.TrimSpace(cmd) != "" {
			found.text = strings.TrimSpace(cmd)
			return true
		}
	}
	for _, tail := range []string{" and tell me", " and show", " and report", "，告诉我", "，并告诉", "，看看", "并告诉我"} {
		if i := strings.Index(found.text, tail); i > 0 {
			found.text = found.text[:i]
		}
	}
	found.text = unquote(strings.TrimRight(found.text, "。？！ \n"))
	for _, w := range []string{"the ", "it", "that", "this ", "my ", "all ", "again", "them"} {
		if strings.HasPrefix(strings.ToLower(found.text), w) {
			return false
		}
	}
	return found.text != ""
}

// compiled holds the rules from when they are first needed on.
var compiled struct {
	once   sync.Once
	tables *tables
}

func table() *tables {
	compiled.once.Do(func() { compiled.tables = compile() })
	return compiled.tables
}

// compile makes the rules. In a pattern {x} and {y} stand for quoted or plain
// words, {f} for a file or folder.
func compile() *tables {
	const quoted = "\"[^\"]*\"|“[^”]*”|‘[^’]*’|「[^」]*」|『[^』]*』|《[^》]*》|`[^`]*`|'[^']*'"
	expand := strings.NewReplacer(
		"{x}", `(?P<x>`+quoted+`|.+?)`,
		"{y}", `(?P<y>`+quoted+`|.*?)`,
		"{f}", `(?P<f>`+quoted+`|[^\s，,。；：“”"]+?)`,
	)
	t := &tables{
		then:  regexp.MustCompile(`(?i)[,;]?\s+(?:and )?then,?\s+|[，,；;。]?\s*(?:然后|接着|之后)(?:再)?\s*`),
		again: regexp.MustCompile(`(?i)\b(?:again|once more|another (?:look|time)|re-?read|anew)\b|再(?:次|一次|一遍)?(?:看|读|查|来)|重新|重读`),
		reads: regexp.MustCompile(`(?i)\b(?:read|open|show|cat|print|display|view|say|says|content|contents|look|summarize|summarise|lines|tell|what|explain)\b` +
			`|读|看|打开|显示|内容|写了|说了|是什么|有什么|总结|概括|多少行|几行|讲`),
	}
	add := func(k kind, patterns ...string) {
		for _, p := range patterns {
			t.rules = append(t.rules, rule{regexp.MustCompile(`(?is)^` + expand.Replace(p) + `\s*$`), k})
		}
	}
	const in = `\s*(?:里面|里边|里|中|内)?`
	add(editFile,
		`(?:replace|substitute)\s+(?:all\s+)?(?:the\s+(?:word|text|string|line)s?\s+)?{x}\s+(?:with|by)\s+{y}\s+in\s+(?:the\s+)?(?:file\s+)?{f}`,
		`(?:change|rename|turn|edit)\s+(?:the\s+(?:word|text|string|line)s?\s+)?{x}\s+(?:to|into)\s+{y}\s+in\s+(?:the\s+)?(?:file\s+)?{f}`,
		`(?:in|edit)\s+(?:the\s+)?(?:file\s+)?{f}\s*[,:]?\s+(?:and\s+)?(?:please\s+)?(?:replace|change|turn)\s+(?:the\s+(?:word|text|string|line)s?\s+)?{x}\s+(?:with|to|into|by)\s+{y}`,
		`(?:把|将|在)?\s*(?:文件)?\s*{f}(?:\s*(?:文件)?\s*(?:里面|里边|里|中|内)的?|的|\s*[，,]|\s)\s*[，,]?\s*(?:把|将)?\s*(?:所有的?)?\s*{x}\s*(?:都|全部)?(?:替换|更换|换|修改|改)(?:成|为|作)\s*{y}[。！]?`,
		`(?:把|将)\s*{x}\s*(?:替换|更换|换|修改|改)(?:成|为|作)\s*{y}\s*[，,]?\s*(?:在|\bin\s)\s*{f}`+in+`[。！]?`,
	)
	add(writeFile,
		`(?:write|create|make|save)\s+(?:an?\s+|the\s+)?(?:new\s+)?(?:file\s+)?(?:named\s+|called\s+)?{f}\s*(?::|\s(?:with|containing|saying|that says)(?:\s+the)?(?:\s+(?:contents?|text|words?|line))?:?)\s*(?P<x>.+)`,
		`(?:write|put|save|store)\s+{x}\s+(?:to|into|in|as)\s+(?:an?\s+|the\s+)?(?:new\s+)?(?:file\s+)?(?:named\s+|called\s+)?{f}`,
		`(?:create|make|touch)\s+(?:an?\s+|the\s+)?(?:empty\s+|new\s+)*(?:file\s+)?(?:named\s+|called\s+)?{f}`,
		`(?:把|将)\s*{x}\s*(?:写入|写到|写进|保存到|保存为|保存进|存到|存入|存为)\s*(?:文件)?\s*{f}`+in+`[。！]?`,
		`在\s*(?:文件)?\s*{f}\s*`+in+`\s*写(?:入|上|下|进)?\s*[:：]?\s*(?P<x>.+)`,
		`(?:创建|新建|建立|生成|写入|写)\s*(?:一个)?\s*(?:新)?(?:的)?(?:文件)?\s*{f}\s*(?:文件)?\s*(?:[，,]?\s*内容(?:是|为)?\s*[:：]?|[，,]?\s*(?:里面|里)?写(?:上|入|着)?\s*[:：]?|[:：])\s*(?P<x>.+)`,
		`(?:创建|新建|建立)\s*(?:一个)?\s*(?:空|新)?(?:的)?(?:文件)?\s*{f}(?:文件)?[。！]?`,
	)
	add(runCommand,
		`(?:run|execute|exec|bash|sh)(?:(?:\s+the)?(?:\s+shell)?\s+command)?(?:\s*:\s*|\s+)(?P<x>.+)`,
		`\$\s+(?P<x>.+)`,
		`(?:运行|执行|跑)(?:一下|下)?(?:这个)?(?:命令)?\s*[:：]?\s*(?P<x>.+)`,
	)
	add(findFiles,
		`find\s+(?:me\s+)?(?:all\s+)?(?:the\s+)?(?:files?\s+)?(?:named\s+|called\s+|matching\s+|like\s+)?{x}(?:\s+files?)?(?:\s+(?:in|under)\s+{f})?[?.]?`,
		`where\s+is\s+(?:the\s+file\s+)?{x}[?]?`,
		`(?:在\s*{f}\s*(?:目录)?(?:里|下|中)?(?:面)?)?\s*(?:查找|找一下|找到|找出|寻找|找)(?:所有)?(?:的)?(?:文件)?(?:名为|叫做?)?\s*{x}\s*(?:的)?(?:文件)?[。？]?`,
	)
	add(searchText,
		`(?:search|look)\s+(?:in\s+)?(?:the\s+)?{f}\s+for\s+{x}[?.]?`,
		`(?:search(?:\s+for)?|look\s+for|grep)\s+{x}\s+in\s+{f}(?:\s+(?:folder|directory))?[?.]?`,
		`(?:search(?:\s+for)?|look\s+for|grep)\s+{x}[?]?`,
		`(?:which|what)\s+files?\s+(?:contains?|mentions?|ha(?:s|ve)|uses?)\s+(?:the\s+(?:words?|text|string)\s+)?{x}[?.]?`,
		`where\s+(?:is|are)\s+{x}\s+(?:used|defined|mentioned|called)[?.]?`,
		`find\s+(?:all\s+)?(?:the\s+)?(?:occurrences|uses|mentions)\s+of\s+{x}(?:\s+in\s+{f})?[?.]?`,
		`find\s+{x}(?:\s+in\s+{f})?[?.]?`,
		`(?:在\s*{f}\s*(?:目录)?(?:里|下|中)?(?:面)?)?\s*(?:搜索|搜一下|搜寻|搜|查找|查一下|找一下|找)(?:一下)?(?:包含|含有)?\s*{x}(?:\s*(?:的文件|在哪里|在哪))?[。？]?`,
		`(?:哪些|哪个|什么)文件(?:里|中)?(?:包含|提到|含有|用到|有)(?:了)?\s*{x}[。？?]?`,
		`{x}\s*(?:在哪里|在哪儿|在哪个文件|在哪些文件)(?:里|中)?(?:用到|定义|出现)?(?:了|的|过)?[。？?]?`,
	)
	const here = `(?:\s+(?:there|here|we have|are there|do we have|do i have|exist))*`
	add(listFiles,
		`ls(?:\s+-\S+)*(?:\s+{f})?`,
		`(?:list|show)(?:\s+me)?(?:\s+all)?(?:\s+of)?(?:\s+the)?\s+(?:files|folders|entries|contents)(?:\s+and\s+folders)?(?:\s+(?:in|of|under|inside|from)\s+(?:the\s+|this\s+|my\s+)?(?:current\s+)?(?:(?:folder|directory)\s+)?{f}(?:\s+(?:folder|directory|dir))?)?`+here+`[?.]?`,
		`(?:list|show)(?:\s+me)?\s+(?:the\s+|this\s+)?(?:current\s+)?(?P<f>folder|directory|\S+/|\.)[?.]?`,
		`list\s+(?:the\s+)?(?:(?:folder|directory)\s+)?{f}(?:\s+(?:folder|directory))?[?.]?`,
		`(?:what|which)\s+(?:files|folders)(?:\s+(?:are|is|do|does|can))?(?:\s+(?:there|you see|we have))?(?:\s+(?:in|inside|under)\s+(?:the\s+|this\s+|my\s+)?(?:current\s+)?{f}(?:\s+(?:folder|directory|dir|have|contain))?)?`+here+`[?.]?`,
		`what(?:'s|’s|\s+is)\s+(?:in|inside)\s+(?:the\s+|this\s+|my\s+)?(?:current\s+)?(?P<f>folder|directory|dir)[?.]?`,
		`what(?:'s|’s|\s+is)\s+(?:in|inside)\s+(?:the\s+|this\s+)?{f}\s+(?:folder|directory|dir)[?.]?`,
		`what(?:'s|’s|\s+is)\s+(?P<f>here)[?.]?`,
		`(?:列出|列一下|显示|看看|看一下|查看)?\s*(?:一下)?\s*(?:当前|这个|本)?\s*(?:目录|文件夹|项目)?(?:里面|里|下面|下|中)?(?:的)?(?:所有|全部)?(?:有哪些|有什么|有多少|都有哪些|都有什么)?的?文件(?:列表)?[。？?]?`,
		`(?:列出|列一下|显示|看看|看一下|查看)\s*(?:一下)?\s*(?:当前|这个|本)?(?:目录|文件夹)(?:内容|列表)?[。？?]?`,
		`(?:当前|这个|本)?\s*(?:目录|文件夹)(?:里面|里|下面|下|中)?(?:都)?有(?:些)?(?:哪些|什么)(?:东西|内容|文件)?[。？?]?`,
		`(?:列出|列一下|显示|看看|看一下|查看|在)?\s*(?P<f>[\w./~-]+)\s*(?:目录|文件夹)?(?:里面|里|下面|下|中)?(?:的)?(?:所有|全部)?(?:都)?(?:有哪些|有什么)?(?:的)?文件(?:列表)?[。？?]?`,
		`(?:列出|看看|看一下|查看)?\s*(?P<f>[\w./~-]+)\s*(?:目录|文件夹)(?:里面|里|下面|下|中)?(?:都)?(?:有哪些|有什么|的内容)(?:东西|内容|文件)?[。？?]?`,
	)
	return t
}
