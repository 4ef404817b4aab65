package cli

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/boughdev/bough/internal/config"
	"github.com/boughdev/bough/internal/pifile"
	"github.com/boughdev/bough/session"
)

// What people type is kept beside the sessions, where only they read it:
//
//	drafts/HASH.json    by place in a session, what was typed and not sent
//	history/HASH.jsonl  the prompts of a folder, a JSON string a line
//	trees/HASH          how /tree looked last in a session, in words of the terminal UI
//
// HASH is of the session's id, or of the folder's path.

// draftFiles keeps drafts in files of a folder.
type draftFiles struct{ dir string }

func hashed(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:16])
}

func (d draftFiles) file(id string) string { return filepath.Join(d.dir, hashed(id)+".json") }

// Load returns the drafts of a session.
func (d draftFiles) Load(id string) (map[session.ID]string, error) {
	b, err := os.ReadFile(d.file(id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var drafts map[session.ID]string
	if err == nil {
		err = json.Unmarshal(b, &drafts)
	}
	if err != nil {
		return nil, fmt.Errorf("the drafts of this session cannot be read: %w", err)
	}
	return drafts, nil
}

// Save changes drafts of a session, beside those that others keep there; none take no
// file.
func (d draftFiles) Save(id string, changed map[session.ID]string) (err error) {
	if err := os.MkdirAll(d.dir, 0o700); err != nil {
		return fmt.Errorf("keep the draft: %w", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	lock, err := pifile.Lock(ctx, d.file(id), pifile.LockOptions{})
	if err != nil {
		return fmt.Errorf("keep the draft: %w", err)
	}
	defer func() {
		if uerr := lock.Unlock(); err == nil && uerr != nil {
			err = fmt.Errorf("keep the draft: %w", uerr)
		}
	}()
	drafts, err := d.Load(id)
	if err != nil || drafts == nil {
		drafts = map[session.ID]string{} // what nobody can read is of no use to anybody
	}
	for at, text := range changed {
		if drafts[at] = text; text == "" {
			delete(drafts, at)
		}
	}
	if len(drafts) == 0 {
		if err := os.Remove(d.file(id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("take the drafts away: %w", err)
		}
		return nil
	}
	b, err := json.Marshal(drafts)
	if err == nil {
		err = writePrivate(d.file(id), b)
	}
	if err != nil {
		return fmt.Errorf("keep the draft: %w", err)
	}
	return nil
}

// writePrivate puts a file in the place of another one, for the user alone.
func writePrivate(path string, b []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*") // 0600
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // what is left of it is in nobody's way
	}
	return err
}

// promptFile is the history of a folder.
type promptFile struct{ path string }

func newPromptFile(p config.Paths, folder string) promptFile {
	return promptFile{filepath.Join(p.State, "history", hashed(folder)+".jsonl")}
}

const (
	keptPrompts     = 100
	mostPromptBytes = 1 << 20 // then the file is made anew of the newest
)

// last returns the newest prompts, the oldest of them first. A file that cannot be
// read is no reason not to begin.
func (f promptFile) last() []string {
	b, err := os.ReadFile(f.path)
	if err != nil {
		return nil
	}
	var out []string
	sc := bufio.NewScanner(bytes.NewReader(b))
	sc.Buffer(nil, 2*mostPromptBytes)
	for sc.Scan() {
		var s string
		if json.Unmarshal(sc.Bytes(), &s) == nil && s != "" {
			out = append(out, s)
		}
	}
	return out[max(len(out)-keptPrompts, 0):]
}

// add keeps a prompt. Long ones are not worth the room.
func (f promptFile) add(prompt string) error {
	if len(prompt) > mostPromptBytes/keptPrompts {
		return nil
	}
	line, err := json.Marshal(prompt)
	if err != nil {
		return fmt.Errorf("keep the prompt: %w", err)
	}
	line = append(line, '\n')
	if info, err := os.Stat(f.path); err == nil && info.Size() > mostPromptBytes {
		var b []byte
		for _, s := range f.last() {
			old, err := json.Marshal(s)
			if err != nil {
				return fmt.Errorf("keep the prompt: %w", err)
			}
			b = append(append(b, old...), '\n')
		}
		if err := writePrivate(f.path, append(b, line...)); err != nil {
			return fmt.Errorf("keep the prompt: %w", err)
		}
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(f.path), 0o700); err != nil {
		return fmt.Errorf("keep the prompt: %w", err)
	}
	out, err := os.OpenFile(f.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("keep the prompt: %w", err)
	}
	_, err = out.Write(line)
	if err = errors.Join(err, out.Close()); err != nil {
		return fmt.Errorf("keep the prompt: %w", err)
	}
	return nil
}

// treeLooks keeps how the tree of a session looked last.
type treeLooks struct{ dir string }

func (t treeLooks) file(id string) string { return filepath.Join(t.dir, hashed(id)) }

// load returns what was kept; what cannot be read is as good as nothing.
func (t treeLooks) load(id string) string {
	f, err := os.Open(t.file(id))
	if err != nil {
		return ""
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, 1000))
	if err != nil {
		return ""
	}
	return string(b)
}

func (t treeLooks) save(id, look string) error { return writePrivate(t.file(id), []byte(look)) }
