package permission

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/internal/workspace"
	"github.com/boughdev/bough/tool"
	"github.com/boughdev/bough/tool/builtin"
)

// house is a folder to work in, beside others.
type house struct {
	t             *testing.T
	root, dir     string
	tools         []tool.Tool
	policy        Policy
	commands, bin string
}

func newHouse(t *testing.T) *house {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	h := &house{t: t, root: root, dir: filepath.Join(root, "work")}
	for _, d := range []string{"work/src", "work/.git", "other", "home", "commands", "work/bin"} {
		if err := os.MkdirAll(filepath.Join(root, d), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	h.commands, h.bin = filepath.Join(root, "commands"), filepath.Join(h.dir, "bin")
	for _, name := range []string{"ls", "cat", "grep", "find", "sed", "head", "sort", "wc", "uniq", "date", "git", "rm", "diff", "tail"} {
		h.put("commands/"+name, "")
		if err := os.Chmod(filepath.Join(h.commands, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	h.put("work/a.txt", "one\ntwo\n")
	h.put("work/src/b.txt", "b\n")
	h.put("other/secret.txt", "s\n")
	h.link("work/out", "../other")
	h.link("work/leak.txt", "../other/secret.txt")
	h.link("work/nowhere", "../other/new.txt")
	h.link("work/in", "src")
	if err := os.Link(filepath.Join(root, "other/secret.txt"), filepath.Join(h.dir, "hard.txt")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", filepath.Join(root, "home"))
	h.tools = builtin.Tools(workspace.NewLocal(h.dir), builtin.Options{ShellPath: "/bin/sh"})
	h.policy = Policy{Dir: h.dir, Home: filepath.Join(root, "home"), Path: h.commands}
	return h
}

func (h *house) put(name, text string) {
	h.t.Helper()
	if err := os.WriteFile(filepath.Join(h.root, name), []byte(text), 0o666); err != nil {
		h.t.Fatal(err)
	}
}

func (h *house) link(name, to string) {
	h.t.Helper()
	if err := os.Symlink(to, filepath.Join(h.root, name)); err != nil {
		h.t.Fatal(err)
	}
}

func (h *house) call(name, args string) Call {
	c := Call{Tool: name}
	for _, t := range h.tools {
		if k, ok := t.(tool.Known); ok && t.Spec().Name == name {
			c.Effect = k.Effect(h.t.Context(), []byte(args))
		}
	}
	return c
}

func (h *house) bash(command string) Call {
	return h.call("bash", `{"command":`+string(rawjson.Quote(command))+"}")
}

// In each mode calls are allowed, asked about or refused.
func TestModes(t *testing.T) {
	h := newHouse(t)
	write := func(path string) Call { return h.call("write", `{"path":"`+path+`","content":"x"}`) }
	read := func(path string) Call { return h.call("read", `{"path":"`+path+`"}`) }
	for _, tt := range []struct {
		name string
		call Call
		want string // in auto, auto-edit, ask and read-only: allow, ? or deny
	}{
		{"a file of the folder is read", read("a.txt"), "a a a a"},
		{"a file elsewhere is read", read("../other/secret.txt"), "a ? ? ?"},
		{"a link that leads out is read", read("leak.txt"), "a ? ? ?"},
		{"a folder behind a link is read", read("out/secret.txt"), "a ? ? ?"},
		{"a link within the folder is read", read("in/b.txt"), "a a a a"},
		{"a device is read", read("/dev/zero"), "a ? ? ?"},
		{"a file URL", read("file:///etc/passwd"), "a ? ? ?"},
		{"the home", read("~/x"), "a ? ? ?"},
		{"a folder is listed", h.call("ls", `{}`), "a a a a"},
		{"a folder elsewhere is listed", h.call("ls", `{"path":".."}`), "a ? ? ?"},
		{"a folder elsewhere is searched", h.call("grep", `{"pattern":"x","path":"out"}`), "a ? ? ?"},
		{"files are found", h.call("find", `{"pattern":"*"}`), "a a a a"},
		{"a file is written", write("new.txt"), "a a ? d"},
		{"a file in a new folder is written", write("x/y/new.txt"), "a a ? d"},
		{"a file is written around a corner", write("src/../../other/new.txt"), "a ? ? d"},
		{"a file is written through a link", write("out/new.txt"), "a ? ? d"},
		{"a link to nothing elsewhere is written", write("nowhere"), "a ? ? d"},
		{"a file with two names is written", write("hard.txt"), "a ? ? d"},
		{"a hook of git is written", write(".git/hooks/pre-commit"), "a ? ? d"},
		{"a hook of git in capitals", write(".GIT/config"), "a ? ? d"},
		{"settings of the project are written", write(".pi/settings.json"), "a ? ? d"},
		{"a device is written", write("/dev/sda"), "a ? ? d"},
		{"a file is changed", h.call("edit", `{"path":"a.txt","edits":[{"oldText":"one","newText":"1"}]}`), "a a ? d"},
		{"a call that the tool refuses", h.call("write", `{}`), "a a a a"},
		{"a command that reads", h.bash("ls -la src && cat a.txt | wc -l"), "a a a a"},
		{"a command that does more", h.bash("rm a.txt"), "a ? ? d"},
		{"a tool of somebody else", Call{Tool: "mcp__x__y"}, "a ? ? d"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := ""
			for _, m := range Modes() {
				p := h.policy
				p.Mode = m
				d := p.Decide(tt.call)
				got += " " + map[Verdict]string{Allowed: "a", Asked: "?", Denied: "d"}[d.Verdict]
				if d.Verdict != Allowed && d.Reason == "" {
					t.Errorf("%s: no reason", m)
				}
			}
			if got[1:] != tt.want {
				t.Errorf("decided %s, want %s", got[1:], tt.want)
			}
		})
	}
}

// What is certain to read only is not asked about; all else is.
func TestCommandsThatRead(t *testing.T) {
	h := newHouse(t)
	h.put("work/bin/evil", "")
	for command, want := range map[string]bool{
		"ls":                               true,
		"ls -la src":                       true,
		"cat a.txt src/b.txt":              true,
		"cd src && cat b.txt":              true,
		"grep -rn 'x; rm -rf /' . | head":  true,
		"grep -n /etc a.txt":               true,
		"find . -name '*.txt' -type f":     true,
		"sed -n 1,5p a.txt":                true,
		"sed -n '3p' a.txt":                true,
		"cat a.txt 2>/dev/null || echo no": true,
		"cat a.txt 2>&1 | sort -u":         true,
		"echo '$(rm x)'":                   true,
		"date +%s":                         true,
		"ls; ls\nls":                       true,
		"'ls' \"-l\"":                      true,

		"":                                  false,
		"cd src && cat ../a.txt":            false, // cd may fail
		"ls $(rm a.txt)":                    false,
		"ls `rm a.txt`":                     false,
		"echo \"$(rm a.txt)\"":              false,
		"cat <(rm a.txt)":                   false,
		"ls > a.txt":                        false,
		"ls >| a.txt":                       false,
		"ls &> a.txt":                       false,
		"ls 3> a.txt":                       false,
		"ls >& a.txt":                       false,
		"cat < a.txt":                       false,
		"cat << X\nX":                       false,
		"ls & rm a.txt":                     false,
		"ls; rm a.txt":                      false,
		"ls\nrm a.txt":                      false,
		"ls || rm a.txt":                    false,
		"ls | xargs rm":                     false,
		"PATH=. ls":                         false,
		"LD_PRELOAD=./x.so ls":              false,
		"ls() { rm a.txt; }; ls":            false,
		"alias ls=rm; ls":                   false,
		"if ls; then rm a.txt; fi":          false,
		"for f in *; do rm $f; done":        false,
		"(ls)":                              false,
		"{ ls; }":                           false,
		"! ls":                              false,
		"eval ls":                           false,
		"sh -c ls":                          false,
		"env ls":                            false,
		"sudo ls":                           false,
		"command ls":                        false,
		"./ls":                              false,
		"/bin/ls":                           false,
		"bin/evil":                          false,
		"evil":                              false,
		"$X":                                false,
		"ls $X":                             false,
		"ls ${x:=1}":                        false,
		"ls $((a[$(rm a.txt)]))":            false,
		"ls ${x@P}":                         false,
		"ls *":                              false, // a file may be called --whatever
		"ls {a,b}":                          false,
		"ls ~":                              false,
		"ls $'\\x41'":                       false,
		"cat leak.txt":                      false,
		"cat out/secret.txt":                false,
		"cat ../other/secret.txt":           false,
		"cat /etc/passwd":                   false,
		"cat nowhere":                       false,
		"cd .. && ls":                       false,
		"cd out && ls":                      false,
		"cd - && ls":                        false,
		"cd && cat x":                       false,
		"cd /; cat etc/passwd":              false,
		"cd src; cat ../../other/x":         false,
		"cd in && cat ../../other/x":        false,
		"find . -delete":                    false,
		"find . -exec rm {} ;":              false,
		"find . -fprint a.txt":              false,
		"find -L . -name x":                 false,
		"find / -name x":                    false,
		"sed -i s/a/b/ a.txt":               false,
		"sed -n 'w a.txt' a.txt":            false,
		"sed -n '1e rm a.txt' a.txt":        false,
		"sed -n 1p a.txt -i":                false,
		"sort -o a.txt a.txt":               false,
		"sort --compress-program=./x a.txt": false,
		"sort -ra.txt -oa.txt":              false,
		"uniq a.txt new.txt":                false,
		"date -s 2020-01-01":                false,
		"date 010100002020":                 false,
		"tail -f a.txt":                     false,
		"diff -r src in":                    false,
		"diff a.txt src":                    false, // which may have a link of that name in it
		"diff a.txt src/b.txt":              true,
		"cat x=~/secret":                    false,
		"cat x:~/secret":                    false,
		"grep -f ../other/secret.txt a.txt": false,
		"grep -e x ../other/secret.txt":     false,
		"grep -R x .":                       false,
		"git status":                        false, // its configuration may run programs
		"cat a.txt\r":                       false,
		"cat\u00a0a.txt":                    false,
		"ls \\\n; rm a.txt":                 false,
		"ls '":                              false,
	} {
		p := h.policy
		p.Mode = Ask
		if got := p.Decide(h.bash(command)).Verdict == Allowed; got != want {
			t.Errorf("%q is allowed: %v", command, got)
		}
	}
}

// Commands without end in each other take no time without end, and are not taken for
// harmless.
func TestCommandsInEachOther(t *testing.T) {
	h := newHouse(t)
	p := h.policy
	p.Deny = []Rule{{"bash", "rm *", true}}
	for _, s := range []string{"(", "$(", "{ ", "\"$(", "a|", "sudo ", "env ", "eval ", "find -exec ", "sh -c '", "<(", "(("} {
		if got := p.Decide(h.bash(strings.Repeat(s, maxCommand/len(s)-1) + "ls")).Verdict; got != Asked {
			t.Errorf("%s: %s", s, got)
		}
	}
}

// A command that lies where the model may write is none of the system.
func TestCommandsOfTheFolder(t *testing.T) {
	h := newHouse(t)
	p := h.policy
	p.Mode = Ask
	for path, want := range map[string]Verdict{
		h.commands:               Allowed,
		h.bin + ":" + h.commands: Asked,
		".:" + h.commands:        Asked,
		":" + h.commands:         Asked,
		h.commands + ":" + h.bin: Allowed,
		h.root + "/nothing":      Asked,
		"":                       Asked,
	} {
		p.Path = path
		if got := p.Decide(h.bash("ls")).Verdict; got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
	p.Path, p.CDPath = h.commands, true
	if got := p.Decide(h.bash("cd src && ls")).Verdict; got != Asked {
		t.Errorf("with CDPATH: %s", got)
	}
	// A shell that is not known, or that is told something before, is not read.
	for _, o := range []builtin.Options{{ShellPath: "/usr/bin/fish"}, {ShellPath: "/bin/sh", ShellPrefix: "alias ls=rm"}} {
		h.tools = builtin.Tools(workspace.NewLocal(h.dir), o)
		if got := p.Decide(h.bash("ls")).Verdict; got != Asked {
			t.Errorf("%+v: %s", o, got)
		}
	}
}

// The home of the user is no project: what lies in it is not free.
func TestHomeIsNoProject(t *testing.T) {
	h := newHouse(t)
	h.policy.Mode = AutoEdit
	for _, home := range []string{h.dir, filepath.Join(h.dir, "src")} {
		h.policy.Home = home
		for _, c := range []Call{h.call("write", `{"path":".bashrc","content":""}`), h.call("read", `{"path":"a.txt"}`)} {
			if got := h.policy.Decide(c).Verdict; got != Asked {
				t.Errorf("%s in %s: %s", c.Tool, home, got)
			}
		}
	}
}

// Rules allow, ask and deny; deny wins, and the words of a command are what counts.
func TestRules(t *testing.T) {
	h := newHouse(t)
	rules := func(list ...string) (out []Rule) {
		for _, s := range list {
			r, err := ParseRule(s)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, r)
		}
		return out
	}
	write := func(path string) Call { return h.call("write", `{"path":"`+path+`","content":"x"}`) }
	for _, tt := range []struct {
		name                      string
		mode                      Mode
		allow, ask, deny, session string
		call                      Call
		want                      Verdict
	}{
		{"a command that is allowed", Ask, "bash(git status *)", "", "", "", h.bash("git status -s"), Allowed},
		{"without its last words", Ask, "bash(git status *)", "", "", "", h.bash("git status"), Allowed},
		{"another command that begins so", Ask, "bash(git status *)", "", "", "", h.bash("git statusx"), Asked},
		{"with another behind it", Ask, "bash(git status *)", "", "", "", h.bash("git status; rm x"), Asked},
		{"with another in it", Ask, "bash(git status *)", "", "", "", h.bash("git status $(rm x)"), Asked},
		{"with an output", Ask, "bash(git status *)", "", "", "", h.bash("git status > x"), Asked},
		{"with a setting before it", Ask, "bash(git status *)", "", "", "", h.bash("GIT_PAGER=x git status"), Asked},
		{"with a variable", Ask, "bash(git status *)", "", "", "", h.bash("git status $X"), Allowed},
		{"one that reads beside it", Ask, "bash(git status *)", "", "", "", h.bash("cd src && git status | head"), Allowed},
		{"as one word", Ask, "bash(git status *)", "", "", "", h.bash("'git status' x"), Asked},
		{"in the background", Ask, "bash(git status *)", "", "", "", h.bash("git status & git status"), Asked},
		{"all commands", Ask, "bash", "", "", "", h.bash("rm x > y"), Allowed},
		{"all commands, by a star", Ask, "bash(*)", "", "", "", h.bash("rm x > y"), Allowed},
		{"in read-only mode", ReadOnly, "bash(git status *)", "", "", "", h.bash("git status"), Allowed},
		{"a file in read-only mode", ReadOnly, "edit(**)", "", "", "", write("x"), Denied},

		{"deny wins", Ask, "bash", "", "bash(rm *)", "", h.bash("rm x"), Denied},
		{"deny wins over this session", Ask, "", "", "bash(rm *)", "bash", h.bash("rm x"), Denied},
		{"deny in auto", Auto, "", "", "bash(rm *)", "", h.bash("rm x"), Denied},
		{"deny behind another", Auto, "", "", "bash(rm *)", "", h.bash("ls && rm x"), Denied},
		{"deny in another", Auto, "", "", "bash(rm *)", "", h.bash("echo $(rm x)"), Denied},
		{"deny in a function", Auto, "", "", "bash(rm *)", "", h.bash("f() { rm x; }; f"), Denied},
		{"deny with quotes", Auto, "", "", "bash(rm *)", "", h.bash(`r''m x`), Denied},
		{"deny with a backslash", Auto, "", "", "bash(rm *)", "", h.bash(`\rm x`), Denied},
		{"deny by its path", Auto, "", "", "bash(rm *)", "", h.bash(`/bin/rm x`), Denied},
		{"deny behind sudo", Auto, "", "", "bash(rm *)", "", h.bash(`sudo rm x`), Denied},
		{"deny behind env", Auto, "", "", "bash(rm *)", "", h.bash(`env A=b rm x`), Denied},
		{"deny behind xargs", Auto, "", "", "bash(rm *)", "", h.bash(`ls | xargs rm`), Denied},
		{"deny in find", Auto, "", "", "bash(rm *)", "", h.bash(`find . -exec rm {} \;`), Denied},
		{"deny in a shell in a shell", Auto, "", "", "bash(rm *)", "", h.bash(`sh -c 'bash -c "rm x"'`), Denied},
		{"deny in eval", Auto, "", "", "bash(rm *)", "", h.bash(`eval rm x`), Denied},
		{"what is not known", Auto, "", "", "bash(rm *)", "", h.bash(`$X x`), Asked},
		{"what is not known of a command with a rule", Auto, "", "", "bash(git push *)", "", h.bash(`X=push; git $X`), Asked},
		{"what is not known of others", Auto, "", "", "bash(git push *)", "", h.bash(`for f in a b; do gofmt $f; done`), Allowed},
		{"what cannot be read", Auto, "", "", "bash(rm *)", "", h.bash(`ls; rm '`), Asked},
		{"another command", Auto, "", "", "bash(rm *)", "", h.bash(`rmdir x`), Allowed},
		{"a rule that asks", Auto, "", "bash(git push *)", "", "", h.bash("git push origin"), Asked},
		{"asking wins over allowing", Ask, "bash(git *)", "bash(git push *)", "", "", h.bash("git push"), Asked},
		{"people win over asking", Ask, "", "bash(git push *)", "", "bash(git push *)", h.bash("git push"), Allowed},

		{"a file that is allowed", Ask, "write(src/**)", "", "", "", write("src/x/y"), Allowed},
		{"by all tools that change", Ask, "edit(src/**)", "", "", "", write("src/x"), Allowed},
		{"a file elsewhere", Ask, "write(src/**)", "", "", "", write("x"), Asked},
		{"around a corner", Ask, "write(src/**)", "", "", "", write("src/../x"), Asked},
		{"through a link", Ask, "write(out/**)", "", "", "", write("out/x"), Asked},
		{"where the link leads", Ask, "write(../other/**)", "", "", "", write("out/x"), Asked},
		{"by the whole path", Ask, "write(" + h.root + "/other/**)", "", "", "", write("out/x"), Allowed},
		{"in the home", Ask, "write(~/**)", "", "", "", write("~/x"), Allowed},
		{"a file with two names", Ask, "write(**)", "", "", "", write("hard.txt"), Asked},
		{"a file that is forbidden", Auto, "", "", "edit(**/.env)", "", write("src/.env"), Denied},
		{"in capitals", Auto, "", "", "edit(**/.env)", "", write("src/.ENV"), Denied},
		{"by where its link leads", Auto, "", "", "read(" + h.root + "/other/**)", "", h.call("read", `{"path":"leak.txt"}`), Denied},
		{"by its name as a link", Auto, "", "", "read(leak.txt)", "", h.call("read", `{"path":"leak.txt"}`), Denied},
		{"another file", Auto, "", "", "read(leak.txt)", "", h.call("read", `{"path":"a.txt"}`), Allowed},

		{"tools by a pattern", Ask, "mcp__git__get_*", "", "", "", Call{Tool: "mcp__git__get_x"}, Allowed},
		{"other tools", Ask, "mcp__git__get_*", "", "", "", Call{Tool: "mcp__git__set_x"}, Asked},
		{"all tools but one", Auto, "", "", "mcp__git__*", "", Call{Tool: "mcp__git__get_x"}, Denied},
		{"one that is called by another", Auto, "", "", "mcp__git__*", "", Call{"mcp__call", tool.Effect{Tool: "mcp__git__x"}}, Denied},
		{"the one that calls is allowed", Ask, "mcp__call", "", "", "", Call{"mcp__call", tool.Effect{Tool: "mcp__git__x"}}, Asked},
		{"the one that is called is allowed", Ask, "mcp__git__*", "", "", "", Call{"mcp__call", tool.Effect{Tool: "mcp__git__x"}}, Allowed},
		{"words that cannot be held against a tool", Ask, "mcp__git__x(y)", "", "", "", Call{Tool: "mcp__git__x"}, Asked},
		{"nor forbidden", Auto, "", "", "mcp__git__x(y)", "", Call{Tool: "mcp__git__x"}, Denied},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := h.policy
			p.Mode = tt.mode
			for list, at := range map[string]*[]Rule{tt.allow: &p.Allow, tt.ask: &p.Ask, tt.deny: &p.Deny, tt.session: &p.Session} {
				if list != "" {
					*at = rules(list)
				}
			}
			if got := p.Decide(tt.call); got.Verdict != tt.want {
				t.Errorf("%s (%s), want %s", got.Verdict, got.Reason, tt.want)
			}
		})
	}
}

// What people are offered to allow for the session is what it says, allows the call
// that it was offered for, and nothing beyond.
func TestLike(t *testing.T) {
	h := newHouse(t)
	for _, tt := range []struct {
		call    Call
		want    []string
		others  []Call // are not allowed by it
		allowed []Call
	}{
		{h.bash("go test ./..."), []string{"bash(go test *)"}, []Call{h.bash("go run x"), h.bash("go test; rm x"), h.bash("go testx")}, []Call{h.bash("go test -v ./x")}},
		{h.bash("cd src && go vet ./... && go test ./..."), []string{"bash(go vet *)", "bash(go test *)"}, nil, []Call{h.bash("go vet")}},
		{h.bash("git -c core.pager=x log"), []string{"bash(git -c core.pager=x log)"}, []Call{h.bash("git -c core.pager=y log")}, nil},
		{h.bash("go run ./x"), []string{"bash(go run ./x)"}, []Call{h.bash("go run ./y")}, nil},
		{h.bash("rm 'a*b'"), []string{`bash(rm a\*b)`}, []Call{h.bash("rm 'axb'")}, nil},
		{h.bash("python x.py > y"), nil, nil, nil},
		{h.bash("rm 'a b'"), nil, nil, nil}, // it would look like rm a b
		{h.bash("git commit -m 'a b'"), []string{"bash(git commit *)"}, nil, nil},
		{h.bash("echo $(rm x)"), nil, nil, nil},
		{h.call("write", `{"path":"x","content":""}`), []string{"edit(**)"}, []Call{h.call("write", `{"path":".git/config","content":""}`), h.call("write", `{"path":"../x","content":""}`)},
			[]Call{h.call("edit", `{"path":"src/b.txt","edits":[{"oldText":"b","newText":"c"}]}`)}},
		{h.call("write", `{"path":".git/config","content":""}`), []string{"edit(.git/config)"}, []Call{h.call("write", `{"path":".git/hooks/x","content":""}`)}, nil},
		{h.call("read", `{"path":"../other/secret.txt"}`), []string{"read(" + h.root + "/other/**)"}, []Call{h.call("read", `{"path":"/etc/passwd"}`), h.call("write", `{"path":"../other/x","content":""}`)}, nil},
		{h.call("write", `{"path":"hard.txt","content":""}`), nil, nil, nil},
		{Call{Tool: "mcp__a__b"}, []string{"mcp__a__b"}, []Call{{Tool: "mcp__a__bc"}}, nil},
	} {
		p := h.policy
		p.Mode = Ask
		d := p.Decide(tt.call)
		var got []string
		for _, r := range d.Rules {
			got = append(got, r.String())
		}
		if d.Verdict != Asked || !slices.Equal(got, tt.want) {
			t.Errorf("%s %s: %s, %q, want %q", tt.call.Tool, tt.call.Command, d.Verdict, got, tt.want)
			continue
		}
		for _, s := range got { // as they are read again
			r, err := ParseRule(s)
			if err != nil {
				t.Fatal(err)
			}
			p.Session = append(p.Session, r)
		}
		if len(got) > 0 && p.Decide(tt.call).Verdict != Allowed {
			t.Errorf("%q does not allow %s %s", got, tt.call.Tool, tt.call.Command)
		}
		for _, c := range tt.others {
			if p.Decide(c).Verdict == Allowed {
				t.Errorf("%q allows %s %s %+v", got, c.Tool, c.Command, c.Files)
			}
		}
		for _, c := range tt.allowed {
			if p.Decide(c).Verdict != Allowed {
				t.Errorf("%q does not allow %s %s %+v", got, c.Tool, c.Command, c.Files)
			}
		}
	}
}

func TestParseRule(t *testing.T) {
	for s, want := range map[string]string{
		"bash": "bash", " bash( git status * ) ": "bash(git status *)", "bash(*)": "bash", "write(src/**)": "write(src/**)", "bash(echo (x))": "bash(echo (x))", "mcp__*": "mcp__*",
		"": "", "()": "", "(x)": "", "bash(": "", "bash(x": "", "bash()": "", "ba sh": "", "bash)": "", "write([)": "",
	} {
		r, err := ParseRule(s)
		if err != nil && want != "" || err == nil && r.String() != want {
			t.Errorf("%q: %q, %v", s, r, err)
		}
	}
}

func TestWildcard(t *testing.T) {
	for _, tt := range []struct {
		pattern, text string
		want          bool
	}{
		{"", "", true}, {"", "a", false}, {"*", "", true}, {"*", "a\nb", true}, {"a*", "ba", false}, {"a*b*c", "axxbxxc", true}, {"a*b*c", "axxbxx", false},
		{`a\*`, "a*", true}, {`a\*`, "ab", false}, {"a", "ab", false}, {"**a", "bba", true}, {`\`, `\`, true}, {"a*a", "a", false}, {"ü*", "üb", true},
	} {
		if got := wildcard(tt.pattern, tt.text); got != tt.want {
			t.Errorf("%q %q: %v", tt.pattern, tt.text, got)
		}
	}
}

// Nothing that a model writes takes the decision down, and what cannot be read is
// never taken for harmless.
func FuzzCommand(f *testing.F) {
	for _, s := range []string{"ls", "ls $(x)", "a && b | c", "((((", "\xff", "cat <<E\nx\nE", "${x", "if", "$((1))", "a\\"} {
		f.Add(s)
	}
	p := Policy{Mode: Ask, Dir: "/nowhere", Path: "/bin"}
	f.Fuzz(func(t *testing.T, s string) {
		d := p.Decide(Call{"bash", tool.Effect{Kind: tool.Runs, Command: s, Shell: "sh", Dir: "/nowhere"}})
		if d.Verdict == Allowed && readShell(s).dynamic {
			t.Fatalf("%q is allowed", s)
		}
	})
}
