package control_test

import (
	"context"
	"testing"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/internal/prompt"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/provider/scripted"
	"github.com/boughdev/bough/tool"
)

// settings are those of a program in which one can change everything.
type settings struct{ turns int }

func (s *settings) Get(dir string, _ protocol.GetSettings) (protocol.Settings, error) {
	return protocol.Settings{Settings: []protocol.Setting{{Key: dir}}}, nil
}

func (s *settings) Set(_ context.Context, _ string, c protocol.SetSetting) (protocol.SettingSet, control.Change, error) {
	if c.Key == "" {
		return protocol.SettingSet{}, control.Change{}, protocol.Fail(protocol.BadRequest, "there is no such setting")
	}
	s.turns++
	return protocol.SettingSet{Effect: "at once"}, control.Change{Options: s.count, Model: true, Setup: true}, nil
}

func (s *settings) Again() control.Change { return control.Change{Options: s.count} }

func (s *settings) count(o *control.Options) { o.MaxTurns = s.turns }

// counted makes a model anew each time.
type counted struct {
	models
	made *int
}

func (c counted) Model(p, id string) (provider.Model, error) {
	*c.made++
	return c.models.Model(p, id)
}

// A changed setting reaches all live sessions, and those to come. One that works
// keeps the tools it has.
func TestSettings(t *testing.T) {
	w := newWorld(t, `[{"match":"wait","reply":{"toolCalls":[{"name":"slow","arguments":{}}]}}]`)
	made, setups := 0, 0
	w.hub = control.NewHub(control.Options{
		Models:   counted{models{scripted.New(scripted.Info("one"), w.script)}, &made},
		Settings: &settings{},
		Setup: func(_ context.Context, p control.Place, _ control.Was, _ control.Setup) (control.Setup, []string) {
			setups++
			slow := tool.New(message.ToolSpec{Name: "slow", Description: "waits"}, func(ctx context.Context, _ struct{}, _ func(message.Output)) (message.Output, error) {
				select {
				case <-w.gate:
				case <-ctx.Done():
				}
				return message.TextOutput("whole"), nil
			})
			return control.Plain{Kit: []tool.Tool{slow}, Instructions: func(specs []message.ToolSpec) prompt.State {
				return prompt.Build(prompt.Options{Dir: p.Dir, Tools: specs})
			}}, nil
		},
	})
	t.Cleanup(w.hub.Close)
	a, b := w.connect(control.Start{}), w.connect(control.Start{})
	call := func(c protocol.Client) protocol.SettingSet {
		t.Helper()
		set, err := protocol.Call(t.Context(), c, protocol.SetSetting{Key: "x"})
		if err != nil {
			t.Fatal(err)
		}
		return set
	}
	turns := func(c protocol.Client) int {
		t.Helper()
		st, err := protocol.Call(t.Context(), c, protocol.GetState{})
		if err != nil {
			t.Fatal(err)
		}
		return st.MaxTurns
	}
	if set := call(a); set.Effect != "at once" || turns(a) != 1 || turns(b) != 1 || made != 2 || setups != 4 {
		t.Errorf("%+v; %d and %d turns, %d models, %d setups", set, turns(a), turns(b), made, setups)
	}
	if got, err := protocol.Call(t.Context(), a, protocol.GetSettings{}); err != nil || len(got.Settings) != 1 || got.Settings[0].Key != "/srv" {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := protocol.Call(t.Context(), a, protocol.SetSetting{}); err == nil || turns(a) != 1 {
		t.Errorf("%v", err)
	}
	if _, err := protocol.Call(t.Context(), b, protocol.Prompt{Text: "wait"}); err != nil {
		t.Fatal(err)
	}
	if set := call(a); set.Effect != "in sessions that work just now after a /reload" || turns(b) != 2 {
		t.Errorf("%+v; %d turns", set, turns(b))
	}
	close(w.gate)
	if c := w.connect(control.Start{}); turns(c) != 2 {
		t.Errorf("a new session has %d turns", turns(c))
	}
	if _, err := protocol.Call(t.Context(), newWorld(t, `[]`).connect(control.Start{}), protocol.SetSetting{Key: "x"}); err == nil {
		t.Error("a setting was set where there are none")
	}
}
