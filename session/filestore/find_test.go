package filestore

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestFind(t *testing.T) {
	root, cache := t.TempDir(), t.TempDir()
	at := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for i, s := range []struct{ id, cwd string }{
		{"0195aaaa-1111", "a"}, {"0195aaaa-2222", "a"}, {"0195bbbb-3333", "a"}, {"other-7777", "b"}, {"0195aaaa-4444", "b"},
		{"twice", "a"}, {"twice", "a"}, {"0195", "b"}, {"", "a"},
	} {
		path := filepath.Join(root, "--srv-"+s.cwd+"--", fmt.Sprintf("%d.jsonl", i))
		write(t, path, fmt.Sprintf(testHeader, s.id, s.cwd))
		os.Chtimes(path, at, at.Add(time.Duration(i)*time.Hour))
	}
	os.Symlink("nowhere", filepath.Join(root, "--srv-a--", "x.jsonl"))
	for _, tt := range []struct{ name, word, want string }{
		{"the whole id", "0195aaaa-2222", "1"},
		{"its beginning", "0195b", "2"},
		{"its end", "3333", "2"},
		{"the end must be long enough", "333", ""},
		{"several of one kind, the latest first", "0195aaaa", "1 0"},
		{"the beginning of one here before the whole of one elsewhere", "0195", "2 1 0"},
		{"elsewhere", "other-7777", "3"},
		{"the beginning of one elsewhere", "oth", "3"},
		{"the end of one elsewhere", "-7777", "3"},
		{"one id twice", "twice", "6 5"},
		{"case counts", "TWICE", ""},
		{"nothing", "", "8"},
		{"what no id is", "0195c", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, s := range []Store{{Root: root}, {Root: root, Cache: cache}, {Root: root, Cache: cache}} {
				found, err := s.Find(t.Context(), "/srv/a", tt.word)
				if err != nil {
					t.Fatal(err)
				}
				var got []string
				for _, h := range found {
					got = append(got, strings.TrimSuffix(filepath.Base(h.Path), ".jsonl"))
				}
				if g := strings.Join(got, " "); g != tt.want {
					t.Errorf("found %q, want %q", g, tt.want)
				}
				sessions(t, s) // now the cache knows them
			}
		})
	}
	s := Store{Root: root, Cache: cache}
	l, err := s.Open(t.Context(), "twice")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if p := l.(*log).Path(); !strings.HasSuffix(p, "6.jsonl") {
		t.Errorf("opened %s", p)
	}
}
