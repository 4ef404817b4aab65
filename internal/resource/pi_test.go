package resource

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// piCommands asks pi which templates and skills it has: NODE24=… PI_DIST=… (the
// dist folder of the installed package) go test ./internal/resource.
func piCommands(t *testing.T, root string, args ...string) []string {
	t.Helper()
	node, dist := os.Getenv("NODE24"), os.Getenv("PI_DIST")
	if node == "" || dist == "" {
		t.Skip("set NODE24 (a node of version 22 or later) and PI_DIST (the dist folder of the installed package)")
	}
	words := append(strings.Fields(node), filepath.Join(dist, "cli.js"), "--mode", "rpc", "--no-session")
	cmd := exec.CommandContext(t.Context(), words[0], append(words[1:], args...)...)
	cmd.Dir = filepath.Join(root, "project")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + root, "PI_CODING_AGENT_DIR=" + filepath.Join(root, "agent"), "PI_OFFLINE=1", "PI_SKIP_VERSION_CHECK=1", "PI_TELEMETRY=0"}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(in, `{"type":"get_commands","id":"1"}`+"\n"); err != nil {
		t.Fatal(err)
	}
	var list []string
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var rec struct {
			Command string
			Data    struct {
				Commands []struct {
					Name, Source string
					SourceInfo   struct{ Path string }
				}
			}
		}
		if json.Unmarshal(lines.Bytes(), &rec) != nil || rec.Command != "get_commands" {
			continue
		}
		for _, c := range rec.Data.Commands {
			if c.Source == "extension" {
				continue
			}
			rel, err := filepath.Rel(root, c.SourceInfo.Path)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, c.Name+" "+filepath.ToSlash(rel))
		}
		break
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // how it ends does not matter
	return list
}

// bough finds what pi finds, in the same order, but for what is told below.
func TestAsPi(t *testing.T) {
	files := map[string]string{
		"agent/skills/one/SKILL.md": skill, ".agents/skills/one/SKILL.md": skill, "project/.pi/skills/one/SKILL.md": skill, "agent/skills/deep/er/two/SKILL.md": skill, "agent/skills/two/inner/SKILL.md": skill,
		"agent/skills/nodesc/SKILL.md": "---\nname: nodesc\n---\nbody", "agent/skills/Odd_Name/SKILL.md": skill, "agent/skills/.hidden/SKILL.md": skill, "agent/skills/node_modules/m/SKILL.md": skill,
		"agent/skills/bom/SKILL.md": "\ufeff---\r\nname: bom\r\ndescription: d\r\n---\r\nbody", "agent/skills/named/SKILL.md": "---\nname: other\ndescription: d\n---\n",
		"agent/skills/dis/SKILL.md": "---\ndescription: d\ndisable-model-invocation: true\n---\n", "agent/skills/top.md": "---\nname: top\ndescription: d\n---\n", "agent/skills/x/below.md": skill,
		".agents/skills/top2.md": skill, ".agents/skills/y/below2.md": "---\nname: below2\ndescription: d\n---\n", "project/.agents/skills/pa/SKILL.md": skill,
		"agent/skills/ig/.gitignore": "out\n", "agent/skills/ig/out/SKILL.md": skill, "agent/skills/ig/in/SKILL.md": skill, "agent/skills/fd/SKILL.md": skill, "agent/skills/.fdignore": "fd/\n",
		"else/linked/SKILL.md": skill, "agent/skills/lnk": "-> else/linked", "agent/skills/lnk2": "-> else/linked",
		"agent/prompts/p.md": "p", "project/.pi/prompts/p.md": "p", "agent/prompts/q.md": "q", "agent/prompts/n/nested.md": "n", "agent/prompts/.dot.md": "d", "agent/prompts/x.txt": "x", "agent/prompts/z.MD": "z",
		"agent/prompts/off.md": "off", "mine/m1/SKILL.md": skill, "mine/one/SKILL.md": skill, "mine/c/m3/SKILL.md": skill, "tpl/deep/d.md": "d", "agent/skills/off/SKILL.md": skill,
		"pk/skills/k1/SKILL.md": skill, "pk/prompts/nest/kn.md": "k", "pk/package.json": `{"name":"pk"}`, "pm/package.json": `{"name":"pm","pi":{"skills":["./res"],"prompts":["./pr/*.md","!**/p2.md"]}}`,
		"pm/res/r1/SKILL.md": skill, "pm/skills/not/SKILL.md": skill, "pm/pr/p1.md": "1", "pm/pr/p2.md": "2",
		"agent/npm/node_modules/@a/b/skills/npm1/SKILL.md": skill, "agent/npm/node_modules/@a/b/package.json": `{"name":"@a/b","version":"1.0.0"}`,
		"agent/git/github.com/c/d/skills/git1/SKILL.md": skill, "agent/git/github.com/c/d/package.json": `{"name":"d"}`,
		"agent/settings.json":       `{"skills":["ROOT/mine","!**/c/**","-skills/off"],"prompts":["../tpl","-prompts/off.md"],"packages":["../pk",{"source":"../pm","prompts":[]},"npm:@a/b@1.0.0","git:github.com/c/d@v1"]}`,
		"project/own/o1/SKILL.md":   skill,
		"project/.pi/settings.json": `{"skills":["../own"]}`,
	}
	for _, tt := range []struct {
		name   string
		args   []string
		change func(*Options)
	}{
		{"trusted", []string{"-a"}, nil},
		{"not trusted", []string{"-na"}, func(o *Options) { o.Trusted = false }},
		{"switched off", []string{"-a", "-ns", "-np"}, func(o *Options) { o.NoSkills, o.NoPrompts = true, true }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root := home(t, files)
			pi := piCommands(t, root, tt.args...)
			set, _ := find(t, root, tt.change)
			if got := listed(root, set); !slices.Equal(got, pi) {
				t.Errorf("found\n  %s\npi found\n  %s", strings.Join(got, "\n  "), strings.Join(pi, "\n  "))
			}
		})
	}
}
