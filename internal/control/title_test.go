package control_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

const titleRules = `[
 {"when":{"system":"You name conversations","user":"nameless"},"reply":{"text":"  \n"}},
 {"when":{"system":"You name conversations"},"reply":{"text":"\n**\"Price of ash chairs.\"**\nThat is it."}},
 {"when":{},"reply":{"text":"Well."}}]`

func titleWorld(t *testing.T, auto bool) *world {
	w := newWorld(t, titleRules)
	w.hub = control.NewHub(control.Options{Models: models{w.witness}, AutoTitle: auto, Follow: true})
	t.Cleanup(w.hub.Close)
	return w
}

// kinds lists the entries of a session that are about its name.
func (f *front) kinds() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []string
	for e := range f.view.Tree.All() {
		if body, err := e.Body(); err == nil {
			switch b := body.(type) {
			case session.Info:
				out = append(out, "name "+b.Name)
			case session.Usage:
				out = append(out, "usage "+b.Kind)
			case session.Custom:
				out = append(out, b.CustomType)
			}
		}
	}
	return out
}

func TestTitleByTheModel(t *testing.T) {
	w := titleWorld(t, true)
	f := w.connect(control.Start{})
	f.say("What do the chairs cost?")
	f.until("the title", func() bool { return slices.Contains(f.events, "NameChanged") })
	want := []string{"usage title", "name Price of ash chairs", "bough.title"}
	if got := f.kinds(); !slices.Equal(got, want) {
		t.Errorf("entries %q, want %q", got, want)
	}
	f.say("And tables?")
	f.wantTalk("user: What do the chairs cost?", "assistant: Well.", "user: And tables?", "assistant: Well.")
	if got := f.kinds(); !slices.Equal(got, want) {
		t.Errorf("asked again: %q", got)
	}
	// It is made anew on demand; a name by hand is not touched by itself.
	if got, err := protocol.Call(t.Context(), f, protocol.MakeTitle{}); err != nil || got != "Price of ash chairs" {
		t.Errorf("on demand: %q, %v", got, err)
	}
	path := f.view.File
	if _, err := protocol.Call(t.Context(), f, protocol.SetName{Text: "Mine"}); err != nil {
		t.Fatal(err)
	}
	f.Close()
	f = w.connect(control.Start{Open: path})
	f.say("More?")
	if got := f.view.Tree.Name(); got != "Mine" {
		t.Errorf("named %q, want what the person said", got)
	}
}

func TestNoTitleUnlessWanted(t *testing.T) {
	w := titleWorld(t, false)
	f := w.connect(control.Start{})
	if _, err := protocol.Call(t.Context(), f, protocol.MakeTitle{}); protocol.CodeOf(err) != protocol.NotRunnable {
		t.Errorf("a title of nothing: %v", err)
	}
	f.say("nameless")
	f.Close()
	f = w.connect(control.Start{Open: f.view.File})
	if got := f.kinds(); len(got) != 0 {
		t.Errorf("a title that nobody wanted: %q", got)
	}
	if _, err := protocol.Call(t.Context(), f, protocol.MakeTitle{}); err == nil || !strings.Contains(err.Error(), "found no title") {
		t.Errorf("an empty title: %v", err)
	}
	f.until("what it cost", func() bool { return slices.Contains(f.events, "+usage") })
	if got := f.kinds(); !slices.Equal(got, []string{"usage title"}) {
		t.Errorf("entries %q", got)
	}
}
