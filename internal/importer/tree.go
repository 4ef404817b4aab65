package importer

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
)

// A Tree is a headerless tree that was recognized.
type Tree struct {
	Path     string
	Entries  int
	Branches int
	Left     int // lines that were not understood

	rows []*row
	sum  [sha256.Size]byte
	made time.Time // of the file
}

// row is one line of a headerless tree.
type row struct {
	number    int
	raw       []byte
	id        session.ID
	parent    session.ID
	hasParent bool // the line has a parent, be it null
	up        *row
	children  int
	message   []byte // an object with a role; nil if the line has none
	flat      bool   // the line itself is the message
	when      time.Time
}

// Recognize reads a headerless tree, or returns [ErrUnknown].
func Recognize(path string) (*Tree, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	t := &Tree{Path: path, sum: sum(data), made: time.Now()}
	if info, err := os.Stat(path); err == nil {
		t.made = info.ModTime()
	}
	said := 0
	number := 0
	for _, line := range session.Lines(bytes.TrimPrefix(data, []byte("\uFEFF")), 0) {
		number++
		if session.Blank(line) {
			continue
		}
		r := readRow(line, number)
		if r == nil {
			t.Left++
			continue
		}
		if r.message != nil {
			said++
		}
		t.rows = append(t.rows, r)
	}
	// Most lines must be messages, and none may be told by its fields to be of a
	// program with a format of its own.
	if said == 0 || said <= (len(t.rows)+t.Left)/2 {
		return nil, fmt.Errorf("import %s: %w", path, ErrUnknown)
	}
	for _, r := range t.rows {
		for _, key := range []string{"uuid", "parentUuid", "sessionId", "payload"} {
			if rawjson.Get(r.raw, key) != nil {
				return nil, fmt.Errorf("import %s: %w", path, ErrUnknown)
			}
		}
	}
	t.Entries = len(t.rows)
	t.hang()
	for _, r := range t.rows {
		if r.children == 0 {
			t.Branches++
		}
	}
	return t, nil
}

// What a small program may call the parent, and the time.
var (
	parentKeys = []string{"parentId", "parent_id", "parent"}
	timeKeys   = []string{"timestamp", "created_at", "createdAt", "time", "ts", "created"}
)

// readRow reads a line, or returns nil for one that is no object, or neither a
// message nor a place in the tree.
func readRow(line []byte, number int) *row {
	line = rawjson.Trim(line)
	if rawjson.Kind(line) != '{' || !rawjson.Valid(line) {
		return nil
	}
	r := &row{number: number, raw: bytes.Clone(line)}
	r.id = idOf(rawjson.Get(r.raw, "id"))
	for _, key := range parentKeys {
		if v := rawjson.Get(r.raw, key); v != nil && rawjson.Kind(v) != '{' {
			r.parent, r.hasParent = idOf(v), true
			break
		}
	}
	switch m := rawjson.Get(r.raw, "message"); {
	case isMessage(m):
		r.message = m
	case isMessage(r.raw):
		r.message, r.flat = r.raw, true
	case r.id == "":
		return nil
	}
	for _, obj := range [][]byte{r.raw, r.message} {
		for _, key := range timeKeys {
			if at, ok := timeOf(rawjson.Get(obj, key)); ok && r.when.IsZero() {
				r.when = at
			}
		}
	}
	return r
}

// isMessage reports whether a value is a message of a chat.
func isMessage(v []byte) bool {
	if rawjson.Kind(v) != '{' {
		return false
	}
	role, ok := rawjson.GetString(v, "role")
	if !ok || role == "" {
		return false
	}
	for _, key := range []string{"content", "tool_calls", "function_call", "refusal"} {
		if rawjson.Get(v, key) != nil {
			return true
		}
	}
	return false
}

// idOf reads an id, which may be a number.
func idOf(v []byte) session.ID {
	switch rawjson.Kind(v) {
	case '"':
		s, _ := rawjson.String(v)
		return session.ID(s)
	case '0':
		return session.ID(rawjson.Trim(v))
	}
	return ""
}

// timeOf reads a time: ISO 8601, or seconds or milliseconds since 1970.
func timeOf(v []byte) (time.Time, bool) {
	switch rawjson.Kind(v) {
	case '"':
		if s, _ := rawjson.String(v); s != "" {
			if n, err := strconv.ParseFloat(s, 64); err == nil {
				return numberTime(n)
			}
		}
		return session.ParseTime(v)
	case '0':
		n, ok := rawjson.Number(v)
		if !ok {
			return time.Time{}, false
		}
		return numberTime(n)
	}
	return time.Time{}, false
}

// numberTime takes small numbers for seconds: as milliseconds they would be in 1973
// or before.
func numberTime(n float64) (time.Time, bool) {
	switch {
	case n <= 1e8 || n > 8.64e15:
		return time.Time{}, false
	case n < 1e11:
		n *= 1000
	}
	return time.UnixMilli(int64(n)).UTC(), true
}

// hang finds the parent of each row, and gives ids to those without. In a file in
// which no line names a parent, each follows the one before. A parent that is not
// there is no loss of what hangs below: that hangs below the line before, unless the
// parent is how numbers say that there is none. Of several lines with an id the
// nearest before counts.
func (t *Tree) hang() {
	linear := true
	first := map[session.ID]*row{}
	for _, r := range t.rows {
		linear = linear && !r.hasParent
		if first[r.id] == nil {
			first[r.id] = r
		}
	}
	seen := map[session.ID]*row{}
	for i, r := range t.rows {
		switch {
		case linear:
			if i > 0 {
				r.up = t.rows[i-1]
			}
		case r.parent == "":
		case seen[r.parent] != nil:
			r.up = seen[r.parent]
		case first[r.parent] != nil && first[r.parent] != r:
			r.up = first[r.parent] // it stands behind
		case i > 0 && !none(r.parent):
			r.up = t.rows[i-1]
		}
		if r.id != "" {
			seen[r.id] = r
		}
	}
	t.cut()
	taken := map[session.ID]bool{}
	for _, r := range t.rows {
		if r.id != "" && !taken[r.id] {
			taken[r.id] = true
			continue
		}
		r.id = "" // none, or that of another
	}
	for _, r := range t.rows {
		if r.id == "" {
			r.id = t.id(fmt.Sprintf("line %d", r.number), taken)
			taken[r.id] = true
		}
		if r.up != nil {
			r.up.children++
		}
	}
}

// none reports whether an id that no line has stands for no parent.
func none(id session.ID) bool {
	n, err := strconv.Atoi(string(id))
	return err == nil && n <= 0
}

// cut makes a root of one row of each circle.
func (t *Tree) cut() {
	const walking, done = 1, 2
	state := map[*row]int{}
	for _, r := range t.rows {
		var walk []*row
		at := r
		for ; at != nil && state[at] == 0; at = at.up {
			state[at] = walking
			walk = append(walk, at)
		}
		if at != nil && state[at] == walking {
			at.up = nil
		}
		for _, w := range walk {
			state[w] = done
		}
	}
}

// id makes an id of eight digits that is the same each time.
func (t *Tree) id(of string, taken map[session.ID]bool) session.ID {
	h := sha256.Sum256(append(t.sum[:], of...))
	text := hex.EncodeToString(h[:])
	for n := 8; n < len(text); n++ {
		if id := session.ID(text[:n]); !taken[id] {
			return id
		}
	}
	return session.ID(text)
}

// ImportType is the customType of entries that say where a session comes from, or
// that keep what is no message.
const ImportType = "bough.import"

// Session returns the header and the entries of a session made of the tree. Its
// first entry says where it comes from, and keeps the fields of the lines that
// have no place in a session, by entry.
func (t *Tree) Session(id, dir string, now time.Time) (session.Header, [][]byte) {
	c := &converter{tree: t, calls: map[*row][]message.Block{}}
	taken := map[session.ID]bool{}
	for _, r := range t.rows {
		taken[r.id] = true
	}
	last := t.made
	for _, r := range t.rows {
		if !r.when.IsZero() {
			last = r.when
			break
		}
	}
	begin := last
	next := func(of string) session.ID {
		id := t.id(of, taken)
		taken[id] = true
		return id
	}
	var lines [][]byte
	put := func(id, parent session.ID, when time.Time, b session.Body) {
		line, err := session.NewEntry(id, parent, when, b).Raw()
		if err != nil {
			panic("importer: read an entry in memory: " + err.Error()) // it was just made
		}
		lines = append(lines, line)
	}
	root := next("import")
	lines = append(lines, nil) // the account, which is known at the end
	parent := root
	if m := c.lastModel(); m != (session.ModelChange{}) {
		id := next("model")
		put(id, parent, begin, m)
		parent = id
	}
	level := next("thinking")
	put(level, parent, begin, session.ThinkingChange{Level: "off"}) // else pi writes one when it opens the file
	for _, r := range t.rows {
		up := level
		if r.up != nil {
			up = r.up.id
		}
		if r.when.IsZero() {
			r.when = last
		}
		last = r.when
		put(r.id, up, r.when, c.body(r))
	}
	account, err := session.NewEntry(root, "", begin, session.Custom{CustomType: ImportType, Data: c.account(now)}).Raw()
	if err != nil {
		panic("importer: read an entry in memory: " + err.Error()) // it was just made
	}
	lines[0] = account
	return session.Header{ID: id, CWD: dir, Timestamp: session.FormatTime(begin)}.Complete(), lines
}
