package filestore_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/session/filestore"
)

// someSession returns the lines of a random session of n entries, of all types
// that a context depends on.
func someSession(r *rand.Rand, n int) []string {
	ids := make([]session.ID, n)
	var lines []string
	size := []int{10, 400, 20_000}[r.IntN(3)]
	text := func() string {
		return strings.Repeat([]string{"word ", "über ", "列 ", `"{}" `}[r.IntN(4)], r.IntN(size)/5)
	}
	for i := range n {
		ids[i] = session.ID(fmt.Sprintf("%08x", r.Uint32()))
		var parent, some session.ID
		if i > 0 {
			parent = ids[i-1]
			if r.IntN(8) == 0 {
				parent = ids[r.IntN(i)]
			}
			some = ids[max(0, i-1-r.IntN(12))]
		}
		now := time.UnixMilli(1772355600000 + int64(i)*1000)
		said := func(role message.Role) session.Body {
			m := message.Message{Role: role, Timestamp: now.UnixMilli(), Content: []message.Block{message.Text(text())}}
			if role == message.Assistant {
				m.Provider, m.Model, m.StopReason, m.Usage = "acme", "small", message.Stop, &message.Usage{Input: 1, Output: 2, TotalTokens: 3}
			}
			return session.Message{Message: m}
		}
		var body session.Body
		switch r.IntN(14) {
		case 0:
			body = session.Compaction{Summary: text(), FirstKept: some, TokensBefore: 12}
		case 1:
			body = session.BranchSummary{From: some, Summary: text()}
		case 2:
			body = session.ModelChange{Provider: "acme", ModelID: []string{"small", "large"}[r.IntN(2)]}
		case 3:
			body = session.ThinkingChange{Level: []string{"low", "high"}[r.IntN(2)]}
		case 4:
			body = session.Custom{CustomType: "x.data", Data: message.Value(`{"n":12345678901234567890,"id":"` + string(some) + `"}`)}
		case 5, 6, 7, 8:
			body = said(message.Assistant)
		default:
			body = said(message.User)
		}
		line, err := session.NewEntry(ids[i], parent, now, body).Raw()
		if err != nil {
			panic(err) // it is in memory
		}
		lines = append(lines, string(line)+"\n")
	}
	return lines
}

// damaged does one kind of damage to lines.
func damaged(r *rand.Rand, lines []string) []string {
	i, k := r.IntN(len(lines)), r.IntN(len(lines))
	line := lines[i]
	at := r.IntN(len(line) + 1)
	to := min(len(line), at+r.IntN(300))
	switch r.IntN(9) {
	case 0: // torn, and the next one glued to it
		lines[i] = line[:at]
	case 1: // a piece is lost
		lines[i] = line[:at] + line[to:]
	case 2: // zeros in place of a piece
		lines[i] = line[:at] + strings.Repeat("\x00", to-at) + line[to:]
	case 3: // a bit flips
		if b := []byte(line); len(b) > 0 {
			b[r.IntN(len(b))] ^= 1 << r.IntN(8)
			lines[i] = string(b)
		}
	case 4: // something else was written
		lines[i] = line[:at] + []string{"Killed\n", "42\n", "null\n", "\n", "{}\n", "\uFEFF", "\r", `{"type":`}[r.IntN(8)] + line[at:]
	case 5: // a line is lost
		return slices.Delete(lines, i, i+1)
	case 6: // a line stands there twice
		return slices.Insert(lines, k, line)
	case 7: // two lines change places
		lines[i], lines[k] = lines[k], lines[i]
	default: // cut off
		lines[len(lines)-1] = strings.TrimSuffix(lines[len(lines)-1], "\n")
	}
	return lines
}

// A large file has the same context whether all of it is read, or its end, or its
// index is there, or the index is of the file before it grew; also when it is
// damaged, and read it is left as it was. With BOUGH_LONG=1 of 2,500 files.
func TestTheWaysToReadAreOne(t *testing.T) {
	n := uint64(60)
	if os.Getenv("BOUGH_LONG") != "" {
		n = 2500
	}
	if testing.Short() {
		n = 40
	}
	dir := t.TempDir()
	// Files of more than 8 MB are read from their end.
	root, err := session.NewEntry("root", "", time.UnixMilli(1772355600000), session.Custom{CustomType: "x.pad", Data: message.Value(`"` + strings.Repeat("x", 9<<20) + `"`)}).Raw()
	if err != nil {
		t.Fatal(err)
	}
	begin := `{"type":"session","version":3,"id":"s","timestamp":"2026-03-01T09:00:00.000Z","cwd":"/"}` + "\n" + string(root) + "\n"
	file := filepath.Join(dir, "s.jsonl")
	if err := os.WriteFile(file, []byte(begin), 0o600); err != nil {
		t.Fatal(err)
	}
	short := 0
	seeds := []uint64{665, 2485} // found once: a last line, and a compaction, that are broken inside
	for seed := range n {
		seeds = append(seeds, seed)
	}
	for _, seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 3))
		lines := someSession(r, 2+r.IntN(80))
		for range r.IntN(4) {
			if lines = damaged(r, lines); len(lines) < 2 {
				lines = someSession(r, 2)
			}
		}
		cache := filepath.Join(dir, fmt.Sprint("cache", seed))
		half := len(lines) / 2
		write := func(tail string) {
			t.Helper()
			f, err := os.OpenFile(file, os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if err := f.Truncate(int64(len(begin))); err != nil {
				t.Fatal(err)
			}
			if _, err := f.WriteAt([]byte(tail), int64(len(begin))); err != nil {
				t.Fatal(err)
			}
		}
		// First half of it, so that there is an index of that.
		write(strings.Join(lines[:half], ""))
		contextOf(t, filestore.Store{Cache: cache}, file, true)
		if f, err := os.OpenFile(file, os.O_WRONLY|os.O_APPEND, 0); err != nil {
			t.Fatal(err)
		} else if _, err := f.WriteString(strings.Join(lines[half:], "")); err != nil {
			t.Fatal(err)
		} else {
			f.Close()
		}
		before, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		stat, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}

		want, all := contextOf(t, filestore.Store{}, file, true)
		for what, st := range map[string]filestore.Store{"the index of half of it": {Cache: cache}, "a new index": {Cache: cache + "n"}} {
			for range 2 {
				if got, _ := contextOf(t, st, file, true); got != want {
					t.Fatalf("seed %d: with %s the context is\n%s\nnot\n%s", seed, what, brief(got), brief(want))
				}
			}
		}
		got, part := contextOf(t, filestore.Store{}, file, false)
		if got != want {
			t.Fatalf("seed %d: by its end the context is\n%s\nnot\n%s", seed, brief(got), brief(want))
		}
		if part < all {
			short++
		}
		if after, _ := os.ReadFile(file); string(after) != string(before) {
			t.Fatalf("seed %d: reading has changed the file", seed)
		}
		if now, err := os.Stat(file); err != nil || now.ModTime() != stat.ModTime() {
			t.Fatalf("seed %d: reading has changed the file's time: %v", seed, err)
		}
		if err := os.RemoveAll(cache); err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(cache + "n"); err != nil {
			t.Fatal(err)
		}
	}
	if short < int(n)/10 {
		t.Errorf("only %d of %d files were read by their end", short, n)
	}
}

// contextOf returns the context at a file's end, and how many entries were looked
// at for it: all, or what a context needs.
func contextOf(t *testing.T, st filestore.Store, file string, all bool) (string, int) {
	t.Helper()
	log, err := st.Open(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	var tr *session.Tree
	var leaf session.ID
	if all {
		x, err := log.(session.Indexer).Index(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		tr = session.NewTreeOf(x, log)
		if last := tr.Last(); last != nil {
			leaf = last.ID
		}
	} else if tr, leaf, err = session.TreeFor(t.Context(), log, ""); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	var p session.Projector
	proj, err := p.Stream(tr, leaf, func(m []byte) error {
		b.Write(m)
		return b.WriteByte('\n')
	})
	if err != nil {
		fmt.Fprintln(&b, err)
	}
	fmt.Fprintln(&b, leaf, proj.Model, proj.Thinking)
	return b.String(), tr.Len()
}

func brief(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		fmt.Fprintf(&b, "%.100s\n", strings.TrimSuffix(line, "\n"))
	}
	return b.String()
}
