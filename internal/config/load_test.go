package config

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/boughdev/bough/internal/pifile"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// load reads a user's and a project's settings; "" is no file. The problems are
// without the folder.
func load(t *testing.T, user, project string, trusted bool) (Settings, []string) {
	t.Helper()
	root := t.TempDir()
	p := Paths{Home: root, Agent: filepath.Join(root, "agent")}
	dir := filepath.Join(root, "project")
	if user != "" {
		write(t, p.SettingsFile(), user)
	}
	if project != "" {
		write(t, ProjectSettings(dir), project)
	}
	s, problems := Load(p, dir, trusted)
	var told []string
	for _, p := range problems {
		told = append(told, strings.ReplaceAll(p.String(), root+string(filepath.Separator), ""))
	}
	return s, told
}

func TestLoad(t *testing.T) {
	num := func(n int64) *int64 { return &n }
	for _, tt := range []struct {
		name          string
		user, project string
		want          func(*Settings)
		problems      []string
	}{
		{"no files", "", "", func(*Settings) {}, nil},
		{"an empty file", " \n", "", func(*Settings) {}, nil},
		{"a byte order mark", "\ufeff{\"defaultModel\":\"m\"}", "", func(s *Settings) { s.DefaultModel = "m" }, nil},
		{"the project over the user, key by key", `{"defaultModel":"a","compaction":{"enabled":false,"reserveTokens":1}}`,
			`{"defaultModel":"b","compaction":{"reserveTokens":2}}`, func(s *Settings) {
				s.DefaultModel, s.Compaction.Enabled, s.Compaction.ReserveTokens = "b", false, 2
			}, nil},
		{"maps are joined, lists replaced", `{"modelThinkingLevels":{"a/b.c":"low","a/d":"off"},"enabledModels":["x","y"]}`,
			`{"modelThinkingLevels":{"a/d":"high"},"enabledModels":["z"]}`, func(s *Settings) {
				s.ModelThinkingLevels = map[string]string{"a/b.c": "low", "a/d": "high"}
				s.EnabledModels = []string{"z"}
			}, nil},
		{"null is a value", `{"defaultThinkingLevel":"low","compaction":{"enabled":false},"enabledModels":["x"],"bough":{"maxTurns":3}}`,
			`{"defaultThinkingLevel":null,"compaction":null,"enabledModels":null,"bough":null}`, func(*Settings) {}, nil},
		{"tools are changed by signs", `{"defaultTools":["+grep","-bash"]}`, `{"defaultTools":["+ls"]}`,
			func(s *Settings) { s.DefaultTools = []string{"read", "edit", "write", "grep", "ls"} }, nil},
		{"a wrong type costs only that key", "{\n\"defaultModel\": 5,\n\"compaction\": {\n\"enabled\": \"no\", \"reserveTokens\": 7}}", "",
			func(s *Settings) { s.Compaction.ReserveTokens = 7 },
			[]string{"agent/settings.json:2: defaultModel: wants a text, not such a number; ignored",
				"agent/settings.json:4: compaction.enabled: wants true or false, not a text; ignored"}},
		{"an object of a wrong type is told once", `{"compaction": true, "retry": {"provider": 3, "maxRetries": 9}}`, "",
			func(s *Settings) { s.Retry.MaxRetries = 9 },
			[]string{"agent/settings.json:1: compaction: wants an object, not true or false; ignored",
				"agent/settings.json:1: retry.provider: wants an object, not such a number; ignored"}},
		{"numbers out of range are moved into it", `{"compaction":{"reserveTokens":-5,"keepRecentTokens":1.5},"retry":{"baseDelayMs":1e30}}`, "",
			func(s *Settings) { s.Compaction.ReserveTokens, s.Retry.BaseDelay = 0, 365*24*time.Hour },
			[]string{"agent/settings.json:1: compaction.reserveTokens: below 0; 0 is used",
				"agent/settings.json:1: compaction.keepRecentTokens: wants a whole number, not such a number; ignored",
				"agent/settings.json:1: retry.baseDelayMs: too long; a year is used"}},
		{"a word that there is not gives the default", `{"steeringMode":"all"}`, `{"steeringMode":"some"}`, func(*Settings) {},
			[]string{`project/.pi/settings.json:1: steeringMode: "some" is none of all, one-at-a-time; the default is used`}},
		{"in a map it costs its entry", `{"modelThinkingLevels":{"a":"some","b":"low"}}`, "",
			func(s *Settings) { s.ModelThinkingLevels = map[string]string{"b": "low"} },
			[]string{`agent/settings.json:1: modelThinkingLevels.a: "some" is none of off, minimal, low, medium, high, xhigh, max; the default is used`}},
		{"a list loses what is no text", `{"enabledModels":["a",1]}`, "", func(s *Settings) { s.EnabledModels = []string{"a"} },
			[]string{"agent/settings.json:1: enabledModels: has an element that is no text; it was left out"}},
		{"old keys", `{"queueMode":"all","retry":{"maxDelayMs":5}}`, "",
			func(s *Settings) { s.SteeringMode, s.Retry.ProviderMaxDelay = "all", 5*time.Millisecond }, nil},
		{"new keys win over old ones", `{"steeringMode":"one-at-a-time","queueMode":"all"}`, "", func(*Settings) {}, nil},
		{"what only the user may set", "", `{"defaultProjectTrust":"always","httpProxy":"http://x"}`, func(*Settings) {},
			[]string{"project/.pi/settings.json:1: defaultProjectTrust: counts only in the user's settings; ignored",
				"project/.pi/settings.json:1: httpProxy: counts only in the user's settings; ignored"}},
		{"a broken user file gives the defaults", "{\n\"defaultModel\": \"m\",\n}", `{"defaultModel":"p"}`, func(s *Settings) { s.DefaultModel = "p" },
			[]string{"agent/settings.json:3: is no JSON object; nothing in it is used"}},
		{"a broken project file is passed over", `{"defaultModel":"m"}`, `[]`, func(s *Settings) { s.DefaultModel = "m" },
			[]string{"project/.pi/settings.json: is no JSON object; nothing in it is used"}},
		{"no timeout", `{"httpIdleTimeoutMs":"disabled"}`, "", func(s *Settings) { s.HTTPIdleTimeout = 0 }, nil},
		{"models with their own compaction", `{"compaction":{"modelOverrides":{"a/b":{"reserveTokens":1},"a/c":{"reserveTokens":"x"},"a/d":7}}}`,
			`{"compaction":{"modelOverrides":{"a/b":{"keepRecentTokens":2}}}}`, func(s *Settings) {
				s.Compaction.Models = map[string]CompactionTokens{"a/b": {num(1), num(2)}, "a/c": {}, "a/d": {}}
			}, []string{"agent/settings.json:1: compaction.modelOverrides.a/c.reserveTokens: wants a number, not a text; ignored",
				"agent/settings.json:1: compaction.modelOverrides.a/d: wants an object, not such a number; ignored"}},
		{"bough's own", `{"bough":{"bash":{"defaultTimeout":1.5},"maxTurns":0,"sync":"off","continueOnStart":true,"keepForeignPrompt":true,"contextFiles":"ask","trustRecheck":false,"later":1}}`, "",
			func(s *Settings) {
				s.Bough = Own{BashTimeout: 1500 * time.Millisecond, MaxTurns: num(0), Sync: "off", ContinueOnStart: true, AutoTitle: "local", Hangup: "stop", PromptHistory: true, TreeEnter: "go", Lang: "auto", KeepForeignPrompt: true, ContextFiles: "ask", Permissions: Permissions{Mode: "auto"}}
			}, nil},
		{"a project may be stricter", `{"bough":{"permissionMode":"auto-edit","permissions":{"allow":["bash(ls)"],"deny":["a"],"ask":["b"]}}}`,
			`{"bough":{"permissionMode":"ask","permissions":{"deny":["c"],"ask":["d"]}}}`,
			func(s *Settings) {
				s.Bough.Permissions = Permissions{Mode: "ask", Allow: []string{"bash(ls)"}, Deny: []string{"a", "c"}, Ask: []string{"b", "d"}}
			}, nil},
		{"but not freer", `{"bough":{"permissionMode":"ask","permissions":{"deny":["a"]}}}`, `{"bough":{"permissionMode":"auto","permissions":{"allow":["bash"],"deny":null,"ask":null}}}`,
			func(s *Settings) { s.Bough.Permissions = Permissions{Mode: "ask", Deny: []string{"a"}} },
			[]string{"project/.pi/settings.json:1: bough.permissionMode: a project cannot make it freer; ignored",
				"project/.pi/settings.json:1: bough.permissions.allow: counts only in the user's settings; ignored"}},
		{"nor by saying nothing", `{"bough":{"permissionMode":"read-only","permissions":{"deny":["a"]}}}`, `{"bough":null}`,
			func(s *Settings) { s.Bough.Permissions = Permissions{Mode: "read-only", Deny: []string{"a"}} }, nil},
		{"a mode that there is not frees nobody", `{"bough":{"permissionMode":"asks"}}`, `{"bough":{"permissionMode":7}}`,
			func(s *Settings) { s.Bough.Permissions.Mode = "ask" },
			[]string{`agent/settings.json:1: bough.permissionMode: "asks" is none of auto, auto-edit, ask, read-only; ask is used`,
				"project/.pi/settings.json:1: bough.permissionMode: 7 is none of auto, auto-edit, ask, read-only; ask is used"}},
		{"the terminal's", `{"theme":"dark","quietStartup":"header","fullscreenWheelScrollLines":7,"outputPad":0,"terminal":{"images":false,"hyperlinks":true,"trueColor":"auto","historyLimit":"any"},"markdown":{"codeBlockIndent":""}}`,
			`{"quietStartup":true,"fullscreenWheelScrollLines":"auto"}`, func(s *Settings) {
				s.Screen.Theme, s.Screen.QuietStartup, s.Screen.OutputPadding = "dark", "true", 0
				s.Screen.Images, s.Screen.Hyperlinks, s.Screen.CodeIndent = "false", "true", ""
			}, nil},
		{"numbers out of range are moved into it, words give the default", `{"editorPaddingX":9,"autocompleteMaxVisible":1,"terminal":{"imageWidthCells":-5},"quietStartup":"loud","terminal.x":1}`, "",
			func(s *Settings) {
				s.Screen.EditorPadding, s.Screen.CompletionRows, s.Screen.ImageWidth = 3, 3, 1
			}, []string{`agent/settings.json:1: quietStartup: "loud" is none of true, false, header; the default is used`,
				"agent/settings.json:1: editorPaddingX: too large; 3 is used", "agent/settings.json:1: autocompleteMaxVisible: below 3; 3 is used",
				"agent/settings.json:1: terminal.imageWidthCells: below 1; 1 is used"}},
		{"a switch of the wrong type", `{"quietStartup":1,"hideThinkingBlock":"true","terminal":{"hyperlinks":"true"}}`, "", func(*Settings) {},
			[]string{"agent/settings.json:1: hideThinkingBlock: wants true or false, not a text; ignored",
				"agent/settings.json:1: quietStartup: wants one of true, false, header, not such a number; ignored",
				`agent/settings.json:1: terminal.hyperlinks: "true" is none of true, false, auto; the default is used`}},
		{"resources of user and project both count", `{"skills":["a","!b"],"prompts":["p"],"packages":["npm:x",{"source":"git:y","skills":["s"],"themes":[],"autoload":false},{"skills":[]}]}`,
			`{"skills":["c"],"packages":["npm:z"],"prompts":null}`, func(s *Settings) {
				s.Skills, s.Prompts = Lists{[]string{"a", "!b"}, []string{"c"}}, Lists{User: []string{"p"}}
				s.Packages = Packages{[]Package{{Source: "npm:x", AutoLoad: true}, {Source: "git:y", Skills: []string{"s"}, Themes: []string{}}}, []Package{{Source: "npm:z", AutoLoad: true}}}
			}, []string{"agent/settings.json:1: packages: has an element that names no package; it was left out"}},
		{"skills as they once were", `{"skills":{"customDirectories":["a"],"enableSkillCommands":false}}`, `{"websockets":true}`, func(s *Settings) {
			s.Skills, s.SkillCommands, s.Transport = Lists{User: []string{"a"}}, false, "websocket"
		}, nil},
		{"a wrong old key is named as it stands there", "{\n\"queueMode\":7,\n\"websockets\":\"x\"}", "", func(*Settings) {},
			[]string{"agent/settings.json:2: queueMode: wants a text, not such a number; ignored"}},
		{"repeated keys: the last counts", `{"defaultModel":"a","defaultModel":"b"}`, "", func(s *Settings) { s.DefaultModel = "b" }, nil},
		{"half an emoji", `{"defaultModel":"\ud83d"}`, "", func(s *Settings) { s.DefaultModel = "\xed\xa0\xbd" }, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, problems := load(t, tt.user, tt.project, true)
			want := Defaults()
			tt.want(&want)
			if !reflect.DeepEqual(got, want) {
				t.Errorf("settings\n%+v, want\n%+v", got, want)
			}
			if !slices.Equal(problems, tt.problems) {
				t.Errorf("problems %q, want %q", problems, tt.problems)
			}
		})
	}
}

func TestLoadWithoutTrust(t *testing.T) {
	for _, tt := range []struct{ name, dir, want string }{
		{"a session directory in the project", "sessions", "sessions"},
		{"one outside", "../elsewhere", ""},
		{"one in the home directory", "~/x", ""},
		{"one in the agent directory", "~/agent/x", "~/agent/x"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, problems := load(t, "", `{"defaultModel":"m","sessionDir":"`+tt.dir+`"}`, false)
			if s.SessionDir != tt.want || s.DefaultModel != "" || (len(problems) > 0) != (tt.want == "") {
				t.Errorf("session directory %q, model %q, problems %q", s.SessionDir, s.DefaultModel, problems)
			}
		})
	}
}

func TestTools(t *testing.T) {
	base := []string{"read", "bash"}
	for _, tt := range []struct {
		name string
		list []string
		want []string
	}{
		{"signs change what is inherited", []string{"+ls", "-bash", "+ls"}, []string{"read", "ls"}},
		{"a plain name replaces it", []string{"ls"}, []string{"ls"}},
		{"signs then apply to the plain names", []string{"+grep", "ls", "edit", "-ls"}, []string{"edit", "grep"}},
		{"an empty list is no tools", []string{}, []string{}},
		{"what is not there cannot be taken away", []string{"-x"}, []string{"read", "bash"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Tools(base, tt.list); !slices.Equal(got, tt.want) {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

func TestCompactionFor(t *testing.T) {
	n := int64(1)
	c := Compaction{ReserveTokens: 5, KeepRecentTokens: 6, Models: map[string]CompactionTokens{"a/b": {KeepRecentTokens: &n}}}
	if r, k := c.For("a", "b"); r != 5 || k != 1 {
		t.Errorf("%d %d", r, k)
	}
	if r, k := c.For("a", "c"); r != 5 || k != 6 {
		t.Errorf("%d %d", r, k)
	}
}

func TestSave(t *testing.T) {
	path := filepath.Join(t.TempDir(), "agent", "settings.json")
	save := func(changes ...Change) {
		t.Helper()
		if err := Save(t.Context(), path, changes...); err != nil {
			t.Fatal(err)
		}
	}
	save(Change{[]string{"defaultModel"}, "a<b"})
	save(Change{[]string{"unknown"}, []any{1.5, nil}}, Change{[]string{"modelThinkingLevels", "a/b.c"}, "low"})
	save(Change{[]string{"defaultModel"}, nil}, Change{[]string{"bough", "continueOnStart"}, true})
	b, err := os.ReadFile(path)
	want := "{\n  \"unknown\": [\n    1.5,\n    null\n  ],\n  \"modelThinkingLevels\": {\n    \"a/b.c\": \"low\"\n  },\n  \"bough\": {\n    \"continueOnStart\": true\n  }\n}\n"
	if err != nil || string(b) != want {
		t.Errorf("%v\n%s", err, b)
	}
	broken := "{broken"
	write(t, path, broken)
	if err := Save(t.Context(), path, Change{[]string{"a"}, 1}); !errors.Is(err, pifile.ErrNoObject) {
		t.Error(err)
	}
	if b, err := os.ReadFile(path); err != nil || string(b) != broken {
		t.Errorf("%s, %v", b, err)
	}
}

// Whatever stands in the files, what is explained is what is in force.
func FuzzLoad(f *testing.F) {
	for _, s := range []string{`{"compaction":{"modelOverrides":{"a":{"reserveTokens":1e400}}}}`, `{"defaultTools":["+","-","",null]}`, `{"bough":{"bash":5}}`, "\ufeff{}",
		`{"retry":{"maxRetries":1e18,"maxRetries":-1}}`, `[`, `{"skills":{"customDirectories":null},"terminal":null,"quietStartup":7}`, `{"packages":[{"source":"a"},"b"],"queueMode":null}`} {
		f.Add(s, s)
	}
	dir := f.TempDir()
	p := Paths{Home: dir, Agent: dir}
	f.Fuzz(func(t *testing.T, user, project string) {
		write(t, p.SettingsFile(), user)
		write(t, ProjectSettings(dir), project)
		src := Read(p, dir, true)
		s, _ := src.Settings()
		forced := map[string]string{}
		for _, e := range src.Explain() {
			forced[e.Key.Name] = force(e)
		}
		for _, k := range allKeys() {
			if k.show != nil && Shown(k.Key, string(k.show(&s))) != forced[k.Name] && k.Name != "shellPath" {
				t.Errorf("%s is %s, explained as %s", k.Name, k.show(&s), forced[k.Name])
			}
		}
		src.Hints()
	})
}
