package config

import (
	"time"
)

// Settings is what settings.json says, with pi's defaults for what it does not
// say (docs/spec/frontends.md H-15).
type Settings struct {
	DefaultProvider      string
	DefaultModel         string
	DefaultThinkingLevel string
	ModelThinkingLevels  map[string]string // by "provider/model"
	ThinkingBudgets      map[string]int64  // tokens, by level
	EnabledModels        []string          // patterns; nil: all
	HideThinking         bool
	CacheMissNotices     bool

	SteeringMode string // "all" or "one-at-a-time"
	FollowUpMode string // the same

	ExternalEditor string // a command; "": see [Environment]
	DoubleEscape   string // "tree", "fork", "none"
	TreeFilter     string // "default" or a filter of /tree

	DefaultTools        []string // the tools that are on, in order; + and - are worked in
	DefaultProjectTrust string   // "ask", "always", "never"
	SessionDir          string   // as written; see [Paths.SessionDir]

	Compaction    Compaction
	BranchSummary BranchSummary
	Retry         Retry

	ShellPath          string // with "~" expanded
	ShellCommandPrefix string

	HTTPProxy       string
	HTTPIdleTimeout time.Duration // 0: none

	Transport        string
	WebSocketTimeout time.Duration // 0: none

	Images Images
	Screen Screen
	Bough  Own

	Extensions, Skills, Prompts, Themes Lists
	Packages                            Packages
	SkillCommands                       bool // /skill:NAME
}

// Lists are what user and project each say of resources, as written: relative to
// the agent directory and to .pi of the project.
type Lists struct{ User, Project []string }

func (l *Lists) of(at Level) *[]string {
	if at == InProject {
		return &l.Project
	}
	return &l.User
}

// Packages are those of user and project.
type Packages struct{ User, Project []Package }

// Package is a package of pi. The lists choose among its resources; nil is all.
type Package struct {
	Source                              string
	AutoLoad                            bool // false: it only changes what the user's entry chooses
	Extensions, Skills, Prompts, Themes []string
}

// Screen is for the terminal UI. The words "true" and "false" stand for the values.
type Screen struct {
	Theme, QuietStartup, Mode, ExitOutput, Scrollbar string

	CopyOnSelect   bool
	WheelLines     int64 // 0: auto
	EditorPadding  int64 // columns
	OutputPadding  int64 // columns
	CompletionRows int64
	HardwareCursor bool

	ShowImages    bool
	ImageWidth    int64 // columns
	ClearOnShrink bool
	Progress      bool

	Hyperlinks, Images, TrueColor string // "auto": as the terminal has it

	CodeIndent, Mermaid string
}

// Compaction says when a conversation is compacted; in tokens.
type Compaction struct {
	Enabled          bool
	ReserveTokens    int64 // the room that must be left
	KeepRecentTokens int64
	Models           map[string]CompactionTokens // by "provider/model"
}

// CompactionTokens are what one model has of its own.
type CompactionTokens struct {
	ReserveTokens    *int64 `json:"reserveTokens,omitempty"`
	KeepRecentTokens *int64 `json:"keepRecentTokens,omitempty"`
}

// For returns the settings for one model.
func (c Compaction) For(provider, model string) (reserve, keep int64) {
	reserve, keep = c.ReserveTokens, c.KeepRecentTokens
	own := c.Models[provider+"/"+model]
	if own.ReserveTokens != nil {
		reserve = *own.ReserveTokens
	}
	if own.KeepRecentTokens != nil {
		keep = *own.KeepRecentTokens
	}
	return reserve, keep
}

// BranchSummary says how a branch that is left is summed up.
type BranchSummary struct {
	ReserveTokens int64
	SkipPrompt    bool
}

// Retry says what is done when a provider fails.
type Retry struct {
	Enabled    bool
	MaxRetries int64
	BaseDelay  time.Duration // before the first retry; doubles
	MaxDelay   time.Duration // retry.maxAgentDelayMs

	ProviderRetries  int64         // retries below the agent
	ProviderTimeout  time.Duration // 0: HTTPIdleTimeout
	ProviderMaxDelay time.Duration // the longest wait that a provider may ask for; 0: any
}

// Images says what happens to images.
type Images struct {
	AutoResize bool
	Block      bool // none is sent
}

// Own are the settings that only bough has, below the key "bough".
type Own struct {
	BashTimeout       time.Duration // bash.defaultTimeout, in seconds; 0: none
	MaxTurns          *int64        // of one run; nil: as the mode has it; 0: no limit
	Budget            Budget
	Permissions       Permissions
	Sync              string // "off", "turn" (at the ends of turns) or "always"
	ContinueOnStart   bool
	AutoTitle         string // "local", "model"
	Hangup            string // "stop", "continue"
	PromptHistory     bool
	TreeEnter         string // "go", "ask"
	Lang              string // "auto", "en", "zh-CN"
	KeepForeignPrompt bool
	ContextFiles      string // "always", "ask", "trusted"
	TrustRecheck      bool
	ScreenReader      bool
	Trash             string // a program that is given the files of sessions that are thrown away; "" or "bough": bough's own trash
}

// Budget is what may be spent, in US dollars; nil: any.
type Budget struct{ PerRun, PerSession, PerDay *float64 }

// Defaults returns the settings of a user without a file.
func Defaults() Settings {
	return Settings{
		DefaultThinkingLevel: "medium",
		SteeringMode:         "one-at-a-time",
		FollowUpMode:         "one-at-a-time",
		DefaultTools:         []string{"read", "bash", "edit", "write"},
		DefaultProjectTrust:  "ask",
		Compaction:           Compaction{Enabled: true, ReserveTokens: 16384, KeepRecentTokens: 20000},
		BranchSummary:        BranchSummary{ReserveTokens: 16384},
		Retry: Retry{Enabled: true, MaxRetries: 3, BaseDelay: 2 * time.Second, MaxDelay: time.Minute,
			ProviderMaxDelay: time.Minute},
		HTTPIdleTimeout:  5 * time.Minute,
		Transport:        "auto",
		WebSocketTimeout: 15 * time.Second,
		Images:           Images{AutoResize: true},
		Screen: Screen{Theme: "system", QuietStartup: "false", Mode: "fullscreen", ExitOutput: "transcript", Scrollbar: "auto",
			CopyOnSelect: true, OutputPadding: 1, CompletionRows: 5, ShowImages: true, ImageWidth: 60,
			Hyperlinks: "auto", Images: "auto", TrueColor: "auto", CodeIndent: "  ", Mermaid: "streaming"},
		DoubleEscape:  "tree",
		TreeFilter:    "default",
		SkillCommands: true,
		Bough:         Own{BashTimeout: 10 * time.Minute, Sync: "turn", AutoTitle: "local", Hangup: "stop", PromptHistory: true, TreeEnter: "go", Lang: "auto", ContextFiles: "always", TrustRecheck: true, Permissions: Permissions{Mode: "auto"}},
	}
}

// Tools applies a list of tool names to what it inherits: a list of "+name" and
// "-name" changes it, one with a plain name replaces it, and its signs apply to
// the plain ones in order (docs/spec/frontends.md H-11).
func Tools(inherited, list []string) []string {
	signed := func(s string) bool { return len(s) > 1 && (s[0] == '+' || s[0] == '-') }
	out := []string{}
	add := func(name string) {
		for _, have := range out {
			if have == name {
				return
			}
		}
		out = append(out, name)
	}
	replace := len(list) == 0
	for _, s := range list {
		if !signed(s) && s != "" {
			replace = true
			add(s)
		}
	}
	if !replace {
		out = append(out, inherited...)
	}
	for _, s := range list {
		switch {
		case !signed(s):
		case s[0] == '+':
			add(s[1:])
		default:
			kept := out[:0]
			for _, have := range out {
				if have != s[1:] {
					kept = append(kept, have)
				}
			}
			out = kept
		}
	}
	return out
}
