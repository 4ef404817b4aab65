package cli

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/boughdev/bough/internal/lang"
	"github.com/boughdev/bough/internal/setup"
)

// args is a parsed command line.
type args struct {
	setup.Options // how sessions are set up

	messages []string // what to say, in order
	files    []string // @file, without the @

	print, repl, help, version   bool
	tuiMode                      string // "": as the settings have it
	mode                         string // text, json, rpc
	cont, resume                 bool
	session, sessionID, fork, at string
	sessionDir                   string
	noSession                    bool
	attach, noAttach             bool
	inService                    bool   // bough attach: open it in the service
	export                       string // a session file
	allBranches                  bool
	name                         string
	provider, model, apiKey      string
	thinking                     string
	hasThinking                  bool
	models                       string
	listModels                   bool
	listQuery                    string
	permissionMode               string
	verbose                      bool
	offline, quiet, ascii        bool
	lang                         string
	screenReader                 bool
	useTheme                     string
	maxTurns                     int      // -1: not given
	warn                         []string // what is odd about options that are accepted all the same
}

// How an option takes a value.
type valueKind int

const (
	flag     valueKind = iota // none
	value                     // the next word, whatever it is, or what follows =
	words                     // likewise, and it may be empty
	optional                  // the next word if it looks like none of an option
	message1                  // --print: the next word, if it is one, is a message
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

// options are all options in the order of the help (docs/spec/frontends.md A3).
func options() []option {
	str := func(p func(*args) *string) func(*args, string) error {
		return func(a *args, v string) error { *p(a) = v; return nil }
	}
	on := func(p func(*args) *bool) func(*args, string) error {
		return func(a *args, v string) error { *p(a) = true; return nil }
	}
	return []option{
		{"print", "p", message1, "", "answer on standard output and end", on(func(a *args) *bool { return &a.print })},
		{"mode", "", value, "MODE", "text, json: every event as a line, or rpc", setMode},
		{"repl", "", flag, "", "line by line instead of the terminal UI, also in pipes", on(func(a *args) *bool { return &a.repl })},
		{"tui-mode", "", value, "MODE", "terminal UI: fullscreen, or regular (the terminal's own scrolling)", func(a *args, v string) error {
			if v != "fullscreen" && v != "regular" {
				return fmt.Errorf("--tui-mode is fullscreen or regular, not %q", v)
			}
			a.tuiMode = v
			return nil
		}},
		{"continue", "c", flag, "", "go on with the last session of this folder", on(func(a *args) *bool { return &a.cont })},
		{"resume", "r", flag, "", "choose a session to go on with", on(func(a *args) *bool { return &a.resume })},
		{"session", "", value, "PATH|ID", "open this session; a path where nothing is begins one there", str(func(a *args) *string { return &a.session })},
		{"session-id", "", value, "ID", "open the session of exactly this id in this folder, or begin it", str(func(a *args) *string { return &a.sessionID })},
		{"fork", "", value, "PATH|ID", "begin a session as a copy of this one, all branches included", str(func(a *args) *string { return &a.fork })},
		{"at", "", value, "ENTRY", "stand at this entry or label (with -c, -r, --session or --fork)", str(func(a *args) *string { return &a.at })},
		{"session-dir", "", value, "DIR", "keep and look for sessions in this folder", str(func(a *args) *string { return &a.sessionDir })},
		{"attach", "", optional, "[PATH|ID]", "join a session that is open in another bough, and do not open it here", setAttach},
		{"no-attach", "", flag, "", "work beside another bough that has the session open, as a branch of its own", on(func(a *args) *bool { return &a.noAttach })},
		{"no-session", "", flag, "", "keep nothing on disk", on(func(a *args) *bool { return &a.noSession })},
		{"name", "n", value, "NAME", "name the session", setName},
		{"provider", "", words, "NAME", "provider of --model", str(func(a *args) *string { return &a.provider })},
		{"model", "", words, "MODEL", "id, provider/id or part of a name; :LEVEL sets the thinking level", str(func(a *args) *string { return &a.model })},
		{"api-key", "", value, "KEY", "key for this run; an environment variable is safer", str(func(a *args) *string { return &a.apiKey })},
		{"thinking", "", words, "LEVEL", "off, minimal, low, medium, high, xhigh or max", func(a *args, v string) error {
			a.thinking, a.hasThinking = v, true
			return nil
		}},
		{"models", "", words, "LIST", "models to choose the first from, names or patterns", str(func(a *args) *string { return &a.models })},
		{"list-models", "", optional, "[TEXT]", "list the models that can be asked", func(a *args, v string) error {
			a.listModels, a.listQuery = true, v
			return nil
		}},
		{"tools", "t", words, "LIST", "just these tools (* is a pattern), or +NAME,-NAME to change the usual set", func(a *args, v string) error {
			a.Tools, a.HasTools = split(v), true
			return nil
		}},
		{"exclude-tools", "xt", words, "LIST", "leave out these tools; may be given several times", func(a *args, v string) error {
			a.ExcludeTools = append(a.ExcludeTools, split(v)...)
			return nil
		}},
		{"no-builtin-tools", "nbt", flag, "", "no built-in tools but those of --tools", on(func(a *args) *bool { return &a.NoBuiltin })},
		{"no-tools", "nt", flag, "", "no tools but those of --tools", on(func(a *args) *bool { return &a.NoTools })},
		{"system-prompt", "", words, "TEXT|PATH", "say this in place of the first part of the system prompt", str(func(a *args) *string { return &a.SystemPrompt })},
		{"append-system-prompt", "", words, "TEXT|PATH", "add this to the system prompt; may be given several times", func(a *args, v string) error {
			a.AppendPrompt = append(a.AppendPrompt, v)
			return nil
		}},
		{"no-context-files", "nc", flag, "", "do not read AGENTS.md and the like", on(func(a *args) *bool { return &a.NoContext })},
		{"skill", "", value, "PATH", "use this skill, or those in this folder; may be given several times", func(a *args, v string) error {
			a.Skills = append(a.Skills, v)
			return nil
		}},
		{"prompt-template", "", value, "PATH", "use this prompt template, or those in this folder; likewise", func(a *args, v string) error {
			a.Templates = append(a.Templates, v)
			return nil
		}},
		{"theme", "", value, "PATH", "have this theme, or those in this folder; likewise", func(a *args, v string) error {
			a.Themes = append(a.Themes, v)
			return nil
		}},
		{"use-theme", "", value, "NAME", "theme of this run: system, dark, light, one of a file, or two as LIGHT/DARK", str(func(a *args) *string { return &a.useTheme })},
		{"no-skills", "ns", flag, "", "no skills but those of --skill", on(func(a *args) *bool { return &a.NoSkills })},
		{"no-prompt-templates", "np", flag, "", "no templates but those of --prompt-template", on(func(a *args) *bool { return &a.NoTemplates })},
		{"no-themes", "", flag, "", "no themes but those of --theme", on(func(a *args) *bool { return &a.NoThemes })},
		{"max-turns", "", value, "N", "end a run after N turns (0: no limit)", setMaxTurns},
		{"approve", "a", flag, "", "trust what the project brings along, for this run", on(func(a *args) *bool { return &a.Approve })},
		{"no-approve", "na", flag, "", "leave it out", on(func(a *args) *bool { return &a.NoApprove })},
		{"permission-mode", "", value, "MODE", "what tools may do without a question: auto, auto-edit, ask or read-only", setPermissionMode},
		{"no-mcp", "", flag, "", "start no MCP servers", on(func(a *args) *bool { return &a.NoMCP })},
		{"offline", "", flag, "", "no use of the network by itself", on(func(a *args) *bool { return &a.offline })},
		{"export", "", value, "FILE", "write a session as a page and end: --export FILE [OUT], see bough help export", func(a *args, v string) error { a.export = v; return nil }},
		{"all-branches", "", flag, "", "with --export: the whole tree", on(func(a *args) *bool { return &a.allBranches })},
		{"quiet", "q", flag, "", "leave out what is not the answer", on(func(a *args) *bool { return &a.quiet })},
		{"verbose", "", flag, "", "begin with the header also where the setting quietStartup leaves it out", on(func(a *args) *bool { return &a.verbose })},
		{"screen-reader", "", flag, "", "plain lines, each written once, and lists with numbers", on(func(a *args) *bool { return &a.screenReader })},
		{"ascii", "", flag, "", "draw trees with plain characters", on(func(a *args) *bool { return &a.ascii })},
		{"lang", "", value, "LANGUAGE", "language of the terminal UI: en or zh-CN; without it that of the system", setLanguage},
		{"help", "h", flag, "", "this text", on(func(a *args) *bool { return &a.help })},
		{"version", "v", flag, "", "the version", on(func(a *args) *bool { return &a.version })},

		// Accepted, with a warning or in silence.
		{"extension", "e", value, "PATH", "", without("--extension", "JavaScript extensions do not run in bough")},
		{"no-extensions", "ne", flag, "", "", without("--no-extensions", "JavaScript extensions do not run in bough anyway")},

		// Known and still to come: saying so beats an unknown option.
		{"read-only", "", flag, "", "", missing("--read-only", "bough tree and bough context look at a session without changing it")},
	}
}

func silent(*args, string) error { return nil }

// without is an option that has no effect here, and why.
func without(name, why string) func(*args, string) error {
	return func(a *args, _ string) error {
		if w := fmt.Sprintf("%s has no effect: %s", name, why); !slices.Contains(a.warn, w) {
			a.warn = append(a.warn, w)
		}
		return nil
	}
}

// missing is an option that this version lacks, and what helps.
func missing(name, instead string) func(*args, string) error {
	return func(*args, string) error { return fmt.Errorf("this version has no %s yet. %s", name, instead) }
}

func setMode(a *args, v string) error {
	if !slices.Contains([]string{"text", "json", "rpc"}, v) {
		return fmt.Errorf("--mode %s: use text or json", v)
	}
	a.mode = v
	return nil
}

func setAttach(a *args, v string) error {
	a.attach = true
	if v != "" {
		a.session = v
	}
	return nil
}

func setName(a *args, v string) error {
	if strings.TrimSpace(v) == "" {
		return errors.New("--name needs a name that is not blank")
	}
	a.name = v
	return nil
}

func setMaxTurns(a *args, v string) error {
	n, err := strconv.ParseUint(v, 10, 31)
	if err != nil {
		return fmt.Errorf("--max-turns %s: use a whole number, 0 for no limit", v)
	}
	a.maxTurns = int(n)
	return nil
}

func setLanguage(a *args, v string) error {
	if _, err := lang.Parse(v); err != nil {
		return fmt.Errorf("--lang %s: use en or zh-CN", v)
	}
	a.lang = v
	return nil
}

// split makes a list of what stands between commas.
func split(list string) []string {
	var out []string
	for _, s := range strings.Split(list, ",") {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	return out
}
