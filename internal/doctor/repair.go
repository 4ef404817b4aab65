package doctor

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"time"
	"unicode/utf8"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/session/filestore"
)

// RepairOptions say how a session is repaired.
type RepairOptions struct {
	Out string    // the file to write; "": one beside the damaged file
	Dir string    // the session's folder where the header does not tell one
	Now time.Time // of the new session
}

// A Repaired is a session that was made of what is left of another.
type Repaired struct {
	Path    string
	ID      string
	Entries int
	Lost    int // entries of which only the place was left; they are not in it
	Moved   int // entries that hang elsewhere than their lines say
	Changed int // lines that are not as they were
}

// RepairType is the customType of the entry in a repaired session that says of what
// file it was made, and what is not in it.
const RepairType = "bough.repair"

// ErrFine is returned for a file in which there is nothing to repair.
var ErrFine = errors.New("there is nothing to repair")

// Repair writes a new session with all that can be read of the file, and a first
// entry that says what could not. The file itself is left as it is. Lines in which
// nothing is wrong are copied to the byte.
func (r *Report) Repair(o RepairOptions) (done Repaired, err error) {
	switch {
	case !r.Session:
		return done, session.ErrNotSession
	case r.Fine() || r.Lines == 0:
		return done, ErrFine
	}
	abs, err := filepath.Abs(r.Path)
	if err != nil {
		return done, err
	}
	done.ID = session.NewSessionID()
	line, h := r.newHeader(abs, done.ID, o)
	if done.Path = o.Out; done.Path == "" {
		done.Path = filepath.Join(filepath.Dir(abs), filestore.FileName(h))
	}
	err = filestore.WriteNew(done.Path, func(w io.Writer) error {
		for _, line := range [][]byte{line, r.account(&done, abs, o.Now)} {
			if _, err := w.Write(append(line, '\n')); err != nil {
				return err
			}
		}
		for line, err := range r.tree.Whole() {
			if err != nil {
				return err
			}
			fixed, changed := fix(line)
			if changed {
				done.Changed++
			}
			done.Entries++
			if _, err := w.Write(append(fixed, '\n')); err != nil {
				return err
			}
		}
		return nil
	})
	switch {
	case errors.Is(err, fs.ErrExist):
		return done, fmt.Errorf("write the repaired session: %s exists already", done.Path)
	case errors.Is(err, session.ErrTooLong):
		return done, fmt.Errorf("write the repaired session: %w. Take the line out of a copy of the file first", err)
	case err != nil:
		return done, fmt.Errorf("write the repaired session: %w", err)
	}
	return done, nil
}

// newHeader is the header of the repaired session: that of the old one, as far as
// it can be read, with another id.
func (r *Report) newHeader(source, id string, o RepairOptions) ([]byte, session.Header) {
	h := r.Header
	if !r.whole {
		if left, err := filestore.SalvageHeader(r.Path); err == nil {
			h = left
		}
	}
	if h.CWD == "" {
		h.CWD = o.Dir
	}
	now := session.FormatTime(o.Now)
	line := h.Line()
	if r.whole {
		line = rawjson.Set(line, "version", []byte("3"))
	}
	for _, f := range []struct{ key, value string }{{"id", id}, {"timestamp", now}, {"cwd", h.CWD}, {"parentSession", source}} {
		line = rawjson.Set(line, f.key, rawjson.AppendLineString(nil, f.value))
	}
	h.ID, h.Timestamp, h.ParentSession = id, now, source
	return line, h
}

// maxAccount is how many damaged places the account of a repair has.
const maxAccount = 200

// account is the entry that says what the repaired session was made of.
func (r *Report) account(done *Repaired, source string, now time.Time) []byte {
	for e := range r.tree.Log() {
		switch {
		case e.Lost():
			done.Lost++
		case e.Damage != nil && e.Damage.Kind&session.Moved != 0:
			done.Moved++
		}
	}
	b := append([]byte(`{"v":1,"source":`), rawjson.Quote(source)...)
	b = fmt.Appendf(b, `,"lost":%d,"moved":%d,"damage":[`, done.Lost, done.Moved)
	n := 0
	for _, f := range r.Findings {
		if f.Level != Damage || n == maxAccount {
			continue
		}
		if n > 0 {
			b = append(b, ',')
		}
		n++
		b = fmt.Appendf(b, `{"kind":%s,"line":%d,"offset":%d,"size":%d`, rawjson.Quote(string(f.Kind)), f.Line, f.Offset, f.Size)
		if f.Entry != "" {
			b = append(append(b, `,"entry":`...), rawjson.Quote(string(f.Entry))...)
		}
		b = append(b, '}')
	}
	b = append(b, `]}`...)
	id := session.NewID(r.tree.Has)
	e := session.NewEntry(id, "", now, session.Custom{CustomType: RepairType, Data: b})
	line, err := e.Raw()
	if err != nil {
		panic("doctor: read an entry in memory: " + err.Error()) // it was just made
	}
	return line
}

// fix changes what pi fails at in a line, and nothing else
// (docs/spec/session.md E).
func fix(line []byte) ([]byte, bool) {
	if !utf8.Valid(line) {
		line, _ = fix([]byte(rawjson.ToValid(string(line))))
		return line, true
	}
	typ, _ := rawjson.GetString(line, "type")
	switch session.Type(typ) {
	case session.TypeInfo:
		if name := rawjson.Get(line, "name"); name != nil && rawjson.Kind(name) != '"' {
			return rawjson.Delete(line, "name"), true
		}
	case session.TypeMessage:
		m := rawjson.Get(line, "message")
		if rawjson.Kind(m) != '{' {
			line = rawjson.Set(line, "type", []byte(`"custom"`))
			return rawjson.Set(line, "customType", rawjson.Quote(RepairType)), true
		}
		if fixed, changed := fixMessage(m); changed {
			return rawjson.Set(line, "message", fixed), true
		}
	}
	return line, false
}

func fixMessage(m []byte) (fixed []byte, changed bool) {
	set := func(key string, v []byte) { m, changed = rawjson.Set(m, key, v), true }
	role, _ := rawjson.GetString(m, "role")
	content := rawjson.Get(m, "content")
	switch message.Role(role) {
	case message.Assistant, message.ToolResult:
		if s, ok := rawjson.String(content); ok {
			set("content", message.EncodeContent([]message.Block{message.Text(s)}))
		}
		fallthrough
	case message.User:
		if rawjson.IsNull(content) {
			set("content", []byte("[]"))
		}
	}
	if message.Role(role) != message.Assistant {
		return m, changed
	}
	zero := message.Usage{}.JSON()
	usage := rawjson.Get(m, "usage")
	if rawjson.Kind(usage) != '{' {
		set("usage", zero)
		return m, changed
	}
	whole := fill(fill(usage, zero, "cost"), zero)
	if !bytes.Equal(whole, usage) {
		set("usage", whole)
	}
	return m, changed
}

// fill adds the numbers that an object lacks and that like has: in the object that
// is its member in, or in itself.
func fill(obj, like []byte, in ...string) []byte {
	if len(in) > 0 {
		part := rawjson.Get(obj, in[0])
		if rawjson.Kind(part) != '{' {
			part = []byte("{}")
		}
		whole := fill(part, rawjson.Get(like, in[0]))
		if bytes.Equal(whole, part) {
			return obj
		}
		return rawjson.Set(obj, in[0], whole)
	}
	for key, v := range rawjson.Members(like) {
		if rawjson.Kind(v) == '0' && rawjson.Kind(rawjson.Get(obj, key)) != '0' {
			obj = rawjson.Set(obj, key, v)
		}
	}
	return obj
}
