package cli

import (
	"fmt"
	"strings"
)

// subcommands in the order of the help.
var subcommandHelp = []struct{ name, arg, help string }{
	{"tree", "FILE|ID", "print a session's tree"},
	{"context", "FILE|ID", "print what a model sees at the leaf (--leaf ID, --json)"},
	{"sessions", "list [--all]", "list sessions (--json)"},
	{"conformance", "dump|list|apply", "readings of session files for tests"},
}

func helpText() string {
	var b strings.Builder
	b.WriteString(`bough is a coding agent whose conversations are trees.

usage: bough [options] [--] [@FILE ...] [MESSAGE ...]
       bough COMMAND [options]

Without a message bough talks with you line by line. With -p it answers and ends.
In a conversation /help lists what can be done; /branch N goes back to entry N
of /history and starts another branch there, in the same file.

options:
`)
	for _, o := range options() {
		if o.help == "" {
			continue
		}
		left := "--" + o.long
		if o.short != "" {
			left = "-" + o.short + ", " + left
		} else {
			left = "    " + left
		}
		if o.arg != "" {
			left += " " + o.arg
		}
		fmt.Fprintf(&b, "  %-34s %s\n", left, o.help)
	}
	b.WriteString("\ncommands:\n")
	for _, c := range subcommandHelp {
		fmt.Fprintf(&b, "  %-34s %s\n", c.name+" "+c.arg, c.help)
	}
	b.WriteString(`
models: set a key (ANTHROPIC_API_KEY, OPENAI_API_KEY, OPENROUTER_API_KEY, ...), or
describe a server in models.json of the agent folder (~/.pi/agent, shared with pi).
With neither, bough offers a small offline model so that you can try the tree.

exit codes: 0 done; 1 an error, or an answer that failed; 129, 130, 143 after a
hang-up, an interrupt, a termination.
`)
	return b.String()
}
