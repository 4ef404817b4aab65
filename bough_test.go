package bough_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/boughdev/bough"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/session/filestore"
)

// model answers as f says.
func model(f func(context.Context, provider.Request) (message.Message, error)) provider.Model {
	return provider.New(provider.Info{Provider: "test", ID: "one"}, f)
}

func says(text string) message.Message {
	return message.Message{Content: []message.Block{message.Text(text)}}
}

func begin(t *testing.T, o bough.Options) *bough.Agent {
	t.Helper()
	h := bough.New(o)
	t.Cleanup(h.Close)
	a, err := h.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Close)
	return a
}

func TestAskOfAModelThatFails(t *testing.T) {
	a := begin(t, bough.Options{Model: model(func(context.Context, provider.Request) (message.Message, error) {
		return message.Message{}, errors.New("no words left")
	})})
	m, err := a.Ask(t.Context(), "hello")
	if provider.KindOf(err) != provider.Rejected || !strings.Contains(err.Error(), "no words left") || m.StopReason != message.Failed {
		t.Errorf("answer %+v, error %v", m, err)
	}
}

func TestAskTriesAgain(t *testing.T) {
	tries := 0
	a := begin(t, bough.Options{Retries: 0, Model: model(func(context.Context, provider.Request) (message.Message, error) {
		tries++
		return message.Message{}, &provider.Error{Kind: provider.Transient, Message: "busy"}
	})})
	if _, err := a.Ask(t.Context(), "hello"); provider.KindOf(err) != provider.Transient || tries != 1 {
		t.Errorf("%d tries, error %v", tries, err)
	}
}

func TestAskWithoutAModel(t *testing.T) {
	if _, err := begin(t, bough.Options{}).Ask(t.Context(), "hello"); protocol.CodeOf(err) != protocol.NoModel {
		t.Errorf("error %v", err)
	}
}

func TestAskThatIsCalledOff(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	aborted := make(chan struct{})
	a := begin(t, bough.Options{Model: model(func(ctx context.Context, _ provider.Request) (message.Message, error) {
		cancel()
		<-ctx.Done()
		close(aborted)
		return message.Message{}, ctx.Err()
	})})
	if _, err := a.Ask(ctx, "hello"); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	<-aborted
}

func TestAskWhileARunGoesOn(t *testing.T) {
	running, go_ := make(chan struct{}), make(chan struct{})
	var once sync.Once
	a := begin(t, bough.Options{Model: model(func(context.Context, provider.Request) (message.Message, error) {
		once.Do(func() { close(running) })
		<-go_
		return says("done"), nil
	})})
	first := make(chan error)
	go func() { _, err := a.Ask(context.Background(), "first"); first <- err }()
	<-running
	if _, err := a.Ask(t.Context(), "second"); protocol.CodeOf(err) != protocol.Busy {
		t.Errorf("error %v", err)
	}
	close(go_)
	if err := <-first; err != nil {
		t.Error(err)
	}
}

// A session that is kept is a file, which another hub opens.
func TestSessionsAreKept(t *testing.T) {
	store := filestore.Store{Flat: t.TempDir()}
	count := model(func(_ context.Context, req provider.Request) (message.Message, error) {
		n := 0
		for _, m := range req.Messages {
			if m.Role == message.User {
				n++
			}
		}
		return says(strings.Repeat("I", n)), nil
	})
	h := bough.New(bough.Options{Model: count, Store: store, Dir: "/srv", Instructions: "Count."})
	a, err := h.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Ask(t.Context(), "one"); err != nil {
		t.Fatal(err)
	}
	h.Close()
	var id string
	for s, err := range store.List(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		id = s.ID
	}

	h = bough.New(bough.Options{Model: count, Store: store})
	defer h.Close()
	a, err = h.Open(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if m, err := a.Ask(t.Context(), "two"); m.Text("") != "II" || err != nil {
		t.Errorf("answer %q, error %v", m.Text(""), err)
	}
	if _, err := h.Open(t.Context(), "nosuch"); protocol.CodeOf(err) != protocol.UnknownSession && !errors.Is(err, session.ErrNotFound) {
		t.Errorf("error %v", err)
	}
}

func TestToolsAreThoseOfAFolder(t *testing.T) {
	var names []string
	for _, tool := range bough.Tools(t.TempDir()) {
		names = append(names, tool.Spec().Name)
	}
	if got := strings.Join(names, " "); !strings.HasPrefix(got, "read bash edit write grep find ls") {
		t.Errorf("tools %s", got)
	}
}

// Two agents work on two branches of one session at once.
func TestViews(t *testing.T) {
	both := make(chan struct{})
	var waiting sync.WaitGroup
	waiting.Add(2)
	h := bough.New(bough.Options{Dir: "/srv", Model: model(func(_ context.Context, req provider.Request) (message.Message, error) {
		last := req.Messages[len(req.Messages)-1].Text("")
		if last != "first" {
			waiting.Done()
			<-both
		}
		return says("answer to " + last), nil
	})})
	defer h.Close()
	a, err := h.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Ask(t.Context(), "first"); err != nil {
		t.Fatal(err)
	}
	st, err := protocol.Call(t.Context(), a, protocol.GetState{})
	if err != nil {
		t.Fatal(err)
	}
	var id string
	for ev := range a.Watch(t.Context(), 0) {
		id = ev.(protocol.Opened).Header.ID
		break
	}
	b, err := h.View(t.Context(), id, st.Leaf)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		waiting.Wait() // for both models to be asked
		close(both)
	}()
	var wg sync.WaitGroup
	for agent, question := range map[*bough.Agent]string{a: "left", b: "right"} {
		wg.Go(func() {
			if m, err := agent.Ask(t.Context(), question); err != nil || m.Text("") != "answer to "+question {
				t.Errorf("%s: %q, %v", question, m.Text(""), err)
			}
		})
	}
	wg.Wait()
	for ev := range b.Watch(t.Context(), 0) {
		tree := ev.(protocol.Opened).Tree
		if n := len(tree.Children(st.Leaf)); n != 2 {
			t.Errorf("%d branches below %s, want 2", n, st.Leaf)
		}
		break
	}
}
