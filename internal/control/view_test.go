package control_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

func TestTwoClientsAtTwoLeaves(t *testing.T) {
	w := newWorld(t, `{"rules":[{"when":{"user":"^hold"},"reply":{"text":"This is an answer that takes long.","at":[{"chunk":1,"do":"hold","name":"h"}]}},{"reply":{"text":"Good."}}]}`)
	path := w.file(exampleLines...)
	main := w.connect(control.Start{Open: path})
	own := w.connect(control.Start{Open: path, AtWord: "B", Own: true})
	if own.view.Leaf != "B" {
		t.Fatalf("they stand at %s and %s", own.view.Leaf, main.view.Leaf)
	}
	for _, n := range own.notices {
		t.Errorf("notice %q", n.Text)
	}
	if _, err := protocol.Call(t.Context(), main, protocol.Prompt{Text: "hold"}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	if err := w.script.AwaitHold(ctx, "h"); err != nil {
		t.Fatal(err, main.events, main.ended, w.witness.requests())
	}
	own.say("beside") // while the other one works
	own.wantTalk("user: ask A", "assistant: say B", "user: beside", "assistant: Good.")
	at, _ := protocol.Call(t.Context(), own, protocol.GetState{})
	main.until("what the other one said", func() bool { return main.view.Tree.Has(at.Leaf) })
	w.script.Release("h")
	main.until("the end", func() bool { return main.ends() == 1 })
	at, _ = protocol.Call(t.Context(), main, protocol.GetState{})
	own.until("what the other one said", func() bool { return own.view.Tree.Has(at.Leaf) })
	talk := main.talk()
	if got := talk[len(talk)-1]; got != "assistant: This is an answer that takes long." || strings.Contains(fmt.Sprint(talk), "beside") {
		t.Errorf("the main one: %v", talk)
	}
	// Where the view of its own stands is not kept, that of the main one is.
	own.navigate(protocol.Navigate{Target: "D", Persist: true})
	own.Close()
	main.Close()
	again := w.connect(control.Start{Open: path})
	if again.view.Leaf != at.Leaf {
		t.Errorf("the session stands at %s, want %s", again.view.Leaf, at.Leaf)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if strings.Contains(line, `"bough.leaf"`) && strings.Contains(line, `"parentId":"D"`) {
			t.Errorf("the place of the view is in the file: %s", line)
		}
	}
}

// Views of one log in one process lose no line, and each keeps its branch.
func TestManyViewsSpeakAtOnce(t *testing.T) {
	w := newWorld(t, `{"rules":[{"reply":{"text":"Good."}}]}`)
	path := w.file(exampleLines...)
	const views, turns = 5, 6
	var fronts []*front
	for i := range views {
		at := []string{"B", "D", "A"}[i%3]
		fronts = append(fronts, w.connect(control.Start{Open: path, AtWord: at, Own: i > 0}))
	}
	var wg sync.WaitGroup
	for i, f := range fronts {
		wg.Go(func() {
			for k := range turns {
				f.say(fmt.Sprintf("view %d turn %d", i, k))
			}
		})
	}
	wg.Wait()
	for i, f := range fronts {
		talk := f.talk()
		tail := talk[len(talk)-2*turns:]
		for k := range turns {
			if want := fmt.Sprintf("user: view %d turn %d", i, k); tail[2*k] != want || tail[2*k+1] != "assistant: Good." {
				t.Errorf("view %d: %v", i, tail)
				break
			}
		}
	}
	log, err := session.Open(context.Background(), w.store, path)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	if n := log.Tree().BadLines(); n != 0 {
		t.Errorf("%d damaged lines", n)
	}
	said := 0
	for e := range log.Tree().All() {
		if e.Role == "user" || e.Role == "assistant" {
			said++
		}
	}
	if want := 7 + 2*views*turns; said != want {
		t.Errorf("%d messages in the file, want %d", said, want)
	}
}

func TestAViewOfASessionThatIsNotLive(t *testing.T) {
	w := newWorld(t, summaryRule)
	path := w.file(exampleLines...)
	own := w.connect(control.Start{Open: path, AtWord: "X", Own: true})
	main := w.connect(control.Start{Open: path})
	own.say("here")
	if st, _ := protocol.Call(t.Context(), main, protocol.GetState{}); st.Leaf != "L" {
		t.Errorf("the main one moved to %s", st.Leaf)
	}
	if _, err := w.hub.Connect(t.Context(), control.Start{Store: w.store, Open: path, AtWord: "nope", Own: true}); protocol.CodeOf(err) != protocol.UnknownEntry {
		t.Errorf("at an entry that is not there: %v", err)
	}
}
