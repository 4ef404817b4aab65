package compaction

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/session"
)

// Write has the summary of a compaction written: of the history, and with a second
// request of the beginning of a turn that is split. System is left to whoever
// appends it. A history that is larger than the model's window is summed up
// piece by piece, each summary going on from the one before.
func (p *Plan) Write(ctx context.Context, a Asker, instructions string) (session.Compaction, error) {
	w := writer{Asker: a, instructions: instructions, room: roomOf(a.Model.Info())}
	text, err := p.write(ctx, &w)
	if err != nil {
		return session.Compaction{}, err
	}
	info := a.Model.Info()
	return session.Compaction{Summary: text + p.Files.blocksWithin(info.ContextWindow/16), FirstKept: p.FirstKept,
		TokensBefore: p.TokensBefore, Details: p.Files.Details(), Usage: w.used}, nil
}

func (p *Plan) write(ctx context.Context, w *writer) (string, error) {
	text := ""
	if p.Previous != nil {
		text = withoutBlocks(*p.Previous, p.Files)
	}
	var err error
	if len(p.History) > 0 {
		if text, err = w.sum(ctx, Serialise(p.History), text, w.conversation); err != nil {
			return "", err
		}
	}
	if !p.Split {
		return text, nil
	}
	turn, err := w.sum(ctx, Serialise(p.Prefix), "", w.turn)
	if err != nil {
		return "", err
	}
	if text == "" {
		text = noHistory
	}
	return text + turnHeading + turn, nil
}

// writer writes one summary.
type writer struct {
	Asker
	instructions string
	room         int64 // of a request, in tokens; 0: nobody knows
	used         *message.Usage
}

// roomOf is how large the text of a request may be: the window without what the
// answer and our own words take.
func roomOf(i provider.Info) int64 {
	if i.ContextWindow <= 0 {
		return 0
	}
	answer := i.ContextWindow / 4
	if i.MaxTokens > 0 {
		answer = min(i.MaxTokens, i.ContextWindow/2)
	}
	return max(i.ContextWindow-answer-ownWords, i.ContextWindow/4)
}

const (
	ownWords  = 800 // tokens of the instructions, about
	leastRoom = 400 // tokens that a piece of conversation has at least
)

// conversation is the request for a part of the history.
func (w *writer) conversation(talk, before string) string {
	task, quote := newTask, ""
	if before != "" {
		task, quote = nextTask, "<previous-summary>\n"+before+"\n</previous-summary>\n\n"
	}
	return "<conversation>\n" + talk + "\n</conversation>\n\n" + quote + aside(task+layout, w.instructions, w.words())
}

// turn is the request for a part of a turn.
func (w *writer) turn(talk, before string) string {
	if before != "" {
		before = "Summary of what came before in this turn, which yours takes the place of:\n\n" + before + "\n\n"
	}
	return "# Conversation\n\n" + before + talk + "\n\n" + aside(turnTask, w.instructions, w.words())
}

// words is how long a summary may be if the window is small, else 0.
func (w *writer) words() int64 {
	window := w.Model.Info().ContextWindow
	if window <= 0 || window >= 64000 {
		return 0
	}
	return max(window/16, 100)
}

// sum sums a conversation up, in as many requests as it takes. Where the window
// turns out to be smaller than was thought the pieces become smaller.
func (w *writer) sum(ctx context.Context, talk, before string, request func(talk, before string) string) (string, error) {
	for talk != "" {
		if w.room > 0 && weight(before) > w.room/2 {
			before = middleOut(before, w.room/2)
		}
		piece, rest := talk, ""
		if w.room > 0 {
			piece, rest = firstPiece(talk, max(w.room-weight(before), leastRoom))
		}
		text, used, err := w.Ask(ctx, request(piece, before))
		w.used = w.used.Plus(used)
		if smaller := weight(piece+before) / 2; provider.KindOf(err) == provider.Overflow && smaller >= leastRoom {
			w.room = smaller
			continue
		}
		if err != nil {
			return "", err
		}
		before, talk = text, rest
	}
	return before, nil
}

// firstPiece cuts a conversation where one side's words end, as late as the room
// allows. What one side said alone is cut within if it is too long; its next part
// begins the next piece.
func firstPiece(talk string, room int64) (piece, rest string) {
	end := within(talk, room)
	if end == len(talk) {
		return talk, ""
	}
	if i := strings.LastIndex(talk[:end], "\n\n["); i > 0 {
		return talk[:i], talk[i+2:]
	}
	return talk[:end], talk[end:]
}

// weight guesses how many tokens a text takes, and rather too many: scripts other
// than ours take about one a character.
func weight(s string) int64 {
	var n int64 // quarters
	for _, c := range s {
		n += quarters(c)
	}
	return (n + 3) / 4
}

func quarters(c rune) int64 {
	switch {
	case c < 0x80:
		return 1
	case c < 0x2000:
		return 2
	}
	return 4
}

// within returns how many bytes of the beginning of s have that weight at most; at
// least one character.
func within(s string, most int64) int {
	n := int64(0)
	for i, c := range s {
		if n += quarters(c); n > 4*most && i > 0 {
			return i
		}
	}
	return len(s)
}

// middleOut leaves out the middle of a text, so that about so many tokens stay.
func middleOut(s string, most int64) string {
	if weight(s) <= most {
		return s
	}
	head := within(s, most/2)
	tail := len(s)
	for n := int64(0); tail > head; {
		c, size := utf8.DecodeLastRuneInString(s[:tail])
		if n += quarters(c); n > 2*most {
			break
		}
		tail -= size
	}
	return s[:head] + "\n[...]\n" + s[tail:]
}

// withoutBlocks takes the lists of files from the end of a summary that was made
// before, which the new one has again.
func withoutBlocks(s string, f Files) string {
	read, modified := f.Lists()
	known := map[string]bool{}
	for _, list := range [][]string{read, modified} {
		for _, path := range list {
			known[path] = true
		}
	}
	for _, tag := range []string{"modified-files", "read-files"} {
		body, ok := strings.CutSuffix(rawjson.ToValid(s), "\n</"+tag+">")
		at := strings.LastIndex(body, "\n\n<"+tag+">\n")
		if !ok || at < 0 {
			continue
		}
		all := true
		for line := range strings.Lines(body[at+len(tag)+5:]) {
			line = strings.TrimSuffix(line, "\n")
			all = all && (known[line] || strings.HasPrefix(line, moreFiles))
		}
		if all {
			s = s[:at]
		}
	}
	return s
}
