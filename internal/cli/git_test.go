package cli

import (
	"path/filepath"
	"testing"
)

func TestGitBranch(t *testing.T) {
	p := newPlace(t)
	git := func(name, text string) { t.Helper(); p.write(name, text) }
	git("none/x", "")
	git("repo/.git/HEAD", "ref: refs/heads/feature/one\n")
	git("repo/deep/er/x", "")
	git("loose/.git/HEAD", "0123456789abcdef0123456789abcdef01234567\n")
	git("repo/.git/worktrees/two/HEAD", "ref: refs/heads/two\n")
	git("two/.git", "gitdir: ../repo/.git/worktrees/two\n")
	git("odd/.git", "what\n")
	git("empty/.git/x", "")
	for dir, want := range map[string]string{"none": "", "repo": "feature/one", "repo/deep/er": "feature/one", "loose": "0123456", "two": "two", "odd": "", "empty": ""} {
		if got := gitBranch(filepath.Join(p.home, dir)); got != want {
			t.Errorf("%s: %q, want %q", dir, got, want)
		}
	}
	if got, want := repository(filepath.Join(p.home, "two")), real(filepath.Join(p.home, "repo/.git")); got != want {
		t.Errorf("the repository of a worktree is %s, want %s", got, want)
	}
}
