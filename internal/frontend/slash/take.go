package slash

import (
	"errors"
	"strings"

	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// Taking reads what is to be taken: entries, a word for what of them, and for a
// summary what to look at.
func Taking(c Command, entry func(word string) (session.ID, error)) (protocol.Take, error) {
	var cmd protocol.Take
	a, err := c.Args()
	if err != nil {
		return cmd, err
	}
	words := a.Words
	for i, w := range words {
		what := protocol.Taking(w)
		if what != protocol.TakeAnswer && what != protocol.TakeSummary && what != protocol.TakeEntries || i == 0 {
			continue
		}
		cmd.What, cmd.Instructions, words = what, strings.Join(words[i+1:], " "), words[:i]
		break
	}
	if len(words) == 0 {
		return cmd, errors.New("say what to take: /take N, where N is an entry of another branch; /tree shows them")
	}
	if cmd.Instructions != "" && cmd.What != protocol.TakeSummary {
		return cmd, errors.New("only a summary takes words of what to look at: /take N summary WORDS")
	}
	if from, to, ok := span(words); ok {
		words = []string{from}
		if cmd.To, err = entry(to); err != nil {
			return cmd, err
		}
	}
	if cmd.What == "" {
		cmd.What = protocol.TakeAnswer
		if len(words) > 1 || cmd.To != "" {
			cmd.What = protocol.TakeEntries
		}
	}
	for _, w := range words {
		id, err := entry(w)
		if err != nil {
			return cmd, err
		}
		cmd.Entries = append(cmd.Entries, id)
	}
	return cmd, nil
}

// span reads a range of numbers: 5-9, #5-#9, [5]-[9].
func span(words []string) (from, to string, ok bool) {
	if len(words) != 1 {
		return "", "", false
	}
	from, to, ok = strings.Cut(words[0], "-")
	return from, to, ok && isNumber(from) && isNumber(to)
}
