package builtin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/boughdev/bough/internal/workspace"
	"github.com/boughdev/bough/message"
)

var grepSpec = message.ToolSpec{
	Name:        "grep",
	Description: "Searches files for lines that match a regular expression (RE2). Leaves out what .gitignore does, and binary files.",
	Parameters: message.Value(`{"type":"object","properties":{` +
		`"pattern":{"type":"string"},` +
		`"path":{"type":"string","description":"Folder or file; default: the project folder"},` +
		`"glob":{"type":"string","description":"Only these files, e.g. *.go or src/**/*.ts"},` +
		`"ignoreCase":{"type":"boolean"},` +
		`"literal":{"type":"boolean","description":"The pattern is plain text"},` +
		`"context":{"type":"number","description":"Lines to show around a match"},` +
		`"limit":{"type":"number","description":"Matches, default 100"}},"required":["pattern"]}`),
	Prompt: "search in files",
}

const (
	grepLimit = 100
	maxFound  = 4 << 20 // bytes of results that are collected
)

// grep runs the grep tool.
func (s *set) grep(ctx context.Context, a *arguments, _ func(message.Output)) message.Output {
	pattern := a.text("pattern")
	name, path := a.folder(s, "path")
	glob := a.optionalText("glob")
	q := query{around: max(0, a.integer("context")), limit: a.limit("limit", grepLimit)}
	literal, ignoreCase := a.flag("literal"), a.flag("ignoreCase")
	if pattern == "" {
		if len(a.wrong) == 0 {
			a.complain("pattern is empty")
		}
	} else if m, err := newSearcher(pattern, literal, ignoreCase); err != nil {
		a.complain("pattern: %v", err)
	} else {
		q.searcher = m
	}
	if glob != "" {
		g, err := newFileGlob(glob)
		if err != nil {
			a.complain("glob: %v", err)
		}
		q.glob = g
	}
	if out, bad := a.refused(); bad {
		return out
	}
	info, err := s.ws.Stat(ctx, path)
	if errors.Is(err, fs.ErrNotExist) {
		return s.missing(ctx, "file or folder", name, path)
	} else if err == nil && !info.IsDir() && !info.Mode().IsRegular() {
		err = workspace.ErrSpecial
	}
	if err != nil {
		return trouble("search", name, err)
	}
	q.files = s.searched(ctx, path, info, &q)
	ws := s.ws
	if l, ok := ws.(interface{ Saved() workspace.Workspace }); ok {
		ws = l.Saved() // to ask an editor for each file would take for ever
	}
	found, err := q.run(ctx, ws)
	if err != nil {
		return trouble("search", name, err)
	}
	return found.output(pattern, name, q.limit)
}

// searched yields the files that are searched, and what of them is shown.
func (s *set) searched(ctx context.Context, path string, info fs.FileInfo, q *query) func(yield func(workspace.Entry, error) bool) {
	if !info.IsDir() {
		return func(yield func(workspace.Entry, error) bool) {
			yield(workspace.Entry{Rel: filepath.Base(path), Path: path}, nil)
		}
	}
	return func(yield func(workspace.Entry, error) bool) {
		for e, err := range workspace.Walk(ctx, s.ws, path) {
			wanted := err != nil || e.Err != nil || e.Type.IsRegular() && (q.glob == nil || q.glob.match(e.Rel, false))
			if wanted && !yield(e, err) {
				return
			}
		}
	}
}

// query is a search through files.
type query struct {
	*searcher
	glob          *glob
	around, limit int
	files         func(yield func(workspace.Entry, error) bool)
}

// found is what a search found.
type found struct {
	lines   []string
	matches int
	bytes   int
	more    bool // there is more than the limit
	cut     bool // a line was cut
	missed  int  // files and folders that could not be read
}

// job is the search through one file.
type job struct {
	workspace.Entry
	hits []hit
	err  error
	done chan struct{}
}

// run searches several files at once and collects what they have in the order of
// the files, until it is enough.
func (q *query) run(ctx context.Context, ws workspace.Workspace) (found, error) {
	ctx, enough := context.WithCancel(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer enough()

	work := make(chan *job)
	order := make(chan *job, 256) // bounds how far the search runs ahead
	var walkErr error             // valid when order is closed
	wg.Go(func() {
		defer close(order)
		defer close(work)
		for e, err := range q.files {
			if err != nil {
				walkErr = err
				return
			}
			j := &job{Entry: e, err: e.Err, done: make(chan struct{})}
			select {
			case order <- j:
			case <-ctx.Done():
				return
			}
			if e.Err != nil {
				close(j.done)
				continue
			}
			work <- j // is taken, also when it is enough
		}
	})
	for range min(8, max(2, runtime.GOMAXPROCS(0))) {
		wg.Go(func() {
			s := &scan{searcher: q.searcher, around: q.around, most: q.limit + 1}
			for j := range work {
				j.hits, j.err = s.path(ctx, ws, j.Path)
				close(j.done)
			}
		})
	}

	var f found
	for j := range order {
		<-j.done
		if ctx.Err() != nil {
			break
		}
		if j.err != nil {
			f.missed++
		} else if f.add(j, q) {
			return f, nil
		}
	}
	if err := ctx.Err(); err != nil {
		return found{}, err
	}
	return f, walkErr
}

func (s *scan) path(ctx context.Context, ws workspace.Workspace, path string) ([]hit, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f, err := ws.Open(ctx, path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // it went away meanwhile
	} else if err != nil {
		return nil, err
	}
	defer f.Close()
	err = s.file(ctx, f)
	return s.hits, err
}

// add takes what one file has and reports whether that is enough.
func (f *found) add(j *job, q *query) (enough bool) {
	last := 0 // line of the last match
	for _, h := range j.hits {
		if h.match {
			if f.matches == q.limit {
				f.more = true
				return true
			}
			f.matches++
			last = h.line
		}
		if f.matches == q.limit && !h.match && h.line > last+q.around {
			continue // it only belongs to a match that is not shown
		}
		sign, gap := ":", ": "
		if !h.match {
			sign, gap = "-", "- "
		}
		line := fmt.Sprint(j.Rel, sign, h.line, gap, h.text)
		f.lines = append(f.lines, line)
		f.bytes += len(line)
		f.cut = f.cut || h.cut
	}
	return f.bytes > maxFound
}

// output makes the result.
func (f *found) output(pattern, name string, limit int) message.Output {
	var notes []string
	missed := unread(f.missed)
	if len(f.lines) == 0 {
		text := fmt.Sprintf("No line in %s matches %s.", name, pattern)
		if missed != "" {
			text += " " + missed
		}
		return message.TextOutput(text)
	}
	text, t := headOfLines(f.lines)
	d := newObject()
	if f.more {
		notes = append(notes, fmt.Sprintf("There are more than %d matches; narrow the search or raise limit.", limit))
		d.num("matchLimitReached", limit)
	}
	if t.cut() {
		notes = append(notes, fmt.Sprintf("Cut at %s; narrow the search.", size(maxBytes)))
		d.raw("truncation", t.json())
	}
	if f.cut {
		notes = append(notes, fmt.Sprintf("Lines are cut at %d characters; read shows them whole.", maxLineUnits))
		d.bool("linesTruncated", true)
	}
	if missed != "" {
		notes = append(notes, missed)
	}
	out := message.TextOutput(text + sentence(notes))
	out.Details = d.unlessEmpty()
	return out
}

// unread tells of files and folders that could not be read.
func unread(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return "1 file or folder could not be read."
	}
	return fmt.Sprintf("%d files or folders could not be read.", n)
}
