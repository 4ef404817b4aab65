package cli

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/setup"
)

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		name  string
		words []string
		want  args
	}{
		{"words are messages, @ makes a file", []string{"one", "@a.txt", "two", "@", "@@b"},
			args{messages: []string{"one", "two", "@"}, files: []string{"a.txt", "@b"}}},
		{"-p takes a message", []string{"-p", "one", "two"}, args{print: true, messages: []string{"one", "two"}}},
		{"-p takes no file and no option", []string{"-p", "@a", "-p", "-c"}, args{print: true, files: []string{"a"}, cont: true}},
		{"-p takes front matter", []string{"-p", "---\na: b\n---"}, args{print: true, messages: []string{"---\na: b\n---"}}},
		{"--print=WORDS", []string{"--print=- x=y", "z"}, args{print: true, messages: []string{"- x=y", "z"}}},
		{"behind -- only files are more than text", []string{"--", "-p", "@a", "--model", "--"},
			args{messages: []string{"-p", "--model", "--"}, files: []string{"a"}}},
		{"short options of several letters", []string{"-nc", "-xt", "bash", "-nbt", "-c"},
			args{Options: setup.Options{NoContext: true, ExcludeTools: []string{"bash"}, NoBuiltin: true}, cont: true}},
		{"a value may begin with a dash", []string{"--model", "-p", "-t", "-bash"}, args{Options: setup.Options{Tools: []string{"-bash"}, HasTools: true}, model: "-p"}},
		{"a value behind =, with = and blanks in it", []string{"--model=a=b c", "--no-session"}, args{model: "a=b c", noSession: true}},
		{"the last one counts", []string{"--model", "a", "--model", "b", "-t", "read", "-t", "grep"}, args{Options: setup.Options{Tools: []string{"grep"}, HasTools: true}, model: "b"}},
		{"what is left out adds up", []string{"-xt", "bash, edit", "-xt", ",write,"}, args{Options: setup.Options{ExcludeTools: []string{"bash", "edit", "write"}}}},
		{"an empty list of tools is one", []string{"-t", ""}, args{Options: setup.Options{HasTools: true}}},
		{"--list-models takes a word, not an option, not a file", []string{"--list-models", "@a"}, args{listModels: true, files: []string{"a"}}},
		{"--list-models with a word", []string{"--list-models", "son"}, args{listModels: true, listQuery: "son"}},
		{"--mode", []string{"--mode", "json", "x"}, args{mode: "json", messages: []string{"x"}}},
		{"--max-turns", []string{"--max-turns=0"}, args{maxTurns: 1}}, // see below
		{"--thinking is looked at later", []string{"--thinking", ""}, args{hasThinking: true}},
		{"--append-system-prompt adds up", []string{"--append-system-prompt", "a", "--append-system-prompt", "b"}, args{Options: setup.Options{AppendPrompt: []string{"a", "b"}}}},
		{"--fork names its copy", []string{"--fork", "x", "--session-id", "y"}, args{fork: "x", sessionID: "y"}},
		{"--no-session reads one", []string{"--no-session", "--session", "x"}, args{noSession: true, session: "x"}},
		{"skills and templates", []string{"-ns", "-np", "--skill", "a", "--skill=b", "--prompt-template", "c"},
			args{Options: setup.Options{NoSkills: true, NoTemplates: true, Skills: []string{"a", "b"}, Templates: []string{"c"}}}},
		{"themes", []string{"--no-themes", "--theme", "a", "--use-theme", "b/c"}, args{Options: setup.Options{NoThemes: true, Themes: []string{"a"}}, useTheme: "b/c"}},
		{"--lang", []string{"--lang", "zh-CN"}, args{lang: "zh-CN"}},
		{"joining", []string{"--no-attach", "--attach", "1234", "--print"}, args{noAttach: true, attach: true, session: "1234", print: true}},
		{"joining what is open", []string{"--attach", "-p", "x"}, args{attach: true, print: true, messages: []string{"x"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := parse(tt.words)
			if err != nil {
				t.Fatal(err)
			}
			tt.want.maxTurns-- // -1: not given
			if !reflect.DeepEqual(*got, tt.want) {
				t.Errorf("got  %+v\nwant %+v", *got, tt.want)
			}
		})
	}
}

// What cannot be meant is refused with a word that helps, before anything is read.
func TestParseRefuses(t *testing.T) {
	for _, tt := range []struct {
		words []string
		want  string
	}{
		{[]string{"--whatever"}, "behind --"},
		{[]string{"--modle", "x"}, "Did you mean --model?"},
		{[]string{"--contine"}, "Did you mean --continue?"},
		{[]string{"--no-sesion=1"}, "Did you mean --no-session?"},
		{[]string{"-x"}, "unknown option -x"},
		{[]string{"-pc"}, "unknown option -pc"},
		{[]string{"-"}, "standard input is read"},
		{[]string{"- one\n- two"}, "unknown option - one - two."},
		{[]string{"---"}, "behind --"},
		{[]string{"--model"}, "--model needs a value: --model MODEL"},
		{[]string{"-n"}, "-n needs a value: -n NAME"},
		{[]string{"--repl=yes"}, "--repl takes no value"},
		{[]string{"--mode", "xml"}, "use text or json"},
		{[]string{"--mode="}, "--mode is empty"},
		{[]string{"--name", " \t"}, "not blank"},
		{[]string{"--max-turns", "many"}, "0 for no limit"},
		{[]string{"--max-turns", "-1"}, "0 for no limit"},
		{[]string{"--lang", "fr"}, "use en or zh-CN"},
		{[]string{"--session="}, "--session is empty"},
		{[]string{"--session-dir", ""}, "--session-dir is empty"},
		{[]string{"--at", "x"}, "--at needs a session"},
		{[]string{"-c", "--session", "x"}, "--session and --continue"},
		{[]string{"-c", "-r"}, "--continue and --resume"},
		{[]string{"--fork", "x", "-c"}, "--continue and --fork"},
		{[]string{"--session-id", "x", "--session", "y"}, "--session and --session-id"},
		{[]string{"--session-id", "-x-"}, "letter or digit first"},
		{[]string{"--session-id", strings.Repeat("x", 129)}, "1 to 128"},
		{[]string{"--fork", "x", "--no-session"}, "--no-session forbids"},
		{[]string{"--provider", "openai"}, "--provider needs --model"},
		{[]string{"--api-key", "k"}, "--api-key needs --model"},
		{[]string{"--mode", "rpc", "@a"}, "takes no @file"},
		{[]string{"-a", "-na"}, "contradict"},
		{[]string{"-t", "+read,bash"}, "not both"},
		{[]string{"-t", "+re*"}, "a pattern cannot have a sign"},
		{[]string{"-t", "read,+"}, "without a name"},
		{[]string{"--read-only"}, "no --read-only yet"},
	} {
		t.Run(strings.Join(tt.words, " "), func(t *testing.T) {
			a, err := parse(tt.words)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("parsed as %+v, error %v; want one with %q", a, err, tt.want)
			}
		})
	}
}

func TestParseWarns(t *testing.T) {
	a, err := parse([]string{"-e", "x.js", "-e", "y.js", "--no-extensions"})
	if err != nil {
		t.Fatal(err)
	}
	if len(a.warn) != 2 || !strings.HasPrefix(a.warn[0], "--extension has no effect: ") {
		t.Errorf("warnings %q, want one for each option", a.warn)
	}
}

// Each option is there once, and those of the help say what they do.
func TestOptions(t *testing.T) {
	var names []string
	for _, o := range options() {
		for _, n := range []string{"--" + o.long, "-" + o.short} {
			if n == "-" {
				continue
			}
			if slices.Contains(names, n) {
				t.Errorf("%s is there twice", n)
			}
			names = append(names, n)
			if o.help != "" && !strings.Contains(helpText(), n) {
				t.Errorf("%s is not in the help", n)
			}
		}
		if takes := o.kind == value || o.kind == words || o.kind == optional; takes != (o.arg != "") {
			t.Errorf("--%s: value named %q", o.long, o.arg)
		}
	}
	for _, line := range strings.Split(helpText(), "\n") {
		if len(line) > 110 {
			t.Errorf("a line of the help is %d characters long: %s", len(line), line)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"model", "model", 0}, {"modle", "model", 1}, {"mode", "model", 1}, {"abc", "", 3}, {"", "abc", 3}, {"kitten", "sitting", 3}} {
		if got := distance(tt.a, tt.b); got != tt.want {
			t.Errorf("distance(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("-p\x00hello\x00@a")
	f.Add("--model=\x00--\x00-x")
	f.Fuzz(func(t *testing.T, line string) {
		a, err := parse(strings.Split(line, "\x00"))
		if a == nil && err == nil {
			t.Errorf("%q is neither parsed nor refused", line)
		}
	})
}

func TestChooseMode(t *testing.T) {
	for _, tt := range []struct {
		line    string
		in, out bool // a terminal
		want    mode
	}{
		{"", true, true, modeTUI},
		{"hello", true, true, modeTUI},
		{"", false, true, modePrint},
		{"", true, false, modePrint},
		{"", false, false, modePrint},
		{"-p hello", true, true, modePrint},
		{"--mode text", true, true, modeTUI},
		{"--mode text", false, true, modePrint},
		{"--mode json -p --repl", true, true, modeJSON},
		{"--mode rpc -p --repl", false, false, modeRPC},
		{"--repl", false, false, modeREPL},
		{"--repl -p hello", true, true, modeREPL},
		{"--mode json --mode text", true, true, modeTUI},
		{"--repl", true, true, modeREPL},
	} {
		a, err := parse(strings.Fields(tt.line))
		if err != nil {
			t.Fatal(err)
		}
		env := Env{StdinTerminal: tt.in, StdoutTerminal: tt.out, Getenv: func(string) string { return "" }}
		if got := chooseMode(a, env); got != tt.want {
			t.Errorf("%q with terminals %t %t: %s, want %s", tt.line, tt.in, tt.out, got, tt.want)
		}
		dumb := tt.want
		if dumb == modeTUI {
			dumb = modeREPL
		}
		env.Getenv = func(string) string { return "dumb" }
		if got := chooseMode(a, env); got != dumb {
			t.Errorf("%q with a dumb terminal: %s, want %s", tt.line, got, dumb)
		}
	}
}
