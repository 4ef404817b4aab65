package builtin

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"

	"github.com/boughdev/bough/internal/workspace"
	"github.com/boughdev/bough/tool"
)

var _ tool.Known = function{}

// nothing is the effect of a call that is refused.
var nothing = tool.Effect{Kind: tool.Reads}

// effect says what a call of a tool would do.
type effect func(ctx context.Context, a *arguments) tool.Effect

func (f function) Effect(ctx context.Context, args json.RawMessage) tool.Effect {
	a := &arguments{tool: f.spec.Name, object: args}
	e := f.effect(ctx, a)
	if len(a.wrong) > 0 {
		return nothing
	}
	return e
}

// readsFile is the effect of tools that read one file.
func (s *set) readsFile(ctx context.Context, a *arguments) tool.Effect {
	_, path := a.path(s, "path")
	return tool.Effect{Kind: tool.Reads, Files: s.files(a, s.existing(ctx, path))}
}

// readsFolder is the effect of tools that read what is in a folder.
func (s *set) readsFolder(ctx context.Context, a *arguments) tool.Effect {
	_, path := a.folder(s, "path")
	return tool.Effect{Kind: tool.Reads, Files: s.files(a, path)}
}

// changesFile is the effect of edit and write on a file. change makes the new text of
// the old one.
func (s *set) changesFile(a *arguments, path string, change func(old string) (diff, bool)) tool.Effect {
	return tool.Effect{Kind: tool.Changes, Files: s.files(a, path), Preview: func(ctx context.Context) string {
		old, ok := "", true
		if f, err := s.ws.Open(ctx, path); err == nil {
			old, ok = readOld(f)
			f.Close() // it was only read
		} else if !errors.Is(err, fs.ErrNotExist) {
			return ""
		}
		d, fits := change(old)
		switch {
		case !ok || !fits:
			return ""
		case d.old == d.new:
			return "(nothing would change)"
		}
		if text := d.display(); len(text) <= maxDiff {
			return text
		}
		return ""
	}}
}

// edits is the effect of edit.
func (s *set) edits(ctx context.Context, a *arguments) tool.Effect {
	edits := a.edits()
	_, path := a.path(s, "path")
	return s.changesFile(a, s.existing(ctx, path), func(old string) (diff, bool) {
		text, regions, err := applyEdits(old, edits)
		return diffFiles(old, text, regions), err == nil
	})
}

// writes is the effect of write.
func (s *set) writes(_ context.Context, a *arguments) tool.Effect {
	_, path := a.path(s, "path")
	text := a.text("content")
	return s.changesFile(a, path, func(old string) (diff, bool) {
		return diffFiles(old, text, []region{{0, len(old), 0, len(text)}}), len(text) <= maxDiffed
	})
}

// runs is the effect of bash. Its command is only known where nothing stands before
// it and the shell is one of the usual ones.
func (s *set) runs(_ context.Context, a *arguments) tool.Effect {
	e := tool.Effect{Kind: tool.Runs, Command: a.text("command"), Dir: s.ws.Dir()}
	if _, local := s.ws.(*workspace.Local); local && s.o.ShellPrefix == "" && usualShell(s.o.shell()) {
		e.Shell = "sh"
	}
	return e
}

// runsPowershell is the effect of powershell.
func (s *set) runsPowershell(_ context.Context, a *arguments) tool.Effect {
	return tool.Effect{Kind: tool.Runs, Command: a.text("command"), Dir: s.ws.Dir()}
}

// usualShell reports whether a shell reads commands as POSIX has it.
func usualShell(path string) bool {
	switch path {
	case "/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash", "/opt/homebrew/bin/bash", "/bin/sh", "/usr/bin/sh", "/bin/dash", "/usr/bin/dash":
		return true
	}
	return false
}

// existing is the path of the file that read and edit take for the one that is named.
func (s *set) existing(ctx context.Context, path string) string {
	if path == "" {
		return ""
	}
	found, _, _ := workspace.Find(ctx, s.ws, path) // without such a file it is path
	return found
}

// files is the file or folder that a call is about.
func (s *set) files(a *arguments, path string) []tool.File {
	if len(a.wrong) > 0 {
		return nil
	}
	f := tool.File{Path: path, Real: path}
	if l, ok := s.ws.(interface {
		Real(path string) (real string, names bool, err error)
	}); ok {
		var err error
		if f.Real, f.Names, err = l.Real(path); err != nil {
			f.Real = "" // it cannot be said where that is
		}
	}
	return []tool.File{f}
}
