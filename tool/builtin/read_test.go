package builtin

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/workspace"
)

// numbered makes lines 1 to n, each with text behind its number.
func numbered(n int, text string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d%s\n", i+1, text)
	}
	return b.String()
}

func TestRead(t *testing.T) {
	huge := strings.Repeat("h", 3<<20)
	b := newBench(t, map[string]string{
		"plain.txt": "first line\nsecond line\n", "noend": "a\nb", "empty": "", "crlf": "\uFEFFa\r\nb\r\n", "bad": "a\xff\xe2\x82z\n",
		"many": numbered(5000, ""), "wide": numbered(200, strings.Repeat("w", 1000)), "huge": huge + "\nsecond\n", "late": "one\n" + huge,
		"2000": numbered(2000, ""), "gif.txt": "GIF89a is a format", "bm.txt": "BM is short for bitmap, and this text is long enough to look at",
		"src/main.go": "", "src/Readme.md": "", "It\u2019s 9.41\u202fPM.txt": "shot\n", "sub/": "",
	})
	for _, tt := range []struct {
		name    string
		args    args
		want    string
		isError bool
		details string
	}{
		{"a text", args{"path": "plain.txt"}, "first line\nsecond line\n", false, ""},
		{"a text whose last line has no end", args{"path": "noend"}, "a\nb", false, ""},
		{"an empty file", args{"path": "empty"}, "", false, ""},
		{"byte order mark and carriage returns stay", args{"path": "crlf"}, "\uFEFFa\r\nb\r\n", false, ""},
		{"bytes that are no text", args{"path": "bad"}, "a\uFFFD\uFFFD\uFFFDz\n", false, ""},
		{"from a line on", args{"path": "plain.txt", "offset": 2}, "second line\n", false, ""},
		{"the empty line behind the last", args{"path": "plain.txt", "offset": 3}, "", false, ""},
		{"past the end", args{"path": "plain.txt", "offset": 4}, "Offset 4 is past the end of plain.txt, which has 3 lines.", true, ""},
		{"past the end of an empty file", args{"path": "empty", "offset": 2}, "Offset 2 is past the end of empty, which has 1 line.", true, ""},
		{"offsets below 1", args{"path": "noend", "offset": -3}, "a\nb", false, ""},
		{"a limit", args{"path": "many", "offset": 11, "limit": 2}, "11\n12\n\n[4988 more lines left. Continue with offset=13.]", false, ""},
		{"a limit that reaches the end", args{"path": "plain.txt", "limit": 2}, "first line\nsecond line\n", false, ""},
		{"a limit that leaves one line", args{"path": "plain.txt", "limit": 1}, "first line\n\n[1 more line left. Continue with offset=2.]", false, ""},
		{"exactly the most lines", args{"path": "2000"}, numbered(2000, ""), false, ""},
		{"too many lines", args{"path": "many"}, strings.TrimSuffix(numbered(2000, ""), "\n") + "\n\n[Lines 1-2000 of 5000. Continue with offset=2001.]", false,
			`{"truncation":{"truncated":true,"truncatedBy":"lines","totalLines":5000,"totalBytes":23893,"outputLines":2000,"outputBytes":8892,` +
				`"lastLinePartial":false,"firstLineExceedsLimit":false,"maxLines":2000,"maxBytes":51200}}`},
		{"the rest of too many lines", args{"path": "many", "offset": 4001}, strings.SplitAfterN(numbered(5000, ""), "4000\n", 2)[1], false, ""},
		{"a limit over the limit", args{"path": "many", "offset": 2, "limit": 2500},
			strings.TrimSuffix(strings.SplitAfterN(numbered(2001, ""), "\n", 2)[1], "\n") + "\n\n[Lines 2-2001 of 5000. Continue with offset=2002.]", false,
			`{"truncation":{"truncated":true,"truncatedBy":"lines","totalLines":2500,"totalBytes":11395,"outputLines":2000,"outputBytes":8895,` +
				`"lastLinePartial":false,"firstLineExceedsLimit":false,"maxLines":2000,"maxBytes":51200}}`},
		{"too many bytes", args{"path": "wide"}, strings.TrimSuffix(numbered(51, strings.Repeat("w", 1000))[:50*1003], "") + "", false, "bytes"},
		{"a first line that is too long", args{"path": "huge"}, "[Line 1 has 3.0MB, over the limit of 50.0KB. Use bash: sed -n '1p' '" + b.path("huge") + "' | head -c 51200]", false,
			`{"truncation":{"truncated":true,"truncatedBy":"bytes","totalLines":2,"totalBytes":3145736,"outputLines":0,"outputBytes":0,` +
				`"lastLinePartial":false,"firstLineExceedsLimit":true,"maxLines":2000,"maxBytes":51200}}`},
		{"a later line that is too long", args{"path": "late"}, "one\n\n[Lines 1-1 of 2. Continue with offset=2.]", false, "bytes"},
		{"text that begins like a GIF", args{"path": "gif.txt"}, "GIF89a is a format", false, ""},
		{"text that begins like a BMP", args{"path": "bm.txt"}, "BM is short for bitmap, and this text is long enough to look at", false, ""},
		{"a name as macOS writes it", args{"path": "It's 9.41 PM.txt"}, "shot\n", false, ""},
		{"a mention", args{"path": "@plain.txt", "offset": 2}, "second line\n", false, ""},
		{"a folder", args{"path": "sub"}, "sub is a folder. Use ls to see what is in it.", true, ""},
		{"a missing file", args{"path": "nothing/like/this"}, "There is no file nothing/like/this.", true, ""},
		{"a missing file with a name like others", args{"path": "src/main.c"}, "There is no file src/main.c. Similar: src/main.go", true, ""},
		{"a missing file in other letters", args{"path": "src/README.md"}, "There is no file src/README.md. Similar: src/Readme.md", true, ""},
		{"a missing folder like others", args{"path": "srcs/main.go"}, "There is no file srcs/main.go. Similar: src/", true, ""},
		{"a device", args{"path": os.DevNull}, "Cannot read " + os.DevNull + ": it is a device, pipe or socket.", true, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b.t = t
			out := b.call("read", tt.args)
			got := text(out)
			if tt.name == "too many bytes" {
				got = got[:strings.Index(got, "\n\n[")+1]
				tt.want = numbered(51, strings.Repeat("w", 1000))
				tt.want = tt.want[:len(got)]
			}
			if got != tt.want || out.IsError != tt.isError {
				t.Errorf("%.200q, error %v; want %.200q", got, out.IsError, tt.want)
			}
			d := string(out.Details)
			if tt.details == "bytes" {
				d = strings.Trim(detail(out, "truncation", "truncatedBy"), `"`)
			}
			if d != tt.details {
				t.Errorf("details = %s", d)
			}
		})
	}
}

func TestReadFilesMadeWhenRead(t *testing.T) {
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("no /proc")
	}
	out := newBench(t, nil).call("read", args{"path": "/proc/self/status"})
	if out.IsError || !strings.Contains(text(out), "Name:") {
		t.Errorf("%.100q", text(out))
	}
}

// A read that a file grows under ends where the file did.
func TestReadGrowingFile(t *testing.T) {
	b := newBench(t, map[string]string{"log": strings.Repeat("line\n", 20_000)})
	stop := make(chan struct{})
	done := make(chan struct{})
	f, err := os.OpenFile(b.path("log"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
				if _, err := f.WriteString("more\n"); err != nil {
					return
				}
			}
		}
	}()
	out := b.call("read", args{"path": "log", "limit": 1})
	close(stop)
	<-done
	if !strings.HasPrefix(text(out), "line\n\n[") {
		t.Errorf("%.100q", text(out))
	}
}

// shrunk is a workspace in which files lose all but 6 bytes when they are opened.
type shrunk struct{ *workspace.Local }

func (s shrunk) Open(ctx context.Context, path string) (fs.File, error) {
	f, err := s.Local.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	return shrinking{f}, nil
}

type shrinking struct{ fs.File }

func (s shrinking) Stat() (fs.FileInfo, error) {
	info, err := s.File.Stat()
	if err == nil {
		err = os.Truncate(s.File.(*os.File).Name(), 6)
	}
	return info, err
}

// A file that is cut under a read, at its size, has what there is.
func TestReadShrinkingFile(t *testing.T) {
	for _, size := range []int{100, sniffLen, 100_000} {
		b := newBench(t, map[string]string{"log": strings.Repeat("line\n", size/5)})
		s := &set{ws: shrunk{workspace.NewLocal(b.dir)}}
		out := s.read(t.Context(), &arguments{tool: "read", object: []byte(`{"path":"log"}`)}, nil)
		if text(out) != "line\nl" || out.IsError {
			t.Errorf("of %d bytes: %.50q", size, text(out))
		}
	}
}

func BenchmarkRead(b *testing.B) {
	w := newBench(b, map[string]string{"f.go": numbered(300, " some text of a line of code")})
	f := w.tool("read")
	for b.Loop() {
		if out, err := f.Run(b.Context(), []byte(`{"path":"f.go"}`), nil); err != nil || out.IsError {
			b.Fatal(err, out)
		}
	}
}
