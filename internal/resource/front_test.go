package resource

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

func TestFront(t *testing.T) {
	for _, tt := range []struct {
		name, text        string
		description, hint string
		rest, fault       string // fault: a part of it
	}{
		{"values", "---\nname: x\ndescription: what it does\nargument-hint: \"[a] <b>\"\n---\nbody\n", "what it does", "[a] <b>", "body\n", ""},
		{"a byte order mark and line ends of Windows", "\ufeff---\r\ndescription: d\r\n---\r\nbody\r\nx", "d", "", "body\nx", ""},
		{"blanks behind the lines", "--- \t\ndescription: d\n---  \nbody", "d", "", "body", ""},
		{"a block of lines", "---\ndescription: |\n  one\n  two\n---\n", "one two", "", "", ""},
		{"a folded one", "---\ndescription: >-\n  one\n  two\n---\n", "one two", "", "", ""},
		{"a number", "---\ndescription: 12\n---\n", "12", "", "", ""},
		{"null", "---\ndescription: ~\n---\nbody", "", "", "body", ""},
		{"brackets without quotes", "---\nargument-hint: [file, line]\n---\n", "", "[file, line]", "", ""},
		{"an anchor", "---\nx: &a words\ndescription: *a\n---\n", "words", "", "", ""},
		{"a colon in a value", "---\nname: x\ndescription: Use it: always\n---\nbody", "Use it: always", "", "body", "line 2"},
		{"two pairs of brackets", "---\nargument-hint: [a] [b]\ndescription: 'd'\n---\n", "d", "[a] [b]", "", "line by line"},
		{"a tab", "---\nx:\n\t- a\ndescription: d\n---\n", "d", "", "", "line by line"},
		{"a key twice", "---\ndescription: a\ndescription: b\n---\n", "b", "", "", ""},
		{"a list", "---\n- a\n---\nbody", "", "", "body", "no keys"},
		{"empty", "---\n---\nbody", "", "", "body", ""},
		{"no end", "---\ndescription: d\n", "", "", "---\ndescription: d\n", ""},
		{"the end at the end of the file", "---\ndescription: d\n---", "d", "", "", ""},
		{"a line of four dashes is no end", "---\ndescription: d\n----\n---\nbody", "d", "", "body", "line by line"},
		{"none", "# title\n---\n", "", "", "# title\n---\n", ""},
		{"not in the first line", "\n---\ndescription: d\n---\n", "", "", "\n---\ndescription: d\n---\n", ""},
		{"bytes that are no text", "---\ndescription: a\xffb\n---\n\xfe", "a\ufffdb", "", "\ufffd", ""},
		{"longer than what is read at first", "---\nx: " + strings.Repeat("é", frontSize) + "\ndescription: d\n---\nbody", "d", "", "body", ""},
		{"too long", "---\nx: " + strings.Repeat("x", maxFront+frontSize) + "\ndescription: d\n---\nbody", "", "", "", "within 64 KB"},
		{"nothing", "", "", "", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "x.md")
			if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			f, err := readFront(path, make([]byte, frontSize))
			if err != nil {
				t.Fatal(err)
			}
			if f.text("description") != tt.description || f.text("argument-hint") != tt.hint {
				t.Errorf("description %q, hint %q; want %q, %q", f.text("description"), f.text("argument-hint"), tt.description, tt.hint)
			}
			if (f.fault == "") != (tt.fault == "") || !strings.Contains(f.fault, tt.fault) {
				t.Errorf("fault %q, want %q", f.fault, tt.fault)
			}
			if f.rest != tt.rest && tt.name != "too long" {
				t.Errorf("rest %q, want %q", f.rest, tt.rest)
			}
		})
	}
}

func TestFlag(t *testing.T) {
	for text, want := range map[string]bool{"true": true, `"true"`: true, "yes": true, "false": false, "1": false, "": false, "[true]": false} {
		if got := parseFront("x: " + text).flag("x"); got != want {
			t.Errorf("%s is %v", text, got)
		}
	}
}

func TestFirstLine(t *testing.T) {
	long := strings.Repeat("é", 61)
	for text, want := range map[string]string{"\n\n  a b \nc": "a b", "": "", " \n": "", long: long[:120] + "...", long[:120]: long[:120]} {
		if got := (front{rest: text}).firstLine(); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// Whatever stands in a file, its front can be read, and agrees with the whole.
func FuzzFront(f *testing.F) {
	f.Add([]byte("---\ndescription: a: b\nx: &a [*a]\n---\nbody"))
	f.Add([]byte("\xef\xbb\xbf---\r\n? {a: b}\r\n---\r\n"))
	f.Add([]byte("---\nx: !!binary |\n  gIGC\n<<: *x\n---"))
	f.Add([]byte("---\nname: x\nwhat-is: it's [a] \"b\" & c, d - e\n---\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if values, ok := simple(string(data)); ok {
			var all map[string]yaml.Node
			if err := yaml.Unmarshal(data, &all); err != nil && !strings.Contains(err.Error(), "already defined") {
				t.Errorf("%q is no YAML: %v", data, err)
			}
			for key, v := range all {
				if values[key] != v.Value || v.Kind != yaml.ScalarNode {
					t.Errorf("%q: %s is %q, want %q", data, key, values[key], v.Value)
				}
			}
		}
		head, rest, ok := cutFront(plain(data, false))
		if !ok && rest != plain(data, false) {
			t.Errorf("text is lost: %q", rest)
		}
		if ok {
			parseFront(head).text("description")
		}
	})
}
