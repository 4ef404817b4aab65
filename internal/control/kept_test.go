package control_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/internal/journal"
	"github.com/boughdev/bough/internal/script"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/provider/scripted"
	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/session/filestore"
)

// keeping is a hub that keeps a journal.
func keeping(t *testing.T, w *world) (*control.Hub, journal.Dir) {
	t.Helper()
	dir := journal.Dir(t.TempDir())
	h := control.NewHub(control.Options{Models: models{w.witness}, Journal: dir})
	t.Cleanup(h.Close)
	w.hub = h
	return h, dir
}

// left makes what a process leaves behind that died while it answered.
func left(t *testing.T, dir journal.Dir, path string, parent session.ID, at int64, text string) {
	t.Helper()
	a := dir.Begin(path, parent, message.Message{Role: message.Assistant, Provider: "scripted", Model: "one", Timestamp: at, StopReason: message.Pending})
	a.Add(message.Delta{Kind: message.TextStart}, nil)
	a.Add(message.Delta{Kind: message.TextDelta, Text: text}, &message.Usage{Input: 7})
	if err := a.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
}

func files(t *testing.T, dir journal.Dir) []string {
	t.Helper()
	list, err := os.ReadDir(string(dir))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, filepath.Ext(e.Name()))
	}
	return names
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// An answer that was cut off by a crash is there at the next start, and in the
// file with the next append, not before.
func TestAnswerOutlivesACrash(t *testing.T) {
	w := newWorld(t, readRule)
	_, dir := keeping(t, w)
	f := w.connect(control.Start{})
	f.say("hello")
	path := f.view.File
	question, answer := f.view.Path()[len(f.view.Path())-2], f.view.Tree.Get(f.view.Leaf)
	f.Close()

	before := read(t, path)
	left(t, dir, path, answer.ID, 5, "half an ans")
	f = w.connect(control.Start{Open: path})
	f.wantTalk("user: hello", "assistant: Echo: hello", "assistant: half an ans (aborted)")
	if !f.noticed("cut off by a crash was recovered") {
		t.Errorf("nobody is told: %v", f.notices)
	}
	if slices.ContainsFunc(f.notices, func(n protocol.Notice) bool { return n.Entry != "" }) {
		t.Errorf("the answer is said to be the cause of something: %v", f.notices)
	}
	f.Close()
	if read(t, path) != before || len(files(t, dir)) != 1 {
		t.Fatal("looking at the session has written something")
	}

	f = w.connect(control.Start{Open: path})
	other := w.connect(control.Start{Open: path})
	other.wantTalk("user: hello", "assistant: Echo: hello", "assistant: half an ans (aborted)")
	f.say("more")
	want := []string{"user: hello", "assistant: Echo: hello", "assistant: half an ans (aborted)", "user: more", "assistant: Echo: more"}
	f.wantTalk(want...)
	if len(files(t, dir)) != 0 {
		t.Errorf("the journal is still there: %v", files(t, dir))
	}
	other.Close()
	f.Close()
	if !strings.HasPrefix(read(t, path), before) || strings.Count(read(t, path), "half an ans") != 1 {
		t.Errorf("the file has the answer not once: %s", read(t, path))
	}

	// The process died after the answer was recorded, before its journal was
	// removed.
	left(t, dir, path, answer.ID, 5, "half an ans")
	f = w.connect(control.Start{Open: path})
	f.wantTalk(want...)
	f.Close()
	if len(files(t, dir)) != 0 {
		t.Errorf("the journal is still there: %v", files(t, dir))
	}

	// The conversation went on elsewhere meanwhile: the answer is a branch.
	left(t, dir, path, question.ID, 6, "of another branch")
	before = read(t, path)
	f = w.connect(control.Start{Open: path})
	f.wantTalk(want...)
	if !f.noticed("as another branch") || len(f.view.Tree.Children(question.ID)) != 2 {
		t.Errorf("the answer is no branch of its question: %v", f.notices)
	}
	f.Close()
	if read(t, path) != before {
		t.Error("looking at the session has written something")
	}
	f = w.connect(control.Start{Open: path})
	f.say("last")
	f.wantTalk(append(want, "user: last", "assistant: Echo: last")...)
	f.Close()
	f = w.connect(control.Start{Open: path})
	f.wantTalk(append(want, "user: last", "assistant: Echo: last")...)
	if len(f.view.Tree.Children(question.ID)) != 2 || len(files(t, dir)) != 0 {
		t.Error("the branch was not kept")
	}
}

// One message that waits is told as one.
func TestOneMessageWaits(t *testing.T) {
	w := newWorld(t, readRule)
	keeping(t, w)
	f := w.connect(control.Start{})
	f.say("hello")
	path := f.view.File
	if _, err := protocol.Call(t.Context(), f, protocol.Steer{Text: "one"}); err != nil {
		t.Fatal(err)
	}
	f.Close()
	if f = w.connect(control.Start{Open: path}); !f.noticed("A message waits since last time. /queue shows it") {
		t.Errorf("nobody is told: %v", f.notices)
	}
}

func (f *front) noticed(text string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.ContainsFunc(f.notices, func(n protocol.Notice) bool { return strings.Contains(n.Text, text) })
}

// What waits is there at the next start, can be changed and taken back, and is
// said once, also if the process died between saying it and noting that.
func TestQueueOutlivesTheProcess(t *testing.T) {
	w := newWorld(t, readRule)
	_, dir := keeping(t, w)
	f := w.connect(control.Start{})
	f.say("hello")
	path := f.view.File
	ctx := t.Context()
	for _, text := range []string{"one", "two", "three"} {
		if _, err := protocol.Call(ctx, f, protocol.Steer{Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := protocol.Call(ctx, f, protocol.FollowUp{Text: "four", Images: []message.Block{message.Image([]byte("i"), "image/png")}}); err != nil {
		t.Fatal(err)
	}
	before := read(t, path)
	f.Close()

	f = w.connect(control.Start{Open: path})
	if !f.noticed("4 messages wait since last time. /queue shows them") {
		t.Errorf("nobody is told: %v", f.notices)
	}
	q, err := protocol.Call(ctx, f, protocol.GetQueue{})
	if err != nil || !slices.Equal(q.Steering, []string{"one", "two", "three"}) || !slices.Equal(q.FollowUp, []string{"four"}) || q.Items[3].Images != 1 {
		t.Fatalf("what waits: %+v, %v", q, err)
	}
	if _, err := protocol.Call(ctx, f, protocol.DropQueued{ID: q.Items[1].ID}); err != nil {
		t.Fatal(err)
	}
	if _, err := protocol.Call(ctx, f, protocol.EditQueued{ID: q.Items[2].ID, Text: "3"}); err != nil {
		t.Fatal(err)
	}
	if _, err := protocol.Call(ctx, f, protocol.EditQueued{ID: q.Items[2].ID}); protocol.CodeOf(err) != protocol.BadRequest {
		t.Errorf("a message without words: %v", err)
	}
	if _, err := protocol.Call(ctx, f, protocol.DropQueued{ID: "gone"}); protocol.CodeOf(err) != protocol.NotFound {
		t.Errorf("a message that does not wait: %v", err)
	}
	f.Close()

	// One of them was said by a process that died before it had noted that.
	f = w.connect(control.Start{Open: path})
	if read(t, path) != before {
		t.Error("what waits is in the session's file")
	}
	q, _ = protocol.Call(ctx, f, protocol.GetQueue{})
	said := q.Items[0].ID
	f.Close()
	live, err := session.Open(ctx, w.store, path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := live.Main().AppendAs(ctx, said, session.Message{Message: message.Message{Role: message.User, Content: []message.Block{message.Text("one")}}}); err != nil {
		t.Fatal(err)
	}
	live.Close()
	f = w.connect(control.Start{Open: path})
	if d, err := protocol.Call(ctx, f, protocol.SendQueue{}); err != nil || d != protocol.Started {
		t.Fatalf("send: %v, %v", d, err)
	}
	f.until("the end", func() bool { return f.ends() == 1 })
	f.wantTalk("user: hello", "assistant: Echo: hello", "user: one", "user: 3", "assistant: Echo: 3", "user: four", "assistant: Echo: four")
	if len(files(t, dir)) != 0 {
		t.Errorf("the journal is still there: %v", files(t, dir))
	}
	if _, err := protocol.Call(ctx, f, protocol.SendQueue{}); protocol.CodeOf(err) != protocol.NotRunnable {
		t.Errorf("send nothing: %v", err)
	}
}

// A process that is killed at any moment loses no message that it has taken, and
// none is said twice.
func TestQueueOfAKilledProcess(t *testing.T) {
	if dir := os.Getenv("BOUGH_TEST_QUEUE"); dir != "" {
		sayAndDie(t, dir)
		return
	}
	times := 10
	if testing.Short() {
		times = 5
	}
	dir := t.TempDir()
	r := rand.New(rand.NewPCG(1, 1))
	var taken []string
	for i := range times {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestQueueOfAKilledProcess$")
		cmd.Env = append(os.Environ(), "BOUGH_TEST_QUEUE="+dir, fmt.Sprintf("BOUGH_TEST_ROUND=%d", i))
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		after := 1 + r.IntN(40)
		for in := bufio.NewScanner(out); in.Scan(); {
			if text, ok := strings.CutPrefix(in.Text(), "taken "); ok {
				taken = append(taken, text)
				if after--; after == 0 {
					cmd.Process.Kill()
				}
			} else if strings.Contains(in.Text(), "FAIL") {
				t.Fatalf("round %d: %s", i, in.Text())
			}
		}
		_ = cmd.Wait() // it was killed
	}
	h, start := dying(t, dir)
	defer h.Close()
	c, err := h.Connect(t.Context(), start)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ev, err := range c.Watch(t.Context(), 0) {
			if _, ended := ev.(protocol.RunEnded); ended || err != nil {
				return
			}
		}
	}()
	if _, err := protocol.Call(t.Context(), c, protocol.Prompt{Text: "and the rest"}); err != nil {
		t.Fatal(err)
	}
	<-done
	said := map[string]int{}
	live, err := session.Open(t.Context(), filestore.Store{Live: true}, start.Open)
	if err != nil {
		t.Fatal(err)
	}
	defer live.Close()
	for e := range live.Tree().All() {
		if body, err := e.Body(); err == nil && e.Role == message.User {
			said[body.(session.Message).Message.Text("")]++
		}
	}
	for _, text := range taken {
		if said[text] != 1 {
			t.Errorf("%q was taken and said %d times", text, said[text])
		}
	}
	if len(taken) == 0 {
		t.Error("no message was taken")
	}
}

func dying(t *testing.T, dir string) (*control.Hub, control.Start) {
	t.Helper()
	s, err := script.Parse([]byte(`{"defaults":{"chunk":2,"delayMs":1},"rules":[{"when":{},"reply":{"text":"An answer of some length."}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	store := filestore.Store{Root: dir, Leases: filepath.Join(dir, "leases"), Path: filepath.Join(dir, "s.jsonl"), Live: true}
	start := control.Start{Store: store, File: store.Path, New: session.Header{CWD: dir}.Complete(), Dir: dir}
	if _, err := os.Stat(store.Path); err == nil {
		start.Open = store.Path
	}
	return control.NewHub(control.Options{Models: models{scripted.New(scripted.Info("one"), s)}, Journal: journal.Dir(filepath.Join(dir, "journal"))}), start
}

// sayAndDie queues messages while it answers until it is killed.
func sayAndDie(t *testing.T, dir string) {
	h, start := dying(t, dir)
	c, err := h.Connect(t.Context(), start)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for i := 0; ctx.Err() == nil; i++ {
		text := fmt.Sprintf("message %s-%d", os.Getenv("BOUGH_TEST_ROUND"), i)
		how := protocol.AsSteering
		if i%3 == 0 {
			how = protocol.AsFollowUp
		}
		_, none := os.Stat(start.File)
		d, err := protocol.Call(ctx, c, protocol.Prompt{Text: text, WhenBusy: how})
		if err != nil {
			t.Fatal(err)
		}
		// One that starts a run is no message that waits, and before the session has
		// a file there is nothing to come back to.
		if d == protocol.Queued && none == nil {
			fmt.Println("taken " + text)
		}
	}
}

// BenchmarkTurnWithAJournal is a turn of a session in a file, without a journal
// and with one.
func BenchmarkTurnWithAJournal(b *testing.B) {
	for _, dir := range []string{"", "journal"} {
		b.Run("in "+dir, func(b *testing.B) {
			s, err := script.Parse([]byte(`{"defaults":{"chunk":4},"rules":[{"when":{},"reply":{"text":"An answer of some length, in many pieces."}}]}`))
			if err != nil {
				b.Fatal(err)
			}
			store := filestore.Store{Root: b.TempDir()}
			o := control.Options{Models: models{scripted.New(scripted.Info("one"), s)}}
			if dir != "" {
				o.Journal = journal.Dir(filepath.Join(store.Root, dir))
			}
			h := control.NewHub(o)
			defer h.Close()
			ended := make(chan struct{})
			header := session.Header{CWD: "/srv"}.Complete()
			c, err := h.Connect(b.Context(), control.Start{Store: store, New: header, File: store.FilePath(header)})
			if err != nil {
				b.Fatal(err)
			}
			defer c.Close()
			go func() {
				for ev := range c.Watch(b.Context(), 0) {
					if _, ok := ev.(protocol.RunEnded); ok {
						ended <- struct{}{}
					}
				}
			}()
			turn := func() {
				if _, err := protocol.Call(b.Context(), c, protocol.Prompt{Text: "go"}); err != nil {
					b.Fatal(err)
				}
				<-ended
			}
			turn()
			for b.Loop() {
				turn()
				if _, err := protocol.Call(b.Context(), c, protocol.Navigate{}); err != nil { // so that all are alike
					b.Fatal(err)
				}
			}
		})
	}
}
