package session

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/boughdev/bough/message"
)

// realLines returns the lines of a random session of n entries as bough and pi write
// them: a tree with entries of all types. The first is the header.
func realLines(r *rand.Rand, n int) []string {
	lines := []string{headerLine}
	ids := make([]ID, n)
	now := time.UnixMilli(1772355600000)
	text := func() string {
		return []string{"list ports", "über 80 \U0001F600", `a "quoted" {"type":"message","id":"x","parentId":"y"}`, "line\nline", "   ", "\u2028"}[r.IntN(6)]
	}
	usage := &message.Usage{Input: 1, Output: 2, TotalTokens: 3}
	for i := range n {
		ids[i] = ID(fmt.Sprintf("%08x", r.Uint32()))
		var parent, some ID
		if i > 0 {
			parent = ids[i-1]
			if r.IntN(6) == 0 {
				parent = ids[r.IntN(i)]
			}
			some = ids[r.IntN(i)]
		}
		now = now.Add(time.Duration(r.IntN(5000)) * time.Millisecond)
		msg := func(m message.Message) Body { m.Timestamp = now.UnixMilli(); return Message{m} }
		bodies := []func() Body{
			func() Body {
				return msg(message.Message{Role: message.User, Content: []message.Block{message.Text(text())}})
			},
			func() Body {
				return msg(message.Message{Role: message.Assistant, Content: []message.Block{message.Thinking("hm", "sig"), message.Text(text()),
					message.ToolCall("c1", "read", message.Value(`{"path":"a.go","entry":{"type":"text","text":"x"}}`))},
					API: "x", Provider: "p", Model: "m", Usage: usage, StopReason: message.ToolUse})
			},
			func() Body {
				return msg(message.Message{Role: message.ToolResult, ToolCallID: "c1", ToolName: "read", Content: []message.Block{message.Text(text())}})
			},
			func() Body { return msg(message.Message{Role: message.Bash, Command: "ls", Output: text()}) },
			func() Body {
				s := text()
				return msg(message.Message{Role: message.System, IsText: true, Sections: []message.Section{{Name: "rules", Text: &s}}})
			},
			func() Body { return ModelChange{"acme", "small"} },
			func() Body { return ThinkingChange{"high"} },
			func() Body { return Usage{Kind: "warm", Provider: "acme", Model: "small", Usage: usage} },
			func() Body { return Compaction{Summary: text(), FirstKept: some, TokensBefore: 12} },
			func() Body { return BranchSummary{From: some, Summary: text()} },
			func() Body { return Custom{"x.data", message.Value(`{"n":12345678901234567890,"s":"\ud800"}`)} },
			func() Body {
				return CustomMessage{CustomType: "x.note", Content: []message.Block{message.Text(text())}, IsText: true, Display: true}
			},
			func() Body { return ContextEdit{Target: some, Omit: true} },
			func() Body { return Label{some, text()} },
			func() Body { return Info{"name"} },
			func() Body { return Other{"hologram", message.Value(`{"a":[{"type":"x","id":"y"}]}`)} },
		}
		e := NewEntry(ids[i], parent, now, bodies[i%len(bodies)]())
		line, err := e.Raw()
		if err != nil {
			panic(err) // it is in memory
		}
		lines = append(lines, string(line))
	}
	return lines
}

// laws checks what holds of the salvaging reading of any bytes: what is a whole
// line is in the tree, and every entry of the tree can be reached; every line that
// is none is told; nothing that cannot be read is stood at; the context never fails.
func laws(t testing.TB, data string, full bool) (*Tree, []Finding) {
	t.Helper()
	kept := strings.Clone(data)
	tr, found := salvaged(t, data)
	if data != kept {
		t.Fatal("reading has changed the bytes")
	}
	told := map[int]bool{}
	for _, f := range found {
		told[f.Number] = true
		if f.At.Size <= 0 || int(f.At.Seq) > len(data) || f.At.Size > int(f.At.Seq) {
			t.Fatalf("a finding is nowhere: %+v\n%q", f, data)
		}
	}
	n, last := 0, ""
	reached := map[string]bool{}
	tr.Walk(tr.Leaf(), func(s Step) bool {
		if line, err := s.Entry.Raw(); err == nil {
			reached[string(bytes.Trim(line, " \t\r"))] = true
		}
		n++
		return true
	})
	if n != tr.Len() {
		t.Fatalf("%d of %d entries are reached\n%q", n, tr.Len(), data)
	}
	number := 0
	for at, line := range Lines([]byte(data), 0) {
		number++
		if _, err := Decode(line, at, Bytes(line)); err == nil {
			last = string(bytes.Trim(line, " \t\r"))
			if !reached[last] {
				t.Fatalf("line %d cannot be reached: %s\n%q", number, line, data)
			}
		} else if !Blank(line) && !told[number] {
			t.Fatalf("line %d is not told of: %q\n%q", number, line, data)
		}
	}
	leaf := tr.Get(tr.Leaf())
	if leaf != nil && !leaf.Grows() || leaf == nil && last != "" && tr.Leaf() != "" {
		t.Fatalf("the leaf is %q: %+v\n%q", tr.Leaf(), leaf, data)
	}
	at := []ID{tr.Leaf()}
	if full {
		at = at[:0]
		for e := range tr.All() {
			at = append(at, e.ID)
		}
	}
	for _, id := range at {
		p, err := new(Projector).Context(tr, id)
		if err != nil {
			t.Fatalf("context at %s: %v\n%q", id, err, data)
		}
		for _, it := range p.Items {
			if it.Entry.Lost() {
				t.Fatalf("a lost entry speaks: %s\n%q", it.Entry.ID, data)
			}
		}
	}
	return tr, found
}

// step goes on to the next byte of a session that is damaged: each one takes
// minutes, so that is for BOUGH_EVERY_BYTE=1.
func step(r *rand.Rand) int {
	switch {
	case os.Getenv("BOUGH_EVERY_BYTE") != "":
		return 1
	case testing.Short():
		return 1 + r.IntN(200)
	}
	return 1 + r.IntN(60)
}

// A session that is cut at any byte, with nothing or with further lines behind the
// cut, keeps all whole lines, and what hangs below a torn one keeps its past.
func TestASessionCutAtEveryByte(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 200))
	lines := realLines(r, 200)
	data := strings.Join(lines, "\n") + "\n"
	whole, _ := laws(t, data, true)
	paths := map[ID][]ID{}
	for e := range whole.All() {
		paths[e.ID] = idList(whole.Path(e.ID), "")
	}
	start := 0
	for i, line := range lines {
		for k := start; k <= start+len(line); k += step(r) {
			laws(t, data[:k], false)
			if i == 0 {
				continue
			}
			// The rest of the line and its end are lost; the next line is glued to it.
			end := start + len(line) + 1
			tr, _ := laws(t, data[:k]+data[end:], false)
			victim := idOf(t, line)
			keeps := k-start >= strings.Index(line, `,"timestamp"`) && !strings.HasPrefix(line, `{"type":"custom`)
			for id, path := range paths {
				e := tr.Get(id)
				switch {
				case id == victim:
					continue
				case e == nil || e.Lost():
					t.Fatalf("cut at %d of line %d: entry %s is gone", k-start, i+1, id)
				}
				got := idList(tr.Path(id), victim)
				want := slices.DeleteFunc(slices.Clone(path), func(p ID) bool { return p == victim })
				if keeps && !slices.Equal(got, want) {
					t.Fatalf("cut at %d of line %d, %s: the path to %s is %v, want %v", k-start, i+1, line[:k-start], id, got, want)
				}
			}
		}
		start += len(line) + 1
	}
}

func idOf(t testing.TB, line string) ID {
	t.Helper()
	e, err := Decode([]byte(line), Line{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return e.ID
}

func idList(path []*Entry, but ID) []ID {
	var out []ID
	for _, e := range path {
		if e.ID != but {
			out = append(out, e.ID)
		}
	}
	return out
}

// A bit that flips anywhere costs its line at most.
func TestASessionFlippedAtEveryByte(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 200))
	lines := realLines(r, 200)
	data := strings.Join(lines, "\n") + "\n"
	for k := 0; k < len(data); k += step(r) {
		b := []byte(data)
		b[k] ^= 1 << r.IntN(8)
		tr, _ := laws(t, string(b), false)
		hit := strings.Count(data[:k], "\n")
		for i, line := range lines[1:] {
			if id := idOf(t, line); i+1 != hit && i != hit && i+2 != hit && (tr.Get(id) == nil || tr.Get(id).Lost()) {
				t.Fatalf("flipped byte %d in line %d: entry %s of line %d is gone", k, hit+1, id, i+2)
			}
		}
	}
}

// Of a log without damage, salvage makes the index that the fast reading makes.
func TestSalvageOfWhatIsWhole(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 3))
		data := strings.Join(realLines(r, 1+r.IntN(120)), "\n")
		if seed%2 == 0 {
			data += "\n"
		}
		tr, found := salvaged(t, data)
		x := NewIndex()
		var s Scan
		s.Lines([]byte(data), 0)
		x.Append(&s)
		if s.Junk > 0 || x.Damaged() || len(found) != 1 || tr.Damaged() {
			t.Fatalf("seed %d: %d lines are junk, %v", seed, s.Junk, found)
		}
		if !bytes.Equal(written(t, x), written(t, tr.x)) || x.End() != tr.x.End() {
			t.Fatalf("seed %d: the records differ", seed)
		}
		fast := NewTreeOf(x, file(data))
		if a, b := describe(tr), describe(fast); a != b {
			t.Fatalf("seed %d:\n%s\nwant\n%s", seed, a, b)
		}
		for e := range fast.All() {
			a, aerr := new(Projector).Context(tr, e.ID)
			b, berr := new(Projector).Context(fast, e.ID)
			if aerr != nil || berr != nil || !slices.Equal(texts(a), texts(b)) || a.Model != b.Model || a.Thinking != b.Thinking {
				t.Fatalf("seed %d: the contexts at %s differ", seed, e.ID)
			}
		}
		want := data[strings.IndexByte(data, '\n')+1:]
		if got := wholeLines(t, tr); got != strings.TrimSuffix(want, "\n") {
			t.Fatalf("seed %d: Whole gives\n%s\nwant\n%s", seed, got, want)
		}
	}
}

func wholeLines(t testing.TB, tr *Tree) string {
	t.Helper()
	var lines []string
	for line, err := range tr.Whole() {
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(line))
	}
	return strings.Join(lines, "\n")
}

// damage does one thing to a log that a crash, a bad disk or a person might.
func damage(r *rand.Rand, data string) string {
	lines := strings.SplitAfter(data, "\n")
	i, k := r.IntN(len(lines)), r.IntN(len(lines))
	at, to := r.IntN(len(data)+1), r.IntN(len(data)+1)
	if at > to {
		at, to = to, at
	}
	to = min(to, at+400)
	switch r.IntN(12) {
	case 0: // cut
		return data[:to]
	case 1: // a piece is lost
		return data[:at] + data[to:]
	case 2: // a bit flips
		b := []byte(data)
		if len(b) > 0 {
			b[r.IntN(len(b))] ^= 1 << r.IntN(8)
		}
		return string(b)
	case 3: // zeros in place of a piece
		return data[:at] + strings.Repeat("\x00", to-at) + data[to:]
	case 4: // a line is lost
		return strings.Join(slices.Delete(slices.Clone(lines), i, i+1), "")
	case 5: // a line stands there twice
		return strings.Join(slices.Insert(slices.Clone(lines), k, lines[i]), "")
	case 6: // two lines change places
		lines[i], lines[k] = lines[k], lines[i]
		return strings.Join(lines, "")
	case 7: // a line end is lost
		lines[i] = strings.TrimSuffix(lines[i], "\n")
		return strings.Join(lines, "")
	case 8: // a line is torn, and the next one glued to it
		lines[i] = lines[i][:r.IntN(len(lines[i])+1)]
		return strings.Join(lines, "")
	case 9: // something else was written
		junk := []string{"Killed\n", "42\n", "[]\n", "null\n", "\n", "{}\n", `{"type":"x"}` + "\n", headerLine + "\n", "\uFEFF", "\r", `{"type":`, `{"id":"` + "\n"}
		return data[:at] + junk[r.IntN(len(junk))] + data[at:]
	case 10: // a line has the id of another
		if e, err := Decode([]byte(lines[i]), Line{}, nil); err == nil {
			if o, err := Decode([]byte(lines[k]), Line{}, nil); err == nil {
				lines[i] = strings.Replace(lines[i], string(e.ID), string(o.ID), 1)
			}
		}
		return strings.Join(lines, "")
	}
	return strings.ReplaceAll(data, "\n", "\r\n")
}

// However a log is damaged, what is whole is reached; and the lines that Whole
// gives are a log without damage, with the same conversations.
func TestSalvageOfAnything(t *testing.T) {
	n := uint64(2500)
	if testing.Short() {
		n = 200
	}
	for seed := range n {
		r := rand.New(rand.NewPCG(seed, 4))
		data := strings.Join(realLines(r, 1+r.IntN(40)), "\n") + "\n"
		for range 1 + r.IntN(4) {
			data = damage(r, data)
		}
		tr, _ := laws(t, data, true)

		mended := headerLine + "\n" + wholeLines(t, tr) + "\n"
		again, found := laws(t, mended, false)
		if again.Damaged() || len(found) != 1 {
			t.Fatalf("seed %d: what was mended is damaged: %v %v\n%q\n%q", seed, found, shape(again), data, mended)
		}
		for e := range tr.All() {
			if e.Lost() || tr.x.cyclic { // whose paths go once around
				continue
			}
			a, b := idList(withoutLost(tr.Path(e.ID)), ""), idList(again.Path(e.ID), "")
			if !slices.Equal(a, b) {
				t.Fatalf("seed %d: mended, the path to %s is %v, was %v\n%q", seed, e.ID, b, a, data)
			}
			p, _ := new(Projector).Context(tr, e.ID)
			q, _ := new(Projector).Context(again, e.ID)
			if len(p.Items) != len(q.Items) || p.Model != q.Model || p.Thinking != q.Thinking {
				t.Fatalf("seed %d: mended, the context at %s has %d messages, had %d\n%s\n%s", seed, e.ID, len(q.Items), len(p.Items), data, mended)
			}
		}
		snap := tr.Snapshot()
		if a, b := describe(snap), describe(tr); a != b {
			t.Fatalf("seed %d: a snapshot is\n%s\nof\n%s", seed, a, b)
		}
	}
}

func withoutLost(path []*Entry) []*Entry {
	return slices.DeleteFunc(slices.Clone(path), (*Entry).Lost)
}

func FuzzSalvage(f *testing.F) {
	f.Add([]byte(headerLine + "\n" + said("a", "", "x") + said("b", "a", "y")))
	f.Add([]byte(said("a", "b", "x")[:80] + said("b", "a", "y") + "\x00\n" + said("a", "a", "z")))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 64<<10 {
			t.Skip("long files are for others")
		}
		laws(t, string(data), true)
	})
}

// Files that are made to take long take no time that grows with the square of
// their length.
func TestHostileDamageEnds(t *testing.T) {
	const n = 20_000
	repeat := func(f func(i int) string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(f(i))
		}
		return b.String()
	}
	id := func(i int) string { return fmt.Sprintf("%08x", i) }
	for name, data := range map[string]string{
		"beginnings":           repeat(func(int) string { return `{"type":"a","id":"b","parentId":` }),
		"parts of a torn line": said("a", "", "x")[:120] + repeat(func(int) string { return `{"type":"text","id":"x","parentId":"y"},` }),
		"entries in one line":  repeat(func(i int) string { return said(id(i), "", "x") }),
		"torn ones in one":     repeat(func(i int) string { return said(id(i), "", "x")[:140] }),
		"torn and whole ones":  repeat(func(i int) string { return said(id(2*i), "", "x")[:100] + said(id(2*i+1), id(2*i), "x") }),
		"lost parents":         repeat(func(i int) string { return said(id(i), "p"+id(i), "x") + "\n" }),
		"one lost parent":      repeat(func(i int) string { return said(id(i), "p", "x") + "\n" }),
		"lost and late ones":   repeat(func(i int) string { return said(id(i), []string{"p" + id(i), id(i + 1)}[i%2], "x") + "\n" }),
		"one id":               repeat(func(i int) string { return said("a", "a", fmt.Sprint(i)) + "\n" }),
		"one id and children":  repeat(func(i int) string { return said([]string{"a", id(i)}[i%2], "a", fmt.Sprint(i)) + "\n" }),
		"no ids":               repeat(func(i int) string { return strings.Replace(said("", "a", "x"), `"id":"",`, "", 1) + "\n" }),
		"junk and orphans":     repeat(func(i int) string { return "?\n" + said(id(i), "p"+id(i), "x") + "\n" }),
		"brackets":             strings.Repeat("[", 40*n),
		"quotes":               strings.Repeat(`"`, 40*n),
		"zeros":                strings.Repeat("\x00", 40*n),
	} {
		t.Run(name, func(t *testing.T) {
			begin := time.Now()
			tr, _ := salvaged(t, data)
			tr.Roots()
			for range tr.Whole() {
			}
			if _, err := new(Projector).Context(tr, tr.Leaf()); err != nil {
				t.Error(err)
			}
			if d := time.Since(begin); d > 20*time.Second {
				t.Errorf("it takes %v", d)
			}
		})
	}
}
