package builtin

import (
	"strings"
	"testing"
)

func TestWrite(t *testing.T) {
	big := numbered(20_000, " old")
	for _, tt := range []struct {
		name, path, old, content, result, details string
	}{
		{"a new file", "f", "", "a\nb\n", "Created f, 4B.", `{"created":true,"bytes":4,"lines":2}`},
		{"with the folders above it", "x/y/f", "", "a", "Created x/y/f, 1B.", `{"created":true,"bytes":1,"lines":1}`},
		{"an empty one", "f", "", "", "Created f, 0B.", `{"created":true,"bytes":0,"lines":0}`},
		{"a file that is there", "f", "a\nb\n", "a\nc\n", "Replaced f, 4B.", `{"created":false,"bytes":4,"lines":2,"diff":" 1 a\n-2 b\n+2 c"}`},
		{"with the same", "f", "a\n", "a\n", "Replaced f, 2B.", `{"created":false,"bytes":2,"lines":1}`},
		{"line ends stay as they are", "f", "a\n", "a\r\nb\r\n", "Replaced f, 6B.", `{"created":false,"bytes":6,"lines":2,"diff":" 1 a\n+2 b"}`},
		{"a file that is no text", "f", "\x00\x01", "a\n", "Replaced f, 2B.", `{"created":false,"bytes":2,"lines":1}`},
		{"of which all is new", "f", big, strings.ReplaceAll(big, "old", "new"), "Replaced f, 184.5KB.", `{"created":false,"bytes":188894,"lines":20000}`},
		{"half a character becomes a sign for it", "f", "", "\ud7ff", "Created f, 3B.", `{"created":true,"bytes":3,"lines":1}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, nil)
			if tt.old != "" {
				b.put(tt.path, tt.old)
			}
			out := b.call("write", args{"path": tt.path, "content": tt.content})
			if text(out) != tt.result || out.IsError || string(out.Details) != tt.details {
				t.Errorf("%q %s, error %v; want %q %s", text(out), out.Details, out.IsError, tt.result, tt.details)
			}
			if got := b.get(tt.path); got != tt.content {
				t.Errorf("file %.100q", got)
			}
		})
	}
}

func TestWriteRefusals(t *testing.T) {
	b := newBench(t, map[string]string{"sub/": "", "file": ""})
	for _, tt := range []struct {
		name, args, want string
	}{
		{"no content", `{"path":"f"}`, "Invalid arguments for write: content is missing."},
		{"a folder", `{"path":"sub","content":""}`, "sub is a folder. Use ls to see what is in it."},
		{"the name of a folder", `{"path":"new/","content":""}`, "Invalid arguments for write: new/ names a folder."},
		{"a file for a folder", `{"path":"file/f","content":""}`, "Cannot write file/f: not a directory"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if out := b.call("write", tt.args); text(out) != tt.want || !out.IsError {
				t.Errorf("%q, want %q", text(out), tt.want)
			}
		})
	}
	if out := b.call("write", `{"path":"h","content":"\ud800x"}`); out.IsError || b.get("h") != "\uFFFDx" {
		t.Errorf("half a character: %q, %q", text(out), b.get("h"))
	}
}

// In pi a read beside an edit of the same file could see an empty file.
func TestReadBesideWrites(t *testing.T) {
	b := newBench(t, map[string]string{"f": "old\n"})
	done := make(chan bool)
	tools := map[string]func(){
		"write": func() { b.call("write", args{"path": "f", "content": "new\n"}) },
		"read": func() {
			if got := text(b.call("read", args{"path": "f"})); got != "old\n" && got != "new\n" {
				t.Errorf("read %q", got)
			}
		},
	}
	for _, f := range tools {
		go func() {
			for range 50 {
				f()
			}
			done <- true
		}()
	}
	<-done
	<-done
}
