package conformance

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"io"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
)

// writer writes a document piece by piece; the first error ends it.
type writer struct {
	b   *bufio.Writer
	err error
}

func newWriter(w io.Writer) *writer { return &writer{b: bufio.NewWriterSize(w, 1<<16)} }

func (w *writer) raw(s string) {
	if w.err == nil {
		_, w.err = w.b.WriteString(s)
	}
}

func (w *writer) bytes(b []byte) {
	if w.err == nil {
		_, w.err = w.b.Write(b)
	}
}

// comma writes one before every element but the first.
func (w *writer) comma(i int) {
	if i > 0 {
		w.raw(`,`)
	}
}

// close ends the line.
func (w *writer) close() error {
	w.raw("\n")
	if w.err == nil {
		w.err = w.b.Flush()
	}
	return w.err
}

func canonical(v []byte) string { return string(rawjson.AppendCanonical(nil, v)) }

func textOrNull(s string) string {
	if s == "" {
		return "null"
	}
	return string(rawjson.Quote(s))
}

// id returns an id as JSON.
func (d *dumper) id(id session.ID) string {
	if id == "" {
		return "null"
	}
	if s, ok := d.ids[id]; ok {
		return s
	}
	return string(rawjson.Quote(string(id)))
}

func (d *dumper) idList(entries []*session.Entry) {
	d.raw(`[`)
	for i, e := range entries {
		d.comma(i)
		d.raw(d.ids[e.ID])
	}
	d.raw(`]`)
}

// kept returns the hash of a value whose bytes stay where they are as long as
// the dump goes on.
func (d *dumper) kept(v []byte) string {
	if len(v) == 0 {
		return d.made(v)
	}
	if h, ok := d.hashes[&v[0]]; ok {
		return h
	}
	h := d.hash(rawjson.AppendCanonical(nil, v))
	d.hashes[&v[0]] = h
	return h
}

// made returns the hash of a value that is made anew whenever it is needed.
func (d *dumper) made(v []byte) string {
	if h, ok := d.texts[string(v)]; ok {
		return h
	}
	h := d.hash(rawjson.AppendCanonical(nil, v))
	d.texts[string(v)] = h
	return h
}

func hashOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// hash returns the hash of a canonical text, which goes into the pool.
func (d *dumper) hash(text []byte) string {
	h := hashOf(text)
	if _, ok := d.pool[h]; !ok {
		d.pool[h] = text
	}
	return h
}

// size is the estimate of a message. Messages stay, but for those of the system
// that have been folded.
func (d *dumper) size(m message.Message) int64 {
	if m.Role == message.System {
		return message.Estimate(m)
	}
	raw := m.JSON()
	if n, ok := d.sizes[&raw[0]]; ok {
		return n
	}
	n := message.Estimate(m)
	d.sizes[&raw[0]] = n
	return n
}
