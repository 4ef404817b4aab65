package builtin

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/boughdev/bough/message"
)

var writeSpec = message.ToolSpec{
	Name:        "write",
	Description: "Writes a whole file, creating or replacing it. Makes missing folders.",
	Parameters: message.Value(`{"type":"object","properties":{` +
		`"path":{"type":"string","description":"The file, relative or absolute"},` +
		`"content":{"type":"string"}},"required":["path","content"]}`),
	Prompt: "create or replace a file",
	Rules:  []string{"Use write for new files and whole rewrites only."},
}

const (
	maxDiffed = 1 << 20 // bytes of an old file that a new one is compared with
	maxDiff   = maxBytes
)

// write runs the write tool.
func (s *set) write(ctx context.Context, a *arguments, _ func(message.Output)) message.Output {
	name, path := a.path(s, "path")
	content := a.text("content")
	if strings.HasSuffix(name, "/") || strings.HasSuffix(name, string(os.PathSeparator)) {
		a.complain("%s names a folder", name)
	}
	if out, bad := a.refused(); bad {
		return out
	}
	created, diff := false, ""
	err := s.ws.Update(ctx, path, func(old fs.File) ([]byte, error) {
		if created = old == nil; !created {
			if was, ok := readOld(old); ok {
				diff = wholeDiff(was, content)
			}
		}
		return []byte(content), nil
	})
	if err != nil {
		return trouble("write", name, err)
	}
	o := newObject()
	o.bool("created", created)
	o.num("bytes", len(content))
	o.num("lines", lineCount(content))
	if diff != "" {
		o.str("diff", diff)
	}
	done := "Replaced"
	if created {
		done = "Created"
	}
	out := message.TextOutput(fmt.Sprintf("%s %s, %s.", done, name, size(len(content))))
	out.Details = o.done()
	return out
}

// readOld reads a file to compare another with, if it is text and not too long.
// That it cannot be read is no reason not to replace it.
func readOld(f fs.File) (string, bool) {
	b, err := io.ReadAll(io.LimitReader(f, maxDiffed+1))
	if err != nil || len(b) > maxDiffed || bytes.IndexByte(b, 0) >= 0 || !utf8.Valid(b) {
		return "", false
	}
	return string(b), true
}

// wholeDiff shows what differs between two files, or "" if that is too much.
func wholeDiff(old, new string) string {
	if old == new || len(new) > maxDiffed {
		return ""
	}
	d := diffFiles(old, new, []region{{0, len(old), 0, len(new)}})
	if text := d.display(); len(text) <= maxDiff {
		return text
	}
	return ""
}
