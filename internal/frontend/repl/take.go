package repl

import (
	"errors"
	"strconv"
	"strings"

	"github.com/boughdev/bough/internal/frontend/slash"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/protocol"
)

// take brings something of another branch here.
func (r *repl) take(c slash.Command) error {
	cmd, err := r.taking(c)
	if err != nil {
		r.say("%s", sentence(err))
		return nil
	}
	var took protocol.Taken
	failed, err := r.meanwhile(func() (err error) {
		took, err = protocol.Call(r.ctx, r.c, cmd)
		return err
	})
	switch {
	case err != nil:
		return err
	case failed != nil:
		r.failed(failed)
		return nil
	case took.Aborted:
		r.note("(stopped; nothing was taken)")
		return nil
	}
	r.draft, r.summary = nil, nil
	if err := r.await(func() bool { return r.view.Leaf == took.Leaf }); err != nil {
		return err
	}
	if n := len(took.Entries); n == 1 {
		r.say("brought here: %s; /back leaves it again", r.describe(took.Entries[0]))
	} else {
		r.say("brought here: %s, %s to %s; /back leaves them again", render.Plural(n, "message", "messages"), r.number(took.Entries[0]), r.number(took.Entries[n-1]))
	}
	if cmd.What == protocol.TakeSummary {
		r.took(took.Entries[0])
	}
	return nil
}

// taking reads what is to be taken: entries, a word for what of them, and for a
// summary what to look at.
func (r *repl) taking(c slash.Command) (protocol.Take, error) {
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
		if cmd.To, err = r.entry(to); err != nil {
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
		id, err := r.entry(w)
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

// isNumber reports whether a word is a number of an entry.
func isNumber(word string) bool {
	_, err := strconv.ParseUint(strings.TrimPrefix(unbracketed(word), "#"), 10, 32)
	return err == nil
}
