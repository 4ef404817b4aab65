package rpc

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// still is a session in which nothing happens but what a test tells of.
type still struct {
	events chan protocol.Event
	gone   chan struct{}
	once   *sync.Once
}

func newStill() still {
	s := still{make(chan protocol.Event, 1<<10), make(chan struct{}), new(sync.Once)}
	s.events <- protocol.Opened{Header: session.Header{ID: "still"}, Tree: session.NewTree()}
	s.events <- protocol.State{}
	return s
}

func (s still) tell(ev protocol.Event) {
	select {
	case s.events <- ev:
	case <-s.gone:
	}
}

func (s still) Do(_ context.Context, cmd protocol.Request) (any, error) {
	switch x := cmd.(type) {
	case protocol.Sync:
		s.tell(protocol.Synced{ID: x.ID})
		return protocol.None{}, nil
	case protocol.GetPolicy:
		return protocol.Policy{}, nil
	}
	return nil, protocol.Fail(protocol.NotRunnable, "nothing happens here")
}

func (s still) Watch(ctx context.Context, _ session.Seq) iter.Seq2[protocol.Event, error] {
	return func(yield func(protocol.Event, error) bool) {
		defer s.once.Do(func() { close(s.gone) })
		for {
			select {
			case ev := <-s.events:
				if !yield(ev, nil) {
					return
				}
			case <-ctx.Done():
				yield(nil, ctx.Err())
				return
			}
		}
	}
}

// shout is an event of a megabyte.
func shout() protocol.Event {
	m := message.Message{Role: message.Assistant, Content: []message.Block{message.Text(strings.Repeat("x", 1<<20))}}
	return protocol.TurnEnded{Answer: m.WithContent(m.Content)} // whose JSON is made already
}

// Who subscribes and does not read is told so and left; what waits for it does not
// fill the memory.
func TestASlowReaderIsLeft(t *testing.T) { synctest.Test(t, leaveSlow) }

func leaveSlow(t *testing.T) {
	c := newStill()
	in, commands := io.Pipe()
	out, w := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- Run(context.Background(), c, Options{In: in, Out: w, Err: io.Discard})
		w.Close()
	}()
	fmt.Fprintln(commands, `{"id":"s","type":"subscribe","views":["v1"]}`)
	r := bufio.NewReaderSize(out, 1<<10)
	if first, err := r.ReadBytes('\n'); err != nil || !bytes.Contains(first, []byte(`"success":true`)) {
		t.Fatalf("%s %v", first, err)
	}
	loud := shout()
	for left := false; !left; {
		select {
		case c.events <- loud:
		case <-c.gone: // nobody listens any more
			left = true
		}
	}
	var last []byte
	n := 0
	for {
		line, err := r.ReadBytes('\n')
		if err != nil {
			break
		}
		n++
		last = line
	}
	if code, _ := rawjson.GetString(last, "code"); code != "slow_reader" || n > 200 {
		t.Errorf("%d records, the last is %.200s", n, last)
	}
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "v1") {
		t.Errorf("error %v", err)
	}
	commands.Close()
}

// pi's stream is never cut: it waits.
func TestAPlainReaderMayBeSlow(t *testing.T) { synctest.Test(t, waitForPlain) }

func waitForPlain(t *testing.T) {
	c := newStill()
	in, commands := io.Pipe()
	out, w := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- Run(context.Background(), c, Options{In: in, Out: w, Err: io.Discard})
		w.Close()
	}()
	const n = 100 // more than may wait of a subscription
	loud := shout()
	for range n {
		c.tell(loud)
	}
	read := make(chan int)
	go func() {
		lines := 0
		r := bufio.NewReaderSize(out, 1<<20)
		for {
			if _, err := r.ReadBytes('\n'); err != nil {
				break
			}
			lines++
		}
		read <- lines
	}()
	commands.Close()
	if got := <-read; got != n {
		t.Errorf("%d records, want %d", got, n)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// Whatever comes in, each line has one answer, and the next is heard.
func FuzzLines(f *testing.F) {
	for _, name := range ourNames() {
		f.Add([]byte(`{"id":1,"type":"` + name + `"}`))
		f.Add([]byte(`{"id":[],"type":"` + name + `","view":"v1","entryId":null,"parentId":"x","message":"m","content":[{"type":"text","text":"x"}],"role":"user","views":"*","name":5}`))
	}
	f.Add([]byte("{\"type\":\"open_view\",\"sessionPath\":\"\\u0000\",\"view\":{}}\n\n\x00\xff\nnull"))
	f.Fuzz(func(t *testing.T, lines []byte) {
		if bytes.Contains(lines, []byte("extension_ui_response")) {
			return // is not answered
		}
		var out bytes.Buffer
		if err := Run(context.Background(), newStill(), Options{In: bytes.NewReader(lines), Out: &out, Err: io.Discard, Version: "1"}); err != nil {
			t.Fatal(err)
		}
		want := bytes.Count(lines, []byte("\n"))
		if len(lines) > 0 && lines[len(lines)-1] != '\n' {
			want++
		}
		got := 0
		for line := range bytes.Lines(out.Bytes()) {
			rec := bytes.TrimSuffix(line, []byte("\n"))
			if !rawjson.Valid(rec) {
				t.Fatalf("not a record: %q", rec)
			}
			if typ, _ := rawjson.GetString(rec, "type"); typ == "response" {
				got++
			} else if typ != "view_snapshot" {
				t.Fatalf("record %s", rec)
			}
		}
		if got != want {
			t.Fatalf("%d answers to %d lines: %s", got, want, out.Bytes())
		}
	})
}
