package remote_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/boughdev/bough/internal/remote"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// cutter is a connection in between that breaks after some bytes of an answer.
type cutter struct {
	net.Listener
	to   string
	all  sync.WaitGroup
	mu   sync.Mutex
	r    *rand.Rand        // guarded by mu
	cuts int               // guarded by mu
	open map[net.Conn]bool // guarded by mu
	most int               // bytes that go through before a cut
}

func newCutter(t *testing.T, to string, seed uint64, most int) *cutter {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &cutter{Listener: l, to: to, r: rand.New(rand.NewPCG(seed, 0)), most: most, open: map[net.Conn]bool{}}
	c.all.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			c.all.Go(func() { c.serve(conn) })
		}
	})
	t.Cleanup(func() {
		l.Close()
		c.mu.Lock()
		for conn := range c.open {
			conn.Close()
		}
		c.open = nil
		c.mu.Unlock()
		c.all.Wait()
	})
	return c
}

func (c *cutter) serve(in net.Conn) {
	defer in.Close()
	out, err := net.Dial("tcp", c.to)
	if err != nil {
		return
	}
	defer out.Close()
	c.mu.Lock()
	if c.open == nil {
		c.mu.Unlock()
		return
	}
	c.open[in], c.open[out] = true, true
	up, down := int64(c.r.IntN(c.most)), int64(c.r.IntN(c.most))
	c.mu.Unlock()
	done := make(chan struct{}, 2)
	go func() { io.CopyN(out, in, up); done <- struct{}{} }()
	go func() { io.CopyN(in, out, down); done <- struct{}{} }()
	<-done
	in.Close()
	out.Close()
	<-done
	c.mu.Lock()
	delete(c.open, in)
	delete(c.open, out)
	c.cuts++
	c.mu.Unlock()
}

// However often the connection breaks, a client sees what one in the process sees,
// event by event, and what it asks for is done once.
func TestBrokenConnections(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			w := newWorld(t)
			id, file := w.begun()
			near := w.open(w.door, protocol.Open{Session: file})
			c := newCutter(t, w.http.Listener.Addr().String(), seed, 6000)
			d := &remote.Dialer{Address: c.Addr().String(), Token: secret, Patience: 10 * time.Minute}
			far := w.open(d, protocol.Open{Session: id})
			r := rand.New(rand.NewPCG(seed, 1))
			for i := range 12 {
				switch r.IntN(4) {
				case 0:
					far.say(fmt.Sprintf("read %d", i))
				case 1:
					near.say(fmt.Sprintf("say %d", i))
				case 2:
					if _, err := protocol.Call(t.Context(), far, protocol.Navigate{Target: "A", At: true}); err != nil {
						t.Fatal(err)
					}
				case 3:
					if _, err := protocol.Call(t.Context(), far, protocol.SetLabel{Entry: "A", Text: fmt.Sprint(i)}); err != nil {
						t.Fatal(err)
					}
				}
			}
			far.all()
			near.all()
			if got, want := far.folded(), near.folded(); got != want {
				t.Errorf("far:\n%s\nnear:\n%s", got, want)
			}
			strip := func(f *front) string { return strings.ReplaceAll(f.names(), " Synced", "") }
			if got, want := strip(far), strip(near); got != want {
				t.Errorf("far:\n%s\nnear:\n%s", got, want)
			}
			c.mu.Lock()
			defer c.mu.Unlock()
			t.Logf("the connection broke %d times", c.cuts)
		})
	}
}

// A client that the server has left meanwhile comes back behind the entries it has.
func TestComingBack(t *testing.T) {
	w := newWorld(t)
	id, file := w.begun()
	near := w.open(w.door, protocol.Open{Session: file})
	far := w.open(w.dialer(), protocol.Open{Session: id})
	far.say("read them")
	far.all()
	// A server in another process at the same address: it knows no client.
	other := &remote.Server{Door: w.door, Tokens: w.s.Tokens}
	t.Cleanup(other.Close)
	w.swap(other.Handler())
	w.http.CloseClientConnections()
	near.say("more")
	far.all()
	near.all()
	if got, want := far.folded(), near.folded(); got != want {
		t.Errorf("far:\n%s\nnear:\n%s", got, want)
	}
	far.mu.Lock()
	defer far.mu.Unlock()
	seen := map[session.ID]int{}
	for _, ev := range far.events {
		if a, ok := ev.(protocol.Appended); ok {
			if seen[a.Entry.ID]++; seen[a.Entry.ID] > 1 {
				t.Errorf("entry %s came twice", a.Entry.ID)
			}
		}
	}
	if strings.Count(far.names(), "Opened") != 1 {
		t.Errorf("events %s", far.names())
	}
}

// A session that is larger than what comes over one connection arrives all the same.
func TestALargeTreeInPieces(t *testing.T) {
	w := newWorld(t)
	h := session.Header{CWD: "/srv"}.Complete()
	var lines [][]byte
	parent := "null"
	for i := range 400 {
		id := fmt.Sprintf("e%d", i)
		lines = append(lines, fmt.Appendf(nil, `{"type":"message","id":%q,"parentId":%s,"timestamp":"2026-03-01T09:00:00.000Z","message":{"role":"user","content":%q,"timestamp":5}}`, id, parent, strings.Repeat("x", 100+i)))
		parent = fmt.Sprintf("%q", id)
	}
	log, err := w.store.Create(t.Context(), h, lines...)
	if err != nil {
		t.Fatal(err)
	}
	log.Close()
	c := newCutter(t, w.http.Listener.Addr().String(), 3, 60_000)
	far := w.open(&remote.Dialer{Address: c.Addr().String(), Token: secret, Patience: 10 * time.Minute}, protocol.Open{Session: h.ID})
	near := w.open(w.door, protocol.Open{Session: h.ID})
	if got, want := far.folded(), near.folded(); got != want {
		t.Errorf("far:\n%s\nnear:\n%s", got, want)
	}
}

// A large message goes both ways.
func TestLargeMessages(t *testing.T) {
	w := newWorld(t)
	id, _ := w.begun()
	far := w.open(w.dialer(), protocol.Open{Session: id})
	text := strings.Repeat("a line of text, 漢字\n", 9<<20/24)
	far.say(text)
	far.mu.Lock()
	defer far.mu.Unlock()
	for _, ev := range far.events {
		if a, ok := ev.(protocol.Appended); ok && a.Entry.Role == "user" {
			line, err := a.Entry.Raw()
			if err != nil || strings.Count(string(line), "漢字") != strings.Count(text, "漢字") {
				t.Errorf("%d bytes came back, %v", len(line), err)
			}
			return
		}
	}
	t.Error("it did not come back")
}

func TestTooLarge(t *testing.T) {
	w := newWorld(t)
	id, _ := w.begun()
	small := &remote.Server{Door: w.door, Tokens: w.s.Tokens, MaxBody: 1 << 20}
	t.Cleanup(small.Close)
	w.swap(small.Handler())
	far := w.open(w.dialer(), protocol.Open{Session: id})
	_, err := protocol.Call(t.Context(), far, protocol.Prompt{Text: strings.Repeat("x", 2<<20)})
	if protocol.CodeOf(err) != remote.TooLarge || !strings.Contains(err.Error(), "1 MB") {
		t.Error(err)
	}
}
