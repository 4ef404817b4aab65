package tui

import (
	"strings"
	"testing"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
)

// streaming is a front end without a terminal that gets a long answer, and a function
// that adds a little to it and draws it.
func streaming(tb testing.TB, before int) (a *app, more func()) {
	a = newApp(tb.Context(), nil, Options{Quiet: true, Theme: "dark"})
	a.look.setWidth(100)
	text := strings.Repeat("A paragraph of *words* with `code` in it, and more of them.\n\n", before/62)
	a.view.Apply(protocol.AnswerStarted{Message: message.Message{Role: message.Assistant}})
	say := func(s string) {
		text += s
		a.view.Answer = &message.Message{Role: message.Assistant, Content: []message.Block{message.Text(text)}}
		a.look.answer()
	}
	say("")
	return a, func() { say("word ") }
}

// What a little more of an answer costs hangs on its last block, not on the answer.
func TestAStreamCostsItsTail(t *testing.T) {
	_, more := streaming(t, 4<<10)
	short := testing.AllocsPerRun(20, more)
	_, more = streaming(t, 400<<10)
	if long := testing.AllocsPerRun(20, more); long > 2*short+20 {
		t.Errorf("%v allocations for a little more of 400 KB, %v of 4 KB", long, short)
	}
}

// Rows that were put together before are those that are drawn at once.
func TestAStreamIsDrawnAsAtOnce(t *testing.T) {
	text := "# Head\n\nwords\n\n- one\n- two\n\n```go\nfunc f() {}\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n" + strings.Repeat("long ", 60) + "\n\nend"
	a := newApp(t.Context(), nil, Options{Quiet: true, Theme: "dark"})
	for _, width := range []int{20, 60, 100, 60} {
		a.look.setWidth(width)
		for at := 1; at <= len(text); at++ {
			a.view.Answer = &message.Message{Role: message.Assistant, Content: []message.Block{{Type: message.ThinkingBlock, Text: text[:at]}, message.Text(text[:at])}}
			got := a.look.answer()
			if at%7 != 0 && at != len(text) {
				continue
			}
			a.look.live = live{}
			want := a.look.answer()
			if len(got.lines) != len(want.lines) {
				t.Fatalf("width %d, %q: %d rows, want %d", width, text[:at], len(got.lines), len(want.lines))
			}
			for i := range want.lines {
				if got.lines[i].Text() != want.lines[i].Text() {
					t.Fatalf("width %d, %q: row %d is %q, want %q", width, text[:at], i, got.lines[i].Text(), want.lines[i].Text())
				}
			}
		}
	}
}

func BenchmarkStreamedAnswer(b *testing.B) {
	for _, size := range []struct {
		name  string
		bytes int
	}{{"4KB", 4 << 10}, {"400KB", 400 << 10}} {
		b.Run(size.name, func(b *testing.B) {
			_, more := streaming(b, size.bytes)
			b.ReportAllocs()
			for b.Loop() {
				more()
			}
		})
	}
}
