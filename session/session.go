// Package session reads and grows conversations that are trees, in the files of
// the pi coding agent.
//
// A session is a log of lines that only grows. The first is a header, every
// other an [Entry] with the id of the entry before it:
//
//	{"type":"session","version":3,"id":"0195…","timestamp":"2026-03-01T09:00:00.000Z","cwd":"/srv/app"}
//	{"type":"message","id":"5d0f2a11","parentId":null,"timestamp":"…","message":{"role":"user",…}}
//	{"type":"message","id":"9be2c07f","parentId":"5d0f2a11","timestamp":"…","message":{"role":"assistant",…}}
//	{"type":"message","id":"c0ffee00","parentId":"5d0f2a11","timestamp":"…","message":{"role":"assistant",…}}
//
// Everything else is a fold of the log: a [Tree] of its lines, a [Projection] of
// one path in that tree (what a model sees). To branch is to append below an
// older entry; nothing is copied and no line ever changes.
//
// A [Log] is one session's lines, a [Store] a place of many; the stores lie in
// the packages below this one. Lines that cannot be read, fields and types that
// nobody knows are kept to the byte.
package session

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/boughdev/bough/internal/rawjson"
)

// ID names an entry within its session. "" stands for no entry: the place
// before the first.
type ID string

// Version is the version of the files that this package writes.
const Version = 3

// A Header is the first line of a log.
type Header struct {
	ID            string
	Version       int // 1 if absent
	Timestamp     string
	CWD           string // the folder the session works in; "" if absent
	ParentSession string // the file this one was forked from; "" if none

	raw []byte
}

// ErrNotSession is returned for a log whose first value is no header.
var ErrNotSession = errors.New("not a session: the first line is no session header")

// DecodeHeader reads a header line.
func DecodeHeader(line []byte) (Header, error) {
	if t, _ := rawjson.GetString(line, "type"); t != "session" {
		return Header{}, ErrNotSession
	}
	id, ok := rawjson.GetString(line, "id")
	if !ok {
		return Header{}, ErrNotSession
	}
	h := Header{ID: id, Version: 1, raw: rawjson.Trim(line)}
	if v := rawjson.Get(line, "version"); !rawjson.IsNull(v) {
		h.Version = version(v)
	}
	h.Timestamp, _ = rawjson.GetString(line, "timestamp")
	h.CWD, _ = rawjson.GetString(line, "cwd")
	h.ParentSession, _ = rawjson.GetString(line, "parentSession")
	return h, nil
}

// version reads a version number, which may stand in a string.
func version(v []byte) int {
	if s, ok := rawjson.String(v); ok {
		v = []byte(s)
	}
	f, ok := rawjson.Number(v)
	if !ok {
		return Version
	}
	return int(min(max(f, 0), 1e9))
}

// Line returns the header as a line of JSON without a line end.
func (h Header) Line() []byte {
	if h.raw != nil {
		return h.raw
	}
	b := []byte(`{"type":"session","version":3,"id":`)
	b = rawjson.AppendLineString(b, h.ID)
	b = append(b, `,"timestamp":`...)
	b = rawjson.AppendLineString(b, h.Timestamp)
	b = append(b, `,"cwd":`...)
	b = rawjson.AppendLineString(b, h.CWD)
	if h.ParentSession != "" {
		b = append(b, `,"parentSession":`...)
		b = rawjson.AppendLineString(b, h.ParentSession)
	}
	return append(b, '}')
}

// Complete returns the header of a new session with an id, a time and the
// version, where it has none.
func (h Header) Complete() Header {
	if h.ID == "" {
		h.ID = NewSessionID()
	}
	if h.Timestamp == "" {
		h.Timestamp = FormatTime(time.Now())
	}
	h.Version = Version
	return h
}

// NewSessionID returns a fresh session id, a UUID of version 7: ids made later
// sort later.
func NewSessionID() string {
	id, err := uuid.NewV7()
	if err != nil {
		return uuid.NewString()
	}
	return id.String()
}

// CheckSessionID reports what is wrong with a session id that a user chose.
func CheckSessionID(id string) error {
	alnum := func(c byte) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
	}
	if id == "" || len(id) > 128 || !alnum(id[0]) || !alnum(id[len(id)-1]) {
		return fmt.Errorf("session id %q: use 1 to 128 letters, digits, '.', '_' or '-', with a letter or digit first and last", id)
	}
	for i := range len(id) {
		if c := id[i]; !alnum(c) && c != '.' && c != '_' && c != '-' {
			return fmt.Errorf("session id %q: use only letters, digits, '.', '_' and '-'", id)
		}
	}
	return nil
}

// NewID returns an entry id, eight hexadecimal digits, for which taken is false.
func NewID(taken func(ID) bool) ID {
	var b [4]byte
	for range 100 {
		rand.Read(b[:]) // never fails
		if id := ID(hex.EncodeToString(b[:])); !taken(id) {
			return id
		}
	}
	return ID(uuid.NewString())
}
