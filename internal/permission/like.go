package permission

import (
	"slices"
	"strings"
)

// likeCommand are the rules that would allow a command and its like. Of programs that
// have commands of their own that is the program with this command; of others, which
// may do anything with other words, it is just this one.
func (x *judged) likeCommand() []Rule {
	if !x.shell.plain {
		return nil
	}
	var out []Rule
	if !x.eachPart(func(s simple, reads bool) bool {
		if reads {
			return true
		}
		arg, ok := likeArg(s.words)
		if !ok {
			return false
		}
		r := Rule{x.Call.Tool, arg, true}
		if !slices.Contains(out, r) {
			out = append(out, r)
		}
		return true
	}) {
		return nil
	}
	return out
}

// likeArg is the pattern of a command and its like. Of a word with a blank in it none
// can be told from two words, so there is none then: it would allow another command.
func likeArg(words []string) (pattern string, ok bool) {
	if len(words) > 1 && hasCommands(words[0]) && isCommand(words[1]) {
		return escape(words[0]+" "+words[1]) + " *", true
	}
	if slices.ContainsFunc(words, func(w string) bool { return strings.ContainsAny(w, " \t\n") }) {
		return "", false
	}
	return escape(strings.Join(words, " ")), true
}

// hasCommands reports whether the first word behind the name of a program says what it
// does.
func hasCommands(program string) bool {
	switch program {
	case "git", "go", "cargo", "npm", "pnpm", "yarn", "bun", "make", "just", "dotnet", "mvn", "gradle", "docker", "kubectl", "gh", "pip", "uv", "poetry", "bundle", "mix", "swift", "zig":
		return true
	}
	return false
}

// isCommand reports whether a word is a command of a program which does not run
// whatever comes behind it.
func isCommand(w string) bool {
	switch w {
	case "run", "exec", "x", "dlx", "tool", "config", "api", "alias":
		return false
	}
	return strings.Trim(w, "abcdefghijklmnopqrstuvwxyz-") == "" && w[0] != '-'
}
