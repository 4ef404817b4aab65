package doctor

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/session"
)

// Left says in a sentence what of the session can be reached.
func (r *Report) Left() string {
	if r.Lines == 0 {
		return "Nothing is in it yet."
	}
	s := fmt.Sprintf("%s in %s on %s; the conversation as it stands has %s.", plural(r.Entries, "entry", "entries"),
		plural(r.Ends, "branch", "branches"), plural(r.Lines, "line", "lines"), plural(r.Messages, "message", "messages"))
	if r.BadLines == 0 {
		return s
	}
	s += fmt.Sprintf(" %s cannot be read, or only in part", plural(r.BadLines, "line", "lines"))
	if r.Lost > 0 {
		s += fmt.Sprintf("; of %s the place in the tree is known", plural(r.Lost, "lost entry", "lost entries"))
	}
	return s + "."
}

// InPi says in a sentence what pi makes of the file.
func (r *Report) InPi() string {
	switch p := r.Pi; {
	case !p.Opens:
		return "pi refuses the file."
	case r.Lines == 0:
		return "pi begins a session in it."
	case p.Hangs:
		return "pi opens the file and then walks in a circle until its memory is full."
	case p.Fails:
		return "pi opens the file and fails when it comes to a message entry without a message."
	case p.Messages == r.Messages && p.Entries == r.Entries:
		return "pi sees the same."
	default:
		return fmt.Sprintf("pi sees %s and %s in the conversation.", plural(p.Entries, "entry", "entries"), plural(p.Messages, "message", "messages"))
	}
}

// Advice says what to do.
func (r *Report) Advice() string {
	switch {
	case !r.Session && r.Counts[UTF16] > 0:
		return "Save the file as UTF-8 and look again."
	case !r.Session:
		return "If it was a session, take it from a copy: nothing of one is left here."
	case r.Fine():
		return "Nothing needs to be done."
	case r.Counts[NoHeader]+r.Counts[TornHeader]+r.Counts[NamelessID]+r.Counts[LateHeader] > 0:
		return "bough opens it for reading only. To go on with it: bough doctor --repair writes a new, whole session and leaves this file as it is."
	case r.level(Damage) == 0:
		return "bough goes on with it as it is. For pi: bough doctor --repair writes a new session in which this is put right, and leaves this file as it is."
	default:
		return "bough goes on with it as it is, and shows what is lost in the tree. bough doctor --repair writes a new, whole session, which pi reads too, and leaves this file as it is."
	}
}

// Verdict is the state in a word: fine, damaged, troubled or no session.
func (r *Report) Verdict() string {
	switch {
	case !r.Session:
		return "no session"
	case r.level(Damage) > 0:
		return "damaged"
	case r.level(Trouble) > 0:
		return "troubled"
	}
	return "fine"
}

// Summary counts the findings that are more than notes by kind, the most frequent
// first: "3 torn, 1 unknown-parent".
func (r *Report) Summary() string {
	var kinds []Kind
	for k := range r.Counts {
		if levels[k] != Note {
			kinds = append(kinds, k)
		}
	}
	slices.SortFunc(kinds, func(a, b Kind) int { return cmp.Or(cmp.Compare(r.Counts[b], r.Counts[a]), cmp.Compare(a, b)) })
	var parts []string
	for _, k := range kinds {
		parts = append(parts, fmt.Sprintf("%d %s", r.Counts[k], k))
	}
	return strings.Join(parts, ", ")
}

// JSON returns the report as an object.
func (r *Report) JSON() []byte {
	b := append([]byte(`{"path":`), rawjson.Quote(r.Path)...)
	str := func(key, s string) {
		b = append(b, ',')
		b = rawjson.AppendString(b, key)
		b = append(b, ':')
		b = rawjson.AppendString(b, s)
	}
	if r.whole {
		str("id", r.Header.ID)
	}
	str("verdict", r.Verdict())
	b = fmt.Appendf(b, `,"size":%d,"lines":%d,"entries":%d,"lost":%d,"badLines":%d,"branches":%d,"messages":%d`,
		r.Size, r.Lines, r.Entries, r.Lost, r.BadLines, r.Ends, r.Messages)
	b = fmt.Appendf(b, `,"pi":{"opens":%t,"hangs":%t,"fails":%t,"entries":%d,"messages":%d}`, r.Pi.Opens, r.Pi.Hangs, r.Pi.Fails, r.Pi.Entries, r.Pi.Messages)
	b = append(b, `,"counts":{`...)
	kinds := make([]Kind, 0, len(r.Counts))
	for k := range r.Counts {
		kinds = append(kinds, k)
	}
	slices.Sort(kinds)
	for i, k := range kinds {
		if i > 0 {
			b = append(b, ',')
		}
		b = fmt.Appendf(b, `%s:%d`, rawjson.Quote(string(k)), r.Counts[k])
	}
	b = append(b, `},"findings":[`...)
	for i, f := range r.Findings {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, f.json()...)
	}
	b = append(b, ']')
	str("left", r.Left())
	str("inPi", r.InPi())
	str("advice", r.Advice())
	return append(b, '}')
}

func (f Finding) json() []byte {
	b := fmt.Appendf(nil, `{"kind":%s,"level":%s`, rawjson.Quote(string(f.Kind)), rawjson.Quote(string(f.Level)))
	if f.Line > 0 {
		b = fmt.Appendf(b, `,"line":%d,"offset":%d,"size":%d`, f.Line, f.Offset, f.Size)
	}
	if f.Entry != session.ID("") {
		b = append(append(b, `,"entry":`...), rawjson.Quote(string(f.Entry))...)
	}
	b = append(append(b, `,"text":`...), rawjson.Quote(f.Text)...)
	return append(b, '}')
}

// RepairJSON is the report with what was written; made is false if nothing was.
func (r *Report) RepairJSON(done Repaired, made bool) []byte {
	if !made {
		return rawjson.Set(r.JSON(), "repaired", []byte("null"))
	}
	b := fmt.Appendf(nil, `{"path":%s,"id":%s,"entries":%d,"lost":%d,"moved":%d,"changed":%d}`,
		rawjson.Quote(done.Path), rawjson.Quote(done.ID), done.Entries, done.Lost, done.Moved, done.Changed)
	return rawjson.Set(r.JSON(), "repaired", b)
}

// UnreadableJSON is in the place of the report on a file that cannot be read.
func UnreadableJSON(path string, err error) []byte {
	return fmt.Appendf(nil, `{"path":%s,"verdict":"unreadable","error":%s}`, rawjson.Quote(path), rawjson.Quote(err.Error()))
}
