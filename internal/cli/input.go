package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/internal/workspace"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/tool/builtin"
)

// maxFileArg is how much text an @file may hold, in bytes.
const maxFileArg = 2 << 20

// prompts makes what is to be said of standard input, files and messages
// (docs/spec/frontends.md A2): the first prompt has all of the first two and the
// first message, each further message is a prompt of its own.
func (r *runner) prompts(ctx context.Context, m mode) ([]protocol.Prompt, error) {
	var parts []string
	var first protocol.Prompt
	glue := "\n\n"
	if !r.env.StdinTerminal && r.env.Stdin != nil {
		b, err := readAll(ctx, r.env.Stdin)
		if err != nil {
			return nil, fmt.Errorf("read standard input: %w", err)
		}
		if s := strings.TrimSpace(strings.ToValidUTF8(string(b), "\uFFFD")); s != "" {
			parts = append(parts, s)
		}
	}
	if m == modeJSON && len(r.args.files) == 0 {
		glue = "" // docs/spec/rpc.md 9
	}
	for _, f := range r.args.files {
		text, image, err := r.fileArg(ctx, f)
		if err != nil {
			return nil, err
		}
		if text != "" {
			parts = append(parts, text)
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
	if first.Text == "" && len(first.Images) == 0 && len(messages) == 0 {
		return nil, fmt.Errorf("there is nothing to say: give a message, a file or standard input, or start without -p to talk")
	}
	out := []protocol.Prompt{first}
	for _, m := range messages {
		out = append(out, protocol.Prompt{Text: m})
	}
	return out, nil
}

// readAll reads to the end, or until ctx ends: then whoever writes may never.
func readAll(ctx context.Context, in io.Reader) (b []byte, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		b, err = io.ReadAll(in)
	}()
	select {
	case <-done:
		return b, err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// fileArg reads one @file.
func (r *runner) fileArg(ctx context.Context, name string) (text string, image *message.Block, err error) {
	ws := workspace.NewLocal(r.env.Dir)
	path, info, err := workspace.Find(ctx, ws, r.env.abs(name))
	if err != nil {
		return "", nil, fmt.Errorf("@%s: %s cannot be read: %w", name, r.env.abs(name), err)
	}
	if !info.Mode().IsRegular() {
		return "", nil, fmt.Errorf("@%s: %s is no regular file", name, path)
	}
	limit := int64(maxFileArg)
	if n, err := strconv.ParseInt(r.env.Getenv("BOUGH_MAX_FILE_ARG"), 10, 64); err == nil && n > 0 {
		limit = n
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", nil, fmt.Errorf("@%s: %w", name, err)
	}
	if len(data) == 0 {
		fmt.Fprintf(r.env.Stderr, "bough: @%s is empty, so it is left out\n", name)
		return "", nil, nil
	}
	attr := fmt.Sprintf("<file name=\"%s\">", escapeAttr(filepath.ToSlash(path)))
	if strings.HasPrefix(http.DetectContentType(data), "image/") {
		note, b, err := r.imageArg(ctx, ws, path)
		if b != nil || err != nil {
			return attr + note + "</file>", b, err
		}
	}
	if int64(len(data)) > limit {
		return "", nil, fmt.Errorf("@%s: %s has %d bytes, more than the %d that are taken; say its name in the prompt instead and let the model read it (or set BOUGH_MAX_FILE_ARG)", name, path, len(data), limit)
	}
	data = bytes.TrimPrefix(data, []byte("\xEF\xBB\xBF"))
	if !utf8.Valid(data) {
		data = bytes.ToValidUTF8(data, []byte("\uFFFD"))
	}
	return attr + "\n" + string(data) + "\n</file>", nil, nil
}

// imageArg makes of an image file what the read tool would: scaled, turned, with
// hints. b is nil if it is no image that a model can be shown.
func (r *runner) imageArg(ctx context.Context, ws workspace.Workspace, path string) (note string, b *message.Block, err error) {
	read := builtin.Tools(ws, builtin.Options{Images: builtin.ImageLimits{KeepSize: !r.settings.Images.AutoResize}})[0]
	out, err := read.Run(ctx, append(append([]byte(`{"path":`), rawjson.Quote(path)...), '}'), nil)
	if err != nil {
		return "", nil, err
	}
	for _, c := range out.Content {
		switch c.Type {
		case message.ImageBlock:
			b = &c
		case message.TextBlock:
			note += c.Text
		}
	}
	return note, b, nil
}

func escapeAttr(s string) string {
	return strings.NewReplacer("&", "&amp;", `"`, "&quot;", "<", "&lt;", ">", "&gt;").Replace(s)
}

// oneLine makes one line of at most n characters of a text.
func oneLine(s string, n int) string {
	s = render.OneLine(strings.Join(strings.Fields(s), " "))
	if r := []rune(s); len(r) > n {
		return string(r[:n-3]) + "..."
	}
	return s
}
