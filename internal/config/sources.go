package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/boughdev/bough/internal/pifile"
	"github.com/boughdev/bough/internal/rawjson"
)

// Level is a kind of place that settings come from.
type Level int

// The levels, lowest first: what is above wins (docs/spec/frontends.md H-10).
const (
	ByDefault Level = iota
	ByFallback
	ByUser
	InProject
	ByEnvironment
	ByOption
	ForThisRun
)

func (l Level) String() string {
	return [...]string{"default", "environment", "user", "project", "environment", "command line", "this run"}[l]
}

// Sources are all places that settings come from.
type Sources struct {
	paths   Paths
	dir     string
	trusted bool
	layers  []layer
	faults  []Problem
}

// layer is what one place says, as a document.
type layer struct {
	level Level
	where string // the file; of an option or a variable: see names
	doc   []byte
	names map[string]string // by key, which option or variable it was
}

// maxFile is how large a settings file may be, in bytes.
const maxFile = 1 << 20

// Read reads the user's settings and those of the project in dir, which may be
// "". See [Load].
func Read(p Paths, dir string, trusted bool) *Sources {
	s := &Sources{paths: p, dir: dir, trusted: trusted}
	s.file(ByUser, p.SettingsFile())
	if dir != "" && ProjectSettings(dir) != p.SettingsFile() {
		s.file(InProject, ProjectSettings(dir))
	}
	return s
}

func (s *Sources) file(level Level, path string) {
	doc, line, err := readFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		s.faults = append(s.faults, Problem{File: path, Line: line, Message: err.Error()})
	case doc != nil:
		s.layers = append(s.layers, layer{level: level, where: path, doc: doc})
	}
}

// readFile returns what is in a settings file, nil if that is nothing, or what is
// wrong with it and where.
func readFile(path string) (doc []byte, line int, err error) {
	if err := plain(path); err != nil {
		return nil, 0, err
	}
	doc, err = os.ReadFile(path)
	if err != nil {
		if e, ok := errors.AsType[*fs.PathError](err); ok && !errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("cannot be read (%w); nothing in it is used", e.Err)
		}
		return nil, 0, err
	}
	doc = slices.Clip(bytes.TrimPrefix(doc, []byte("\ufeff")))
	switch {
	case len(bytes.TrimSpace(doc)) == 0:
		return nil, 0, nil
	case !rawjson.Valid(doc) || rawjson.Kind(doc) != '{':
		return nil, pifile.Fault(doc), errors.New("is no JSON object; nothing in it is used")
	}
	return doc, 0, nil
}

// plain returns why a path is no file that can be read at once.
func plain(path string) error {
	switch fi, err := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist):
		return err
	case err != nil:
		if e, ok := errors.AsType[*fs.PathError](err); ok {
			err = e.Err
		}
		return fmt.Errorf("cannot be read (%w); nothing in it is used", err)
	case !fi.Mode().IsRegular():
		return errors.New("is no file; nothing in it is used")
	case fi.Size() > maxFile:
		return fmt.Errorf("is larger than %d MB; nothing in it is used", maxFile>>20)
	}
	return nil
}

// Override is a value that comes from elsewhere than a file.
type Override struct {
	Level Level
	Key   string
	Value any    // made JSON
	Name  string // the variable or the option: "PI_TRUE_COLOR", "--model"
}

// Override lays values over those of the files, in order, or below them if they
// are fallbacks.
func (s *Sources) Override(values ...Override) {
	for _, o := range values {
		l := s.at(o.Level)
		l.names[o.Key] = o.Name
		l.doc = s.put(l.doc, strings.Split(o.Key, "."), encode(o.Value))
	}
}

// put sets a value in a document of our own making, which cannot fail.
func (s *Sources) put(doc []byte, path []string, v []byte) []byte {
	if out, err := pifile.Set(doc, path, v); err == nil {
		return slices.Clip(out)
	}
	return doc
}

// at returns the layer of a level, which it makes if there is none.
func (s *Sources) at(level Level) *layer {
	i := slices.IndexFunc(s.layers, func(l layer) bool { return l.level >= level })
	if i < 0 {
		i = len(s.layers)
	}
	if i == len(s.layers) || s.layers[i].level != level {
		s.layers = slices.Insert(s.layers, i, layer{level: level, doc: []byte("{}"), names: map[string]string{}})
	}
	return &s.layers[i]
}

// ForRun sets a value for this run, or takes it away again if v is nil.
func (s *Sources) ForRun(path []string, v []byte) {
	l := s.at(ForThisRun)
	l.doc = s.put(l.doc, path, v)
}

var errOutside = errors.New("lies outside of a project that is not trusted")

// refusal says why what a layer says of a setting does not count, "" if it does.
func (s *Sources) refusal(l layer, k key) string {
	switch {
	case l.level != InProject:
	case k.UserOnly:
		return "counts only in the user's settings"
	case !s.trusted && k.Name != "sessionDir":
		return "the project is not trusted"
	}
	return ""
}

// Settings works out what is in force, and what could not be used.
func (s *Sources) Settings() (Settings, []Problem) {
	out, defaults := Defaults(), Defaults()
	problems := slices.Clone(s.faults)
	all := allKeys()
	for _, l := range s.layers {
		tell := func(key string, at []byte, err error) {
			problems = append(problems, Problem{File: l.place(key), Line: l.line(at), Key: key, Message: err.Error()})
		}
		if l.level == InProject && !s.trusted {
			s.untrusted(&out, l, tell)
			continue
		}
		told, doc := map[string]bool{}, membersOf(l.doc)
		for _, k := range all {
			v, at, name := k.in(doc)
			if v == nil {
				continue
			}
			if why := s.refusal(l, k); why != "" {
				if name == k.Name {
					tell(k.Name, at, errors.New(why+"; ignored"))
				}
				continue
			}
			k.apply(&out, &defaults, l, v, at, name, func(key string, at []byte, err error) {
				if !told[key] { // an object on the way is that of several keys
					told[key] = true
					tell(key, at, err)
				}
			})
		}
	}
	s.expand(&out)
	return out, problems
}

// untrusted takes up the one setting of a project that is not trusted, sessionDir,
// if it lies in the project or the agent directory (docs/spec/frontends.md H-62).
func (s *Sources) untrusted(out *Settings, l layer, tell teller) {
	v := rawjson.Get(l.doc, "sessionDir")
	if v == nil || isNull(v) {
		return
	}
	dir, err := readText(v)
	if err != nil {
		tell("sessionDir", v, err)
		return
	}
	if at, err := s.paths.Expand(dir, s.dir); dir != "" && (err != nil || !inside(at, s.dir, s.paths.Agent)) {
		tell("sessionDir", v, fmt.Errorf("%w; ignored", errOutside))
		return
	}
	out.SessionDir = dir
}

func (s *Sources) expand(out *Settings) {
	if strings.HasPrefix(out.ShellPath, "~") {
		if path, err := s.paths.Expand(out.ShellPath, s.dir); err == nil {
			out.ShellPath = path
		}
	}
}

// apply takes up what a layer says of a setting.
func (k key) apply(s, defaults *Settings, l layer, v, at []byte, name string, tell teller) {
	known := name == k.Name || slices.ContainsFunc(k.old, func(o oldName) bool { return o.name == name })
	switch {
	case isNull(v):
		k.clear(s, defaults)
	case !known: // something on the way is no object
		tell(name, at, wrong("an object", v))
	default:
		k.set(s, v, l.level, func(sub string, part []byte, err error) {
			if name != k.Name {
				part = at // what was made of the old form stands nowhere
			}
			tell(below(name, sub), part, err)
		})
	}
}

// place says where a layer has a value.
func (l layer) place(key string) string {
	switch l.level {
	case ByFallback, ByEnvironment:
		return "environment variable " + l.names[key]
	case ByOption:
		return "option " + l.names[key]
	case ForThisRun:
		return "/settings"
	}
	return l.where
}

// line is where in the layer's file a value stands.
func (l layer) line(at []byte) int {
	if l.where == "" {
		return 0
	}
	return pifile.Line(l.doc, at)
}

// allKeys are those of all sections. They are not to be changed.
var allKeys = sync.OnceValue(func() []key {
	var out []key
	for _, s := range sections() {
		out = append(out, s.keys...)
	}
	return out
})
