package tui

import (
	"os"
	"testing"
	"time"

	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/session/filestore"
)

// What a search through the tree of a session takes, on all processors. gen-sessions
// makes a session.
func BenchmarkTreeSearch(b *testing.B) {
	path := os.Getenv("BOUGH_BENCH_FILE")
	if path == "" {
		b.Skip("set BOUGH_BENCH_FILE to a session")
	}
	s, err := session.Open(b.Context(), filestore.Store{Root: b.TempDir()}, path)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	for _, words := range []string{"zebrafish", "th"} {
		b.Run(words, func(b *testing.B) {
			w, err := readQuery(words, time.Time{})
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				for range w.through(b.Context(), s.Tree().Snapshot(), nil, true) {
				}
			}
		})
	}
}
