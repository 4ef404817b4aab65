package compaction

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
)

func TestLimits(t *testing.T) {
	for _, tt := range []struct {
		name   string
		limits Limits
		tokens int64 // the most that is not too much; 0: nothing is
		keep   int64
	}{
		{"the example of docs/spec/session.md 7.3", Limits{200000, 16384, 20000}, 183616, 20000},
		{"a window that nobody knows", Limits{0, 16384, 20000}, 0, 20000},
		{"a window smaller than the reserve", Limits{8000, 16384, 20000}, 6000, 3000},
		{"a window twice the reserve", Limits{32768, 16384, 20000}, 16384, 8192},
		{"a bit less", Limits{32000, 16384, 20000}, 24000, 12000},
		{"a reserve that takes half", Limits{200000, 100000, 20000}, 100000, 20000},
		{"no reserve and nothing to keep", Limits{1000, 0, 0}, 1000, 0},
		{"a window of one token", Limits{1, 16384, 20000}, 1, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := tt.limits.Within()
			if l.Keep != tt.keep {
				t.Errorf("keeps %d, want %d", l.Keep, tt.keep)
			}
			if tt.tokens == 0 {
				if l.Exceeded(1 << 40) {
					t.Error("too much for no limit")
				}
				return
			}
			if l.Exceeded(tt.tokens) || !l.Exceeded(tt.tokens+1) {
				t.Errorf("%+v: %d is too much: %v; one more: %v", l, tt.tokens, l.Exceeded(tt.tokens), l.Exceeded(tt.tokens+1))
			}
		})
	}
}

func TestFit(t *testing.T) {
	limits := Limits{Window: 1000, Reserve: 200, Keep: 300} // comes down to 600, of which a summary may be a quarter
	for _, tt := range []struct {
		name       string
		words      []string
		overflowed bool
		want       string // the plan, and the messages that are shortened
	}{
		{"what is asked for and has room keeps what it is to keep", []string{"U:a:100", "A:b:100", "U:c:100", "A:d:100", "U:e:100"}, false, "c 2/0"},
		{"and does nothing if all is to be kept", []string{"U:a:100", "A:b:100"}, false, "nothing"},
		{"what is too large keeps less where it must", []string{"U:a:300", "A:b:300", "U:c:700", "A:d:100", "U:e:100"}, false, "d split 2/1"},
		{"a prompt that was refused goes into the summary", []string{"U:a:3000", `{"type":"message","message":{"role":"assistant","content":[],"stopReason":"error"}}`, `{"type":"context_edit","targetId":"e1","replacement":null}`}, true, "e1 split 0/1"},
		{"a prompt alone is shortened", []string{"U:a:3000"}, false, "nothing a"},
		{"so is a result, which keeps its call", []string{"U:a:10", "A:b:10", "R:c:3000"}, false, "b split 0/1 c"},
		{"and several to one size", []string{"U:a:10", "A:b:10", "R:c:500", "R:d:400", "R:e:300"}, false, "b split 0/1 c d"},
		{"what the model said cannot be", []string{"U:a:10", "A:b:3000"}, false, "b split 0/1"},
		{"nor a message of the system", []string{"S:s:3000", "U:a:10"}, false, "nothing"},
		{"a refused context whose estimates are small is cut all the same", []string{"U:a:100", "A:b:100", "U:c:100", "A:d:100", "U:e:100"}, true, "e 4/0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, entries := path(t, tt.words...)
			p, trims, err := measure(t, entries).Fit(limits, tt.overflowed)
			if err != nil {
				t.Fatal(err)
			}
			got := p.show()
			for _, x := range trims {
				got += " " + string(x.Entry)
			}
			if got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

// After what Fit plans the context is within the limits, unless what is left can
// neither be cut nor shortened; and nothing but texts is shortened.
func TestFitFits(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 0))
		var words []string
		for i := range 1 + r.IntN(15) {
			size := r.IntN(200)
			kind := []string{"U", "A", "R", "R", "C", "-"}[r.IntN(6)]
			if r.IntN(4) == 0 && kind != "A" {
				size = r.IntN(20000)
			}
			words = append(words, fmt.Sprintf("%s:i%d:%d", kind, i, size))
		}
		_, entries := path(t, words...)
		c := measure(t, entries)
		limits := Limits{Window: 8000 + int64(r.IntN(4000)), Reserve: int64(r.IntN(3000)), Keep: int64(r.IntN(5000))}
		if !limits.Within().Exceeded(c.Tokens) {
			continue
		}
		p, trims, err := c.Fit(limits, false)
		if err != nil {
			t.Fatal(err)
		}
		if p == nil && len(trims) == 0 {
			t.Fatalf("seed %d: %d tokens are too many, and nothing is done about it", seed, c.Tokens)
		}
		var after int64
		from := 0
		if p != nil {
			after, from = mostSummary, p.keep
		}
		short := map[session.ID]message.Value{}
		for _, x := range trims {
			short[x.Entry] = x.Content
		}
		for i := from; i < len(entries); i++ {
			for _, it := range c.items(i) {
				m := it.Message
				if v, ok := short[it.Entry.ID]; ok {
					if m.Role != message.User && m.Role != message.ToolResult && m.Role != message.Custom {
						t.Fatalf("seed %d: a message of %s is shortened", seed, m.Role)
					}
					was := m.Text("")
					m = m.WithField("content", v)
					now := m.Text("")
					if message.Estimate(m) >= message.Estimate(it.Message) || !strings.HasPrefix(now, was[:100]) || !strings.HasSuffix(now, was[len(was)-100:]) || !strings.Contains(now, "left out") {
						t.Fatalf("seed %d: %d letters became %q", seed, len(was), now)
					}
				}
				after += message.Estimate(m)
			}
		}
		if limits.Within().Exceeded(after) {
			t.Fatalf("seed %d: %d tokens became about %d, of %+v; %s, %d shortened", seed, c.Tokens, after, limits, p.show(), len(trims))
		}
	}
}

// What is no text stays of a message that is shortened.
func TestImagesStay(t *testing.T) {
	text := strings.Repeat("椅", 50000)
	_, entries := path(t, `{"type":"message","message":{"role":"user","content":[{"type":"image","data":"aGk=","mimeType":"image/png"},{"type":"text","text":"`+text+`"},{"type":"text","text":"end"}]}}`)
	_, trims, err := measure(t, entries).Fit(Limits{Window: 6000, Reserve: 1000, Keep: 100}, false)
	if err != nil || len(trims) != 1 {
		t.Fatalf("%v, %v", trims, err)
	}
	blocks := message.DecodeContent(trims[0].Content)
	if len(blocks) != 2 || blocks[0].Type != message.ImageBlock || !strings.HasPrefix(blocks[1].Text, "椅椅") || !strings.HasSuffix(blocks[1].Text, "椅\nend") {
		t.Errorf("%.300s", trims[0].Content)
	}
}
