package control_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/internal/prompt"
	"github.com/boughdev/bough/internal/script"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/provider/scripted"
	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/tool"
)

// several are scripted models.
type several []provider.Model

func (ms several) Available() []provider.Info { return nil }
func (ms several) Model(p, id string) (provider.Model, error) {
	for _, m := range ms {
		if i := m.Info(); i.Provider == p && i.ID == id {
			return m, nil
		}
	}
	return nil, fmt.Errorf("no model %s/%s", p, id)
}
func (ms several) Default() (provider.Model, string, error) { return ms[0], "", nil }
func (ms several) Thinking(provider.Info) string            { return "off" }

// switches is a setup whose tools can be turned on and off.
type switches struct {
	control.Plain
	off map[string]bool
}

func (s *switches) Tools() []tool.Tool {
	return slices.DeleteFunc(slices.Clone(s.Kit), func(t tool.Tool) bool { return s.off[t.Spec().Name] })
}

func (s *switches) Listing() []protocol.ToolInfo {
	out := s.Plain.Listing()
	for i := range out {
		out[i].On = !s.off[out[i].ToolName]
	}
	return out
}

func (s *switches) Switch(on, off []string) error {
	for _, name := range on {
		delete(s.off, name)
	}
	for _, name := range off {
		s.off[name] = true
	}
	return nil
}

func TestABranchHasItsModelAndItsTools(t *testing.T) {
	w := newWorld(t, readRule)
	empty := script.Empty()
	var kit []tool.Tool
	for _, name := range []string{"read", "write"} {
		kit = append(kit, tool.New(message.ToolSpec{Name: name, Description: name}, func(context.Context, struct{}, func(message.Output)) (message.Output, error) {
			return message.TextOutput("ok"), nil
		}))
	}
	w.hub.Close()
	w.hub = control.NewHub(control.Options{
		Models: several{scripted.New(scripted.Info("one"), empty), scripted.New(scripted.Info("two"), empty)},
		Setup: func(_ context.Context, p control.Place, _ control.Was, _ control.Setup) (control.Setup, []string) {
			return &switches{control.Plain{Kit: kit, Instructions: func(specs []message.ToolSpec) prompt.State {
				return prompt.Build(prompt.Options{Dir: p.Dir, Tools: specs})
			}}, map[string]bool{}}, nil
		},
	})
	t.Cleanup(w.hub.Close)
	f := w.connect(control.Start{})
	f.say("first")
	f.mu.Lock()
	first := f.view.Leaf
	f.mu.Unlock()
	if _, err := protocol.Call(t.Context(), f, protocol.SetModel{Provider: "scripted", ID: "two"}); err != nil {
		t.Fatal(err)
	}
	if _, err := protocol.Call(t.Context(), f, protocol.SetTools{Off: []string{"write"}}); err != nil {
		t.Fatal(err)
	}
	f.say("second")
	at, _ := protocol.Call(t.Context(), f, protocol.GetState{})
	second := at.Leaf
	tools := func() string {
		got, err := protocol.Call(t.Context(), f, protocol.GetTools{})
		if err != nil {
			t.Fatal(err)
		}
		var on []string
		for _, x := range got.Tools {
			if x.On {
				on = append(on, x.ToolName)
			}
		}
		return strings.Join(on, " ")
	}
	notices := func() string {
		if _, err := protocol.Call(t.Context(), f, protocol.GetState{}); err != nil {
			t.Fatal(err)
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		var out []string
		for _, n := range f.notices {
			out = append(out, n.Text)
		}
		f.notices = nil
		return strings.Join(out, "\n")
	}
	for _, tt := range []struct {
		name   string
		to     session.ID
		tools  string
		notice string
	}{
		{"where both were other", first, "read write", "Tools as on this branch: +write. /tools changes them.\nThis branch was answered by scripted/one; you go on with scripted/two. /model scripted/one switches."},
		{"and back", second, "read", "Tools as on this branch: -write. /tools changes them."},
		{"before everything", "", "read", ""},
	} {
		f.navigate(protocol.Navigate{Target: tt.to, At: true})
		f.until("the move", func() bool { return f.view.Leaf == tt.to })
		if tt.notice != "" {
			f.until("the notices", func() bool { return len(f.notices) == strings.Count(tt.notice, "\n")+1 })
		}
		if got, said := tools(), notices(); got != tt.tools || said != tt.notice {
			t.Errorf("%s: tools %q, notices %q; want %q, %q", tt.name, got, said, tt.tools, tt.notice)
		}
	}
}
