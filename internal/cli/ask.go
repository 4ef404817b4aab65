package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/boughdev/bough/internal/frontend/tui"
)

// errCancelled ends the program with code 0: the user chose nothing.
var errCancelled = errors.New("cancelled")

// ask puts a question to the person at the terminal and returns one of the
// letters; the last of them is what no answer means.
func (r *runner) ask(ctx context.Context, question, letters string) byte {
	for {
		fmt.Fprintf(r.env.Stderr, "%s ", question)
		line, err := r.line(ctx)
		answer := strings.ToLower(strings.TrimSpace(line))
		if len(answer) > 0 && strings.IndexByte(letters, answer[0]) >= 0 {
			return answer[0]
		}
		if err != nil || answer == "" {
			return letters[len(letters)-1]
		}
	}
}

// askLetter asks which of some answers it is to be, "(f)ork it here", and returns its
// letter. No answer is the last one.
func (r *runner) askLetter(ctx context.Context, question string, answers ...string) byte {
	letter := func(answer string) byte { return answer[strings.IndexByte(answer, '(')+1] }
	if r.screens {
		i, err := tui.Ask(ctx, r.screen(), "bough", question, answers...)
		if err != nil {
			i = len(answers) - 1 // as if there were no answer
		}
		return letter(answers[i])
	}
	last := len(answers) - 1
	letters := ""
	for _, a := range answers {
		letters += string(letter(a))
	}
	return r.ask(ctx, question+": "+strings.Join(answers[:last], ", ")+", or "+answers[last]+"?", letters)
}

// askWhich lets the person at the terminal choose one of some rows.
func (r *runner) askWhich(ctx context.Context, rows []string) (i int, ok bool) {
	for i, row := range rows {
		fmt.Fprintf(r.env.Stderr, "%3d  %s\n", i+1, row)
	}
	for {
		fmt.Fprintf(r.env.Stderr, "Which one, 1 to %d (Enter: none)? ", len(rows))
		line, err := r.line(ctx)
		line = strings.TrimSpace(line)
		if n, nerr := strconv.Atoi(line); nerr == nil && n >= 1 && n <= len(rows) {
			return n - 1, true
		}
		if err != nil || line == "" {
			return 0, false
		}
	}
}

// line reads a line of standard input, and nothing behind it. A signal ends the
// waiting.
func (r *runner) line(ctx context.Context) (string, error) {
	type read struct {
		line string
		err  error
	}
	done := make(chan read, 1)
	go func() { // nothing but the end of the process ends a read that hangs
		line, err := readLine(r.env.Stdin)
		done <- read{line, err}
	}()
	select {
	case in := <-done:
		return in.line, in.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

func readLine(in io.Reader) (string, error) {
	var line []byte
	for b := make([]byte, 1); ; {
		n, err := in.Read(b)
		if n > 0 && b[0] == '\n' {
			return string(line), nil
		}
		line = append(line, b[:n]...)
		if err != nil {
			return string(line), err
		}
	}
}
