package cli

import (
	"context"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/boughdev/bough/internal/frontend/tui"
)

// themes are the files of themes that there are for this folder.
func (r *runner) themes() []tui.ThemeFile {
	set, _ := r.setup.Resources(r.env.Dir, r.setup.Trusts(r.env.Dir).Trusted) // told when the session is set up
	var files []tui.ThemeFile
	for _, t := range set.Themes {
		files = append(files, tui.ThemeFile{Name: t.Name, Path: r.tilde(t.Path), Read: func() ([]byte, error) { return readSome(t.Path, 2<<20) }})
	}
	return files
}

// readSome reads a file, but no more of it than most bytes.
func readSome(path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, most))
}

// foreignLocale is the locale that is set, if it says that texts are not UTF-8; "" if
// it does not.
func foreignLocale(getenv func(string) string) string {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		v := getenv(name)
		if v == "" {
			continue
		}
		_, charset, _ := strings.Cut(v, ".")
		charset, _, _ = strings.Cut(strings.ToLower(charset), "@")
		if charset == "" || charset == "utf-8" || charset == "utf8" {
			return "" // without a charset it is a matter of the system, and UTF-8 on most
		}
		return name + "=" + v
	}
	return ""
}

// terminalNotes says what is not right about the terminal, and what to do. It may take
// a while.
func (r *runner) terminalNotes(ctx context.Context) []string {
	var notes []string
	if l := foreignLocale(r.env.Getenv); l != "" {
		notes = append(notes, "The locale "+l+" is not UTF-8, so lines and marks are drawn with plain characters; texts may look wrong. Set LANG=C.UTF-8 or another one with UTF-8.")
	}
	if r.env.Getenv("TMUX") == "" {
		return notes
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, "tmux", "show-options", "-gv", "extended-keys").Output()
	if err == nil && strings.TrimSpace(string(out)) == "off" { // an old tmux has no such option
		notes = append(notes, "tmux keeps some keys to itself, such as shift+enter. Put set -g extended-keys on into ~/.tmux.conf, or type ctrl+j for a new line.")
	}
	return notes
}
