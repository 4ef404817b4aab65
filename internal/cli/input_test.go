package cli

import (
	"context"
	"errors"
	"image"
	"image/color"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
)

func (p *place) prompts(m mode, words ...string) ([]protocol.Prompt, error) {
	p.t.Helper()
	return p.runner(words...).prompts(p.t.Context(), m)
}

func TestPrompts(t *testing.T) {
	for _, tt := range []struct {
		name, stdin string
		words       []string
		want        []string // $D is the folder
	}{
		{"a message", "", []string{"hello"}, []string{"hello"}},
		{"several messages", "", []string{"one", "two", "three"}, []string{"one", "two", "three"}},
		{"blank messages say nothing", "", []string{"", "two", " \n"}, []string{"two"}},
		{"standard input comes first", "\n in \r\n", []string{"one", "two"}, []string{"in\n\none", "two"}},
		{"standard input alone", "in", nil, []string{"in"}},
		{"a byte order mark and blanks of all kinds", "\uFEFF\u00A0in\u2028", nil, []string{"in"}},
		{"bytes that are no text", "a\xffb\xc3", nil, []string{"a\uFFFDb\uFFFD"}},
		{"files behind it, in order", "in", []string{"say", "@a.txt", "more", "@sub/b.txt"},
			[]string{"in\n\n<file name=\"$D/a.txt\">\nA\n\n</file>\n\n<file name=\"$D/sub/b.txt\">\nB\r\n</file>\n\nsay", "more"}},
		{"an empty message keeps its place", "in", []string{"", "two"}, []string{"in", "two"}},
		{"an empty file is left out", "", []string{"@empty.txt", "x"}, []string{"x"}},
		{"a name that is markup", "", []string{`@we"ird<&>.txt`}, []string{"<file name=\"$D/we&quot;ird&lt;&amp;&gt;.txt\">\nW\n</file>"}},
		{"home", "", []string{"@~/h.txt"}, []string{"<file name=\"$H/h.txt\">\nH\n</file>"}},
		{"the names that macOS gives", "", []string{"@Shot at 9.41 AM.txt"}, []string{"<file name=\"$D/Shot at 9.41\u202FAM.txt\">\nS\n</file>"}},
		{"a text that begins like an image", "", []string{"@bm.txt"}, []string{"<file name=\"$D/bm.txt\">\nBM was here\n</file>"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPlace(t)
			for name, text := range map[string]string{"a.txt": "A\n", "sub/b.txt": "\uFEFFB\r", "empty.txt": "", `we"ird<&>.txt`: "W",
				"Shot at 9.41\u202FAM.txt": "S", "bm.txt": "BM was here", "../h.txt": "H"} {
				p.write("project/"+name, text)
			}
			p.stdin = tt.stdin
			got, err := p.prompts(modePrint, tt.words...)
			if err != nil {
				t.Fatal(err)
			}
			var texts []string
			for _, g := range got {
				texts = append(texts, strings.NewReplacer(p.dir, "$D", p.home, "$H").Replace(g.Text))
			}
			if strings.Join(texts, "|") != strings.Join(tt.want, "|") {
				t.Errorf("prompts %q, want %q", texts, tt.want)
			}
		})
	}
}

// JSON mode joins as pi does; pi_test.go compares the two.
func TestPromptsOfJSONMode(t *testing.T) {
	p := newPlace(t)
	p.stdin = "in\n"
	file := p.write("project/a.txt", "A")
	got, err := p.prompts(modeJSON, "@a.txt", "one", "two")
	if want := "in<file name=\"" + file + "\">\nA\n</file>\none"; err != nil || len(got) != 2 || got[0].Text != want {
		t.Errorf("prompts %+v, %v; want %q", got, err, want)
	}
}

func TestNothingToSay(t *testing.T) {
	p := newPlace(t)
	p.write("project/empty.txt", "")
	p.stdin = " \n"
	for _, words := range [][]string{nil, {"-p"}, {""}, {"@empty.txt"}, {" ", "\t"}} {
		if got, err := p.prompts(modePrint, words...); err != errNothing {
			t.Errorf("%q: %+v, %v", words, got, err)
		}
	}
	p.told("@empty.txt is empty")
}

// The lines of standard input are the REPL's, and those of a terminal nobody's
// who does not talk.
func TestStandardInputIsLeftAlone(t *testing.T) {
	p := newPlace(t)
	p.stdin = "line\n"
	if got, err := p.prompts(modeREPL, "x"); err != nil || len(got) != 1 || got[0].Text != "x" {
		t.Errorf("REPL: %+v, %v", got, err)
	}
	p.terminal = true
	if got, err := p.prompts(modePrint, "x"); err != nil || len(got) != 1 || got[0].Text != "x" {
		t.Errorf("terminal: %+v, %v", got, err)
	}
}

func TestASignalEndsTheReading(t *testing.T) {
	p := newPlace(t)
	r := p.runner("x")
	in, out := io.Pipe()
	defer out.Close()
	r.env.Stdin = in
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		out.Write([]byte("it goes on"))
		cancel()
	}()
	if _, err := r.prompts(ctx, modePrint); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestFilesThatAreRefused(t *testing.T) {
	p := newPlace(t)
	p.folder("project/sub")
	p.write("project/big.txt", strings.Repeat("x", maxFileArg+1))
	p.write("project/small.txt", "0123456789")
	for _, tt := range []struct{ file, want string }{
		{"@nosuch", "there is no file " + filepath.Join(p.dir, "nosuch")},
		{"@sub", "is a folder. Name it in the message instead"},
		{"@big.txt", "raise BOUGH_MAX_FILE_ARG"},
		{"@" + os.DevNull, "neither a file nor a folder"},
	} {
		if got, err := p.prompts(modePrint, tt.file, "x"); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %+v, %v; want an error with %q", tt.file, got, err, tt.want)
		}
	}
	for limit, want := range map[string]bool{"10": true, "9": false, "none": true, "-1": true} {
		p.vars["BOUGH_MAX_FILE_ARG"] = limit
		if _, err := p.prompts(modePrint, "@small.txt"); (err == nil) != want {
			t.Errorf("BOUGH_MAX_FILE_ARG=%s: %v", limit, err)
		}
	}
	p.vars["BOUGH_MAX_FILE_ARG"] = "3000000"
	if got, err := p.prompts(modePrint, "@big.txt"); err != nil || len(got[0].Text) < maxFileArg {
		t.Errorf("with a higher limit: %v", err)
	}
	p.write("project/latin.txt", "caf\xe9")
	if got, err := p.prompts(modePrint, "@latin.txt"); err != nil || !strings.Contains(got[0].Text, "caf\uFFFD") {
		t.Errorf("%+v, %v", got, err)
	}
	p.told("not all UTF-8")
}

func TestImages(t *testing.T) {
	p := newPlace(t)
	draw := func(name string, w, h int) []byte {
		img := image.NewGray(image.Rect(0, 0, w, h))
		img.Set(1, 1, color.White)
		f, err := os.Create(filepath.Join(p.dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := png.Encode(f, img); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	small := draw("small.txt", 4, 4) // by content, not by name
	draw("wide.png", 3000, 30)
	p.write("project/damaged.png", string(small[:40]))

	got, err := p.prompts(modePrint, "@small.txt", "@wide.png", "look")
	if err != nil || len(got) != 1 || len(got[0].Images) != 2 {
		t.Fatalf("%+v, %v", got, err)
	}
	if b := got[0].Images[0]; b.Type != message.ImageBlock || b.MimeType != "image/png" {
		t.Errorf("image %+v", b)
	}
	if text := got[0].Text; !strings.HasSuffix(text, "\n\nlook") || !strings.Contains(text, `small.txt">`) || !strings.Contains(text, "scaled down from 3000x30") {
		t.Errorf("text %q", text)
	}
	// An image alone is something to say.
	if got, err = p.prompts(modePrint, "@small.txt"); err != nil || len(got) != 1 || len(got[0].Images) != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	got, err = p.prompts(modePrint, "@damaged.png", "look")
	if err != nil || len(got[0].Images) != 0 || !strings.Contains(got[0].Text, "It is left out.</file>") {
		t.Errorf("damaged: %+v, %v", got, err)
	}
	p.told("It is left out")
	p.write("agent/settings.json", `{"images":{"blockImages":true}}`)
	if got, err = p.prompts(modePrint, "@small.txt", "look"); err != nil || len(got[0].Images) != 0 || !strings.Contains(got[0].Text, "images.blockImages") {
		t.Errorf("kept back: %+v, %v", got, err)
	}
}
