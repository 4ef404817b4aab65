package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/boughdev/bough/internal/config"
	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/internal/setup"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/provider"
)

// live is the settings as they are now: files, environment, command line, and what
// was set for this run.
type live struct {
	r    *runner
	mode mode

	reading sync.Mutex // held from reading the files to knowing what they say

	mu  sync.Mutex
	run []forRun        // guarded by mu
	now config.Settings // of the folder of the start; guarded by mu
}

// forRun is a setting that was set for this run.
type forRun struct {
	path  []string
	value json.RawMessage
}

var _ control.Settings = (*live)(nil)

// current are the settings of the folder where the program was started.
func (r *runner) current() config.Settings {
	r.live.mu.Lock()
	defer r.live.mu.Unlock()
	return r.live.now
}

// sources are the places that settings of a folder come from.
func (r *runner) sources(dir string) *config.Sources {
	s := config.Read(r.paths, dir, dir != "" && r.setup.Trusts(dir).Trusted)
	s.Override(config.Environment(r.env.Getenv)...)
	s.Override(r.args.overrides()...)
	r.live.mu.Lock()
	defer r.live.mu.Unlock()
	for _, v := range r.live.run {
		s.ForRun(v.path, v.value)
	}
	return s
}

// readSettings reads the settings anew.
func (r *runner) readSettings() []config.Problem {
	r.live.reading.Lock()
	defer r.live.reading.Unlock()
	now, problems := r.sources(r.env.Dir).Settings()
	r.live.mu.Lock()
	defer r.live.mu.Unlock()
	r.live.now = now
	return problems
}

// overrides are the settings that options stand for.
func (a *args) overrides() []config.Override {
	var out []config.Override
	add := func(given bool, key string, value any, option string) {
		if given {
			out = append(out, config.Override{Level: config.ByOption, Key: key, Value: value, Name: option})
		}
	}
	add(a.sessionDir != "", "sessionDir", a.sessionDir, "--session-dir")
	add(a.permissionMode != "", "bough.permissionMode", a.permissionMode, "--permission-mode")
	add(a.maxTurns >= 0, "bough.maxTurns", a.maxTurns, "--max-turns")
	add(len(split(a.models)) > 0, "enabledModels", split(a.models), "--models")
	return out
}

// shown are those that count in their own ways, for people to see.
func (a *args) shown(s config.Settings) []config.Override {
	var out []config.Override
	add := func(given bool, key string, value any, option string) {
		if given {
			out = append(out, config.Override{Level: config.ByOption, Key: key, Value: value, Name: option})
		}
	}
	add(a.provider != "", "defaultProvider", a.provider, "--provider")
	add(a.model != "", "defaultModel", a.model, "--model")
	add(slices.Contains(provider.Levels, a.thinking), "defaultThinkingLevel", a.thinking, "--thinking")
	on := slices.DeleteFunc(slices.Clone(a.WantedTools(s.DefaultTools)), func(name string) bool { return setup.Fits(a.ExcludeTools, name) })
	add(a.ChosenTools(), "defaultTools", append([]string{}, on...), "--tools and the like")
	return out
}

// Get lists settings.
func (l *live) Get(dir string, c protocol.GetSettings) (protocol.Settings, error) {
	var out protocol.Settings
	only := ""
	if c.Key != "" {
		k, _, err := config.Find(c.Key)
		if err != nil {
			return out, refused(err)
		}
		only = k.Name
	}
	src := l.r.sources(dir)
	s, problems := src.Settings()
	src.Override(l.r.args.shown(s)...)
	for _, e := range src.Explain() {
		if only == e.Key.Name || only == "" && (c.All || e.Changed()) {
			out.Settings = append(out.Settings, setting(e))
		}
	}
	if only == "" {
		if c.All {
			for _, u := range src.Unknown() {
				out.Unknown = append(out.Unknown, protocol.UnknownSetting{Key: u.Key, From: fmt.Sprintf("%s, %s:%d", u.Level, u.File, u.Line)})
			}
		}
		for _, p := range problems {
			out.Hints = append(out.Hints, p.String())
		}
		for _, h := range src.Hints() {
			out.Hints = append(out.Hints, h.String())
		}
	}
	return out, nil
}

func refused(err error) error {
	code := protocol.BadRequest
	if _, ok := errors.AsType[config.UnknownError](err); ok {
		code = protocol.NotFound
	}
	return &protocol.Error{Code: code, Text: err.Error(), Err: err}
}

// setting is what front ends show of a setting.
func setting(e config.Explanation) protocol.Setting {
	s := protocol.Setting{Key: e.Key.Name, Section: e.Key.Section, Help: e.Key.Help, Allowed: e.Key.Allowed(), Kind: string(e.Key.Kind), Words: e.Key.Words, Default: e.Key.Default, Unused: unused(e.Key)}
	for _, v := range e.Values {
		from := v.Level.String()
		if v.Where != "" {
			from += ", " + v.Where
		}
		s.Sources = append(s.Sources, protocol.SettingSource{Value: v.JSON, From: from, Ignored: v.Ignored})
	}
	return s
}

// unused says why bough does not go by a setting.
func unused(k config.Key) string {
	switch k.User {
	case config.Later:
		return "bough does not use it yet"
	case config.Pi:
		return "only pi uses it"
	case config.PiApp:
		return "only pi-app uses it"
	}
	return ""
}

// Set sets a setting for this run or in the user's file.
func (l *live) Set(ctx context.Context, dir string, c protocol.SetSetting) (protocol.SettingSet, control.Change, error) {
	var (
		set protocol.SettingSet
		k   config.Key
		at  []string
		v   json.RawMessage
		err error
	)
	if c.Unset {
		k, at, err = config.Find(c.Key)
	} else {
		k, at, v, err = config.Parse(c.Key, c.Value)
	}
	if err != nil {
		return set, control.Change{}, refused(err)
	}
	if c.Save {
		was, err := config.Edit(ctx, l.r.paths.SettingsFile(), k, at, v)
		if err != nil {
			return set, control.Change{}, &protocol.Error{Code: protocol.IO, Text: err.Error(), Err: err}
		}
		set.Undo = undo(k, at, was, "")
	} else if !l.forRun(at, v) {
		text := fmt.Sprintf("%s was not set for this run. bough config unset takes it out of your settings.", strings.Join(at, "."))
		return set, control.Change{}, &protocol.Error{Code: protocol.BadRequest, Text: text}
	}
	l.r.readSettings() // what is odd in the files was told at the start
	got, err := l.Get(dir, protocol.GetSettings{Key: k.Name})
	if err == nil && len(got.Settings) == 1 {
		set.Setting = got.Settings[0]
	}
	change, effect := l.change(k)
	set.Effect = effect
	return set, change, err
}

// forRun sets a value for this run, or takes it back if v is nil. It returns false
// if there is none to be taken back.
func (l *live) forRun(path []string, v json.RawMessage) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(l.run)
	l.run = slices.DeleteFunc(l.run, func(f forRun) bool { return slices.Equal(f.path, path) })
	if v != nil {
		l.run = append(l.run, forRun{path, v})
		return true
	}
	return len(l.run) < n
}

// undo is the command that sets a setting back, "" if there is none: what stood
// there was wrong, or has a password.
func undo(k config.Key, path []string, was json.RawMessage, more string) string {
	name := strings.Join(path, ".")
	if was == nil {
		return "bough config unset " + quoteWord(name) + more
	}
	_, _, _, err := config.Parse(name, string(was))
	if err != nil || config.Shown(k, string(was)) != string(was) {
		return ""
	}
	var line bytes.Buffer
	if json.Compact(&line, was) == nil {
		was = line.Bytes()
	}
	dashes := ""
	if was[0] == '-' {
		dashes = " --"
	}
	return "bough config set " + quoteWord(name) + more + dashes + " " + quoteWord(plainText(k, was))
}

// plainText leaves the quotes of a text out, where it is read as one all the same.
func plainText(k config.Key, v json.RawMessage) string {
	var s string
	if err := json.Unmarshal(v, &s); err != nil || s == "" || k.Kind != config.Text && k.Kind != config.Word || json.Valid([]byte(s)) || s[0] == '-' ||
		strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return string(v)
	}
	return s
}

// quoteWord writes a word as a shell reads it.
func quoteWord(s string) string {
	plain := func(r rune) bool {
		return r == '.' || r == '/' || r == '-' || r == '_' || r == ':' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// change says what a new value of a setting changes in live sessions, and when it
// counts.
func (l *live) change(k config.Key) (control.Change, string) {
	const next = "from the next start on"
	switch name := k.Name; {
	case k.User != config.Bough:
		return control.Change{}, unused(k)
	case name == "steeringMode", name == "followUpMode", name == "bough.maxTurns", name == "bough.autoTitle", name == "showCacheMissNotices", name == "branchSummary.reserveTokens",
		strings.HasPrefix(name, "compaction."), strings.HasPrefix(name, "bough.budget."), strings.HasPrefix(name, "retry.") && name != "retry.provider.timeoutMs":
		return control.Change{Options: l.policy}, "at once"
	case name == "retry.provider.timeoutMs", name == "thinkingBudgets", name == "httpIdleTimeoutMs", name == "images.blockImages":
		return control.Change{Model: true}, "at once"
	case name == "defaultTools", name == "shellPath", name == "shellCommandPrefix", name == "bough.bash.defaultTimeout", name == "images.autoResize",
		name == "bough.keepForeignPrompt":
		return control.Change{Setup: true}, "at once"
	case strings.HasPrefix(name, "bough.permission"):
		return control.Change{Options: l.policy, Setup: true}, "at once"
	case name == "hideThinkingBlock", name == "treeFilterMode", name == "bough.treeEnter", name == "branchSummary.skipPrompt", name == "enabledModels", name == "externalEditor", name == "theme":
		return control.Change{}, "at once"
	case name == "defaultThinkingLevel", name == "modelThinkingLevels":
		return control.Change{}, "in new sessions"
	}
	return control.Change{}, next
}

// Again reads the files anew.
func (l *live) Again() control.Change {
	l.r.readSettings() // making the setup anew tells what is odd
	return control.Change{Options: l.policy, Model: true}
}

// policy gives what settings say of the way between two turns.
func (l *live) policy(o *control.Options) {
	s := l.r.current()
	o.AllSteering = s.SteeringMode == "all"
	o.AllFollowUp = s.FollowUpMode == "all"
	o.MaxTurns = 100
	if l.mode.talks() {
		o.MaxTurns = 0
	}
	if s.Bough.MaxTurns != nil {
		o.MaxTurns = int(*s.Bough.MaxTurns)
	}
	o.Retry = retries(s.Retry)
	o.Compaction = control.Compaction{Enabled: s.Compaction.Enabled, For: s.Compaction.For}
	o.CacheNotices = s.CacheMissNotices
	o.AutoTitle = s.Bough.AutoTitle == "model"
	o.BranchReserve = s.BranchSummary.ReserveTokens
	o.Budget = control.Budget(s.Bough.Budget)
	o.Asks = l.canAsk()
}
