package filestore

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
)

const head = `{"type":"session","version":3,"id":"s","timestamp":"2026-03-01T09:00:00.000Z","cwd":"/"}` + "\n"

// said is a line of a user; ids are e0001, e0002, ….
func said(n, parent int, text string) string {
	p := session.ID("")
	if parent > 0 {
		p = eID(parent)
	}
	m := message.Message{Role: message.User, Content: []message.Block{message.Text(text)}, Timestamp: 1}
	line, err := session.NewEntry(eID(n), p, time.UnixMilli(1772355600000+int64(n)), session.Message{Message: m}).Raw()
	if err != nil {
		panic(err) // it is in memory
	}
	return string(line) + "\n"
}

func eID(n int) session.ID { return session.ID(fmt.Sprintf("e%04d", n)) }

func sessionFile(t testing.TB, data string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "2026-03-01T09-00-00-000Z_s.jsonl")
	if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// read opens a file in one of the readings.
func read(t testing.TB, path string, live bool) *session.Session {
	t.Helper()
	s, err := session.Open(t.Context(), Store{Flat: filepath.Dir(path), Sync: SyncOff, Live: live}, path)
	if err != nil {
		t.Fatalf("live %v: %v", live, err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// tell says what a tree is: entries in the order of the log with their places, how
// they hang together, and where it stands.
func tell(tr *session.Tree) string {
	var b strings.Builder
	for e := range tr.Log() {
		fmt.Fprintln(&b, e.ID, e.Parent, e.Type, e.Role, e.Line, e.Time.UnixMilli())
	}
	tr.Walk(tr.Leaf(), func(s session.Step) bool {
		fmt.Fprintln(&b, s.Depth, s.Entry.ID, s.Children, s.OnPath)
		return true
	})
	fmt.Fprintln(&b, tr.Leaf(), tr.BadLines())
	return b.String()
}

func path(tr *session.Tree) string {
	var ids []string
	for _, e := range tr.Path(tr.Leaf()) {
		ids = append(ids, strings.TrimLeft(string(e.ID), "e0"))
	}
	return strings.Join(ids, " ")
}

// random is a session of n entries, damaged in so many ways.
func random(r *rand.Rand, n, damaged int) string {
	lines := []string{head}
	for i := 1; i <= n; i++ {
		parent := i - 1
		if i > 1 && r.IntN(5) == 0 {
			parent = 1 + r.IntN(i-1)
		}
		lines = append(lines, said(i, parent, strings.Repeat("word ", r.IntN(30))))
	}
	data := strings.Join(lines, "")
	for range damaged {
		at := len(head) + r.IntN(max(1, len(data)-len(head)))
		to := min(len(data), at+r.IntN(300))
		switch r.IntN(6) {
		case 0:
			data = data[:at] + data[to:]
		case 1:
			data = data[:to]
		case 2:
			data = data[:at] + strings.Repeat("\x00", to-at) + data[to:]
		case 3:
			if at < len(data) {
				data = data[:at] + string(data[at]^byte(1<<r.IntN(8))) + data[at+1:]
			}
		case 4:
			data = data[:at] + []string{"42\n", "Killed\n", `{"type":"x"}` + "\n", "\n"}[r.IntN(4)] + data[at:]
		case 5:
			data += data[at:to]
		}
	}
	return data
}

// Of any file the plain reading is what reading it line by line gives; the live one
// is what a salvage in memory gives, and of an undamaged file the same. Neither
// changes a byte, or a time.
func TestTheTwoReadings(t *testing.T) {
	n := uint64(300)
	if testing.Short() {
		n = 60
	}
	for seed := range n {
		r := rand.New(rand.NewPCG(seed, 1))
		data := random(r, 1+r.IntN(40), r.IntN(4))
		file := sessionFile(t, data)
		before, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		plain, live := read(t, file, false), read(t, file, true)

		_, entries, err := session.Load([]byte(data))
		if err != nil {
			t.Fatal(err)
		}
		lines := session.NewTree()
		for _, e := range entries {
			if at := e.Line; int(at.Seq) > len(data) { // a last line without its end
				e = e.At(session.Line{Seq: session.Seq(len(data)), Size: at.Size - 1}, nil)
			}
			lines.Add(e)
		}
		if a, b := tell(plain.Tree()), tell(lines); a != b {
			t.Fatalf("seed %d: the plain reading is\n%s\nline by line it is\n%s\n%q", seed, a, b, data)
		}
		var s session.Salvage
		for at, line := range session.Lines([]byte(data), 0) {
			s.Line(line, at)
		}
		x, err := s.Index(inMemory(data))
		if err != nil {
			t.Fatal(err)
		}
		if a, b := tell(live.Tree()), tell(session.NewTreeOf(x, inMemory(data))); a != b {
			t.Fatalf("seed %d: the live reading is\n%s\nin memory it is\n%s\n%q", seed, a, b, data)
		}
		if !live.Tree().Damaged() {
			if a, b := tell(live.Tree()), tell(plain.Tree()); a != b {
				t.Fatalf("seed %d: undamaged, but the readings differ:\n%s\n%s", seed, a, b)
			}
		}
		after, err := os.Stat(file)
		if now, _ := os.ReadFile(file); err != nil || string(now) != data || after.ModTime() != before.ModTime() {
			t.Fatalf("seed %d: reading has changed the file", seed)
		}
		live.Close()
		plain.Close()
	}
}

type inMemory string

func (m inMemory) Read(at session.Line) ([]byte, error) {
	return bytes.Trim([]byte(m[int(at.Seq)-at.Size:at.Seq]), "\n"), nil
}

// What is appended to a damaged file goes to its end, below the last whole entry,
// and no byte before it changes.
func TestAppendToADamagedFile(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 2))
		data := random(r, 1+r.IntN(20), 1+r.IntN(4))
		file := sessionFile(t, data)
		s := read(t, file, true)
		b := s.Main()
		above := b.Leaf()
		if above != "" && !s.Tree().Get(above).Grows() {
			t.Fatalf("seed %d: it stands at a damaged line", seed)
		}
		var ids []session.ID
		for range 2 {
			e, err := b.Append(t.Context(), user("more"))
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			ids = append(ids, e.ID)
		}
		now, err := os.ReadFile(file)
		if err != nil || !bytes.HasPrefix(now, []byte(data)) {
			t.Fatalf("seed %d: %v: the file was\n%q\nand is\n%q", seed, err, data, now)
		}
		again := read(t, file, true)
		if again.Tree().Leaf() != ids[1] || again.Tree().Get(ids[1]).Parent != ids[0] || again.Tree().Get(ids[0]).Parent != above {
			t.Fatalf("seed %d: opened again it stands at %s\n%q", seed, again.Tree().Leaf(), now)
		}
		s.Close()
		again.Close()
	}
}

// A program that dies while it writes, and one that glues its line to the rest,
// while the session is open.
func TestTornLinesOfOthersWhileOpen(t *testing.T) {
	file := sessionFile(t, head+said(1, 0, "one"))
	s := read(t, file, true)
	others := func(text string) {
		t.Helper()
		f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
		if err == nil {
			_, err = f.WriteString(text)
			f.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	catchUp := func(want ...session.ID) {
		t.Helper()
		got, err := s.CatchUp(t.Context())
		var ids []session.ID
		for _, e := range got {
			ids = append(ids, e.ID)
		}
		if err != nil || !slices.Equal(ids, want) {
			t.Fatalf("caught up with %v, %v, want %v", ids, err, want)
		}
	}
	torn := said(2, 1, "two")[:100]
	others(torn)
	catchUp()
	others(said(3, 1, "three") + said(4, 3, "four"))
	catchUp(eID(3), eID(4))
	others(torn)
	b := s.Main()
	if b.Leaf() != eID(4) {
		t.Fatalf("it stands at %s", b.Leaf())
	}
	e, err := b.Append(t.Context(), user("five"))
	if err != nil {
		t.Fatal(err)
	}
	again := read(t, file, true)
	if again.Tree().Leaf() != e.ID || e.Parent != eID(4) || again.Tree().BadLines() != 2 {
		t.Errorf("opened again: %s, %d bad lines", path(again.Tree()), again.Tree().BadLines())
	}
}

func TestFilesWithoutAHeader(t *testing.T) {
	body := said(1, 0, "one") + said(2, 1, "two")
	for _, tt := range []struct {
		name, data, id, cwd string
	}{
		{"none at all", body, "s", ""},
		{"a torn one", head[:70] + "\n" + body, "s", ""},
		{"a torn one that tells its id", strings.Replace(head, `"s"`, `"other"`, 1)[:80] + "\n" + body, "other", ""},
		{"one behind an entry", said(9, 0, "x") + strings.Replace(head, `"s"`, `"late"`, 1) + body, "late", "/"},
		{"one without an id", strings.Replace(head, `"id":"s",`, "", 1) + body, "s", "/"},
		{"one whose id is a number", strings.Replace(head, `"s"`, `5`, 1) + body, "s", "/"},
		{"one behind a value", "7\n" + head + body, "s", "/"},
		{"one that a torn line was put before", `{"type":"mes` + head + body, "s", "/"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := sessionFile(t, tt.data)
			if _, err := session.Open(t.Context(), Store{}, file); !errors.Is(err, session.ErrNotSession) && tt.name[:10] != "one that a" {
				t.Errorf("the plain reading: %v", err)
			}
			s := read(t, file, true)
			if h := s.Header(); h.ID != tt.id || h.CWD != tt.cwd {
				t.Errorf("header %+v", h)
			}
			if got := path(s.Tree()); got != "1 2" {
				t.Errorf("path %s", got)
			}
			if _, err := s.Main().Append(t.Context(), user("three")); !errors.Is(err, ErrNoHeader) && tt.name[:10] != "one that a" {
				t.Errorf("append: %v", err)
			} else if now, _ := os.ReadFile(file); err != nil && string(now) != tt.data {
				t.Errorf("it was written to: %q", now)
			}
		})
	}
	for _, data := range []string{"\n\n", "hello\n", `{"a":1}` + "\n", `{"type":"user","uuid":"x"}` + "\n", "\x00\x00"} {
		if _, err := session.Open(t.Context(), Store{Live: true}, sessionFile(t, data)); !errors.Is(err, session.ErrNotSession) {
			t.Errorf("%q is opened: %v", data, err)
		}
	}
}

func TestAByteOrderMark(t *testing.T) {
	data := "\uFEFF" + head + said(1, 0, "one")
	file := sessionFile(t, data)
	s := read(t, file, true)
	if s.Tree().Damaged() || path(s.Tree()) != "1" {
		t.Errorf("%s, %d bad lines", path(s.Tree()), s.Tree().BadLines())
	}
	if _, err := s.Main().Append(t.Context(), user("two")); err != nil {
		t.Fatal(err)
	}
	if now, _ := os.ReadFile(file); !bytes.HasPrefix(now, []byte(data)) || bytes.Count(now, byteOrderMark) != 1 {
		t.Errorf("the file is %q", now)
	}
}

// In a file too long to be looked at whole the end still is, and no broken line
// gets into a context.
func TestDamageInALongFile(t *testing.T) {
	var b strings.Builder
	b.WriteString(head)
	n := 1
	for ; b.Len() < 2*strictSize; n++ {
		b.WriteString(said(n, n-1, strings.Repeat("x", 1000)))
	}
	quoteLost := strings.Replace(said(n, n-1, "broken "), `broken "`, `broken #`, 1)
	healthy := said(n+1, n, "whole")
	for _, tt := range []struct {
		name, end string
		lost      bool
		leaf      int
		plainLeaf int
	}{
		{"a quote that was lost", quoteLost + healthy, false, n + 1, n + 1},
		{"in the last line", healthy[:0] + quoteLost, true, n - 1, n - 1},
		{"two lines glued at the end", said(n, n-1, "torn")[:100] + healthy, true, n + 1, n - 1},
		{"two lines glued before", said(n, n-1, "torn")[:100] + healthy + said(n+2, n+1, "more"), true, n + 2, n + 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := sessionFile(t, b.String()+tt.end)
			for _, live := range []bool{true, false} {
				s := read(t, file, live)
				want := tt.plainLeaf
				if live {
					want = tt.leaf
					if e := s.Tree().Get(eID(n)); tt.lost && (e == nil || !e.Lost()) {
						t.Errorf("the torn line is %+v", e)
					}
				}
				if s.Tree().Leaf() != eID(want) {
					t.Errorf("live %v: it stands at %s, want %s", live, s.Tree().Leaf(), eID(want))
				}
				p, err := s.Main().Project()
				if err != nil || live && len(p.Items) < n-1 {
					t.Errorf("live %v: %d messages, %v", live, len(p.Items), err)
				}
				for _, it := range p.Items {
					if !rawjson.Valid(it.Message.JSON()) {
						t.Errorf("live %v: a broken message: %s", live, it.Message.JSON())
					}
				}
				_, err = new(session.Projector).Stream(s.Tree(), s.Tree().Leaf(), func(m []byte) error {
					if !rawjson.Valid(m) {
						t.Errorf("live %v: a broken message: %s", live, m)
					}
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// A line that is too long to be read has its place, and the rest can be used.
func TestALineThatIsTooLong(t *testing.T) {
	if testing.Short() {
		t.Skip("reads a file of 600 MB, most of it a hole")
	}
	long := said(2, 1, "")
	front, back := long[:len(long)-20], long[len(long)-20:]
	file := sessionFile(t, head+said(1, 0, "one")+front)
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte(back+said(3, 2, "three")), session.MaxLine+(1<<20)); err != nil {
		t.Fatal(err)
	}
	f.Close()
	for _, live := range []bool{false, true} {
		s := read(t, file, live)
		if path(s.Tree())[:5] != "1 2 3" {
			t.Fatalf("live %v: path %s", live, path(s.Tree()))
		}
		if _, err := s.Tree().Get(eID(2)).Raw(); !errors.Is(err, session.ErrTooLong) {
			t.Errorf("live %v: the line is read: %v", live, err)
		}
		if p, err := session.Project(s.Tree().Path(eID(3))); err != nil || len(p.Items) != 2 {
			t.Errorf("live %v: %d messages, %v", live, len(p.Items), err)
		}
		n := 0
		if _, err := new(session.Projector).Stream(s.Tree(), eID(3), func([]byte) error { n++; return nil }); err != nil || n != 2 {
			t.Errorf("live %v: %d messages, %v", live, n, err)
		}
		if _, err := s.Main().Append(t.Context(), user("four")); err != nil || path(s.Tree())[:5] != "1 2 3" {
			t.Error(err)
		}
	}
}
