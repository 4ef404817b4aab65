package session

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// describe says all that a tree tells, but for time.
func describe(tr *Tree) string {
	var b strings.Builder
	fmt.Fprintln(&b, tr.Len(), tr.Size(), tr.Leaf(), tr.Name())
	for e := range tr.Log() {
		fmt.Fprintln(&b, e.ID, e.Parent, e.Type, e.Role, e.Custom, e.Line)
	}
	for e := range tr.All() {
		fmt.Fprintln(&b, e.ID, ids(tr.Children(e.ID)), ids(tr.Path(e.ID)), tr.Label(e.ID), tr.Effective(e.ID))
	}
	fmt.Fprintln(&b, ids(tr.Roots()))
	return b.String()
}

// file is a source of lines in a log that is held in memory.
type file []byte

func (f file) Read(at Line) ([]byte, error) {
	return []byte(strings.Trim(string(f[int(at.Seq)-at.Size:at.Seq]), "\n")), nil
}

// An index that is read in parts, kept as bytes, read back and grown gives the
// same tree as entries that are added one by one, and the same context at every
// entry as its path.
func TestAnIndexIsWhatItsEntriesAre(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 7))
		lines := grow(r, 1+r.IntN(60), seed%2 == 1)
		data := file(strings.Join(lines, "\n") + "\n")
		want := NewTree()
		for at, line := range Lines(data, 0) {
			if e, err := Decode(line, at, data); err == nil {
				want.Add(e)
			}
		}

		// In parts, of which a few are kept as bytes first.
		x := NewIndex()
		at, kept := 0, false
		for at < len(data) {
			n := at + 1 + r.IntN(len(data)-at)
			if i := strings.IndexByte(string(data[n-1:]), '\n'); i >= 0 {
				n += i
			}
			var s Scan
			s.Lines(data[at:n], int64(at))
			x.Append(&s)
			at = n
			if !kept && !x.Damaged() && r.IntN(2) == 0 {
				kept = true
				mapped := alignedCopy(written(t, x))
				back, ok := IndexOf(mapped, int64(at), x.Named())
				if !ok {
					t.Fatalf("seed %d: an index of %d records is not taken back", seed, x.Len())
				}
				x = back
			}
		}
		got := NewTreeOf(x, data)
		if a, b := describe(got), describe(want); a != b {
			t.Fatalf("seed %d:\n%s\nwant\n%s", seed, a, b)
		}
		if a, b := describe(got.Snapshot()), describe(want); a != b {
			t.Fatalf("seed %d: the snapshot differs:\n%s\nwant\n%s", seed, a, b)
		}
		for e := range want.All() {
			a, err := new(Projector).Context(got, e.ID)
			if err != nil {
				t.Fatal(err)
			}
			b, err := Project(want.Path(e.ID))
			if err != nil {
				t.Fatal(err)
			}
			if ids(a.Entries) != ids(b.Entries) || a.Model != b.Model || a.Thinking != b.Thinking || !reflect.DeepEqual(texts(a), texts(b)) {
				t.Fatalf("seed %d: at %s the context is %v %v %s, by the path %v %v %s", seed, e.ID, ids(a.Entries), a.Model, a.Thinking, ids(b.Entries), b.Model, b.Thinking)
			}
		}
	}
}

func texts(p Projection) []string {
	var out []string
	for _, it := range p.Items {
		out = append(out, string(it.Entry.ID)+string(it.Message.JSON()))
	}
	return out
}

func written(t *testing.T, x *Index) []byte {
	var b bytes.Buffer
	if err := x.Dump(&b); err != nil || recordSize != RecordSize {
		t.Fatal(err, recordSize)
	}
	return b.Bytes()
}

func alignedCopy(b []byte) []byte {
	words := make([]record, len(b)/recordSize)
	c := bytesOf(words)
	copy(c, b)
	return c
}

// A snapshot stays as it is while the index it was taken of grows and settles.
func TestASnapshotIsLeftAlone(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 8))
		entries := decode(t, grow(r, 40, true)...)
		half := NewTree()
		for _, e := range entries[:len(entries)/2] {
			half.Add(e)
		}
		want := describe(half)
		snap := half.Snapshot()
		for _, e := range entries[len(entries)/2:] {
			half.Add(e)
			half.Roots()
		}
		if got := describe(snap); got != want {
			t.Fatalf("seed %d: the snapshot became\n%s\nwant\n%s", seed, got, want)
		}
		for _, e := range entries[len(entries)/2:] {
			snap.Add(e)
		}
		if a, b := describe(snap), describe(half); a != b {
			t.Fatalf("seed %d: grown by itself it is\n%s\nwant\n%s", seed, a, b)
		}
	}
}

// Records that were damaged in a file lead to wrong answers at worst, never to a
// crash or an endless walk.
func TestDamagedRecordsDoNoHarm(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	data := file(strings.Join(grow(r, 60, false), "\n") + "\n")
	var s Scan
	s.Lines(data, 0)
	x := NewIndex()
	x.Append(&s)
	for seed := range 500 {
		b := alignedCopy(written(t, x))
		for range 1 + r.IntN(8) {
			b[r.IntN(len(b))] = byte(r.Uint32())
		}
		y, ok := IndexOf(b, int64(len(data)), x.Named())
		if !ok {
			continue
		}
		tr := NewTreeOf(y, guarded{data})
		tr.Leaf()
		for e := range tr.All() {
			tr.Path(e.ID)
			tr.Children(e.ID)
			new(Projector).Context(tr, e.ID)
		}
		_ = seed
	}
}

// guarded refuses places that are not in the file.
type guarded struct{ f file }

func (g guarded) Read(at Line) ([]byte, error) {
	if at.Size < 0 || uint64(at.Seq) > uint64(len(g.f)) || uint64(at.Size) > uint64(at.Seq) {
		return nil, ErrNoEntry
	}
	return g.f.Read(at)
}
