package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/boughdev/bough/internal/config"
)

// mistyped is about a command line that begins with what is almost the name of a
// subcommand, and goes on as that would: a person is asked, others are told. It
// returns the words that were meant, nil if they are for the model.
func mistyped(ctx context.Context, env Env) ([]string, error) {
	words := meant(env)
	if words == nil {
		return nil, nil
	}
	line := oneLine("bough "+strings.Join(words, " "), 80)
	if !env.StdinTerminal || !env.StdoutTerminal {
		return nil, usage{fmt.Errorf("there is no command %q; did you mean %s? To say the words to a model: bough -- %s",
			oneLine(env.Args[0], 40), line, oneLine(strings.Join(env.Args, " "), 80)), "bough --help"}
	}
	r := &runner{env: env, args: &args{}}
	if r.ask(ctx, "Do you mean "+line+"? (y)es, or (n)o: the words are for the model.", "yn") == 'y' {
		return words, nil
	}
	return nil, ctx.Err()
}

// meant returns the command line that a mistyped one stands for, or nil.
func meant(env Env) []string {
	first, rest := env.Args[0], env.Args[1:]
	if strings.Trim(first, "abcdefghijklmnopqrstuvwxyz") != "" || fileExists(env.abs(first)) {
		return nil
	}
	if (first == "login" || first == "logout") && len(rest) <= 1 {
		return append([]string{"auth", first}, rest...)
	}
	for _, c := range commands() {
		if almost(first, c.name) && c.takes(env, rest) {
			return append([]string{c.name}, rest...)
		}
	}
	return nil
}

// almost reports whether a word is a name with a slip in it. Of a short name another
// word may be just one letter away, so there only what is missing, too many or
// swapped counts.
func almost(word, name string) bool {
	n := config.Slips(word, name)
	if n == 0 || n > len(name)/4 {
		return false
	}
	if len(name) >= 6 {
		return true
	}
	sorted := func(s string) string {
		b := []byte(s)
		slices.Sort(b)
		return string(b)
	}
	return len(word) != len(name) || sorted(word) == sorted(name)
}

// takes reports whether words look like those that a subcommand takes.
func (c command) takes(env Env, words []string) bool {
	var plain []string
	for _, w := range words {
		name, _, _ := strings.Cut(w, "=")
		switch {
		case !strings.HasPrefix(w, "-"):
			plain = append(plain, w)
		case name == "-h" || name == "--help":
		case !slices.ContainsFunc(c.options, func(o commandOption) bool { return o.name == name }) && c.run != nil:
			return false
		}
	}
	if len(plain) == 0 {
		return true
	}
	verbs := strings.FieldsFunc(c.words, func(r rune) bool { return r != '-' && (r < 'a' || r > 'z') })
	switch c.name {
	case "sessions":
		verbs = strings.Fields(sessionsWords(" "))
	case "help":
		return len(plain) == 1 && topicHelp(plain[0]) != ""
	case "config":
		if _, _, err := config.Find(plain[0]); err == nil {
			return len(plain) == 1
		}
	}
	if slices.Contains(verbs, plain[0]) {
		return true
	}
	return strings.Contains(c.words, "FILE") && !slices.ContainsFunc(plain, func(w string) bool { return !fileExists(env.abs(w)) && !looksLikeID(w) })
}

// looksLikeID reports whether a word may be the id of a session, or a part of one.
func looksLikeID(word string) bool {
	return len(word) >= 4 && strings.ContainsAny(word, "0123456789") && strings.Trim(word, "0123456789abcdef-") == ""
}
