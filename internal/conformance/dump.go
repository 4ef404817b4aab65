// Package conformance prints what this program makes of session files, in a form
// that can be compared byte by byte with what pi makes of them. It is the engine
// of the hidden command "bough conformance" and of the tests over
// testdata/conformance/session.
//
// A dump is one line of canonical JSON (RFC 8785). Messages, entries and plans
// are named by hashes, the first 16 hex digits of the SHA-256 of their canonical
// text; the pool has the values:
//
//	{"branchSummaries":[…],"compactions":{…},"contexts":{"u1":{"entries":["u1"],
//	"llm":["878ee962687eb876"],…}},…,"pool":{"878ee962687eb876":{"content":…}},…}
//
// The dump is the plain reading of a file: nothing of what this program offers
// beyond pi is on, and our own wordings are written as {{tokens}}.
package conformance

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
)

// Dump writes the dump of a session file with these bytes. The error is one of
// writing; a file that cannot be opened gives a dump that says so.
func Dump(w io.Writer, data []byte) error {
	out := newWriter(w)
	if err := dump(out, data); err != nil {
		return fmt.Errorf("dump the session: %w", err)
	}
	return out.close()
}

func dump(out *writer, data []byte) error {
	if len(data) == 0 {
		d := newDumper(out, session.NewTree())
		return d.document(`{"cwd":"<cwd>","id":"<new>","timestamp":"<now>","type":"session","version":3}`,
			`{"created":true,"migratedFrom":null,"missingFinalNewline":false,"ok":true}`)
	}
	h, entries, err := session.Load(data)
	if err != nil { // of the file, not of reading it
		out.raw(`{"format":1,"load":{"error":"not_a_session","ok":false}}`)
		return nil
	}
	from := "null"
	if first, _, err := session.FindHeader(data); err == nil {
		switch v := session.FormatVersion(first, data); v {
		case 1:
			from = "1"
			entries = numbered(entries)
		case 2:
			from = "2"
		}
	}
	tree := session.NewTree()
	for _, e := range entries {
		tree.Add(e)
	}
	load := fmt.Sprintf(`{"created":false,"migratedFrom":%s,"missingFinalNewline":%t,"ok":true}`, from, data[len(data)-1] != '\n')
	return newDumper(out, tree).document(string(rawjson.AppendCanonical(nil, h.Line())), load)
}

// numbered names the entries of a migrated log of version 1 by their number,
// since their real ids hang on the program.
func numbered(entries []*session.Entry) []*session.Entry {
	names := make(map[session.ID][]byte, len(entries))
	for i, e := range entries {
		names[e.ID] = rawjson.Quote(fmt.Sprintf("v1-%d", i+1))
	}
	out := make([]*session.Entry, 0, len(entries))
	for _, e := range entries {
		line := must(e.Raw())
		for _, key := range []string{"id", "parentId", "firstKeptEntryId"} {
			if id, ok := rawjson.GetString(line, key); ok && names[session.ID(id)] != nil {
				line = rawjson.Set(line, key, names[session.ID(id)])
			}
		}
		out = append(out, must(session.Decode(line, e.Line, session.Bytes(line))))
	}
	return out
}

// must is for lines that are held in memory and have been decoded before.
func must[T any](v T, err error) T {
	if err != nil {
		panic("conformance: read a line in memory: " + err.Error())
	}
	return v
}

// dumper writes the dump of one tree.
type dumper struct {
	*writer
	tree  *session.Tree
	all   []*session.Entry // one for each id
	paths session.Projector
	leaf  session.ID // the last entry in the file

	ids      map[session.ID]string      // as JSON
	pool     map[string][]byte          // canonical values by hash
	hashes   map[*byte]string           // of values that stay, by their first byte
	texts    map[string]string          // of values that are made anew each time, by their JSON
	sizes    map[*byte]int64            // estimates of messages that stay
	asked    map[*byte]*message.Message // what stays, as it goes to a model
	sent     map[*byte]string           // hashes of that
	repaired map[string]string          // and of what a repair changes of it, by its JSON
	system   map[string]string          // hashes of folded system messages, by the hashes of what is folded
	models   map[*session.Entry]string
	copies   map[copyKey]string
}

func newDumper(w *writer, t *session.Tree) *dumper {
	d := &dumper{writer: w, tree: t, all: slices.Collect(t.All()), ids: map[session.ID]string{}, pool: map[string][]byte{},
		hashes: map[*byte]string{}, texts: map[string]string{}, sizes: map[*byte]int64{}, asked: map[*byte]*message.Message{}, sent: map[*byte]string{}, repaired: map[string]string{},
		system: map[string]string{}, models: map[*session.Entry]string{}, copies: map[copyKey]string{}}
	for _, e := range d.all {
		d.ids[e.ID] = string(rawjson.Quote(string(e.ID)))
	}
	if last := t.Last(); last != nil {
		d.leaf = last.ID // also where a leaf marker stands: the plain reading knows none
	}
	return d
}

// document writes the whole dump. Its members stand in canonical order.
func (d *dumper) document(header, load string) error {
	d.raw(`{"branchSummaries":`)
	if err := d.branchSummaries(); err != nil {
		return err
	}
	d.raw(`,"compactions":`)
	if err := d.byID(d.compaction); err != nil {
		return err
	}
	d.raw(`,"contexts":`)
	if err := d.byID(d.context); err != nil {
		return err
	}
	d.raw(`,"current":`)
	if err := d.current(); err != nil {
		return err
	}
	d.raw(`,"entries":`)
	if err := d.entries(); err != nil {
		return err
	}
	d.raw(fmt.Sprintf(`,"entryCount":%d,"forkPoints":`, d.tree.Len()))
	if err := d.forkPoints(); err != nil {
		return err
	}
	d.raw(`,"forks":`)
	if err := d.byID(d.fork); err != nil {
		return err
	}
	d.raw(`,"format":1,"header":` + header + `,"labels":`)
	d.labels()
	d.raw(`,"leafId":` + d.id(d.leaf) + `,"load":` + load + `,"name":` + textOrNull(d.tree.Name()) + `,"navigate":`)
	if err := d.byID(d.navigate); err != nil {
		return err
	}
	d.raw(`,"pool":`)
	d.writePool()
	d.raw(`,"stats":`)
	if err := d.stats(); err != nil {
		return err
	}
	d.raw(`,"tree":`)
	d.writeTree()
	d.raw(`}`)
	return nil
}

// byID writes an object with a member for each id.
func (d *dumper) byID(value func(*session.Entry) error) error {
	sorted := slices.SortedFunc(slices.Values(d.all), func(a, b *session.Entry) int {
		return rawjson.CompareUTF16(string(a.ID), string(b.ID))
	})
	d.raw(`{`)
	for i, e := range sorted {
		d.comma(i)
		d.raw(d.ids[e.ID])
		d.raw(`:`)
		if err := value(e); err != nil {
			return err
		}
	}
	d.raw(`}`)
	return d.err
}

func (d *dumper) entries() error {
	d.raw(`[`)
	i := 0
	for e := range d.tree.Log() {
		line, err := e.Raw()
		if err != nil {
			return err
		}
		typ, parent := "null", "null"
		if v := rawjson.Get(line, "type"); rawjson.Kind(v) == '"' {
			typ = canonical(v)
		}
		if v := rawjson.Get(line, "parentId"); v != nil {
			parent = canonical(v)
		}
		d.comma(i)
		i++
		d.raw(`[` + d.ids[e.ID] + `,` + typ + `,` + parent + `,"` + d.kept(line) + `"]`)
	}
	d.raw(`]`)
	return nil
}

func (d *dumper) forkPoints() error {
	points, err := d.tree.ForkPoints()
	if err != nil {
		return err
	}
	d.raw(`[`)
	for i, p := range points {
		d.comma(i)
		d.raw(`[` + d.ids[p.ID] + `,"` + d.made(rawjson.Quote(p.Text)) + `"]`)
	}
	d.raw(`]`)
	return nil
}

func (d *dumper) labels() {
	labels := d.tree.Labels()
	slices.SortFunc(labels, func(a, b session.LabelState) int {
		return rawjson.CompareUTF16(string(a.Target), string(b.Target))
	})
	d.raw(`{`)
	for i, l := range labels {
		d.comma(i)
		d.raw(d.ids[l.Target] + `:{"label":` + string(rawjson.Quote(l.Text)))
		d.timestamp(l)
		d.raw(`}`)
	}
	d.raw(`}`)
}

// timestamp writes the time of a label as the last member of an object.
func (d *dumper) timestamp(l session.LabelState) {
	if l.Time != nil {
		d.raw(`,"timestamp":` + canonical(l.Time))
	}
}

func (d *dumper) navigate(e *session.Entry) error {
	if e.ID == d.leaf {
		d.raw(`{"noop":true}`)
		return nil
	}
	to, err := d.tree.Destination(e.ID)
	if err != nil {
		return err
	}
	d.raw(`{`)
	if to.Edit {
		d.raw(`"editorText":` + string(rawjson.Quote(to.Text)) + `,`)
	}
	d.raw(`"leafId":` + d.id(to.Leaf) + `}`)
	return nil
}

func (d *dumper) stats() error {
	s, err := d.tree.Stats()
	if err != nil {
		return err
	}
	num := func(f float64) string { return string(rawjson.AppendNumber(nil, f)) }
	d.raw(fmt.Sprintf(`{"assistantMessages":%d,"cost":%s,"tokens":{"cacheRead":%s,"cacheWrite":%s,"input":%s,"output":%s,"total":%s},`+
		`"toolCalls":%d,"toolResults":%d,"totalMessages":%d,"userMessages":%d}`,
		s.Assistant, num(s.Cost), num(s.CacheRead), num(s.CacheWrite), num(s.Input), num(s.Output), num(s.Tokens()),
		s.ToolCalls, s.ToolResults, s.Messages, s.User))
	return nil
}

func (d *dumper) writeTree() {
	parents := slices.SortedFunc(slices.Values(d.all), func(a, b *session.Entry) int {
		return rawjson.CompareUTF16(string(a.ID), string(b.ID))
	})
	d.raw(`{"children":{`)
	n := 0
	for _, e := range parents {
		kids := d.tree.Children(e.ID)
		if len(kids) == 0 {
			continue
		}
		d.comma(n)
		n++
		d.raw(d.ids[e.ID] + `:`)
		d.idList(kids)
	}
	d.raw(`},"roots":`)
	d.idList(d.tree.Roots())
	d.raw(`}`)
}

func (d *dumper) writePool() {
	d.raw(`{`)
	for i, hash := range slices.Sorted(maps.Keys(d.pool)) {
		d.comma(i)
		d.raw(`"` + hash + `":`)
		d.bytes(d.pool[hash])
	}
	d.raw(`}`)
}
