package slash

import (
	"strconv"
	"strings"
)

// Meant returns the command of the REPL that words without a slash look like, such as
// "/branch 1" for "branch 1", or "". Such words are said to the model all the same:
// they may be meant.
func Meant(words string) string {
	f := strings.Fields(words)
	if len(f) == 0 || len(f) > 2 || strings.Contains(words, "\n") {
		return ""
	}
	s, ok := Find(strings.ToLower(f[0]))
	if !ok || s.Later || s.Where&REPL == 0 {
		return ""
	}
	if len(f) == 1 {
		return "/" + s.Name
	}
	if s.Args == "" || !isNumber(f[1]) && !strings.HasPrefix(f[1], "--") {
		return ""
	}
	return "/" + s.Name + " " + f[1]
}

// isNumber reports whether a word is a number of an entry: 1, #1, [1], [#1].
func isNumber(word string) bool {
	if inner, ok := strings.CutPrefix(word, "["); ok {
		if word, ok = strings.CutSuffix(inner, "]"); !ok {
			return false
		}
	}
	_, err := strconv.ParseUint(strings.TrimPrefix(word, "#"), 10, 32)
	return err == nil
}
