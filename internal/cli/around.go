package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/boughdev/bough/internal/frontend/tui"
	"github.com/boughdev/bough/session/filestore"
)

// around is what the terminal UI shows of this machine.
func (r *runner) around() tui.Around {
	return tui.Around{Canonical: filestore.Canonical, Repository: repository, Gone: func(dir string) bool { return !dirExists(dir) }, Read: r.read,
		Accounts: r.aroundAccounts(), Trust: r.aroundTrust, SetTrust: func(ctx context.Context, dir string, answer tui.TrustAnswer) error {
			_, err := r.setTrust(ctx, dir, answer)
			return err
		}}
}

// repository is the folder of git's own files that a folder belongs to, the same for
// all worktrees; "" if there is none.
func repository(dir string) string {
	if dir == "" {
		return ""
	}
	for d := filepath.Clean(dir); ; d = filepath.Dir(d) {
		git := filepath.Join(d, ".git")
		fi, err := os.Stat(git)
		switch {
		case err == nil && fi.IsDir():
			return real(git)
		case err == nil && fi.Size() < 4096:
			text, err := os.ReadFile(git)
			to, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir:")
			if err != nil || !ok {
				return ""
			}
			if to = strings.TrimSpace(to); !filepath.IsAbs(to) {
				to = filepath.Join(d, to)
			}
			if filepath.Base(filepath.Dir(to)) == "worktrees" {
				to = filepath.Dir(filepath.Dir(to))
			}
			return real(to)
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
