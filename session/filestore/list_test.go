package filestore

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/boughdev/bough/session"
)

// inStore is all that a store has, by path.
type inStore struct {
	Sessions []session.Summary
	Others   int
}

func sessions(t testing.TB, s Store) inStore {
	t.Helper()
	l, err := s.Listing(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	in := inStore{l.Sessions(), l.Others}
	if !slices.IsSortedFunc(in.Sessions, func(a, b session.Summary) int {
		return cmp.Compare(b.Modified.UnixMilli(), a.Modified.UnixMilli())
	}) {
		t.Errorf("not in order: %+v", in.Sessions)
	}
	byPath(in.Sessions)
	return in
}

func byPath(sums []session.Summary) {
	slices.SortFunc(sums, func(a, b session.Summary) int { return strings.Compare(a.Path, b.Path) })
}

func sameListing(t testing.TB, what string, got, want inStore) {
	t.Helper()
	if got.Others != want.Others {
		t.Fatalf("%s: %d files are no sessions, want %d", what, got.Others, want.Others)
	}
	for i := range max(len(got.Sessions), len(want.Sessions)) {
		switch {
		case i >= len(got.Sessions):
			t.Fatalf("%s: no %s", what, want.Sessions[i].Path)
		case i >= len(want.Sessions):
			t.Fatalf("%s: there is %s", what, got.Sessions[i].Path)
		case got.Sessions[i] != want.Sessions[i]:
			t.Fatalf("%s:\n%+v, want\n%+v", what, got.Sessions[i], want.Sessions[i])
		}
	}
}

func write(t testing.TB, path, data string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
}

const testHeader = `{"type":"session","version":3,"id":"%s","timestamp":"2026-03-01T08:00:00.000Z","cwd":"/srv/%s"}` + "\n"

// someLine is a line as a session may have it.
func someLine(r *rand.Rand, n int) string {
	id, parent := fmt.Sprintf("e%d", n), fmt.Sprintf(`"e%d"`, max(0, n-1-r.IntN(2)*r.IntN(4)))
	if n == 0 {
		parent = "null"
	}
	front := func(typ string) string {
		return fmt.Sprintf(`{"type":"%s","id":"%s","parentId":%s,"timestamp":"2026-03-01T09:%02d:%02d.000Z"`, typ, id, parent, r.IntN(60), r.IntN(60))
	}
	return []string{
		front("message") + fmt.Sprintf(`,"message":{"role":"user","content":"question %d","timestamp":%d}}`, n, 1772355600000+r.Int64N(1e9)),
		front("message") + `,"message":{"role":"assistant","content":[{"type":"text","text":"x"}],"provider":"p","model":"m","usage":{"input":1,"cost":{"total":0.01}}}}`,
		front("session_info") + fmt.Sprintf(`,"name":"name %d"}`, n),
		front("custom") + `,"customType":"bough.leaf","data":{"v":1}}`,
		front("label") + `,"targetId":"e0","label":"l"}`,
		`{"type":"message","id":"` + id + `","message":{"role":"user","content":[{"type":"text","text":"` + strings.Repeat("é", r.IntN(400)) + `"}]}}`,
		`not JSON`,
		front("message") + `,"message":{"role":"user","content":"` + strings.Repeat("long ", r.IntN(2)*80000) + `"}}`,
	}[r.IntN(8)]
}

// Whatever happens to the files, a list with a cache is the list without one, and a
// row of it what session.Summarize says.
func TestListIsTrue(t *testing.T) {
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 7))
		root, cache := t.TempDir(), t.TempDir()
		plain, cached := Store{Root: root}, Store{Root: root, Cache: cache}
		clock := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
		entries := map[string]int{}
		path := func() string {
			return filepath.Join(root, fmt.Sprintf("--p%d--", r.IntN(3)), fmt.Sprintf("s%d.jsonl", r.IntN(6)))
		}
		for step := range 60 {
			p := path()
			what := ""
			data, _ := os.ReadFile(p)
			switch op := r.IntN(16); {
			case op < 7 && len(data) > 0:
				what = "append"
				for range 1 + r.IntN(5) {
					data = append(data, someLine(r, entries[p])+"\n"...)
					entries[p]++
				}
				if r.IntN(4) == 0 {
					data = data[:len(data)-1-r.IntN(2)*r.IntN(40)]
				}
				write(t, p, string(data))
			case op < 9:
				what, entries[p] = "new", 0
				os.Remove(p)
				write(t, p, fmt.Sprintf(testHeader, fmt.Sprint(step), filepath.Base(filepath.Dir(p))))
			case op == 9 && len(data) > 0:
				what = "cut"
				write(t, p, string(data[:r.IntN(len(data))]))
			case op == 10:
				what = "replace by something longer"
				other := filepath.Join(t.TempDir(), "x")
				write(t, other, fmt.Sprintf(testHeader, "replaced", "x")+string(data)+someLine(r, 900)+"\n")
				os.MkdirAll(filepath.Dir(p), 0o700)
				if err := os.Rename(other, p); err != nil {
					t.Fatal(err)
				}
			case op == 11 && len(data) > 0:
				what = "write anew in the same file"
				write(t, p, strings.Replace(string(data), `"id":"`, `"id":"n`, 1)+someLine(r, 901)+"\n")
			case op == 12:
				what = "remove"
				os.Remove(p)
			case op == 13:
				what = "no session"
				write(t, p, []string{"", "\n\n", "hello\n", `{"type":"message","id":"a"}` + "\n", `null` + "\n"}[r.IntN(5)])
			case op == 14:
				what = "an old version"
				write(t, p, `{"type":"session","id":"old","timestamp":"2026-03-01T08:00:00.000Z","cwd":"/srv/old"}`+"\n"+`{"type":"message","timestamp":"2026-03-01T09:00:00.000Z","message":{"role":"user","content":"old"}}`+"\n")
			case op == 15:
				what = "odd things"
				os.Symlink("nowhere", filepath.Join(root, "--p0--", "dangling.jsonl"))
				os.MkdirAll(filepath.Join(root, "--p0--", "folder.jsonl"), 0o700)
				os.Symlink(filepath.Join(root, "--p1--"), filepath.Join(root, "linked"))
				write(t, filepath.Join(root, "--p0--", "bom.jsonl"), "\ufeff"+fmt.Sprintf(testHeader, "bom", "x")+someLine(r, 1)+"\n")
			}
			clock = clock.Add(time.Second)
			os.Chtimes(p, clock, clock)
			said := fmt.Sprintf("seed %d, step %d: %s %s", seed, step, what, p)
			want := sessions(t, plain)
			if r.IntN(3) == 0 {
				var streamed inStore
				for sum, err := range cached.List(t.Context()) {
					if err != nil {
						t.Fatal(err)
					}
					streamed.Sessions = append(streamed.Sessions, sum)
				}
				byPath(streamed.Sessions)
				streamed.Others = want.Others
				sameListing(t, said, streamed, want)
			} else {
				sameListing(t, said, sessions(t, cached), want)
			}
			for _, sum := range want.Sessions {
				l, err := openFile(sum.Path, SyncOff)
				if err != nil {
					t.Fatalf("%s: listed, but: %v", said, err)
				}
				s, err := session.Summarize(l.Header(), l.Entries(t.Context(), 0), nil)
				l.Close()
				if err != nil {
					t.Fatal(err)
				}
				s.Path, s.Size, s.Junk = sum.Path, sum.Size, sum.Junk
				if s.Modified.IsZero() {
					s.Modified = sum.Modified
				}
				if len(s.FirstMessage) > FirstMessageMax {
					s.FirstMessage = s.FirstMessage[:len(sum.FirstMessage)]
				}
				if s != sum {
					t.Fatalf("%s: listed as\n%+v, it is\n%+v", said, sum, s)
				}
			}
		}
	}
}

// populate makes some sessions and returns their root.
func populate(t testing.TB, projects, each int) string {
	root := t.TempDir()
	r := rand.New(rand.NewPCG(1, 1))
	for p := range projects {
		for i := range each {
			data := fmt.Sprintf(testHeader, fmt.Sprintf("s%d-%d", p, i), fmt.Sprintf("p%d", p))
			for n := range 1 + r.IntN(20) {
				data += someLine(r, n) + "\n"
			}
			write(t, filepath.Join(root, fmt.Sprintf("--srv-p%d--", p), fmt.Sprintf("%d.jsonl", i)), data)
		}
	}
	return root
}

// A cache that is damaged in whatever way costs time, nothing else.
func TestListCacheDamaged(t *testing.T) {
	root, cache := populate(t, 3, 8), t.TempDir()
	s := Store{Root: root, Cache: cache}
	want := sessions(t, Store{Root: root})
	sessions(t, s)
	files, err := filepath.Glob(filepath.Join(cache, "lists", "*.list"))
	if err != nil || len(files) != 1 {
		t.Fatalf("caches: %v, %v", files, err)
	}
	good, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(2, 2))
	for n := range 300 {
		bad := bytes.Clone(good)
		switch n % 4 {
		case 0:
			bad = bad[:r.IntN(len(bad))]
		case 1:
			for range 1 + r.IntN(3) {
				bad[r.IntN(len(bad))] ^= byte(1 + r.IntN(255))
			}
		case 2:
			i := r.IntN(len(bad))
			clear(bad[i:min(len(bad), i+r.IntN(4096))])
		case 3:
			bad = append(bad, bad[:r.IntN(len(bad))]...)
		}
		if err := os.WriteFile(files[0], bad, 0o600); err != nil {
			t.Fatal(err)
		}
		s.Glance(5)
		if n%2 == 0 {
			if got, err := s.Recent(t.Context(), "/srv/p1"); err != nil || len(got) != 8 {
				t.Fatalf("damage %d: %d sessions of a project, %v", n, len(got), err)
			}
		}
		sameListing(t, fmt.Sprintf("damage %d", n), sessions(t, s), want)
	}
}

// Many processes list, and others append: in the end the list is right, and nothing
// lies around.
func TestListWhileOthersWrite(t *testing.T) {
	root, cache := populate(t, 2, 6), t.TempDir()
	left := filepath.Join(cache, "lists", ".new-123")
	write(t, left, "what a process left behind that was killed")
	old := time.Now().Add(-2 * time.Hour)
	os.Chtimes(left, old, old)
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(w), 3))
			s := Store{Root: root, Cache: cache}
			for n := range 30 {
				switch r.IntN(4) {
				case 0:
					f, err := os.OpenFile(filepath.Join(root, "--srv-p1--", fmt.Sprintf("%d.jsonl", r.IntN(6))), os.O_WRONLY|os.O_APPEND, 0)
					if err != nil {
						t.Error(err)
						return
					}
					f.WriteString(someLine(r, 1000*w+n) + "\n")
					f.Close()
				case 1:
					if _, err := s.Recent(t.Context(), "/srv/p0"); err != nil {
						t.Error(err)
					}
				default:
					if got, err := s.Listing(t.Context()); err != nil || got.Len() != 12 {
						t.Errorf("%d sessions, %v", got.Len(), err)
					}
				}
			}
		})
	}
	wg.Wait()
	sameListing(t, "at the end", sessions(t, Store{Root: root, Cache: cache}), sessions(t, Store{Root: root}))
	if files, _ := filepath.Glob(filepath.Join(cache, "lists", "*")); len(files) != 1 {
		t.Errorf("in the cache folder: %v", files)
	}
	if files, _ := filepath.Glob(filepath.Join(cache, "lists", ".new-*")); len(files) != 0 {
		t.Errorf("left behind: %v", files)
	}
}

// A list reads of a file that has grown what is new, and of a folder that nobody
// asked for nothing.
func TestListReadsWhatIsNew(t *testing.T) {
	root, cache := populate(t, 3, 5), t.TempDir()
	s := Store{Root: root, Cache: cache}
	read := func(dirs ...string) int64 {
		if dirs == nil {
			dirs, _ = s.projects()
		}
		l := s.lister(dirs, len(dirs) == 3, summaries)
		l.look(t.Context())
		l.scan(t.Context(), func(*listed) bool { return true })
		l.keep()
		return l.read.Load()
	}
	if n := read(); n < 15*worthOfFile {
		t.Errorf("first: %d", n)
	}
	if n := read(); n != 0 {
		t.Errorf("again: %d", n)
	}
	f, err := os.OpenFile(filepath.Join(root, "--srv-p1--", "3.jsonl"), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	line := someLine(rand.New(rand.NewPCG(9, 9)), 77) + "\n"
	f.WriteString(line)
	f.Close()
	if n := read("--srv-p0--"); n != 0 {
		t.Errorf("another folder: %d", n)
	}
	if n := read(); n != int64(len(line))+worthOfFile {
		t.Errorf("grown by %d: %d", len(line), n-worthOfFile)
	}
	// What another folder needed is still there.
	if n := read("--srv-p2--"); n != 0 {
		t.Errorf("a third folder: %d", n)
	}
}

// One processor lists what several do.
func TestListOnOneProcessor(t *testing.T) {
	root, cache := populate(t, 5, 7), t.TempDir()
	want := sessions(t, Store{Root: root})
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for range 2 {
		sameListing(t, "on one processor", sessions(t, Store{Root: root, Cache: cache}), want)
	}
	if len(want.Sessions) != 35 {
		t.Errorf("%d sessions", len(want.Sessions))
	}
}

func TestGlance(t *testing.T) {
	root, cache := populate(t, 4, 5), t.TempDir()
	s := Store{Root: root, Cache: cache}
	if got := s.Glance(3); len(got) != 0 {
		t.Errorf("without a cache: %v", got)
	}
	all := sessions(t, s).Sessions
	slices.SortStableFunc(all, func(a, b session.Summary) int {
		return cmp.Or(b.Modified.Compare(a.Modified), strings.Compare(a.Path, b.Path))
	})
	for _, n := range []int{0, 1, 7, 20, 50} {
		got := s.Glance(n)
		if !slices.Equal(got, all[:min(n, 20)]) {
			t.Errorf("%d: %+v", n, got)
		}
	}
}

func TestListOfAFlatFolder(t *testing.T) {
	dir, cache := t.TempDir(), t.TempDir()
	for i, cwd := range []string{"a", "b", "a"} {
		write(t, filepath.Join(dir, fmt.Sprint(i)+".jsonl"), fmt.Sprintf(testHeader, fmt.Sprint(i), cwd)+someLine(rand.New(rand.NewPCG(0, 0)), 0)+"\n")
	}
	for range 2 {
		s := Store{Flat: dir, Cache: cache}
		if got, err := s.Recent(t.Context(), "/srv/a/"); err != nil || len(got) != 2 {
			t.Errorf("%v, %v", got, err)
		}
		if got := sessions(t, s); len(got.Sessions) != 3 {
			t.Errorf("%+v", got)
		}
		if got := s.Glance(9); len(got) != 3 || filepath.Dir(got[0].Path) != dir {
			t.Errorf("%+v", got)
		}
	}
}

// A list that is not read to its end stops.
func TestListStops(t *testing.T) {
	s := Store{Root: populate(t, 3, 30), Cache: t.TempDir()}
	for range 3 {
		n := 0
		for _, err := range s.List(t.Context()) {
			if n++; err != nil || n == 2 {
				break
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	n := 0
	var last error
	for _, err := range s.List(ctx) {
		if err != nil {
			last = err
		}
		n++
	}
	if last != context.Canceled {
		t.Errorf("cancelled: %d, %v", n, last)
	}
	if got := sessions(t, s); len(got.Sessions) != 90 {
		t.Errorf("%d sessions", len(got.Sessions))
	}
}

func FuzzListCache(f *testing.F) {
	root, cache := populate(f, 2, 2), f.TempDir()
	sessions(f, Store{Root: root, Cache: cache})
	files, _ := filepath.Glob(filepath.Join(cache, "lists", "*.list"))
	good, err := os.ReadFile(files[0])
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add(good[:40])
	f.Fuzz(func(t *testing.T, data []byte) {
		readHead(bytes.NewReader(data), summaries.magic)
		for _, row := range rowsOf(data, len(data)) {
			row.summary()
		}
		if row, ok := rowOf(string(data)); ok {
			row.summary()
		}
	})
}
