package control_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/session/filestore"
)

// slowSetups makes the setups of a folder wait until they are let go.
type slowSetups struct {
	begun chan string   // the folders
	free  chan struct{} // all go on when it is closed
}

func (s slowSetups) hub(t *testing.T, w *world, slow string, settings control.Settings) *control.Hub {
	h := control.NewHub(control.Options{Models: models{w.witness}, Settings: settings, Setup: func(_ context.Context, p control.Place, _ control.Was, _ control.Setup) (control.Setup, []string) {
		if p.Dir == slow {
			s.begun <- p.Dir
			<-s.free
		}
		return control.Plain{}, nil
	}})
	t.Cleanup(h.Close)
	return h
}

func (w *world) sessionIn(dir string) string {
	w.t.Helper()
	h := session.Header{CWD: dir}.Complete()
	log, err := w.store.Create(w.t.Context(), h, []byte(user("A", "", "ask A")))
	if err != nil {
		w.t.Fatal(err)
	}
	defer log.Close()
	return log.(interface{ Path() string }).Path()
}

// While a session is being started other ones open, and whoever wants the same one
// gets the same one.
func TestSlowStartsKeepNobodyElseWaiting(t *testing.T) {
	w := newWorld(t, goodRule)
	slow, quick := t.TempDir(), t.TempDir()
	one, other := w.sessionIn(slow), w.sessionIn(quick)
	s := slowSetups{begun: make(chan string, 10), free: make(chan struct{})}
	hub := s.hub(t, w, slow, nil)
	const many = 5
	conns := make(chan *control.Conn, many)
	for range many {
		go func() {
			c, err := hub.Connect(context.Background(), control.Start{Store: w.store, Open: one})
			if err != nil {
				t.Error(err)
			}
			conns <- c
		}()
	}
	<-s.begun
	c, err := hub.Connect(t.Context(), control.Start{Store: w.store, Open: other})
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := hub.Connect(gone, control.Start{Store: w.store, Open: one}); !errors.Is(err, context.Canceled) {
		t.Errorf("who waited no longer was told %v", err)
	}
	close(s.free)
	var fronts []*control.Conn
	for range many {
		fronts = append(fronts, <-conns)
	}
	if n := len(s.begun); n != 0 {
		t.Errorf("%d more setups were made", n)
	}
	if _, err := protocol.Call(t.Context(), fronts[0], protocol.SetLabel{Entry: "A", Text: "x"}); err != nil {
		t.Fatal(err)
	}
	want, err := protocol.Call(t.Context(), fronts[0], protocol.GetState{})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range fronts {
		if st, err := protocol.Call(t.Context(), f, protocol.GetState{}); err != nil || st.Leaf != want.Leaf {
			t.Errorf("one of them stands at %s (%v), want %s", st.Leaf, err, want.Leaf)
		}
		f.Close()
	}
}

// Settings that are changed while a session is started hold for it too.
func TestChangesDuringAStart(t *testing.T) {
	w := newWorld(t, goodRule)
	slow := t.TempDir()
	path := w.sessionIn(slow)
	s := slowSetups{begun: make(chan string, 10), free: make(chan struct{})}
	hub := s.hub(t, w, slow, turnLimit{})
	here, err := hub.Connect(t.Context(), control.Start{New: session.Header{CWD: t.TempDir()}})
	if err != nil {
		t.Fatal(err)
	}
	defer here.Close()
	opened := make(chan *control.Conn)
	go func() {
		c, err := hub.Connect(context.Background(), control.Start{Store: w.store, Open: path})
		if err != nil {
			t.Error(err)
		}
		opened <- c
	}()
	<-s.begun
	if _, err := protocol.Call(t.Context(), here, protocol.SetSetting{}); err != nil {
		t.Fatal(err)
	}
	close(s.free)
	c := <-opened
	defer c.Close()
	for name, f := range map[string]*control.Conn{"the old one": here, "the new one": c} {
		if st, err := protocol.Call(t.Context(), f, protocol.GetState{}); err != nil || st.MaxTurns != 7 {
			t.Errorf("%s has a limit of %d turns (%v)", name, st.MaxTurns, err)
		}
	}
}

// turnLimit are settings of which each change sets the limit of turns to 7.
type turnLimit struct{}

func (turnLimit) Get(string, protocol.GetSettings) (protocol.Settings, error) {
	return protocol.Settings{}, nil
}
func (turnLimit) Again() control.Change { return control.Change{} }
func (turnLimit) Set(context.Context, string, protocol.SetSetting) (protocol.SettingSet, control.Change, error) {
	return protocol.SettingSet{}, control.Change{Options: func(o *control.Options) { o.MaxTurns = 7 }}, nil
}

// A session that is opened again while it is closed is not there twice.
func TestOpenedAgainWhileItIsClosed(t *testing.T) {
	w := newWorld(t, goodRule)
	w.store.Leases = t.TempDir()
	path := w.file(exampleLines...)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 30 {
				c, err := w.hub.Connect(t.Context(), control.Start{Store: w.store, Open: path})
				if err != nil {
					t.Error(err)
					return
				}
				for ev, err := range c.Watch(t.Context(), 0) {
					if n, ok := ev.(protocol.Notice); ok {
						t.Error(n.Text)
					}
					if _, ok := ev.(protocol.State); ok || err != nil {
						break
					}
				}
				c.Close()
			}
		})
	}
	wg.Wait()
}

// Whoever begins to watch while the session is left sees one session at a time.
func TestWatchingDuringASwitch(t *testing.T) {
	w := newWorld(t, goodRule)
	paths := []string{w.sessionIn(t.TempDir()), w.sessionIn(t.TempDir())}
	f := w.connect(control.Start{Open: paths[0]})
	others := []*front{w.connect(control.Start{Open: paths[0]}), w.connect(control.Start{Open: paths[1]})}
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for ctx.Err() == nil {
				file := ""
				tree := map[session.ID]bool{}
				n := 0
				for ev, err := range f.Watch(ctx, 0) {
					if n++; err != nil || n > 20 {
						break
					}
					switch e := ev.(type) {
					case protocol.Opened:
						file = e.File
						clear(tree)
						for at := range e.Tree.All() {
							tree[at.ID] = true
						}
					case protocol.Appended:
						if parent := e.Entry.Parent; parent != "" && !tree[parent] {
							t.Errorf("an entry of another session than %s", file)
						}
						tree[e.Entry.ID] = true
					}
				}
			}
		})
	}
	for i := range 60 {
		call(f, protocol.SwitchSession{Session: paths[(i+1)%2]})
		call(others[i%2], protocol.SetLabel{Entry: "A", Text: fmt.Sprint(i)})
	}
	cancel()
	wg.Wait()
}

func (w *world) door() protocol.Door {
	return control.Door{Hub: w.hub, Find: func(_ context.Context, o protocol.Open) (control.Start, error) {
		if o.Session == "" {
			h := session.Header{CWD: "/srv"}.Complete()
			return control.Start{Store: w.store, New: h, File: w.store.FilePath(h)}, nil
		}
		if _, err := os.Stat(o.Session); err != nil && !o.Create {
			return control.Start{Store: w.store}, protocol.Fail(protocol.NotFound, "There is no session file %s.", o.Session)
		} else if err != nil {
			h := session.Header{CWD: "/srv"}.Complete()
			return control.Start{Store: filestore.Store{Root: w.store.Root, Path: o.Session, PathID: h.ID}, New: h, File: o.Session}, nil
		}
		return control.Start{Store: w.store, Open: o.Session}, nil
	}}
}

// open opens a session as a front end does that stands at several.
func (w *world) open(o protocol.Open) protocol.Client {
	w.t.Helper()
	c, leave, err := w.door().Open(w.t.Context(), o)
	if err != nil {
		w.t.Fatalf("%+v: %v", o, err)
	}
	w.t.Cleanup(leave)
	return c
}

func leafOf(t *testing.T, c protocol.Client) session.ID {
	t.Helper()
	st, err := protocol.Call(t.Context(), c, protocol.GetState{})
	if err != nil {
		t.Fatal(err)
	}
	return st.Leaf
}

func TestDoor(t *testing.T) {
	w := newWorld(t, goodRule)
	path := w.file(exampleLines...)
	had, _ := os.ReadFile(path)
	at := func(id session.ID) *session.ID { return &id }
	main := w.open(protocol.Open{Session: path, Own: true})
	own := w.open(protocol.Open{Session: path, Own: true, Entry: at("B")})
	first := w.open(protocol.Open{Session: path, Own: true, Entry: at("")})
	moved := w.open(protocol.Open{Session: path, Own: true, Entry: at("F")})
	exact := w.open(protocol.Open{Session: path, Own: true, Entry: at("F"), Exact: true})
	for name, tt := range map[string]struct {
		c    protocol.Client
		want session.ID
	}{"where it stood": {main, "L"}, "at an entry": {own, "B"}, "before the first": {first, ""}, "behind a tool turn": {moved, "R"}, "in a tool turn": {exact, "F"}} {
		if leaf := leafOf(t, tt.c); leaf != tt.want {
			t.Errorf("%s: it stands at %q, want %q", name, leaf, tt.want)
		}
	}
	if has, _ := os.ReadFile(path); string(has) != string(had) {
		t.Errorf("opening has written:\n%s", has)
	}
	joined := w.open(protocol.Open{Session: path})
	if leaf := leafOf(t, joined); leaf != "L" {
		t.Errorf("who joins stands at %s", leaf)
	}
	w.open(protocol.Open{Session: path, Entry: at("X")})
	if leaf := leafOf(t, main); leaf != "X" || leafOf(t, own) != "B" {
		t.Errorf("who joins at a place takes the main view to %s, the other one to %s", leaf, leafOf(t, own))
	}
	_, _, err := w.door().Open(t.Context(), protocol.Open{Session: path, Entry: at("nope")})
	if protocol.CodeOf(err) != protocol.UnknownEntry {
		t.Errorf("an entry that is not there: %v", err)
	}
	_, _, err = w.door().Open(t.Context(), protocol.Open{Session: path, Entry: at("nope"), Own: true})
	if protocol.CodeOf(err) != protocol.UnknownEntry {
		t.Errorf("an entry that is not there, in a view of its own: %v", err)
	}
}

// Two who begin the same file stand at one session, also before it is written; there
// is no second place in it then.
func TestDoorToAFileThatIsNotThereYet(t *testing.T) {
	w := newWorld(t, goodRule)
	path := filepath.Join(t.TempDir(), "new.jsonl")
	a := w.open(protocol.Open{Session: path, Create: true, Own: true, Name: "mine"})
	for name, o := range map[string]protocol.Open{"by path": {Session: path}, "begun again": {Session: path, Create: true}} {
		if la, lb := leafOf(t, a), leafOf(t, w.open(o)); la != lb || la == "" {
			t.Errorf("%s: they stand at %q and %q", name, la, lb)
		}
		o.Own = true
		if _, _, err := w.door().Open(t.Context(), o); protocol.CodeOf(err) != protocol.NotRunnable {
			t.Errorf("%s, in a view of its own: %v", name, err)
		}
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("opening has made a file")
	}
	fresh := w.open(protocol.Open{})
	var id string
	for ev, err := range fresh.Watch(t.Context(), 0) {
		if o, ok := ev.(protocol.Opened); ok && err == nil {
			id = o.Header.ID
		}
		break
	}
	call(&front{Client: fresh, t: t}, protocol.SetName{Text: "fresh"})
	if la, lb := leafOf(t, fresh), leafOf(t, w.open(protocol.Open{Session: id})); la != lb || la == "" {
		t.Errorf("by id: they stand at %q and %q", la, lb)
	}
}

// A place that is asked for is stood at, also where settings are written down early.
func TestDoorWhereSettingsComeEarly(t *testing.T) {
	w := newWorld(t, goodRule)
	path := w.file(exampleLines...)
	w.hub = control.NewHub(control.Options{Models: models{w.witness}, Early: true})
	t.Cleanup(w.hub.Close)
	for _, id := range []session.ID{"", "B", "X"} {
		if leaf := leafOf(t, w.open(protocol.Open{Session: path, Own: true, Entry: &id})); leaf != id {
			t.Errorf("it stands at %q, want %q", leaf, id)
		}
	}
}
