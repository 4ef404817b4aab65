package control_test

import (
	"context"
	"slices"
	"testing"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/internal/prompt"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/tool"
)

// The tool is declared where compaction has hidden something, and only there.
func TestRecallIsDeclaredWhereSomethingIsHidden(t *testing.T) {
	w := newWorld(t, `[{"when":{"user":"^look"},"times":1,"reply":{"toolCalls":[{"name":"recall","args":{}}]}}]`)
	plain := tool.New(message.ToolSpec{Name: "read"}, func(context.Context, struct{}, func(message.Output)) (message.Output, error) {
		return message.Output{}, nil
	})
	w.hub = control.NewHub(control.Options{Models: models{w.witness},
		Setup: func(context.Context, control.Place, control.Was, control.Setup) (control.Setup, []string) {
			return control.Plain{Kit: []tool.Tool{plain}, Instructions: func(specs []message.ToolSpec) prompt.State { return prompt.State{Tools: specs} }}, nil
		},
		Recall: func(at func(context.Context) (*session.Tree, session.ID, error)) tool.Tool {
			return tool.New(message.ToolSpec{Name: "recall", Description: "recalls"}, func(ctx context.Context, _ struct{}, _ func(message.Output)) (message.Output, error) {
				tree, leaf, err := at(ctx)
				if err != nil {
					return message.Output{}, err
				}
				return message.TextOutput(string(tree.Get(leaf).Role)), nil
			})
		}})
	t.Cleanup(w.hub.Close)
	f := w.connect(control.Start{})
	declared := func() []string {
		t.Helper()
		p, err := session.Project(f.view.Path())
		if err != nil {
			t.Fatal(err)
		}
		m, _ := message.FoldSystem(p.Messages())
		var names []string
		for _, spec := range m.ToolsAdded {
			names = append(names, spec.Name)
		}
		return names
	}
	f.say("hello")
	if got := declared(); !slices.Equal(got, []string{"read"}) {
		t.Errorf("before: %v", got)
	}
	before, path := f.view.Leaf, f.view.File
	f.Close()
	live, err := session.Open(t.Context(), w.store, path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := live.Main().Append(t.Context(), session.Compaction{Summary: "They greeted."}); err != nil {
		t.Fatal(err)
	}
	live.Close()
	f = w.connect(control.Start{Open: path})
	f.say("look back")
	if got := declared(); !slices.Equal(got, []string{"read", "recall"}) {
		t.Errorf("after: %v", got)
	}
	if talk := f.talk(); !slices.Contains(talk, "toolResult: assistant") {
		t.Errorf("it was not called: %q", talk)
	}
	list, err := protocol.Call(t.Context(), f, protocol.SetTools{Off: []string{"recall"}})
	if n := len(list.Tools); err != nil || n == 0 || list.Tools[n-1].ToolName != "recall" || list.Tools[n-1].On {
		t.Errorf("turned off: %+v, %v", list, err)
	}
	f.say("more")
	if got := declared(); !slices.Equal(got, []string{"read"}) {
		t.Errorf("turned off: %v", got)
	}
	if _, err := protocol.Call(t.Context(), f, protocol.SetTools{On: []string{"recall"}}); err != nil {
		t.Error(err)
	}
	f.say("again")
	if got := declared(); !slices.Equal(got, []string{"read", "recall"}) {
		t.Errorf("turned on again: %v", got)
	}
	if _, err := protocol.Call(t.Context(), f, protocol.Navigate{Target: before, At: true}); err != nil {
		t.Fatal(err)
	}
	f.say("elsewhere")
	if got := declared(); !slices.Equal(got, []string{"read"}) {
		t.Errorf("on a path without a compaction: %v", got)
	}
}
