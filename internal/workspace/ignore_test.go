package workspace_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/workspace"
)

// git runs git in dir without the configuration of whoever runs the test.
func git(t *testing.T, dir, stdin string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Stdin = strings.NewReader(stdin)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "HOME="+dir, "XDG_CONFIG_HOME="+dir, "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	if err := cmd.Run(); err != nil && complaint.Len() > 0 {
		t.Fatalf("git %s: %v\n%s", args, err, complaint.String())
	}
	return out.String()
}

// What git takes for ignored is what a walk leaves out.
func checkAgainstGit(t *testing.T, dir string, files []string) {
	t.Helper()
	git(t, dir, "", "init", "-q")
	var left []string
	for name := range strings.SplitSeq(git(t, dir, strings.Join(files, "\x00"), "check-ignore", "--no-index", "-z", "--stdin"), "\x00") {
		left = append(left, name)
	}
	var want, got []string
	for _, f := range files {
		if !slices.Contains(left, f) {
			want = append(want, f)
		}
	}
	for e, err := range workspace.Walk(t.Context(), workspace.NewLocal(dir), dir) {
		if err != nil {
			t.Fatal(err)
		}
		if !e.Type.IsDir() {
			got = append(got, e.Rel)
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		for _, f := range files {
			if slices.Contains(got, f) != slices.Contains(want, f) {
				t.Errorf("%q: walked %v, git keeps %v", f, slices.Contains(got, f), slices.Contains(want, f))
			}
		}
	}
}

func TestIgnoreAsGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	files := []string{"a", "b.o", "B.O", "#c", "!d", "e ", "f\\", "x/a", "x/b.o", "x/y/a", "x/y/z/a", "x/y/z/b", "build/x", "sub/build/x", "foo/bar/baz", "foobar",
		"doc/frotz/a", "a/doc/frotz/a", "[q]", "q", "-", "]", "ab", "abc", "a-c", "\u00e9", "t\tt", "w x", "sub/keep.o", "sub/in/keep.o"}
	files = slices.DeleteFunc(files, func(f string) bool { return f == "a" })
	for _, tt := range []struct{ name, rules string }{
		{"a name at any depth", "a\n"},
		{"a folder only", "build/\na/\n"},
		{"anchored by a slash in front", "/build\n/a\n"},
		{"anchored by a slash inside", "doc/frotz\nx/y\n"},
		{"stars before, between and behind", "**/a\nx/**/b\nfoo/**\n"},
		{"stars that are not a part of their own", "x/**a\nfoo**baz\nf**r\n"},
		{"a star does not go over slashes", "x/*/a\nfoo/*\n"},
		{"questions and classes", "a?c\n[!a-p]\n[]-]\n[[:punct:]]\n"},
		{"ranges", "[a-c]*\n!ab\n"},
		{"a class without an end", "[q\n"},
		{"escapes", "\\#c\n\\!d\n\\[q\\]\nf\\\\\n"},
		{"comments and blank ends", "# a\nb.o   \ne\\ \n\n   \n"},
		{"line ends of windows", "b.o\r\nab\r\n"},
		{"later lines win", "*.o\n!b.o\nx/b.o\n"},
		{"nothing comes back from a folder that is left out", "sub\n!sub/keep.o\n"},
		{"but from its contents it does", "sub/*\n!sub/keep.o\n!sub/in\nsub/in/*\n"},
		{"a byte order mark", "\uFEFFab\n"},
		{"everything", "*\n!*/\n!*.o\n"},
		{"only a slash", "/\n"},
		{"two slashes", "//a\nx//a\n"},
		{"other bytes", "\u00e9\nt\tt\nw x\n"},
		{"a ? is one byte", "?\n??\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			for _, f := range files {
				put(t, filepath.Join(dir, f), "")
			}
			put(t, filepath.Join(dir, ".gitignore"), tt.rules)
			checkAgainstGit(t, dir, append(slices.Clone(files), ".gitignore"))
		})
	}
}

// Random rules in random places mean to us what they mean to git.
func TestIgnoreAsGitAtRandom(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 0))
		dir := t.TempDir()
		var files []string
		for range 40 {
			f := path(r)
			if os.MkdirAll(filepath.Join(dir, filepath.Dir(f)), 0o777) != nil || os.WriteFile(filepath.Join(dir, f), nil, 0o666) != nil {
				continue // a folder where a file is, or the other way round
			}
			files = append(files, f)
		}
		slices.Sort(files)
		files = slices.Compact(files)
		places := []string{".git/info/exclude", ".gitignore"}
		for _, f := range files {
			if d := filepath.Dir(f); d != "." && r.IntN(4) == 0 {
				places = append(places, d+"/.gitignore")
			}
		}
		slices.Sort(places)
		all := ""
		git(t, dir, "", "init", "-q")
		for _, p := range slices.Compact(places) {
			rules := ""
			for range 1 + r.IntN(4) {
				rules += rule(r) + "\n"
			}
			put(t, filepath.Join(dir, p), rules)
			all += fmt.Sprintf("%s: %q\n", p, rules)
			if p != ".git/info/exclude" {
				files = append(files, p)
			}
		}
		checkAgainstGit(t, dir, files)
		if t.Failed() {
			t.Fatalf("seed %d:\n%s", seed, all)
		}
	}
}

// Nested repositories have rules of their own; what is above them counts only for
// whether they are come to at all.
func TestIgnoreInNestedRepositories(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 1))
		dir := t.TempDir()
		repos := []string{"", "n", "n/a/m", "w"} // each after those around it
		git(t, dir, "", "init", "-q")
		all := ""
		for i, repo := range repos {
			at := filepath.Join(dir, repo)
			switch {
			case repo == "w": // a linked work tree
				main := t.TempDir()
				git(t, main, "", "init", "-q")
				git(t, main, "", "-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-q", "--allow-empty", "-m", "x")
				git(t, main, "", "worktree", "add", "-q", "--detach", at)
				put(t, filepath.Join(main, ".git/info/exclude"), rule(r)+"\n")
			case i > 0:
				must(t, os.MkdirAll(at, 0o777))
				git(t, at, "", "init", "-q")
				put(t, filepath.Join(at, ".git/info/exclude"), rule(r)+"\n")
			}
			exclude, _ := os.ReadFile(filepath.Join(at, ".git/info/exclude")) // of a work tree elsewhere
			rules := string(exclude)
			for range 1 + r.IntN(3) {
				rules += rule(r) + "\n"
			}
			put(t, filepath.Join(at, ".gitignore"), strings.TrimPrefix(rules, string(exclude)))
			all += fmt.Sprintf("%q: %q\n", repo, rules)
		}
		files := map[string]bool{}
		for range 30 {
			f := filepath.Join(repos[r.IntN(len(repos))], path(r))
			if os.MkdirAll(filepath.Join(dir, filepath.Dir(f)), 0o777) == nil && os.WriteFile(filepath.Join(dir, f), nil, 0o666) == nil {
				files[f] = true
			}
		}
		ignored := func(repo, path string) bool {
			return git(t, filepath.Join(dir, repo), path, "check-ignore", "--no-index", "-z", "--stdin") != ""
		}
		var want, got []string
		for f := range files {
			keeps, repo := true, ""
			for _, inner := range repos[1:] {
				if strings.HasPrefix(f, inner+"/") && keeps {
					rel, _ := filepath.Rel(filepath.Join("/", repo), filepath.Join("/", inner))
					keeps, repo = !ignored(repo, rel), inner
				}
			}
			if rel, _ := filepath.Rel(filepath.Join("/", repo), filepath.Join("/", f)); keeps && !ignored(repo, rel) {
				want = append(want, f)
			}
		}
		for e, err := range workspace.Walk(t.Context(), workspace.NewLocal(dir), dir) {
			if err != nil {
				t.Fatal(err)
			}
			if files[e.Rel] {
				got = append(got, e.Rel)
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d: walked %q\nwant %q\n%s", seed, got, want, all)
		}
	}
}

func name(r *rand.Rand) string {
	b := make([]byte, 1+r.IntN(3))
	for i := range b {
		b[i] = "abc."[r.IntN(3+min(i, 1))]
	}
	return string(b)
}

func path(r *rand.Rand) string {
	p := name(r)
	for r.IntN(3) > 0 && len(p) < 10 {
		p += "/" + name(r)
	}
	return p
}

func rule(r *rand.Rand) string {
	s := ""
	if r.IntN(4) == 0 {
		s = "!"
	}
	for i := range 1 + r.IntN(5) {
		switch r.IntN(9) {
		case 0:
			s += "*"
		case 1:
			s += "?"
		case 2:
			s += []string{"[ab]", "[!a]", "[a-b.]", "[^b-c]", "\\a"}[r.IntN(5)]
		case 3:
			if i > 0 || r.IntN(2) == 0 {
				s += "/"
			}
		case 4:
			s += []string{"**/", "/**", "/**/", "**"}[r.IntN(4)]
		default:
			s += name(r)[:1]
		}
	}
	if r.IntN(5) == 0 {
		s += "/"
	}
	return s
}
