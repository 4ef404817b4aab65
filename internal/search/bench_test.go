package search

import (
	"fmt"
	"os"
	"testing"

	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/session/filestore"
)

// benchSessions are those of a sessions root; gen-sessions makes one.
func benchSessions(b *testing.B) []session.Summary {
	root := os.Getenv("BOUGH_BENCH_ROOT")
	if root == "" {
		b.Skip("set BOUGH_BENCH_ROOT to a folder with many sessions")
	}
	l, err := (filestore.Store{Root: root}).Listing(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	return l.Sessions()
}

func BenchmarkSearch(b *testing.B) {
	all := benchSessions(b)
	for _, bb := range []struct {
		name, query string
		limit       int
	}{
		{"a word that is nowhere", "zebrafish", 50},
		{"a rare phrase", `"newIndex timeout rename"`, 50},
		{"Chinese", "队列", 50},
		{"a common word, newest", "the", 50},
		{"a common word, all", "boundary", 0},
		{"regular expression", `re:time\s*out.*zeb`, 50},
		{"regular expression without letters", `re:\d{9}x`, 50},
	} {
		b.Run(bb.name, func(b *testing.B) {
			x, err := Parse(bb.query)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				r, err := Search(b.Context(), all, Options{Expr: x, Limit: bb.limit})
				if err != nil {
					b.Fatal(err)
				}
				b.SetBytes(r.Bytes)
				b.ReportMetric(float64(len(r.Hits)), "hits")
			}
		})
	}
}

// What the tree of a session costs to search. gen-sessions makes one.
func BenchmarkFind(b *testing.B) {
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
		for _, ahead := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s ahead=%v", words, ahead), func(b *testing.B) {
				x, err := Parse(words)
				if err != nil {
					b.Fatal(err)
				}
				for b.Loop() {
					f := NewFinder(Options{Expr: x})
					if ahead {
						f.Lines = s.Tree().Reader()
					}
					for e := range s.Tree().Log() {
						if _, _, err := f.Find(e, ""); err != nil {
							b.Fatal(err)
						}
					}
				}
			})
		}
	}
}
