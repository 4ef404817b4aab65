package bedrock

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/boughdev/bough/provider"
)

// frame makes a frame of pairs of headers and a payload.
func frame(payload string, headers ...string) []byte {
	var h []byte
	for i := 0; i < len(headers); i += 2 {
		h = append(append(h, byte(len(headers[i]))), headers[i]...)
		h = binary.BigEndian.AppendUint16(append(h, 7), uint16(len(headers[i+1])))
		h = append(h, headers[i+1]...)
	}
	b := binary.BigEndian.AppendUint32(nil, uint32(16+len(h)+len(payload)))
	b = binary.BigEndian.AppendUint32(b, uint32(len(h)))
	b = binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
	b = append(append(b, h...), payload...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
}

func eventFrame(name, payload string) []byte {
	return frame(payload, ":message-type", "event", ":event-type", name, ":content-type", "application/json")
}

// events reads all of a stream as "name|data".
func events(r io.Reader) (got []string, err error) {
	f := newFrames(http.Header{}, r)
	for {
		ev, err := f.Next()
		if err != nil {
			return got, err
		}
		got = append(got, ev.Name+"|"+string(ev.Data))
	}
}

func TestFrames(t *testing.T) {
	start, piece := eventFrame("messageStart", `{"role":"assistant"}`), eventFrame("contentBlockDelta", `{"a":"`+strings.Repeat("x", 100_000)+`"}`)
	damaged := bytes.Clone(piece)
	damaged[len(damaged)-9]++
	long := bytes.Clone(start)
	long[0] = 0x70
	for _, tt := range []struct {
		name string
		in   []byte
		n    int // events before the end
		kind provider.Kind
		text string // of the error; "EOF" for the end
	}{
		{"whole frames", append(bytes.Clone(start), piece...), 2, "", "EOF"},
		{"nothing", nil, 0, "", "EOF"},
		{"cut in the length", append(bytes.Clone(start), piece[:3]...), 1, "", "unexpected EOF"},
		{"cut behind the length", append(bytes.Clone(start), piece[:4]...), 1, "", "unexpected EOF"},
		{"cut in the headers", append(bytes.Clone(start), piece[:30]...), 1, "", "unexpected EOF"},
		{"cut in the payload", append(bytes.Clone(start), piece[:500]...), 1, "", "unexpected EOF"},
		{"cut in the sum", append(bytes.Clone(start), piece[:len(piece)-2]...), 1, "", "unexpected EOF"},
		{"a damaged byte", append(bytes.Clone(start), damaged...), 1, provider.Transient, "damaged"},
		{"a length beyond all measure", long, 0, provider.Transient, "damaged"},
		{"a page", []byte("<html><title>Sign in</title></html>"), 0, provider.Rejected, "Sign in"},
		{"a document", []byte(` {"output":{}}`), 0, provider.Rejected, "a document"},
		{"an error as a document", []byte(`{"error":{"type":"overloaded_error","message":"busy"}}`), 0, provider.Transient, "busy"},
		{"an exception", append(bytes.Clone(start), frame(`{"message":"slow down"}`, ":message-type", "exception", ":exception-type", "throttlingException")...), 1, provider.Transient, "throttlingException: slow down"},
		{"one of the request", frame(`{"message":"bad block"}`, ":message-type", "exception", ":exception-type", "validationException"), 0, provider.Rejected, "bad block"},
		{"one of the length", frame(`{"message":"Input is too long for requested model."}`, ":message-type", "exception", ":exception-type", "validationException"), 0, provider.Overflow, "too long"},
		{"one with the model's words", frame(`{"originalStatusCode":500,"originalMessage":"oops"}`, ":message-type", "exception", ":exception-type", "modelStreamErrorException"), 0, provider.Transient, "oops"},
		{"one without words", frame(``, ":message-type", "exception", ":exception-type", "internalServerException"), 0, provider.Transient, "internalServerException"},
		{"an error in the headers", frame(``, ":message-type", "error", ":error-code", "AccessDeniedException", ":error-message", "no"), 0, provider.Auth, "AccessDeniedException: no"},
		{"one of tomorrow", frame(`{}`, ":message-type", "exception", ":exception-type", "newException"), 0, provider.Transient, "newException"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for how, r := range map[string]io.Reader{"whole": bytes.NewReader(tt.in), "byte by byte": iotest.OneByteReader(bytes.NewReader(tt.in))} {
				got, err := events(r)
				if len(got) != tt.n || !strings.Contains(err.Error(), tt.text) || provider.KindOf(err) != tt.kind || tt.text == "EOF" && err != io.EOF {
					t.Errorf("%s: %d events, %v (%s)", how, len(got), err, provider.KindOf(err))
				}
			}
		})
	}
	reset := errors.New("connection reset")
	if got, err := events(io.MultiReader(bytes.NewReader(append(bytes.Clone(start), piece[:60]...)), iotest.ErrReader(reset))); len(got) != 1 || !errors.Is(err, reset) {
		t.Errorf("%d events, %v", len(got), err)
	}
}

// An exception that names a kind of content says so, as an answer with a status
// does, so that the request can go without it.
func TestExceptionsNameFaults(t *testing.T) {
	const text = "messages.1.content.0.image.source.base64: image exceeds 5 MB maximum"
	_, err := events(bytes.NewReader(frame(`{"message":"`+text+`"}`, ":message-type", "exception", ":exception-type", "validationException")))
	if e, ok := errors.AsType[*provider.Error](err); !ok || e.Fault != provider.Images || e.Kind != provider.Rejected {
		t.Errorf("%+v", err)
	}
}

func TestRequestIDComesFirst(t *testing.T) {
	f := newFrames(http.Header{"X-Amzn-Requestid": {"r1"}}, bytes.NewReader(eventFrame("messageStart", "{}")))
	for _, want := range []string{head + "|r1", "messageStart|{}"} {
		if ev, err := f.Next(); err != nil || ev.Name+"|"+string(ev.Data) != want {
			t.Errorf("%s|%s, %v, want %s", ev.Name, ev.Data, err, want)
		}
	}
}

// Whatever comes, reading ends, and the pieces in which it comes do not matter.
func FuzzFrames(f *testing.F) {
	f.Add(append(eventFrame("messageStart", `{}`), eventFrame("contentBlockDelta", `{"delta":{"text":"a"}}`)...))
	f.Add(frame(`{"message":"m"}`, ":message-type", "exception", ":exception-type", "throttlingException"))
	f.Add([]byte("\x00\x00\x00\x10\x00\x00\x00\x00\x05\xc2\x48\xeb\x7d\x98\xc8\xff"))
	f.Add([]byte("<html>"))
	f.Fuzz(func(t *testing.T, in []byte) {
		whole, err := events(bytes.NewReader(in))
		pieces, err2 := events(iotest.OneByteReader(bytes.NewReader(in)))
		if strings.Join(whole, "\n") != strings.Join(pieces, "\n") || err.Error() != err2.Error() {
			t.Fatalf("%q %v, byte by byte %q %v", whole, err, pieces, err2)
		}
		d := &decoder{info: claude}
		for _, e := range whole {
			name, data, _ := strings.Cut(e, "|")
			if _, _, err := d.Event(provider.Event{Name: name, Data: []byte(data)}); err != nil {
				break
			}
		}
		_, _ = d.End(false) // whatever it says
	})
}
