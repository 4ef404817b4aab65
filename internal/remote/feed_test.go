package remote

import (
	"errors"
	"fmt"
	"testing"

	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

func fact(size int) protocol.Event {
	return protocol.Appended{Entry: &session.Entry{Line: session.Line{Seq: 1, Size: size}}}
}

func mustTake(t *testing.T, f *feed, reader int) protocol.Event {
	t.Helper()
	ev, ok, err := f.take(reader)
	if !ok || err != nil {
		t.Fatalf("%v, %v", ok, err)
	}
	return ev
}

// Facts that nobody takes end the stream once they are too many.
func TestTooMuchWaits(t *testing.T) {
	ended := false
	f := newFeed(100, func() { ended = true })
	reader, _ := f.attach(100)
	for range 63 {
		f.put(fact(1 << 20))
	}
	if ended {
		t.Fatal("it was ended too early")
	}
	mustTake(t, f, reader)
	f.put(fact(1 << 20))
	if ended {
		t.Fatal("what was taken counts")
	}
	f.put(fact(1 << 20))
	f.put(fact(1 << 20))
	if _, _, err := f.take(reader); !errors.Is(err, errLapsed) || !ended {
		t.Errorf("%v, ended %v", err, ended)
	}
	if _, ok := f.attach(101); ok {
		t.Error("it goes on")
	}
	f.put(fact(1))
	if len(f.items) != 0 {
		t.Error("it takes more")
	}
}

// Progress that waits is merged, that which was sent is not touched any more.
func TestProgressIsMerged(t *testing.T) {
	f := newFeed(1, func() {})
	reader, _ := f.attach(1)
	say := func(s string) { f.put(protocol.BashOutput{Delta: s}) }
	say("a")
	say("b")
	if got := mustTake(t, f, reader); got != (protocol.BashOutput{Delta: "ab"}) {
		t.Errorf("%v", got)
	}
	say("c")
	f.put(protocol.TurnStarted{})
	say("d")
	var got []protocol.Event
	for range 3 {
		got = append(got, mustTake(t, f, reader))
	}
	if want := []protocol.Event{protocol.BashOutput{Delta: "c"}, protocol.TurnStarted{}, protocol.BashOutput{Delta: "d"}}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v", got)
	}
	if _, ok, err := f.take(reader); ok || err != nil {
		t.Errorf("%v, %v", ok, err)
	}
}

// Another reader goes on where the one before broke off, which is told to go.
func TestGoingOnWhereItBrokeOff(t *testing.T) {
	f := newFeed(10, func() {})
	first, _ := f.attach(10)
	for i := range 5 {
		f.put(protocol.Synced{ID: fmt.Sprint(i)})
	}
	for range 4 {
		mustTake(t, f, first)
	}
	second, ok := f.attach(12)
	if !ok {
		t.Fatal("it cannot go on")
	}
	if _, _, err := f.take(first); !errors.Is(err, errTaken) {
		t.Errorf("the first one: %v", err)
	}
	for i := 2; i < 5; i++ {
		if got := mustTake(t, f, second); got != (protocol.Synced{ID: fmt.Sprint(i)}) {
			t.Errorf("%v", got)
		}
	}
	if _, ok := f.attach(15); !ok {
		t.Error("nothing was lost, and it cannot go on")
	}
	for _, n := range []uint64{0, 9, 16, 1 << 40} {
		if _, ok := f.attach(n); ok {
			t.Errorf("it goes on at %d", n)
		}
	}
	f.end(errEnded)
	if _, ok, err := f.take(3); ok || !errors.Is(err, errEnded) {
		t.Errorf("%v, %v", ok, err)
	}
}

// What was sent long ago is not kept.
func TestWhatWasSentGoes(t *testing.T) {
	f := newFeed(1, func() {})
	reader, _ := f.attach(1)
	for i := range 3 * keptEvents {
		f.put(protocol.Synced{ID: fmt.Sprint(i)})
		mustTake(t, f, reader)
	}
	if len(f.items) > keptEvents {
		t.Errorf("%d are kept", len(f.items))
	}
	if _, ok := f.attach(1); ok {
		t.Error("it goes on at the beginning")
	}
	// A tree takes as many numbers as it has entries, and is not kept.
	tree := session.NewTree()
	for i := range 7 {
		tree.Add(&session.Entry{ID: session.ID(fmt.Sprint(i)), Type: session.TypeMessage})
	}
	n := f.next
	f.put(protocol.Opened{Tree: tree})
	if f.next != n+8 {
		t.Errorf("it took %d numbers", f.next-n)
	}
	f.put(protocol.TurnStarted{})
	mustTake(t, f, reader)
	mustTake(t, f, reader)
	if _, ok := f.attach(n); ok {
		t.Error("the tree is kept")
	}
	if _, ok := f.attach(n + 8); !ok {
		t.Error("what is behind the tree is not kept")
	}
}
