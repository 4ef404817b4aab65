package filestore_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/session/filestore"
)

// BenchmarkAppend adds entries of about 512 bytes to a session; BenchmarkWrite is
// the limit, the same bytes with write(2) alone.
func BenchmarkAppend(b *testing.B) {
	for _, p := range []filestore.Policy{filestore.SyncTurn, filestore.SyncOff} {
		b.Run(string(p), func(b *testing.B) {
			s, err := session.New(filestore.Store{Flat: b.TempDir(), Sync: p}, session.Header{CWD: "/"})
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			br := s.Main()
			text := fmt.Sprintf("%0340d", 7)
			for b.Loop() {
				m := message.Message{Role: message.User, Content: []message.Block{message.Text(text)}, Timestamp: 1}
				if _, err := br.Append(b.Context(), session.Message{Message: m}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkLogAppend(b *testing.B) {
	st := filestore.Store{Flat: b.TempDir(), Sync: filestore.SyncTurn}
	l, err := st.Create(b.Context(), session.Header{CWD: "/"}.Complete(), line(0))
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	var end session.Seq
	for e, err := range l.Entries(b.Context(), 0) {
		if err != nil {
			b.Fatal(err)
		}
		end = e.Line.Seq
	}
	one := line(1)
	for b.Loop() {
		at, err := l.Append(b.Context(), end, one)
		if err != nil {
			b.Fatal(err)
		}
		end = at.Seq
	}
}

func BenchmarkWrite(b *testing.B) {
	f, err := os.OpenFile(filepath.Join(b.TempDir(), "x"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	one := append(line(1), '\n')
	for b.Loop() {
		if _, err := f.Write(one); err != nil {
			b.Fatal(err)
		}
	}
}

func line(n int) []byte {
	return fmt.Appendf(nil, `{"type":"message","id":"%08x","parentId":null,"timestamp":"2026-03-01T09:00:00.000Z","message":{"role":"user","content":[{"type":"text","text":"%0340d"}],"timestamp":1}}`, n, 7)
}
