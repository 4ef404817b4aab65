package slash

import "strings"

// Summarizing takes "--summary WORDS" off the end of a command. nil: it is not there.
func Summarizing(c Command) (Command, *string) {
	const sign = "--summary"
	for at := 0; ; {
		i := strings.Index(c.Rest[at:], sign)
		if i < 0 {
			return c, nil
		}
		i += at
		at = i + len(sign)
		words := c.Rest[at:]
		alone := (i == 0 || strings.ContainsRune(" \t", rune(c.Rest[i-1]))) && (words == "" || strings.ContainsRune(" \t\n", rune(words[0])))
		if !alone {
			continue
		}
		words = strings.TrimSpace(words)
		c.Rest = strings.TrimSpace(c.Rest[:i])
		return c, &words
	}
}
