package bedrock

import (
	"bufio"
	"errors"
	"io"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"

	"github.com/boughdev/bough/provider"
)

// head is the name of an event that comes before those of the stream; its data
// is the id of the request.
const head = "bough.head"

// frames reads the events of a stream that has them in binary frames:
//
//	length of all, 4 bytes · length of the headers, 4 · CRC of these 8, 4
//	headers: length of the name, 1 byte · name · type, 1 · value
//	payload, JSON
//	CRC of all, 4
//
// The header :message-type is "event", "exception" or "error".
type frames struct {
	src *bufio.Reader
	dec *eventstream.Decoder
	buf []byte
	id  string // of the request, until it has been told
}

func newFrames(h http.Header, body io.Reader) provider.Reader {
	return &frames{src: bufio.NewReaderSize(body, 16<<10), dec: eventstream.NewDecoder(), id: h.Get("X-Amzn-Requestid")}
}

func (f *frames) Next() (provider.Event, error) {
	first, err := f.src.Peek(1)
	if err != nil {
		return provider.Event{}, err // io.EOF here is the end
	}
	switch first[0] {
	case '{', '[', '<', ' ', '\n': // a frame would have some GB
		return provider.Event{}, f.noFrames()
	}
	if f.id != "" {
		ev := provider.Event{Name: head, Data: []byte(f.id)}
		f.id = ""
		return ev, nil
	}
	m, err := f.dec.Decode(f.src, f.buf[:0])
	if err != nil {
		return provider.Event{}, broken(err)
	}
	f.buf = m.Payload
	text := func(name string) string {
		if v, ok := m.Headers.Get(name).(eventstream.StringValue); ok {
			return string(v)
		}
		return ""
	}
	switch text(":message-type") {
	case "exception":
		return provider.Event{}, exception(text(":exception-type"), m.Payload)
	case "error":
		return provider.Event{}, exception(text(":error-code"), []byte(text(":error-message")))
	}
	return provider.Event{Name: text(":event-type"), Data: m.Payload}, nil
}

// broken says what is wrong with a frame that cannot be read: it was cut, the
// connection broke, or its sums do not fit.
func broken(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return io.ErrUnexpectedEOF
	}
	_, sum := errors.AsType[eventstream.ChecksumError](err)
	_, length := errors.AsType[eventstream.LengthError](err)
	if sum || length {
		return &provider.Error{Kind: provider.Transient, Message: "a frame of the answer came damaged: " + err.Error(), Err: err}
	}
	return err
}

// noFrames makes an error of an answer that is no event stream.
func (f *frames) noFrames() error {
	text, err := io.ReadAll(io.LimitReader(f.src, 64<<10))
	if err != nil {
		return err
	}
	return provider.NoStream(text)
}
