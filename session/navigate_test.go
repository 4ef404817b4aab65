package session

import (
	"errors"
	"testing"
)

// The table of docs/spec/session.md 5.3, and places that lead to the start.
func TestDestination(t *testing.T) {
	tr := tree(t,
		userLine("root", "", "first"),
		answerLine("a", "root", "r"),
		line("u", "a", `"type":"message","message":{"role":"user","content":[{"type":"text","text":"one"},{"type":"image","data":"AA==","mimeType":"image/png"},{"type":"text","text":"two"}]}`),
		line("c", "u", `"type":"custom_message","customType":"x","content":"words","display":true`),
		line("k", "c", `"type":"compaction","summary":"s","firstKeptEntryId":"u","tokensBefore":1`),
		line("n", "k", `"type":"message","message":{"role":"user"}`),
		userLine("orphan", "lost", "alone"),
		userLine("x", "y", "cycle"), userLine("y", "x", "cycle"),
		line("silent", "a", `"type":"message"`))
	for _, tt := range []struct {
		name   string
		id     ID
		leaf   ID
		edit   bool
		text   string
		images int
	}{
		{"a user message leads before it", "u", "a", true, "onetwo", 1},
		{"the first one leads to the start", "root", "", true, "first", 0},
		{"a custom message leads before it", "c", "u", true, "words", 0},
		{"a user message without content has an empty text", "n", "k", true, "", 0},
		{"an answer leads to itself", "a", "a", false, "", 0},
		{"a compaction leads to itself", "k", "k", false, "", 0},
		{"a message entry without a message leads to itself", "silent", "silent", false, "", 0},
		{"a user message without its parent leads to the start", "orphan", "", true, "alone", 0},
		{"the first of a cycle leads to the start", "x", "", true, "cycle", 0},
		{"the next of a cycle leads to the first", "y", "x", true, "cycle", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, err := tr.Destination(tt.id)
			if err != nil {
				t.Fatal(err)
			}
			if d.Leaf != tt.leaf || d.Edit != tt.edit || d.Text != tt.text || len(d.Images) != tt.images {
				t.Errorf("destination %+v, want leaf %q, edit %t, text %q, %d images", d, tt.leaf, tt.edit, tt.text, tt.images)
			}
		})
	}
	if _, err := tr.Destination("nowhere"); !errors.Is(err, ErrNoSuchEntry) {
		t.Errorf("error %v, want ErrNoSuchEntry", err)
	}
}

func TestForkPointsAreUserMessagesWithText(t *testing.T) {
	points, err := tree(t,
		userLine("a", "", "first"), answerLine("b", "a", "r"), userLine("c", "b", ""),
		line("d", "b", `"type":"message","message":{"role":"user","content":null}`), userLine("e", "a", "second")).ForkPoints()
	if err != nil {
		t.Fatal(err)
	}
	if len(points) != 2 || points[0] != (ForkPoint{"a", "first"}) || points[1] != (ForkPoint{"e", "second"}) {
		t.Errorf("fork points %v, want first and second", points)
	}
}
