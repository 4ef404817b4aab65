package builtin

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/internal/workspace"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/tool"
)

// bench is a folder with tools that work in it.
type bench struct {
	t   testing.TB
	dir string
	o   Options
}

func newBench(t testing.TB, files map[string]string) *bench {
	t.Helper()
	b := &bench{t: t, dir: t.TempDir()}
	b.o.TempDir = t.TempDir()
	for name, text := range files {
		b.put(name, text)
	}
	return b
}

func (b *bench) path(name string) string { return filepath.Join(b.dir, name) }

func (b *bench) put(name, text string) {
	b.t.Helper()
	if err := os.MkdirAll(filepath.Dir(b.path(name)), 0o777); err != nil {
		b.t.Fatal(err)
	}
	if strings.HasSuffix(name, "/") {
		if err := os.MkdirAll(b.path(name), 0o777); err != nil {
			b.t.Fatal(err)
		}
	} else if err := os.WriteFile(b.path(name), []byte(text), 0o666); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) get(name string) string {
	b.t.Helper()
	text, err := os.ReadFile(b.path(name))
	if err != nil {
		b.t.Fatal(err)
	}
	return string(text)
}

func (b *bench) tool(name string) tool.Tool {
	b.t.Helper()
	for _, t := range Tools(workspace.NewLocal(b.dir), b.o) {
		if t.Spec().Name == name {
			return t
		}
	}
	b.t.Fatalf("no tool %s", name)
	return nil
}

// call runs a tool. args is JSON, or a map that becomes it.
func (b *bench) call(name string, args any) message.Output {
	b.t.Helper()
	return b.callWith(context.Background(), name, args, nil)
}

func (b *bench) callWith(ctx context.Context, name string, args any, progress func(message.Output)) message.Output {
	b.t.Helper()
	raw, ok := args.(string)
	if !ok {
		j, err := json.Marshal(args)
		if err != nil {
			b.t.Fatal(err)
		}
		raw = string(j)
	}
	out, err := b.tool(name).Run(ctx, json.RawMessage(raw), progress)
	if err != nil {
		b.t.Fatal(err)
	}
	if out.Details != nil && !rawjson.Valid(out.Details) {
		b.t.Fatalf("details are no JSON: %s", out.Details)
	}
	return out
}

type args map[string]any

// text returns the text of an output, which has one block unless it has an image.
func text(o message.Output) string {
	if len(o.Content) == 0 {
		return ""
	}
	return o.Content[0].Text
}

func detail(o message.Output, keys ...string) string {
	v := o.Details
	for _, k := range keys {
		v = rawjson.Get(v, k)
	}
	return string(v)
}

func TestSpecs(t *testing.T) {
	const most = 2200 // bytes of what the default tools take in each first request
	all := Tools(workspace.NewLocal(t.TempDir()), Options{})
	var names []string
	sum := 0
	for i, f := range all {
		s := f.Spec()
		names = append(names, s.Name)
		if i < 4 {
			sum += len(s.Description) + len(s.Parameters)
		}
		if !rawjson.Valid(s.Parameters) || rawjson.Kind(s.Parameters) != '{' {
			t.Errorf("%s: parameters are no object: %s", s.Name, s.Parameters)
		}
		if s.Prompt == "" || strings.Contains(s.Prompt, "\n") {
			t.Errorf("%s: prompt line %q", s.Name, s.Prompt)
		}
	}
	if got := strings.Join(names[:7], " "); got != "read bash edit write grep find ls" {
		t.Errorf("tools are %s", got)
	}
	if sum > most {
		t.Errorf("descriptions and parameters of the default tools have %d bytes, more than %d", sum, most)
	}
	t.Logf("%d bytes", sum)
}

func TestArguments(t *testing.T) {
	b := newBench(t, map[string]string{"a.txt": "1\n2\n3\n", "7": "seven\n"})
	for _, tt := range []struct {
		name, tool, args, want string
		isError                bool
	}{
		{"nothing that is needed", "read", `{}`, "Invalid arguments for read: path is missing.", true},
		{"all that is wrong is named", "read", `{"offset":"many","limit":[]}`,
			"Invalid arguments for read: path is missing; offset is not a number; limit is not a number.", true},
		{"a null for what is needed", "read", `{"path":null}`, "Invalid arguments for read: path is missing.", true},
		{"an empty path", "read", `{"path":""}`, "Invalid arguments for read: path is empty.", true},
		{"an object for a string", "read", `{"path":{}}`, "Invalid arguments for read: path is not a string.", true},
		{"a path with a NUL", "read", `{"path":"a\u0000b"}`, `Invalid arguments for read: "a\x00b" is no file name.`, true},
		{"a URL of elsewhere", "read", `{"path":"file://far/a.txt"}`, "Invalid arguments for read: file://far/a.txt names no file of this machine.", true},
		{"null for what is optional", "read", `{"path":"a.txt","offset":null,"limit":null}`, "1\n2\n3\n", false},
		{"numbers in strings", "read", `{"path":"a.txt","offset":" 2 ","limit":"1"}`, "2\n\n[1 more line left. Continue with offset=3.]", false},
		{"fractions", "read", `{"path":"a.txt","offset":2.9}`, "2\n3\n", false},
		{"numbers that are far too big", "read", `{"path":"a.txt","limit":1e300}`, "1\n2\n3\n", false},
		{"no number", "read", `{"path":"a.txt","limit":"NaN"}`, "Invalid arguments for read: limit is not a number.", true},
		{"empty strings for numbers", "read", `{"path":"a.txt","offset":"","limit":0}`, "1\n2\n3\n", false},
		{"a number for a string", "read", `{"path":7}`, "seven\n", false},
		{"unknown ones", "read", `{"path":"a.txt","encoding":"latin1","x":{"path":"b"}}`, "1\n2\n3\n", false},
		{"a flag in a string", "grep", `{"pattern":"2","literal":"true"}`, "a.txt:2: 2", false},
		{"no flag", "grep", `{"pattern":"2","literal":"maybe"}`, "Invalid arguments for grep: literal is not true or false.", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b.t = t
			out := b.call(tt.tool, tt.args)
			if text(out) != tt.want || out.IsError != tt.isError {
				t.Errorf("%q, error %v; want %q", text(out), out.IsError, tt.want)
			}
		})
	}
}

func TestAborted(t *testing.T) {
	b := newBench(t, map[string]string{"a.txt": "a\n"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, a := range map[string]args{
		"read": {"path": "a.txt"}, "bash": {"command": "echo a"}, "write": {"path": "b", "content": ""},
		"edit": {"path": "a.txt", "edits": []args{{"oldText": "a", "newText": "b"}}},
		"grep": {"pattern": "a"}, "find": {"pattern": "*"}, "ls": {},
	} {
		out := b.callWith(ctx, name, a, nil)
		if !out.IsError || !strings.Contains(strings.ToLower(text(out)), "aborted") {
			t.Errorf("%s: %q, error %v", name, text(out), out.IsError)
		}
	}
	if b.get("a.txt") != "a\n" {
		t.Error("an aborted edit was made")
	}
}

func TestSizes(t *testing.T) {
	for n, want := range map[int]string{0: "0B", 512: "512B", 1024: "1.0KB", 51200: "50.0KB", 1258291: "1.2MB"} {
		if got := size(n); got != want {
			t.Errorf("size(%d) = %s, want %s", n, got, want)
		}
	}
}
