package session

import (
	"bytes"

	"github.com/boughdev/bough/internal/rawjson"
)

// SalvageHeader makes a header for reading a log that has none where it belongs
// ([FindHeader]): of what can be read of a header that is damaged or stands
// elsewhere, or an empty one if the log has entries all the same. The log must not
// be appended to, since pi would not take it. data is the beginning of the log.
func SalvageHeader(data []byte) (Header, error) {
	data = bytes.TrimPrefix(data, byteOrderMark)
	entries := false
	var begun *Header
	for at, line := range Lines(data, 0) {
		if h, err := DecodeHeader(line); err == nil && rawjson.Valid(line) {
			return h.bare(), nil
		}
		if e, err := Decode(line, at, Bytes(line)); err == nil {
			entries = entries || e.record().kind != 0
			continue
		}
		for from, to := range parts(line) {
			part := line[from:to]
			if h, err := DecodeHeader(part); err == nil && rawjson.Valid(part) {
				return h.bare(), nil
			}
			if h, ok := headerFront(part); ok && begun == nil {
				begun = &h
			}
		}
	}
	switch {
	case begun != nil:
		return *begun, nil
	case entries:
		return Header{Version: Version}, nil
	}
	return Header{}, ErrNotSession
}

// bare is a header that is not the one that stands in the log.
func (h Header) bare() Header { h.raw = nil; return h }

// headerFront reads the front of a header line that is damaged behind it, or that
// has no id.
func headerFront(line []byte) (Header, bool) {
	h := Header{Version: Version}
	is := false
	rawjson.Front(line, func(key string, v []byte, whole bool) {
		s, _ := rawjson.String(v)
		switch {
		case !whole:
		case key == "type":
			is = s == "session"
		case key == "version":
			h.Version = version(v)
		case key == "id":
			h.ID = s
		case key == "timestamp":
			h.Timestamp = s
		case key == "cwd":
			h.CWD = s
		case key == "parentSession":
			h.ParentSession = s
		}
	})
	return h, is
}
