package search

import (
	"testing"
	"time"

	"github.com/boughdev/bough/session"
)

func TestReadQuery(t *testing.T) {
	now := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		typed   string
		want    Options // Expr aside
		label   string
		words   int
		special bool
	}{
		{"two words", Options{}, "", 2, false},
		{"file:a.go Tool:bash", Options{File: "a.go", Tool: "bash"}, "", 0, true},
		{"x model:o/m:1 label:good", Options{Model: "o/m:1"}, "good", 1, true},
		{"after:2d before:2026-05-01", Options{Since: now.AddDate(0, 0, -2), Until: time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)}, "", 0, true},
		{`"said tool:bash then"`, Options{}, "", 1, true},
		{`"a b" tool:bash "c d"`, Options{Tool: "bash"}, "", 2, true},
		{`half" tool:bash`, Options{Tool: "bash"}, "", 1, true},
		{"http://x file: a:b", Options{}, "", 3, false},
		{"re:tool:bash", Options{}, "", 0, true},
	} {
		q, err := ReadQuery(tt.typed, now)
		if err != nil || q.File != tt.want.File || q.Tool != tt.want.Tool || q.Model != tt.want.Model || !q.Since.Equal(tt.want.Since) || !q.Until.Equal(tt.want.Until) ||
			q.Label != tt.label || len(q.Expr.needles) != tt.words || Special(tt.typed) != tt.special {
			t.Errorf("%s: %+v, special %v, %v", tt.typed, q, Special(tt.typed), err)
		}
	}
	for _, typed := range []string{"before:soon", "after:d", "after:é", "re:("} {
		if _, err := ReadQuery(typed, now); err == nil || !Special(typed) {
			t.Errorf("%s is understood", typed)
		}
	}
}

// model: finds what that model answered, nothing else.
func TestFinderKnowsModels(t *testing.T) {
	q, err := ReadQuery("twelve model:small", time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	f := NewFinder(q.Options)
	for line, want := range map[string]bool{
		`{"type":"message","id":"a","parentId":null,"message":{"role":"assistant","provider":"p","model":"small","content":[{"type":"text","text":"twelve"}]}}`: true,
		`{"type":"message","id":"b","parentId":null,"message":{"role":"assistant","provider":"p","model":"large","content":[{"type":"text","text":"twelve"}]}}`: false,
		`{"type":"message","id":"c","parentId":null,"message":{"role":"user","content":"twelve small"}}`:                                                        false,
	} {
		e, err := session.Decode([]byte(line), session.Line{}, session.Bytes([]byte(line)))
		if err != nil {
			t.Fatal(err)
		}
		if _, ok, err := f.Find(e, ""); ok != want || err != nil {
			t.Errorf("%s: found %v, %v", line, ok, err)
		}
	}
}
