package session

import (
	"iter"
	"strings"
	"testing"
	"time"
)

func sequence(entries []*Entry) iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) {
		for _, e := range entries {
			if !yield(e, nil) {
				return
			}
		}
	}
}

func TestSummarize(t *testing.T) {
	const head = `{"type":"session","version":3,"id":"s","timestamp":"2026-03-01T08:00:00.000Z","cwd":"/srv/app","parentSession":"/p.jsonl"}`
	said := func(id, role, content, ms string) string {
		return line(id, "", `"type":"message","message":{"role":"`+role+`","content":`+content+ms+`}`)
	}
	for _, tt := range []struct {
		name     string
		lines    []string
		title    string
		first    string
		text     string
		messages int
		modified string
	}{
		{"nothing but a header", nil, "", "", "", 0, "2026-03-01T08:00:00.000Z"},
		{"the time of a message counts before that of its entry", []string{said("a", "user", `"q"`, `,"timestamp":1`)}, "", "q", "q", 1, "1970-01-01T00:00:00.001Z"},
		{"the time of the entry where the message has none", []string{said("a", "assistant", `[]`, ``)}, "", "", "", 1, "2026-03-01T09:00:00.000Z"},
		{"tool results are no activity", []string{said("a", "toolResult", `[]`, `,"timestamp":5`)}, "", "", "", 1, "2026-03-01T08:00:00.000Z"},
		{"the first user message with text", []string{said("a", "assistant", `[{"type":"text","text":"hi"}]`, ``), said("b", "user", `[{"type":"image"}]`, ``), said("c", "user", `[{"type":"text","text":"x"},7,{"type":"text"},{"type":"text","text":"y"}]`, ``)},
			"", "x y", "hi|x y", 3, "2026-03-01T09:00:00.000Z"},
		{"the last name, trimmed", []string{line("a", "", `"type":"session_info","name":"one"`), line("b", "", `"type":"session_info","name":"\ufeff two "`)}, "two", "", "", 0, "2026-03-01T08:00:00.000Z"},
		{"a name that is no text", []string{line("a", "", `"type":"session_info","name":"one"`), line("b", "", `"type":"session_info","name":5`)}, "", "", "", 0, "2026-03-01T08:00:00.000Z"},
		{"an entry without a message", []string{line("a", "", `"type":"message"`), said("b", "user", `null`, ``)}, "", "", "", 1, "2026-03-01T09:00:00.000Z"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h, err := DecodeHeader([]byte(head))
			if err != nil {
				t.Fatal(err)
			}
			entries := decode(t, tt.lines...)
			var texts []string
			s, err := Summarize(h, sequence(entries), func(s string) { texts = append(texts, s) })
			if err != nil {
				t.Fatal(err)
			}
			if s.Name != tt.title || s.FirstMessage != tt.first || s.Messages != tt.messages || FormatTime(s.Modified) != tt.modified {
				t.Errorf("summary %+v", s)
			}
			if got := strings.Join(texts, "|"); got != tt.text {
				t.Errorf("texts %q, want %q", got, tt.text)
			}
			if s.ID != "s" || s.CWD != "/srv/app" || s.ParentSession != "/p.jsonl" || !s.Created.Equal(time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)) {
				t.Errorf("of the header: %+v", s)
			}
			if plain, err := Summarize(h, sequence(entries), nil); err != nil || plain != s {
				t.Errorf("without texts: %+v, %v, want the same", plain, err)
			}
		})
	}
}
