package cli

import (
	"fmt"
	"slices"
	"strings"
)

// args is a parsed command line.
type args struct {
	messages []string // what to say, in order
	files    []string // @file, without the @

	print, repl, help, version     bool
	mode                           string // text, json, rpc
	cont, resume                   bool
	session, sessionID, fork, at   string
	sessionDir                     string
	noSession                      bool
	name                           string
	hasName                        bool
	provider, model, apiKey        string
	thinking                       string
	models                         string
	listModels                     bool
	listQuery                      string
	tools, excludeTools            []string
	noBuiltin, noTools             bool
	systemPrompt                   string
	appendPrompt                   []string
	noContext                      bool
	approve, noApprove             bool
	offline, verbose, quiet, ascii bool
	readOnly                       bool
	maxTurns                       int
	lang                           string
	export                         []string
	warn                           []string // options that are accepted without effect
}

// How an option takes a value.
type valueKind int

const (
	flag     valueKind = iota // none
	value                     // the next word, or what follows =
	optional                  // the next word if it looks like none of an option
	message1                  // --print: the next word, if there is one, is a message
)

// option is one option of the command line. The table drives the parser and the
// help.
type option struct {
	long, short string
	kind        valueKind
	arg         string // name of the value, for the help
	help        string // "" hides it
	set         func(a *args, v string) error
}

func options() []option {
	str := func(p func(*args) *string) func(*args, string) error {
		return func(a *args, v string) error { *p(a) = v; return nil }
	}
	on := func(p func(*args) *bool) func(*args, string) error {
		return func(a *args, v string) error { *p(a) = true; return nil }
	}
	list := func(p func(*args) *[]string) func(*args, string) error {
		return func(a *args, v string) error { *p(a) = append(*p(a), v); return nil }
	}
	inert := func(name string) func(*args, string) error {
		return func(a *args, v string) error { a.warn = append(a.warn, name); return nil }
	}
	return []option{
		{"print", "p", message1, "", "answer one prompt on standard output and end", on(func(a *args) *bool { return &a.print })},
		{"mode", "", value, "MODE", "text, json (every event as a line) or rpc", setMode},
		{"repl", "", flag, "", "plain line by line conversation, also in pipes", on(func(a *args) *bool { return &a.repl })},
		{"continue", "c", flag, "", "go on with the last session of this folder", on(func(a *args) *bool { return &a.cont })},
		{"resume", "r", flag, "", "choose a session to go on with", on(func(a *args) *bool { return &a.resume })},
		{"session", "", value, "PATH|ID", "open this session", notBlank("--session", func(a *args) *string { return &a.session })},
		{"session-id", "", value, "ID", "open the session of exactly this id in this folder, or begin it", notBlank("--session-id", func(a *args) *string { return &a.sessionID })},
		{"fork", "", value, "PATH|ID", "begin a session as a copy of this one, all branches included", notBlank("--fork", func(a *args) *string { return &a.fork })},
		{"at", "", value, "ENTRY", "stand at this entry or label", str(func(a *args) *string { return &a.at })},
		{"session-dir", "", value, "DIR", "keep sessions in this folder", str(func(a *args) *string { return &a.sessionDir })},
		{"no-session", "", flag, "", "keep nothing on disk", on(func(a *args) *bool { return &a.noSession })},
		{"name", "n", value, "NAME", "name the session", func(a *args, v string) error {
			a.name, a.hasName = v, true
			if strings.TrimSpace(v) == "" {
				return fmt.Errorf("--name needs a name that is not blank")
			}
			return nil
		}},
		{"provider", "", value, "NAME", "provider of --model", str(func(a *args) *string { return &a.provider })},
		{"model", "", value, "MODEL", "model, as id, provider/id or part of a name; :LEVEL sets the thinking level", str(func(a *args) *string { return &a.model })},
		{"api-key", "", value, "KEY", "key for this run; better: an environment variable", str(func(a *args) *string { return &a.apiKey })},
		{"thinking", "", value, "LEVEL", "off, minimal, low, medium, high, xhigh or max", str(func(a *args) *string { return &a.thinking })},
		{"models", "", value, "LIST", "models to choose the first from, names or patterns", str(func(a *args) *string { return &a.models })},
		{"list-models", "", optional, "[TEXT]", "list the models that can be asked", func(a *args, v string) error {
			a.listModels, a.listQuery = true, v
			return nil
		}},
		{"tools", "t", value, "LIST", "use just these tools, or +NAME,-NAME to change the usual set", func(a *args, v string) error {
			a.tools = append(a.tools, split(v)...)
			return nil
		}},
		{"exclude-tools", "xt", value, "LIST", "leave out these tools", func(a *args, v string) error {
			a.excludeTools = append(a.excludeTools, split(v)...)
			return nil
		}},
		{"no-builtin-tools", "nbt", flag, "", "none of the built-in tools", on(func(a *args) *bool { return &a.noBuiltin })},
		{"no-tools", "nt", flag, "", "no tools at all", on(func(a *args) *bool { return &a.noTools })},
		{"system-prompt", "", value, "TEXT|PATH", "say this in place of the first part of the system prompt", str(func(a *args) *string { return &a.systemPrompt })},
		{"append-system-prompt", "", value, "TEXT|PATH", "add this to the system prompt", list(func(a *args) *[]string { return &a.appendPrompt })},
		{"no-context-files", "nc", flag, "", "do not read AGENTS.md and the like", on(func(a *args) *bool { return &a.noContext })},
		{"max-turns", "", value, "N", "end a run after N turns (0: no limit)", setMaxTurns},
		{"approve", "a", flag, "", "trust the project's own settings for this run", on(func(a *args) *bool { return &a.approve })},
		{"no-approve", "na", flag, "", "do not trust them", on(func(a *args) *bool { return &a.noApprove })},
		{"offline", "", flag, "", "no use of the network by itself", on(func(a *args) *bool { return &a.offline })},
		{"quiet", "q", flag, "", "leave out what is not the answer", on(func(a *args) *bool { return &a.quiet })},
		{"ascii", "", flag, "", "draw trees with plain characters", on(func(a *args) *bool { return &a.ascii })},
		{"verbose", "", flag, "", "say more at the start", on(func(a *args) *bool { return &a.verbose })},
		{"help", "h", flag, "", "this text", on(func(a *args) *bool { return &a.help })},
		{"version", "v", flag, "", "the version", on(func(a *args) *bool { return &a.version })},
		// Known from pi, without effect here.
		{"extension", "e", value, "PATH", "", inert("--extension")},
		{"no-extensions", "ne", flag, "", "", inert("--no-extensions")},
		{"no-mcp", "", flag, "", "", inert("--no-mcp")},
		{"skill", "", value, "PATH", "", inert("--skill")},
		{"prompt-template", "", value, "PATH", "", inert("--prompt-template")},
		{"theme", "", value, "PATH", "", inert("--theme")},
		{"use-theme", "", value, "NAME", "", inert("--use-theme")},
		{"tui-mode", "", value, "MODE", "", inert("--tui-mode")},
		{"no-skills", "ns", flag, "", "", func(*args, string) error { return nil }},
		{"no-prompt-templates", "np", flag, "", "", func(*args, string) error { return nil }},
		{"no-themes", "", flag, "", "", func(*args, string) error { return nil }},
	}
}

func setMode(a *args, v string) error {
	if !slices.Contains([]string{"text", "json", "rpc"}, v) {
		return fmt.Errorf("--mode %s: use text, json or rpc", v)
	}
	a.mode = v
	return nil
}

func setMaxTurns(a *args, v string) error {
	n := 0
	if _, err := fmt.Sscanf(v, "%d", &n); err != nil || n < 0 || fmt.Sprint(n) != v {
		return fmt.Errorf("--max-turns %s: use a number, 0 for no limit", v)
	}
	a.maxTurns = n
	return nil
}

func split(list string) []string {
	var out []string
	for _, s := range strings.Split(list, ",") {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// parse reads a command line in pi's syntax (docs/spec/frontends.md A1): options
// anywhere, short ones of several letters, --opt=value, @file, -- before words
// that begin with a dash.
func parse(words []string) (*args, error) {
	a := &args{maxTurns: -1}
	opts := options()
	for i := 0; i < len(words); i++ {
		w := words[i]
		switch {
		case w == "--":
			for _, w := range words[i+1:] {
				a.word(w)
			}
			i = len(words)
		case strings.HasPrefix(w, "--") || len(w) > 1 && w[0] == '-' && w != "-":
			if strings.HasPrefix(w, "---") {
				a.messages = append(a.messages, w) // front matter
				continue
			}
			used, err := a.option(opts, w, words[i+1:])
			if err != nil {
				return nil, err
			}
			i += used
		default:
			a.word(w)
		}
	}
	return a, a.check()
}

func (a *args) word(w string) {
	if len(w) > 1 && w[0] == '@' {
		a.files = append(a.files, w[1:])
		return
	}
	a.messages = append(a.messages, w)
}

// option takes up one option and returns how many of the words behind it it used.
func (a *args) option(opts []option, w string, rest []string) (int, error) {
	name, inline, hasInline := strings.Cut(w, "=")
	long := strings.HasPrefix(name, "--")
	i := slices.IndexFunc(opts, func(o option) bool {
		return long && name == "--"+o.long || !long && o.short != "" && w == "-"+o.short
	})
	if i < 0 {
		return 0, fmt.Errorf("unknown option %s%s", name, didYouMean(opts, name))
	}
	o := opts[i]
	if !long {
		hasInline = false
	}
	switch o.kind {
	case flag:
		if hasInline {
			return 0, fmt.Errorf("%s takes no value", name)
		}
		return 0, o.set(a, "")
	case message1:
		if err := o.set(a, ""); err != nil {
			return 0, err
		}
		if hasInline {
			a.messages = append(a.messages, inline)
			return 0, nil
		}
		if len(rest) > 0 && !strings.HasPrefix(rest[0], "@") && (!strings.HasPrefix(rest[0], "-") || strings.HasPrefix(rest[0], "---")) {
			a.messages = append(a.messages, rest[0])
			return 1, nil
		}
		return 0, nil
	case optional:
		if hasInline {
			return 0, o.set(a, inline)
		}
		if len(rest) > 0 && !strings.HasPrefix(rest[0], "-") && !strings.HasPrefix(rest[0], "@") {
			return 1, o.set(a, rest[0])
		}
		return 0, o.set(a, "")
	}
	if hasInline {
		return 0, o.set(a, inline)
	}
	if len(rest) == 0 {
		return 0, fmt.Errorf("%s needs a value: %s %s", w, w, o.arg)
	}
	return 1, o.set(a, rest[0])
}

// notBlank sets a text that says which session is meant: an empty variable of a
// script must not silently begin a new one.
func notBlank(name string, field func(*args) *string) func(*args, string) error {
	return func(a *args, v string) error {
		*field(a) = v
		if strings.TrimSpace(v) == "" {
			return fmt.Errorf("%s is empty: say which session", name)
		}
		return nil
	}
}

// check finds options that contradict each other.
func (a *args) check() error {
	given := func(name string, on bool) string {
		if on {
			return name
		}
		return ""
	}
	which := slices.DeleteFunc([]string{given("--session", a.session != ""), given("--continue", a.cont), given("--resume", a.resume),
		given("--fork", a.fork != ""), given("--session-id", a.sessionID != "" && a.fork == "")}, func(s string) bool { return s == "" })
	if len(which) > 1 {
		return fmt.Errorf("%s and %s say different things about which session to open; give one", which[0], which[1])
	}
	switch {
	case a.noSession && a.fork != "":
		return fmt.Errorf("--fork makes a session file, which --no-session forbids")
	case a.noSession && a.resume:
		return fmt.Errorf("--resume opens a session file, which --no-session forbids; --session ID reads one without touching it")
	case a.provider != "" && a.model == "":
		return fmt.Errorf("--provider needs --model")
	case a.at != "" && a.session == "" && a.fork == "" && !a.cont:
		return fmt.Errorf("--at needs --session, --fork or --continue")
	case a.approve && a.noApprove:
		return fmt.Errorf("--approve and --no-approve contradict each other")
	}
	signed, plain := 0, 0
	for _, t := range a.tools {
		if t[0] == '+' || t[0] == '-' {
			signed++
			if strings.ContainsAny(t, "*?[") {
				return fmt.Errorf("--tools %s: patterns cannot have a sign", t)
			}
		} else {
			plain++
		}
	}
	if signed > 0 && plain > 0 {
		return fmt.Errorf("--tools: give names, or only +names and -names, not both")
	}
	return nil
}

// didYouMean names the known option that is nearest to a mistyped one.
func didYouMean(opts []option, name string) string {
	best, at := 4, ""
	for _, o := range opts {
		if o.help == "" {
			continue
		}
		for _, cand := range []string{"--" + o.long, "-" + o.short} {
			if d := distance(name, cand); d < best && d < len(name) && cand != "-" {
				best, at = d, cand
			}
		}
	}
	if at == "" {
		return " (bough --help lists them)"
	}
	return fmt.Sprintf(" (did you mean %s?)", at)
}

// distance counts the letters to change, add or leave out to come from a to b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		prev := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			d := prev
			if a[i-1] != b[j-1] {
				d = 1 + min(prev, row[j], row[j-1])
			}
			prev, row[j] = row[j], d
		}
	}
	return row[len(b)]
}
