package tui

import (
	"fmt"
	"strings"
)

// oldKeys are the ids of early keybindings.json files of pi, and what they are called
// now (docs/spec/frontends.md C-01).
func oldKeys() map[string]string {
	old := map[string]string{
		"selectUp": "tui.select.up", "selectDown": "tui.select.down", "selectPageUp": "tui.select.pageUp", "selectPageDown": "tui.select.pageDown",
		"selectConfirm": "tui.select.confirm", "selectCancel": "tui.select.cancel",
		"newLine": "tui.input.newLine", "submit": "tui.input.submit", "tab": "tui.input.tab", "copy": "tui.input.copy",
		"interrupt": "app.interrupt", "clear": "app.clear", "exit": "app.exit", "suspend": "app.suspend",
		"cycleThinkingLevel": "app.thinking.cycle", "toggleThinking": "app.thinking.toggle",
		"cycleModelForward": "app.model.cycleForward", "cycleModelBackward": "app.model.cycleBackward", "selectModel": "app.model.select",
		"expandTools": "app.tools.expand", "externalEditor": "app.editor.external", "followUp": "app.message.followUp", "dequeue": "app.message.dequeue",
		"pasteImage": "app.clipboard.pasteImage", "newSession": "app.session.new", "tree": "app.session.tree", "fork": "app.session.fork", "resume": "app.session.resume",
		"toggleSessionPath": "app.session.togglePath", "toggleSessionSort": "app.session.toggleSort", "toggleSessionNamedFilter": "app.session.toggleNamedFilter",
		"renameSession": "app.session.rename", "deleteSession": "app.session.delete", "deleteSessionNoninvasive": "app.session.deleteNoninvasive",
	}
	const editor = "tui.editor."
	for _, b := range bindings {
		if name, ok := strings.CutPrefix(b.id, editor); ok {
			old[name] = b.id
		}
	}
	return old
}

// oneAtATime are groups of actions that listen at the same time, so that a key is for
// one of them only. Groups of several screens may share keys.
var oneAtATime = []string{"tui.editor.", "tui.select.", "app.tree.", "bough.tree.", "app.models.", "bough.queue.", "bough.block."}

// twice says which keys two actions of a group have, where the file has a hand in it.
func (k *keymap) twice(given map[string]bool) (problems []string) {
	for _, group := range oneAtATime {
		of := map[string]string{}
		for _, b := range bindings {
			if !strings.HasPrefix(b.id, group) {
				continue
			}
			for _, key := range k.keys[b.id] {
				switch first, taken := of[key]; {
				case !taken:
					of[key] = b.id
				case first != b.id && (given[first] || given[b.id]):
					problems = append(problems, fmt.Sprintf("keybindings.json: %s is the key of both %s and %s; only one of them hears it.", keyName(key), first, b.id))
				}
			}
		}
	}
	return append(problems, k.twiceInMain(given)...)
}

// twiceInMain says which keys of the main view were given to two of its actions. Those
// of the editor among themselves are told already.
func (k *keymap) twiceInMain(given map[string]bool) (problems []string) {
	of := map[string]string{}
	for _, id := range mainActions() {
		for _, key := range k.keys[id] {
			switch first, taken := of[key]; {
			case !taken:
				of[key] = id
			case (given[first] || given[id]) && !strings.HasPrefix(first, "tui.editor."):
				problems = append(problems, fmt.Sprintf("keybindings.json: %s is the key of both %s and %s; only one of them hears it.", keyName(key), first, id))
			}
		}
	}
	return problems
}

// mainActions are the actions that the main view listens to, in the order in which it
// asks for them.
func mainActions() []string {
	ids := []string{"app.interrupt", "app.clear", "app.suspend"}
	for _, b := range bindings {
		if strings.HasPrefix(b.id, "tui.altScreen.") && !strings.HasPrefix(b.id, "tui.altScreen.search") {
			ids = append(ids, b.id)
		}
	}
	ids = append(ids, "tui.altScreen.search", "bough.transcript.focus", "app.tools.expand", "app.message.followUp", "app.message.dequeue", "app.message.copy",
		"app.model.select", "app.model.cycleForward", "app.model.cycleBackward", "app.thinking.toggle", "app.thinking.cycle",
		"app.clipboard.pasteImage", "app.editor.external", "app.session.new", "app.session.tree", "app.session.fork", "app.session.resume",
		"bough.pos.back", "bough.pos.forward", "bough.sibling.prev", "bough.sibling.next", "tui.input.submit", "tui.input.tab")
	for _, b := range bindings {
		if strings.HasPrefix(b.id, "tui.editor.") {
			ids = append(ids, b.id)
		}
	}
	return append(ids, "tui.input.newLine")
}
