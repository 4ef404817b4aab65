package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/boughdev/bough/internal/frontend/tui"
	"github.com/boughdev/bough/internal/importer"
	"github.com/boughdev/bough/session/filestore"
)

// around is what the terminal UI shows of this machine.
func (r *runner) around() tui.Around {
	return tui.Around{Import: r.importFile, Debug: r.keepDebug, Canonical: filestore.Canonical, Repository: repository, Branch: gitBranch, Gone: func(dir string) bool { return !dirExists(dir) }, Read: r.read,
		Accounts: r.aroundAccounts(), Trust: r.aroundTrust, SetTrust: func(ctx context.Context, dir string, answer tui.TrustAnswer) error {
			_, err := r.setTrust(ctx, dir, answer)
			return err
		}}
}

// importFile takes a file of elsewhere among the sessions, as bough import does.
func (r *runner) importFile(ctx context.Context, path string) (id string, told []string, err error) {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		path = filepath.Join(r.paths.Home, rest)
	}
	path = r.env.abs(path)
	done, err := importer.Import(ctx, r.store, path, importer.Options{Dir: r.env.Dir, Now: time.Now()})
	if err != nil {
		return "", nil, err
	}
	return done.ID, importedWords(path, done), nil
}

// keepDebug writes a report of the screen where only the user reads it.
func (r *runner) keepDebug(report string) (string, error) {
	path := filepath.Join(r.paths.Agent, "bough-debug.log")
	if err := os.MkdirAll(r.paths.Agent, 0o700); err != nil {
		return "", fmt.Errorf("write %s: %w", path, err)
	}
	f, err := os.CreateTemp(r.paths.Agent, "bough-debug-*")
	if err != nil {
		return "", fmt.Errorf("write %s: %w", path, err)
	}
	_, err = f.WriteString(report)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return "", fmt.Errorf("write %s: %w", path, err)
	}
	return path, nil
}

// repository is the folder of git's own files that a folder belongs to, the same for
// all worktrees; "" if there is none.
func repository(dir string) string {
	git := gitDir(dir)
	if filepath.Base(filepath.Dir(git)) == "worktrees" {
		git = filepath.Dir(filepath.Dir(git))
	}
	if git == "" {
		return ""
	}
	return real(git)
}

// gitBranch is the branch that is checked out where a folder lies, or the beginning of
// the commit; "" if there is none.
func gitBranch(dir string) string {
	git := gitDir(dir)
	if git == "" {
		return ""
	}
	head := filepath.Join(git, "HEAD")
	if fi, err := os.Stat(head); err != nil || !fi.Mode().IsRegular() || fi.Size() > 4096 {
		return ""
	}
	b, err := os.ReadFile(head)
	if err != nil {
		return ""
	}
	text := strings.TrimSpace(string(b))
	if branch, ok := strings.CutPrefix(text, "ref: refs/heads/"); ok {
		return branch
	}
	return text[:min(len(text), 7)]
}

// gitDir is the folder of git's files of the worktree that a folder lies in.
func gitDir(dir string) string {
	if dir == "" {
		return ""
	}
	for d := filepath.Clean(dir); ; d = filepath.Dir(d) {
		git := filepath.Join(d, ".git")
		fi, err := os.Stat(git)
		switch {
		case err == nil && fi.IsDir():
			return git
		case err == nil && fi.Mode().IsRegular() && fi.Size() < 4096:
			text, err := os.ReadFile(git)
			to, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir:")
			if err != nil || !ok {
				return ""
			}
			if to = strings.TrimSpace(to); !filepath.IsAbs(to) {
				to = filepath.Join(d, to)
			}
			return to
		case d == filepath.Dir(d):
			return ""
		}
	}
}

func real(path string) string {
	if to, err := filepath.EvalSymlinks(path); err == nil {
		return to
	}
	return filepath.Clean(path)
}
