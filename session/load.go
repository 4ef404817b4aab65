package session

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"

	"github.com/boughdev/bough/internal/rawjson"
)

// Blank reports whether a line holds white space only, U+FEFF included.
func Blank(line []byte) bool { return len(bytes.TrimFunc(line, isSpace)) == 0 }

func isSpace(r rune) bool { return TrimSpace(string(r)) == "" }

// Lines yields the lines of data with their places; start is the offset of data
// in the log. The last line need not be ended. Lines end at line feeds only.
func Lines(data []byte, start Seq) iter.Seq2[Line, []byte] {
	return func(yield func(Line, []byte) bool) {
		for len(data) > 0 {
			size := len(data)
			text := data
			if i := bytes.IndexByte(data, '\n'); i >= 0 {
				size, text = i+1, data[:i]
			}
			start += Seq(size)
			if !yield(Line{start, size}, text) {
				return
			}
			data = data[size:]
		}
	}
}

// FindHeader returns the header of a log and the place behind it. Lines before
// it that hold no JSON, or null, false, 0 or "", are passed over; if any other
// value comes first there is no header (docs/spec/session.md 1.6).
func FindHeader(data []byte) (Header, Line, error) {
	for at, line := range Lines(data, 0) {
		if Blank(line) || !rawjson.Valid(line) || !rawjson.Truthy(line) {
			continue
		}
		h, err := DecodeHeader(line)
		return h, at, err
	}
	return Header{}, Line{}, ErrNotSession
}

// Migrate brings a log of version 1 or 2 to version 3. data is the whole log; h
// its header. It returns the lines of the new log, header first, without line
// ends. Lines that are no entries are kept where they stand. It is pure: the ids
// that entries of version 1 get hang on the session's id and the line number
// alone, so two programs that migrate one file agree (docs/spec/session.md 2).
//
// A log whose version is below 2 although all its entries have ids counts as
// one of version 2 (rule R8).
func Migrate(h Header, data []byte) [][]byte {
	lines, _ := migrate(h, data)
	return lines
}

// migrate also tells the version that the log counts as.
func migrate(h Header, data []byte) (lines [][]byte, version int) {
	for _, line := range Lines(data, 0) {
		lines = append(lines, line)
	}
	if h.Version >= Version {
		return lines, h.Version
	}
	version = 2
	if h.Version < 2 && !allHaveIDs(lines) {
		version = 1
		lines = migrate1(h.ID, lines)
	}
	return migrate2(lines), version
}

// value reports whether a line holds a value that pi counts when it loads a log.
func value(line []byte) bool {
	return !Blank(line) && rawjson.Valid(line) && rawjson.Truthy(line)
}

// object reports whether a line is an entry in all but, perhaps, its id.
func object(line []byte) bool {
	if rawjson.Kind(line) != '{' || !rawjson.Valid(line) {
		return false
	}
	t, _ := rawjson.GetString(line, "type")
	return t != "session"
}

func allHaveIDs(lines [][]byte) bool {
	n := 0
	for _, line := range lines {
		if !object(line) {
			continue
		}
		if id, ok := rawjson.GetString(line, "id"); !ok || id == "" {
			return false
		}
		n++
	}
	return n > 0
}

// migrate1 gives every entry an id and the entry before it as parent, and turns
// the index of the first kept entry of a compaction into its id. The index
// counts all values, the header as 0.
func migrate1(sessionID string, lines [][]byte) [][]byte {
	out := make([][]byte, len(lines))
	taken := map[ID]bool{}
	var ids []ID // by index; "" for what is no entry
	var parent ID
	for i, line := range lines {
		out[i] = line
		if !value(line) {
			continue
		}
		if !object(line) {
			ids = append(ids, "")
			continue
		}
		id := migratedID(sessionID, i+1, taken)
		taken[id] = true
		ids = append(ids, id)
		line = rawjson.Set(line, "id", rawjson.Quote(string(id)))
		if parent == "" {
			line = rawjson.Set(line, "parentId", []byte("null"))
		} else {
			line = rawjson.Set(line, "parentId", rawjson.Quote(string(parent)))
		}
		if t, _ := rawjson.GetString(line, "type"); t == string(TypeCompaction) {
			if n, ok := rawjson.Number(rawjson.Get(line, "firstKeptEntryIndex")); ok {
				if n >= 0 && n < float64(len(ids)) && n == float64(int(n)) && ids[int(n)] != "" {
					line = rawjson.Set(line, "firstKeptEntryId", rawjson.Quote(string(ids[int(n)])))
				}
				line = rawjson.Delete(line, "firstKeptEntryIndex")
			}
		}
		out[i] = line
		parent = id
	}
	return out
}

func migratedID(sessionID string, line int, taken map[ID]bool) ID {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%d", sessionID, line))
	text := hex.EncodeToString(sum[:])
	for n := 8; n < len(text); n++ {
		if id := ID(text[:n]); !taken[id] {
			return id
		}
	}
	return ID(text)
}

// migrate2 sets the version of the first header and renames the role
// hookMessage.
func migrate2(lines [][]byte) [][]byte {
	out := make([][]byte, len(lines))
	header := false
	for i, line := range lines {
		out[i] = line
		if rawjson.Kind(line) != '{' || !rawjson.Valid(line) {
			continue
		}
		switch t, _ := rawjson.GetString(line, "type"); {
		case t == "session" && !header:
			header = true
			out[i] = rawjson.Set(line, "version", []byte("3"))
		case t == string(TypeMessage):
			m := rawjson.Get(line, "message")
			if role, _ := rawjson.GetString(m, "role"); role == "hookMessage" {
				out[i] = rawjson.Set(line, "message", rawjson.Set(m, "role", []byte(`"custom"`)))
			}
		}
	}
	return out
}

// FormatVersion returns the version that a log counts as: 1 or 2, for one that
// is to be migrated, or 3 and more. h is its header.
func FormatVersion(h Header, data []byte) int {
	_, version := migrate(h, data)
	return version
}

// Load reads a whole log from memory, migrated if it is of an old version. The
// entries keep the lines they were read from; data must not change. It is for
// tools and tests: a [Log] reads lines on demand.
func Load(data []byte) (Header, []*Entry, error) {
	h, _, err := FindHeader(data)
	if err != nil {
		return h, nil, err
	}
	lines, _ := migrate(h, data)
	var entries []*Entry
	var at Seq
	migrated := false
	for _, line := range lines {
		at += Seq(len(line) + 1)
		if e, err := Decode(line, Line{at, len(line) + 1}, Bytes(line)); err == nil {
			entries = append(entries, e)
		} else if !migrated && rawjson.Valid(line) {
			if head, err := DecodeHeader(line); err == nil {
				h, migrated = head, true
			}
		}
	}
	return h, entries, nil
}
