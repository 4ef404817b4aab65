package session

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

func TestQuickTime(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 20000 {
		want := time.UnixMilli(r.Int64N(253402300799999)).UTC()
		s := FormatTime(want)
		if got, ok := quickTime([]byte(s)); !ok || got != want.UnixMilli() {
			t.Fatalf("%s = %d, %v, want %d", s, got, ok, want.UnixMilli())
		}
	}
	for _, s := range []string{"2026-02-30T00:00:00.000Z", "2026-13-01T00:00:00.000Z", "2026-01-01T24:00:00.000Z", "2026-01-01 00:00:00.000Z", "2026-01-01T00:00:00.0000"} {
		if _, ok := quickTime([]byte(s)); ok {
			t.Errorf("%s is taken for a time", s)
		}
	}
}

// What the front of a line tells is what the whole line says.
func TestQuickIsDecode(t *testing.T) {
	for i, line := range []string{
		`{"type":"message","id":"5d0f2a11","parentId":null,"timestamp":"2026-03-01T09:00:00.000Z","message":{"role":"user","content":"x"}}`,
		`{"type":"message","id":"a","parentId":"5d0f2a11","timestamp":"2026-03-01T09:00:00.123Z","message":{"role":"assistant","content":[]}}`,
		`{"type":"message","id":"0195c1f0-1111-7111-8111-111111111111","parentId":"5d0f2a11","timestamp":"2024-02-29T23:59:59.999Z","message":{"role":"toolResult"}}`,
		`{"type":"compaction","id":"5d0f2a12","parentId":"x","timestamp":"2026-03-01T09:00:00.000Z","summary":"s","firstKeptEntryId":"y","tokensBefore":1}`,
		`{"type":"label","id":"5d0f2a13","parentId":"","timestamp":"2026-03-01T09:00:00.000Z","targetId":"5d0f2a12","label":"here"}`,
	} {
		want, err := Decode([]byte(line), Line{Seq(len(line)), len(line)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := quick([]byte(line))
		if !ok {
			t.Errorf("line %d is not read by its front", i)
			continue
		}
		got.size = uint32(len(line))
		if fmt.Sprint(got) != fmt.Sprint(want.record()) {
			t.Errorf("line %d: %+v, want %+v", i, got, want.record())
		}
	}
	for _, line := range []string{
		`{"type":"custom","id":"5d0f2a11","parentId":null,"timestamp":"2026-03-01T09:00:00.000Z","customType":"x"}`,
		`{"id":"5d0f2a11","type":"message","parentId":null,"timestamp":"2026-03-01T09:00:00.000Z","message":{"role":"user"}}`,
		`{"type":"message","id":"5d0f2a\u0031","parentId":null,"timestamp":"2026-03-01T09:00:00.000Z","message":{"role":"user"}}`,
		`{"type":"message","id":"5d0f2a11","parentId":null,"timestamp":"2026-03-01T09:00:00Z","message":{"role":"user","content":"xxxxxx"}}`,
		`{"type":"message","id":"5d0f2a11","parentId":null,"timestamp":"2026-03-01T09:00:00.000Z","message":{"content":"x","role":"user"}}`,
		`{"type":"message","id":"5d0f2a11","parentId":null,"timestamp":"2026-03-01T09:00:00.000Z","message":{"role":"user","content":"torn`,
	} {
		if _, ok := quick([]byte(line)); ok {
			t.Errorf("the front is taken for all of it: %s", line)
		}
	}
}
