package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// errNothing is returned where there is nothing to say (docs/spec/frontends.md A-28).
var errNothing = errors.New("there is nothing to say: give a message, a file or standard input, or start without -p on a terminal to talk")

// prompts makes what is to be said of standard input, files and messages
// (docs/spec/frontends.md A2): the first prompt has all of the first two and the
// first message, each further message is a prompt of its own. JSON mode puts the
// parts together as pi does, with nothing between them (docs/spec/rpc.md 9).
func (r *runner) prompts(ctx context.Context, m mode) ([]protocol.Prompt, error) {
	var parts []string
	var first protocol.Prompt
	if !m.talks() && m != modeRPC {
		text, err := r.stdin(ctx)
		if err != nil {
			return nil, err
		}
		if text != "" {
			parts = append(parts, text)
		}
	}
	glue, end := "\n\n", ""
	if m == modeJSON {
		glue, end = "", "\n"
	}
	for _, name := range r.args.files {
		text, image, err := r.fileArg(ctx, name)
		if err != nil {
			return nil, err
		}
		if text != "" {
			parts = append(parts, text+end)
		}
		if image != nil {
			first.Images = append(first.Images, *image)
		}
	}
	messages := r.args.messages
	if len(messages) > 0 {
		if messages[0] != "" {
			parts = append(parts, messages[0])
		}
		messages = messages[1:]
	}
	first.Text = strings.Join(parts, glue)
	var out []protocol.Prompt
	if strings.TrimSpace(first.Text) != "" || len(first.Images) > 0 {
		out = append(out, first)
	}
	for _, text := range messages {
		if strings.TrimSpace(text) != "" {
			out = append(out, protocol.Prompt{Text: text})
		}
	}
	if len(out) == 0 {
		return nil, errNothing
	}
	return out, nil
}

// stdin reads standard input to its end, unless it is a terminal. Of a read that
// does not end, a signal is the end.
func (r *runner) stdin(ctx context.Context) (string, error) {
	if r.env.StdinTerminal || r.env.Stdin == nil {
		return "", nil
	}
	type read struct {
		data []byte
		err  error
	}
	done := make(chan read, 1)
	go func() { // nothing but the end of the process ends a read that hangs
		data, err := io.ReadAll(r.env.Stdin)
		done <- read{data, err}
	}()
	select {
	case in := <-done:
		if in.err != nil {
			return "", fmt.Errorf("read standard input: %w", in.err)
		}
		return session.TrimSpace(decoded(in.data)), nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// decoded reads bytes as UTF-8 without a byte order mark. What is none becomes
// U+FFFD.
func decoded(data []byte) string {
	return rawjson.ToValid(strings.TrimPrefix(string(data), "\uFEFF"))
}

// oneLine makes one line of at most n characters of a text, which a terminal may be
// shown.
func oneLine(s string, n int) string {
	s = render.OneLine(s)
	if r := []rune(s); len(r) > n {
		return string(r[:n-3]) + "..."
	}
	return s
}
