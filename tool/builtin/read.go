package builtin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/internal/workspace"
	"github.com/boughdev/bough/message"
)

var readSpec = message.ToolSpec{
	Name: "read",
	Description: "Reads a file. Text comes back up to 2000 lines or 50KB; use offset and limit for more. " +
		"PNG, JPEG, GIF, WebP and BMP files come back as images.",
	Parameters: message.Value(`{"type":"object","properties":{` +
		`"path":{"type":"string","description":"The file, relative or absolute"},` +
		`"offset":{"type":"number","description":"First line, from 1"},` +
		`"limit":{"type":"number","description":"How many lines"}},"required":["path"]}`),
	Prompt: "read a file",
	Rules:  []string{"Look into files with read, not with cat or sed."},
}

// read runs the read tool.
func (s *set) read(ctx context.Context, a *arguments, _ func(message.Output)) message.Output {
	name, path := a.path(s, "path")
	offset, limit := a.integer("offset"), a.integer("limit")
	if out, bad := a.refused(); bad {
		return out
	}
	path, _, err := workspace.Find(ctx, s.ws, path)
	if errors.Is(err, fs.ErrNotExist) {
		return s.missing(ctx, "file", name, path)
	} else if err != nil {
		return trouble("read", name, err)
	}
	f, err := s.ws.Open(ctx, path)
	if err != nil {
		return trouble("read", name, err)
	}
	defer f.Close()

	// A file may grow while it is read; a size of 0 is that of files that are
	// made when they are read.
	var r io.Reader = f
	info, err := f.Stat()
	if err != nil {
		return trouble("read", name, err)
	}
	if info.Size() > 0 {
		r = io.LimitReader(f, info.Size())
	}
	start := make([]byte, min(info.Size(), sniffLen-1)+1)
	n, err := io.ReadFull(r, start)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return trouble("read", name, err)
	}
	start = start[:n]
	r = io.MultiReader(bytes.NewReader(start), r)
	if kind := ImageKind(start, info.Size()); kind != "" {
		return s.readImage(name, kind, r, info.Size())
	}
	w, err := readWindow(ctx, r, max(offset, 1), max(limit, 0))
	if err != nil {
		return trouble("read", name, err)
	}
	return w.output(name, path)
}

// output makes the result of a window of a file.
func (w *window) output(name, path string) message.Output {
	if w.before.ends < w.first-1 {
		return fail("Offset %d is past the end of %s, which has %s.", w.first, name, count(w.before.ends+1, "line"))
	}
	text, lines, total := rawjson.ToValid(string(w.kept)), w.in.lines(), w.in.bytes
	total += len(text) - len(w.kept)
	if w.after.bytes > 0 { // the last line that was asked for has an end
		total--
		text = text[:min(len(text), total)]
	}
	text, cut := head(text, lines, total, maxLines)
	switch {
	case cut.firstBytes:
		text = fmt.Sprintf("[Line %d has %s, over the limit of %s. Use bash: sed -n '%dp' %s | head -c %d]",
			w.first, size(w.firstLine), size(maxBytes), w.first, shellQuote(path), maxBytes)
	case cut.cut():
		last := w.first + cut.outputLines - 1
		text += fmt.Sprintf("\n\n[Lines %d-%d of %d. Continue with offset=%d.]", w.first, last, w.before.ends+lines+w.after.lines(), last+1)
	case w.after.bytes > 0:
		text += fmt.Sprintf("\n\n[%s left. Continue with offset=%d.]", count(w.after.lines(), "more line"), w.first+lines)
	}
	out := message.TextOutput(text)
	if cut.cut() {
		o := newObject()
		o.raw("truncation", cut.json())
		out.Details = o.done()
	}
	return out
}

// window is a part of a file by lines. What is not kept of the file is counted.
type window struct {
	first, limit int // line, from 1; number of lines, or 0

	before, in, after counter
	kept              []byte // of in, the first maxBytes+1 if there are so many
	firstLine         int    // bytes of the first line, without its end
	firstDone         bool
}

func readWindow(ctx context.Context, r io.Reader, first, limit int) (*window, error) {
	w := &window{first: first, limit: limit}
	buf := make([]byte, 32<<10)
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		n, err := r.Read(buf)
		w.add(buf[:n])
		if err == io.EOF {
			return w, nil
		} else if err != nil {
			return nil, err
		}
	}
}

func (w *window) add(b []byte) {
	if skip := w.first - 1 - w.before.ends; skip > 0 {
		n := endOfLines(b, skip)
		w.before.add(b[:n])
		b = b[n:]
	}
	if w.limit == 0 || w.in.ends < w.limit {
		n := len(b)
		if w.limit > 0 {
			n = endOfLines(b, w.limit-w.in.ends)
		}
		w.in.add(b[:n])
		w.keep(b[:n])
		b = b[n:]
	}
	w.after.add(b)
}

func (w *window) keep(b []byte) {
	if room := maxBytes + 1 - len(w.kept); room > 0 {
		w.kept = append(w.kept, b[:min(room, len(b))]...)
	}
	if w.firstDone {
		return
	}
	n := bytes.IndexByte(b, '\n')
	if w.firstDone = n >= 0; !w.firstDone {
		n = len(b)
	}
	w.firstLine += n
}

// endOfLines returns where the first n lines of b end.
func endOfLines(b []byte, n int) int {
	at := 0
	for ; n > 0; n-- {
		i := bytes.IndexByte(b[at:], '\n')
		if i < 0 {
			return len(b)
		}
		at += i + 1
	}
	return at
}

// counter counts a part of a file.
type counter struct {
	ends, bytes int
	last        byte
}

func (c *counter) add(b []byte) {
	if len(b) > 0 {
		c.ends += bytes.Count(b, []byte{'\n'})
		c.bytes += len(b)
		c.last = b[len(b)-1]
	}
}

// lines counts lines, a final empty one not.
func (c *counter) lines() int {
	if c.bytes > 0 && c.last != '\n' {
		return c.ends + 1
	}
	return c.ends
}

// count writes a number of things.
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// shellQuote quotes an argument for a shell.
func shellQuote(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
