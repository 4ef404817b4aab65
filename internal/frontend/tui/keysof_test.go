package tui

import (
	"slices"
	"strings"
	"testing"
)

func TestKeysOfTheUser(t *testing.T) {
	for _, tt := range []struct {
		name, file, id, keys, problem string
	}{
		{"an id of early pi", `{"cursorUp":"ctrl+p","expandTools":"f2"}`, "app.tools.expand", "f2", "ctrl+p is the key of both app.model.cycleForward and tui.editor.cursorUp"},
		{"an editor's id of early pi", `{"cursorUp":"f3"}`, "tui.editor.cursorUp", "f3", ""},
		{"the new id wins over the old one", `{"expandTools":"f2","app.tools.expand":"f4"}`, "app.tools.expand", "f4", ""},
		{"off", `{"app.tools.expand":[]}`, "app.tools.expand", "", ""},
		{"two actions of the editor on one key", `{"tui.editor.undo":"ctrl+w"}`, "tui.editor.undo", "ctrl+w", "ctrl+w is the key of both tui.editor.deleteWordBackward and tui.editor.undo"},
		{"one key in two places", `{"bough.queue.drop":"ctrl+w"}`, "bough.queue.drop", "ctrl+w", ""},
		{"two actions of the main view on one key", `{"app.session.tree":"ctrl+g"}`, "app.session.tree", "ctrl+g", "ctrl+g is the key of both app.editor.external and app.session.tree"},
		{"an action of the main view on a key of the editor", `{"app.session.tree":"ctrl+w"}`, "app.session.tree", "ctrl+w", "ctrl+w is the key of both app.session.tree and tui.editor.deleteWordBackward"},
		{"a key that quits an empty editor only", `{"app.exit":"ctrl+w"}`, "app.exit", "ctrl+w", ""},
		{"a key of the main view in a list", `{"app.session.rename":"ctrl+g"}`, "app.session.rename", "ctrl+g", ""},
		{"an action that there is not", `{"app.fly":"f9"}`, "app.clear", "ctrl+c", "1 key is of no action"},
		{"broken", `{`, "app.clear", "ctrl+c", "the usual keys hold"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			k, problems := readKeys([]byte(tt.file))
			if got := strings.Join(k.keys[tt.id], " "); got != tt.keys {
				t.Errorf("%s is %q, want %q", tt.id, got, tt.keys)
			}
			if tt.problem == "" && len(problems) > 0 || tt.problem != "" && !slices.ContainsFunc(problems, func(p string) bool { return strings.Contains(p, tt.problem) }) {
				t.Errorf("problems %q, want one with %q", problems, tt.problem)
			}
		})
	}
	if _, problems := readKeys([]byte(`{"$schema":"x"}`)); len(problems) > 0 {
		t.Errorf("the usual keys alone: %q", problems)
	}
}
