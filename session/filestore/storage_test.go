package filestore_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/session/filestore"
)

// After any number of branches, edits and moves the file has grown by the new
// entries and at most one marker a visit; what branches share stands there once,
// and what stood there before is unchanged.
func TestStorageGrowsByWhatIsNew(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 3))
		st := filestore.Store{Flat: t.TempDir(), Sync: filestore.SyncOff}
		one := begin(t, st)
		b := one.Main()
		first := say(t, b, "the first question, which all branches share")
		path := st.FilePath(one.Header())
		ids := []session.ID{first.ID}
		entries, visits, moved := 1, 0, false
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for range 200 {
			switch r.IntN(6) {
			case 0, 1, 2:
				role := []message.Role{message.User, message.Assistant}[r.IntN(2)]
				e, err := b.Append(t.Context(), session.Message{Message: message.Message{Role: role, Content: []message.Block{message.Text(fmt.Sprint(r.Uint64()))}}})
				if err != nil {
					t.Fatal(err)
				}
				ids, entries, moved = append(ids, e.ID), entries+1, false
			case 3, 4:
				if err := b.Move(ids[r.IntN(len(ids))]); err != nil {
					t.Fatal(err)
				}
				moved = true
			case 5:
				if moved {
					visits++
				}
				for range 1 + r.IntN(3) { // asked for more than once
					if _, err := b.Mark(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
				moved = false
			}
			after, err := os.ReadFile(path)
			if err != nil || !bytes.HasPrefix(after, before) {
				t.Fatalf("seed %d: what stood in the file has changed (%v)", seed, err)
			}
			before = after
		}
		lines := bytes.Count(before, []byte{'\n'})
		if lines < entries+1 || lines > entries+1+visits {
			t.Errorf("seed %d: %d lines for a header, %d entries and %d visits", seed, lines, entries, visits)
		}
		if n := bytes.Count(before, []byte("the first question")); n != 1 {
			t.Errorf("seed %d: the first question stands there %d times", seed, n)
		}
		again := open(t, st, path)
		if again.Tree().Leaf() != one.Tree().Leaf() {
			t.Errorf("seed %d: reopened at %s, want %s", seed, again.Tree().Leaf(), one.Tree().Leaf())
		}
	}
}
