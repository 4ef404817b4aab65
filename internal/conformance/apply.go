package conformance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/session/filestore"
)

// Apply runs operations on a session file, in order, and writes what has become
// of it: the name of the file that is open in the end, the leaf, and the ids of
// the entries that were given names. ops is a JSON list of objects:
//
//	[{"op":"message","message":{…},"as":"q"},{"op":"label","target":"$q","label":"here"},{"op":"branch","to":"@-2"}]
//
// A file that does not exist, or holds nothing, becomes a new session.
func Apply(w io.Writer, file string, ops []byte) error {
	if rawjson.Kind(ops) != '[' || !rawjson.Valid(ops) {
		return errors.New("apply operations: they must be a JSON list")
	}
	a := &applier{ctx: context.Background(), names: map[string]session.ID{}}
	if err := a.open(file); err != nil {
		return fmt.Errorf("apply operations: %w", err)
	}
	n := 0
	for op := range rawjson.Elements(ops) {
		n++
		if err := a.run(op); err != nil {
			a.branch.Session().Close() // what was written before stands; the error is the one to tell
			return fmt.Errorf("operation %d: %w", n, err)
		}
	}
	if err := a.branch.Session().Close(); err != nil {
		return fmt.Errorf("close the session: %w", err)
	}
	out := newWriter(w)
	out.raw(`{"file":` + string(rawjson.Quote(filepath.Base(a.path()))) + `,"ids":{`)
	for i, name := range slices.SortedFunc(maps.Keys(a.names), rawjson.CompareUTF16) {
		out.comma(i)
		out.raw(string(rawjson.Quote(name)) + `:` + string(rawjson.Quote(string(a.names[name]))))
	}
	out.raw(`},"leafId":` + textOrNull(string(a.branch.Leaf())) + `}`)
	return out.close()
}

type applier struct {
	ctx    context.Context // of the whole command, which is short
	store  filestore.Store
	branch *session.Branch
	names  map[string]session.ID // of entries made here
}

func (a *applier) open(file string) error {
	path, err := filepath.Abs(file)
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		cwd, err := os.Getwd()
		if err != nil {
			return err
		}
		a.store = filestore.Store{Path: path}
		return a.use(session.New(a.store, session.Header{CWD: cwd}))
	}
	if err != nil {
		return err
	}
	if info.Size() == 0 {
		if err := begin(path); err != nil {
			return err
		}
	}
	a.store = filestore.Store{Flat: filepath.Dir(path)}
	return a.use(session.Open(a.ctx, a.store, path))
}

// begin makes a session of a file that holds nothing yet.
func begin(path string) error {
	cwd, err := os.Getwd()
	if err != nil {
		return err
	}
	h := session.Header{CWD: cwd}.Complete()
	return os.WriteFile(path, append(h.Line(), '\n'), 0o600)
}

func (a *applier) use(s *session.Session, err error) error {
	if err == nil {
		a.branch = s.Main()
	}
	return err
}

// path returns where the session lies, or will.
func (a *applier) path() string {
	s := a.branch.Session()
	if l, ok := s.Log().(interface{ Path() string }); ok {
		return l.Path()
	}
	return a.store.FilePath(s.Header())
}

// run runs one operation; one that is to fail must.
func (a *applier) run(op []byte) error {
	o := operation{op}
	e, err := a.do(o)
	if rawjson.Bool(o.get("fails")) {
		if err == nil {
			return fmt.Errorf("%s succeeded, but must be refused", o.str("op"))
		}
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", o.str("op"), err)
	}
	if name := o.str("as"); name != "" && e != nil {
		a.names[name] = e.ID
	}
	return nil
}

// operation reads the fields of one.
type operation struct{ raw []byte }

func (o operation) get(key string) message.Value { return rawjson.Get(o.raw, key) }

func (o operation) str(key string) string { s, _ := rawjson.GetString(o.raw, key); return s }

// value returns a field on one line, nil if it is not given.
func (o operation) value(key string) message.Value {
	if v := o.get(key); v != nil {
		return rawjson.AppendStringify(nil, v)
	}
	return nil
}

// fields returns an object of those of the fields that are given.
func (o operation) fields(keys ...string) message.Value {
	v := message.Value("{}")
	for _, k := range keys {
		if f := o.value(k); f != nil {
			v = rawjson.Set(v, k, f)
		}
	}
	return v
}

func (a *applier) do(o operation) (*session.Entry, error) {
	switch op := o.str("op"); op {
	case "message":
		m, err := message.Decode(o.value("message"))
		if err != nil {
			return nil, err
		}
		return a.add(session.Message{Message: m})
	case "model":
		return a.add(session.ModelChange{Provider: o.str("provider"), ModelID: o.str("modelId")})
	case "thinking":
		return a.add(session.ThinkingChange{Level: o.str("level")})
	case "usage":
		return a.add(session.Other{Type: session.TypeUsage, Fields: o.fields("kind", "provider", "model", "usage")})
	case "custom":
		return a.add(session.Custom{CustomType: o.str("customType"), Data: o.value("data")})
	case "customMessage":
		return a.add(session.Other{Type: session.TypeCustomMessage, Fields: o.fields("customType", "content", "display", "details")})
	case "contextEdit":
		return a.edit(o)
	case "compaction":
		return a.compact(o)
	case "label":
		target, err := a.entry(o, "target")
		if err != nil {
			return nil, err
		}
		return a.add(session.Label{Target: target, Text: o.str("label")})
	case "name":
		return a.add(session.Info{Name: o.str("name")})
	case "branch":
		to, err := a.entry(o, "to")
		if err != nil {
			return nil, err
		}
		return nil, a.branch.Move(to)
	case "reset":
		return nil, a.branch.Move("")
	case "branchSummary":
		return a.summarize(o)
	case "fork":
		return nil, a.fork(o)
	default:
		return nil, fmt.Errorf("no such operation: %q", op)
	}
}

func (a *applier) add(body session.Body) (*session.Entry, error) { return a.branch.Append(a.ctx, body) }

func (a *applier) edit(o operation) (*session.Entry, error) {
	target, err := a.entry(o, "target")
	if err != nil {
		return nil, err
	}
	edit := session.ContextEdit{Target: target}
	if r := o.value("replacement"); rawjson.Kind(r) == 'n' {
		edit.Omit = true
	} else {
		edit.Content = rawjson.Get(r, "content") // nil is refused
	}
	return a.add(edit)
}

func (a *applier) compact(o operation) (*session.Entry, error) {
	c := session.Compaction{Summary: o.str("summary"), Details: o.value("details")}
	if !rawjson.IsNull(o.get("firstKept")) {
		first, err := a.entry(o, "firstKept")
		if err != nil {
			return nil, err
		}
		c.FirstKept = first
	}
	if n, ok := rawjson.Number(o.get("tokensBefore")); ok {
		c.TokensBefore = int64(n)
	}
	return a.add(c)
}

// summarize moves the leaf and says below the new one what the old branch came to.
func (a *applier) summarize(o operation) (*session.Entry, error) {
	var to session.ID
	if !rawjson.IsNull(o.get("to")) {
		var err error
		if to, err = a.entry(o, "to"); err != nil {
			return nil, err
		}
	}
	left := a.branch.Leaf()
	s := session.BranchSummary{From: left, Summary: o.str("summary"), Details: o.value("details")}
	if left == "" {
		s.From = "root"
	}
	if err := a.branch.Move(to); err != nil {
		return nil, err
	}
	e, err := a.add(s)
	if e == nil {
		return nil, errors.Join(err, a.branch.Move(left))
	}
	return e, err
}

// fork goes over to a copy of one path, in the same folder. It has no file
// before somebody speaks in it.
func (a *applier) fork(o operation) error {
	leaf, err := a.entry(o, "leaf")
	if err != nil {
		return err
	}
	from := a.branch.Session()
	c, err := from.Tree().CopyBranch(leaf)
	if err != nil {
		return err
	}
	lines, err := c.Lines()
	if err != nil {
		return err
	}
	h := session.Header{CWD: from.Header().CWD, ParentSession: a.path(), Timestamp: session.FormatTime(time.Now())}.Complete()
	if h.CWD == "" {
		if h.CWD, err = os.Getwd(); err != nil {
			return err
		}
	}
	store := filestore.Store{Flat: filepath.Dir(a.path())}
	var s *session.Session
	if c.Spoken() {
		log, err := store.Create(a.ctx, h, lines...)
		if err != nil {
			return err
		}
		log.Close() // to be opened again by its path
		s, err = session.Open(a.ctx, store, store.FilePath(h))
		if err != nil {
			return err
		}
	} else if s, err = session.New(store, h, lines...); err != nil {
		return err
	}
	if err := from.Close(); err != nil {
		return err
	}
	a.store = store
	return a.use(s, nil)
}

// entry returns the id that a field refers to.
func (a *applier) entry(o operation, key string) (session.ID, error) {
	ref, ok := rawjson.GetString(o.raw, key)
	if !ok || ref == "" {
		return "", fmt.Errorf("%s must name an entry", key)
	}
	if name, ok := strings.CutPrefix(ref, "$"); ok {
		if id, ok := a.names[name]; ok {
			return id, nil
		}
		return "", fmt.Errorf("%s: no entry was named %s here", key, name)
	}
	number, ok := strings.CutPrefix(ref, "@")
	if !ok {
		return session.ID(ref), nil
	}
	n, err := strconv.Atoi(number)
	tree := a.branch.Session().Tree()
	if n < 0 {
		n += tree.Size() + 1
	}
	if err == nil && n >= 1 {
		for e := range tree.LogFrom(n - 1) {
			return e.ID, nil
		}
	}
	return "", fmt.Errorf("%s: there is no entry %s", key, ref)
}
