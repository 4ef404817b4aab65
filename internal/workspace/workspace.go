// Package workspace is the folder that tools work in: its files and its
// commands.
//
// Paths are absolute, as [Workspace.Resolve] gives them. Files are replaced as a
// whole; changes of one file come one after the other, and who reads a file
// waits for a change that is under way (docs/spec/frontends.md G8).
package workspace

import (
	"context"
	"errors"
	"io/fs"
)

// Workspace is a folder with files and commands. It may be used by several
// goroutines at once.
type Workspace interface {
	// Dir returns the folder.
	Dir() string

	// Resolve makes a path of what a model or a person wrote, by the rules of
	// [Path]. The path need not exist.
	Resolve(name string) (string, error)

	// Stat tells of a file or folder; it follows links.
	Stat(ctx context.Context, path string) (fs.FileInfo, error)

	// Open opens a regular file to be read. For others the error is ErrFolder
	// or ErrSpecial.
	Open(ctx context.Context, path string) (fs.File, error)

	// ReadDir lists a folder, sorted by name.
	ReadDir(ctx context.Context, path string) ([]fs.DirEntry, error)

	// Update replaces a file, or creates it and the folders above it, with what
	// change returns. change gets the file as it is, nil if there is none; an
	// error of it is returned and leaves all as it was. The new file is there as
	// a whole or not at all. Errors are as those of Open.
	Update(ctx context.Context, path string, change func(old fs.File) ([]byte, error)) error

	// Run runs a command and returns when it has ended and its output is quiet.
	// When ctx ends first, it ends the command and what that started, and
	// returns the cause; the Exit is valid then too. Other errors mean that the
	// command did not run.
	Run(ctx context.Context, c Command) (Exit, error)
}

// Errors of files that cannot be read or replaced as such.
var (
	ErrFolder  = errors.New("is a folder")
	ErrSpecial = errors.New("is not a regular file")
)

// Command is a program to run. Its standard input is empty.
type Command struct {
	Args []string // the program and its arguments
	Dir  string   // "" means the workspace's folder

	// Env changes the environment that the command inherits: NAME=value sets,
	// a NAME alone removes.
	Env []string

	// Output gets what the command writes to both its outputs, in the order of
	// arrival. The bytes are valid until it returns; it is called by one
	// goroutine at a time and never after Run has returned.
	Output func([]byte)
}

// Exit is how a command ended.
type Exit struct {
	Code   int  // 128+n if signal n killed it
	Signal int  // that killed it, or 0
	Ended  bool // it ended by itself, before its context did
}
