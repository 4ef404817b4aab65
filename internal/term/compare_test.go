package term

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"github.com/boughdev/bough/internal/styled"
	"github.com/boughdev/bough/internal/term/termtest"
)

// theirs draws frames with the renderer of ultraviolet.
type theirs struct {
	out bytes.Buffer
	r   *uv.TerminalRenderer
	b   uv.ScreenBuffer
}

func newTheirs(w, h int, full bool) *theirs {
	t := &theirs{b: uv.NewScreenBuffer(w, h)}
	t.b.Method = ansi.GraphemeWidth
	t.r = uv.NewTerminalRenderer(&t.out, []string{"TERM=xterm-256color", "COLORTERM=truecolor"})
	t.r.SetFullscreen(full)
	t.r.SetRelativeCursor(!full)
	return t
}

func (t *theirs) frame(f Frame, height int) []byte {
	t.out.Reset()
	if len(f.Above) > 0 {
		t.r.PrependString(t.b.RenderBuffer, text(f.Above))
	}
	t.b.Resize(t.b.Width(), height)
	t.b.Clear()
	uv.NewStyledString(text(f.Rows)).Draw(t.b, t.b.Bounds())
	t.r.Render(t.b.RenderBuffer)
	_ = t.r.Flush()
	return t.out.Bytes()
}

func text(rows []styled.Line) string {
	var out []string
	for _, l := range rows {
		out = append(out, l.Text())
	}
	return strings.Join(out, "\n")
}

// What drawing costs and whether it holds, beside the renderer of ultraviolet
// (ARCHITECTURE.md, accepted costs). It is no test: another version may do better.
//
//	go test ./internal/term -run xxx -bench Draw
func BenchmarkDraw(b *testing.B) {
	const w, h = 120, 40
	typed := func(i int) Frame {
		line := strings.Repeat("some words that stand here ", 4)
		f := Frame{Cursor: true, X: 3, Y: h - 1}
		for range h - 1 {
			f.Rows = append(f.Rows, rows(line)...)
		}
		f.Rows = append(f.Rows, rows(fmt.Sprint("> ", i))...)
		return f
	}
	said := func(i int) Frame { // a line of an answer has come, and all moves up
		f := Frame{Cursor: true, X: 3, Y: h - 1}
		for y := range h - 1 {
			f.Rows = append(f.Rows, rows(fmt.Sprintf("line %d of what a model says, which fills a good part of the row", i+y))...)
		}
		f.Rows = append(f.Rows, rows("> ")...)
		return f
	}
	for name, frame := range map[string]func(int) Frame{"key": typed, "line": said} {
		for whose, draw := range map[string]func() func(Frame) []byte{
			"ours": func() func(Frame) []byte { s, _ := screenOf(w, h, true); return s.frame },
			"ultraviolet": func() func(Frame) []byte {
				t := newTheirs(w, h, true)
				return func(f Frame) []byte { return t.frame(f, h) }
			},
		} {
			b.Run(name+"/"+whose, func(b *testing.B) {
				d := draw()
				sent := 0
				for i := 0; b.Loop(); i++ {
					sent += len(d(frame(i)))
				}
				b.ReportMetric(float64(sent)/float64(b.N), "sent/op")
			})
		}
	}
	b.Run("history", func(b *testing.B) {
		for b.Loop() {
			b.ReportMetric(float64(wrongHistories()), "wrong/300")
		}
	})
}

// wrongHistories counts the random conversations of which ultraviolet's inline
// renderer leaves other rows than TestHistoryLaw demands.
func wrongHistories() (wrong int) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 0))
		w, h := 20, 3+r.IntN(8)
		emulator := termtest.New(w, h)
		t := newTheirs(w, 1, false)
		var want []string
		for n := range 15 {
			var f Frame
			for i := range r.IntN(5) * r.IntN(2) {
				want = append(want, fmt.Sprintf("said %d %d", n, i))
				f.Above = append(f.Above, rows(want[len(want)-1])...)
			}
			for i := range 1 + r.IntN(h-1) {
				f.Rows = append(f.Rows, rows(fmt.Sprintf("live %d %d", i, r.IntN(3)))...)
			}
			emulator.Write(t.frame(f, len(f.Rows)))
			got := strings.TrimRight(strings.Join(append(emulator.History(), emulator.Rows()...), "\n"), "\n")
			if got != strings.Join(append(append([]string{}, want...), strings.Split(text(f.Rows), "\n")...), "\n") {
				wrong++
				break
			}
		}
	}
	return wrong
}
