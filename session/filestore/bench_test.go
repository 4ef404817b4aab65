package filestore

import (
	"bytes"
	"io"
	"os"
	"testing"

	"github.com/boughdev/bough/session"
)

// benchFile is the session file that is measured; tools/gen-sessions of the
// conformance material makes one of any size, as does any long session.
func benchFile(b *testing.B) string {
	path := os.Getenv("BOUGH_BENCH_FILE")
	if path == "" {
		b.Skip("set BOUGH_BENCH_FILE to a large session file")
	}
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(info.Size())
	return path
}

func BenchmarkIndex(b *testing.B) {
	path := benchFile(b)
	for b.Loop() {
		l, err := openFile(path, SyncOff)
		if err != nil {
			b.Fatal(err)
		}
		x, err := l.Index(b.Context())
		if err != nil || x.Len() == 0 {
			b.Fatal(err)
		}
		b.ReportMetric(float64(x.Len()), "entries")
		l.Close()
	}
}

// BenchmarkReadLines is the limit: reading and finding line ends.
func BenchmarkReadLines(b *testing.B) {
	path := benchFile(b)
	buf := make([]byte, bufferSize)
	for b.Loop() {
		f, err := os.Open(path)
		if err != nil {
			b.Fatal(err)
		}
		for {
			n, err := f.Read(buf)
			for rest := buf[:n]; ; {
				i := bytes.IndexByte(rest, '\n')
				if i < 0 {
					break
				}
				rest = rest[i+1:]
			}
			if err == io.EOF {
				break
			}
		}
		f.Close()
	}
}

func BenchmarkWalk(b *testing.B) {
	path := benchFile(b)
	l, err := openFile(path, SyncOff)
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	x, err := l.Index(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		n := 0
		session.NewTreeOf(x, l).Walk("", func(session.Step) bool { n++; return true })
	}
}

// BenchmarkStream writes the context at the leaf, of a file where all is on the
// path: the limit is copying it.
func BenchmarkStream(b *testing.B) {
	path := benchFile(b)
	for b.Loop() {
		l, err := openFile(path, SyncOff)
		if err != nil {
			b.Fatal(err)
		}
		t, leaf, err := session.TreeFor(b.Context(), l, "")
		if err != nil {
			b.Fatal(err)
		}
		n := 0
		if _, err := new(session.Projector).Stream(t, leaf, func(m []byte) error { n += len(m); return nil }); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(n)/1e6, "MB-out")
		l.Close()
	}
}
