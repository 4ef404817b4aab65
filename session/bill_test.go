package session

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

func billsDumpOf(lines []string) string {
	var s Biller
	s.Begin(Header{})
	for _, l := range lines {
		s.Line([]byte(l))
	}
	return string(s.Dump(nil))
}

func TestBill(t *testing.T) {
	for _, tt := range []struct {
		name, fields string
		want         Bill
		billed       bool
	}{
		{"an answer", `"type":"message","message":{"role":"assistant","provider":"p","model":"m","responseModel":"m-2","usage":{"input":1,"output":2,"cacheRead":3,"cacheWrite":4,"cost":{"total":0.5}}}`,
			Bill{Model: "p/m-2", Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4, Cost: 0.5}, true},
		{"one that was aborted", `"type":"message","message":{"role":"assistant","provider":"p","model":"m","stopReason":"aborted","usage":{"output":2}}`,
			Bill{Model: "p/m", Output: 2, Failed: true}, true},
		{"a tool", `"type":"message","message":{"role":"toolResult","usage":{"input":7}}`, Bill{Kind: BillTool, Input: 7}, true},
		{"a summary", `"type":"branch_summary","summary":"s","usage":{"input":7}`, Bill{Kind: BillSummary, Input: 7}, true},
		{"a warm cache", `"type":"usage","provider":"p","model":"m","usage":{"cacheRead":7}`, Bill{Kind: BillOther, Model: "p/m", CacheRead: 7}, true},
		{"a free answer", `"type":"compaction","summary":"s","usage":{"input":7,"cost":{"total":0,"totalFromProvider":true}}`, Bill{Kind: BillSummary, Input: 7, Told: true}, true},
		{"a question", `"type":"message","message":{"role":"user","content":"x","usage":{"input":7}}`, Bill{}, false},
		{"an answer that tells nothing", `"type":"message","message":{"role":"assistant","usage":[1]}`, Bill{}, false},
		{"numbers that are none", `"type":"message","message":{"role":"toolResult","usage":{"input":"7","cost":3}}`, Bill{Kind: BillTool}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, ok, err := decode(t, line("x", "", tt.fields))[0].Bill()
			got.ID, got.Time = "", tt.want.Time
			if err != nil || ok != tt.billed || got != tt.want {
				t.Errorf("bill %+v, %v, %v; want %+v, %v", got, ok, err, tt.want, tt.billed)
			}
		})
	}
}

func TestTallySaysWhatHasNoPrice(t *testing.T) {
	var got Tally
	for _, b := range []Bill{{Model: "p/m", Input: 5, Cost: 1}, {Model: "p/m", Input: 5}, {Model: "offline/demo", Input: 5}, {Kind: BillTool, Input: 5},
		{Kind: BillSummary, Input: 5}, {Kind: BillSummary, Input: 5, Told: true}, {Model: "p/m"}, {Model: "p/m", Output: 1, Cost: 2, Failed: true}} {
		got.Add(b)
	}
	if want := (Tally{Calls: 7, Unpriced: 3, Input: 30, Output: 1, Cost: 3, FailedCost: 2}); got != want {
		t.Errorf("tally %+v, want %+v", got, want)
	}
}

// What is billed anew is that of a path, whatever other branches stand between its
// entries in the log.
func TestRebilled(t *testing.T) {
	answer := func(id, parent string, in, read int) string {
		return line(id, parent, fmt.Sprintf(`"type":"message","message":{"role":"assistant","provider":"p","model":"m","usage":{"input":%d,"cacheRead":%d,"cost":{"input":%g,"cacheRead":%g}}}`,
			in, read, float64(in)*0.01, float64(read)*0.001))
	}
	tr := tree(t,
		answer("a", "", 10000, 0),
		answer("b", "a", 1000, 10000), // from the cache
		answer("x", "a", 11000, 0),    // another branch: all anew
		answer("c", "b", 12000, 0),    // the cache was lost: 11000 anew
		line("k", "c", `"type":"compaction","summary":"s"`),
		answer("d", "k", 3000, 0), // begins anew
		answer("e", "d", 3500, 0),
	)
	for leaf, want := range map[ID]Rebilled{"b": {}, "x": {Tokens: 10000}, "c": {11000, 99}, "d": {11000, 99}, "e": {14000, 126}} {
		got, err := tr.Rebilled(leaf)
		if err != nil || got.Tokens != want.Tokens || math.Abs(got.Cost-want.Cost) > 1e-9 {
			t.Errorf("to %s: %+v, %v; want %+v", leaf, got, err, want)
		}
	}
}

// The bills of a biller are those of the tree, wherever it is interrupted.
func TestBillerGoesOn(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 7))
		lines := grow(r, 1+r.IntN(30), true)
		for range r.IntN(20) {
			usage := fmt.Sprintf(`{"input":%d,"output":%v,"cost":{"total":%v}}`, r.IntN(100)-3, r.NormFloat64(), r.Float64())
			lines = append(lines, []string{
				line(fmt.Sprintf("b%d", r.IntN(40)), "", `"type":"message","message":{"role":"assistant","provider":"p","model":"`+strings.Repeat("é", r.IntN(3))+`","usage":`+usage+`}`),
				line(fmt.Sprintf("an id that is long %d", r.IntN(9)), "", `"type":"usage","usage":`+usage),
				`{"type":"usage","id":"z","usage":` + usage,                          // torn
				`{"type":"usage","usage":` + usage + `,"timestamp":5,"id":"\u0061"}`, // escaped
			}[r.IntN(4)])
		}
		cut := r.IntN(len(lines) + 1)
		first := billsDumpOf(lines[:cut])
		var s Biller
		if !s.Restore(first) {
			t.Fatalf("seed %d: not restored", seed)
		}
		for _, l := range lines[cut:] {
			s.Line([]byte(l))
		}
		dump := string(s.Dump(nil))
		if whole := billsDumpOf(lines); dump != whole {
			t.Fatalf("seed %d: interrupted at %d it is another dump", seed, cut)
		}
		var got, want Tally
		for _, b := range BillsOf(dump) {
			got.Add(b)
		}
		var plain Summarizer
		plain.Begin(Header{})
		for _, l := range lines {
			plain.Line([]byte(l))
			if e, err := Decode([]byte(l), Line{}, Bytes(l)); err == nil {
				b, _, err := e.Bill()
				if err != nil {
					t.Fatal(err)
				}
				want.Add(b)
			}
		}
		if got != want {
			t.Fatalf("seed %d: %+v, want %+v", seed, got, want)
		}
		if sum, ok := SummaryOf(dump); !ok || !reflect.DeepEqual(sum, plain.Summary()) {
			t.Fatalf("seed %d: summary %+v, want %+v", seed, sum, plain.Summary())
		}
	}
}

func FuzzBillsOf(f *testing.F) {
	f.Add(billsDumpOf([]string{line("a", "", `"type":"usage","usage":{"input":1,"output":0.5}`)}))
	f.Add("")
	f.Fuzz(func(t *testing.T, dump string) {
		for range BillsOf(dump) {
		}
		new(Biller).Restore(dump)
	})
}
