package filestore

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/boughdev/bough/session"
)

func total(t *testing.T, s Store) session.Tally {
	t.Helper()
	all, err := s.Bills(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var sum session.Tally
	for _, b := range all {
		for _, bill := range b.Bills() {
			sum.Add(bill)
		}
	}
	return sum
}

// The bills are those of the files, with a cache or without one, and after files have
// grown, changed, come and gone.
func TestBills(t *testing.T) {
	root, cache := t.TempDir(), t.TempDir()
	cached, plain := Store{Root: root, Cache: cache}, Store{Root: root}
	dir := filepath.Join(root, "--p--")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	bill := func(id string, in int) string {
		return fmt.Sprintf(`{"type":"message","id":"%s","parentId":null,"timestamp":"2026-03-01T09:00:00.000Z","message":{"role":"assistant","provider":"p","model":"m","usage":{"input":%d,"cost":{"total":0.5}}}}`+"\n", id, in)
	}
	write := func(name string, lines ...string) {
		t.Helper()
		text := fmt.Sprintf(`{"type":"session","version":3,"id":"%s","timestamp":"2026-03-01T09:00:00.000Z","cwd":"/p"}`+"\n", name)
		for _, l := range lines {
			text += l
		}
		if err := os.WriteFile(filepath.Join(dir, name+".jsonl"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	step := 0
	check := func(want session.Tally) {
		t.Helper()
		step++
		for _, s := range []Store{cached, cached, plain} {
			if got := total(t, s); got != want {
				t.Errorf("step %d: %+v, want %+v", step, got, want)
			}
		}
	}
	check(session.Tally{})
	write("a", bill("1", 10), bill("2", 20))
	write("b", bill("1", 100))
	check(session.Tally{Calls: 3, Input: 130, Cost: 1.5})
	f, err := os.OpenFile(filepath.Join(dir, "a.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString(bill("3", 5))
	f.Close()
	check(session.Tally{Calls: 4, Input: 135, Cost: 2})
	write("b", bill("1", 200))
	if err := os.Chtimes(filepath.Join(dir, "b.jsonl"), time.Time{}, time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	check(session.Tally{Calls: 4, Input: 235, Cost: 2})
	os.Remove(filepath.Join(dir, "b.jsonl"))
	check(session.Tally{Calls: 3, Input: 35, Cost: 1.5})
	// A cache of lists is none of bills, and what is damaged is read again.
	caches, _ := filepath.Glob(filepath.Join(cache, "lists", "*"))
	for _, c := range caches {
		data, err := os.ReadFile(c)
		if err != nil {
			t.Fatal(err)
		}
		for _, wrong := range [][]byte{data[:len(data)/2], append([]byte("boughls\x01"), data[8:]...), nil} {
			if err := os.WriteFile(c, wrong, 0o600); err != nil {
				t.Fatal(err)
			}
			check(session.Tally{Calls: 3, Input: 35, Cost: 1.5})
		}
	}
	if len(caches) == 0 {
		t.Error("there is no cache")
	}
}
