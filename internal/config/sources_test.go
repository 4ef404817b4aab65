package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// sources reads two files and lays variables and options over them.
func sources(t *testing.T, user, project string, trusted bool, over ...Override) *Sources {
	t.Helper()
	root := t.TempDir()
	p := Paths{Home: "/h", Agent: filepath.Join(root, "agent")}
	dir := filepath.Join(root, "project")
	if user != "" {
		write(t, p.SettingsFile(), user)
	}
	if project != "" {
		write(t, ProjectSettings(dir), project)
	}
	s := Read(p, dir, trusted)
	s.Override(over...)
	return s
}

func TestExplain(t *testing.T) {
	for _, tt := range []struct {
		name          string
		user, project string
		trusted       bool
		over          []Override
		run           string // value of the key for this run
		key           string
		want          []string // highest first, without the folders
	}{
		{"nobody says anything", "", "", true, nil, "", "steeringMode", []string{`default: "one-at-a-time"`}},
		{"without a default", "", "", true, nil, "", "defaultModel", []string{`default:`}},
		{"all places", "{\n\"defaultModel\":\"a\"}", "{\n\n\"defaultModel\":\"b\"}", true,
			[]Override{{ByEnvironment, "defaultModel", "c", "X"}, {ByOption, "defaultModel", "d", "--model"}}, `"e"`, "defaultModel",
			[]string{`this run: "e"`, `command line --model: "d"`, `environment X: "c"`, `project settings.json:3: "b"`, `user settings.json:2: "a"`, `default:`}},
		{"fallbacks lie below the files", `{"externalEditor":"vi"}`, "", true, []Override{{ByFallback, "externalEditor", "ed", "EDITOR"}}, "", "externalEditor",
			[]string{`user settings.json:1: "vi"`, `environment EDITOR: "ed"`, `default:`}},
		{"what a project may not set", "", `{"httpProxy":"http://p"}`, true, nil, "", "httpProxy",
			[]string{`project settings.json:1: "http://p" (counts only in the user's settings)`, `default:`}},
		{"no trust", "", `{"defaultModel":"b"}`, false, nil, "", "defaultModel", []string{`project settings.json:1: "b" (the project is not trusted)`, `default:`}},
		{"no trust, and a folder inside", "", `{"sessionDir":"b"}`, false, nil, "", "sessionDir", []string{`project settings.json:1: "b"`, `default:`}},
		{"no trust, and a folder outside", "", `{"sessionDir":"../b"}`, false, nil, "", "sessionDir",
			[]string{`project settings.json:1: "../b" (lies outside of a project that is not trusted)`, `default:`}},
		{"a wrong type", `{"retry":{"enabled":"no"}}`, "", true, nil, "", "retry.enabled",
			[]string{`user settings.json:1: "no" (wants true or false, not a text)`, `default: true`}},
		{"something in the way", `{"retry":7}`, "", true, nil, "", "retry.enabled", []string{`default: true`}},
		{"a number that is moved", `{"editorPaddingX":9}`, "", true, nil, "", "editorPaddingX", []string{`user settings.json:1: 3`, `default: 0`}},
		{"null", `{"defaultModel":"a"}`, `{"defaultModel":null}`, true, nil, "", "defaultModel", []string{`project settings.json:1:`, `user settings.json:1: "a"`, `default:`}},
		{"objects are merged", `{"thinkingBudgets":{"low":1}}`, `{"thinkingBudgets":{"high":2}}`, true, nil, "", "thinkingBudgets",
			[]string{`project settings.json:1: {"high":2,"low":1}`, `user settings.json:1: {"low":1}`, `default:`}},
		{"tools are changed", `{"defaultTools":["+ls"]}`, `{"defaultTools":["-bash"]}`, true, nil, "", "defaultTools",
			[]string{`project settings.json:1: ["read","edit","write","ls"]`, `user settings.json:1: ["read","bash","edit","write","ls"]`, `default: ["read","bash","edit","write"]`}},
		{"resources of both", `{"skills":["a"]}`, `{"skills":["b"]}`, true, nil, "", "skills", []string{`project settings.json:1: ["a","b"]`, `user settings.json:1: ["a"]`, `default: []`}},
		{"an old name", `{"queueMode":"all"}`, "", true, nil, "", "steeringMode", []string{`user settings.json:1: "all"`, `default: "one-at-a-time"`}},
		{"pi's own", `{"codemode":{"mode":"only"}}`, "", true, nil, "", "codemode", []string{`user settings.json:1: {"mode":"only"}`, `default:`}},
		{"a URL that is none", `{"httpProxy":"http://u:secret@p:x%/"}`, "", true, nil, "", "httpProxy", []string{`user settings.json:1: "(a URL that cannot be read)"`, `default:`}},
		{"an object without members", `{"modelThinkingLevels":{}}`, "", true, nil, "", "modelThinkingLevels", []string{`default:`}},
		{"no password is shown", `{"httpProxy":"http://u:secret@p:1/"}`, "", true, nil, "", "httpProxy", []string{`user settings.json:1: "http://u:xxxxx@p:1/"`, `default:`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := sources(t, tt.user, tt.project, tt.trusted, tt.over...)
			if tt.run != "" {
				s.ForRun(strings.Split(tt.key, "."), []byte(tt.run))
			}
			all := s.Explain()
			i := slices.IndexFunc(all, func(e Explanation) bool { return e.Key.Name == tt.key })
			var got []string
			for _, v := range all[i].Values {
				line := v.Level.String()
				if v.Where != "" {
					line += " " + filepath.Base(v.Where)
				}
				if line += ":"; v.JSON != "" {
					line += " " + v.JSON
				}
				if v.Ignored != "" {
					line += " (" + v.Ignored + ")"
				}
				got = append(got, line)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("%q, want\n%q", got, tt.want)
			}
		})
	}
}

// What is explained is what is in force.
// force is the value that counts.
func force(e Explanation) string {
	for _, v := range e.Values {
		if v.Ignored == "" {
			return v.JSON
		}
	}
	return "" // of what has no default
}

func TestExplainAgreesWithSettings(t *testing.T) {
	s := sources(t, `{"defaultModel":"a","retry":{"maxRetries":900},"defaultTools":["+ls"],"terminal":5,"images":{"blockImages":true},"skills":["x"],"quietStartup":"header","bough":{"maxTurns":3}}`,
		`{"defaultModel":null,"defaultTools":["-ls"],"modelThinkingLevels":{"a/b":"low"},"httpProxy":"x"}`, true,
		Override{ByOption, "enabledModels", []string{"m"}, "--models"})
	settings, _ := s.Settings()
	explained := map[string]string{}
	for _, e := range s.Explain() {
		explained[e.Key.Name] = force(e)
	}
	for _, k := range allKeys() {
		if k.show != nil && string(k.show(&settings)) != explained[k.Name] {
			t.Errorf("%s is %s, explained as %s", k.Name, k.show(&settings), explained[k.Name])
		}
	}
}

func TestRunIsTakenBack(t *testing.T) {
	s := sources(t, `{"defaultModel":"a"}`, "", true)
	for _, tt := range []struct{ value, want string }{{`"b"`, "b"}, {`"c"`, "c"}, {"", "a"}} {
		var v []byte
		if tt.value != "" {
			v = []byte(tt.value)
		}
		s.ForRun([]string{"defaultModel"}, v)
		if got, problems := s.Settings(); got.DefaultModel != tt.want || len(problems) > 0 {
			t.Errorf("%q, %v, want %q", got.DefaultModel, problems, tt.want)
		}
	}
}

func TestHints(t *testing.T) {
	s := sources(t, `{
"defaultmodel": 1, "thinkng": 2, "my.own": 3, "retry": {"maxRetrys": 4, "other": 5, "provider": {"timeout": 6}},
"defaultModel": "a", "defaultModel": "b", "maxTurns": 7,
"modelThinkingLevels": {"defaultModl": "low"}, "codemode": {"mod": 1}, "skills": {"customDirectories": []}, "queueMode": "all"}`, "", true)
	var got []string
	for _, h := range s.Hints() {
		got = append(got, fmt.Sprintf("%d %s: %s", h.Line, h.Key, h.Text))
	}
	want := []string{
		"2 defaultmodel: is no setting; did you mean defaultModel?",
		"2 retry.maxRetrys: is no setting; did you mean retry.maxRetries?",
		"2 retry.provider.timeout: is no setting; did you mean retry.provider.timeoutMs?",
		"3 defaultModel: stands twice; the last one counts",
		"3 maxTurns: is no setting; did you mean bough.maxTurns?",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want\n%q", got, want)
	}
}

func TestUnknown(t *testing.T) {
	s := sources(t, `{
"thinkng": 2, "retry": {"other": 5, "maxRetries": 1},
"defaultModel": "a", "apiKey": "secret", "modelThinkingLevels": {"a/b": "low"}, "queueMode": "all"}`, `{"theirs": {"a": 1}}`, false)
	var got []string
	for _, u := range s.Unknown() {
		got = append(got, fmt.Sprintf("%s:%d %s", u.Level, u.Line, u.Key))
	}
	if want := []string{"user:2 thinkng", "user:2 retry.other", "user:3 apiKey", "project:1 theirs"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestParse(t *testing.T) {
	for _, tt := range []struct{ key, value, path, want, err string }{
		{"defaultModel", "a b", "defaultModel", `"a b"`, ""},
		{"defaultModel", `"quoted"`, "defaultModel", `"quoted"`, ""},
		{"defaultModel", "5", "defaultModel", `"5"`, ""},
		{"defaultmodel", "m", "defaultModel", `"m"`, ""},
		{"maxTurns", "7", "bough|maxTurns", "7", ""},
		{"queueMode", "all", "steeringMode", `"all"`, ""},
		{"bough.bash.defaultTimeout", "1.5", "bough|bash|defaultTimeout", "1.5", ""},
		{"retry.enabled", "off", "retry|enabled", "false", ""},
		{"retry.enabled", "maybe", "", "", `cannot set retry.enabled to "maybe": it is to be true or false`},
		{"retry.maxRetries", "-1", "", "", `cannot set retry.maxRetries to "-1": it is to be a number from 0 to 100`},
		{"editorPaddingX", "1.5", "", "", `cannot set editorPaddingX to "1.5": it is to be a number from 0 to 3 (columns)`},
		{"editorPaddingX", "", "", "", `cannot set editorPaddingX to "": it is to be a number from 0 to 3 (columns)`},
		{"fullscreenWheelScrollLines", "auto", "fullscreenWheelScrollLines", `"auto"`, ""},
		{"httpIdleTimeoutMs", "disabled", "httpIdleTimeoutMs", `"disabled"`, ""},
		{"steeringMode", "all", "steeringMode", `"all"`, ""},
		{"steeringMode", "some", "", "", `cannot set steeringMode to "some": it is to be one of all, one-at-a-time`},
		{"quietStartup", "true", "quietStartup", "true", ""},
		{"quietStartup", "header", "quietStartup", `"header"`, ""},
		{"terminal.images", "false", "terminal|images", "false", ""},
		{"defaultTools", "+ls, -bash", "defaultTools", `["+ls","-bash"]`, ""},
		{"defaultTools", `["a, b"]`, "defaultTools", `["a, b"]`, ""},
		{"defaultTools", `[1]`, "", "", `cannot set defaultTools to "[1]": it is to be a list of texts`},
		{"defaultTools", "", "defaultTools", "[]", ""},
		{"modelThinkingLevels.a/b-4.5", "low", "modelThinkingLevels|a/b-4.5", `"low"`, ""},
		{"modelThinkingLevels.a/b", "loud", "", "", `cannot set modelThinkingLevels.a/b to "loud": a/b "loud" is none of off, minimal, low, medium, high, xhigh, max`},
		{"modelThinkingLevels", "low", "", "", `cannot set modelThinkingLevels to "low": it is to be an object`},
		{"compaction.modelOverrides.a/b-4.5.reserveTokens", "9", "compaction|modelOverrides|a/b-4.5|reserveTokens", "9", ""},
		{"compaction.modelOverrides.a/b-4.5", `{"reserveTokens":9}`, "compaction|modelOverrides|a/b-4.5", `{"reserveTokens":9}`, ""},
		{"defaultModel", "null", "", "", `cannot set defaultModel to "null": it is to be a text`},
		{"codemode.mode", "only", "codemode|mode", `"only"`, ""},
		{"cacheWarming", "always", "", "", `cannot set cacheWarming to "always": it is to be one of off, streaming, idle`},
		{"nothing.like.it", "1", "", "", `there is no setting "nothing.like.it"`},
		{"maxTurn", "1", "", "", `there is no setting "maxTurn"; did you mean bough.maxTurns?`},
		{"", "1", "", "", `there is no setting ""`},
		{"retry", "1", "", "", `there is no setting "retry"`},
	} {
		t.Run(tt.key+"="+tt.value, func(t *testing.T) {
			_, path, v, err := Parse(tt.key, tt.value)
			switch {
			case err != nil && (tt.err == "" || err.Error() != tt.err):
				t.Errorf("%v, want %q", err, tt.err)
			case err == nil && (strings.Join(path, "|") != tt.path || string(v) != tt.want):
				t.Errorf("%q %s, want %q %s", path, v, tt.path, tt.want)
			}
		})
	}
}

// Every setting can be set to its default, and says what it is.
func TestKeys(t *testing.T) {
	seen := map[string]bool{}
	var none Sources
	for _, e := range none.Explain() {
		k := e.Key
		if seen[k.Name] || k.Help == "" || !strings.HasSuffix(k.Help, ".") || k.Section == "" || strings.Contains(k.Allowed(), "NaN") {
			t.Errorf("%+v", k)
		}
		seen[k.Name] = true
		if k.Default == "" {
			continue
		}
		if _, _, v, err := Parse(k.Name, k.Default); err != nil || string(v) != k.Default {
			t.Errorf("%s = %s: %s, %v", k.Name, k.Default, v, err)
		}
	}
	// docs/spec/frontends.md H-15 to H-17
	for _, name := range strings.Fields(`defaultProvider defaultModel defaultThinkingLevel modelThinkingLevels thinkingBudgets enabledModels hideThinkingBlock
		showCacheMissNotices steeringMode followUpMode externalEditor doubleEscapeAction treeFilterMode defaultProjectTrust defaultTools sessionDir
		compaction.enabled compaction.reserveTokens compaction.keepRecentTokens compaction.modelOverrides branchSummary.reserveTokens branchSummary.skipPrompt
		theme quietStartup tuiMode fullscreenExitOutput fullscreenScrollbar fullscreenCopyOnSelect fullscreenWheelScrollLines editorPaddingX outputPad
		autocompleteMaxVisible showHardwareCursor terminal.showImages terminal.imageWidthCells terminal.clearOnShrink terminal.showTerminalProgress
		terminal.hyperlinks terminal.images terminal.trueColor images.autoResize images.blockImages markdown.codeBlockIndent markdown.mermaid transport
		httpProxy httpIdleTimeoutMs websocketConnectTimeoutMs retry.enabled retry.maxRetries retry.baseDelayMs retry.maxAgentDelayMs
		retry.provider.timeoutMs retry.provider.maxRetries retry.provider.maxRetryDelayMs shellPath shellCommandPrefix enableSkillCommands
		packages extensions skills prompts themes codemode cacheWarming sessionShareDestination npmCommand selfUpdateCommand enableInstallTelemetry
		enableAnalytics trackingId deviceId lastChangelogVersion collapseChangelog warnings
		terminal.defaultTimeoutMs terminal.maxOutputBytes terminal.historyLimit`) {
		if !seen[name] {
			t.Errorf("%s is not known", name)
		}
	}
}

func TestEnvironment(t *testing.T) {
	for _, tt := range []struct {
		name  string
		vars  map[string]string
		files string
		want  func(*Settings)
	}{
		{"nothing", nil, "", func(*Settings) {}},
		{"an editor is for who has named none", map[string]string{"EDITOR": "ed", "VISUAL": "vi"}, "", func(s *Settings) { s.ExternalEditor = "vi" }},
		{"the file wins over an editor", map[string]string{"EDITOR": "ed"}, `{"externalEditor":"x"}`, func(s *Settings) { s.ExternalEditor = "x" }},
		{"other variables win over the file", map[string]string{"PI_TRUE_COLOR": "0", "PI_HYPERLINKS": "1", "PI_IMAGE_PROTOCOL": "none", "PI_HARDWARE_CURSOR": "1"},
			`{"terminal":{"trueColor":true,"hyperlinks":false}}`, func(s *Settings) {
				s.Screen.TrueColor, s.Screen.Hyperlinks, s.Screen.Images, s.Screen.HardwareCursor = "false", "true", "false", true
			}},
		{"bough's win over pi's", map[string]string{"PI_TRUE_COLOR": "0", "BOUGH_TRUE_COLOR": "auto"}, `{"terminal":{"trueColor":true}}`, func(*Settings) {}},
		{"nonsense is nothing", map[string]string{"PI_TRUE_COLOR": "blue", "PI_HARDWARE_CURSOR": "0", "PI_IMAGE_PROTOCOL": "sixel"}, "", func(*Settings) {}},
		{"clearing is a fallback", map[string]string{"PI_CLEAR_ON_SHRINK": "1"}, "", func(s *Settings) { s.Screen.ClearOnShrink = true }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := sources(t, tt.files, "", true, Environment(env(tt.vars))...)
			want := Defaults()
			tt.want(&want)
			got, problems := s.Settings()
			if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) || len(problems) > 0 {
				t.Errorf("%+v, want\n%+v; %v", got, want, problems)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add("modelThinkingLevels.a.b", "low")
	f.Add("compaction.modelOverrides.a", `{"reserveTokens":-1}`)
	f.Add("packages", `[{"source":1}]`)
	f.Fuzz(func(t *testing.T, name, value string) {
		k, path, v, err := Parse(name, value)
		if err != nil {
			return
		}
		// What is accepted is read without complaint.
		s := &Sources{}
		s.layers = []layer{{level: ByUser, where: "x", doc: s.put(nil, path, v)}}
		if _, problems := s.Settings(); len(problems) > 0 && k.User != Pi && k.User != PiApp {
			t.Errorf("%s = %s: %v", name, v, problems)
		}
		s.Explain()
		s.Hints()
	})
}
