package filestore

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// ProjectDir returns the name of the folder that holds the sessions of a working
// directory, an absolute path (docs/spec/session.md 1.1). A name that no file
// system would take is cut and told apart by its hash.
func ProjectDir(cwd string) string {
	cwd = clean(cwd)
	if cwd != "" && (cwd[0] == '/' || cwd[0] == '\\') {
		cwd = cwd[1:]
	}
	name := "--" + strings.NewReplacer("/", "-", `\`, "-", ":", "-").Replace(cwd) + "--"
	if len(name) <= 255 {
		return name
	}
	cut := 150
	for !utf8.RuneStart(name[cut]) {
		cut--
	}
	sum := sha256.Sum256([]byte(name))
	return "--" + name[2:cut] + "-" + hex.EncodeToString(sum[:8]) + "--"
}

// clean normalises a path without looking at the disk: no ".", no "..", no
// doubled and no trailing separators. A Windows path is known by its drive or
// its two backslashes, on every system.
func clean(path string) string {
	windows := len(path) >= 2 && path[1] == ':' || strings.HasPrefix(path, `\\`)
	sep, seps := "/", "/"
	if windows {
		sep, seps = `\`, `/\`
	}
	root := ""
	switch {
	case strings.HasPrefix(path, `\\`) && windows:
		root, path = `\\`, path[2:]
	case windows && len(path) >= 3 && strings.ContainsAny(path[2:3], seps):
		root, path = path[:2]+sep, path[3:]
	case strings.HasPrefix(path, "/"):
		root, path = "/", path[1:]
	}
	var parts []string
	for _, p := range strings.FieldsFunc(path, func(r rune) bool { return strings.ContainsRune(seps, r) }) {
		switch {
		case p == ".":
		case p == ".." && len(parts) > 0 && parts[len(parts)-1] != "..":
			parts = parts[:len(parts)-1]
		case p == ".." && root != "":
		default:
			parts = append(parts, p)
		}
	}
	return root + strings.Join(parts, sep)
}

// target returns what a path that is a symbolic link leads to, whether it is
// there or not.
func target(path string) string {
	for range 40 { // more than systems follow
		to, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	return path
}
