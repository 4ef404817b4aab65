package remote

import (
	"errors"

	"github.com/boughdev/bough/internal/rawjson"
)

// opening is the answer to open.
type opening struct {
	Client, Session string
	File            string // of the session, "" if it is kept in memory
	Machine, Inode  string // where the file is; "" if it is not known, or the file is not there
}

func (o opening) encode() []byte {
	b := []byte(`{"type":"response","command":"open","success":true,"data":{"client":`)
	b = rawjson.AppendString(b, o.Client)
	b = rawjson.AppendString(append(b, `,"sessionId":`...), o.Session)
	for _, m := range []struct{ key, value string }{{"file", o.File}, {"machine", o.Machine}, {"inode", o.Inode}} {
		if m.value != "" {
			b = append(rawjson.AppendString(append(b, ','), m.key), ':')
			b = rawjson.AppendString(b, m.value)
		}
	}
	return append(b, "}}"...)
}

func decodeOpening(b []byte) (o opening, err error) {
	data := rawjson.Get(b, "data")
	for _, m := range []struct {
		key  string
		into *string
	}{{"client", &o.Client}, {"sessionId", &o.Session}, {"file", &o.File}, {"machine", &o.Machine}, {"inode", &o.Inode}} {
		*m.into, _ = rawjson.GetString(data, m.key)
	}
	if o.Client == "" {
		return o, errors.New("the answer to open names no client")
	}
	return o, nil
}

// here reports whether the session's file is the one of that name on this machine.
func (o opening) here() bool {
	if o.Machine == "" || o.Inode == "" {
		return false
	}
	machine, inode := place(o.File)
	return machine == o.Machine && inode == o.Inode
}
