package journal

import (
	"slices"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
)

// An Answer is one that is being streamed. It is for one goroutine. Steps are held
// in memory until Flush, which makes the file at the first time: an answer that is
// there before costs nothing.
type Answer struct {
	dir     Dir
	session string
	first   []byte
	steps   []message.Delta
	text    []byte // of the last step
	usage   *message.Usage
	file    *file
	failed  bool
}

// Begin begins an answer below that entry of the session that lies at that path.
// base has what is known of it before it comes.
func (d Dir) Begin(path string, parent session.ID, base message.Message) *Answer {
	if d == "" || path == "" {
		return nil
	}
	b := append([]byte(`{"v":1,"session":`), rawjson.Quote(path)...)
	b = append(append(b, `,"parent":`...), rawjson.Quote(string(parent))...)
	b = append(append(b, `,"message":`...), base.JSON()...)
	return &Answer{dir: d, session: path, first: append(b, '}')}
}

// Add takes one step, and the usage known so far. It reports whether the step is
// the first since the last Flush.
func (a *Answer) Add(d message.Delta, usage *message.Usage) bool {
	if a == nil || a.failed {
		return false
	}
	a.usage = usage
	if n := len(a.steps); n > 0 && d.Text != "" && d.Block == nil && d.ID == "" {
		if last := &a.steps[n-1]; last.Kind == d.Kind && last.Index == d.Index && last.Block == nil {
			a.text = append(a.text, d.Text...)
			return false
		}
	}
	a.finish()
	a.steps, a.text = append(a.steps, d), append(a.text, d.Text...)
	return len(a.steps) == 1
}

// finish gives the last step its text.
func (a *Answer) finish() {
	if n := len(a.steps); n > 0 {
		a.steps[n-1].Text = string(a.text)
	}
	a.text = a.text[:0]
}

// Flush writes the steps since the last time. After an error the answer is kept no
// longer.
func (a *Answer) Flush() error {
	if a == nil || a.failed || len(a.steps) == 0 {
		return nil
	}
	a.finish()
	err := a.write()
	if a.steps = a.steps[:0]; err != nil {
		a.failed = true
	}
	return err
}

func (a *Answer) write() (err error) {
	if a.file == nil {
		if a.file, err = a.dir.create(a.session, answers); err != nil {
			return err
		}
		if err = a.file.append(a.first); err != nil {
			return err
		}
	}
	elems := make([][]byte, len(a.steps))
	for i, d := range a.steps {
		elems[i] = encode(d)
	}
	b := append([]byte(`{"d":`), rawjson.Array(elems)...)
	if a.usage != nil {
		b = append(append(b, `,"usage":`...), a.usage.JSON()...)
	}
	return a.file.append(append(b, '}'))
}

// Remove takes away what was kept: the answer is in the session.
func (a *Answer) Remove() error {
	if a == nil || a.file == nil {
		return nil
	}
	f := a.file
	a.file, a.failed = nil, true
	return f.remove()
}

// Close leaves what was kept to whoever opens the session next.
func (a *Answer) Close() error {
	if a == nil || a.file == nil {
		return nil
	}
	f := a.file
	a.file, a.failed = nil, true
	return f.close()
}

func encode(d message.Delta) []byte {
	b := append([]byte(`{"k":`), rawjson.Quote(string(d.Kind))...)
	b = append(b, `,"i":`...)
	b = rawjson.AppendNumber(b, float64(d.Index))
	for _, f := range []struct{ key, value string }{{"t", d.Text}, {"id", d.ID}, {"name", d.Name}, {"namespace", d.Namespace}} {
		if f.value != "" {
			b = append(rawjson.AppendString(append(b, ','), f.key), ':')
			b = rawjson.AppendString(b, f.value)
		}
	}
	if d.Redacted {
		b = append(b, `,"redacted":true`...)
	}
	if d.Block != nil {
		b = append(append(b, `,"block":`...), d.Block.JSON()...)
	}
	return append(b, '}')
}

func decode(v []byte) message.Delta {
	str := func(key string) string { s, _ := rawjson.GetString(v, key); return s }
	n, _ := rawjson.Number(rawjson.Get(v, "i"))
	d := message.Delta{Kind: message.DeltaKind(str("k")), Index: int(n), Text: str("t"), ID: str("id"), Name: str("name"),
		Namespace: str("namespace"), Redacted: rawjson.Bool(rawjson.Get(v, "redacted"))}
	if d.Kind == message.Info {
		d.Kind = "" // there are none, and it would change what is not ours
	}
	if b := rawjson.Get(v, "block"); rawjson.Kind(b) == '{' {
		block := message.DecodeBlock(b)
		d.Block = &block
	}
	return d
}

// Left is an answer that a dead process had got so far.
type Left struct {
	Parent  session.ID
	Message message.Message // not ended

	file *file
}

// Answers returns what dead processes have left of a session, oldest first. What
// nothing can be read of is taken away, but for what a later version wrote.
func (d Dir) Answers(session string) []*Left {
	var out []*Left
	for _, f := range d.left(session, answers) {
		l, ok, err := read(f)
		switch {
		case err != nil:
			f.close() // another time, perhaps
		case !ok:
			f.remove() // what cannot be removed is looked at again
		default:
			out = append(out, l)
		}
	}
	return out
}

func read(f *file) (*Left, bool, error) {
	lines, ok, err := f.lines()
	if !ok || err != nil {
		return nil, false, err
	}
	base, err := message.Decode(slices.Clone(rawjson.Get(lines[0], "message")))
	if err != nil || base.Role != message.Assistant {
		return nil, false, nil
	}
	parent, _ := rawjson.GetString(lines[0], "parent")
	b := message.NewBuilder(base)
	came := false
	for _, line := range lines[1:] {
		for v := range rawjson.Elements(rawjson.Get(line, "d")) {
			_, ok := b.Add(decode(v))
			came = came || ok
		}
		if u := message.DecodeUsage(rawjson.Get(line, "usage")); u != nil {
			b.Add(message.Delta{Kind: message.Info, Usage: u})
		}
	}
	return &Left{Parent: session.ID(parent), Message: b.Message(), file: f}, came, nil
}

// Remove takes the answer away: it is in the session.
func (l *Left) Remove() error { return l.file.remove() }

// Close leaves the answer to whoever opens the session next.
func (l *Left) Close() error { return l.file.close() }
