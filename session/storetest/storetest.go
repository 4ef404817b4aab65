// Package storetest is the test that every store of sessions must pass.
package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
)

// Run tests the stores that open makes. Each call must give an empty one.
func Run(t *testing.T, open func(t *testing.T) session.Store) {
	t.Run("a log gives back what was appended, to the byte", func(t *testing.T) { roundTrip(t, open(t)) })
	t.Run("an append that is not at the end is a conflict", func(t *testing.T) { conflict(t, open(t)) })
	t.Run("a log that does not exist is not found", func(t *testing.T) { notFound(t, open(t)) })
	t.Run("a log is not created twice", func(t *testing.T) { twice(t, open(t)) })
	t.Run("many writers lose no line and tear none", func(t *testing.T) { writers(t, open(t)) })
	t.Run("a tail yields what others append", func(t *testing.T) { tail(t, open(t)) })
	t.Run("two branches live in one log", func(t *testing.T) { branches(t, open(t)) })
	t.Run("a session has one owner", func(t *testing.T) { lease(t, open(t)) })
	t.Run("a list has all sessions", func(t *testing.T) { list(t, open(t)) })
}

func header(id string) session.Header {
	return session.Header{ID: id, CWD: "/srv/app"}.Complete()
}

func entry(id, parent string) []byte {
	p := "null"
	if parent != "" {
		p = `"` + parent + `"`
	}
	return fmt.Appendf(nil, `{"type":"message","id":%q,"parentId":%s,"timestamp":"2026-03-01T09:00:00.000Z","message":{"role":"user","content":"%s","timestamp":1},"unknown":[1.50,"\ud800",12345678901234567890]}`, id, p, id)
}

func create(t *testing.T, s session.Store, id string, entries ...[]byte) session.Log {
	t.Helper()
	l, err := s.Create(t.Context(), header(id), entries...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func reopen(t *testing.T, s session.Store, id string) session.Log {
	t.Helper()
	l, err := s.Open(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func ids(t *testing.T, l session.Log, after session.Seq) (out []string, end session.Seq) {
	t.Helper()
	end = after
	for e, err := range l.Entries(t.Context(), after) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(e.ID))
		end = e.Line.Seq
	}
	return out, end
}

func roundTrip(t *testing.T, s session.Store) {
	l := create(t, s, "one", entry("a", ""), entry("b", "a"))
	_, end := ids(t, l, 0)
	line := entry("c", "b")
	at, err := l.Append(t.Context(), end, line)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := l.Read(at); err != nil || !bytes.Equal(got, line) {
		t.Errorf("Read = %q, %v, want %q", got, err, line)
	}
	l = reopen(t, s, "one")
	if l.Header().ID != "one" || l.Header().CWD != "/srv/app" {
		t.Errorf("header = %+v", l.Header())
	}
	got, last := ids(t, l, 0)
	if fmt.Sprint(got) != "[a b c]" || last != at.Seq {
		t.Errorf("entries = %v up to %d, want [a b c] up to %d", got, last, at.Seq)
	}
	if got, _ := ids(t, l, end); fmt.Sprint(got) != "[c]" {
		t.Errorf("entries behind b = %v, want [c]", got)
	}
	for e := range l.Entries(t.Context(), end) {
		if raw, err := e.Raw(); err != nil || !bytes.Equal(raw, line) {
			t.Errorf("Raw = %q, %v, want %q", raw, err, line)
		}
	}
}

func conflict(t *testing.T, s session.Store) {
	l := create(t, s, "one", entry("a", ""))
	other := reopen(t, s, "one")
	_, end := ids(t, l, 0)
	if _, err := l.Append(t.Context(), end, entry("b", "a")); err != nil {
		t.Fatal(err)
	}
	if _, err := other.Append(t.Context(), end, entry("c", "a")); !errors.Is(err, session.ErrConflict) {
		t.Errorf("append behind a, where b stands: %v, want ErrConflict", err)
	}
	news, end := ids(t, other, end)
	if fmt.Sprint(news) != "[b]" {
		t.Errorf("reading on gives %v, want [b]", news)
	}
	if _, err := other.Append(t.Context(), end, entry("c", "a")); err != nil {
		t.Errorf("append after reading on: %v", err)
	}
	if got, _ := ids(t, l, 0); fmt.Sprint(got) != "[a b c]" {
		t.Errorf("entries = %v, want [a b c]", got)
	}
}

func notFound(t *testing.T, s session.Store) {
	if _, err := s.Open(t.Context(), "nobody"); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("open = %v, want ErrNotFound", err)
	}
}

func twice(t *testing.T, s session.Store) {
	h := header("one")
	l, err := s.Create(t.Context(), h, entry("a", ""))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, err := s.Create(t.Context(), h, entry("x", "")); !errors.Is(err, session.ErrExists) {
		t.Errorf("create again = %v, want ErrExists", err)
	}
	if got, _ := ids(t, l, 0); fmt.Sprint(got) != "[a]" {
		t.Errorf("entries = %v, want [a]", got)
	}
}

func writers(t *testing.T, s session.Store) {
	create(t, s, "one", entry("root", ""))
	const n, each = 8, 40
	var wg sync.WaitGroup
	for w := range n {
		wg.Go(func() {
			one, err := session.Open(context.Background(), s, "one")
			if err != nil {
				t.Error(err)
				return
			}
			defer one.Close()
			b := one.Branch("root")
			for i := range each {
				m := message.Message{Role: message.User, Content: []message.Block{message.Text(fmt.Sprintf("%d/%d", w, i))}}
				if _, err := b.Append(context.Background(), session.Message{Message: m}); err != nil {
					t.Error(err)
					return
				}
			}
			if got := len(b.Path()); got != each+1 {
				t.Errorf("writer %d: its branch has %d entries, want %d", w, got, each+1)
			}
		})
	}
	wg.Wait()
	one, err := session.Open(t.Context(), s, "one")
	if err != nil {
		t.Fatal(err)
	}
	defer one.Close()
	if got := one.Tree().Len(); got != n*each+1 {
		t.Errorf("%d entries, want %d", got, n*each+1)
	}
	if got := len(one.Tree().Children("root")); got != n {
		t.Errorf("%d branches, want %d", got, n)
	}
}

func tail(t *testing.T, s session.Store) {
	l := create(t, s, "one", entry("a", ""))
	_, end := ids(t, l, 0)
	other := reopen(t, s, "one")
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	go func() {
		if _, err := other.Append(ctx, end, entry("b", "a")); err != nil {
			t.Error(err)
		}
	}()
	for e, err := range l.Tail(ctx, 0) {
		if err != nil {
			t.Fatalf("tail: %v", err)
		}
		if e.ID == "b" {
			break
		}
	}
}

func branches(t *testing.T, s session.Store) {
	create(t, s, "one", entry("q", ""))
	one, err := session.Open(t.Context(), s, "one")
	if err != nil {
		t.Fatal(err)
	}
	defer one.Close()
	a := one.Main()
	b, err := a.Fork("q")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		for _, br := range []*session.Branch{a, b} {
			m := message.Message{Role: message.Assistant, Content: []message.Block{message.Text(fmt.Sprint(i))}}
			if _, err := br.Append(t.Context(), session.Message{Message: m}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := one.Tree().CommonAncestor(a.Leaf(), b.Leaf()); got != "q" {
		t.Errorf("common ancestor = %s, want q", got)
	}
	if a, b := len(a.Path()), len(b.Path()); a != 4 || b != 4 {
		t.Errorf("paths have %d and %d entries, want 4 and 4", a, b)
	}
	again, err := session.Open(t.Context(), s, "one")
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if got := again.Tree().Len(); got != 7 {
		t.Errorf("%d entries, want 7: the shared question is there once", got)
	}
}

func lease(t *testing.T, s session.Store) {
	release, err := s.Lease(t.Context(), "one", "here")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Lease(t.Context(), "one", "there"); err == nil {
		t.Error("a second lease was given")
	} else if l, ok := errors.AsType[*session.LeasedError](err); !ok || l.Addr != "here" {
		t.Errorf("second lease: %v, want a LeasedError that says where the owner is", err)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	again, err := s.Lease(t.Context(), "one", "there")
	if err != nil {
		t.Fatalf("lease after release: %v", err)
	}
	again()
}

func list(t *testing.T, s session.Store) {
	create(t, s, "one", entry("a", ""), entry("b", "a"))
	create(t, s, "two", entry("c", ""))
	got := map[string]session.Summary{}
	for sum, err := range s.List(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		got[sum.ID] = sum
	}
	if len(got) != 2 || got["one"].Messages != 2 || got["one"].FirstMessage != "a" || got["two"].CWD != "/srv/app" {
		t.Errorf("list = %+v", got)
	}
}
