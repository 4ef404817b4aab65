package config

import (
	"errors"
	"time"

	"github.com/boughdev/bough/internal/rawjson"
)

// levels are the thinking levels; provider.Levels, which lies above, has the same.
func levels() []string {
	return []string{"off", "minimal", "low", "medium", "high", "xhigh", "max"}
}

// section is a group of settings, for people.
type section struct {
	title string
	keys  []key
}

// sections are all settings that are known (docs/spec/frontends.md H-15 to H-17).
func sections() []section {
	const ms, s = time.Millisecond, time.Second
	return []section{
		{"Model and thinking", []key{
			text("defaultProvider", "Provider of new sessions.", func(s *Settings) *string { return &s.DefaultProvider }),
			text("defaultModel", "Model of new sessions, by its id.", func(s *Settings) *string { return &s.DefaultModel }),
			word("defaultThinkingLevel", "How much the model thinks in new sessions.", func(s *Settings) *string { return &s.DefaultThinkingLevel }, levels()...),
			table("modelThinkingLevels", "How much single models think in new sessions, by provider/model.", func(s *Settings) *map[string]string { return &s.ModelThinkingLevels }, readWord(levels())),
			table("thinkingBudgets", "Tokens to think with, by level (minimal, low, medium, high), for models that want a number.", func(s *Settings) *map[string]int64 { return &s.ThinkingBudgets }, readCount(0, 0)),
			list("enabledModels", "Models to start with and to cycle through, as for --models.", func(s *Settings) *[]string { return &s.EnabledModels }, replace),
			flag("hideThinkingBlock", "Do not show what the model thinks.", func(s *Settings) *bool { return &s.HideThinking }),
			flag("showCacheMissNotices", "Say when a prompt cache was missed.", func(s *Settings) *bool { return &s.CacheMissNotices }),
		}},
		{"Conversation", []key{
			word("steeringMode", "Deliver messages said during an answer one by one, or all at once.", func(s *Settings) *string { return &s.SteeringMode }, "all", "one-at-a-time").was("queueMode", same),
			word("followUpMode", "Deliver messages that wait for the end of a run one by one, or all at once.", func(s *Settings) *string { return &s.FollowUpMode }, "all", "one-at-a-time"),
			maxTurns(),
			dollars("bough.budget.perRun", "What a run may cost; bough asks before more is spent, and stops where it cannot ask.", func(s *Settings) **float64 { return &s.Bough.Budget.PerRun }).user(),
			dollars("bough.budget.perSession", "What a session may cost, all its branches together.", func(s *Settings) **float64 { return &s.Bough.Budget.PerSession }).user(),
			dollars("bough.budget.perDay", "What all sessions together may cost in a day.", func(s *Settings) **float64 { return &s.Bough.Budget.PerDay }).user(),
			flag("bough.continueOnStart", "Begin with the last session of the folder.", func(s *Settings) *bool { return &s.Bough.ContinueOnStart }),
			word("bough.hangup", "What becomes of a run when its terminal is closed: it stops, or goes on without one.", func(s *Settings) *string { return &s.Bough.Hangup }, "stop", "continue").user(),
			word("bough.autoTitle", "What sessions without a name are called: by their first message, or by a title that their model finds after the first answer.", func(s *Settings) *string { return &s.Bough.AutoTitle }, "local", "model"),
			word("bough.lang", "Language of the terminal UI; auto is that of the system.", func(s *Settings) *string { return &s.Bough.Lang }, "auto", "en", "zh-CN").user(),
			flag("bough.keepForeignPrompt", "Go on with the system prompt that another program wrote to a session.", func(s *Settings) *bool { return &s.Bough.KeepForeignPrompt }),
			text("externalEditor", "Command that edits a message; without it $VISUAL, then $EDITOR.", func(s *Settings) *string { return &s.ExternalEditor }),
			word("doubleEscapeAction", "What Escape twice does in an empty editor.", func(s *Settings) *string { return &s.DoubleEscape }, "tree", "fork", "none"),
			word("bough.treeEnter", "What Enter does in /tree: it goes there and asks only what is to become of what is left, or it asks first.", func(s *Settings) *string { return &s.Bough.TreeEnter }, "go", "ask"),
			flag("bough.promptHistory", "Keep the prompts of a folder, so that up in the editor has those of earlier conversations.", func(s *Settings) *bool { return &s.Bough.PromptHistory }).user(),
			word("treeFilterMode", "What /tree lists at first.", func(s *Settings) *string { return &s.TreeFilter }, "default", "no-tools", "user-only", "labeled-only", "all"),
		}},
		{"Trust and project files", []key{
			word("defaultProjectTrust", "Whether files of a project count that nobody has decided on.", func(s *Settings) *string { return &s.DefaultProjectTrust }, "ask", "always", "never").user(),
			flag("bough.trustRecheck", "Ask again when files of a trusted project that can run commands change.", func(s *Settings) *bool { return &s.Bough.TrustRecheck }).user(),
			word("bough.contextFiles", "Whether AGENTS.md and the like of a project count that is not trusted.", func(s *Settings) *string { return &s.Bough.ContextFiles }, "always", "ask", "trusted").user(),
		}},
		{"Tools and shell", []key{
			list("defaultTools", "Tools that are on: names replace the list, +name and -name change it.", func(s *Settings) *[]string { return &s.DefaultTools }, Tools),
			permissionMode(),
			rules("allow", "Calls that need no question, such as bash(git status *).", func(p *Permissions) *[]string { return &p.Allow }).user(),
			rules("ask", "Calls that people are asked about in every mode.", func(p *Permissions) *[]string { return &p.Ask }),
			rules("deny", "Calls that are refused in every mode.", func(p *Permissions) *[]string { return &p.Deny }),
			text("shellPath", "Shell that runs commands; without it bash, then sh.", func(s *Settings) *string { return &s.ShellPath }),
			text("shellCommandPrefix", "Line that stands before every command.", func(s *Settings) *string { return &s.ShellCommandPrefix }),
			duration("bough.bash.defaultTimeout", "Time that a command of the model has if it asks for none.", s, func(s *Settings) *time.Duration { return &s.Bough.BashTimeout }),
			flag("images.autoResize", "Scale images down to 2000 by 2000 pixels before they are sent.", func(s *Settings) *bool { return &s.Images.AutoResize }),
			flag("images.blockImages", "Send no images to models.", func(s *Settings) *bool { return &s.Images.Block }),
		}},
		{"Sessions and context", []key{
			text("sessionDir", "Folder of all sessions; without it each working directory has one below the agent directory.", func(s *Settings) *string { return &s.SessionDir }),
			word("bough.sync", "When a session is made safe against a power cut.", func(s *Settings) *string { return &s.Bough.Sync }, "off", "turn", "always"),
			text("bough.trash", "Program that is given the files of sessions that are thrown away; without it bough has a trash of its own.", func(s *Settings) *string { return &s.Bough.Trash }).user(),
			flag("compaction.enabled", "Compact a conversation by itself when it gets too long.", func(s *Settings) *bool { return &s.Compaction.Enabled }),
			number("compaction.reserveTokens", "Room that compaction leaves for the answer.", 0, 0, "tokens", func(s *Settings) *int64 { return &s.Compaction.ReserveTokens }),
			number("compaction.keepRecentTokens", "What compaction keeps of the end of a conversation.", 0, 0, "tokens", func(s *Settings) *int64 { return &s.Compaction.KeepRecentTokens }),
			compactionOverrides(),
			number("branchSummary.reserveTokens", "Room that is left when a branch is summed up.", 0, 0, "tokens", func(s *Settings) *int64 { return &s.BranchSummary.ReserveTokens }),
			flag("branchSummary.skipPrompt", "Do not ask whether a branch that is left is to be summed up.", func(s *Settings) *bool { return &s.BranchSummary.SkipPrompt }),
		}},
		{"Network and retries", []key{
			text("httpProxy", "Proxy of all requests but those to this machine; HTTP_PROXY and HTTPS_PROXY win.", func(s *Settings) *string { return &s.HTTPProxy }).user(),
			duration("httpIdleTimeoutMs", "How long a server may be silent before and in an answer.", ms, func(s *Settings) *time.Duration { return &s.HTTPIdleTimeout }).orDisabled(),
			flag("retry.enabled", "Ask again by itself when a model fails and may soon work.", func(s *Settings) *bool { return &s.Retry.Enabled }),
			number("retry.maxRetries", "How often a model is asked again when it fails and may soon work.", 0, 100, "", func(s *Settings) *int64 { return &s.Retry.MaxRetries }),
			duration("retry.baseDelayMs", "Wait before the first retry; it doubles with each.", ms, func(s *Settings) *time.Duration { return &s.Retry.BaseDelay }),
			duration("retry.maxAgentDelayMs", "The longest wait before a retry, unless the provider asks for more.", ms, func(s *Settings) *time.Duration { return &s.Retry.MaxDelay }),
			duration("retry.provider.timeoutMs", "Wins over httpIdleTimeoutMs if it is not 0.", ms, func(s *Settings) *time.Duration { return &s.Retry.ProviderTimeout }),
			number("retry.provider.maxRetries", "Retries on top of retry.maxRetries, also if retry.enabled is false.", 0, 100, "", func(s *Settings) *int64 { return &s.Retry.ProviderRetries }),
			duration("retry.provider.maxRetryDelayMs", "The longest wait that a provider may ask for; 0 is any.", ms, func(s *Settings) *time.Duration { return &s.Retry.ProviderMaxDelay }).was("retry.maxDelayMs", same),
			word("transport", "How to speak with providers that offer several ways. bough always streams over HTTP (sse).", func(s *Settings) *string { return &s.Transport }, "auto", "sse", "websocket", "websocket-cached").later().was("websockets", transport),
			duration("websocketConnectTimeoutMs", "How long a WebSocket may take to open.", ms, func(s *Settings) *time.Duration { return &s.WebSocketTimeout }).orDisabled().later(),
		}},
		{"Resources", []key{
			packages(),
			resources("extensions", "Extensions in JavaScript. bough lists them and runs none.", func(s *Settings) *Lists { return &s.Extensions }),
			resources("skills", "Skills: files or folders; !pattern, +path and -path leave out, force in and force out.", func(s *Settings) *Lists { return &s.Skills }).was("skills.customDirectories", same),
			resources("prompts", "Prompt templates: files or folders, as for skills.", func(s *Settings) *Lists { return &s.Prompts }),
			resources("themes", "Themes: files or folders, as for skills.", func(s *Settings) *Lists { return &s.Themes }),
			flag("enableSkillCommands", "Make a command /skill:NAME of each skill.", func(s *Settings) *bool { return &s.SkillCommands }).was("skills.enableSkillCommands", same),
		}},
		{"Terminal", append(screen(),
			flag("bough.screenReader", "Plain lines for people who listen, in place of the terminal UI; --screen-reader is the same for once.", func(s *Settings) *bool { return &s.Bough.ScreenReader }).user(),
		)},
		{"Of pi alone", []key{
			foreign(Pi, "cacheWarming", "Keep prompt caches warm.", Word, "off", "streaming", "idle").user(),
			foreign(Pi, "codemode", "Tools by scripts.", Object),
			foreign(Pi, "sessionShareDestination", "Where /share puts a session.", Word, "auto", "gist", "radius"),
			foreign(Pi, "npmCommand", "Command that fetches packages.", List),
			foreign(Pi, "selfUpdateCommand", "Command that updates pi.", List).user(),
			foreign(Pi, "enableInstallTelemetry", "Tell of installs and updates.", Flag),
			foreign(Pi, "enableAnalytics", "Share how pi is used.", Flag),
			foreign(Pi, "trackingId", "Id of this installation.", Any),
			foreign(Pi, "deviceId", "Id of this device.", Any),
			foreign(Pi, "lastChangelogVersion", "Version whose news were shown.", Any),
			foreign(Pi, "collapseChangelog", "Show news in short.", Flag),
			foreign(Pi, "warnings", "Which warnings are shown.", Object),
			foreign(Pi, "$schema", "For editors.", Any),
			foreign(PiApp, "terminal.defaultTimeoutMs", "Limit of pi-app's terminal.", Any),
			foreign(PiApp, "terminal.maxOutputBytes", "Limit of pi-app's terminal.", Any),
			foreign(PiApp, "terminal.historyLimit", "Limit of pi-app's terminal.", Any),
		}},
	}
}

// screen are the settings of the terminal UI.
func screen() []key {
	keys := []key{
		text("theme", "Theme by its name, or light/dark names; system takes the terminal's colours.", func(s *Settings) *string { return &s.Screen.Theme }),
		word("quietStartup", "Begin without the header; \"header\" leaves out only what was loaded.", func(s *Settings) *string { return &s.Screen.QuietStartup }, "true", "false", "header"),
		word("tuiMode", "Use the whole terminal, or only what comes below.", func(s *Settings) *string { return &s.Screen.Mode }, "regular", "fullscreen"),
		word("fullscreenExitOutput", "What is left on the terminal at the end.", func(s *Settings) *string { return &s.Screen.ExitOutput }, "transcript", "resume-hint"),
		word("fullscreenScrollbar", "When there is a scroll bar.", func(s *Settings) *string { return &s.Screen.Scrollbar }, "auto", "always", "hidden"),
		flag("fullscreenCopyOnSelect", "Copy what is selected.", func(s *Settings) *bool { return &s.Screen.CopyOnSelect }),
		wheelLines(),
		number("editorPaddingX", "Blank columns beside the editor.", 0, 3, "columns", func(s *Settings) *int64 { return &s.Screen.EditorPadding }),
		number("outputPad", "Blank columns beside the transcript.", 0, 1, "columns", func(s *Settings) *int64 { return &s.Screen.OutputPadding }),
		number("autocompleteMaxVisible", "Rows of completions.", 3, 20, "rows", func(s *Settings) *int64 { return &s.Screen.CompletionRows }),
		flag("showHardwareCursor", "Use the terminal's cursor.", func(s *Settings) *bool { return &s.Screen.HardwareCursor }),
		flag("terminal.showImages", "Show images where the terminal can.", func(s *Settings) *bool { return &s.Screen.ShowImages }),
		number("terminal.imageWidthCells", "How wide images are.", 1, 1000, "columns", func(s *Settings) *int64 { return &s.Screen.ImageWidth }),
		flag("terminal.clearOnShrink", "Clear rows that are not used any more.", func(s *Settings) *bool { return &s.Screen.ClearOnShrink }),
		flag("terminal.showTerminalProgress", "Show progress in the tab of the terminal.", func(s *Settings) *bool { return &s.Screen.Progress }),
		word("terminal.hyperlinks", "Whether the terminal has links.", func(s *Settings) *string { return &s.Screen.Hyperlinks }, "true", "false", "auto"),
		word("terminal.images", "How the terminal shows images.", func(s *Settings) *string { return &s.Screen.Images }, "kitty", "iterm2", "auto", "false"),
		word("terminal.trueColor", "Whether the terminal has 16 million colours.", func(s *Settings) *string { return &s.Screen.TrueColor }, "true", "false", "auto"),
		text("markdown.codeBlockIndent", "What stands before the lines of code.", func(s *Settings) *string { return &s.Screen.CodeIndent }),
		word("markdown.mermaid", "When Mermaid diagrams are drawn.", func(s *Settings) *string { return &s.Screen.Mermaid }, "off", "final", "streaming"),
	}
	for i := range keys {
		switch keys[i].Name {
		case "editorPaddingX", "outputPad", "showHardwareCursor", "terminal.clearOnShrink", "markdown.codeBlockIndent", "markdown.mermaid":
			keys[i] = keys[i].later()
		}
	}
	return keys
}

func maxTurns() key {
	return field(Key{Name: "bough.maxTurns", Help: "Turns of a run; 0 is no limit. Without it 100 in print and JSON mode, none in conversation.", Kind: Number},
		func(s *Settings) **int64 { return &s.Bough.MaxTurns },
		func(v []byte) (*int64, error) {
			n, err := readCount(0, 0)(v)
			return &n, err
		},
		func(n *int64) any {
			if n == nil {
				return nil
			}
			return *n
		})
}

// dollars is an amount, or nothing.
func dollars(name, help string, at func(*Settings) **float64) key {
	return field(Key{Name: name, Help: help, Kind: Number, Unit: "dollars"}, at,
		func(v []byte) (*float64, error) {
			f, ok := rawjson.Number(v)
			switch {
			case !ok:
				return nil, wrong("a number", v)
			case f < 0:
				f = 0
				return &f, errors.New("below 0; 0 is used")
			}
			return &f, nil
		},
		func(f *float64) any {
			if f == nil {
				return nil
			}
			return *f
		})
}

func wheelLines() key {
	k := Key{Name: "fullscreenWheelScrollLines", Help: "Lines that a step of the mouse wheel scrolls.", Kind: Number, Least: 1, Most: 100, Words: []string{"auto"}}
	return field(k, func(s *Settings) *int64 { return &s.Screen.WheelLines },
		func(v []byte) (int64, error) {
			if s, ok := rawjson.String(v); ok && s == "auto" {
				return 0, nil
			} else if ok {
				return 0, errWord{s, []string{"auto", "a number"}}
			}
			return readCount(1, 100)(v)
		},
		func(n int64) any {
			if n == 0 {
				return "auto"
			}
			return n
		})
}

// transport makes a way to speak of the switch that there was before.
func transport(v []byte) []byte {
	switch rawjson.Kind(v) {
	case 't':
		return []byte(`"websocket"`)
	case 'f':
		return []byte(`"sse"`)
	}
	return nil
}

func compactionOverrides() key {
	return key{Key: Key{Name: "compaction.modelOverrides", Help: "reserveTokens and keepRecentTokens of single models, by provider/model.", Kind: Object},
		set: func(s *Settings, v []byte, _ Level, tell teller) {
			each(v, tell, func(model string, v []byte) {
				if isNull(v) {
					delete(s.Compaction.Models, model)
					return
				}
				own := s.Compaction.Models[model]
				each(v, func(k string, at []byte, err error) { tell(below(model, k), at, err) }, func(k string, v []byte) {
					at := &own.ReserveTokens
					switch k {
					case "reserveTokens":
					case "keepRecentTokens":
						at = &own.KeepRecentTokens
					default:
						return
					}
					if *at = nil; isNull(v) {
						return
					}
					n, err := readCount(0, 0)(v)
					if err != nil {
						tell(below(model, k), v, err)
					}
					if !isWrong(err) {
						*at = &n
					}
				})
				if s.Compaction.Models == nil {
					s.Compaction.Models = map[string]CompactionTokens{}
				}
				s.Compaction.Models[model] = own
			})
		},
		clear: func(s, _ *Settings) { s.Compaction.Models = nil },
		show: func(s *Settings) []byte {
			if len(s.Compaction.Models) == 0 {
				return nil
			}
			return encode(s.Compaction.Models)
		},
	}
}

func packages() key {
	return key{Key: Key{Name: "packages", Help: "Packages of pi. bough fetches none; skills, prompts and themes of installed ones count.", Kind: List},
		set: func(s *Settings, v []byte, at Level, tell teller) {
			l, err := readPackages(v)
			if err != nil {
				tell("", v, err)
			}
			if isWrong(err) {
				return
			}
			if at == InProject {
				s.Packages.Project = l
			} else {
				s.Packages.User = l
			}
		},
		clear: func(s, _ *Settings) { s.Packages.Project = nil },
		show: func(s *Settings) []byte {
			out := []string{}
			for _, p := range append(append([]Package{}, s.Packages.User...), s.Packages.Project...) {
				out = append(out, p.Source)
			}
			return encode(out)
		},
	}
}
