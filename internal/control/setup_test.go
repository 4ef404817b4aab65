package control_test

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/internal/prompt"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/provider/scripted"
	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/tool"
)

// kit is a setup whose parts a test changes.
type kit struct {
	control.Plain
	tools   []string
	off     map[string]bool
	text    string
	choices string
	changed chan struct{}
	closed  bool
}

func (k *kit) Tools() []tool.Tool {
	var out []tool.Tool
	for _, name := range k.tools {
		if !k.off[name] {
			out = append(out, tool.New(message.ToolSpec{Name: name, Description: "does " + name},
				func(context.Context, struct{}, func(message.Output)) (message.Output, error) {
					return message.TextOutput("done"), nil
				}))
		}
	}
	return out
}

func (k *kit) Switch(on, off []string) error {
	for _, name := range on {
		delete(k.off, name)
	}
	for _, name := range off {
		k.off[name] = true
	}
	k.choices = `{"off":"` + strings.Join(off, ",") + `"}`
	return nil
}

func (k *kit) Prompt(specs []message.ToolSpec) prompt.State {
	return prompt.Build(prompt.Options{Dir: "/srv", Tools: specs, Addendum: prompt.Text{Text: k.text}})
}

func (k *kit) Commands() []protocol.CommandInfo {
	return []protocol.CommandInfo{{Command: "greet", Kind: "prompt"}}
}

func (k *kit) Expand(text string) (string, error) {
	if rest, ok := strings.CutPrefix(text, "/greet "); ok {
		return "Say hello to " + rest, nil
	}
	if strings.HasPrefix(text, "/skill:") {
		return "", errors.New("there is no such skill")
	}
	return text, nil
}

func (k *kit) Choices() json.RawMessage {
	if k.choices == "" {
		return nil
	}
	return json.RawMessage(k.choices)
}

func (k *kit) Changed() <-chan struct{} { return k.changed }
func (k *kit) Close()                   { k.closed = true }

func TestSetup(t *testing.T) {
	var made []*kit
	var was []control.Was
	w := newWorld(t, `[]`)
	w.hub = control.NewHub(control.Options{Models: models{scripted.New(scripted.Info("one"), w.script)},
		Setup: func(_ context.Context, _ control.Place, w control.Was, old control.Setup) (control.Setup, []string) {
			k := &kit{tools: []string{"one", "two"}, off: map[string]bool{}, changed: make(chan struct{}), text: "Be kind."}
			if old != nil {
				k.tools, k.text = []string{"one", "three"}, "Be quick."
			}
			made, was = append(made, k), append(was, w)
			return k, []string{"something is odd"}
		}})
	t.Cleanup(w.hub.Close)
	f := w.connect(control.Start{})
	last := func(role message.Role) (m message.Message) {
		t.Helper()
		for e := range f.entries() {
			if b, ok := f.body(e).(session.Message); ok && b.Message.Role == role {
				m = b.Message
			}
		}
		return m
	}
	kept := func() (n int) {
		for e := range f.entries() {
			if b, ok := f.body(e).(session.Custom); ok && b.CustomType == "bough.setup" {
				n++
			}
		}
		return n
	}
	do := func(cmd protocol.Request) any {
		t.Helper()
		got, err := f.Do(t.Context(), cmd)
		if err != nil {
			t.Fatalf("%s: %v", cmd.Name(), err)
		}
		return got
	}
	f.say("/greet the world")
	if got := last(message.User).Text(""); got != "Say hello to the world" {
		t.Errorf("the template became %q", got)
	}
	if _, err := f.Do(t.Context(), protocol.Prompt{Text: "/skill:nosuch"}); protocol.CodeOf(err) != protocol.BadRequest {
		t.Errorf("an unknown skill: %v", err)
	}
	if got := do(protocol.GetCommands{}).(protocol.Commands); len(got.Commands) != 1 {
		t.Errorf("commands %+v", got)
	}

	do(protocol.SetTools{Off: []string{"two"}})
	f.say("go on")
	if got := last(message.System).ToolsRemoved; len(got) != 1 || got[0] != "two" {
		t.Errorf("the path says that %v were removed", got)
	}
	if n := kept(); n != 1 {
		t.Errorf("%d entries keep the choices, want 1", n)
	}
	f.say("and on")
	if n := kept(); n != 1 {
		t.Errorf("%d entries keep the same choices", n)
	}

	got := do(protocol.Reload{}).(protocol.Reloaded)
	if said, want := strings.Join(got.Changes, ", "), "tool added: three, section changed: tools, section changed: addendum"; said != want {
		t.Errorf("reload says %q, want %q", said, want)
	}
	if !made[0].closed || made[1].closed {
		t.Errorf("closed %v, %v after a reload", made[0].closed, made[1].closed)
	}
	if string(was[1].Choices) != `{"off":"two"}` || len(was[1].Declared.ToolsAdded) != 1 {
		t.Errorf("reload was told of %s and %d tools", was[1].Choices, len(was[1].Declared.ToolsAdded))
	}
	// The new setup chose nothing, which the path remembers too.
	f.say("after the reload")
	if n := kept(); n != 2 {
		t.Errorf("%d entries keep the choices, want 2", n)
	}

	made[1].tools = append(made[1].tools, "late")
	made[1].changed <- struct{}{}
	f.say("with one more")
	if got := last(message.System).ToolsAdded; len(got) != 1 || got[0].Name != "late" {
		t.Errorf("the path declares %v", got)
	}
	p := do(protocol.GetSystemPrompt{}).(protocol.SystemPrompt)
	if len(p.Tools) != 3 || !strings.Contains(p.Sections[len(p.Sections)-2].Text, "Be quick.") {
		t.Errorf("the prompt is %+v", p)
	}
	f.Close()
	if !made[1].closed {
		t.Error("the setup is open after its session")
	}
}

// entries yields what the front end knows of the session's log.
func (f *front) entries() iter.Seq[*session.Entry] {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.view.Tree.Snapshot().Log()
}

func (f *front) body(e *session.Entry) session.Body {
	f.t.Helper()
	b, err := e.Body()
	if err != nil {
		f.t.Fatal(err)
	}
	return b
}

// What happens while a setup is being made anew.
func TestReloadMeanwhile(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(t *testing.T, f *front) error // meanwhile
		code protocol.Code                      // of what do returns
		kept bool                               // the setup that there was goes on
	}{
		{"another reload", func(t *testing.T, f *front) error {
			_, err := f.Do(t.Context(), protocol.Reload{})
			return err
		}, protocol.Busy, false},
		{"tools are switched", func(t *testing.T, f *front) error {
			_, err := f.Do(t.Context(), protocol.SetTools{Off: []string{"two"}})
			return err
		}, protocol.Busy, false},
		{"a run begins", func(t *testing.T, f *front) error {
			_, err := f.Do(t.Context(), protocol.Prompt{Text: "hold"})
			f.until("the run", func() bool { return f.view.Running })
			return err
		}, "", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var made []*kit
			begun, goOn := make(chan struct{}), make(chan struct{})
			w := newWorld(t, readRule)
			w.hub = control.NewHub(control.Options{Models: models{scripted.New(scripted.Info("one"), w.script)},
				Setup: func(_ context.Context, _ control.Place, _ control.Was, old control.Setup) (control.Setup, []string) {
					k := &kit{tools: []string{"one", "two"}, off: map[string]bool{}, changed: make(chan struct{})}
					made = append(made, k)
					if old != nil {
						begun <- struct{}{}
						<-goOn
					}
					return k, nil
				}})
			t.Cleanup(w.hub.Close)
			f := w.connect(control.Start{})
			reloaded := make(chan error)
			go func() {
				_, err := f.Do(t.Context(), protocol.Reload{})
				reloaded <- err
			}()
			<-begun
			if err := tt.do(t, f); protocol.CodeOf(err) != tt.code {
				t.Errorf("meanwhile: %v, want %q", err, tt.code)
			}
			close(goOn)
			if err := <-reloaded; protocol.CodeOf(err) == protocol.Busy != tt.kept {
				t.Errorf("reload: %v", err)
			}
			if made[0].closed == tt.kept || made[1].closed != tt.kept {
				t.Errorf("closed are %v, %v", made[0].closed, made[1].closed)
			}
			if _, err := f.Do(t.Context(), protocol.Abort{}); err != nil {
				t.Fatal(err)
			}
			// The way is free again.
			go func() { <-begun }()
			if _, err := f.Do(t.Context(), protocol.Reload{}); err != nil {
				t.Errorf("once more: %v", err)
			}
		})
	}
}
