package filestore

import (
	"io"
	"os"
	"testing"
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
	l, err := s.Listing(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	for i := range l.Len() {
		size += l.Session(i).Size
	}
	return l.Len(), size
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
	paths, err := (Store{Root: benchRoot(b)}).Files()
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		parallel(b.Context(), len(paths), 64, func(from, to int) {
			buf := make([]byte, bufferSize)
			for _, path := range paths[from:to] {
				f, err := os.Open(path)
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
			}
		})
	}
}

// BenchmarkStatAll is the limit of a list with a cache.
func BenchmarkStatAll(b *testing.B) {
	s := Store{Root: benchRoot(b)}
	for b.Loop() {
		paths, err := s.Files()
		if err != nil {
			b.Fatal(err)
		}
		for _, path := range paths {
			if _, ok := stampOf(path); !ok {
				b.Fatal(path)
			}
		}
	}
}
