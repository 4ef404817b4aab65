package filestore

import (
	"io"
	"os"
	"testing"

	"github.com/boughdev/bough/session"
)

// benchRoot is the sessions root that is measured; gen-sessions makes one.
func benchRoot(b *testing.B) string {
	root := os.Getenv("BOUGH_BENCH_ROOT")
	if root == "" {
		b.Skip("set BOUGH_BENCH_ROOT to a folder with many sessions")
	}
	return root
}

func listAll(b *testing.B, s Store) (n int, size int64) {
	for sum, err := range s.List(b.Context()) {
		if err != nil {
			b.Fatal(err)
		}
		n++
		size += sum.Size
	}
	return n, size
}

func BenchmarkListFirst(b *testing.B) {
	s := Store{Root: benchRoot(b)}
	for b.Loop() {
		_, size := listAll(b, s)
		b.SetBytes(size)
	}
}

func BenchmarkListAgain(b *testing.B) {
	s := Store{Root: benchRoot(b), Cache: b.TempDir()}
	listAll(b, s)
	for b.Loop() {
		n, _ := listAll(b, s)
		b.ReportMetric(float64(n), "sessions")
	}
}

func BenchmarkGlance(b *testing.B) {
	s := Store{Root: benchRoot(b), Cache: b.TempDir()}
	listAll(b, s)
	for b.Loop() {
		if len(s.Glance(50)) == 0 {
			b.Fatal("nothing")
		}
	}
}

// BenchmarkReadAll is the limit of a list without a cache.
func BenchmarkReadAll(b *testing.B) {
	s := Store{Root: benchRoot(b)}
	dirs, _ := s.projects()
	var paths []string
	for _, d := range dirs {
		for _, n := range candidates(s.folder(d)) {
			paths = append(paths, s.folder(d)+"/"+n)
		}
	}
	for b.Loop() {
		parallel(b.Context(), len(paths), 1, func(i, _ int) {
			buf := make([]byte, bufferSize)
			f, err := os.Open(paths[i])
			if err != nil {
				b.Fatal(err)
			}
			for err == nil {
				_, err = f.Read(buf)
			}
			if err != io.EOF {
				b.Error(err)
			}
			f.Close()
		})
	}
}

// BenchmarkStatAll is the limit of a list with a cache.
func BenchmarkStatAll(b *testing.B) {
	s := Store{Root: benchRoot(b)}
	for b.Loop() {
		dirs, _ := s.projects()
		for _, d := range dirs {
			for _, n := range candidates(s.folder(d)) {
				if _, ok := stampOf(s.folder(d) + "/" + n); !ok {
					b.Fatal(n)
				}
			}
		}
	}
}

var _ = session.Summary{}
