package filestore

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/boughdev/bough/session"
)

// Trash is where sessions go that nobody wants any more. Nothing is ever deleted:
// a file is moved, and a note says whence, in the form of freedesktop.org:
//
//	DIR/files/NAME.jsonl              what was moved; NAME.jsonl.v1.bak and the like beside it
//	DIR/info/NAME.jsonl.trashinfo     [Trash Info], Path=, DeletionDate=
type Trash struct {
	Dir string
	// Command, if set, is a program that is given the files in place of that, such
	// as trash. What it did with them it must undo itself.
	Command string
}

// Trashed is a session in the trash.
type Trashed struct {
	Name    string          // of its file in the trash; "" if a program has it
	Path    string          // where it was
	Deleted time.Time       // when it was moved
	Session session.Summary // what a list says of it; its Path is that in the trash
}

const infoSuffix = ".trashinfo"

func (t Trash) files() string { return filepath.Join(t.Dir, "files") }

func (t Trash) info(name string) string { return filepath.Join(t.Dir, "info", name+infoSuffix) }

// Put moves the session file at a path to the trash, with the old versions of it
// that lie beside it. One that is open in a bough is left alone: *session.LeasedError.
func (t Trash) Put(ctx context.Context, s Store, path string) (Trashed, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return Trashed{}, fmt.Errorf("move session to the trash: %w", err)
	}
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return Trashed{}, fmt.Errorf("move %s to the trash: %w", path, session.ErrNotFound)
	} else if err != nil {
		return Trashed{}, fmt.Errorf("move session to the trash: %w", err)
	}
	release, err := s.Lease(ctx, path, "")
	if err != nil {
		return Trashed{}, fmt.Errorf("move %s to the trash: %w", path, err)
	}
	defer release() // nobody is kept waiting
	if t.Command != "" {
		return t.call(ctx, path)
	}
	for _, dir := range []string{t.files(), filepath.Dir(t.info(""))} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return Trashed{}, fmt.Errorf("move session to the trash: %w", err)
		}
	}
	out := Trashed{Path: path, Deleted: time.Now()}
	if out.Name, err = t.note(out); err != nil {
		return Trashed{}, fmt.Errorf("move session to the trash: %w", err)
	}
	to := filepath.Join(t.files(), out.Name)
	if err := move(path, to); err != nil {
		os.Remove(t.info(out.Name)) // a note of nothing
		return Trashed{}, fmt.Errorf("move session to the trash: %w", err)
	}
	for _, suffix := range beside(path) {
		if err := move(path+suffix, to+suffix); err != nil {
			return out, fmt.Errorf("the session is in the trash, but %s is not: %w", path+suffix, err)
		}
	}
	return out, nil
}

// call gives the files to the program.
func (t Trash) call(ctx context.Context, path string) (Trashed, error) {
	args := []string{path}
	for _, suffix := range beside(path) {
		args = append(args, path+suffix)
	}
	said, err := exec.CommandContext(ctx, t.Command, args...).CombinedOutput()
	if _, gone := os.Lstat(path); err != nil && !errors.Is(gone, fs.ErrNotExist) {
		if text := strings.TrimSpace(string(said)); text != "" {
			err = errors.New(text)
		}
		return Trashed{}, fmt.Errorf("move %s to the trash with %s: %w", path, t.Command, err)
	}
	return Trashed{Path: path, Deleted: time.Now()}, nil
}

// note writes down whence a file comes, and returns its name in the trash.
func (t Trash) note(of Trashed) (name string, err error) {
	var parts []string
	for p := range strings.SplitSeq(filepath.ToSlash(of.Path), "/") {
		parts = append(parts, url.PathEscape(p))
	}
	text := fmt.Sprintf("[Trash Info]\nPath=%s\nDeletionDate=%s\n", strings.Join(parts, "/"), of.Deleted.Format("2006-01-02T15:04:05"))
	base := strings.TrimSuffix(filepath.Base(of.Path), ".jsonl")
	for n := 1; ; n++ {
		name = base + ".jsonl"
		if n > 1 {
			name = base + "." + strconv.Itoa(n) + ".jsonl"
		}
		if _, err := os.Lstat(filepath.Join(t.files(), name)); err == nil {
			continue // without a note, but it is somebody's
		}
		f, err := os.OpenFile(t.info(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) && n < 10_000 {
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = f.WriteString(text)
		if cerr := f.Close(); err == nil {
			err = cerr
		}
		return name, err
	}
}

// List returns the sessions in the trash, the one moved there last first.
func (t Trash) List(ctx context.Context, cache string) ([]Trashed, error) {
	l, err := Store{Flat: t.files(), Cache: cache}.Listing(ctx)
	if err != nil {
		return nil, err
	}
	var out []Trashed
	for _, sum := range l.Sessions() {
		one, err := t.read(filepath.Base(sum.Path))
		if err != nil {
			continue // a file that somebody else put there
		}
		one.Session = sum
		out = append(out, one)
	}
	slices.SortFunc(out, func(a, b Trashed) int {
		return cmp.Or(b.Deleted.Compare(a.Deleted), strings.Compare(a.Name, b.Name))
	})
	return out, nil
}

// read reads the note of a file.
func (t Trash) read(name string) (Trashed, error) {
	f, err := os.Open(t.info(name))
	if err != nil {
		return Trashed{}, err
	}
	defer f.Close()
	out := Trashed{Name: name}
	for lines := bufio.NewScanner(io.LimitReader(f, 64<<10)); lines.Scan(); {
		switch key, v, _ := strings.Cut(lines.Text(), "="); key {
		case "Path":
			path, err := url.PathUnescape(v)
			if err != nil {
				return out, err
			}
			out.Path = filepath.FromSlash(path)
		case "DeletionDate":
			out.Deleted, _ = time.ParseInLocation("2006-01-02T15:04:05", v, time.Local) // zero if it is none
		}
	}
	if !filepath.IsAbs(out.Path) {
		return out, fmt.Errorf("%s does not say where the file was", t.info(name))
	}
	return out, nil
}

// Restore moves a session back to where it was, or to another path if to is not "".
// A file that is there is never overwritten: session.ErrExists.
func (t Trash) Restore(of Trashed, to string) (path string, err error) {
	path = cmp.Or(to, of.Path)
	from := filepath.Join(t.files(), of.Name)
	suffixes := append([]string{""}, beside(from)...)
	for _, suffix := range suffixes {
		if _, err := os.Lstat(path + suffix); err == nil {
			return "", fmt.Errorf("restore %s: %w: %s", of.Name, session.ErrExists, path+suffix)
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", fmt.Errorf("restore session: %w", err)
	}
	for _, suffix := range suffixes {
		if err := move(from+suffix, path+suffix); errors.Is(err, fs.ErrExist) {
			return "", fmt.Errorf("restore %s: %w: %s", of.Name, session.ErrExists, path+suffix)
		} else if err != nil {
			return "", fmt.Errorf("restore session: %w", err)
		}
	}
	if err := os.Remove(t.info(of.Name)); err != nil {
		return path, fmt.Errorf("the session is restored, but its note is still in the trash: %w", err)
	}
	return path, nil
}

// beside returns what names of old versions of a file, kept by its migration, have
// behind its own.
func beside(path string) []string {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		suffix, ok := strings.CutPrefix(e.Name(), filepath.Base(path))
		if !ok || e.IsDir() {
			continue
		}
		version, ok := strings.CutPrefix(suffix, ".v")
		if !ok {
			continue
		}
		digits := strings.TrimLeft(version, "0123456789")
		if digits == ".bak" || strings.HasPrefix(digits, ".bak.") {
			out = append(out, suffix)
		}
	}
	return out
}

// move moves a file to where none is, [fs.ErrExist] if there is one. In between it
// may be in both places, never in none.
func move(from, to string) error {
	err := os.Link(from, to)
	if errors.Is(err, fs.ErrExist) {
		return err
	}
	if err != nil {
		if err := copyFile(from, to); err != nil { // another file system, or one without hard links
			return err
		}
	}
	return os.Remove(from)
}

// copyFile copies a file to where none is, with its mode and time.
func copyFile(from, to string) (err error) {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	g, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(g, f)
	if err == nil {
		err = g.Sync()
	}
	if cerr := g.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Chtimes(to, info.ModTime(), info.ModTime())
	}
	if err != nil {
		os.Remove(to) // ours, and not whole
	}
	return err
}

// Canonical returns a function that gives a path the form in which the paths of
// session files are compared: links resolved as far as the path exists, and in one
// case where the system does not tell them apart. It remembers folders.
func Canonical() func(path string) string {
	dirs := map[string]string{}
	return func(path string) string {
		dir, name := filepath.Split(path)
		real, ok := dirs[dir]
		if !ok {
			var err error
			if real, err = filepath.EvalSymlinks(dir); err != nil {
				real = filepath.Clean(dir)
			}
			dirs[dir] = real
		}
		path = filepath.Join(real, name)
		if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			if to, err := filepath.EvalSymlinks(path); err == nil {
				path = to
			}
		}
		if os.PathSeparator == '\\' {
			path = strings.ToLower(path)
		}
		return path
	}
}
