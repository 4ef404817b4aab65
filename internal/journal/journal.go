// Package journal keeps what a session would lose with its process: the answer
// that is being streamed, and the messages that wait to be said.
//
// Each process writes files of its own, which it holds locked; the system lets go
// of the lock however the process ends. So a file that can be locked is one that a
// dead process has left, and whoever locks it is the only one who takes it over.
//
//	<hash of the session file>-<random>.answer   lines of JSON, only added to:
//	{"v":1,"session":"/…/x.jsonl","parent":"1a2b3c4d","message":{…}}
//	{"d":[{"k":"text_delta","i":0,"t":"Hel"}],"usage":{…}}
//
//	<hash of the session file>-<random>.queue    likewise:
//	{"v":1,"session":"/…/x.jsonl"}
//	{"add":"5e6f7a8b","followUp":true,"content":[…]}
//	{"edit":"5e6f7a8b","content":[…]}
//	{"drop":"5e6f7a8b"}
//
// A line that broke off counts as absent. Nothing is forced to the disk: this is
// about dead processes, not about dead machines.
package journal

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/boughdev/bough/internal/rawjson"
)

// Dir is the folder of the files. "" keeps nothing.
type Dir string

const (
	answers = ".answer"
	queues  = ".queue"
)

// key is what the names of all files of a session begin with.
func key(session string) string {
	if real, err := filepath.EvalSymlinks(session); err == nil {
		session = real
	}
	if abs, err := filepath.Abs(session); err == nil {
		session = abs
	}
	sum := sha256.Sum256([]byte(session))
	return hex.EncodeToString(sum[:16])
}

// A file of this process, or one that it has taken over.
type file struct {
	f    *os.File
	path string
	torn bool // its last line has no end yet
}

// create makes a file and writes its first line, without what closes it.
func (d Dir) create(session, kind string) (*file, error) {
	if err := os.MkdirAll(string(d), 0o700); err != nil {
		return nil, err
	}
	for try := 0; ; try++ {
		var b [6]byte
		rand.Read(b[:]) // never fails
		path := filepath.Join(string(d), key(session)+"-"+strconv.Itoa(os.Getpid())+"-"+hex.EncodeToString(b[:])+kind)
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
		if errors.Is(err, fs.ErrExist) && try < 10 {
			continue
		}
		if err != nil {
			return nil, err
		}
		// Somebody who looks for what was left may be faster. He finds nothing in
		// it, and removes it.
		if ok, err := tryLock(f, path); !ok && err == nil && try < 10 {
			f.Close()
			continue
		}
		return &file{f: f, path: path}, nil
	}
}

// append adds a line, in one write.
func (f *file) append(line []byte) error {
	if f.torn {
		line = append([]byte{'\n'}, line...)
	}
	n, err := f.f.Write(append(line, '\n'))
	if n > 0 {
		f.torn = err != nil
	}
	return err
}

// remove takes the file away.
func (f *file) remove() error {
	err := os.Remove(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, f.close())
}

// close leaves the file to whoever comes next.
func (f *file) close() error {
	unlock(f.path)
	return f.f.Close()
}

// left returns what dead processes have left of a session, oldest first. The
// files are this process's from now on.
func (d Dir) left(session, kind string) []*file {
	if d == "" || session == "" {
		return nil
	}
	list, err := os.ReadDir(string(d))
	if err != nil {
		return nil // there is none, or it cannot be read
	}
	k := key(session)
	var found []*file
	for _, e := range list {
		if !strings.HasPrefix(e.Name(), k) || !strings.HasSuffix(e.Name(), kind) {
			continue
		}
		path := filepath.Join(string(d), e.Name())
		f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND, 0)
		if err != nil {
			continue // gone by now, or not ours
		}
		if ok, err := tryLock(f, path); !ok || err != nil {
			f.Close()
			continue
		}
		if !same(f, path) { // somebody else has just removed it
			unlock(path)
			f.Close()
			continue
		}
		found = append(found, &file{f: f, path: path})
	}
	slices.SortStableFunc(found, func(a, b *file) int { return a.written().Compare(b.written()) })
	return found
}

func (f *file) written() time.Time {
	i, err := f.f.Stat()
	if err != nil {
		return time.Time{}
	}
	return i.ModTime()
}

// same reports whether an open file still has that name.
func same(f *os.File, path string) bool {
	a, err := f.Stat()
	if err != nil {
		return false
	}
	b, err := os.Stat(path)
	return err == nil && os.SameFile(a, b)
}

// lines are the whole lines of a file that are objects; ok is false if it is not
// one of a kind that we know.
func (f *file) lines() (lines [][]byte, ok bool, err error) {
	if _, err := f.f.Seek(0, io.SeekStart); err != nil {
		return nil, false, err
	}
	b, err := io.ReadAll(f.f)
	if err != nil {
		return nil, false, fmt.Errorf("read %s: %w", f.path, err)
	}
	for len(b) > 0 {
		line, rest, whole := bytes.Cut(b, []byte{'\n'})
		b = rest
		if !whole {
			f.torn = true
			break
		}
		if rawjson.Kind(line) == '{' && rawjson.Valid(line) {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return nil, false, nil
	}
	v, _ := rawjson.Number(rawjson.Get(lines[0], "v"))
	if v > 1 {
		return nil, false, fmt.Errorf("read %s: a later version of bough wrote it", f.path)
	}
	return lines, v == 1, nil
}
