package repl

import (
	"bufio"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

func all(r io.Reader) ([]string, error) {
	ls := &lines{r: bufio.NewReaderSize(r, 16)}
	var out []string
	for {
		s, err := ls.next()
		if errors.Is(err, io.EOF) {
			if _, again := ls.next(); !errors.Is(again, io.EOF) {
				return out, errors.New("the end does not last")
			}
			return out, nil
		}
		if err != nil {
			return out, err
		}
		out = append(out, s)
	}
}

func TestLines(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		want     []string
	}{
		{"nothing", "", nil},
		{"a last line without end", "a\nb", []string{"a", "b"}},
		{"a last line with one", "a\nb\n", []string{"a", "b"}},
		{"line ends of Windows", "a\r\n\r\nb\r\n", []string{"a", "", "b"}},
		{"a carriage return within", "a\rb\n", []string{"a\rb"}},
		{"a mark at the beginning", "\uFEFFa\n\uFEFFb\n", []string{"a", "\uFEFFb"}},
		{"a line longer than the buffer", strings.Repeat("x", 100) + "\ny\n", []string{strings.Repeat("x", 100), "y"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for how, r := range map[string]io.Reader{
				"whole": strings.NewReader(tt.in), "in bytes": iotest.OneByteReader(strings.NewReader(tt.in)),
				"with data and end at once": iotest.DataErrReader(strings.NewReader(tt.in)),
			} {
				if got, err := all(r); err != nil || !slices.Equal(got, tt.want) {
					t.Errorf("%s: %q, %v; want %q", how, got, err, tt.want)
				}
			}
		})
	}
	broken := errors.New("broken")
	if got, err := all(io.MultiReader(strings.NewReader("a\n"), iotest.ErrReader(broken))); !errors.Is(err, broken) || !slices.Equal(got, []string{"a"}) {
		t.Errorf("a reader that fails: %q, %v", got, err)
	}
}

func TestALineThatIsTooLongIsLeftOut(t *testing.T) {
	ls := &lines{r: bufio.NewReader(io.MultiReader(io.LimitReader(xs{}, maxLine+1), strings.NewReader("\nb\n")))}
	if _, err := ls.next(); !errors.Is(err, errTooLong) {
		t.Errorf("error %v", err)
	}
	if s, err := ls.next(); s != "b" || err != nil {
		t.Errorf("the line behind it: %q, %v", s, err)
	}
}

// xs never ends.
type xs struct{}

func (xs) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestAssembler(t *testing.T) {
	for _, tt := range []struct {
		name  string
		lines []string
		want  []text
		rest  text
	}{
		{"single lines", []string{"a", "", "b"}, []text{{"a", false}, {"", false}, {"b", false}}, text{}},
		{"a backslash joins", []string{`a\`, `b\`, "c", "d"}, []text{{"a\nb\nc", false}, {"d", false}}, text{}},
		{"two backslashes do not", []string{`a\\`, "b"}, []text{{`a\\`, false}, {"b", false}}, text{}},
		{"a block", []string{`"""`, "/a", "", `b\`, ` """ `, "c"}, []text{{"/a\n\nb\\", true}, {"c", false}}, text{}},
		{"an empty block", []string{`"""`, `"""`}, []text{{"", true}}, text{}},
		{"quotes behind a backslash", []string{`a\`, `"""`, "b"}, []text{{"a\n\"\"\"", false}, {"b", false}}, text{}},
		{"quotes with words", []string{`"""a`}, []text{{`"""a`, false}}, text{}},
		{"a block without end", []string{`"""`, "a", "b"}, nil, text{"a\nb", true}},
		{"a backslash without next line", []string{`a\`}, nil, text{"a", false}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var a assembler
			var got []text
			for _, l := range tt.lines {
				if s, ok := a.add(l); ok {
					got = append(got, s)
				}
			}
			pending := a.pending()
			rest, ok := a.end()
			if !slices.Equal(got, tt.want) || rest != tt.rest || ok != pending || ok != (tt.rest != text{}) {
				t.Errorf("texts %+v, rest %+v, %v", got, rest, ok)
			}
		})
	}
}

func TestTidy(t *testing.T) {
	for in, want := range map[string]string{
		" a\tb\n ":                  "a\tb",
		"\x1b[200~pasted\x1b[201~":  "[200~pasted[201~",
		"a\x00b\x07c\x7f":           "abc",
		"你好\xff":                    "你好\uFFFD",
		"keeps its lines\n\n  here": "keeps its lines\n\n  here",
	} {
		if got := tidy(in); got != want {
			t.Errorf("tidy(%q) = %q, want %q", in, got, want)
		}
	}
}
