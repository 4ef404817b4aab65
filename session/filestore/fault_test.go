package filestore

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"syscall"
	"testing"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
)

func user(text string) session.Body {
	return session.Message{Message: message.Message{Role: message.User, Timestamp: 1, Content: []message.Block{message.Text(text)}}}
}

// A disk that fills up at any byte of an append loses nothing: the entry waits in
// memory, what was written of it does no harm, and both it and what follows are
// written once there is room.
func TestADiskThatIsFullAtEveryByte(t *testing.T) {
	ctx := t.Context()
	for n := 0; ; n++ {
		st := Store{Flat: t.TempDir(), Sync: SyncOff}
		one, err := session.New(st, session.Header{CWD: "/"})
		if err != nil {
			t.Fatal(err)
		}
		b := one.Main()
		if _, err := b.Append(ctx, user("first")); err != nil {
			t.Fatal(err)
		}
		l := one.Log().(*log)
		full, size := true, 0
		l.fault = func(p []byte) (int, error) {
			size = len(p)
			if !full {
				return l.f.Write(p)
			}
			m, err := l.f.Write(p[:min(n, len(p))])
			if err == nil {
				err = syscall.ENOSPC
			}
			return m, err
		}
		second, err := b.Append(ctx, user("second"))
		var unsaved *session.UnsavedError
		if !errors.As(err, &unsaved) || !errors.Is(err, syscall.ENOSPC) || second == nil || one.Unsaved() != 1 {
			t.Fatalf("full after %d bytes: entry %v, %v, %d unsaved", n, second, err, one.Unsaved())
		}
		third, err := b.Append(ctx, user("third"))
		// All but the line end is a whole entry, which is found in the file.
		want := 2
		if n >= size-1 {
			want = 1
		}
		if err == nil || third == nil || one.Unsaved() > 2 || one.Unsaved() < want {
			t.Fatalf("full after %d bytes: the next entry %v, %v, %d unsaved", n, third, err, one.Unsaved())
		}
		full = false
		if err := one.Flush(ctx); err != nil || one.Unsaved() != 0 {
			t.Fatalf("full after %d bytes: flush with room: %v, %d unsaved", n, err, one.Unsaved())
		}
		fourth, err := b.Append(ctx, user("fourth"))
		if err != nil {
			t.Fatal(err)
		}
		path := st.FilePath(one.Header())
		one.Close()
		again, err := session.Open(ctx, st, path)
		if err != nil {
			t.Fatal(err)
		}
		var texts []string
		p, err := again.Main().Project()
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range p.Messages() {
			texts = append(texts, m.Text(""))
		}
		if fmt.Sprint(texts) != "[first second third fourth]" || again.Tree().Leaf() != fourth.ID {
			data, _ := os.ReadFile(path)
			t.Fatalf("full after %d bytes: reopened with %v:\n%s", n, texts, data)
		}
		again.Close()
		if n > size {
			return
		}
	}
}

// A write that fails although all of it was written does not count twice.
func TestAWriteThatFailsTooLate(t *testing.T) {
	ctx := t.Context()
	st := Store{Flat: t.TempDir(), Sync: SyncOff}
	one, err := session.New(st, session.Header{CWD: "/"})
	if err != nil {
		t.Fatal(err)
	}
	defer one.Close()
	b := one.Main()
	if _, err := b.Append(ctx, user("first")); err != nil {
		t.Fatal(err)
	}
	l := one.Log().(*log)
	l.fault = func(p []byte) (int, error) {
		l.fault = nil
		m, err := l.f.Write(p)
		if err == nil {
			err = syscall.EIO
		}
		return m, err
	}
	second, err := b.Append(ctx, user("second"))
	if err == nil {
		t.Fatal("the failure was not told")
	}
	if err := one.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(st.FilePath(one.Header()))
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(data, []byte(second.ID)); n != 1 {
		t.Errorf("the entry stands there %d times, want 1:\n%s", n, data)
	}
}

// A program that is killed at any step of a migration leaves a file that opens
// with the same conversation, and that migrates with the next append; the old
// file is kept.
func TestKilledInTheMiddleOfAMigration(t *testing.T) {
	ctx := t.Context()
	old := `{"type":"session","id":"s","timestamp":"2026-03-01T09:00:00.000Z","cwd":"/"}` + "\n" +
		`{"type":"message","message":{"role":"user","content":"one"}}` + "\n" +
		`{"type":"message","message":{"role":"user","content":"two"}}` + "\n"
	for _, step := range []string{"nothing", "half a new file", "a whole new file", "the old one kept", "the old one kept twice", "the new one in its place"} {
		t.Run(step, func(t *testing.T) {
			st := Store{Flat: t.TempDir(), Sync: SyncOff}
			path := st.Flat + "/old.jsonl"
			if err := os.WriteFile(path, []byte(old), 0o600); err != nil {
				t.Fatal(err)
			}
			l, err := openFile(path, SyncOff)
			if err != nil {
				t.Fatal(err)
			}
			data := l.old.data
			switch step {
			case "half a new file":
				err = os.WriteFile(st.Flat+"/.migrate-1", data[:len(data)/2], 0o600)
			case "a whole new file":
				err = os.WriteFile(st.Flat+"/.migrate-1", data, 0o600)
			case "the old one kept":
				err = keepOld(path, 1)
			case "the old one kept twice":
				if err = keepOld(path, 1); err == nil {
					err = keepOld(path, 1)
				}
			case "the new one in its place":
				err = l.replace(0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			l.Close()

			one, err := session.Open(ctx, st, path)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := one.Main().Append(ctx, user("three")); err != nil {
				t.Fatal(err)
			}
			one.Close()
			again, err := session.Open(ctx, st, path)
			if err != nil {
				t.Fatal(err)
			}
			defer again.Close()
			p, err := again.Main().Project()
			if err != nil || len(p.Items) != 3 || again.Header().Version != session.Version {
				t.Errorf("%d messages of version %d, want 3 of version 3 (%v)", len(p.Items), again.Header().Version, err)
			}
			if kept, err := os.ReadFile(path + ".v1.bak"); err != nil || string(kept) != old {
				t.Errorf("the old file is not kept: %v", err)
			}
		})
	}
}
