package prompt

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// contextNames are the names of context files; a directory has one, the first.
var contextNames = []string{"AGENTS.override.md", "AGENTS.md", "AGENTS.MD", "CLAUDE.md", "CLAUDE.MD"}

// contextLimit is the size in bytes above which context files are worth a warning.
const contextLimit = 256 << 10

// File is a context file.
type File struct {
	Path string
	Text string // UTF-8, without a byte order mark
}

// ContextFiles reads the context files for a session in dir: that of the agent
// directory, then those from the root of the file system down to dir
// (docs/spec/frontends.md H3). What cannot be read is left out; the warnings say
// so. Both directories must be absolute.
func ContextFiles(agentDir, dir string) (files []File, warnings []string) {
	dirs := []string{agentDir}
	for _, d := range ancestors(dir) {
		if !slices.Contains(dirs, d) {
			dirs = append(dirs, d)
		}
	}
	main, worktree := nestedWorktree(dir)
	for _, d := range dirs {
		path := contextFile(d)
		if path == "" || d == main && filepath.Base(path) == filepath.Base(contextFile(worktree)) {
			continue
		}
		text, err := readText(path)
		if err != nil {
			warnings = append(warnings, fmt.Sprintf("context file left out: %v", err))
			continue
		}
		files = append(files, File{path, text})
	}
	return files, append(warnings, tooMuch(files)...)
}

// contextFile returns the path of the context file of a directory, or "".
func contextFile(dir string) string {
	if dir == "" {
		return ""
	}
	for _, name := range contextNames {
		path := filepath.Join(dir, name)
		if fi, err := os.Stat(path); err == nil && fi.Mode().IsRegular() {
			return path
		}
	}
	return ""
}

func tooMuch(files []File) []string {
	sum := 0
	var sizes []string
	for _, f := range files {
		sum += len(f.Text)
		sizes = append(sizes, fmt.Sprintf("%s %d KB", f.Path, (len(f.Text)+1023)/1024))
	}
	if sum <= contextLimit {
		return nil
	}
	return []string{fmt.Sprintf("context files have %d KB, which every request sends: %s", (sum+1023)/1024, strings.Join(sizes, ", "))}
}

// ancestors returns the directories from the root down to dir.
func ancestors(dir string) []string {
	dir = filepath.Clean(dir)
	dirs := []string{dir}
	for parent := filepath.Dir(dir); parent != dir; parent = filepath.Dir(dir) {
		dirs = append(dirs, parent)
		dir = parent
	}
	slices.Reverse(dirs)
	return dirs
}

// nestedWorktree returns the root of the git worktree that dir is in and that of
// its main checkout, if the first lies inside the second; else nothing.
func nestedWorktree(dir string) (main, worktree string) {
	for d := filepath.Clean(dir); ; d = filepath.Dir(d) {
		git := filepath.Join(d, ".git")
		fi, err := os.Stat(git)
		switch {
		case err != nil && d == filepath.Dir(d):
			return "", ""
		case err != nil:
			continue
		case fi.IsDir():
			return "", ""
		}
		text, err := readText(git)
		gitDir, ok := strings.CutPrefix(strings.TrimSpace(text), "gitdir:")
		if err != nil || !ok {
			return "", ""
		}
		if gitDir = strings.TrimSpace(gitDir); !filepath.IsAbs(gitDir) {
			gitDir = filepath.Join(d, gitDir)
		}
		// A worktree's folder is MAIN/.git/worktrees/NAME; a submodule's is not.
		common := filepath.Dir(filepath.Dir(gitDir))
		if filepath.Base(filepath.Dir(gitDir)) != "worktrees" || filepath.Base(common) != ".git" {
			return "", ""
		}
		main := within(filepath.Dir(common), d)
		if main == "" {
			return "", ""
		}
		return main, d
	}
}

// within returns the ancestor of dir that is the directory root, under whatever
// name, or "".
func within(root, dir string) string {
	want, err := os.Stat(root)
	if err != nil {
		return ""
	}
	for _, d := range ancestors(filepath.Dir(dir)) {
		if fi, err := os.Stat(d); err == nil && os.SameFile(fi, want) {
			return d
		}
	}
	return ""
}

// maxFile is how large a file may be, in bytes: far more than a model reads.
const maxFile = 64 << 20

// readText reads a text file: UTF-8 with whatever is not replaced, no byte order
// mark.
func readText(path string) (string, error) {
	if fi, err := os.Stat(path); err != nil {
		return "", err
	} else if !fi.Mode().IsRegular() {
		return "", fmt.Errorf("%s is no file", path) // a device may have no end
	} else if fi.Size() > maxFile {
		return "", fmt.Errorf("%s is larger than %d MB", path, maxFile>>20)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	return strings.ToValidUTF8(strings.TrimPrefix(string(b), "\ufeff"), "\ufffd"), nil
}

// PromptFiles reads SYSTEM.md and APPEND_SYSTEM.md. A project's file replaces
// the user's of the same name; projectDir is the session's directory if it is
// trusted, else "". Blank files count as absent.
func PromptFiles(agentDir, projectDir string) (preamble, addendum Text, warnings []string) {
	read := func(name string) Text {
		places := []string{filepath.Join(agentDir, name)}
		if projectDir != "" {
			places = []string{filepath.Join(projectDir, ".pi", name), places[0]}
		}
		for _, path := range places {
			text, err := readText(path)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			} else if err != nil {
				warnings = append(warnings, fmt.Sprintf("prompt file left out: %v", err))
				continue
			}
			if text = strings.TrimSpace(text); text != "" {
				return Text{text, path}
			}
		}
		return Text{}
	}
	return read("SYSTEM.md"), read("APPEND_SYSTEM.md"), warnings
}

// TextOrFile reads the value of --system-prompt and --append-system-prompt: the
// file of that name if there is one, else the words themselves. Relative names
// start at dir.
func TextOrFile(value, dir string) (Text, error) {
	path := value
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	if strings.ContainsAny(value, "\n\x00") {
		return Text{Text: value}, nil
	}
	if fi, err := os.Stat(path); err != nil || !fi.Mode().IsRegular() {
		return Text{Text: value}, nil
	}
	text, err := readText(path)
	if err != nil {
		return Text{}, err
	}
	return Text{strings.TrimSpace(text), path}, nil
}
