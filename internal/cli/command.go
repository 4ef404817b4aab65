package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/session/filestore"
)

// command is a subcommand. A word is one only as the very first argument
// (docs/spec/frontends.md A-01).
type command struct {
	name    string
	words   string // what it takes, for the help
	help    string
	more    string // what else its own help says; "" if nothing
	options []commandOption
	run     func(ctx context.Context, env Env, opts map[string]string, words []string) error
}

// commandOption is an option of a subcommand: a flag if arg is "".
type commandOption struct{ name, arg, help string }

var (
	jsonOption = commandOption{"--json", "", "print JSON"}
	liveOption = commandOption{"--live", "", "as bough goes on with it, not as pi reads it: where the conversation stands\n(not at the last line), and with what can be saved of damaged lines"}
	dirOption  = commandOption{"--session-dir", "DIR", "look for sessions in this folder"}
)

// commands are all subcommands in the order of the help.
func commands() []command {
	return []command{
		{"tree", "FILE|ID", "print a session's tree",
			"#N is the N-th entry of the session, and > stands where the conversation does; the\nother ways on from a place stand right below it, one level in.\n\n" +
				"With --json each entry is a line: id, parentId, type, role, timestamp, preview,\nlabel, children (how many, markers of the place not counted: 2 or more make a branch\npoint), onPath; roots first, each entry before what is below it.\n",
			treeOptions(), treeCommand},
		{"context", "FILE|ID", "print what a model sees at the leaf",
			"Each line has the number of an entry in the conversation, who speaks, how many tokens\nthat is at a guess (and what part of all), and what it says. With --json it is one\nobject: messages, thinkingLevel, model.\n\n" +
				"With --json --tokens each entry is a line: id, index, role, seen (seen, replaced,\nhidden), tokens, was (without the edit). The last line has the sums: tokens, told (what\nthe model counted at its last answer; 0 if that no longer holds), behind (estimated\nafter it), compacted (entries), saved (tokens).\n",
			[]commandOption{
				jsonOption, {"--tokens", "", "with --json: what each entry takes in place of what it says"}, liveOption,
				{"--leaf", "ENTRY", "at this entry: its id, #N of bough tree, or label"},
				dirOption,
			}, contextCommand},
		{"sessions", "[WORD ...]", "list, search, show, rename, trash and restore sessions", sessionsHelp(), nil, nil}, // see sessionsMain
		{"show", "FILE|ID", "say what is in a session", "", showOptions(), showCommand},
		exportSpec(),
		statsSpec(),
		mcpCommand(),
		acpCommand(),
		{"doctor", "[FILE|ID [OUT]]", "say what is wrong with a session file, or with all",
			"It only reads. The exit code is 1 if something is damaged, or if pi could not go on.\nWith --repair a new session of all that is left is written beside the file, or to OUT.\n",
			[]commandOption{
				{"--all", "", "go over all sessions, a line each; so does no session at all"},
				{"--repair", "", "write a whole session of what is left"},
				jsonOption, dirOption,
			}, doctorCommand},
		configSpec(),
		{"import", "FILE ...", "make sessions of files from elsewhere",
			"A session file is copied into the store; with an id that is taken it gets another.\nA headerless tree, that is lines of {id, parentId, message} with messages as of\nOpenAI's chat API, becomes a session with all its branches. Files are only read.\n",
			[]commandOption{
				{"--again", "", "also what was imported before"},
				dirOption,
			}, importCommand},
		{"list", "", "list skills, templates, themes and extensions, and where each is from", resourcesHelp, resourcesOptions(), resourcesCommand},
		{"trust", "[list | yes [DIR] | no [DIR] | forget [DIR]]", "say or change whether a project is trusted", trustHelp, nil, trustCommand},
		{"conformance", "dump FILE | list DIR | apply FILE OPS", "readings of session files for tests",
			"dump prints all readings of a session file, list those of a folder of them, and\napply carries out the operations of a JSON file on a session file.\n", nil, conformanceCommand},
		serveCommand(),
		attachCommand(),
		authCommands(),
		modelsCommand(),
		{"help", "[TOPIC]", "print help, or more of a command or an option", "", nil, helpCommand},
	}
}

// treeOptions are those of bough tree.
func treeOptions() []commandOption {
	return []commandOption{
		jsonOption, liveOption,
		{"--preview", "", fmt.Sprintf("with --json: previews also in a session of more than %d entries", previewLimit)},
		{"--ids", "", "with the ids of the entries"},
		{"--ascii", "", "draw with plain characters"},
		{"--all", "", "also entries that are only bookkeeping"},
		{"--classic", "", "indent below every branch point"},
		dirOption,
	}
}

// missingCommands are words that are commands in pi or will be commands in bough,
// and what helps until then.
func missingCommands() map[string]string {
	packages := "bough fetches no packages."
	web := "bough --repl talks on a terminal and in pipes, bough --mode json feeds programs."
	return map[string]string{
		"install": packages, "remove": packages, "uninstall": packages, "update": packages,
		"web": web, "pair": web, "devices": web,
		"try": "/branch N in a conversation begins another way from an earlier entry.",
	}
}

// commandOf runs the subcommand that a command line begins with, if it does.
func commandOf(ctx context.Context, env Env) (found bool, err error) {
	if len(env.Args) == 0 {
		return false, nil
	}
	name := env.Args[0]
	if instead, ok := missingCommands()[name]; ok {
		return true, fmt.Errorf("this version has no bough %s yet. %s To say the word to a model: bough -- %s", name, instead, name)
	}
	all := commands()
	i := slices.IndexFunc(all, func(c command) bool { return c.name == name })
	if i < 0 {
		words, err := mistyped(ctx, env)
		if words == nil {
			return err != nil, err
		}
		env.Args = words
		return commandOf(ctx, env)
	}
	switch name {
	case "help":
		// Behind it options are what is asked about.
		if words := env.Args[1:]; len(words) > 0 && words[0] != "--help" && words[0] != "-h" {
			return true, helpCommand(ctx, env, nil, words)
		}
	case "sessions":
		return true, sessionsMain(ctx, env, env.Args[1:])
	case "acp":
		return true, acpMain(ctx, env, env.Args[1:])
	case "attach":
		return true, attachMain(ctx, env, env.Args[1:])
	case "mcp":
		return true, mcpMain(ctx, env, env.Args[1:])
	}
	return true, all[i].main(ctx, env, env.Args[1:])
}

// main parses the options of a subcommand and runs it.
func (c command) main(ctx context.Context, env Env, words []string) error {
	opts := map[string]string{}
	var rest []string
	for i := 0; i < len(words); i++ {
		w := words[i]
		if w == "--" {
			rest = append(rest, words[i+1:]...)
			break
		}
		if w == "--help" || w == "-h" {
			_, err := io.WriteString(env.Stdout, c.helpText())
			return err
		}
		if !strings.HasPrefix(w, "-") || w == "-" {
			rest = append(rest, w)
			continue
		}
		name, v, inline := strings.Cut(w, "=")
		k := slices.IndexFunc(c.options, func(o commandOption) bool { return o.name == name })
		switch {
		case k < 0:
			return c.usage("unknown option %s", oneLine(name, 40))
		case c.options[k].arg == "" && inline:
			return c.usage("%s takes no value", name)
		case c.options[k].arg == "":
			v = "true"
		case !inline && i+1 < len(words):
			i++
			v = words[i]
		}
		if v == "" {
			return c.usage("%s needs a value: %s %s", name, name, c.options[k].arg)
		}
		opts[name] = v
	}
	return c.run(ctx, env, opts, rest)
}

// usage is an error of a subcommand's own command line.
func (c command) usage(format string, args ...any) error {
	return usage{fmt.Errorf("%s: %s", c.name, fmt.Sprintf(format, args...)), "bough " + c.name + " --help"}
}

func commandUsage(name, format string, args ...any) error {
	return command{name: name}.usage(format, args...)
}

// find returns the store and the path of the session of a path or id.
func find(ctx context.Context, env Env, opts map[string]string, words []string) (filestore.Store, string, error) {
	r, err := newRunner(env, &args{sessionDir: opts["--session-dir"], maxTurns: -1})
	if err != nil {
		return filestore.Store{}, "", err
	}
	word := words[0]
	if filestore.IsPath(word) || fileExists(env.abs(word)) {
		return r.store, env.abs(word), nil
	}
	head, err := r.lookup(ctx, word)
	return r.store, head.Path, err
}

// oneSession opens the session that is the one word of a subcommand. JSON tells the
// plain reading of it unless the live one is asked for, people see the live one
// (docs/spec/README.md 15 and 28).
func oneSession(ctx context.Context, env Env, opts map[string]string, words []string) (*session.Session, error) {
	store, path, err := find(ctx, env, opts, words)
	if err != nil {
		return nil, err
	}
	store.Live = opts["--json"] == "" || opts["--live"] != ""
	s, err := session.Open(ctx, store, path)
	if err != nil {
		return openHeaderless(env, path, err)
	}
	return s, nil
}
