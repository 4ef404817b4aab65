package builtin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/boughdev/bough/internal/workspace"
	"github.com/boughdev/bough/message"
)

var findSpec = message.ToolSpec{
	Name:        "find",
	Description: "Lists files and folders whose path matches a glob pattern. Leaves out what .gitignore does.",
	Parameters: message.Value(`{"type":"object","properties":{` +
		`"pattern":{"type":"string","description":"*.go at any depth; src/*.go only in src; **/test/*.go in every test"},` +
		`"path":{"type":"string","description":"Folder; default: the project folder"},` +
		`"limit":{"type":"number","description":"Default 1000"}},"required":["pattern"]}`),
	Prompt: "find files by name",
}

const findLimit = 1000

// find runs the find tool.
func (s *set) find(ctx context.Context, a *arguments, _ func(message.Output)) message.Output {
	pattern := a.text("pattern")
	name, path := a.folder(s, "path")
	limit := a.limit("limit", findLimit)
	below := pattern
	if rest, ok := strings.CutPrefix(pattern, strings.TrimSuffix(filepath.ToSlash(path), "/")+"/"); ok {
		below = "/" + rest // it was absolute
	}
	g, err := newNameGlob(below)
	if err != nil && len(a.wrong) == 0 {
		a.complain("pattern: %v", err)
	}
	if out, bad := a.refused(); bad {
		return out
	}
	info, err := s.ws.Stat(ctx, path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return s.missing(ctx, "folder", name, path)
	case err != nil:
		return trouble("search", name, err)
	case !info.IsDir():
		return fail("%s is not a folder.", name)
	}
	var lines []string
	more, missed := false, 0
	for e, err := range workspace.Walk(ctx, s.ws, path) {
		if err != nil {
			return trouble("search", name, err)
		}
		if e.Err != nil {
			missed++
			continue
		}
		if !g.match(e.Rel, e.Type.IsDir()) {
			continue
		}
		if more = len(lines) == limit; more {
			break
		}
		if e.Type.IsDir() {
			e.Rel += "/"
		}
		lines = append(lines, e.Rel)
	}
	if len(lines) == 0 {
		return message.TextOutput(fmt.Sprintf("Nothing in %s matches %s.", name, pattern))
	}
	var notes []string
	d := newObject()
	if more {
		notes = append(notes, fmt.Sprintf("There are more than %d; narrow the pattern or raise limit.", limit))
		d.num("resultLimitReached", limit)
	}
	if missed > 0 {
		notes = append(notes, unread(missed))
	}
	return listing(lines, notes, d)
}

// listing makes the result of a list, cut at the limit of bytes.
func listing(lines, notes []string, d *object) message.Output {
	text, t := headOfLines(lines)
	if t.cut() {
		notes = append(notes, fmt.Sprintf("Cut at %s: %d of %d shown.", size(maxBytes), t.outputLines, t.totalLines))
		d.raw("truncation", t.json())
	}
	out := message.TextOutput(text + sentence(notes))
	out.Details = d.unlessEmpty()
	return out
}
