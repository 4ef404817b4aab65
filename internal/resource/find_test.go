package resource

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/config"
)

// A home is a folder with the files of a user and of a project, named by slash
// paths: agent/..., project/..., .agents/.... A text of "-> x" makes a link to x.
func home(t *testing.T, files map[string]string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if to, ok := strings.CutPrefix(text, "-> "); ok {
			if runtime.GOOS == "windows" {
				t.Skip("links need rights there")
			}
			err = os.Symlink(filepath.Join(root, filepath.FromSlash(to)), path)
		} else {
			err = os.WriteFile(path, []byte(strings.ReplaceAll(text, "ROOT", filepath.ToSlash(root))), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(root, "project"), 0o700); err != nil {
		t.Fatal(err)
	}
	return root
}

// find looks for everything in a home.
func find(t *testing.T, root string, change func(*Options)) (Set, []Problem) {
	t.Helper()
	o := Options{Agent: filepath.Join(root, "agent"), Home: root, Project: filepath.Join(root, "project"), Trusted: true}
	s, _ := config.Load(config.Paths{Agent: o.Agent, Home: root}, o.Project, true)
	o.User, o.Own = EntriesOf(s)
	o.NoSkillCommands = !s.SkillCommands
	if change != nil {
		change(&o)
	}
	return Find(o)
}

// called lists what was found as "name path".
func listed(root string, set Set) []string {
	var out []string
	for _, c := range set.Commands() {
		rel, err := filepath.Rel(root, c.Path)
		if err != nil {
			rel = c.Path
		}
		out = append(out, c.Name+" "+filepath.ToSlash(rel))
	}
	return out
}

const skill = "---\ndescription: d\n---\nbody\n"

func TestFind(t *testing.T) {
	for _, tt := range []struct {
		name   string
		files  map[string]string
		change func(*Options)
		want   []string
		told   []string // parts of the problems, in order
	}{
		{name: "nothing"},
		{name: "a skill is a folder with SKILL.md, at any depth",
			files: map[string]string{"agent/skills/a/SKILL.md": skill, "agent/skills/x/y/b/SKILL.md": skill, "agent/skills/x/y/notes.txt": "n"},
			want:  []string{"skill:a agent/skills/a/SKILL.md", "skill:b agent/skills/x/y/b/SKILL.md"}},
		{name: "the search stops at a skill",
			files: map[string]string{"agent/skills/a/SKILL.md": skill, "agent/skills/a/inner/SKILL.md": skill},
			want:  []string{"skill:a agent/skills/a/SKILL.md"}},
		{name: "a folder called SKILL.md is no skill",
			files: map[string]string{"agent/skills/a/SKILL.md/b/SKILL.md": skill},
			want:  []string{"skill:b agent/skills/a/SKILL.md/b/SKILL.md"}},
		{name: "single files count at the top of a folder of pi",
			files: map[string]string{"agent/skills/a.md": skill, "agent/skills/x/b.md": skill, "agent/skills/README.md": "read me"},
			want:  []string{"skill:a agent/skills/a.md"}},
		{name: "and below the top of .agents",
			files: map[string]string{".agents/skills/a.md": skill, ".agents/skills/x/b.md": skill},
			want:  []string{"skill:b .agents/skills/x/b.md"}},
		{name: "dot folders and node_modules are passed over",
			files: map[string]string{"agent/skills/.x/SKILL.md": skill, "agent/skills/node_modules/y/SKILL.md": skill, "agent/prompts/.z.md": "z"}},
		{name: "ignore files are obeyed, the innermost first",
			files: map[string]string{"agent/skills/.gitignore": "a/\nx/**\n", "agent/skills/a/SKILL.md": skill, "agent/skills/x/.ignore": "!b/\n", "agent/skills/x/b/SKILL.md": skill,
				"agent/skills/x/c/SKILL.md": skill, "agent/skills/d/SKILL.md": skill, "agent/skills/.fdignore": "/d", "agent/prompts/.gitignore": "\ufeff*.md\n!k.md", "agent/prompts/p.md": "p", "agent/prompts/k.md": "k"},
			want: []string{"k agent/prompts/k.md", "skill:b agent/skills/x/b/SKILL.md"}},
		{name: "links are followed, each file counts once",
			files: map[string]string{"else/a/SKILL.md": skill, "agent/skills/l": "-> else/a", "agent/skills/m": "-> else/a", "else/p.md": "p", "agent/prompts/q.md": "-> else/p.md",
				"agent/skills/f/SKILL.md": "-> else/a/SKILL.md"},
			want: []string{"q agent/prompts/q.md", "skill:f agent/skills/f/SKILL.md"}},
		{name: "links that lead back or nowhere",
			files: map[string]string{"agent/skills/a/SKILL.md": skill, "agent/skills/up": "-> agent", "agent/skills/self": "-> agent/skills", "agent/skills/gone": "-> nowhere", "agent/skills/g/SKILL.md": "-> nowhere"},
			want:  []string{"skill:a agent/skills/a/SKILL.md"}},
		{name: "who goes first",
			files: map[string]string{"agent/skills/s/SKILL.md": skill, ".agents/skills/s/SKILL.md": skill, "project/.pi/skills/s/SKILL.md": skill, "project/.agents/skills/s/SKILL.md": skill, ".agents/skills/u/SKILL.md": skill, "agent/skills/u/SKILL.md": skill,
				"agent/prompts/p.md": "u", "project/.pi/prompts/p.md": "p"},
			want: []string{"p project/.pi/prompts/p.md", "skill:s project/.pi/skills/s/SKILL.md", "skill:u agent/skills/u/SKILL.md"},
			told: []string{`project/.agents/skills/s/SKILL.md: not used: the skill "s"`, `agent/skills/s/SKILL.md: not used`, `.agents/skills/s/SKILL.md: not used`, `.agents/skills/u/SKILL.md: not used`, `agent/prompts/p.md: not used: the template "p"`}},
		{name: "settings go before folders, the command line before both, packages last",
			files: map[string]string{"agent/settings.json": `{"skills":["../mine"],"packages":["../pack"]}`, "mine/s/SKILL.md": skill, "agent/skills/s/SKILL.md": skill, "agent/skills/t/SKILL.md": skill,
				"pack/skills/t/SKILL.md": skill, "pack/skills/v/SKILL.md": skill, "cl/t/SKILL.md": skill},
			change: func(o *Options) { o.Skills = []string{filepath.Join(o.Home, "cl", "t")} },
			want:   []string{"skill:t cl/t/SKILL.md", "skill:s mine/s/SKILL.md", "skill:v pack/skills/v/SKILL.md"},
			told:   []string{"agent/skills/s/SKILL.md: not used", "agent/skills/t/SKILL.md: not used", "pack/skills/t/SKILL.md: not used"}},
		{name: "a project that is not trusted has nothing",
			files:  map[string]string{"project/.pi/skills/s/SKILL.md": skill, "project/.agents/skills/t/SKILL.md": skill, "project/.pi/prompts/p.md": "p", "project/.pi/settings.json": `{"skills":["x"]}`, "agent/skills/u/SKILL.md": skill},
			change: func(o *Options) { o.Trusted = false },
			want:   []string{"skill:u agent/skills/u/SKILL.md"}},
		{name: ".agents of the folders above, up to the repository",
			files: map[string]string{"above/.agents/skills/no/SKILL.md": skill, "above/repo/.git/HEAD": "", "above/repo/.agents/skills/r/SKILL.md": skill, "above/repo/sub/.agents/skills/s/SKILL.md": skill,
				"above/repo/.pi/skills/x/SKILL.md": skill},
			change: func(o *Options) { o.Project = filepath.Join(o.Home, "above", "repo", "sub") },
			want:   []string{"skill:s above/repo/sub/.agents/skills/s/SKILL.md", "skill:r above/repo/.agents/skills/r/SKILL.md"}},
		{name: "switched off, but for what is named",
			files: map[string]string{"agent/skills/s/SKILL.md": skill, "agent/prompts/p.md": "p", "x.md": "x", "agent/settings.json": `{"prompts":["../x.md"]}`, "y.md": "y"},
			change: func(o *Options) {
				o.NoSkills, o.NoPrompts, o.Prompts = true, true, []string{filepath.Join(o.Home, "y.md")}
			},
			want: []string{"y y.md"}},
		{name: "templates deeper down only by settings",
			files: map[string]string{"agent/prompts/a.md": "a", "agent/prompts/x/b.md": "b", "agent/prompts/c.txt": "c", "more/y/d.md": "d", "agent/settings.json": `{"prompts":["~/more"]}`},
			want:  []string{"d more/y/d.md", "a agent/prompts/a.md"}},
		{name: "entries that switch",
			files: map[string]string{"agent/settings.json": `{"skills":["../mine","!**/old/**","+skills/old/keep","-skills/off","-../mine/b/SKILL.md"],"prompts":["-prompts/p.md","!q*"]}`,
				"mine/a/SKILL.md": skill, "mine/b/SKILL.md": skill, "agent/skills/old/x/SKILL.md": skill, "agent/skills/old/keep/SKILL.md": skill, "agent/skills/off/SKILL.md": skill, "agent/skills/on/SKILL.md": skill,
				"agent/prompts/p.md": "p", "agent/prompts/q1.md": "q", "agent/prompts/r.md": "r"},
			want: []string{"r agent/prompts/r.md", "skill:a mine/a/SKILL.md", "skill:keep agent/skills/old/keep/SKILL.md", "skill:on agent/skills/on/SKILL.md"}},
		{name: "entries that are globs",
			files: map[string]string{"agent/settings.json": `{"prompts":["../t/*/x-*.md"],"skills":["../k/*"]}`, "t/1/x-a.md": "a", "t/1/y.md": "y", "t/2/x-b.md": "b", "k/a/SKILL.md": skill, "k/b/SKILL.md": skill},
			want:  []string{"x-a t/1/x-a.md", "x-b t/2/x-b.md", "skill:a k/a/SKILL.md", "skill:b k/b/SKILL.md"}},
		{name: "places that are wrong",
			files:  map[string]string{"agent/settings.json": `{"skills":["gone",7,""],"prompts":"x","packages":[{"source":3},"npm:@a/b@1","npm:../../../etc"],"enableSkillCommands":"no"}`, "t.txt": "x", "empty/x": ""},
			change: func(o *Options) { o.Prompts = []string{filepath.Join(o.Home, "t.txt"), filepath.Join(o.Home, "empty")} },
			told:   []string{"npm:@a/b@1: this package is not installed", "npm:../../../etc: this package is not installed", "agent/gone: skills of the user's settings", "t.txt: --prompt-template: a .md file is wanted", "empty: --prompt-template: there is none in this folder"}},
		{name: "skills that are faulty",
			files: map[string]string{"agent/skills/a/SKILL.md": "no front", "agent/skills/b/SKILL.md": "---\nname: b\n---\n", "agent/skills/C_d/SKILL.md": skill, "agent/skills/e/SKILL.md": "---\nname: " + strings.Repeat("e", 65) + "\ndescription: " + strings.Repeat("é", 1025) + "\n---\n",
				"agent/skills/f/SKILL.md": "---\nname: -f--f\ndescription: d: d\n---\n"},
			want: []string{"skill:C_d agent/skills/C_d/SKILL.md", "skill:" + strings.Repeat("e", 65) + " agent/skills/e/SKILL.md", "skill:-f--f agent/skills/f/SKILL.md"},
			told: []string{`"C_d", should have only`, "a/SKILL.md: this skill is left out: it needs a description", "b/SKILL.md: this skill is left out", "is longer than 64", "longer than 1024", "line by line", "single hyphens"}},
		{name: "skills without commands",
			files: map[string]string{"agent/settings.json": `{"skills":{"customDirectories":["../mine"],"enableSkillCommands":false}}`, "mine/s/SKILL.md": skill, "agent/prompts/p.md": "p"},
			want:  []string{"p agent/prompts/p.md"}},
		{name: "packages: folders of the usual names, npm, git, local",
			files: map[string]string{"agent/settings.json": `{"packages":["npm:@a/b@1.2","git:github.com/c/d@v1","https://host.example/e/f.git","git:git@gitlab.com:g/h","../local"]}`,
				"agent/npm/node_modules/@a/b/skills/n/SKILL.md": skill, "agent/git/github.com/c/d/prompts/x/g.md": "g", "agent/git/host.example/e/f/skills/u/SKILL.md": skill, "agent/git/gitlab.com/g/h/skills/h/SKILL.md": skill, "local/prompts/l.md": "l"},
			want: []string{"g agent/git/github.com/c/d/prompts/x/g.md", "l local/prompts/l.md", "skill:n agent/npm/node_modules/@a/b/skills/n/SKILL.md", "skill:u agent/git/host.example/e/f/skills/u/SKILL.md", "skill:h agent/git/gitlab.com/g/h/skills/h/SKILL.md"}},
		{name: "packages: what package.json says",
			files: map[string]string{"agent/settings.json": `{"packages":["../p"]}`, "p/package.json": `{"pi":{"skills":["./res"],"prompts":["pr/*.md","!**/no.md","../secret.md"]}}`,
				"p/res/r/SKILL.md": skill, "p/skills/not/SKILL.md": skill, "p/pr/yes.md": "y", "p/pr/no.md": "n", "secret.md": "s"},
			want: []string{"yes p/pr/yes.md", "skill:r p/res/r/SKILL.md"}, told: []string{"prompts of its package.json leads out of the package: ../secret.md"}},
		{name: "packages: filters",
			files: map[string]string{"agent/settings.json": `{"packages":[{"source":"../p","skills":["skills/a","+skills/b"],"prompts":[]},{"source":"../q","skills":["!**/a/**","-skills/b"]}]}`,
				"p/skills/a/SKILL.md": skill, "p/skills/b/SKILL.md": skill, "p/skills/c/SKILL.md": skill, "p/prompts/x.md": "x", "q/skills/a/SKILL.md": skill, "q/skills/b/SKILL.md": skill, "q/skills/z/SKILL.md": skill},
			want: []string{"skill:a p/skills/a/SKILL.md", "skill:b p/skills/b/SKILL.md", "skill:z q/skills/z/SKILL.md"}},
		{name: "packages: the project's entry replaces the user's",
			files: map[string]string{"agent/settings.json": `{"packages":["npm:x@1","npm:y"]}`, "project/.pi/settings.json": `{"packages":["npm:x@2",{"source":"npm:y","autoload":false,"skills":["-skills/b"]}]}`,
				"agent/npm/node_modules/x/skills/u/SKILL.md": skill, "project/.pi/npm/node_modules/x/skills/p/SKILL.md": skill, "agent/npm/node_modules/y/skills/a/SKILL.md": skill, "agent/npm/node_modules/y/skills/b/SKILL.md": skill},
			want: []string{"skill:p project/.pi/npm/node_modules/x/skills/p/SKILL.md", "skill:a agent/npm/node_modules/y/skills/a/SKILL.md"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root := home(t, tt.files)
			set, problems := find(t, root, tt.change)
			if got := listed(root, set); !slices.Equal(got, tt.want) {
				t.Errorf("found\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(tt.want, "\n  "))
			}
			ok := len(problems) == len(tt.told)
			for i := range tt.told {
				ok = ok && strings.Contains(filepath.ToSlash(problems[i].String()), tt.told[i])
			}
			if !ok {
				t.Errorf("told %q, want %q", problems, tt.told)
			}
		})
	}
}

func TestNamed(t *testing.T) {
	root := home(t, map[string]string{"project/.pi/settings.json": `{"skills":["../own","../gone","!x","-skills/y"],"prompts":["../t/*.md","~/mine"],"extensions":["../ext"],"packages":["npm:a","npm:none","../own"]}`,
		"project/own/x": "", "project/t/a.md": "", "mine/x": "", "project/ext/x": "", "project/.pi/npm/node_modules/a/x": ""})
	s, _ := config.Load(config.Paths{Agent: filepath.Join(root, "agent"), Home: root}, filepath.Join(root, "project"), true)
	_, own := EntriesOf(s)
	var got []string
	for _, p := range Named(Options{Home: root, Project: filepath.Join(root, "project"), Own: own}) {
		got = append(got, filepath.ToSlash(strings.TrimPrefix(p, root)))
	}
	if want := []string{"/project/own", "/project/t", "/mine", "/project/.pi/npm/node_modules/a"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Nesting costs no more than its length.
func TestDeepFront(t *testing.T) {
	for _, open := range []string{"[", "{a: ", "- ", "? ", "&a [*a, "} {
		root := home(t, map[string]string{"agent/prompts/p.md": "---\nx: " + strings.Repeat(open, 10000) + "\ndescription: d\n---\nbody"})
		if set, _ := find(t, root, nil); len(set.Templates) != 1 {
			t.Errorf("%s: %d templates", open, len(set.Templates))
		}
	}
}

func TestFindFiles(t *testing.T) {
	root := home(t, map[string]string{"agent/extensions/a.ts": "", "agent/extensions/b/index.ts": "", "agent/extensions/c.txt": "", "project/.pi/extensions/a.ts": "", "agent/themes/dark.json": "{}",
		"project/.pi/themes/dark.json": "{}", "agent/themes/x.txt": "", "agent/settings.json": `{"extensions":["../e.js","builtin:mcp"]}`, "e.js": ""})
	set, problems := find(t, root, nil)
	var got []string
	for _, f := range slices.Concat(set.Extensions, set.Themes) {
		rel, err := filepath.Rel(root, f.Path)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, filepath.ToSlash(rel))
	}
	want := []string{"project/.pi/extensions/a.ts", "e.js", "agent/extensions/a.ts", "agent/extensions/b", "project/.pi/themes/dark.json"}
	if !slices.Equal(got, want) || len(problems) != 1 || !problems[0].Clash {
		t.Errorf("found %q, want %q; told %q", got, want, problems)
	}
}

func TestFindReadsNoDevices(t *testing.T) {
	root := home(t, map[string]string{"agent/prompts/p.md": "p"})
	if err := os.Symlink("/dev/zero", filepath.Join(root, "agent", "prompts", "z.md")); err != nil {
		t.Skip(err)
	}
	set, _ := find(t, root, func(o *Options) { o.Prompts = []string{"/dev/zero", filepath.Join(root, "agent", "prompts", "z.md")} })
	if got := listed(root, set); !slices.Equal(got, []string{"p agent/prompts/p.md"}) {
		t.Errorf("found %q", got)
	}
}

func TestManyFolders(t *testing.T) {
	root := home(t, map[string]string{"agent/skills/a/SKILL.md": skill, "agent/skills/z/1/x": "", "agent/skills/z/2/x": "", "agent/skills/z/3/SKILL.md": skill})
	f := finder{o: Options{Agent: filepath.Join(root, "agent"), Home: root}, maxFolders: 3}
	set, problems := f.find()
	if len(set.Skills) != 1 || len(problems) != 1 || !strings.Contains(problems[0].Message, "more than 3 folders") {
		t.Errorf("%d skills, told %q", len(set.Skills), problems)
	}
	f = finder{o: Options{Agent: filepath.Join(root, "agent"), Home: root}, maxFolders: 5} // all
	if set, problems := f.find(); len(set.Skills) != 2 || len(problems) > 0 {
		t.Errorf("%d skills, told %q", len(set.Skills), problems)
	}
}

// get_commands has pi's fields.
func TestCommandJSON(t *testing.T) {
	root := home(t, map[string]string{"agent/prompts/p.md": "---\nargument-hint: <x>\n---\nSay $1", "agent/settings.json": `{"packages":["../q"]}`, "q/skills/s/SKILL.md": skill})
	set, _ := find(t, root, nil)
	b, err := json.Marshal(set.Commands())
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"name":"p","description":"Say $1","argumentHint":"<x>","source":"prompt","sourceInfo":{"path":"ROOT/agent/prompts/p.md","source":"auto","scope":"user","origin":"top-level","baseDir":"ROOT/agent"}},` +
		`{"name":"skill:s","description":"d","source":"skill","sourceInfo":{"path":"ROOT/q/skills/s/SKILL.md","source":"../q","scope":"user","origin":"package","baseDir":"ROOT/q"}}]`
	if got := strings.NewReplacer(root, "ROOT").Replace(string(b)); got != strings.ReplaceAll(want, `<x>`, `\u003cx\u003e`) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestExpand(t *testing.T) {
	root := home(t, map[string]string{
		"agent/skills/s/SKILL.md":    "---\ndescription: d\n---\n\nDo it.\r\nThen rest.\n\n",
		"agent/skills/odd/SKILL.md":  "---\nname: My \"Skill\"\ndescription: d\n---\nodd",
		"agent/prompts/t.md":         "---\ndescription: d\n---\n\n[$1] [$@]\n",
		"agent/prompts/two words.md": "two: $1",
		"agent/prompts/two.md":       "one: $1",
		"agent/prompts/empty.md":     "---\ndescription: d\n---\n \n",
		"agent/prompts/arg.md":       "$@",
		"agent/prompts/gone.md":      "x",
	})
	set, _ := find(t, root, nil)
	if err := os.Remove(filepath.Join(root, "agent", "prompts", "gone.md")); err != nil {
		t.Fatal(err)
	}
	frame := func(name, dir, body string) string {
		return `<skill name="` + name + `" location="ROOT/agent/skills/` + dir + `/SKILL.md">` + "\nRelative paths here start at ROOT/agent/skills/" + dir + ".\n\n" + body + "\n</skill>"
	}
	for _, tt := range []struct{ line, want, err string }{
		{"hello", "-", ""},
		{" /t a", "-", ""},
		{"/nosuch a", "-", ""},
		{"/tt", "-", ""},
		{"/", "-", ""},
		{"/t", "[] []", ""},
		{"/t a \"b c\"", "[a] [a b c]", ""},
		{"/t\ta", "[a] [a]", ""},
		{"/t\na\nb", "[a] [a b]", ""},
		{"/prompt:t x", "[x] [x]", ""},
		{"/prompt:nosuch x", "", `no prompt template "nosuch"; there are /arg`},
		{"/two words", "two:", ""},
		{"/two words x", "two: x", ""},
		{"/two wordsx", "one: wordsx", ""},
		{"/empty", "", "comes to no text"},
		{"/arg", "", "comes to no text"},
		{"/arg /t x", "/t x", ""},
		{"/gone", "", "cannot be read"},
		{"/skill:s", frame("s", "s", "Do it.\nThen rest."), ""},
		{"/skill:s  now \"$1\" ", frame("s", "s", "Do it.\nThen rest.") + "\n\nnow \"$1\"", ""},
		{"/skill:s\nnow", frame("s", "s", "Do it.\nThen rest.") + "\n\nnow", ""},
		{"/skill:My \"Skill\" x", frame("My &quot;Skill&quot;", "odd", "odd") + "\n\nx", ""},
		{"/skill:nosuch x", "", `no skill "nosuch"; there are /skill:My "Skill", /skill:s`},
		{"/skill:", "", "no skill"},
		{"/skill", "-", ""},
	} {
		t.Run(tt.line, func(t *testing.T) {
			got, ok, err := set.Expand(tt.line)
			if !ok {
				got = "-"
			}
			if want := strings.ReplaceAll(tt.want, "ROOT", root); tt.err == "" && (got != want || err != nil) {
				t.Errorf("got %q, %v; want %q", got, err, want)
			}
			if tt.err != "" && (err == nil || got != "" || !strings.Contains(err.Error(), tt.err)) {
				t.Errorf("got %q, %v; want the error %s", got, err, tt.err)
			}
		})
	}
	if _, _, err := (Set{}).Expand("/skill:x"); err == nil || !strings.Contains(err.Error(), "bough list") {
		t.Errorf("without skills: %v", err)
	}
	shadowed := set.Shadowed(func(name string) bool { return name == "t" })
	if len(shadowed) != 1 || !strings.Contains(shadowed[0].Message, "/prompt:t") {
		t.Errorf("shadowed: %q", shadowed)
	}
}

func TestLongTextIsNotSent(t *testing.T) {
	root := home(t, map[string]string{"agent/prompts/big.md": strings.Repeat("x", maxText+1)})
	set, _ := find(t, root, nil)
	if _, ok, err := set.Expand("/big"); !ok || err == nil || !strings.Contains(err.Error(), "longer than 1024 KB") {
		t.Errorf("%v %v", ok, err)
	}
}

func BenchmarkFind200(b *testing.B) {
	root := b.TempDir()
	for i := range 200 {
		dir := filepath.Join(root, "agent", "skills", "skill-"+string(rune('a'+i%26))+string(rune('a'+i/26)))
		if err := os.MkdirAll(dir, 0o700); err != nil {
			b.Fatal(err)
		}
		text := "---\nname: " + filepath.Base(dir) + "\ndescription: Extract text and tables from files. Use when reading, converting or inspecting them.\n---\n" + strings.Repeat("words of a body\n", 500)
		if err := os.WriteFile(filepath.Join(dir, skillFile), []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	o := Options{Agent: filepath.Join(root, "agent"), Home: root, Project: filepath.Join(root, "project"), Trusted: true}
	for b.Loop() {
		if set, _ := Find(o); len(set.Skills) != 200 {
			b.Fatal(len(set.Skills))
		}
	}
}

func BenchmarkFindNothing(b *testing.B) {
	root := b.TempDir()
	o := Options{Agent: filepath.Join(root, "agent"), Home: root, Project: filepath.Join(root, "project"), Trusted: true}
	for b.Loop() {
		Find(o)
	}
}
