package provider

import (
	"bytes"
	"fmt"
	"io"
)

// Event is one server-sent event.
type Event struct {
	Name string // "" if the stream gives none
	Data []byte // valid up to the next event
}

// An EventReader reads a stream of server-sent events:
//
//	event: message_start        the name, may be missing
//	data: {"type":…}            several such lines are joined by line feeds
//	: a comment
//	                            an empty line ends the event
//
// Lines end in LF, CR LF or CR. An event may have 64 MB, which is more than an
// image in it takes.
type EventReader struct {
	src  io.Reader
	buf  []byte // what was read; buf[at:] is still to be taken
	at   int
	line []byte // the beginning of a line whose end is not in buf
	lf   bool   // the last line ended in CR, so that LF may follow
	err  error  // of src

	name    string
	data    []byte
	hasData bool
}

// maxEvent is how long an event may be, in bytes.
const maxEvent = 64 << 20

func longEvent() *Error {
	return &Error{Kind: Rejected, Message: fmt.Sprintf("an event of the stream is longer than %d MB", maxEvent>>20)}
}

// NewEventReader returns a reader of the events in src.
func NewEventReader(src io.Reader) *EventReader {
	return &EventReader{src: src, buf: make([]byte, 0, 16<<10)}
}

// Next returns the next event. The error is io.EOF if the stream was ended, and
// that of the source, io.ErrUnexpectedEOF for one, if it was cut. An event that
// the end of the stream ends counts; one that is cut does not.
func (r *EventReader) Next() (Event, error) {
	r.data, r.hasData, r.name = r.data[:0], false, ""
	for {
		line, err := r.readLine()
		if err != nil {
			if err == io.EOF && r.hasData {
				return r.event(), nil
			}
			return Event{}, err
		}
		if len(r.data)+len(line) > maxEvent {
			return Event{}, longEvent()
		}
		if len(line) > 0 {
			r.field(line)
		} else if r.hasData {
			return r.event(), nil
		} else {
			r.name = ""
		}
	}
}

func (r *EventReader) event() Event { return Event{Name: r.name, Data: r.data} }

func (r *EventReader) field(line []byte) {
	name, value, _ := bytes.Cut(line, []byte{':'})
	if len(value) > 0 && value[0] == ' ' {
		value = value[1:]
	}
	switch string(name) {
	case "data":
		if r.hasData {
			r.data = append(r.data, '\n')
		}
		r.data, r.hasData = append(r.data, value...), true
	case "event":
		r.name = string(value)
	}
}

// readLine returns the next line without its end. The last one may lack an end.
func (r *EventReader) readLine() ([]byte, error) {
	r.line = r.line[:0]
	for {
		rest := r.buf[r.at:]
		if r.lf && len(rest) > 0 {
			r.lf = false
			if rest[0] == '\n' {
				r.at++
				continue
			}
		}
		if end := lineEnd(rest); end >= 0 {
			r.at += end + 1
			r.lf = rest[end] == '\r'
			if len(r.line) == 0 {
				return rest[:end], nil
			}
			r.line = append(r.line, rest[:end]...)
			return r.line, nil
		}
		r.line = append(r.line, rest...)
		r.at = len(r.buf)
		if len(r.line)+len(r.data) > maxEvent {
			return nil, longEvent()
		}
		if err := r.fill(); err != nil {
			if err == io.EOF && len(r.line) > 0 {
				return r.line, nil
			}
			return nil, err
		}
	}
}

func lineEnd(b []byte) int {
	end := bytes.IndexByte(b, '\n')
	if end < 0 {
		return bytes.IndexByte(b, '\r')
	}
	if cr := bytes.IndexByte(b[:end], '\r'); cr >= 0 {
		return cr
	}
	return end
}

// fill reads what there is. It must be called when everything was taken.
func (r *EventReader) fill() error {
	for r.err == nil {
		var n int
		n, r.err = r.src.Read(r.buf[:cap(r.buf)])
		if n > 0 {
			r.buf, r.at = r.buf[:n], 0
			return nil
		}
	}
	return r.err
}

// first returns the first byte that is no white space and no byte order mark,
// and passes over what stands before it.
func (r *EventReader) first() (byte, error) {
	for {
		for r.at < len(r.buf) {
			switch c := r.buf[r.at]; c {
			case ' ', '\t', '\r', '\n', 0xEF, 0xBB, 0xBF:
				r.at++
			default:
				return c, nil
			}
		}
		if err := r.fill(); err != nil {
			return 0, err
		}
	}
}

// rest reads all that is left, up to limit bytes.
func (r *EventReader) rest(limit int) ([]byte, error) {
	var all []byte
	for {
		all = append(all, r.buf[r.at:]...)
		r.at = len(r.buf)
		if len(all) >= limit {
			return all[:limit], nil
		}
		switch err := r.fill(); err {
		case nil:
		case io.EOF:
			return all, nil
		default:
			return all, err
		}
	}
}
