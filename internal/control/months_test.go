package control_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/session/filestore"
)

// A conversation of months never gets stuck in its window: no request is too long,
// no more compactions are made than the window makes needed, and nothing that was
// said is lost.
func TestMonths(t *testing.T) {
	prompts := 2000
	if testing.Short() {
		prompts = 200
	}
	for _, tt := range []struct {
		window int64
		words  int // of a result, and of an answer
	}{{8000, 20}, {32000, 60}, {200000, 250}, {1000000, 600}} {
		t.Run(fmt.Sprint(tt.window), func(t *testing.T) {
			m := newMeter(tt.window)
			m.calls, m.words = 2, tt.words
			k := talkerAt(t, metered(t, m, func() int { return tt.words }, control.Options{Compaction: limits(16384, 20000)}), control.Start{})
			k.keep = false
			for i := range prompts {
				if end := k.say(fmt.Sprintf("prompt %d %s", i, strings.Repeat("please ", 10))); end.Failure != "" {
					t.Fatalf("prompt %d: %s", i, end.Failure)
				}
			}
			_, summaries, refused := m.counts()
			tree, leaf := k.tree()
			counts := map[string]int{}
			for _, s := range types(tree, leaf) {
				counts[s]++
			}
			if refused > 0 || counts["user"] != prompts || counts["assistant"] != 3*prompts || counts["toolResult"] != 2*prompts || counts["context_edit"] > 0 {
				t.Errorf("%d requests were too long; the path has %v", refused, counts)
			}
			// A compaction frees a quarter of what there is room for, at least.
			reserve := int64(16384)
			if tt.window < 2*reserve {
				reserve = tt.window / 4
			}
			said := int64(prompts) * (3*int64(tt.words)*5/4 + 100)
			if most := said/((tt.window-reserve)/4) + 2; int64(counts["compaction"]) > most {
				t.Errorf("%d compactions for %d tokens, want %d at most", counts["compaction"], said, most)
			}
			if said > 2*tt.window && counts["compaction"] == 0 {
				t.Error("there was no compaction")
			}
			if summaries > 2*counts["compaction"] {
				t.Errorf("%d requests for the summaries of %d compactions", summaries, counts["compaction"])
			}
		})
	}
}

// The same in scripts of which estimates say too little, with results of all sizes:
// an overflow is met with a compaction, and the answer comes.
func TestMonthsInChinese(t *testing.T) {
	for _, window := range []int64{8000, 32000} {
		t.Run(fmt.Sprint(window), func(t *testing.T) {
			m := newMeter(window)
			m.word, m.calls, m.words = "椅子的价格", 2, 20
			r := rand.New(rand.NewPCG(uint64(window), 7))
			k := talkerAt(t, metered(t, m, func() int { return r.IntN([]int{10, 100, int(window) / 4}[r.IntN(3)]) }, control.Options{Compaction: limits(16384, 20000)}), control.Start{})
			k.keep = false
			for i := range 300 {
				if end := k.say(fmt.Sprintf("%d %s", i, strings.Repeat("请看合同", r.IntN(int(window)/40)))); end.Failure != "" {
					t.Fatalf("prompt %d: %s", i, end.Failure)
				}
			}
			asked, summaries, refused := m.counts()
			if refused > asked/20 || summaries > 300 {
				t.Errorf("of %d requests %d were too long, %d for summaries", asked, refused, summaries)
			}
		})
	}
}

// What a prompt and its turns cost in a session that has lasted that long.
func BenchmarkPromptAfter(b *testing.B) {
	for _, before := range []int{10, 2000} {
		b.Run(fmt.Sprint(before), func(b *testing.B) {
			m := newMeter(32000)
			m.calls, m.words = 2, 60
			store := filestore.Store{Root: b.TempDir()}
			k := talkerAt(b, metered(b, m, func() int { return 60 }, control.Options{Compaction: limits(16384, 20000)}),
				control.Start{Store: store, File: store.FilePath(session.Header{CWD: "/srv", ID: "months"})})
			k.keep = false
			for range before {
				k.say("prompt")
			}
			heap := func() int64 {
				clear(m.sizes)
				runtime.GC()
				var mem runtime.MemStats
				runtime.ReadMemStats(&mem)
				return int64(mem.HeapAlloc)
			}
			was := heap()
			b.ReportAllocs()
			b.ResetTimer()
			for b.Loop() {
				k.say("prompt")
			}
			b.StopTimer()
			b.ReportMetric(float64(heap()-was)/float64(b.N), "heap-B/op")
		})
	}
}

// What a model sees after a compaction begins alike in all requests, so that caches
// hold.
func TestRequestsAfterACompactionBeginAlike(t *testing.T) {
	m := newMeter(100000)
	k := talked(t, m, 60, 3)
	if _, err := protocol.Call(t.Context(), k, protocol.Compact{}); err != nil {
		t.Fatal(err)
	}
	var before []message.Message
	for i := range 3 {
		k.say(fmt.Sprint("after ", i))
		now := m.last.Messages
		for n, was := range before {
			if string(was.JSON()) != string(now[n].JSON()) {
				t.Fatalf("message %d is another one:\n%s\n%s", n, was.JSON(), now[n].JSON())
			}
		}
		before = now
	}
	tree, leaf := k.tree()
	p, err := session.Project(tree.Path(leaf))
	if err != nil || p.Items[0].Message.Role != message.System || p.Items[1].Message.Role != message.CompactionSummary {
		t.Errorf("the context begins with %v, %v", p.Items[:2], err)
	}
}
