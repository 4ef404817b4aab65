package control_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/session"
)

func limits(reserve, keep int64) control.Compaction {
	return control.Compaction{For: func(string, string) (int64, int64) { return reserve, keep }}
}

// talked is a session of some prompts with a model that never compacts by itself.
func talked(t *testing.T, m *meter, keep int64, prompts int) *talker {
	t.Helper()
	k := talkerAt(t, metered(t, m, func() int { return 40 }, control.Options{Compaction: limits(1000, keep), Retry: control.Retry{Max: 2, Base: time.Second}}), control.Start{})
	for i := range prompts {
		if end := k.say(fmt.Sprintf("prompt %d", i)); end.Failure != "" {
			t.Fatalf("prompt %d: %s", i, end.Failure)
		}
	}
	k.events, k.told = nil, nil
	return k
}

func types(tree *session.Tree, leaf session.ID) (list []string) {
	for _, e := range tree.Path(leaf) {
		s := string(e.Type)
		if e.Role != "" {
			s = string(e.Role)
		}
		list = append(list, s)
	}
	return list
}

func TestCompactAsAsked(t *testing.T) {
	m := newMeter(100000)
	m.calls = 1
	k := talked(t, m, 60, 3)
	before, leaf := k.tree()
	done, err := protocol.Call(t.Context(), k, protocol.Compact{Instructions: "the price of chairs"})
	if err != nil {
		t.Fatal(err)
	}
	k.until(func(ev protocol.Event) bool { _, ok := ev.(protocol.CompactionEnded); return ok })
	if got := strings.Join(k.events, " "); got != "CompactionStarted +compaction CompactionEnded" {
		t.Errorf("events %s", got)
	}
	end := k.told[len(k.told)-1].(protocol.CompactionEnded)
	if end.Reason != protocol.Manual || end.Aborted || end.WillRetry || end.Error != "" || end.Result == nil || end.Result.Entry != done.Entry {
		t.Errorf("the end is %+v", end)
	}
	tree, now := k.tree()
	if now != done.Entry || tree.Parent(now).ID != leaf || tree.Size() != before.Size()+1 {
		t.Errorf("at %s below %s, %d entries; want one more than %d, below %s", now, tree.Parent(now).ID, tree.Size(), before.Size(), leaf)
	}
	body, err := tree.Get(now).Body()
	if err != nil {
		t.Fatal(err)
	}
	c := body.(session.Compaction)
	if !strings.HasPrefix(c.Summary, "## Goal\nsummary 1") || c.FirstKept == "" || c.TokensBefore == 0 || c.Usage == nil || c.FromHook || c.System == nil || string(c.Details) != `{"readFiles":[],"modifiedFiles":[]}` {
		t.Errorf("compaction %+v", c)
	}
	if done.Summary != c.Summary || done.TokensAfter == 0 || done.TokensAfter >= done.TokensBefore || done.Messages == 0 {
		t.Errorf("result %+v", done)
	}
	if _, err := protocol.Call(t.Context(), k, protocol.Compact{}); protocol.CodeOf(err) != protocol.NotRunnable || err.Error() != "Already compacted" {
		t.Errorf("once more: %v", err)
	}
	k.until(func(ev protocol.Event) bool { _, ok := ev.(protocol.CompactionEnded); return ok })
	k.say("go on")
	if text := m.last.Messages[1].Text(""); !strings.HasPrefix(text, message.CompactionIntro) || !strings.Contains(text, "summary 1") {
		t.Errorf("the next request begins with %q", text)
	}
	// The originals are there, and before the compaction the model sees them again.
	if _, err := protocol.Call(t.Context(), k, protocol.Navigate{Target: leaf, At: true}); err != nil {
		t.Fatal(err)
	}
	k.say("as before")
	if text := m.last.Messages[1].Text(""); text != "prompt 0" {
		t.Errorf("before the compaction a request begins with %q", text)
	}
}

// Each way in which a summary can fail leaves the session as it was
// (docs/spec/session.md 7.7).
func TestASummaryThatFails(t *testing.T) {
	for _, tt := range []struct {
		name    string
		summary func(ctx context.Context, n int, req provider.Request) (string, message.StopReason, error)
		want    string
		retries int
	}{
		{"refused", func(context.Context, int, provider.Request) (string, message.StopReason, error) {
			return "", "", &provider.Error{Kind: provider.Rejected, Status: 400, Message: "no"}
		}, "Summarization failed: 400: no", 0},
		{"busy for too long", func(context.Context, int, provider.Request) (string, message.StopReason, error) {
			return "", "", &provider.Error{Kind: provider.Transient, Status: 529, Message: "busy"}
		}, "Summarization failed: 529: busy", 2},
		{"failed after some words", func(context.Context, int, provider.Request) (string, message.StopReason, error) {
			return "## Go", message.Failed, nil
		}, "Summarization failed: ", 0},
		{"cut off", func(context.Context, int, provider.Request) (string, message.StopReason, error) {
			return "## Go", message.Length, nil
		}, "Summarization failed: the summary was cut off", 0},
		{"a tool call", func(context.Context, int, provider.Request) (string, message.StopReason, error) {
			return "", message.ToolUse, nil
		}, "Summarization failed: the model called a tool", 0},
		{"no words", func(context.Context, int, provider.Request) (string, message.StopReason, error) {
			return "", message.Stop, nil
		}, "Summarization failed: the model wrote no summary", 0},
		{"too long, however small", func(context.Context, int, provider.Request) (string, message.StopReason, error) {
			return "", "", &provider.Error{Kind: provider.Overflow, Message: "prompt is too long"}
		}, "Summarization failed: prompt is too long", 0},
		{"busy, then well", func(_ context.Context, n int, _ provider.Request) (string, message.StopReason, error) {
			if n < 3 {
				return "", "", &provider.Error{Kind: provider.Transient, Message: "busy"}
			}
			return "well", message.Stop, nil
		}, "", 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := newMeter(100000)
				m.summary = tt.summary
				k := talked(t, m, 60, 3)
				before, leaf := k.tree()
				_, err := protocol.Call(t.Context(), k, protocol.Compact{})
				if (err == nil) != (tt.want == "") || err != nil && !strings.HasPrefix(err.Error(), tt.want) {
					t.Fatalf("%v, want %q", err, tt.want)
				}
				end := k.until(func(ev protocol.Event) bool { _, ok := ev.(protocol.CompactionEnded); return ok }).(protocol.CompactionEnded)
				if !strings.HasPrefix(end.Error, tt.want) || end.Aborted || (end.Result == nil) != (tt.want != "") {
					t.Errorf("the end is %+v", end)
				}
				want := "CompactionStarted"
				for range tt.retries {
					want += " SummaryRetryScheduled SummaryRetryStarted"
				}
				if tt.retries > 0 {
					want += " SummaryRetryEnded"
				}
				if tt.want == "" {
					want += " +compaction"
				}
				if got := strings.Join(k.events, " "); got != want+" CompactionEnded" {
					t.Errorf("events %s, want %s", got, want)
				}
				if tree, now := k.tree(); tt.want != "" && (now != leaf || tree.Size() != before.Size()) {
					t.Errorf("%d entries at %s, want %d at %s", tree.Size(), now, before.Size(), leaf)
				}
			})
		})
	}
}

func TestNothingToCompact(t *testing.T) {
	k := talked(t, newMeter(100000), 20000, 2)
	_, err := protocol.Call(t.Context(), k, protocol.Compact{})
	if protocol.CodeOf(err) != protocol.NotRunnable || !strings.HasPrefix(err.Error(), "Nothing to compact") {
		t.Errorf("%v", err)
	}
	k.until(func(ev protocol.Event) bool { _, ok := ev.(protocol.CompactionEnded); return ok })
	if got := strings.Join(k.events, " "); got != "CompactionStarted CompactionEnded" {
		t.Errorf("events %s", got)
	}
}

// A compaction that is called off leaves nothing; what was said meanwhile waits. One
// that ends well is followed by it.
func TestWhatIsSaidDuringACompaction(t *testing.T) {
	for _, stop := range []bool{true, false} {
		t.Run(fmt.Sprintf("stopped %v", stop), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := newMeter(100000)
				m.summary = func(ctx context.Context, _ int, _ provider.Request) (string, message.StopReason, error) {
					select {
					case <-ctx.Done():
						return "", "", ctx.Err()
					case <-time.After(time.Hour):
						return "late", message.Stop, nil
					}
				}
				k := talked(t, m, 60, 3)
				before, leaf := k.tree()
				failed := make(chan error, 1)
				go func() {
					_, err := protocol.Call(t.Context(), k, protocol.Compact{})
					failed <- err
				}()
				synctest.Wait()
				st, err := protocol.Call(t.Context(), k, protocol.GetState{})
				if err != nil || !st.Compacting || st.Running {
					t.Errorf("state %+v, %v", st, err)
				}
				if _, err := protocol.Call(t.Context(), k, protocol.Prompt{Text: "at once"}); protocol.CodeOf(err) != protocol.Compacting {
					t.Errorf("a prompt was met with %v", err)
				}
				if _, err := protocol.Call(t.Context(), k, protocol.Compact{}); protocol.CodeOf(err) != protocol.Compacting {
					t.Errorf("a second compaction was met with %v", err)
				}
				if _, err := protocol.Call(t.Context(), k, protocol.Navigate{Target: leaf}); protocol.CodeOf(err) != protocol.Compacting {
					t.Errorf("a move was met with %v", err)
				}
				for _, how := range []protocol.Behavior{protocol.AsFollowUp, protocol.AsSteering} {
					if did, err := protocol.Call(t.Context(), k, protocol.Prompt{Text: string(how), WhenBusy: how}); did != protocol.Queued || err != nil {
						t.Errorf("a prompt as %s: %s, %v", how, did, err)
					}
				}
				if stop {
					if _, err := protocol.Call(t.Context(), k, protocol.Abort{}); err != nil {
						t.Fatal(err)
					}
					if err := <-failed; protocol.CodeOf(err) != protocol.Cancelled || err.Error() != "Compaction cancelled" {
						t.Errorf("the compaction came to %v", err)
					}
					end := k.until(func(ev protocol.Event) bool { _, ok := ev.(protocol.CompactionEnded); return ok }).(protocol.CompactionEnded)
					if !end.Aborted || end.Error != "" || end.Result != nil {
						t.Errorf("the end is %+v", end)
					}
					tree, now := k.tree()
					st, _ := protocol.Call(t.Context(), k, protocol.GetState{})
					if now != leaf || tree.Size() != before.Size() || len(st.Queue.FollowUp) != 1 || len(st.Queue.Steering) != 1 || st.Compacting {
						t.Errorf("%d entries, state %+v", tree.Size(), st)
					}
					return
				}
				if err := <-failed; err != nil {
					t.Fatal(err)
				}
				k.until(func(ev protocol.Event) bool { _, ok := ev.(protocol.RunEnded); return ok })
				tree, now := k.tree()
				if got := strings.Join(types(tree, now)[before.Size():], " "); got != "compaction user assistant user assistant" {
					t.Errorf("then came %s", got)
				}
			})
		})
	}
}

// A run is stopped for a compaction that is asked for, and not taken up again.
func TestCompactStopsARun(t *testing.T) {
	w := newWorld(t, `[{"when":{"user":"^hold"},"reply":{"text":"a long answer that stops","at":[{"chunk":1,"do":"hold","name":"h"}]}},
		{"when":{"user":"conversation"},"reply":{"text":"sum"}},{"reply":{"text":"`+strings.Repeat("x", 100000)+`"}}]`)
	f := w.connect(control.Start{})
	f.say("one")
	f.say("two")
	if _, err := protocol.Call(t.Context(), f, protocol.Prompt{Text: "hold"}); err != nil {
		t.Fatal(err)
	}
	f.until("some of the answer", func() bool { return f.view.Answer != nil && f.view.Answer.Text("") != "" })
	done, err := protocol.Call(t.Context(), f, protocol.Compact{})
	if err != nil || !strings.HasPrefix(done.Summary, "sum\n") {
		t.Fatalf("%+v, %v", done, err)
	}
	f.until("the end of the compaction", func() bool { return slices.Contains(f.events, "CompactionEnded") })
	f.mu.Lock()
	defer f.mu.Unlock()
	if i, k := slices.Index(f.events, "CompactionStarted"), len(f.events)-1; i < 1 || f.events[i-1] != "RunEnded" || f.events[k] != "CompactionEnded" {
		t.Errorf("events %v", f.events)
	}
	if e := f.ended[len(f.ended)-1]; !e.Aborted {
		t.Errorf("the run ended with %+v", e)
	}
}

func TestAnotherSummary(t *testing.T) {
	m := newMeter(100000)
	k := talked(t, m, 60, 3)
	_, leaf := k.tree()
	done, err := protocol.Call(t.Context(), k, protocol.Compact{})
	if err != nil {
		t.Fatal(err)
	}
	k.say("on the old branch")
	_, old := k.tree()
	for _, text := range []string{"", " \n"} {
		if _, err := protocol.Call(t.Context(), k, protocol.EditSummary{Entry: done.Entry, Text: text}); protocol.CodeOf(err) != protocol.BadRequest {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := protocol.Call(t.Context(), k, protocol.EditSummary{Entry: leaf, Text: "x"}); protocol.CodeOf(err) != protocol.BadRequest {
		t.Errorf("of an answer: %v", err)
	}
	if _, err := protocol.Call(t.Context(), k, protocol.EditSummary{Entry: "none", Text: "x"}); protocol.CodeOf(err) != protocol.UnknownEntry {
		t.Errorf("of nothing: %v", err)
	}
	id, err := protocol.Call(t.Context(), k, protocol.EditSummary{Entry: done.Entry, Text: "we talked of chairs"})
	if err != nil {
		t.Fatal(err)
	}
	tree, now := k.tree()
	if now != id || tree.Parent(id).ID != leaf || !tree.Has(old) {
		t.Errorf("at %s, below %s", now, tree.Parent(id).ID)
	}
	body, _ := tree.Get(id).Body()
	was, _ := tree.Get(done.Entry).Body()
	c, o := body.(session.Compaction), was.(session.Compaction)
	if c.Summary != "we talked of chairs" || c.FirstKept != o.FirstKept || c.TokensBefore != o.TokensBefore || c.Usage != nil || string(c.Details) != string(o.Details) || c.System == nil {
		t.Errorf("compaction %+v, want that of %+v", c, o)
	}
	k.say("on the new branch")
	if text := m.last.Messages[1].Text(""); !strings.Contains(text, "chairs") {
		t.Errorf("the model reads %q", text)
	}
	if n, err := protocol.Call(t.Context(), k, protocol.Back{}); err != nil || n.Leaf != old {
		t.Errorf("back at %s (%v), want %s", n.Leaf, err, old)
	}
}

// A session that is closed while it is compacted does not wait for the summary, and
// stays as it was.
func TestClosedDuringACompaction(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMeter(100000)
		m.summary = func(ctx context.Context, _ int, _ provider.Request) (string, message.StopReason, error) {
			<-ctx.Done()
			return "", "", ctx.Err()
		}
		k := talked(t, m, 60, 3)
		failed := make(chan error, 1)
		go func() {
			_, err := protocol.Call(context.WithoutCancel(t.Context()), k, protocol.Compact{})
			failed <- err
		}()
		synctest.Wait()
		k.Close()
		if err := <-failed; err == nil {
			t.Error("it is said to have been compacted")
		}
		end := k.until(func(ev protocol.Event) bool { _, ok := ev.(protocol.CompactionEnded); return ok }).(protocol.CompactionEnded)
		if !end.Aborted || end.Result != nil {
			t.Errorf("the end is %+v", end)
		}
	})
}
