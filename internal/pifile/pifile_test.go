package pifile

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/boughdev/bough/internal/rawjson"
)

func TestSet(t *testing.T) {
	pretty := "{\n  \"a\": 1.50,\n  \"b\": {\n    \"c\": true\n  }\n}\n"
	for _, tt := range []struct {
		name, doc, path, value, want string
	}{
		{"a value that is there", pretty, "a", "2", "{\n  \"a\": 2,\n  \"b\": {\n    \"c\": true\n  }\n}\n"},
		{"a new one goes to the end, in the style of the file", pretty, "d", `{"x":[1]}`,
			"{\n  \"a\": 1.50,\n  \"b\": {\n    \"c\": true\n  },\n  \"d\": {\n    \"x\": [\n      1\n    ]\n  }\n}\n"},
		{"deeper", pretty, "b.c", "false", "{\n  \"a\": 1.50,\n  \"b\": {\n    \"c\": false\n  }\n}\n"},
		{"new and deeper", pretty, "b.d", "3", "{\n  \"a\": 1.50,\n  \"b\": {\n    \"c\": true,\n    \"d\": 3\n  }\n}\n"},
		{"with objects on the way", pretty, "x.y.z", "3",
			"{\n  \"a\": 1.50,\n  \"b\": {\n    \"c\": true\n  },\n  \"x\": {\n    \"y\": {\n      \"z\": 3\n    }\n  }\n}\n"},
		{"a value that is no object makes room for one", pretty, "a.b", "3", "{\n  \"a\": {\n    \"b\": 3\n  },\n  \"b\": {\n    \"c\": true\n  }\n}\n"},
		{"an empty file", "", "a", "1", "{\n  \"a\": 1\n}\n"},
		{"an empty object", "{}", "a.b", "1", "{\n  \"a\": {\n    \"b\": 1\n  }\n}"},
		{"one line", `{"a":1}`, "b", `{"c":2}`, `{"a":1, "b": {"c":2}}`},
		{"tabs", "{\n\t\"a\": 1\n}", "b.c", "2", "{\n\t\"a\": 1,\n\t\"b\": {\n\t\t\"c\": 2\n\t}\n}"},
		{"a byte order mark", "\ufeff {\"a\":1} \n", "a", "2", "\ufeff {\"a\":2} \n"},
		{"of a repeated key the last counts", `{"a":1,"a":2}`, "a", "3", `{"a":1,"a":3}`},
		{"taking away the first", pretty, "a", "", "{\n  \"b\": {\n    \"c\": true\n  }\n}\n"},
		{"the last", pretty, "b", "", "{\n  \"a\": 1.50\n}\n"},
		{"the only one", pretty, "b.c", "", "{\n  \"a\": 1.50,\n  \"b\": {}\n}\n"},
		{"one that is not there", pretty, "b.x", "", pretty},
		{"one below what is no object", pretty, "a.x", "", pretty},
		{"all of a repeated key", `{"a":1,"b":2,"a":3}`, "a", "", `{"b":2}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var v []byte
			if tt.value != "" {
				v = []byte(tt.value)
			}
			got, err := Set([]byte(tt.doc), strings.Split(tt.path, "."), v)
			if err != nil || string(got) != tt.want {
				t.Errorf("%v\n%s\nwant\n%s", err, got, tt.want)
			}
		})
	}
	for _, doc := range []string{`[1]`, `{"a":}`, `{"a":1} x`, `// c
{}`} {
		if got, err := Set([]byte(doc), []string{"a"}, []byte("1")); !errors.Is(err, ErrNoObject) {
			t.Errorf("%s became %s, %v", doc, got, err)
		}
	}
}

// What is set is there, and nothing else has changed.
func TestSetChangesOneThing(t *testing.T) {
	keys := []string{"a", "b", "c", "d"}
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 0))
		doc := []byte("{}")
		want := map[string]any{}
		for range 12 {
			path := []string{keys[r.IntN(4)]}
			for r.IntN(2) == 0 {
				path = append(path, keys[r.IntN(4)])
			}
			var v []byte
			if r.IntN(4) > 0 {
				v = []byte(strconv.Itoa(r.IntN(100)))
			}
			var err error
			if doc, err = Set(doc, path, v); err != nil {
				t.Fatal(err)
			}
			change(want, path, v)
			var got map[string]any
			if err := json.Unmarshal(doc, &got); err != nil || !reflect.DeepEqual(got, want) {
				t.Fatalf("seed %d: after %v = %s: %v\n%s\nwant %v", seed, path, v, err, doc, want)
			}
		}
	}
}

func change(m map[string]any, path []string, v []byte) {
	for ; len(path) > 1; path = path[1:] {
		next, ok := m[path[0]].(map[string]any)
		if !ok {
			if v == nil {
				return
			}
			next = map[string]any{}
			m[path[0]] = next
		}
		m = next
	}
	if v == nil {
		delete(m, path[0])
		return
	}
	n, _ := strconv.ParseFloat(string(v), 64)
	m[path[0]] = n
}

func TestPlain(t *testing.T) {
	for _, tt := range []struct{ name, doc, want string }{
		{"comments", "{ // one\n\"a\": /* two\n*/ 1 }", "{       \n\"a\":       \n   1 }"},
		{"trailing commas", `{"a":[1,2 , ],}`, `{"a":[1,2   ] }`},
		{"a trailing comma before a comment", "{\"a\":1, // x\n}", "{\"a\":1      \n}"},
		{"strings are left alone", `{"a":"// \" ,]"}`, `{"a":"// \" ,]"}`},
		{"a byte order mark", "\ufeff{}", "   {}"},
		{"an open comment", "{}/*", "{}  "},
		{"an open comment with text", "{} /* abc", "{}       "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := string(Plain([]byte(tt.doc))); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

func FuzzPlain(f *testing.F) {
	for _, s := range []string{"{ // one\n\"a\": /* two */ 1, }", "\ufeff{}", "/", "/*", "//", `"\`, ",]", "[1,/**/]"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		got := Plain(doc)
		if len(got) != len(doc) || bytes.Count(got, []byte("\n")) != bytes.Count(doc, []byte("\n")) {
			t.Fatalf("%q became %q", doc, got)
		}
		if rawjson.Valid(doc) && !bytes.Equal(got, doc) {
			t.Fatalf("JSON changed: %q to %q", doc, got)
		}
	})
}

func TestLines(t *testing.T) {
	doc := []byte("{\n\"a\": 1,\n\n\"b\": {\"c\": 2}}")
	if n := Line(doc, rawjson.Get(rawjson.Get(doc, "b"), "c")); n != 4 {
		t.Errorf("line %d", n)
	}
	if n := Line(doc, nil); n != 0 {
		t.Errorf("line of nothing %d", n)
	}
	for doc, want := range map[string]int{"{\n\n x}": 3, "{": 1, "{}": 0, "": 1} {
		if got := Fault([]byte(doc)); got != want {
			t.Errorf("fault of %q on line %d, want %d", doc, got, want)
		}
	}
}

func TestUpdate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "folder")
	path := filepath.Join(dir, "f.json")
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 10 {
				err := Update(t.Context(), path, 0o600, LockOptions{Wait: time.Minute}, func(old []byte) ([]byte, error) {
					n, _ := strconv.Atoi(string(old))
					return strconv.AppendInt(nil, int64(n+1), 10), nil
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if b, err := os.ReadFile(path); err != nil || string(b) != "40" {
		t.Errorf("%s, %v", b, err)
	}
	if names, err := os.ReadDir(dir); err != nil || len(names) != 1 {
		t.Errorf("left: %v, %v", names, err)
	}
}

func TestUpdateThatFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	no := errors.New("no")
	if err := Update(t.Context(), path, 0o600, LockOptions{}, func([]byte) ([]byte, error) { return []byte("x"), no }); !errors.Is(err, no) {
		t.Error(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("there is a file: %v", err)
	}
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "real"), filepath.Join(dir, "link")
	if err := os.WriteFile(target, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real", link); err != nil {
		t.Skip(err)
	}
	if err := Write(link, []byte("new"), 0o600); err != nil {
		t.Fatal(err)
	}
	fi, err := os.Lstat(link)
	if err != nil || fi.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v, %v", fi, err)
	}
	b, err := os.ReadFile(target)
	fi, err2 := os.Stat(target)
	if err != nil || err2 != nil || string(b) != "new" || fi.Mode().Perm() != 0o640 {
		t.Errorf("%s %v %v %v", b, fi.Mode(), err, err2)
	}
	if err := Write(filepath.Join(dir, "other"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if fi, err := os.Stat(filepath.Join(dir, "other")); err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", fi.Mode(), err)
	}
}

func TestLock(t *testing.T) {
	setup := func(t *testing.T, age time.Duration) string {
		path := filepath.Join(t.TempDir(), "f.json")
		if err := os.Mkdir(path+".lock", 0o700); err != nil {
			t.Fatal(err)
		}
		then := time.Now().Add(-age)
		if err := os.Chtimes(path+".lock", then, then); err != nil {
			t.Fatal(err)
		}
		return path
	}
	t.Run("a lock of another program is respected", func(t *testing.T) {
		path := setup(t, 5*time.Second)
		if _, err := Lock(t.Context(), path, LockOptions{Wait: 20 * time.Millisecond}); !errors.Is(err, ErrLocked) {
			t.Error(err)
		}
	})
	t.Run("one that is left over is taken", func(t *testing.T) {
		path := setup(t, 11*time.Second)
		l, err := Lock(t.Context(), path, LockOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Unlock(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(path + ".lock"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("there is a lock: %v", err)
		}
	})
	t.Run("waiting ends with the context", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := Lock(ctx, setup(t, 0), LockOptions{}); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
	t.Run("a lock that is held stays fresh", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "f.json")
		l, err := Lock(t.Context(), path, LockOptions{Stale: 40 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Lock(t.Context(), path, LockOptions{Stale: time.Second, Wait: 100 * time.Millisecond}); !errors.Is(err, ErrLocked) {
			t.Error(err)
		}
		if err := l.Unlock(); err != nil {
			t.Error(err)
		}
	})
	t.Run("a lock that was taken away is not written under, nor removed", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "f.json")
		err := Update(t.Context(), path, 0o600, LockOptions{}, func([]byte) ([]byte, error) {
			then := time.Now().Add(time.Hour)
			return []byte("x"), os.Chtimes(path+".lock", then, then)
		})
		if !errors.Is(err, ErrLost) {
			t.Error(err)
		}
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("it was written: %v", err)
		}
		if _, err := os.Stat(path + ".lock"); err != nil {
			t.Error(err)
		}
	})
}
