package message

import "testing"

func messages(t *testing.T, lines ...string) []Message {
	t.Helper()
	msgs := make([]Message, len(lines))
	for i, l := range lines {
		m, err := Decode([]byte(l))
		if err != nil {
			t.Fatal(err)
		}
		msgs[i] = m
	}
	return msgs
}

func TestFoldSystem(t *testing.T) {
	for _, tt := range []struct {
		name string
		msgs []string
		want string // "" for none
	}{
		{"the example of docs/spec/session.md 6.3", []string{
			`{"role":"system","content":"a","sections":{"x":"1","y":"2"},"toolsAdded":[{"name":"t1"},{"name":"t2"}],"timestamp":5}`,
			`{"role":"system","content":[{"type":"text","text":"b1"},{"type":"text","text":"b2"}],"sections":{"x":"1b"},"toolsAdded":[{"name":"t1","v":2}],"timestamp":6}`,
			`{"role":"user","content":"not mine"}`,
			`{"role":"system","content":"","sections":{"x":null},"timestamp":7}`,
			`{"role":"system","content":"","sections":{"x":"again"},"toolsRemoved":[{"name":"t1"}],"toolsAdded":[{"name":"t1","v":3}],"timestamp":8}`,
		}, `{"role":"system","content":"a\n\nb1\nb2","sections":{"y":"2","x":"again"},"timestamp":5,"toolsAdded":[{"name":"t2"},{"name":"t1","v":3}]}`},
		{"sections and tools that have all gone", []string{
			`{"role":"system","content":"a","sections":{"x":"1"},"toolsAdded":[{"name":"t"}],"timestamp":5}`,
			`{"role":"system","content":"","sections":{"x":null},"toolsRemoved":[{"name":"t"}]}`,
		}, `{"role":"system","content":"a","timestamp":5}`},
		{"the first time that is told", []string{`{"role":"system","content":"a","timestamp":null}`, `{"role":"system","content":"","timestamp":7}`},
			`{"role":"system","content":"a","timestamp":7}`},
		{"no time but tools", []string{`{"role":"system","content":"","toolsAdded":[{"name":"t"}]}`}, `{"role":"system","content":"","timestamp":0,"toolsAdded":[{"name":"t"}]}`},
		{"neither time nor tools", []string{`{"role":"system","content":"a"}`}, ``},
		{"no system message", []string{`{"role":"user","content":"a"}`}, ``},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := ""
			if m, ok := FoldSystem(messages(t, tt.msgs...)); ok {
				got = string(m.JSON())
			}
			if got != tt.want {
				t.Errorf("folded %s, want %s", got, tt.want)
			}
		})
	}
}
