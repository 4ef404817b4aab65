package workspace

import (
	"context"
	"fmt"
	"io/fs"
	"net/url"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Path makes an absolute path of what somebody wrote: relative to dir, with ~
// for home, with a leading @ dropped, unusual blanks read as blanks, or as a
// file URL (docs/spec/frontends.md J-02).
func Path(dir, home, name string) (string, error) {
	name = strings.TrimPrefix(plainBlanks(name), "@")
	if rest, ok := cutPrefixFold(name, "file://"); ok {
		return fromURL(rest)
	}
	if home != "" {
		if name == "~" {
			return filepath.Clean(home), nil
		}
		if rest, ok := strings.CutPrefix(name, "~/"); ok {
			return filepath.Join(home, rest), nil
		}
		if rest, ok := strings.CutPrefix(name, `~\`); ok && runtime.GOOS == "windows" {
			return filepath.Join(home, rest), nil
		}
	}
	return join(dir, name), nil
}

func join(dir, name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(dir, name)
}

func cutPrefixFold(s, prefix string) (string, bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return s, false
	}
	return s[len(prefix):], true
}

// fromURL makes a path of what follows file:// in a URL.
func fromURL(rest string) (string, error) {
	host, path, ok := strings.Cut(rest, "/")
	if !ok || host != "" && !strings.EqualFold(host, "localhost") {
		return "", fmt.Errorf("file://%s names no file of this machine", rest)
	}
	path, err := url.PathUnescape("/" + path)
	if err != nil {
		return "", fmt.Errorf("file://%s: %w", rest, err)
	}
	if runtime.GOOS == "windows" && len(path) > 2 && path[2] == ':' {
		path = path[1:]
	}
	return filepath.Clean(filepath.FromSlash(path)), nil
}

// plainBlanks replaces the blanks that come along when a name is copied from
// elsewhere.
func plainBlanks(s string) string {
	if !strings.ContainsFunc(s, unusualBlank) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if unusualBlank(r) {
			return ' '
		}
		return r
	}, s)
}

func unusualBlank(r rune) bool {
	return r == 0xA0 || r >= 0x2000 && r <= 0x200A || r == 0x202F || r == 0x205F || r == 0x3000
}

// Find returns the path of an existing file: path itself or, if there is no such
// file, the form that macOS may have given to the name: decomposed accents, a
// narrow blank before AM or PM, a curly apostrophe. The error is that of path.
func Find(ctx context.Context, ws Workspace, path string) (string, fs.FileInfo, error) {
	info, err := ws.Stat(ctx, path)
	if err == nil {
		return path, info, nil
	}
	for _, v := range variants(path) {
		if info, e := ws.Stat(ctx, v); e == nil {
			return v, info, nil
		}
	}
	return path, nil, err
}

func variants(path string) []string {
	var all []string
	for _, p := range []string{path, narrowBlanks(path)} {
		for _, q := range []string{p, norm.NFD.String(p)} {
			for _, r := range []string{q, strings.ReplaceAll(q, "'", "\u2019")} {
				if r != path && !slices.Contains(all, r) {
					all = append(all, r)
				}
			}
		}
	}
	return all
}

// narrowBlanks puts a narrow blank before the AM or PM of a time in a file name.
func narrowBlanks(s string) string {
	for i := 0; i+4 <= len(s); i++ {
		if s[i] != ' ' || s[i+3] != '.' {
			continue
		}
		if m := strings.ToUpper(s[i+1 : i+3]); m == "AM" || m == "PM" {
			s = s[:i] + "\u202F" + s[i+1:]
		}
	}
	return s
}
