package builtin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/boughdev/bough/message"
)

var lsSpec = message.ToolSpec{
	Name:        "ls",
	Description: "Lists a folder, hidden files too. Folders end in /, broken links in @.",
	Parameters: message.Value(`{"type":"object","properties":{` +
		`"path":{"type":"string","description":"Default: the project folder"},` +
		`"limit":{"type":"number","description":"Default 500"}}}`),
	Prompt: "list a folder",
}

const lsLimit = 500

// ls runs the ls tool.
func (s *set) ls(ctx context.Context, a *arguments, _ func(message.Output)) message.Output {
	name, path := a.folder(s, "path")
	limit := a.limit("limit", lsLimit)
	if out, bad := a.refused(); bad {
		return out
	}
	info, err := s.ws.Stat(ctx, path)
	if err == nil && !info.IsDir() {
		return fail("%s is not a folder.", name)
	}
	var entries []fs.DirEntry
	if err == nil {
		entries, err = s.ws.ReadDir(ctx, path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return s.missing(ctx, "folder", name, path)
	} else if err != nil {
		return trouble("list", name, err)
	}
	if len(entries) == 0 {
		return message.TextOutput("(empty folder)")
	}
	slices.SortStableFunc(entries, func(a, b fs.DirEntry) int {
		return strings.Compare(strings.ToLower(a.Name()), strings.ToLower(b.Name()))
	})
	var notes []string
	d := newObject()
	if all := len(entries); all > limit {
		entries = entries[:limit]
		notes = append(notes, fmt.Sprintf("%d of %d shown; raise limit for more.", limit, all))
		d.num("entryLimitReached", limit)
	}
	lines := make([]string, len(entries))
	for i, e := range entries {
		lines[i] = e.Name() + s.mark(ctx, filepath.Join(path, e.Name()), e)
	}
	return listing(lines, notes, d)
}

// mark tells folders and broken links from others.
func (s *set) mark(ctx context.Context, path string, e fs.DirEntry) string {
	if e.IsDir() {
		return "/"
	}
	if e.Type()&fs.ModeSymlink == 0 {
		return ""
	}
	info, err := s.ws.Stat(ctx, path)
	switch {
	case err != nil:
		return "@"
	case info.IsDir():
		return "/"
	}
	return ""
}
