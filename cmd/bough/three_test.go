package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/boughdev/bough/internal/control"
	frontend "github.com/boughdev/bough/internal/frontend/rpc"
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

const threeRules = `{"defaults":{"chunk":20},"rules":[
 {"when":{"user":"read","turn":0},"reply":{"text":"Reading.","toolCalls":[{"name":"read","args":{"path":"a"}},{"name":"read","args":{"path":"b"}}]}},
 {"when":{"user":"fail"},"reply":{"error":{"status":400,"message":"no"}}},
 {"reply":{"text":"An answer in a few pieces, so that others come in between."}}
]}`

type oneModel struct{ m provider.Model }

func (m oneModel) Available() []provider.Info                   { return []provider.Info{m.m.Info()} }
func (m oneModel) Model(string, string) (provider.Model, error) { return m.m, nil }
func (m oneModel) Default() (provider.Model, string, error)     { return m.m, "", nil }
func (m oneModel) Thinking(provider.Info) string                { return "off" }

// three is a session that three clients stand at: one in the process, one over
// HTTP, one over RPC.
type three struct {
	t     *testing.T
	store filestore.Store
	file  string
	near  *folded
	far   *folded
	rpc   *piped3
}

func newThree(t *testing.T, rules string) *three {
	t.Helper()
	s, err := script.Parse([]byte(rules))
	if err != nil {
		t.Fatal(err)
	}
	read := tool.New(message.ToolSpec{Name: "read", Description: "reads"}, func(_ context.Context, a struct{ Path string }, _ func(message.Output)) (message.Output, error) {
		return message.TextOutput("content of " + a.Path), nil
	})
	shell := func(_ context.Context, command string, tell func(string)) (protocol.BashResult, error) {
		tell(command)
		return protocol.BashResult{Output: command, ExitCode: new(int)}, nil
	}
	w := &three{t: t, store: filestore.Store{Root: t.TempDir(), Live: true}}
	hub := control.NewHub(control.Options{Models: oneModel{scripted.New(scripted.Info("one"), s)},
		Setup: func(context.Context, control.Place, control.Was, control.Setup) (control.Setup, []string) {
			return control.Plain{Kit: []tool.Tool{read}, Run: shell}, nil
		}})
	t.Cleanup(hub.Close)
	h := session.Header{CWD: w.store.Root}.Complete()
	log, err := w.store.Create(t.Context(), h, []byte(`{"type":"message","id":"aaaa0001","parentId":null,"timestamp":"2026-03-01T09:00:00.000Z","message":{"role":"user","content":"the first","timestamp":5}}`))
	if err != nil {
		t.Fatal(err)
	}
	w.file = log.(interface{ Path() string }).Path()
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	door := control.Door{Hub: hub, Find: func(_ context.Context, o protocol.Open) (control.Start, error) {
		return control.Start{Store: w.store, Open: w.file}, nil
	}}
	across, end, err := far(door)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(end)
	w.near, w.far = follow(t, door, "near"), follow(t, across, "far")
	w.rpc = pipe3(t, door)
	return w
}

// folded is a client that keeps a view.
type folded struct {
	protocol.Client
	t    *testing.T
	door protocol.Door
	name string
	hold sync.Mutex // while a test has it nothing is read

	mu     sync.Mutex
	view   view.View      // guarded by mu
	seen   []string       // entries in the order in which they were told of; guarded by mu
	synced map[string]int // guarded by mu
	err    error          // guarded by mu
	moved  chan struct{}
}

func follow(t *testing.T, door protocol.Door, name string) *folded {
	t.Helper()
	c, leave, err := door.Open(t.Context(), protocol.Open{Session: "s", Who: name})
	if err != nil {
		t.Fatal(err)
	}
	f := &folded{Client: c, t: t, door: door, name: name, synced: map[string]int{}, moved: make(chan struct{}, 1)}
	f.watch(leave)
	f.until("the session", func() bool { return f.view.Model != nil })
	return f
}

func (f *folded) watch(leave func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ev, err := range f.Watch(ctx, 0) {
			f.hold.Lock()
			f.hold.Unlock()
			f.take(ev, err)
		}
	}()
	f.t.Cleanup(func() {
		cancel()
		leave()
		<-done
	})
}

func (f *folded) take(ev protocol.Event, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err != nil {
		f.err = err
		return
	}
	f.view.Apply(ev)
	switch e := ev.(type) {
	case protocol.Opened:
		f.seen = nil
		for e := range f.view.Tree.Log() {
			f.seen = append(f.seen, string(e.ID))
		}
	case protocol.Appended:
		f.seen = append(f.seen, string(e.Entry.ID))
	case protocol.Synced:
		f.synced[e.ID]++
	}
	select {
	case f.moved <- struct{}{}:
	default:
	}
}

// until waits for something to be true of what the client knows.
func (f *folded) until(what string, ok func() bool) {
	f.t.Helper()
	deadline := time.After(2 * time.Minute)
	for {
		f.mu.Lock()
		yes, err := ok(), f.err
		f.mu.Unlock()
		if yes {
			return
		}
		select {
		case <-f.moved:
		case <-deadline:
			f.t.Fatalf("%s: %s did not come (%v)", f.name, what, err)
		}
	}
}

// sync waits until the client knows what has happened up to now.
func (f *folded) sync() {
	f.t.Helper()
	id := strconv.Itoa(int(rand.Uint32()))
	if _, err := protocol.Call(f.t.Context(), f.Client, protocol.Sync{ID: id}); err != nil {
		f.t.Fatal(err)
	}
	f.until("a sync", func() bool { return f.synced[id] > 0 })
}

func (f *folded) rest() {
	f.t.Helper()
	f.until("the end of a run", func() bool { return !f.view.Running })
}

// picture is all that the client knows of the conversation.
func (f *folded) picture() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var b strings.Builder
	fmt.Fprintf(&b, "at %s, running %v, %q, %q, model %v\n", f.view.Leaf, f.view.Running, f.view.Queue.Steering, f.view.Queue.FollowUp, f.view.Model.ID)
	for e := range f.view.Tree.Log() {
		line, err := e.Raw()
		fmt.Fprintf(&b, "%s %v %q\n", line, err, f.view.Tree.Label(e.ID))
	}
	return b.String()
}

// piped3 is a client of RPC.
type piped3 struct {
	t    *testing.T
	in   io.Writer
	hold sync.Mutex // while a test has it nothing is read

	mu      sync.Mutex
	next    int
	answers map[string]chan object
	seen    []string // entries in the order in which they were told of; guarded by mu
}

func pipe3(t *testing.T, door protocol.Door) *piped3 {
	t.Helper()
	c, leave, err := door.Open(t.Context(), protocol.Open{Session: "s", Who: "rpc"})
	if err != nil {
		t.Fatal(err)
	}
	inR, in := io.Pipe()
	out, outW := io.Pipe()
	p := &piped3{t: t, in: in, answers: map[string]chan object{}}
	done := make(chan error, 1)
	go func() {
		err := frontend.Run(context.Background(), c, frontend.Options{In: inR, Out: outW, Err: io.Discard, Door: door})
		inR.Close()
		outW.Close()
		done <- err
	}()
	read := make(chan struct{})
	go func() {
		defer close(read)
		p.read(out)
	}()
	t.Cleanup(func() {
		in.Close()
		if err := <-done; err != nil {
			t.Errorf("RPC ended with %v", err)
		}
		<-read
		leave()
	})
	p.ask(object{"type": "subscribe", "views": []string{"v1"}, "level": "full"})
	return p
}

func (p *piped3) read(out io.Reader) {
	r := bufio.NewReader(out)
	for {
		p.hold.Lock()
		p.hold.Unlock()
		line, err := r.ReadBytes('\n')
		if err != nil {
			return
		}
		var rec object
		if err := json.Unmarshal(line, &rec); err != nil {
			p.t.Errorf("not a record: %s", line)
			continue
		}
		p.mu.Lock()
		switch rec["type"] {
		case "response":
			id, _ := rec["id"].(string)
			p.answers[id] <- rec
			delete(p.answers, id)
		case "entry_appended":
			if rec["view"] == "v1" {
				p.seen = append(p.seen, pick(rec, "entry.id").(string))
			}
		}
		p.mu.Unlock()
	}
}

// ask sends a command and returns its answer.
func (p *piped3) ask(cmd object) object {
	p.mu.Lock()
	p.next++
	id := strconv.Itoa(p.next)
	answer := make(chan object, 1)
	p.answers[id] = answer
	p.mu.Unlock()
	cmd["id"] = id
	line, err := json.Marshal(cmd)
	if err == nil {
		_, err = p.in.Write(append(line, '\n'))
	}
	if err != nil {
		p.t.Error(err)
		return object{}
	}
	return <-answer
}

// said are the texts that somebody has said and that must be there in the end.
type said struct {
	mu    sync.Mutex
	texts []string
}

func (s *said) add(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.texts = append(s.texts, text)
}

// refusable are the errors that a command may meet when others act too.
func refusable(code string) bool {
	return slices.Contains([]protocol.Code{protocol.Busy, protocol.Compacting, protocol.NotRunnable, protocol.BadRequest, protocol.UnknownEntry, protocol.Cancelled, protocol.NotFound}, protocol.Code(code))
}

// text is something to say, which no other is.
func text3(r *rand.Rand, who string, n int) string {
	return fmt.Sprintf("%s %d: %s", who, n, []string{"hello", "read them", "fail", "hello again"}[r.IntN(4)])
}

// act does something by chance. It returns what was said and taken.
func (f *folded) act(r *rand.Rand, n int) (string, error) {
	f.mu.Lock()
	at := session.ID(f.seen[r.IntN(len(f.seen))])
	f.mu.Unlock()
	text := text3(r, f.name, n)
	ctx := f.t.Context()
	var err error
	told := ""
	switch r.IntN(14) {
	case 0, 1, 2:
		_, err = protocol.Call(ctx, f.Client, protocol.Prompt{Text: text, WhenBusy: protocol.AsFollowUp})
		told = text
	case 3:
		_, err = protocol.Call(ctx, f.Client, protocol.Steer{Text: text})
		told = text
	case 4:
		_, err = protocol.Call(ctx, f.Client, protocol.Abort{})
	case 5, 6:
		_, err = protocol.Call(ctx, f.Client, protocol.Navigate{Target: at, At: r.IntN(2) == 0})
	case 7:
		_, err = protocol.Call(ctx, f.Client, protocol.SetLabel{Entry: at, Text: "l" + strconv.Itoa(n)})
	case 8:
		_, err = protocol.Call(ctx, f.Client, protocol.Hide{Entry: at})
	case 9:
		_, err = protocol.Call(ctx, f.Client, protocol.Bash{Command: text})
	case 10:
		_, err = protocol.Call(ctx, f.Client, protocol.Take{What: protocol.TakeEntries, Entries: []session.ID{at}})
	case 11:
		_, err = protocol.Call(ctx, f.Client, protocol.Compact{})
	case 12:
		told = text
		_, err = protocol.Call(ctx, f.Client, protocol.PromptAt{Parent: at, Text: text})
	case 13:
		told, err = text, f.aside(at, text)
	}
	if err != nil {
		told = ""
	}
	return told, err
}

// aside says something in a view of its own.
func (f *folded) aside(at session.ID, text string) error {
	c, leave, err := f.door.Open(f.t.Context(), protocol.Open{Session: "s", Entry: &at, Own: true, Who: f.name})
	if err != nil {
		return err
	}
	defer leave()
	if _, err := protocol.Call(f.t.Context(), c, protocol.Prompt{Text: text}); err != nil {
		return err
	}
	for ev, err := range c.Watch(f.t.Context(), 0) {
		if err != nil {
			return err
		}
		switch e := ev.(type) {
		case protocol.State:
			if !e.Running {
				return nil
			}
		case protocol.RunEnded:
			return nil
		}
	}
	return nil
}

func (p *piped3) act(r *rand.Rand, n int, at string) (string, error) {
	text := text3(r, "rpc", n)
	var cmd object
	told := ""
	switch r.IntN(13) {
	case 0, 1, 2:
		told, cmd = text, object{"type": "prompt", "message": text, "streamingBehavior": "followUp"}
	case 3:
		told, cmd = text, object{"type": "steer", "message": text}
	case 4:
		cmd = object{"type": "abort"}
	case 5, 6:
		cmd = object{"type": "navigate", "entryId": at}
	case 7:
		cmd = object{"type": "set_label", "entryId": at, "label": "r" + strconv.Itoa(n)}
	case 8:
		cmd = object{"type": "hide_entry", "entryId": at}
	case 9:
		cmd = object{"type": "bash", "command": text}
	case 10:
		cmd = object{"type": "take_entries", "what": "entries", "entryIds": []string{at}}
	case 11:
		cmd = object{"type": "compact"}
	case 12:
		told, cmd = text, object{"type": "prompt_at", "parentId": at, "message": text}
	}
	a := p.ask(cmd)
	if a["success"] == true {
		return told, nil
	}
	code, _ := a["code"].(string)
	return "", &protocol.Error{Code: protocol.Code(code), Text: fmt.Sprint(a)}
}

// Three clients that do by chance what they like in one session see the same, and
// nothing of what they say is lost. BOUGH_LONG=60 lets them go on for 60 s.
func TestThreeClientsSeeTheSame(t *testing.T) {
	long, _ := strconv.Atoi(os.Getenv("BOUGH_LONG"))
	seed := uint64(1)
	if long > 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("seed %d", seed)
	w := newThree(t, threeRules)
	end := time.Now().Add(time.Duration(long) * time.Second)
	goesOn := func(n int) bool {
		if long > 0 {
			return time.Now().Before(end)
		}
		return n < 60
	}
	var kept said
	var work sync.WaitGroup
	play := func(who uint64, act func(*rand.Rand, int) (string, error)) {
		work.Go(func() {
			r := rand.New(rand.NewPCG(seed, who))
			for n := 0; goesOn(n); n++ {
				text, err := act(r, n)
				if code := string(protocol.CodeOf(err)); err != nil && !refusable(code) {
					t.Errorf("client %d, action %d: %v", who, n, err)
					return
				}
				if text != "" {
					kept.add(text)
				}
			}
		})
	}
	play(1, w.near.act)
	play(2, w.far.act)
	play(3, func(r *rand.Rand, n int) (string, error) {
		w.near.mu.Lock()
		at := w.near.seen[r.IntN(len(w.near.seen))]
		w.near.mu.Unlock()
		return w.rpc.act(r, n, at)
	})
	work.Wait()
	w.settle()
	w.compare()
	w.nothingLost(kept.texts)
}

// settle waits until nothing goes on and nothing waits, and all is known everywhere.
func (w *three) settle() {
	w.t.Helper()
	for {
		w.near.sync()
		w.near.rest()
		_, err := protocol.Call(w.t.Context(), w.near.Client, protocol.SendQueue{})
		if protocol.CodeOf(err) == protocol.NotRunnable {
			break
		}
		if err != nil && protocol.CodeOf(err) != protocol.Busy {
			w.t.Fatal(err)
		}
	}
	w.near.sync()
	w.far.sync()
	w.rpc.ask(object{"type": "sync"})
}

func (w *three) compare() {
	w.t.Helper()
	near, far := w.near.picture(), w.far.picture()
	if sha256.Sum256([]byte(near)) != sha256.Sum256([]byte(far)) {
		w.t.Errorf("in the process:\n%.100000s\nover HTTP:\n%.100000s", near, far)
	}
	got := w.rpc.ask(object{"type": "get_entries"})
	var lines []string
	for _, e := range pick(got, "data.entries").([]any) {
		lines = append(lines, pick(e, "id").(string))
	}
	w.near.mu.Lock()
	leaf := string(w.near.view.Leaf)
	var want []string
	for e := range w.near.view.Tree.Log() {
		want = append(want, string(e.ID))
	}
	w.near.mu.Unlock()
	if !slices.Equal(lines, want) || pick(got, "data.leafId") != leaf {
		w.t.Errorf("RPC has %d entries and stands at %v; in the process there are %d and %s", len(lines), pick(got, "data.leafId"), len(want), leaf)
	}
	for _, of := range []struct {
		name string
		seen []string
	}{{"near", w.near.seen}, {"far", w.far.seen}, {"rpc", append([]string{"aaaa0001"}, w.rpc.seen...)}} {
		a, b := slices.Sorted(slices.Values(of.seen)), slices.Sorted(slices.Values(want))
		if !slices.Equal(a, b) {
			w.t.Errorf("%s was told of %d entries, want %d, each once", of.name, len(a), len(b))
		}
	}
}

// nothingLost holds the file against what was said.
func (w *three) nothingLost(texts []string) {
	w.t.Helper()
	data, err := os.ReadFile(w.file)
	if err != nil {
		w.t.Fatal(err)
	}
	for i, line := range bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n")) {
		if !json.Valid(line) {
			w.t.Errorf("line %d of the file is no JSON: %.200s", i+1, line)
		}
	}
	s, err := session.Open(w.t.Context(), w.store, w.file)
	if err != nil {
		w.t.Fatal(err)
	}
	defer s.Close()
	if s.Tree().Damaged() {
		w.t.Error("the file is damaged")
	}
	count := map[string]int{}
	for e := range s.Tree().All() {
		if e.Role != message.User {
			continue
		}
		b, err := e.Body()
		if err != nil {
			w.t.Fatal(err)
		}
		count[b.(session.Message).Message.Text("")]++
	}
	for _, text := range texts {
		if count[text] != 1 {
			w.t.Errorf("%q is %d times in the file, want once", text, count[text])
		}
	}
	w.t.Logf("%d texts were said, %d entries are there", len(texts), s.Tree().Len())
	if len(texts) == 0 {
		w.t.Error("nothing was said")
	}
}

// Clients that read nothing hold up nobody, and know all in the end.
func TestWhoReadsNothingHoldsUpNobody(t *testing.T) {
	const runs = 20
	w := newThree(t, `{"defaults":{"chunk":50000},"rules":[{"reply":{"text":"a long answer, ","repeat":30000}}]}`)
	free := follow(t, w.near.door, "free")
	for _, hold := range []*sync.Mutex{&w.near.hold, &w.far.hold, &w.rpc.hold} {
		hold.Lock()
	}
	for n := range runs {
		if _, err := protocol.Call(t.Context(), free.Client, protocol.Prompt{Text: fmt.Sprint("question ", n)}); err != nil {
			t.Fatal(err)
		}
		free.sync()
		free.rest()
	}
	free.mu.Lock()
	answers := 0
	for e := range free.view.Tree.Log() {
		if e.Role == message.Assistant && e.Line.Size > 400_000 {
			answers++
		}
	}
	free.mu.Unlock()
	if answers != runs {
		t.Errorf("%d long answers are there, want %d", answers, runs)
	}
	for _, hold := range []*sync.Mutex{&w.near.hold, &w.far.hold, &w.rpc.hold} {
		hold.Unlock()
	}
	w.settle()
	w.compare()
	if got, want := w.near.picture(), free.picture(); sha256.Sum256([]byte(got)) != sha256.Sum256([]byte(want)) {
		t.Errorf("who read nothing knows %d bytes, others %d", len(got), len(want))
	}
}
