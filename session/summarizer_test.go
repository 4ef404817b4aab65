package session

import (
	"crypto/sha256"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
)

// noise are lines that are no entries, or entries as nobody writes them.
var noise = []string{
	``, "  \ufeff", `null`, `7`, `["a"]`, `{"id":"x","type":`, `{"type":"message","id":5}`, `{"type":"message"}`, `{"type":"session","id":"again"}`,
	`{"type":"message","id":"k1","id":"k2","parentId":null,"message":{"role":"user","content":"a"},"message":{"content":"b"}}`,
	`{"type":"message","\u0069d":"k3","message":{"role":"user","timestamp":7,"timestamp":"x","content":"twice"}}`,
	`{"type":"message","id":"k4","parentId":"e1","message":{"role":"assistant","usage":{"cost":{"total":1}},"usage":{}}}`,
	`{"type":"message","id":"k5","parentId":"e2","message":{"role":"assistant","usage":{"cost":{"total":1,"total":2.25}},"model":"x","provider":7}}`,
	`{"type":"session_info","id":"k6","parentId":"e2","name":"\ufeff n\u00e9 "}`,
	`{"type":"usage","id":"k7","parentId":"e0","usage":{"cost":{"total":0.125}}}`,
	`{"type":"usage","id":"k8","usage":[{"cost":{"total":9}}]}`,
	`{"type":"custom","id":"k9","parentId":"e3","customType":"bough.leaf","data":{"v":1}}`,
	`{"type":"message","id":"ka","parentId":"k9","timestamp":"bad","message":{"role":"user","content":"from a marker"}}`,
	`{"type":"message","id":"kb","timestamp":null,"message":{"role":"assistant","content":[]}}`,
	`{"type":"message","id":"an id of more than eight","timestamp":1e3,"message":{"role":"user","timestamp":1e99,"content":[{"type":"text","text":"late"}]}}`,
	`{"type":"message","id":"kc","message":{"role":"user","content":"bad escape \x"}}`,
	`{"type":"message","id":"kd","message":"no object"}`,
}

// plainSummary says what a summary is, one thing after the other.
func plainSummary(h Header, lines []string) Summary {
	s := Summary{ID: h.ID, CWD: h.CWD, ParentSession: h.ParentSession}
	created := rawjson.Get(h.Line(), "timestamp")
	s.Created, _ = ParseTime(created)
	active := 0.0
	for _, l := range lines {
		e, err := Decode([]byte(l), Line{}, nil)
		if err != nil {
			if typ, _ := rawjson.GetString([]byte(l), "type"); !Blank([]byte(l)) && (typ != "session" || !rawjson.Valid([]byte(l))) {
				s.Junk++
			}
			continue
		}
		if !e.Time.IsZero() {
			s.Touched = e.Time
		}
		body, err := e.Body()
		if err != nil {
			panic(err)
		}
		cost := func(u *message.Usage) {
			if u != nil {
				s.Cost += u.Cost.Total
			}
		}
		switch b := body.(type) {
		case Info:
			s.Name = b.Name
		case ModelChange:
			if b.ModelID != "" {
				s.Model = strings.TrimPrefix(b.Provider+"/"+b.ModelID, "/")
			}
		case Usage:
			cost(b.Usage)
		case Compaction:
			cost(b.Usage)
		case BranchSummary:
			cost(b.Usage)
		case Message:
			if e.Role == "" {
				continue
			}
			s.Messages++
			m := b.Message
			if e.Role == message.Assistant || e.Role == message.ToolResult {
				cost(m.Usage)
			}
			if e.Role != message.User && e.Role != message.Assistant {
				continue
			}
			s.Said++
			if e.Role == message.Assistant && m.Model != "" {
				s.Model = strings.TrimPrefix(m.Provider+"/"+m.Model, "/")
			}
			if ms, ok := rawjson.Number(m.Field("timestamp")); ok {
				active = max(active, ms)
			} else if !e.Time.IsZero() {
				active = max(active, float64(e.Time.UnixMilli()))
			}
			if e.Role == message.User && s.FirstMessage == "" {
				s.FirstMessage = m.Text(" ")
			}
		}
	}
	switch {
	case active > 0 && active <= maxTime:
		s.Modified = time.UnixMilli(int64(math.Trunc(active))).UTC()
	case active <= 0 && rawjson.Kind(created) == '"':
		s.Modified = s.Created
	}
	return s
}

func someHeader(t *testing.T, r *rand.Rand) Header {
	h, err := DecodeHeader([]byte([]string{
		`{"type":"session","version":3,"id":"s","timestamp":"2026-03-01T08:00:00.000Z","cwd":"/srv/app","parentSession":"/p.jsonl"}`,
		`{"type":"session","version":3,"id":"","timestamp":17,"cwd":null}`,
		`{"type":"session","version":3,"id":"é","timestamp":"bad"}`,
	}[r.IntN(3)]))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// A summary that goes on from a dump is that of all lines, and that is what it
// should say.
func TestSummarizerGoesOn(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 1))
		h := someHeader(t, r)
		lines := grow(r, 1+r.IntN(40), seed%2 == 1)
		for range r.IntN(12) {
			i := r.IntN(len(lines) + 1)
			lines = append(lines[:i], append([]string{noise[r.IntN(len(noise))]}, lines[i:]...)...)
		}
		var once, step Summarizer
		once.Begin(h)
		step.Begin(h)
		for i, l := range lines {
			was := once.Summary()
			entry := once.Line([]byte(l))
			if _, err := Decode([]byte(l), Line{}, nil); entry != (err == nil) {
				t.Fatalf("seed %d: entry %v of %s, Decode says %v", seed, entry, l, err)
			}
			if r.IntN(4) == 0 {
				dump := string(step.Dump(nil))
				if sum, ok := SummaryOf(dump); !ok || sum != was {
					t.Fatalf("seed %d: summary of a dump %+v, want %+v", seed, sum, was)
				}
				if r.IntN(2) == 0 {
					step = Summarizer{} // or one that has something already
				}
				if !step.Restore(dump) {
					t.Fatalf("seed %d: a dump of %d lines is not read", seed, i)
				}
				if again := string(step.Dump(nil)); again != dump {
					t.Fatalf("seed %d: the dump changed\n%q\n%q", seed, dump, again)
				}
			}
			step.Line([]byte(l))
		}
		got, want := once.Summary(), plainSummary(h, lines)
		if s := step.Summary(); s != got {
			t.Fatalf("seed %d: step by step %+v, at once %+v", seed, s, got)
		}
		want.Leaves = got.Leaves
		if got != want {
			t.Fatalf("seed %d: %+v, want %+v\n%s", seed, got, want, strings.Join(lines, "\n"))
		}
	}
}

// In a tree that grew as trees do, the leaves are the entries that say something
// and below which nothing does.
func TestLeaves(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 2))
		h := someHeader(t, r)
		var s Summarizer
		s.Begin(h)
		tr := NewTree()
		type place struct {
			id       ID
			interior bool
		}
		var places []place // where one can stand: what was said, and the ends of branches
		for i := range 60 {
			parent := ""
			at := -1
			if len(places) > 0 && r.IntN(12) > 0 {
				if at = len(places) - 1; r.IntN(3) == 0 {
					at = r.IntN(len(places))
				}
				parent = string(places[at].id)
			}
			id := fmt.Sprintf("e%d", i)
			fields := []string{
				`"type":"message","message":{"role":"user","content":"x"}`,
				`"type":"message","message":{"role":"assistant","content":"x"}`,
				`"type":"compaction","summary":"x"`,
				`"type":"label","targetId":"x","label":"l"`,
				`"type":"model_change","provider":"q","modelId":"m"`,
				`"type":"message","message":{"role":"system","content":""}`,
				`"type":"custom","customType":"bough.leaf"`,
			}[r.IntN(7)]
			l := line(id, parent, fields)
			s.Line([]byte(l))
			e := decode(t, l)[0]
			tr.Add(e)
			if e.IsLeafMarker() {
				if r.IntN(4) > 0 {
					continue // a dead end
				}
				places = append(places, place{id: e.ID}) // pi goes on from it
				l = line(id+"x", id, `"type":"message","message":{"role":"user","content":"x"}`)
				s.Line([]byte(l))
				tr.Add(decode(t, l)[0])
				places[len(places)-1] = place{id: ID(id + "x")}
				continue
			}
			says := e.Speaks() && e.Role != message.System
			if at >= 0 && places[at].interior {
				places = append(places[:at], places[at+1:]...) // nobody stands at bookkeeping in the middle
			}
			places = append(places, place{e.ID, !says})
		}
		want := 0
		var below func(id ID) bool
		below = func(id ID) bool {
			for _, c := range tr.Children(id) {
				if c.Speaks() && c.Role != message.System || below(c.ID) {
					return true
				}
			}
			return false
		}
		for e := range tr.All() {
			if e.Speaks() && e.Role != message.System && !below(e.ID) {
				want++
			}
		}
		if got := s.Summary().Leaves; got != want {
			t.Fatalf("seed %d: %d leaves, want %d", seed, got, want)
		}
	}
}

func FuzzSummarizer(f *testing.F) {
	for _, l := range noise {
		f.Add([]byte(l))
	}
	f.Add([]byte(strings.Join(grow(rand.New(rand.NewPCG(1, 1)), 30, true), "\n")))
	f.Fuzz(func(t *testing.T, data []byte) {
		h := Header{ID: "s", Timestamp: "2026-03-01T08:00:00.000Z"}
		var s Summarizer
		s.Begin(h)
		var lines []string
		for _, l := range Lines(data, 0) {
			s.Line(l)
			lines = append(lines, string(l))
		}
		got, want := s.Summary(), plainSummary(h, lines)
		want.Leaves = got.Leaves
		if got != want && !math.IsNaN(got.Cost) {
			t.Fatalf("%+v, want %+v", got, want)
		}
		if sum, ok := SummaryOf(string(s.Dump(nil))); !ok || sum != got && !math.IsNaN(got.Cost) {
			t.Fatalf("of a dump %+v, want %+v", sum, got)
		}
		SummaryOf(string(data))
		s.Restore(string(data))
	})
}

// Caches hold dumps. If their form or what they say changes, caches of older programs
// must not be believed: change listMagic of filestore, then this.
func TestDumpForm(t *testing.T) {
	h, err := DecodeHeader([]byte(`{"type":"session","version":3,"id":"s","timestamp":"2026-03-01T08:00:00.000Z","cwd":"/srv/app","parentSession":"/p.jsonl"}`))
	if err != nil {
		t.Fatal(err)
	}
	var s Summarizer
	s.Begin(h)
	for _, l := range append([]string{userLine("e0", "", "x"), answerLine("e1", "e0", "y"), userLine("e2", "e0", "z")}, noise...) {
		s.Line([]byte(l))
	}
	if got, want := fmt.Sprintf("%x", sha256.Sum256(s.Dump(nil)))[:16], "20c24c6a91c15a52"; got != want {
		t.Errorf("the dump is %s, was %s", got, want)
	}
}
