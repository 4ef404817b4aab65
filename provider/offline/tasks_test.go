package offline

import (
	"reflect"
	"testing"
)

func TestParse(t *testing.T) {
	read := func(paths ...string) [][]task {
		var step []task
		for _, p := range paths {
			step = append(step, task{kind: readFile, path: p})
		}
		return [][]task{step}
	}
	one := func(t task) [][]task { return [][]task{{t}} }
	for _, tt := range []struct {
		ask  string
		want [][]task
	}{
		{"What does hello.txt say?", read("hello.txt")},
		{"读一下 hello.txt 里写了什么", read("hello.txt")},
		{"读一下hello.txt里写了什么", read("hello.txt")},
		{"请帮我看看 src/main.go 的内容，谢谢", read("src/main.go")},
		{"read a.txt and b.txt", read("a.txt", "b.txt")},
		{"读取 a.txt 和 b.txt", read("a.txt", "b.txt")},
		{"读取a.txt和b.txt。", read("a.txt", "b.txt")},
		{"read a.txt, a.txt and a.txt", read("a.txt")},
		{"Could you please read `my notes`?", read("my notes")},
		{"打开“我的 笔记.md”", read("我的 笔记.md")},
		{"读一下报告.txt", read("报告.txt")},
		{"what's in the README?", read("README")},
		{"look at ../go.mod", read("../go.mod")},
		{"show me .gitignore", read(".gitignore")},
		{"summarize README.md", read("README.md")},
		{"read @src/a.go:", read("src/a.go")},
		{"看看 src/hello.txt 文件", read("src/hello.txt")},
		{"How many lines does hello.txt have?", read("hello.txt")},
		{"read https://example.com/a.txt", nil},

		{"list the files", one(task{kind: listFiles})},
		{"List all files in src.", one(task{kind: listFiles, path: "src"})},
		{"list the files in the folder src/app", one(task{kind: listFiles, path: "src/app"})},
		{"ls", one(task{kind: listFiles})},
		{"ls -la src/", one(task{kind: listFiles, path: "src/"})},
		{"list src", one(task{kind: listFiles, path: "src"})},
		{"what files are here?", one(task{kind: listFiles})},
		{"Which files are there in the src directory?", one(task{kind: listFiles, path: "src"})},
		{"What is in this folder?", one(task{kind: listFiles})},
		{"what's in src/?", [][]task{{{kind: listFiles, path: "src/"}}}},
		{"列出文件", one(task{kind: listFiles})},
		{"列出当前目录下的所有文件", one(task{kind: listFiles})},
		{"列出 src 目录里的文件", one(task{kind: listFiles, path: "src"})},
		{"这个目录里有什么？", one(task{kind: listFiles})},
		{"有哪些文件？", one(task{kind: listFiles})},
		{"src 里有哪些文件", one(task{kind: listFiles, path: "src"})},

		{"run ls -la", one(task{kind: runCommand, text: "ls -la"})},
		{"Run `git status` and tell me what you see", one(task{kind: runCommand, text: "git status"})},
		{"run the command echo hi", one(task{kind: runCommand, text: "echo hi"})},
		{"execute: make test", one(task{kind: runCommand, text: "make test"})},
		{"run echo `date`", one(task{kind: runCommand, text: "echo `date`"})},
		{"$ pwd", one(task{kind: runCommand, text: "pwd"})},
		{"运行 git log -1", one(task{kind: runCommand, text: "git log -1"})},
		{"执行一下命令：echo 你好，告诉我结果", one(task{kind: runCommand, text: "echo 你好"})},
		{"run the tests", nil},

		{"search for TODO", one(task{kind: searchText, text: "TODO"})},
		{`grep "func main" in cmd`, one(task{kind: searchText, text: "func main", path: "cmd"})},
		{"search src for parse", one(task{kind: searchText, text: "parse", path: "src"})},
		{"Which files mention “offline”?", one(task{kind: searchText, text: "offline"})},
		{"where is parseFlags defined?", one(task{kind: searchText, text: "parseFlags"})},
		{"搜索 TODO", one(task{kind: searchText, text: "TODO"})},
		{"在 src 目录下搜索“解析”", one(task{kind: searchText, text: "解析", path: "src"})},
		{"哪些文件里提到了 offline？", one(task{kind: searchText, text: "offline"})},
		{"find *.go", one(task{kind: findFiles, text: "*.go"})},
		{"find all files named main.go in cmd", one(task{kind: findFiles, text: "main.go", path: "cmd"})},
		{"查找 *.md 文件", one(task{kind: findFiles, text: "*.md"})},
		{"where is go.mod?", one(task{kind: findFiles, text: "go.mod"})},

		{`Write "hello world" to out.txt`, one(task{kind: writeFile, path: "out.txt", text: "hello world"})},
		{"write out.txt: line one\nline two", one(task{kind: writeFile, path: "out.txt", text: "line one\nline two"})},
		{"create a file notes.md with the content hello, thanks", one(task{kind: writeFile, path: "notes.md", text: "hello, thanks"})},
		{"create an empty file a.txt", one(task{kind: writeFile, path: "a.txt"})},
		{"write notes.txt: first then second", one(task{kind: writeFile, path: "notes.txt", text: "first then second"})},
		{"把“你好”写入 hello.txt", one(task{kind: writeFile, path: "hello.txt", text: "你好"})},
		{"创建文件 a.txt，内容是 谢谢", one(task{kind: writeFile, path: "a.txt", text: "谢谢"})},
		{"新建一个空文件 a.txt", one(task{kind: writeFile, path: "a.txt"})},
		{"在 a.txt 里写：你好 世界", one(task{kind: writeFile, path: "a.txt", text: "你好 世界"})},

		{"Replace hello with goodbye in hello.txt", one(task{kind: editFile, path: "hello.txt", text: "hello", new: "goodbye"})},
		{`please replace "a with b" by "c" in "x y.txt"`, one(task{kind: editFile, path: "x y.txt", text: "a with b", new: "c"})},
		{"In hello.txt, change the word world to earth", one(task{kind: editFile, path: "hello.txt", text: "world", new: "earth"})},
		{"rename foo to bar in src/a.go", one(task{kind: editFile, path: "src/a.go", text: "foo", new: "bar"})},
		{"把 hello.txt 里的 world 换成 地球", one(task{kind: editFile, path: "hello.txt", text: "world", new: "地球"})},
		{"把hello.txt里的world改成earth", one(task{kind: editFile, path: "hello.txt", text: "world", new: "earth"})},
		{"把 你好 换成 再见 in hello.txt", one(task{kind: editFile, path: "hello.txt", text: "你好", new: "再见"})},
		{"把 你好 换成 再见，在 hello.txt 里", one(task{kind: editFile, path: "hello.txt", text: "你好", new: "再见"})},
		{"在 hello.txt 中把“旧的”替换为“新的”。", one(task{kind: editFile, path: "hello.txt", text: "旧的", new: "新的"})},

		{"read a.txt and then run ls", [][]task{{{kind: readFile, path: "a.txt"}}, {{kind: runCommand, text: "ls"}}}},
		{"读一下 a.txt，然后运行 ls", [][]task{{{kind: readFile, path: "a.txt"}}, {{kind: runCommand, text: "ls"}}}},

		{"hello", nil},
		{"你好", nil},
		{"What is the meaning of life?", nil},
		{"", nil},
	} {
		t.Run(tt.ask, func(t *testing.T) {
			if got := parse(tt.ask); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("%+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestLanguageOf(t *testing.T) {
	for _, tt := range []struct {
		name, ask string
		want      lang
	}{
		{"English", "What does hello.txt say?", english},
		{"Chinese", "读一下 hello.txt", chinese},
		{"an English question about a Chinese name", "read 报告.txt", english},
		{"an English question about Chinese words", "search for “你好”", english},
		{"a Chinese question about a Chinese name", "读一下报告.txt", chinese},
		{"nothing", "", english},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := languageOf(tt.ask); got != tt.want {
				t.Errorf("chinese = %v, want %v", got, tt.want)
			}
		})
	}
}

func TestShellQuote(t *testing.T) {
	for in, want := range map[string]string{"a.txt": "a.txt", "a b": "'a b'", "it's": `'it'\''s'`, "": "''", "-n": "'-n'", "~": "'~'", "$(rm)": "'$(rm)'"} {
		if got := shellQuote(in); got != want {
			t.Errorf("shellQuote(%q) = %s, want %s", in, got, want)
		}
	}
}
