package control_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/session"
)

// order is what was told since the last look, but for what says nothing here.
func (k *talker) order() string {
	var list []string
	for _, n := range k.events {
		switch n {
		case "AnswerStarted", "ContextChanged", "QueueChanged", "State", "Opened", "RunStarted", "+model_change", "+thinking_level_change", "+system", "ToolStarted", "ToolEnded", "ToolProgress":
		default:
			list = append(list, n)
		}
	}
	k.events = nil
	return strings.Join(list, " ")
}

func auto(t *testing.T, m *meter, words *int, c control.Compaction) *talker {
	t.Helper()
	k := talkerAt(t, metered(t, m, func() int { return *words }, control.Options{Compaction: c, Retry: control.Retry{Max: 1, Base: time.Millisecond}}), control.Start{})
	k.events = nil
	return k
}

func TestCompactionByItself(t *testing.T) {
	words := 40
	t.Run("between two turns", func(t *testing.T) {
		m := newMeter(10000)
		m.calls = 3
		words = 2200 // of five letters: 2750 tokens
		defer func() { words = 40 }()
		k := auto(t, m, &words, limits(2000, 500))
		if end := k.say("work"); end.Failure != "" {
			t.Fatal(end.Failure)
		}
		turn := "+assistant +toolResult TurnEnded "
		want := "LoopStarted TurnStarted +user " + turn + "TurnStarted " + turn + "TurnStarted " + turn + "CompactionStarted +compaction CompactionEnded TurnStarted +assistant TurnEnded LoopEnded RunEnded"
		if got := k.order(); got != want {
			t.Errorf("events %s\nwant   %s", got, want)
		}
		if _, _, refused := m.counts(); refused > 0 {
			t.Errorf("%d requests were too long", refused)
		}
	})
	t.Run("after a run, and not again before the next prompt", func(t *testing.T) {
		m := newMeter(10000)
		m.words = 3500 // 4375 tokens
		k := auto(t, m, &words, limits(2000, 500))
		k.say("one")
		k.order()
		k.say("two")
		if got := k.order(); got != "LoopStarted TurnStarted +user +assistant TurnEnded LoopEnded CompactionStarted +compaction CompactionEnded RunEnded" {
			t.Errorf("events %s", got)
		}
		m.words = 40
		k.say("three")
		if got := k.order(); got != "LoopStarted TurnStarted +user +assistant TurnEnded LoopEnded RunEnded" {
			t.Errorf("events %s", got)
		}
	})
	t.Run("before a prompt that would not fit", func(t *testing.T) {
		m := newMeter(10000)
		k := auto(t, m, &words, limits(2000, 500))
		m.words = 4000
		k.say("one")
		k.order()
		k.say(strings.Repeat("two ", 4000))
		if got := k.order(); !strings.HasPrefix(got, "CompactionStarted +compaction CompactionEnded LoopStarted") {
			t.Errorf("events %s", got)
		}
	})
	t.Run("never by size where nobody knows the window", func(t *testing.T) {
		m := newMeter(0)
		m.words = 50000
		k := auto(t, m, &words, limits(2000, 500))
		for range 4 {
			k.say("more")
		}
		if _, summaries, _ := m.counts(); summaries > 0 {
			t.Errorf("%d summaries", summaries)
		}
	})
	t.Run("nor where it is turned off", func(t *testing.T) {
		m := newMeter(3000)
		m.words = 1200
		off := control.NewHub(control.Options{Models: models{m}})
		t.Cleanup(off.Close)
		o := talkerAt(t, off, control.Start{})
		var end protocol.RunEnded
		for range 3 {
			end = o.say("more")
		}
		if _, summaries, refused := m.counts(); summaries != 0 || refused != 1 || end.Kind != provider.Overflow {
			t.Errorf("%d summaries, %d refused, %+v", summaries, refused, end)
		}
	})
}

// An answer that fails since the conversation is too long is hidden, the
// conversation compacted, and the model asked once more.
func TestOverflow(t *testing.T) {
	words := 40
	t.Run("and one more try", func(t *testing.T) {
		m := newMeter(20000)
		m.words, m.scale = 3000, 1
		k := auto(t, m, &words, limits(1000, 500))
		k.say("one")
		k.say("two")
		k.order()
		m.scale = 4 // what came before takes more than was told
		m.mu.Lock()
		clear(m.sizes)
		m.mu.Unlock()
		if end := k.say("three"); end.Failure != "" {
			t.Fatal(end.Failure)
		}
		want := "LoopStarted TurnStarted +user +assistant TurnEnded LoopEnded +context_edit CompactionStarted +compaction CompactionEnded LoopStarted TurnStarted +assistant TurnEnded LoopEnded RunEnded"
		if got := k.order(); !strings.HasPrefix(got, strings.TrimSuffix(want, " RunEnded")) {
			t.Errorf("events %s\nwant   %s", got, want)
		}
		for _, ev := range k.told {
			if e, ok := ev.(protocol.CompactionEnded); ok && e.Reason == protocol.OverflowedBy && (!e.WillRetry || e.Result == nil) {
				t.Errorf("the compaction ended with %+v", e)
			}
		}
	})
	t.Run("and no third", func(t *testing.T) {
		m := newMeter(20000)
		m.words = 3000
		k := auto(t, m, &words, limits(1000, 500))
		k.say("one")
		k.say("two")
		k.order()
		m.mu.Lock()
		m.info.ContextWindow, m.scale = 20000, 1000 // nothing fits
		clear(m.sizes)
		m.mu.Unlock()
		m.summary = func(context.Context, int, provider.Request) (string, message.StopReason, error) {
			return "short", message.Stop, nil
		}
		end := k.say("three")
		if end.Kind != provider.Overflow || end.Failure == "" {
			t.Errorf("the run ended with %+v", end)
		}
		if asked, _, _ := m.counts(); asked > 20 {
			t.Errorf("%d requests", asked)
		}
	})
	t.Run("with a summary that fails ends the run", func(t *testing.T) {
		m := newMeter(20000)
		m.words = 3000
		k := auto(t, m, &words, limits(1000, 500))
		k.say("one")
		k.say("two")
		k.order()
		m.summary = func(context.Context, int, provider.Request) (string, message.StopReason, error) {
			return "", "", &provider.Error{Kind: provider.Rejected, Message: "no summaries"}
		}
		m.mu.Lock()
		m.scale = 4
		clear(m.sizes)
		m.mu.Unlock()
		end := k.say("three")
		if end.Kind != provider.Overflow {
			t.Errorf("the run ended with %+v", end)
		}
		if got := k.order(); got != "LoopStarted TurnStarted +user +assistant TurnEnded LoopEnded +context_edit CompactionStarted CompactionEnded RunEnded" {
			t.Errorf("events %s", got)
		}
	})
}

// Where nobody knows the window, what the model refuses tells.
func TestAWindowThatNobodyKnows(t *testing.T) {
	words := 200
	m := newMeter(0)
	m.real, m.calls, m.words = 12000, 2, 300
	k := auto(t, m, &words, limits(16384, 20000))
	for i := range 60 {
		if end := k.say(fmt.Sprint("prompt ", i)); end.Failure != "" {
			t.Fatalf("prompt %d: %s", i, end.Failure)
		}
	}
	if asked, summaries, refused := m.counts(); refused == 0 || refused > asked/10 || summaries == 0 {
		t.Errorf("of %d requests %d were refused, %d were for summaries", asked, refused, summaries)
	}
}

// An answer to more than there is room for is kept; the conversation is compacted
// after it.
func TestAnOverflowThatNobodyTellsOf(t *testing.T) {
	words := 40
	m := newMeter(10000)
	m.real, m.words = 1<<40, 3000
	k := auto(t, m, &words, limits(2000, 500))
	k.say("one")
	k.order()
	if end := k.say(strings.Repeat("two ", 7500)); end.Failure != "" {
		t.Fatal(end.Failure)
	}
	if got := k.order(); !strings.HasSuffix(got, "+user +assistant TurnEnded LoopEnded CompactionStarted +compaction CompactionEnded RunEnded") {
		t.Errorf("events %s", got)
	}
	var last protocol.CompactionEnded
	for _, ev := range k.told {
		if e, ok := ev.(protocol.CompactionEnded); ok {
			last = e
		}
	}
	if last.Reason != protocol.OverflowedBy || last.WillRetry || last.Result == nil {
		t.Errorf("the compaction ended with %+v", last)
	}
}

// What is larger than any window and cannot be summed up is shortened for the
// model. The session keeps it.
func TestAGiantMessage(t *testing.T) {
	for _, tt := range []struct {
		name   string
		prompt int // words
		result int
	}{
		{"first prompt", 40000, 40},
		{"result of a tool", 1, 40000},
		{"both", 30000, 30000},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := newMeter(16000)
			m.calls = 1
			k := auto(t, m, &tt.result, limits(16384, 20000))
			if end := k.say(strings.TrimSpace(strings.Repeat("long ", tt.prompt))); end.Failure != "" {
				t.Fatal(end.Failure)
			}
			if end := k.say("and now"); end.Failure != "" {
				t.Fatal(end.Failure)
			}
			tree, leaf := k.tree()
			var kept int
			for _, e := range tree.Path(leaf) {
				if e.Role != message.User && e.Role != message.ToolResult {
					continue
				}
				body, err := e.Body()
				if err != nil {
					t.Fatal(err)
				}
				kept = max(kept, len(body.(session.Message).Message.Text("")))
			}
			if kept < 5*max(tt.prompt, tt.result)-10 {
				t.Errorf("the longest message of the session has %d letters", kept)
			}
			told := false
			for _, ev := range k.told {
				n, ok := ev.(protocol.Notice)
				told = told || ok && strings.Contains(n.Text, "too long for the model")
			}
			// A prompt alone is summed up.
			if told != (tt.result > 1000) {
				t.Errorf("that something was shortened was told: %v", told)
			}
			for e := range tree.All() {
				body, err := e.Body()
				if err != nil {
					t.Fatal(err)
				}
				edit, ok := body.(session.ContextEdit)
				if !ok || edit.Omit || !slices.ContainsFunc(tree.Path(leaf), func(on *session.Entry) bool { return on.ID == edit.Target }) {
					continue
				}
				if _, err := protocol.Call(t.Context(), k, protocol.Unhide{Entry: edit.Target}); err != nil {
					t.Errorf("the message cannot be shown whole again: %v", err)
				}
				if end := k.say("look again"); end.Failure != "" {
					t.Errorf("with the whole message: %s", end.Failure)
				}
				break
			}
		})
	}
}

// A summary that fails in each turn is not asked for in each.
func TestFailingSummariesAreAskedForRarely(t *testing.T) {
	m := newMeter(40000)
	m.calls = 40
	words := 600
	m.summary = func(context.Context, int, provider.Request) (string, message.StopReason, error) {
		return "", "", &provider.Error{Kind: provider.Rejected, Message: "no summaries"}
	}
	k := auto(t, m, &words, limits(20000, 500))
	if end := k.say("work"); end.Failure != "" {
		t.Error(end.Failure)
	}
	_, summaries, _ := m.counts()
	if summaries > 8 {
		t.Errorf("%d summaries were asked for", summaries)
	}
	notices := ""
	for _, ev := range k.told {
		if n, ok := ev.(protocol.Notice); ok {
			notices += n.Text + "\n"
		}
	}
	if strings.Count(notices, "could not be made shorter") != 1 {
		t.Errorf("notices %q", notices)
	}
}

// Steering and follow-up messages survive a compaction within a run and are said
// once, in order.
func TestQueuesSurviveACompaction(t *testing.T) {
	m := newMeter(10000)
	m.calls = 3
	words := 2200
	k := auto(t, m, &words, limits(2000, 500))
	m.summary = func(ctx context.Context, _ int, _ provider.Request) (string, message.StopReason, error) {
		for _, how := range []protocol.Behavior{protocol.AsFollowUp, protocol.AsSteering} {
			if _, err := protocol.Call(ctx, k, protocol.Prompt{Text: "queued as " + string(how), WhenBusy: how}); err != nil {
				return "", "", err
			}
		}
		m.mu.Lock()
		m.calls, m.summary = 0, nil
		m.mu.Unlock()
		return "sum", message.Stop, nil
	}
	if end := k.say("work"); end.Failure != "" {
		t.Fatal(end.Failure)
	}
	tree, leaf := k.tree()
	var said []string
	for _, e := range tree.Path(leaf) {
		if e.Role == message.User {
			body, _ := e.Body()
			said = append(said, body.(session.Message).Message.Text(""))
		}
	}
	if got := fmt.Sprint(said); got != "[work queued as steer queued as followUp]" {
		t.Errorf("said %s", got)
	}
}

// An answer that was cut off since the window was full is taken away with the calls in
// it that could not be run, and asked for again.
func TestAnAnswerThatIsCutOff(t *testing.T) {
	words := 40
	m := newMeter(10000)
	m.words = 2500
	k := auto(t, m, &words, control.Compaction{For: func(string, string) (int64, int64) { return 0, 500 }})
	k.say("one")
	k.say("two")
	k.order()
	m.mu.Lock()
	m.cut = true
	m.mu.Unlock()
	if end := k.say("three"); end.Failure != "" {
		t.Fatal(end.Failure)
	}
	if got := k.order(); got != "LoopStarted TurnStarted +user +assistant +toolResult TurnEnded LoopEnded +context_edit +context_edit CompactionStarted +compaction CompactionEnded LoopStarted TurnStarted +assistant TurnEnded LoopEnded RunEnded" {
		t.Errorf("events %s", got)
	}
	tree, leaf := k.tree()
	p, err := session.Project(tree.Path(leaf))
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range p.Items {
		if it.Message.StopReason == message.Length || it.Message.Role == message.ToolResult {
			t.Errorf("the model still sees %s", it.Message.JSON())
		}
	}
}
