package conformance

import (
	"bytes"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/rawjson"
)

// smallFiles returns the session files of the cases, but for the longest.
func smallFiles(t testing.TB) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(casesDir, "*.jsonl"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	files := map[string][]byte{}
	for _, p := range paths {
		if data := read(t, p); len(data) < 4<<10 {
			files[filepath.Base(p)] = data
		}
	}
	return files
}

// dumped checks what holds of every dump: it is one line of canonical JSON, the
// same each time, and the file's bytes are as they were.
func dumped(t testing.TB, data []byte) {
	t.Helper()
	kept := bytes.Clone(data)
	var once, twice bytes.Buffer
	if err := Dump(&once, data); err != nil {
		t.Fatalf("%v\n%q", err, data)
	}
	if !bytes.Equal(data, kept) {
		t.Fatalf("the dump has changed the bytes of\n%q", kept)
	}
	doc, ok := bytes.CutSuffix(once.Bytes(), []byte("\n"))
	if !ok || !rawjson.Valid(doc) {
		t.Fatalf("not one line of JSON: %s\n%q", once.Bytes(), data)
	}
	if want := rawjson.AppendCanonical(nil, doc); !bytes.Equal(doc, want) {
		t.Fatalf("not canonical: %s\n%q", difference(want, doc), data)
	}
	if err := Dump(&twice, data); err != nil || !bytes.Equal(once.Bytes(), twice.Bytes()) {
		t.Fatalf("another dump says something else: %v\n%q", err, data)
	}
}

// A file may be damaged in any way; there is a dump of it all the same.
func TestDumpOfDamagedFiles(t *testing.T) {
	for name, data := range smallFiles(t) {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(len(data)), 0))
			for range 8 {
				if len(data) == 0 {
					break
				}
				dumped(t, data[:r.IntN(len(data))])
				dumped(t, data[r.IntN(len(data)):])
				flipped := bytes.Clone(data)
				for range 1 + r.IntN(4) {
					flipped[r.IntN(len(flipped))] ^= 1 << r.IntN(8)
				}
				dumped(t, flipped)
				lines := bytes.SplitAfter(data, []byte("\n"))
				head := len(lines[0])
				r.Shuffle(len(lines), func(i, k int) { lines[i], lines[k] = lines[k], lines[i] })
				dumped(t, append(bytes.Clone(data[:head]), bytes.Join(lines, nil)...))
			}
		})
	}
}

func TestDumpOfRandomBytes(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 0))
		data := make([]byte, r.IntN(300))
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		dumped(t, data)
		dumped(t, append([]byte(header), data...))
	}
}

// hostile returns files that are made to take long: each would, if something
// were done for every pair of entries, bytes or levels.
func hostile() map[string]string {
	const n = 10_000
	user := func(id, parent, text string) string {
		return `{"type":"message","id":"` + id + `","parentId":` + parent + `,"timestamp":"2026-03-01T09:00:00.000Z","message":{"role":"user","content":` + text + `}}` + "\n"
	}
	id := func(i int) string { return "e" + string(rawjson.AppendNumber(nil, float64(i))) }
	quoted := func(s string) string { return `"` + s + `"` }
	repeat := func(f func(i int) string) string {
		var b strings.Builder
		b.WriteString(header)
		for i := range n {
			b.WriteString(f(i))
		}
		return b.String()
	}
	return map[string]string{
		"roots":        repeat(func(i int) string { return user(id(i), "null", `""`) }),
		"siblings":     repeat(func(i int) string { return user(id(i), `"e0"`, `""`) }),
		"orphans":      repeat(func(i int) string { return user(id(i), quoted("m"+id(i)), `""`) }),
		"pairs":        repeat(func(i int) string { return user(id(i), quoted(id(i^1)), `""`) }),
		"repeated ids": repeat(func(i int) string { return user(id(i%40), quoted(id(i*7%40)), `""`) }),
		"labels": repeat(func(i int) string {
			return `{"type":"label","id":"` + id(i) + `","parentId":null,"targetId":"e0","label":` + []string{`"x"`, `""`}[i%2] + `}` + "\n"
		}),
		"damaged lines":  repeat(func(i int) string { return `{"type":"message","id":` + "\n" }) + user("a", "null", `""`),
		"nested arrays":  header + user("a", "null", strings.Repeat("[", 20*n)+strings.Repeat("]", 20*n)),
		"nested objects": header + user("a", "null", `[{"type":"x","y":`+strings.Repeat(`{"a":`, 20*n)+"1"+strings.Repeat("}", 20*n)+"}]"),
		"many keys": header + strings.Replace(user("a", "null", `""`), `"content"`, strings.Join(strings.Fields(repeat(func(i int) string {
			return ` "` + id(i*7919%n) + `":1,`
		})[len(header):]), "")+`"content"`, 1),
		"many sections": header + `{"type":"message","id":"a","message":{"role":"system","content":"","timestamp":1,"sections":{` +
			repeat(func(i int) string { return `"` + id(i) + `":"x",` })[len(header):] + `"z":null}}}` + "\n",
		"backslashes": header + user("a", "null", `"`+strings.Repeat(`\\\"`, 20*n)+`"`),
		"long line":   header + user("a", "null", `"`+strings.Repeat("long ", 200*n)+`"`),
	}
}

func TestDumpOfHostileFilesEnds(t *testing.T) {
	for name, data := range hostile() {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			if err := Dump(&out, []byte(data)); err != nil {
				t.Fatal(err)
			}
			if n, _ := rawjson.Number(rawjson.Get(out.Bytes(), "entryCount")); n == 0 {
				t.Error("no entries: the file is not what it is meant to be")
			}
		})
	}
}

// A list reads files and leaves them as they are.
func TestListChangesNothing(t *testing.T) {
	dir := t.TempDir()
	for name, data := range smallFiles(t) {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	look := func() string {
		var b strings.Builder
		err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			info, err := e.Info()
			b.WriteString(path + info.ModTime().String() + string(read(t, path)))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	before := look()
	if err := List(io.Discard, dir); err != nil {
		t.Fatal(err)
	}
	if look() != before {
		t.Error("the list has changed a file")
	}
}

func FuzzDump(f *testing.F) {
	for _, name := range []string{"branches", "cycle", "cut-blocked-by-edit", "v1-first-kept-edges", "images", "lone-surrogates", "labels-on-the-path", "dangling-calls"} {
		f.Add(read(f, filepath.Join(casesDir, name+".jsonl")))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 64<<10 {
			t.Skip("long files are for TestDumpOfHostileFilesEnds")
		}
		dumped(t, data)
	})
}
