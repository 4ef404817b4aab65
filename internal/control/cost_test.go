package control_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/internal/script"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/provider/scripted"
	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/session/filestore"
	"github.com/boughdev/bough/tool"
)

// costly is a world whose model has prices.
func costly(t *testing.T, rules string, change ...func(*control.Options, *provider.Info)) *world {
	t.Helper()
	s, err := script.Parse([]byte(rules))
	if err != nil {
		t.Fatal(err)
	}
	info := scripted.Info("one")
	info.Cost = provider.Price{Input: 1000, Output: 10000, CacheRead: 100, CacheWrite: 1250}
	read := tool.New(message.ToolSpec{Name: "read", Description: "reads"}, func(_ context.Context, a struct{ Path string }, _ func(message.Output)) (message.Output, error) {
		return message.TextOutput("content of " + a.Path), nil
	})
	o := control.Options{Retry: control.Retry{Max: 0},
		Setup: func(context.Context, control.Place, control.Was, control.Setup) (control.Setup, []string) {
			return control.Plain{Kit: []tool.Tool{read}}, nil
		}}
	for _, f := range change {
		f(&o, &info)
	}
	o.Models = models{scripted.New(info, s)}
	w := &world{t: t, store: filestore.Store{Root: t.TempDir()}, script: s, hub: control.NewHub(o)}
	t.Cleanup(w.hub.Close)
	return w
}

func (f *front) costs(c protocol.GetCost) protocol.Cost {
	f.t.Helper()
	got, err := protocol.Call(f.t.Context(), f, c)
	if err != nil {
		f.t.Fatal(err)
	}
	return got
}

func (f *front) context() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch u := f.view.Context; {
	case u == nil:
		return "none"
	case !u.Known:
		return fmt.Sprintf("? of %d", u.Window)
	default:
		return fmt.Sprintf("%d of %d", u.Tokens, u.Window)
	}
}

// The examples of docs/spec/session.md 11.2.
func TestGauge(t *testing.T) {
	w := costly(t, `[{"when":{"user":"summar"},"reply":{"text":"s","usage":{"input":5,"output":1}}},{"reply":{"text":"abcdefgh","usage":{"input":104,"output":7}}}]`,
		func(o *control.Options, _ *provider.Info) {
			o.Compaction = control.Compaction{For: func(_, _ string) (int64, int64) { return 0, 1 }}
		})
	f := w.connect(control.Start{})
	f.say("one")
	f.say("two")
	if got := f.context(); got != "111 of 200000" {
		t.Errorf("after an answer: %s", got)
	}
	st, err := protocol.Call(t.Context(), f, protocol.GetStats{})
	if err != nil || st.Context == nil {
		t.Fatal(err, st)
	}
	if p, ok := st.Context.Percent(); !ok || math.Abs(p-0.0555) > 1e-9 {
		t.Errorf("percent %v, %v", p, ok)
	}
	// What stands behind the last answer is estimated; an edit makes all of it estimated.
	f.mu.Lock()
	leaf := f.view.Leaf
	f.mu.Unlock()
	if _, err := protocol.Call(t.Context(), f, protocol.EditContext{Entry: leaf, Text: strings.Repeat("x", 40)}); err != nil {
		t.Fatal(err)
	}
	f.until("the estimate", func() bool { return f.view.Context.Tokens != 111 })
	if got := f.context(); got == "111 of 200000" || strings.HasPrefix(got, "?") {
		t.Errorf("after an edit: %s", got)
	}
	if _, err := protocol.Call(t.Context(), f, protocol.Compact{}); err != nil {
		t.Fatal(err)
	}
	f.until("the question mark", func() bool { return !f.view.Context.Known })
	f.say("three")
	if got := f.context(); got != "111 of 200000" {
		t.Errorf("after the next answer: %s", got)
	}
}

func TestGaugeWithoutAWindow(t *testing.T) {
	w := costly(t, `[{"reply":{"text":"a"}}]`, func(_ *control.Options, i *provider.Info) { i.ContextWindow = 0 })
	f := w.connect(control.Start{})
	f.say("hello")
	if got := f.context(); got != "none" {
		t.Errorf("context %s", got)
	}
}

// What the next request comes to is known within a twentieth before it is made.
func TestForecast(t *testing.T) {
	long := strings.Repeat("a word and another one ", 60)
	w := costly(t, `{"rules":[
	 {"when":{"user":"^tool","turn":0},"reply":{"text":"`+long+`","toolCalls":[{"name":"read","args":{"path":"a"}}]}},
	 {"reply":{"text":"`+long+`"}}]}`)
	f := w.connect(control.Start{})
	f.say("begin " + long)
	for i := range 8 {
		before := f.costs(protocol.GetCost{NextOnly: true}).Next
		if before == nil {
			t.Fatal("there is no forecast")
		}
		f.mu.Lock()
		had := f.view.Tree.Size()
		f.mu.Unlock()
		f.say([]string{"go on", "tool"}[i%2])
		f.mu.Lock()
		var first *message.Usage
		for e := range f.view.Tree.LogFrom(had) {
			if e.Role != message.Assistant || first != nil {
				continue
			}
			if body, err := e.Body(); err == nil {
				first = body.(session.Message).Message.Usage
			}
		}
		f.mu.Unlock()
		prompt := float64(first.Input + first.CacheRead + first.CacheWrite)
		if off := math.Abs(float64(before.Tokens)-prompt) / prompt; off > 0.05 {
			t.Errorf("request %d: forecast %d tokens, it took %v, off by %.1f%%", i, before.Tokens, prompt, 100*off)
		}
		cost := first.Cost.Total
		if off := math.Abs(before.Total()-cost) / cost; off > 0.05 {
			t.Errorf("request %d: forecast $%.4f, it cost $%.4f, off by %.1f%%", i, before.Total(), cost, 100*off)
		}
	}
}

func TestForecastKnowsTheCache(t *testing.T) {
	w := costly(t, `[{"when":{"user":"first"},"reply":{"text":"a","usage":{"input":0,"cacheWrite":9000,"output":10}}},
	 {"reply":{"text":"a","usage":{"input":0,"cacheRead":9000,"cacheWrite":1000,"output":30}}}]`)
	f := w.connect(control.Start{})
	f.say("first")
	f.say("second")
	got := *f.costs(protocol.GetCost{NextOnly: true}).Next
	want := protocol.Forecast{Tokens: 10030, Cached: 10000, Output: 20, Prompt: 10000*100e-6 + 30*1250e-6, Answer: 0.2}
	if math.Abs(got.Prompt-want.Prompt) > 1e-9 || math.Abs(got.Answer-want.Answer) > 1e-9 {
		t.Errorf("prices %v and %v, want %v and %v", got.Prompt, got.Answer, want.Prompt, want.Answer)
	}
	got.Prompt, got.Answer = want.Prompt, want.Answer
	if got != want {
		t.Errorf("forecast %+v, want %+v", got, want)
	}
}

func dollars(f float64) *float64 { return &f }

const loops = `[{"when":{"user":"^loop","turn":0},"reply":{"toolCalls":[{"name":"read","args":{"path":"a"}}],"usage":{"input":100,"output":0}}},
 {"when":{"toolResult":".","turn":4},"reply":{"text":"done","usage":{"input":100,"output":0}}},
 {"when":{"toolResult":"."},"reply":{"toolCalls":[{"name":"read","args":{"path":"a"}}],"usage":{"input":100,"output":0}}},
 {"reply":{"text":"fine","usage":{"input":100,"output":0}}}]`

// Each request costs about ten cents: without anybody to ask the run stops before the
// budget is passed.
func TestBudgetStopsARun(t *testing.T) {
	w := costly(t, loops, func(o *control.Options, _ *provider.Info) { o.Budget.PerRun = dollars(0.35) })
	f := w.connect(control.Start{})
	f.say("loop")
	f.mu.Lock()
	end := f.ended[len(f.ended)-1]
	f.mu.Unlock()
	if !strings.Contains(end.Failure, "bough.budget.perRun") || end.Aborted {
		t.Errorf("ended %+v", end)
	}
	c := f.costs(protocol.GetCost{})
	if c.Session.Cost > 0.35 || c.Session.Calls != 3 {
		t.Errorf("spent %v in %d calls", c.Session.Cost, c.Session.Calls)
	}
	if len(c.Budget) != 1 || c.Budget[0].Of != "run" || math.Abs(c.Budget[0].Spent-0.3) > 1e-9 {
		t.Errorf("budget %+v", c.Budget)
	}
	f.say("another run has a budget of its own")
	f.mu.Lock()
	defer f.mu.Unlock()
	if end := f.ended[len(f.ended)-1]; end.Failure != "" {
		t.Errorf("the next run ended with %q", end.Failure)
	}
}

// The budget of a session counts all its branches, what was there before it was
// opened, and nothing twice.
func TestBudgetOfASession(t *testing.T) {
	w := costly(t, loops)
	f := w.connect(control.Start{})
	f.say("one")
	f.say("two")
	if _, err := protocol.Call(t.Context(), f, protocol.Navigate{}); err != nil {
		t.Fatal(err)
	}
	f.say("another branch")
	f.mu.Lock()
	file := f.view.File
	f.mu.Unlock()
	f.Close()

	with := func(limit float64) *front {
		again := costly(t, loops, func(o *control.Options, _ *provider.Info) { o.Budget.PerSession = dollars(limit) })
		return again.connect(control.Start{Open: file, Store: w.store})
	}
	g := with(0.45)
	if b := g.costs(protocol.GetCost{}).Budget; len(b) != 1 || math.Abs(b[0].Spent-0.3) > 1e-9 {
		t.Errorf("budget at first %+v", b)
	}
	g.say("four")
	g.say("five is too much")
	g.mu.Lock()
	end := g.ended[len(g.ended)-1]
	g.mu.Unlock()
	if len(g.ended) != 2 || g.ended[0].Failure != "" || !strings.Contains(end.Failure, "bough.budget.perSession") {
		t.Errorf("ended %+v", g.ended)
	}
	if b := g.costs(protocol.GetCost{}).Budget; math.Abs(b[0].Spent-0.4) > 1e-9 {
		t.Errorf("budget at last %+v", b)
	}
}

// day is accounts that know what other sessions took.
type day struct{ cost float64 }

func (d day) Family(context.Context, string) (session.Tally, int, error) {
	return session.Tally{Cost: d.cost, Calls: 7}, 3, nil
}
func (d day) Since(context.Context, time.Time) (session.Tally, error) {
	return session.Tally{Cost: d.cost}, nil
}

func TestBudgetOfADay(t *testing.T) {
	w := costly(t, loops, func(o *control.Options, _ *provider.Info) {
		o.Budget.PerDay, o.Accounts = dollars(1.25), day{1}
	})
	f := w.connect(control.Start{})
	f.say("loop")
	f.mu.Lock()
	end := f.ended[len(f.ended)-1]
	f.mu.Unlock()
	if !strings.Contains(end.Failure, "bough.budget.perDay") {
		t.Errorf("ended %+v", end)
	}
	c := f.costs(protocol.GetCost{Others: true})
	if c.Session.Calls != 2 || c.Members != 3 || c.Family.Calls != 7 || c.Today.Cost != 1 {
		t.Errorf("costs %+v", c)
	}
}

// People are asked before a budget is passed; each answer does what it says.
func TestBudgetAsks(t *testing.T) {
	for _, tt := range []struct {
		choice string // "" is an abort
		calls  int
		ended  string
	}{
		{"yes", 5, ""},
		{"no", 2, "/retry goes on"},
		{"", 2, "aborted"},
	} {
		t.Run(tt.choice, func(t *testing.T) {
			w := costly(t, loops, func(o *control.Options, _ *provider.Info) {
				o.Budget.PerRun, o.Asks = dollars(0.25), true
			})
			f := w.connect(control.Start{})
			if _, err := protocol.Call(t.Context(), f, protocol.Prompt{Text: "loop"}); err != nil {
				t.Fatal(err)
			}
			f.until("the question", func() bool { return len(f.view.Open) > 0 })
			late := w.connect(control.Start{}) // another session is not concerned
			f.mu.Lock()
			q := f.view.Open[0]
			f.mu.Unlock()
			if !strings.Contains(q.Text, "perRun") || !strings.Contains(q.Text, "$0.2 of $0.25") {
				t.Errorf("question %q", q.Text)
			}
			late.mu.Lock()
			if len(late.view.Open) > 0 {
				t.Error("another session is asked too")
			}
			late.mu.Unlock()
			for _, wrong := range []protocol.Answer{{Question: q.ID, Choice: "perhaps"}, {Question: "q99", Choice: "yes"}} {
				if _, err := protocol.Call(t.Context(), f, wrong); err == nil {
					t.Errorf("%+v was taken", wrong)
				}
			}
			if tt.choice == "" {
				if _, err := protocol.Call(t.Context(), f, protocol.Abort{}); err != nil {
					t.Fatal(err)
				}
			} else {
				if _, err := protocol.Call(t.Context(), f, protocol.Answer{Question: q.ID, Choice: tt.choice}); err != nil {
					t.Fatal(err)
				}
				if _, err := protocol.Call(t.Context(), f, protocol.Answer{Question: q.ID, Choice: tt.choice}); protocol.CodeOf(err) != protocol.NotFound {
					t.Errorf("answered twice: %v", err)
				}
			}
			f.until("the end", func() bool { return f.ends() > 0 || len(f.view.Open) > 0 && f.view.Open[0].ID != q.ID })
			f.mu.Lock()
			if len(f.view.Open) > 0 {
				t.Errorf("asked again: %+v", f.view.Open)
			}
			end := f.ended[0]
			f.mu.Unlock()
			if got := end.Failure; tt.ended == "aborted" && !end.Aborted || tt.ended != "aborted" && !strings.Contains(got, tt.ended) || tt.ended == "" && got != "" {
				t.Errorf("ended %+v", end)
			}
			if c := f.costs(protocol.GetCost{}); c.Session.Calls != tt.calls {
				t.Errorf("%d calls, want %d", c.Session.Calls, tt.calls)
			}
		})
	}
}

// A model whose price is not known is asked, and that is said once.
func TestBudgetOfUnknownPrices(t *testing.T) {
	w := costly(t, loops, func(o *control.Options, i *provider.Info) {
		o.Budget.PerRun = dollars(0)
		i.Cost, i.PriceUnknown = provider.Price{}, true
	})
	f := w.connect(control.Start{})
	f.say("loop")
	f.mu.Lock()
	n := 0
	for _, notice := range f.notices {
		if strings.Contains(notice.Text, "is not known") {
			n++
		}
	}
	f.mu.Unlock()
	c := f.costs(protocol.GetCost{})
	if n != 1 || c.Session.Calls != 5 || c.Session.Unpriced != 5 || !c.Next.PriceUnknown {
		t.Errorf("said %d times; %+v, next %+v", n, c.Session, c.Next)
	}
}

// A budget of nothing lets models through that cost nothing.
func TestBudgetOfNothing(t *testing.T) {
	w := costly(t, loops, func(o *control.Options, i *provider.Info) { o.Budget.PerDay, i.Cost = dollars(0), provider.Price{} })
	f := w.connect(control.Start{})
	f.say("hello")
	f.wantTalk("user: hello", "assistant: fine")
}

// A message that is replaced keeps what belongs to others, and comes back.
func TestReplace(t *testing.T) {
	w := costly(t, `[{"when":{"user":"^loop","turn":0},"reply":{"text":"I look","toolCalls":[{"name":"read","args":{"path":"a"}}]}},{"when":{"user":"say"},"reply":{"text":"{{user}}"}},{"reply":{"text":"done"}}]`)
	f := w.connect(control.Start{})
	f.say("loop")
	f.mu.Lock()
	var ids []session.ID
	for _, e := range f.view.Path() {
		if e.Role == message.User || e.Role == message.Assistant || e.Role == message.ToolResult {
			ids = append(ids, e.ID)
		}
	}
	f.mu.Unlock()
	for _, tt := range []struct {
		c    protocol.EditContext
		code protocol.Code
	}{
		{protocol.EditContext{Entry: ids[1], Text: " other words "}, ""},
		{protocol.EditContext{Entry: ids[2], Text: "short"}, ""},
		{protocol.EditContext{Entry: ids[2], Text: " \n"}, protocol.BadRequest},
		{protocol.EditContext{Entry: "nobody", Text: "x"}, protocol.UnknownEntry},
	} {
		if _, err := protocol.Call(t.Context(), f, tt.c); protocol.CodeOf(err) != tt.code {
			t.Errorf("%+v: %v", tt.c, err)
		}
	}
	f.wantSeen("user: loop", "assistant: other words -> read", "toolResult: short", "assistant: done")
	for range 2 {
		if _, err := protocol.Call(t.Context(), f, protocol.Unhide{}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := protocol.Call(t.Context(), f, protocol.Unhide{}); protocol.CodeOf(err) != protocol.NotRunnable {
		t.Errorf("a third time: %v", err)
	}
	f.wantSeen("user: loop", "assistant: I look -> read", "toolResult: content of a", "assistant: done")
}

// wantSeen says what the model sees once the front end has caught up.
func (f *front) wantSeen(want ...string) {
	f.t.Helper()
	st, err := protocol.Call(f.t.Context(), f, protocol.GetState{})
	if err != nil {
		f.t.Fatal(err)
	}
	f.until("the leaf", func() bool { return f.view.Leaf == st.Leaf })
	f.mu.Lock()
	p, err := session.Project(f.view.Path())
	f.mu.Unlock()
	if err != nil {
		f.t.Fatal(err)
	}
	var got []string
	for _, it := range p.Items {
		m := it.Message
		if m.Role == message.System {
			continue
		}
		line := string(m.Role) + ": " + m.Text(" ")
		for _, c := range m.ToolCalls() {
			line += " -> " + c.Name
		}
		got = append(got, line)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		f.t.Errorf("the model sees %q, want %q", got, want)
	}
}

// A summary that is asked for is held against the budget like any request; nothing is
// left of one that may not be made.
func TestBudgetOfASummary(t *testing.T) {
	for _, tt := range []struct {
		asks  bool
		want  string
		calls int
	}{
		{false, "bough.budget.perSession", 2},
		{true, "", 3},
	} {
		w := costly(t, `[{"when":{"user":"[Ss]ummary"},"reply":{"text":"a summary","usage":{"input":5000,"output":1}}},{"reply":{"text":"fine","usage":{"input":100,"output":0}}}]`,
			func(o *control.Options, i *provider.Info) {
				o.Budget.PerSession, o.Asks = dollars(0.35), tt.asks
				o.Compaction = control.Compaction{For: func(_, _ string) (int64, int64) { return 0, 1 }}
			})
		f := w.connect(control.Start{})
		f.say("one")
		f.say("two")
		done := make(chan error, 1)
		go func() {
			_, err := protocol.Call(t.Context(), f, protocol.Compact{})
			done <- err
		}()
		if tt.asks {
			f.until("the question", func() bool { return len(f.view.Open) > 0 })
			f.mu.Lock()
			q := f.view.Open[0].ID
			f.mu.Unlock()
			if _, err := protocol.Call(t.Context(), f, protocol.Answer{Question: q, Choice: "yes"}); err != nil {
				t.Fatal(err)
			}
		}
		err := <-done
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("asks %v: %v, want %q", tt.asks, err, tt.want)
		}
		if c := f.costs(protocol.GetCost{}); c.Session.Calls != tt.calls {
			t.Errorf("asks %v: %d calls, want %d", tt.asks, c.Session.Calls, tt.calls)
		}
	}
}
