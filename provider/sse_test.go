package provider_test

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/boughdev/bough/provider"
)

// events reads all of a stream as "name|data".
func events(r io.Reader) ([]string, error) {
	var out []string
	er := provider.NewEventReader(r)
	for {
		ev, err := er.Next()
		if err != nil {
			return out, err
		}
		out = append(out, ev.Name+"|"+string(ev.Data))
	}
}

func TestEventReader(t *testing.T) {
	long := strings.Repeat("x", 300<<10)
	for _, tt := range []struct {
		name, in string
		want     []string
	}{
		{"one event", "data: a\n\n", []string{"|a"}},
		{"a name", "event: ping\ndata: {}\n\n", []string{"ping|{}"}},
		{"no space behind the colon", "event:ping\ndata:{}\n\n", []string{"ping|{}"}},
		{"only the first space goes", "data:  a\n\n", []string{"| a"}},
		{"lines of one event are joined", "data: a\ndata: b\ndata\n\n", []string{"|a\nb\n"}},
		{"comments, ids and unknown fields are passed over", ": hi\nid: 5\nretry: 9\nfoo: bar\ndata: a\n\n", []string{"|a"}},
		{"a name without data is no event", "event: x\n\ndata: a\n\n", []string{"|a"}},
		{"empty data is an event", "data:\n\n", []string{"|"}},
		{"carriage return and line feed", "event: e\r\ndata: a\r\n\r\ndata: b\r\n\r\n", []string{"e|a", "|b"}},
		{"carriage return alone", "data: a\r\rdata: b\r\r", []string{"|a", "|b"}},
		{"the last event lacks its empty line", "data: a\n\ndata: [DONE]", []string{"|a", "|[DONE]"}},
		{"a long line", "data: " + long + "\n\ndata: b\n\n", []string{"|" + long, "|b"}},
		{"nothing", "", nil},
		{"empty lines", "\n\r\n\r\n\n", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for how, r := range map[string]io.Reader{
				"whole": strings.NewReader(tt.in), "byte by byte": iotest.OneByteReader(strings.NewReader(tt.in)),
				"in halves": iotest.HalfReader(strings.NewReader(tt.in)), "with the error": iotest.DataErrReader(strings.NewReader(tt.in)),
			} {
				if got, err := events(r); !reflect.DeepEqual(got, tt.want) || err != io.EOF {
					t.Errorf("%s: %q, %v, want %q", how, got, err, tt.want)
				}
			}
		})
	}
}

// A server that does not end an event, or an answer, must not take all memory.
func TestEventWithoutEnd(t *testing.T) {
	for name, piece := range map[string]string{"a line": strings.Repeat("x", 1<<20), "lines": "data: " + strings.Repeat("x", 1<<20) + "\n"} {
		read := 0
		_, err := events(io.MultiReader(strings.NewReader("data: "), endless{piece, &read}))
		if e, ok := errors.AsType[*provider.Error](err); !ok || e.Kind != provider.Rejected || read > 70<<20 {
			t.Errorf("%s: %v after %d bytes", name, err, read)
		}
	}
}

type endless struct {
	piece string
	read  *int
}

func (e endless) Read(p []byte) (int, error) {
	n := copy(p, e.piece[*e.read%len(e.piece):])
	*e.read += n
	return n, nil
}

func TestCutStreamIsNoEnd(t *testing.T) {
	cut := io.MultiReader(strings.NewReader("data: a\n\ndata: b\n"), iotest.ErrReader(io.ErrUnexpectedEOF))
	if got, err := events(cut); !reflect.DeepEqual(got, []string{"|a"}) || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%q, %v", got, err)
	}
}

func FuzzEventReader(f *testing.F) {
	f.Add([]byte("event: a\ndata: b\r\n\r\ndata: c"), 1)
	f.Add([]byte("\xEF\xBB\xBFdata\r\rdata: \n\n"), 3)
	f.Fuzz(func(t *testing.T, in []byte, n int) {
		whole, err := events(bytes.NewReader(in))
		if err != io.EOF {
			t.Fatal(err)
		}
		pieces, err := events(&chunks{in, max(1, n%7)})
		if err != io.EOF || !reflect.DeepEqual(whole, pieces) {
			t.Fatalf("%q in pieces of %d, want %q (%v)", pieces, n%7, whole, err)
		}
	})
}

// chunks gives n bytes at a time.
type chunks struct {
	b []byte
	n int
}

func (c *chunks) Read(p []byte) (int, error) {
	if len(c.b) == 0 {
		return 0, io.EOF
	}
	n := copy(p, c.b[:min(c.n, len(c.b))])
	c.b = c.b[n:]
	return n, nil
}
