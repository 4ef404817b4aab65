package session

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// line returns an entry line: the fields that all have, then those given.
func line(id, parent, fields string) string {
	p := "null"
	if parent != "" {
		p = `"` + parent + `"`
	}
	return fmt.Sprintf(`{"id":"%s","parentId":%s,"timestamp":"2026-03-01T09:00:00.000Z",%s}`, id, p, fields)
}

func userLine(id, parent, text string) string {
	return line(id, parent, `"type":"message","message":{"role":"user","content":"`+text+`","timestamp":1}`)
}

func answerLine(id, parent, text string) string {
	return line(id, parent, `"type":"message","message":{"role":"assistant","content":[{"type":"text","text":"`+text+`"}],"timestamp":1}`)
}

// tree folds lines.
func tree(t testing.TB, lines ...string) *Tree {
	t.Helper()
	tr := NewTree()
	for _, e := range decode(t, lines...) {
		tr.Add(e)
	}
	return tr
}

func decode(t testing.TB, lines ...string) []*Entry {
	t.Helper()
	entries := make([]*Entry, len(lines))
	for i, l := range lines {
		e, err := Decode([]byte(l), Line{Seq: Seq(i + 1), Size: 1}, nil)
		if err != nil {
			t.Fatalf("decode %s: %v", l, err)
		}
		entries[i] = e
	}
	return entries
}

func ids(entries []*Entry) string {
	var b strings.Builder
	for i, e := range entries {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(string(e.ID))
	}
	return b.String()
}

// grow returns the lines of a random session of n entries: a tree in which a
// parent mostly, but not always, stands before its child, with entries of all
// kinds. Wild ones have cycles, lost parents and repeated ids too.
func grow(r *rand.Rand, n int, wild bool) []string {
	var lines []string
	id := func(i int) string { return fmt.Sprintf("e%d", i) }
	for i := range n {
		parent := ""
		if i > 0 {
			parent = id(max(0, i-1-r.IntN(3)*r.IntN(3)))
		}
		any := id(r.IntN(i + 1))
		self := id(i)
		if wild {
			switch r.IntN(8) {
			case 0:
				parent = id(r.IntN(n))
			case 1:
				parent = "lost"
			case 2:
				self = id(r.IntN(n))
			}
		}
		fields := []string{
			`"type":"message","message":{"role":"user","content":"u` + self + `","timestamp":` + fmt.Sprint(i) + `}`,
			`"type":"message","message":{"role":"user","content":[{"type":"text","text":"x"},{"type":"image","data":"AA==","mimeType":"image/png"}]}`,
			`"type":"message","message":{"role":"assistant","provider":"p","model":"m` + self + `","content":[{"type":"toolCall","id":"c","name":"read","arguments":{"path":"a.go"}}],"usage":{"input":1,"output":2,"cost":{"total":0.5}},"stopReason":"toolUse"}`,
			`"type":"message","message":{"role":"toolResult","toolCallId":"c","toolName":"read","content":[{"type":"text","text":"r"}],"isError":false}`,
			`"type":"message","message":{"role":"system","content":"","sections":{"rules":"` + self + `"},"timestamp":3}`,
			`"type":"custom_message","customType":"x","content":"c` + self + `","display":true,"extra":[2.50,"\ud800"]`,
			`"type":"compaction","summary":"s` + self + `","firstKeptEntryId":"` + any + `","tokensBefore":12345678901234567890`,
			`"type":"branch_summary","fromId":"root","summary":"b` + self + `"`,
			`"type":"context_edit","targetId":"` + any + `","replacement":null`,
			`"type":"context_edit","targetId":"` + any + `","replacement":{"content":"new` + self + `"}`,
			`"type":"label","targetId":"` + any + `","label":"l` + self + `"`,
			`"type":"label","targetId":"` + any + `"`,
			`"type":"model_change","provider":"q","modelId":"m"`,
			`"type":"thinking_level_change","thinkingLevel":"high"`,
			`"type":"session_info","name":"n` + self + `"`,
			`"type":"hologram","data":{"b":1,"a":[1e3]}`,
		}
		l := line(self, parent, fields[r.IntN(len(fields))])
		if r.IntN(3) == 0 {
			l = strings.Replace(l, "09:00:00", fmt.Sprintf("09:00:%02d", r.IntN(60)), 1)
		}
		lines = append(lines, l)
	}
	return lines
}
