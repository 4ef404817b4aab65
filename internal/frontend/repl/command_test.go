package repl_test

import (
	"cmp"
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/frontend/repl"
	"github.com/boughdev/bough/internal/golden"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
)

func TestHelp(t *testing.T) {
	got := newWorld(t, "").say("/help\n/help branch\n/help /exit\n/help compact\n/help nope\n", quiet)
	golden.Equal(t, "help.txt", got.out)
}

func TestWordsOfOtherFrontEnds(t *testing.T) {
	w := newWorld(t, "")
	got := w.say("/hotkeys\n/import x.html\n/hisotry\n", quiet)
	want := `/hotkeys is not for the REPL.
/import is not for the REPL.
Unknown command /hisotry. Did you mean /history? With a blank in front it is said to the model.
`
	if got.out != want || len(w.sessions()) != 0 {
		t.Errorf("got\n%s", golden.Diff(want, got.out))
	}
}

func TestSettings(t *testing.T) {
	got := newWorld(t, "").say(strings.Join([]string{
		"/name", "/name  the\tword counter ", "/name", "hello", "/session",
		"/model", "/model nope", "/model small", "/model stub-small:nope", "/model stub/stub-small:high", "/model",
		"/thinking", "/thinking nope", "/thinking low", "/thinking low", "/copy", "/copy 2", "/copy x", "/session",
	}, "\n"))
	golden.Equal(t, "settings.txt", stable(got.out+"--\n"+got.err))
}

func TestCopy(t *testing.T) {
	var copied string
	w := newWorld(t, "")
	got := w.say("one\ntwo\n/copy 2\n", quiet, func(o *repl.Options) {
		o.Copy = func(s string) error { copied = s; return nil }
	})
	if copied != "Echo: one" || !strings.HasSuffix(got.out, "copied \"Echo: one\"\n") {
		t.Errorf("copied %q\n%s", copied, got.out)
	}
	got = w.say("one\n/copy\n", quiet, func(o *repl.Options) {
		o.Copy = func(s string) error { return errors.New("no clipboard") }
	})
	if !strings.HasSuffix(got.out, "Copy the answer: no clipboard.\n") {
		t.Errorf("got\n%s", got.out)
	}
}

func TestSessions(t *testing.T) {
	w := newWorld(t, "")
	list := func(o *repl.Options) {
		o.Sessions = func(ctx context.Context) ([]session.Summary, error) {
			var all []session.Summary
			for s, err := range w.store.List(ctx) {
				if err != nil {
					return nil, err
				}
				all = append(all, s)
			}
			slices.SortFunc(all, func(a, b session.Summary) int {
				return cmp.Or(strings.Compare(a.FirstMessage+a.Name, b.FirstMessage+b.Name), b.Created.Compare(a.Created), strings.Compare(b.ID, a.ID))
			})
			return all, nil
		}
	}
	got := w.say(strings.Join([]string{
		"/resume", "/fork", "/clone", "first words", "second words", "/history",
		"/fork 0", "/fork", "/fork 3", "/history", "other words", "/clone the copy", "/history", "/name",
		"/new a new one", "/name", "/history", "third words", "/edit", "/new", "fourth",
		"/resume", "/resume zzz", "/resume words", "/resume third", "/history", "/resume copy", "/back",
	}, "\n"), list)
	golden.Equal(t, "sessions.txt", stable(got.out+"--\n"+got.err))
}

func TestResumeTakesNumbersAndFiles(t *testing.T) {
	w := newWorld(t, "")
	w.say("first words\n")
	file := w.sessions()[0]
	got := w.say("/resume "+file+"\n/history\n", quiet)
	if !strings.Contains(got.out, "[1] user       first words") {
		t.Errorf("by its file:\n%s", got.out)
	}
	got = w.say("/resume 1\n/resume\n/resume 1\n/history\n", quiet, func(o *repl.Options) {
		o.Sessions = func(context.Context) ([]session.Summary, error) {
			return []session.Summary{{ID: "x", Path: file, FirstMessage: "first words", Messages: 3}}, nil
		}
	})
	if !strings.Contains(got.out, "[1] user       first words") || !strings.Contains(got.out, "1  ") {
		t.Errorf("by its number:\n%s", got.out)
	}
	got = w.say("/resume\n/resume nope\n", quiet)
	if !strings.Contains(got.out, "Say which session") || strings.Count(got.out, "\n") != 2 {
		t.Errorf("without a list:\n%s", got.out)
	}
}

func TestShell(t *testing.T) {
	w := newWorld(t, "")
	got := w.say("!two lines\n!!false\n! true\n!\n!!\nhello\n/history\n", quiet)
	want := `one
two
(exit 1)
(no output)
A command of the shell stands behind the mark: !ls, or !!ls to keep its output from the model.
A command of the shell stands behind the mark: !ls, or !!ls to keep its output from the model.
Echo: hello
[0] bash       two lines
[1] bash       false   (exit 1)
[2] bash       true
[3] system     bough's instructions (5 sections, 2 tools)
[4] user       hello
[5] assistant  Echo: hello
`
	if got.out != want {
		t.Errorf("got\n%s", golden.Diff(want, got.out))
	}
	if !w.load(w.sessions()[0]).Has(w.load(w.sessions()[0]).Leaf()) {
		t.Error("nothing was kept")
	}
}

// The sample of the specification, to the letter.
func TestSample(t *testing.T) {
	w := newWorld(t, `{"defaults":{"usage":{"input":650,"output":40}},"rules":[
		{"when":{"user":"^Build","turn":0},"reply":{"text":"I will look at the repository first.","toolCalls":[{"name":"bash","args":{"command":"ls -la && git status"}},{"name":"read","args":{"path":"src/main.go"}}]}},
		{"when":{"user":"^Build"},"reply":{"text":"There is a main.go. Shall I use cobra or flag?"}},
		{"when":{"user":"cobra"},"reply":{"text":"OK, cobra it is."}},
		{"when":{"user":"flag","turn":0},"reply":{"toolCalls":[{"name":"bash","args":{"command":"edit"}}]}},
		{"when":{"user":"flag"},"reply":{"text":"Done with flag."}}]}`)
	got := w.say("Build a CLI that counts words in files.\nUse cobra\n/branch 5\nUse the flag package\n/history\n/branch 5\n")
	golden.Equal(t, "sample.txt", stable(got.out))
}

func TestHostileWords(t *testing.T) {
	w := newWorld(t, `[{"when":{"turn":0},"reply":{"text":"a\u001b]0;title\u0007b\u202ec\n\u001b[2Jd","chunk":1,"toolCalls":[{"name":"read","args":{"path":"x\u001b[31m\u0007y"}}]}},{"reply":{"text":"\n\n\nok\u009b31m\n\n\n"}}]`)
	got := w.say("hello\n/label \x1b[31mred\n/history\n/tree --all\n/branch 2\n/copy\n")
	if bad := regexp.MustCompile("[\x00-\x08\x0b-\x1f\x7f\u0080-\u009f\u202a-\u202e]").FindString(got.out + got.err); bad != "" {
		t.Errorf("%q comes through:\n%q", bad, got.out)
	}
	for _, want := range []string{"ab<U+202E>c\nd\n[read xy] error: there is no file", "\nok\n("} {
		if !strings.Contains(got.out, want) {
			t.Errorf("%q is missing:\n%s", want, got.out)
		}
	}
}

func TestWideCharactersAlign(t *testing.T) {
	w := newWorld(t, `[{"reply":{"text":"好的,我会先看看仓库里有什么文件,然后再决定怎么做,最后告诉你结果如何。"}}]`)
	got := w.say("请写一个统计文件中单词数量的命令行程序,它必须能够正确处理各种编码的文件内容\n/label 中文标签\n/history\n/tree\n/branch 1\n/session\n", func(o *repl.Options) { o.Width = 40 })
	golden.Equal(t, "wide.txt", stable(got.out))
	if said := w.texts(message.User); !strings.HasPrefix(said[0], "请写") {
		t.Errorf("said %q", said)
	}
}
