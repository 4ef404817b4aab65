package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"unicode/utf8"
)

// Lender is a program that lends its files and its terminals: an editor, in which
// a file may be open that is not saved yet. Paths are full ones.
type Lender interface {
	// ReadText returns the text of a file as the program has it, or ErrNotLent.
	ReadText(ctx context.Context, path string) (string, error)

	// WriteText makes it the text of a file, or returns ErrNotLent.
	WriteText(ctx context.Context, path, text string) error

	// Run is as that of a Workspace, or returns ErrNotLent.
	Run(ctx context.Context, c Command) (Exit, error)
}

// ErrNotLent says that something is done on this machine as if nobody lent anything.
var ErrNotLent = errors.New("is not lent")

// Lent is a workspace of this machine whose text files and commands go through a
// lender. Which files there are is always what the disk says.
type Lent struct {
	*Local
	lender func() Lender // nil while there is none
}

var _ Workspace = Lent{}

// Lend returns the workspace of a folder with what the lender of the time lends.
func Lend(l *Local, lender func() Lender) Lent { return Lent{l, lender} }

// Saved is the workspace without what is lent: for who reads many files.
func (l Lent) Saved() Workspace { return l.Local }

const (
	maxLent = 8 << 20 // bytes of a file
	looked  = 8 << 10 // bytes that tell a text
)

// Open opens a file as the lender has it. What is no text, or large, is that of the
// disk.
func (l Lent) Open(ctx context.Context, path string) (fs.File, error) {
	f, err := l.Local.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	lender := l.lender()
	if lender == nil {
		return f, nil
	}
	if lent, ok := read(ctx, lender, f, path); ok {
		f.Close() // nothing was written to it
		return lent, nil
	}
	if s, ok := f.(io.Seeker); ok {
		if _, err := s.Seek(0, io.SeekStart); err == nil {
			return f, nil
		}
	}
	f.Close() // nothing was written to it
	return l.Local.Open(ctx, path)
}

// read asks the lender for a file, of which f is what the disk has. Some of f may
// have been read afterwards.
func read(ctx context.Context, lender Lender, f fs.File, path string) (fs.File, bool) {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 || info.Size() > maxLent {
		return nil, false
	}
	head, err := io.ReadAll(io.LimitReader(f, looked))
	if err != nil || !isText(head) {
		return nil, false
	}
	text, err := lender.ReadText(ctx, path)
	if err != nil || ctx.Err() != nil {
		return nil, false
	}
	return newText(text, info), true
}

// isText reports whether a file that begins so is text as editors have it.
func isText(head []byte) bool {
	if bytes.IndexByte(head, 0) >= 0 || bytes.HasPrefix(head, []byte("\xef\xbb\xbf")) {
		return false
	}
	for i := range utf8.UTFMax {
		if len(head) < i || i > 0 && len(head) < looked {
			return false // it is whole, and was no text
		}
		if utf8.Valid(head[:len(head)-i]) {
			return true
		}
	}
	return false
}

// Update replaces a text file by way of the lender, who may have it open.
func (l Lent) Update(ctx context.Context, path string, change func(old fs.File) ([]byte, error)) error {
	return update(ctx, path, l.lender(), change)
}

// write reports whether the lender has taken a text.
func write(ctx context.Context, lender Lender, path string, data []byte) (bool, error) {
	if !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
		return false, nil
	}
	err := lender.WriteText(ctx, path, string(data))
	switch {
	case errors.Is(err, ErrNotLent):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("write it by way of the editor: %w", err)
	}
	return true, nil
}

// Run runs a command in a terminal of the lender.
func (l Lent) Run(ctx context.Context, c Command) (Exit, error) {
	if lender := l.lender(); lender != nil {
		if c.Dir == "" {
			c.Dir = l.dir
		}
		if e, err := lender.Run(ctx, c); !errors.Is(err, ErrNotLent) {
			return e, err
		}
	}
	return l.Local.Run(ctx, c)
}

// lentText is a file that is a text of a lender.
type lentText struct {
	*bytes.Reader
	info lentInfo
}

func newText(text string, disk fs.FileInfo) lentText {
	return lentText{bytes.NewReader([]byte(text)), lentInfo{disk, int64(len(text))}}
}

func (t lentText) Stat() (fs.FileInfo, error) { return t.info, nil }
func (t lentText) Close() error               { return nil }

// lentInfo is what the disk says, but for the size.
type lentInfo struct {
	fs.FileInfo
	size int64
}

func (i lentInfo) Size() int64 { return i.size }
