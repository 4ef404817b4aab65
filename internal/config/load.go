package config

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
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
	return Read(p, dir, trusted).Settings()
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
	if err := plain(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("save settings: %s %w", file, err)
	}
	err := pifile.Update(ctx, file, 0o600, pifile.LockOptions{}, func(doc []byte) ([]byte, error) {
		for _, c := range changes {
			path := c.Path
			if c.Value == nil {
				path = taking(doc, path)
			}
			var err error
			if doc, err = pifile.Set(doc, path, encode(c.Value)); err != nil {
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

// taking is what is taken out of a document together with a member of that path:
// the objects that have nothing else.
func taking(doc []byte, path []string) []string {
	for ; len(path) > 1; path = path[:len(path)-1] {
		v := bytes.TrimPrefix(doc, []byte("\ufeff"))
		for _, name := range path[:len(path)-1] {
			v = rawjson.Get(v, name)
		}
		n, has := 0, false
		for name := range rawjson.Members(v) {
			n++
			has = has || name == path[len(path)-1]
		}
		if !has || n > 1 {
			break
		}
	}
	return path
}

// Edit sets one setting in a file, or takes it away if v is nil, whatever it was
// called there, and returns what stood there before, nil if nothing did. path is
// that of [Parse] or [Find].
func Edit(ctx context.Context, file string, k Key, path []string, v json.RawMessage) (was json.RawMessage, err error) {
	doc, _, err := readFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s %w", file, err)
	}
	whole := strings.Join(path, ".") == k.Name
	changes := []Change{{Path: path, Value: v}}
	if v == nil {
		changes[0].Value = nil
	}
	known, _, err := lookup(k.Name)
	if err != nil {
		return nil, err
	}
	now, at, name := known.in(membersOf(doc))
	switch {
	case at == nil || name != k.Name && !known.wasCalled(name):
	case whole:
		was = bytes.Clone(now)
		if name != k.Name {
			changes = append(changes, Change{Path: strings.Split(name, ".")})
		}
	default:
		v := doc
		for _, name := range path {
			v = rawjson.Get(v, name)
		}
		was = bytes.Clone(v)
	}
	if k.Name == "skills" && known.isOldForm(rawjson.Get(doc, "skills")) {
		// The old object gives way to the list; what else it says has a key of its own.
		if on := rawjson.Get(rawjson.Get(doc, "skills"), "enableSkillCommands"); on != nil && rawjson.Get(doc, "enableSkillCommands") == nil {
			changes = append(changes, Change{Path: []string{"enableSkillCommands"}, Value: json.RawMessage(bytes.Clone(on))})
		}
		changes = slices.DeleteFunc(changes, func(c Change) bool { return len(c.Path) > 1 })
	}
	return was, Save(ctx, file, changes...)
}
