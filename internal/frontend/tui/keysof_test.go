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
		{"an id of early pi", `{"cursorUp":"ctrl+p","expandTools":"f2"}`, "app.tools.expand", "f2", ""},
		{"an editor's id of early pi", `{"cursorUp":"f3"}`, "tui.editor.cursorUp", "f3", ""},
		{"the new id wins over the old one", `{"expandTools":"f2","app.tools.expand":"f4"}`, "app.tools.expand", "f4", ""},
		{"off", `{"app.tools.expand":[]}`, "app.tools.expand", "", ""},
		{"two actions of the editor on one key", `{"tui.editor.undo":"ctrl+w"}`, "tui.editor.undo", "ctrl+w", "ctrl+w is the key of both tui.editor.deleteWordBackward and tui.editor.undo"},
		{"one key in two places", `{"bough.queue.drop":"ctrl+w"}`, "bough.queue.drop", "ctrl+w", ""},
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
