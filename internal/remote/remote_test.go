package remote_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/internal/remote"
	"github.com/boughdev/bough/internal/script"
	"github.com/boughdev/bough/internal/view"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/provider/scripted"
	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/session/filestore"
	"github.com/boughdev/bough/tool"
)

const rules = `{"rules":[
 {"when":{"user":"^read","turn":0},"reply":{"text":"Reading.","toolCalls":[{"name":"read","args":{"path":"a"}},{"name":"read","args":{"path":"b"}}]}},
 {"when":{"toolResult":"."},"reply":{"text":"I read: {{toolResult}}"}},
 {"when":{"user":"^hold"},"reply":{"text":"This is a long answer that stops.","at":[{"chunk":1,"do":"hold","name":"h"}]}}
]}`

const secret = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

type models struct{ m provider.Model }

func (m models) Available() []provider.Info                   { return []provider.Info{m.m.Info()} }
func (m models) Model(string, string) (provider.Model, error) { return m.m, nil }
func (m models) Default() (provider.Model, string, error)     { return m.m, "", nil }
func (m models) Thinking(provider.Info) string                { return "off" }

// world is a hub behind a server.
type world struct {
	t     *testing.T
	hub   *control.Hub
	store filestore.Store
	door  protocol.Door
	s     *remote.Server
	at    *swapped
	http  *httptest.Server

	library oneSession
}

// swapped is a handler that another may take the place of.
type swapped struct {
	mu sync.Mutex
	h  http.Handler // guarded by mu
}

func (s *swapped) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	h := s.h
	s.mu.Unlock()
	h.ServeHTTP(w, r)
}

func (w *world) swap(h http.Handler) {
	w.at.mu.Lock()
	defer w.at.mu.Unlock()
	w.at.h = h
}

func newWorld(t *testing.T) *world {
	t.Helper()
	s, err := script.Parse([]byte(rules))
	if err != nil {
		t.Fatal(err)
	}
	read := tool.New(message.ToolSpec{Name: "read", Description: "reads"}, func(_ context.Context, a struct{ Path string }, _ func(message.Output)) (message.Output, error) {
		return message.TextOutput("content of " + a.Path), nil
	})
	w := &world{t: t, store: filestore.Store{Root: t.TempDir()}}
	w.hub = control.NewHub(control.Options{
		Library: &w.library,
		Models:  models{scripted.New(scripted.Info("one"), s)},
		Setup: func(context.Context, control.Place, control.Was, control.Setup) (control.Setup, []string) {
			return control.Plain{Kit: []tool.Tool{read}}, nil
		},
		FindSession: func(_ context.Context, start control.Start, word string) (control.Start, error) {
			start.Open = word
			return start, nil
		},
	})
	t.Cleanup(w.hub.Close)
	w.door = control.Door{Hub: w.hub, Find: func(ctx context.Context, o protocol.Open) (control.Start, error) {
		start := control.Start{Store: w.store}
		if o.Session == "" {
			start.New = session.Header{CWD: "/srv"}.Complete()
			start.File = w.store.FilePath(start.New)
			return start, nil
		}
		path := o.Session
		if !filepath.IsAbs(path) {
			found, _ := filepath.Glob(filepath.Join(w.store.Root, "*", "*"+o.Session+"*.jsonl"))
			if len(found) != 1 {
				return start, protocol.Fail(protocol.NotFound, "there is no session %s", o.Session)
			}
			path = found[0]
		}
		start.Open = path
		return start, nil
	}}
	w.s = &remote.Server{Door: w.door, Tokens: []remote.Key{{Token: secret, Role: remote.Owner}}, Version: "1.2.3"}
	w.at = &swapped{h: w.s.Handler()}
	w.http = httptest.NewServer(w.at)
	t.Cleanup(func() {
		w.s.Close()
		w.http.Close()
	})
	return w
}

func (w *world) dialer() *remote.Dialer { return &remote.Dialer{Address: w.http.URL, Token: secret} }

// front is a front end that keeps what it sees.
type front struct {
	protocol.Client
	t *testing.T

	mu     sync.Mutex
	view   view.View
	events []protocol.Event // but progress
	err    error
	moved  chan struct{}
	done   chan struct{}
}

func (w *world) open(d protocol.Door, o protocol.Open) *front {
	w.t.Helper()
	c, leave, err := d.Open(w.t.Context(), o)
	if err != nil {
		w.t.Fatal(err)
	}
	return watching(w.t, c, leave)
}

func watching(t *testing.T, c protocol.Client, leave func()) *front {
	f := &front{Client: c, t: t, moved: make(chan struct{}, 1), done: make(chan struct{})}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		defer close(f.done)
		for ev, err := range c.Watch(ctx, 0) {
			f.mu.Lock()
			if err != nil {
				f.err = err
			} else {
				f.view.Apply(ev)
				switch ev.(type) {
				case protocol.Delta, protocol.ToolProgress, protocol.ContextChanged:
				default:
					f.events = append(f.events, ev)
				}
			}
			f.mu.Unlock()
			f.ring()
		}
		f.ring()
	}()
	t.Cleanup(func() {
		cancel()
		leave()
		<-f.done
	})
	f.until("the session", func() bool { return f.view.Tree != nil && len(f.events) > 1 })
	return f
}

func (f *front) ring() {
	select {
	case f.moved <- struct{}{}:
	default:
	}
}

// until waits for something to be true of what the front end sees.
func (f *front) until(what string, ok func() bool) {
	f.t.Helper()
	deadline := time.After(time.Minute)
	for {
		f.mu.Lock()
		yes := ok()
		f.mu.Unlock()
		if yes {
			return
		}
		select {
		case <-f.moved:
		case <-deadline:
			f.mu.Lock()
			defer f.mu.Unlock()
			f.t.Fatalf("waited for %s; %v; events: %s", what, f.err, f.names())
		}
	}
}

// names are those of the events, in order.
func (f *front) names() string {
	var out []string
	for _, ev := range f.events {
		n := strings.TrimPrefix(fmt.Sprintf("%T", ev), "protocol.")
		if a, ok := ev.(protocol.Appended); ok {
			n = "+" + string(a.Entry.Type) + string(a.Entry.Role)
		}
		out = append(out, n)
	}
	return strings.Join(out, " ")
}

func (f *front) ends() (n int) {
	for _, ev := range f.events {
		if _, ok := ev.(protocol.RunEnded); ok {
			n++
		}
	}
	return n
}

func (f *front) say(text string) {
	f.t.Helper()
	f.all() // or the end of another's run would be taken for that of ours
	f.mu.Lock()
	n := f.ends()
	f.mu.Unlock()
	if _, err := protocol.Call(f.t.Context(), f, protocol.Prompt{Text: text}); err != nil {
		f.t.Fatal(err)
	}
	f.until("the end of the run", func() bool { return f.ends() > n })
}

// folded writes all that a front end has of a session.
func (f *front) folded() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var b strings.Builder
	fmt.Fprintf(&b, "%s at %s, running %v, %q\n", f.view.Header.ID, f.view.Leaf, f.view.Running, f.view.Queue.Steering)
	for e := range f.view.Tree.Log() {
		line, err := e.Raw()
		fmt.Fprintf(&b, "%v %s %v\n", e.Line, line, err)
	}
	return b.String()
}

// all waits until a front end has come so far as the service is now.
func (f *front) all() {
	f.t.Helper()
	id := fmt.Sprint(time.Now().UnixNano())
	if _, err := protocol.Call(f.t.Context(), f, protocol.Sync{ID: id}); err != nil {
		f.t.Fatal(err)
	}
	f.until("what there is", func() bool {
		for _, ev := range f.events {
			if ev == (protocol.Synced{ID: id}) {
				return true
			}
		}
		return false
	})
}

func (f *front) head() (id, file string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.view.Header.ID, f.view.File
}

// begun makes a session with one message.
func (w *world) begun() (id, file string) {
	w.t.Helper()
	h := session.Header{CWD: "/srv"}.Complete()
	log, err := w.store.Create(w.t.Context(), h, []byte(`{"type":"message","id":"A","parentId":null,"timestamp":"2026-03-01T09:00:00.000Z","message":{"role":"user","content":"ask A","timestamp":5}}`))
	if err != nil {
		w.t.Fatal(err)
	}
	defer log.Close()
	return h.ID, log.(interface{ Path() string }).Path()
}

// What a client sees over HTTP is what one in the process sees, and either may act.
func TestAConversation(t *testing.T) {
	w := newWorld(t)
	id, file := w.begun()
	far := w.open(w.dialer(), protocol.Open{Session: id, Who: "far"})
	near := w.open(w.door, protocol.Open{Session: file, Who: "near"})
	far.say("read them")
	near.say("and now?")
	if _, err := protocol.Call(t.Context(), far, protocol.Navigate{Target: "A", At: true}); err != nil {
		t.Fatal(err)
	}
	far.say("read again")
	far.all()
	near.all()
	if got, want := far.folded(), near.folded(); got != want {
		t.Errorf("far:\n%s\nnear:\n%s", got, want)
	}
	strip := func(f *front) string { return strings.ReplaceAll(f.names(), " Synced", "") }
	if got, want := strip(far), strip(near); got != want {
		t.Errorf("far:\n%s\nnear:\n%s", got, want)
	}
	by := map[string]bool{}
	for _, ev := range far.events {
		if r, ok := ev.(protocol.RunStarted); ok {
			by[r.By] = true
		}
	}
	if !by["far"] || !by["near"] {
		t.Errorf("runs were begun by %v", by)
	}
}

func TestErrorsKeepTheirCodes(t *testing.T) {
	w := newWorld(t)
	id, _ := w.begun()
	f := w.open(w.dialer(), protocol.Open{Session: id})
	if _, err := protocol.Call(t.Context(), f, protocol.Navigate{Target: "nowhere"}); protocol.CodeOf(err) != protocol.UnknownEntry {
		t.Errorf("%v", err)
	}
	if _, _, err := w.dialer().Open(t.Context(), protocol.Open{Session: "none"}); protocol.CodeOf(err) != protocol.NotFound {
		t.Errorf("%v", err)
	}
	d := w.dialer()
	d.Token = "wrong"
	if _, _, err := d.Open(t.Context(), protocol.Open{Session: id}); protocol.CodeOf(err) != remote.Unauthorized || strings.Contains(err.Error(), "wrong") {
		t.Errorf("%v", err)
	}
	if status, body := w.ask("GET", "/api/v1/health", "", nil); status != 200 || !strings.Contains(body, `"version":"1.2.3"`) {
		t.Errorf("%d %s", status, body)
	}
}

// Going over to another session, seen from afar.
func TestGoingOver(t *testing.T) {
	w := newWorld(t)
	id, _ := w.begun()
	far := w.open(w.dialer(), protocol.Open{Session: id})
	far.say("hello")
	if _, err := protocol.Call(t.Context(), far, protocol.Clone{}); err != nil {
		t.Fatal(err)
	}
	far.all()
	if other, _ := far.head(); other == id || other == "" {
		t.Errorf("it stands at %s", other)
	}
	far.mu.Lock()
	n := far.view.Tree.Len()
	far.mu.Unlock()
	if n < 3 {
		t.Errorf("only %d entries", n)
	}
	far.say("on")
}

// When the process there ends, its clients are told.
func TestGone(t *testing.T) {
	w := newWorld(t)
	id, _ := w.begun()
	far := w.open(w.dialer(), protocol.Open{Session: id})
	w.s.Close()
	<-far.done
	if !errors.Is(far.err, remote.ErrGone) {
		t.Errorf("watching ended with %v", far.err)
	}
	if _, err := protocol.Call(t.Context(), far, protocol.GetState{}); !errors.Is(err, remote.ErrGone) {
		t.Errorf("%v", err)
	}
	w.http.Close()
	if _, err := protocol.Call(t.Context(), far, protocol.GetState{}); !errors.Is(err, remote.ErrGone) {
		t.Errorf("%v", err)
	}
}

// A client that is closed ends its watching without an error, as Conn does.
func TestClosed(t *testing.T) {
	w := newWorld(t)
	id, _ := w.begun()
	c, leave, err := w.dialer().Open(t.Context(), protocol.Open{Session: id})
	if err != nil {
		t.Fatal(err)
	}
	f := watching(t, c, leave)
	leave()
	<-f.done
	if f.err != nil {
		t.Error(f.err)
	}
	if _, err := protocol.Call(t.Context(), c, protocol.GetState{}); !errors.Is(err, protocol.ErrClosed) {
		t.Error(err)
	}
}
