package compaction

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/provider"
)

// A window is a model that sums up, and refuses what is larger than it.
type window struct {
	info  provider.Info
	real  int64 // of requests, in our guess of tokens; 0: no limit
	asked []string
}

func (w *window) Info() provider.Info { return w.info }

func (w *window) Stream(_ context.Context, req provider.Request) iter.Seq2[message.Delta, error] {
	text := req.Messages[1].Text("")
	return func(yield func(message.Delta, error) bool) {
		if w.real > 0 && weight(text) > w.real {
			yield(message.Delta{}, &provider.Error{Kind: provider.Overflow, Message: "prompt is too long"})
			return
		}
		w.asked = append(w.asked, text)
		if yield(message.Delta{Kind: message.TextStart}, nil) && yield(message.Delta{Kind: message.TextDelta, Text: fmt.Sprintf("sum %d", len(w.asked))}, nil) {
			yield(message.Delta{Kind: message.Info, StopReason: message.Stop, Usage: &message.Usage{Input: 100, Output: 7, TotalTokens: 107}}, nil)
		}
	}
}

// inOrder reports whether s has the parts one after the other.
func inOrder(s string, parts ...string) error {
	for _, p := range parts {
		i := strings.Index(s, p)
		if i < 0 {
			return fmt.Errorf("%q is missing, or not in its place", p)
		}
		s = s[i+len(p):]
	}
	return nil
}

func TestRequestsOfASummary(t *testing.T) {
	sections := []string{"## Goal", "## Constraints & Preferences", "## Progress", "### Done", "### In Progress", "### Blocked", "## Key Decisions", "## Next Steps", "## Critical Context"}
	call := `{"type":"message","message":{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"read","arguments":{"path":"x.go"}}]}}`
	for _, tt := range []struct {
		name         string
		words        []string
		keep         int64
		instructions string
		asked        [][]string // what each request has, in order
		not          string     // and the first has not
		summary      string
	}{
		{"the first time", []string{"U:u:5", call, "U:v:9"}, 5, "", [][]string{append([]string{"<conversation>\n[User]: xx", "read(path=\"x.go\")\n</conversation>\n\n"}, sections...)},
			"<previous-summary>", "sum 1\n\n<read-files>\nx.go\n</read-files>"},
		{"and again", []string{"U:u:5", `{"type":"compaction","summary":"so far\n\n<read-files>\nold.go\n</read-files>","firstKeptEntryId":"none","details":{"readFiles":["old.go"],"modifiedFiles":[]}}`, "U:w:5", call, "U:v:9"}, 5, "the price",
			[][]string{append(append([]string{"<conversation>\n[User]: xx", "</conversation>\n\n<previous-summary>\nso far\n</previous-summary>\n\n"}, sections...), "above all: the price")},
			"old.go", "sum 1\n\n<read-files>\nold.go\nx.go\n</read-files>"},
		{"a turn that is split", []string{"U:u:5", "A:a:5", "U:v:9", "A:b:9", "A:c:9"}, 5, "the price",
			[][]string{{"<conversation>", "above all: the price"}, {"# Conversation\n\n[User]: xx", "# Instructions", "## Original Request", "## Progress So Far", "## Context Needed to Continue", "above all: the price"}},
			"# Instructions", "sum 1" + turnHeading + "sum 2"},
		{"and nothing before it", []string{"U:v:9", "A:b:9", "A:c:9"}, 5, "", [][]string{{"# Conversation\n\n", "## Original Request"}}, "<conversation>", noHistory + turnHeading + "sum 1"},
		{"a split turn after a compaction goes on with its summary", []string{"U:u:5", `{"type":"compaction","summary":"so far","firstKeptEntryId":"none"}`, "U:v:9", "A:b:9", "A:c:9"}, 5, "",
			[][]string{{"# Conversation\n\n", "## Original Request"}}, "so far", "so far" + turnHeading + "sum 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, entries := path(t, tt.words...)
			p := plan(t, entries, Options{KeepRecent: tt.keep, Sound: true})
			m := &window{info: provider.Info{ID: "m", ContextWindow: 200000, MaxTokens: 8000}}
			c, err := p.Write(t.Context(), Asker{Model: m}, tt.instructions)
			if err != nil {
				t.Fatal(err)
			}
			if c.Summary != tt.summary {
				t.Errorf("summary %q\nwant    %q", c.Summary, tt.summary)
			}
			if len(m.asked) != len(tt.asked) {
				t.Fatalf("%d requests, want %d", len(m.asked), len(tt.asked))
			}
			for i, parts := range tt.asked {
				if err := inOrder(m.asked[i], parts...); err != nil {
					t.Errorf("request %d: %v in\n%s", i, err, m.asked[i])
				}
			}
			if strings.Contains(m.asked[0], tt.not) {
				t.Errorf("the first request has %q:\n%s", tt.not, m.asked[0])
			}
			if c.Usage == nil || c.Usage.Input != int64(100*len(m.asked)) || c.FirstKept != p.FirstKept || c.TokensBefore != p.TokensBefore || c.FromHook {
				t.Errorf("%+v, usage %+v", c, c.Usage)
			}
		})
	}
}

// A history that is larger than the window is summed up in pieces: all of it is
// read, once and in order, and each summary goes on from the one before.
func TestHistoriesLargerThanTheWindow(t *testing.T) {
	scripts := []string{"word ", "слово ", "椅子的价格。", "a😀"}
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 0))
		var words []string
		var said []string
		for i := range 10 + r.IntN(60) {
			mark := fmt.Sprintf("<%d>", i)
			text := mark + strings.Repeat(scripts[r.IntN(len(scripts))], r.IntN([]int{20, 200, 6000}[r.IntN(3)])) + mark
			said = append(said, mark)
			role := []string{"user", "assistant"}[r.IntN(2)]
			words = append(words, fmt.Sprintf(`{"type":"message","message":{"role":"%s","content":[{"type":"text","text":"%s"}]}}`, role, text))
		}
		words = append(words, "U:last:10")
		_, entries := path(t, words...)
		p := plan(t, entries, Options{KeepRecent: 5, Sound: true})
		if p == nil {
			t.Fatalf("seed %d: no plan", seed)
		}
		size := int64(4000 + r.IntN(20000))
		m := &window{info: provider.Info{ID: "m", ContextWindow: size, MaxTokens: size / 8}, real: size - size/8}
		switch r.IntN(3) {
		case 0: // it is smaller than is known
			m.real /= 3
		case 1: // nobody knows it
			m.info.ContextWindow = 0
		}
		c, err := p.Write(t.Context(), Asker{Model: m}, "")
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		all := ""
		for i, text := range m.asked {
			_, rest, _ := strings.Cut(text, "<conversation>\n")
			talk, rest, ok := strings.Cut(rest, "\n</conversation>")
			if !ok || i > 0 && !strings.Contains(rest, fmt.Sprintf("<previous-summary>\nsum %d\n</previous-summary>", i)) {
				t.Fatalf("seed %d: request %d of %d:\n%s", seed, i, len(m.asked), text)
			}
			all += talk + "\n"
		}
		for _, mark := range said {
			if n := strings.Count(all, mark); n != 2 && n != 1 { // a mark may be cut, too
				t.Fatalf("seed %d: %s was read %d times", seed, mark, n)
			}
		}
		if want := fmt.Sprintf("sum %d", len(m.asked)); c.Summary != want {
			t.Fatalf("seed %d: %q, want %q", seed, c.Summary, want)
		}
		if c.Usage.Input != int64(100*len(m.asked)) {
			t.Fatalf("seed %d: usage %+v of %d requests", seed, c.Usage, len(m.asked))
		}
	}
}

// Pieces put together are the whole.
func FuzzPieces(f *testing.F) {
	f.Add("[User]: one\n\n[Assistant]: two\n\n[User]: three", int64(4))
	f.Add("椅子😀\n\n[", int64(1))
	f.Fuzz(func(t *testing.T, talk string, room int64) {
		rest, whole := strings.ToValidUTF8(talk[:min(len(talk), 1000)], "?"), ""
		want := rest
		room = max(room%1000, 1)
		for rest != "" {
			piece, after := firstPiece(rest, room)
			if piece == "" || weight(piece) > room && len([]rune(piece)) > 1 {
				t.Fatalf("piece %q of weight %d, want %d at most", piece, weight(piece), room)
			}
			whole += piece
			if len(after) > 0 && strings.HasPrefix(rest[len(piece):], "\n\n"+after) {
				whole += "\n\n"
			}
			rest = after
		}
		if whole != want {
			t.Fatalf("%q, want %q", whole, want)
		}
	})
}

func TestMiddleOut(t *testing.T) {
	for _, s := range []string{"", "short", strings.Repeat("word ", 500), strings.Repeat("椅子", 500), strings.Repeat("😀", 300)} {
		got := middleOut(s, 50)
		if weight(got) > 60 || weight(s) <= 50 && got != s || strings.ToValidUTF8(got, "") != got {
			t.Errorf("%d tokens became %d: %q", weight(s), weight(got), got)
		}
	}
}

func TestListsOfManyFiles(t *testing.T) {
	var f Files
	for i := range 3000 {
		f.Read = append(f.Read, fmt.Sprintf("src/read%04d.go", i))
		f.Edited = append(f.Edited, fmt.Sprintf("src/edit%04d.go", i))
	}
	got := f.blocksWithin(500)
	if w := weight(got); w > 600 || !strings.Contains(got, "src/edit0000.go") || !strings.Contains(got, "(and 3000 more)\n</read-files>") {
		t.Errorf("%d tokens: %s", w, got)
	}
	if f.blocksWithin(0) != f.Blocks() || f.blocksWithin(1<<40) != f.Blocks() {
		t.Error("where there is room the lists are not whole")
	}
	if got := withoutBlocks("sum"+got, f); got != "sum" {
		t.Errorf("without its lists a summary is %q", got)
	}
	if got := withoutBlocks("sum"+f.Blocks(), Files{}); got != "sum"+f.Blocks() {
		t.Error("files that nobody knows of are lost")
	}
}
