// Package trust says whether what a project brings along may be used: settings,
// MCP servers, skills, templates, themes, parts of the system prompt
// (docs/spec/frontends.md H6). Context files such as AGENTS.md need no trust, but
// new ones are told.
//
// Answers are kept in trust.json of the agent directory, which bough shares with
// pi: an object of real paths of folders and true, false or null. What a trusted
// project had is kept in bough's own state, so that what is new or has changed is
// asked about again.
package trust

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/boughdev/bough/internal/pifile"
	"github.com/boughdev/bough/internal/rawjson"
)

// Places are the folders that decisions hang on, absolute.
type Places struct {
	Agent string // with trust.json
	Home  string
	State string // bough's own; the memory lies in it

	// Named lists what the settings of a project name outside of its usual
	// folders. Nil: nothing.
	Named func(dir string) []string
}

// Options are what a decision hangs on.
type Options struct {
	Places
	Dir string // the session's directory, absolute

	Approve, Deny bool   // --approve, --no-approve
	Default       string // defaultProjectTrust: "ask", "always", "never"
	NoRecheck     bool   // trustRecheck is off
}

// Decision says whether a project is trusted.
type Decision struct {
	Trusted bool
	Ask     bool // somebody who is there should be asked; without an answer it is no
	Why     string

	Items   []Item   // what needs trust
	Changed []Change // since it was trusted
	Problem error    // of trust.json
}

// Decide decides (docs/spec/frontends.md H-61). It writes nothing but the memory
// of what a trusted project has, when it is seen for the first time.
func Decide(o Options) Decision {
	d := Decision{Items: Needs(o.Places, o.Dir)}
	if o.Deny {
		d.Why = "--no-approve"
		return d
	}
	if o.Approve {
		d.Trusted, d.Why = true, "--approve"
		return d
	}
	var saved Saved
	if saved, d.Problem = Lookup(o.Agent, o.Dir); saved.Known {
		d.Trusted, d.Why = saved.Trusted, saved.String()
		if d.Trusted && !o.NoRecheck {
			d.recheck(o)
		}
		return d
	}
	switch {
	case o.Default == "always":
		d.Trusted, d.Why = true, "defaultProjectTrust is always"
	case o.Default == "never":
		d.Why = "defaultProjectTrust is never"
	case len(d.Items) == 0:
		d.Why = "nobody has said that it is trusted, and there is nothing that needs it"
	default:
		d.Ask, d.Why = true, "nobody has said that it is trusted"
	}
	return d
}

// recheck compares what there is with what was trusted.
func (d *Decision) recheck(o Options) {
	old, known := recall(o.Places, o.Dir)
	now := snapshot(o.Dir, d.Items, old)
	if !known {
		// It was trusted by pi, or together with its parent.
		_ = keep(o.Places, o.Dir, now) // without a memory it is only seen anew the next time
		return
	}
	if d.Changed = now.changes(old); len(d.Changed) > 0 {
		d.Trusted, d.Ask, d.Why = false, true, "it has changed since it was trusted"
	} else if !now.same(old) {
		_ = keep(o.Places, o.Dir, now) // only times differ
	}
}

// Accept remembers that what the project has now is what is trusted. Who changes a
// file of a trusted project on order of the user calls it, so that nobody is asked
// about it.
func Accept(p Places, dir string) error {
	return keep(p, dir, snapshot(dir, Needs(p, dir), memory{}))
}

// Saved is what trust.json says of a folder.
type Saved struct {
	Known, Trusted bool
	At             string // the folder that the entry is for: this one or the nearest above it
}

func (s Saved) String() string {
	switch {
	case !s.Known:
		return "nobody has said that it is trusted"
	case s.Trusted:
		return fmt.Sprintf("trust.json says yes for %s", s.At)
	}
	return fmt.Sprintf("trust.json says no for %s", s.At)
}

// Path is the path of trust.json.
func Path(agent string) string { return filepath.Join(agent, "trust.json") }

// Lookup returns what is saved for a folder.
func Lookup(agent, dir string) (Saved, error) {
	all, err := List(agent)
	if err != nil || len(all) == 0 {
		return Saved{}, err
	}
	for d := Real(dir); ; d = filepath.Dir(d) {
		if i := slices.IndexFunc(all, func(e Entry) bool { return e.Dir == d }); i >= 0 {
			return Saved{true, all[i].Trusted, d}, nil
		}
		if d == filepath.Dir(d) {
			return Saved{}, nil
		}
	}
}

// Entry is an answer that is kept.
type Entry struct {
	Dir     string
	Trusted bool
}

// List returns the answers that are kept, as they stand in the file.
func List(agent string) ([]Entry, error) {
	doc, err := pifile.Read(Path(agent))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("%w. Until that is put right nothing in it counts", err)
	}
	doc = bytes.TrimPrefix(doc, []byte("\ufeff"))
	if len(bytes.TrimSpace(doc)) == 0 {
		return nil, nil
	}
	if rawjson.Kind(doc) != '{' || !rawjson.Valid(doc) {
		return nil, fmt.Errorf("%s is no JSON object, so that nothing in it counts. Put it right or throw it away", Path(agent))
	}
	var all []Entry
	for dir, v := range rawjson.Members(doc) {
		switch string(bytes.TrimSpace(v)) {
		case "true", "false":
			e := Entry{clean(dir), rawjson.Bool(v)}
			if i := slices.IndexFunc(all, func(have Entry) bool { return have.Dir == e.Dir }); i >= 0 {
				all[i] = e
			} else {
				all = append(all, e)
			}
		case "null":
		default:
			return nil, fmt.Errorf("%s: what stands for %q is neither true nor false nor null, so that nothing in the file counts. Put it right or throw it away", Path(agent), dir)
		}
	}
	return all, nil
}

func clean(dir string) string { return filepath.Clean(filepath.FromSlash(dir)) }

// Real is the path under which a folder is kept.
func Real(dir string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real
	}
	return filepath.Clean(dir)
}

// Remember keeps an answer for a folder, and what the folder has now if it is yes.
func Remember(ctx context.Context, p Places, dir string, trusted bool) error {
	if err := change(ctx, p.Agent, dir, &trusted); err != nil {
		return err
	}
	if !trusted {
		return nil
	}
	return Accept(p, dir)
}

// Forget takes the answer for a folder away.
func Forget(ctx context.Context, p Places, dir string) error {
	return change(ctx, p.Agent, dir, nil)
}

func change(ctx context.Context, agent, dir string, v *bool) error {
	if _, err := List(agent); err != nil {
		return err
	}
	key := Real(dir)
	err := pifile.Update(ctx, Path(agent), 0o600, pifile.LockOptions{}, func(doc []byte) ([]byte, error) {
		if len(bytes.TrimSpace(doc)) == 0 && v == nil {
			return doc, nil
		}
		// The same folder may stand there under another spelling.
		var others []string
		for k := range rawjson.Members(bytes.TrimPrefix(doc, []byte("\ufeff"))) {
			if k != key && clean(k) == key {
				others = append(others, k)
			}
		}
		var err error
		for _, k := range others {
			if doc, err = pifile.Set(doc, []string{k}, nil); err != nil {
				return nil, err
			}
		}
		var value []byte
		if v != nil {
			value, err = json.Marshal(*v)
			if err != nil {
				return nil, err
			}
		}
		return pifile.Set(doc, []string{key}, value)
	})
	if err != nil {
		return fmt.Errorf("remember it in %s: %w", Path(agent), err)
	}
	return nil
}
