package config

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/boughdev/bough/internal/pifile"
	"github.com/boughdev/bough/internal/rawjson"
)

// Load reads the user's settings and, over them, those of the project in dir,
// which may be "". Of a project that is not trusted only sessionDir counts, and
// only if it lies in the project or the agent directory (docs/spec/frontends.md
// H-62). What could not be used is left out and told.
func Load(p Paths, dir string, trusted bool) (Settings, []Problem) {
	s := Defaults()
	l := loader{settings: &s}
	l.file(p.SettingsFile(), func(key) bool { return true })
	if dir != "" {
		before := s.SessionDir
		l.project = true
		l.file(ProjectSettings(dir), func(k key) bool { return trusted || k.name == "sessionDir" })
		if !trusted && s.SessionDir != before {
			if at, err := p.Expand(s.SessionDir, dir); err != nil || !inside(at, dir, p.Agent) {
				l.problems = append(l.problems, Problem{File: ProjectSettings(dir), Key: "sessionDir",
					Message: "lies outside of a project that is not trusted; ignored"})
				s.SessionDir = before
			}
		}
	}
	if strings.HasPrefix(s.ShellPath, "~") {
		if path, err := p.Expand(s.ShellPath, dir); err == nil {
			s.ShellPath = path
		}
	}
	return s, l.problems
}

type loader struct {
	settings *Settings
	problems []Problem
	project  bool
}

// file lays the settings of one file over those that are there.
func (l *loader) file(path string, wanted func(key) bool) {
	doc, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	tell := func(key string, at []byte, err error) {
		l.problems = append(l.problems, Problem{File: path, Line: pifile.Line(doc, at), Key: key, Message: err.Error()})
	}
	if err != nil {
		l.problems = append(l.problems, Problem{File: path, Message: err.Error()})
		return
	}
	doc = slices.Clip(bytes.TrimPrefix(doc, []byte("\ufeff")))
	if len(bytes.TrimSpace(doc)) == 0 {
		return
	}
	if !rawjson.Valid(doc) || rawjson.Kind(doc) != '{' {
		l.problems = append(l.problems, Problem{File: path, Line: pifile.Fault(doc), Message: "is no JSON object; nothing in it is used"})
		return
	}
	told := map[string]bool{}
	defaults := Defaults()
	for _, k := range keys() {
		if !wanted(k) {
			continue
		}
		v, at := find(doc, k.name)
		switch {
		case v == nil:
		case l.project && k.userOnly && at != k.name: // told below, or nothing
		case l.project && k.userOnly:
			tell(k.name, v, errors.New("counts only in the user's settings; ignored"))
		case isNull(v):
			k.clear(l.settings, &defaults)
		case at != k.name: // something on the way is no object
			if !told[at] {
				told[at] = true
				tell(at, v, wrong("an object", v))
			}
		default:
			k.set(l.settings, v, func(sub string, at []byte, err error) { tell(below(k.name, sub), at, err) })
		}
	}
}

// find returns the value of a key such as "a.b", or what is in its way, and the
// key of what it returns. Null in the way is the value of all below it.
func find(doc []byte, name string) (v []byte, at string) {
	v = doc
	parts := strings.Split(name, ".")
	for i, part := range parts {
		v = rawjson.Get(v, part)
		at = strings.Join(parts[:i+1], ".")
		if v == nil || rawjson.Kind(v) != '{' {
			return v, at
		}
	}
	return v, at
}

// Change is a new value of one setting.
type Change struct {
	Path  []string // "compaction", "enabled"
	Value any      // made JSON; nil takes the key away
}

// Save changes settings in a file and leaves everything else in it as it is. A
// file that is no JSON object is not touched. It waits for at most 2 s if another
// program is changing the file.
func Save(ctx context.Context, file string, changes ...Change) error {
	err := pifile.Update(ctx, file, 0o600, pifile.LockOptions{}, func(doc []byte) ([]byte, error) {
		for _, c := range changes {
			var v []byte
			if c.Value != nil {
				var b bytes.Buffer
				enc := json.NewEncoder(&b)
				enc.SetEscapeHTML(false)
				if err := enc.Encode(c.Value); err != nil {
					return nil, err
				}
				v = bytes.TrimSpace(b.Bytes())
			}
			var err error
			if doc, err = pifile.Set(doc, c.Path, v); err != nil {
				return nil, err
			}
		}
		return doc, nil
	})
	if err != nil {
		return fmt.Errorf("save settings in %s: %w", file, err)
	}
	return nil
}
