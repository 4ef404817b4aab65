package compaction

import (
	"fmt"
	"strings"
	"unicode/utf16"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
)

// mostOfResult is how much of a tool's result a summary is made of, in UTF-16
// units.
const mostOfResult = 2000

// Serialise writes messages as a summariser reads them: what was said and which
// tools were called, without thinking, images and system messages
// (docs/spec/session.md 7.6).
func Serialise(items []session.Item) string {
	var parts []string
	for _, it := range items {
		if s := serialise(it.Message); s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, "\n\n")
}

func serialise(m message.Message) string {
	m, ok := message.ForModel(m)
	if !ok {
		return ""
	}
	switch m.Role {
	case message.User:
		if s := m.Text(""); s != "" {
			return "[User]: " + s
		}
	case message.ToolResult:
		if s := m.Text(""); s != "" {
			return "[Tool result]: " + headOf(s)
		}
	case message.Assistant:
		var parts []string
		if s := m.Text("\n"); s != "" {
			parts = append(parts, "[Assistant]: "+s)
		}
		if s := callsOf(m); s != "" {
			parts = append(parts, "[Assistant tool calls]: "+s)
		}
		return strings.Join(parts, "\n\n")
	}
	return ""
}

// callsOf writes tool calls: read(path="a.go"); bash(command="ls", timeout=5).
func callsOf(m message.Message) string {
	var calls []string
	for _, c := range m.ToolCalls() {
		var args []string
		for key, v := range rawjson.Members(c.Args()) {
			args = append(args, key+"="+string(rawjson.AppendStringify(nil, v)))
		}
		calls = append(calls, c.Name+"("+strings.Join(args, ", ")+")")
	}
	return strings.Join(calls, "; ")
}

// headOf returns the beginning of a tool's result, and how much follows.
func headOf(s string) string {
	s = rawjson.ToValid(s)
	n := rawjson.UTF16Len(s)
	if n <= mostOfResult {
		return s
	}
	units := 0
	for at, r := range s {
		w := utf16.RuneLen(r)
		if units+w > mostOfResult {
			return s[:at] + fmt.Sprintf("\n\n[... %d more characters left out]", n-units)
		}
		units += w
	}
	return s
}
