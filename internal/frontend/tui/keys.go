package tui

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"

	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/internal/term"
)

// binding is an action, the keys that do it, and what it does. The ids are pi's, so
// that its keybindings.json holds for both (docs/spec/frontends.md C).
type binding struct {
	id, keys, help string
}

var bindings = []binding{
	{"tui.editor.cursorUp", "up", "line up, older prompt at the first line"},
	{"tui.editor.cursorDown", "down", "line down, newer prompt at the last line"},
	{"tui.editor.historyPrevious", "", "older prompt"},
	{"tui.editor.historyNext", "", "newer prompt"},
	{"tui.editor.cursorLeft", "left ctrl+b", "left"},
	{"tui.editor.cursorRight", "right ctrl+f", "right"},
	{"tui.editor.cursorWordLeft", "alt+left ctrl+left alt+b", "a word left"},
	{"tui.editor.cursorWordRight", "alt+right ctrl+right alt+f", "a word right"},
	{"tui.editor.cursorLineStart", "home ctrl+a", "to the start of the line"},
	{"tui.editor.cursorLineEnd", "end ctrl+e", "to the end of the line"},
	{"tui.editor.jumpForward", "ctrl+]", "to the next typed character"},
	{"tui.editor.jumpBackward", "ctrl+alt+]", "to the previous typed character"},
	{"tui.editor.pageUp", "ctrl+pageUp", "a page up"},
	{"tui.editor.pageDown", "ctrl+pageDown", "a page down"},
	{"tui.editor.deleteCharBackward", "backspace shift+backspace", "delete the character before"},
	{"tui.editor.deleteCharForward", "delete ctrl+d", "delete the character behind"},
	{"tui.editor.deleteWordBackward", "ctrl+w alt+backspace", "cut the word before"},
	{"tui.editor.deleteWordForward", "alt+d alt+delete", "cut the word behind"},
	{"tui.editor.deleteToLineStart", "ctrl+u", "cut to the start of the line"},
	{"tui.editor.deleteToLineEnd", "ctrl+k", "cut to the end of the line"},
	{"tui.editor.yank", "ctrl+y", "put in what was cut"},
	{"tui.editor.yankPop", "alt+y", "put in what was cut before instead"},
	{"tui.editor.undo", "ctrl+-", "undo"},
	{"tui.input.newLine", "shift+enter ctrl+j", "new line"},
	{"tui.input.submit", "enter", "send"},
	{"tui.input.tab", "tab", "complete"},
	{"tui.input.copy", "ctrl+c", "copy"},
	{"tui.select.up", "up", "up"},
	{"tui.select.down", "down", "down"},
	{"tui.select.pageUp", "pageUp", "a page up"},
	{"tui.select.pageDown", "pageDown", "a page down"},
	{"tui.select.confirm", "enter", "choose"},
	{"tui.select.cancel", "escape ctrl+c", "close"},
	{"tui.altScreen.pageUp", "pageUp", "conversation: a page up"},
	{"tui.altScreen.pageDown", "pageDown", "conversation: a page down"},
	{"tui.altScreen.halfPageUp", "", "conversation: half a page up"},
	{"tui.altScreen.halfPageDown", "", "conversation: half a page down"},
	{"tui.altScreen.lineUp", "", "conversation: a line up"},
	{"tui.altScreen.lineDown", "", "conversation: a line down"},
	{"tui.altScreen.previousPrompt", "ctrl+shift+up ctrl+up", "conversation: the prompt before"},
	{"tui.altScreen.nextPrompt", "ctrl+shift+down ctrl+down", "conversation: the next prompt"},
	{"tui.altScreen.search", "ctrl+shift+f", "search the conversation"},
	{"tui.altScreen.searchNext", "enter ctrl+g", "next hit"},
	{"tui.altScreen.searchPrevious", "shift+enter ctrl+shift+g", "previous hit"},
	{"tui.altScreen.searchClose", "escape", "end the search"},
	{"tui.altScreen.top", "ctrl+home", "conversation: its start"},
	{"tui.altScreen.bottom", "ctrl+end", "conversation: its end, and follow it"},
	{"app.interrupt", "escape", "stop"},
	{"app.clear", "ctrl+c", "clear the editor, stop; twice: quit"},
	{"app.exit", "ctrl+d", "quit, if the editor is empty"},
	{"app.suspend", "ctrl+z", "stop bough for a while; fg goes on"},
	{"app.editor.external", "ctrl+g", "edit in another editor"},
	{"app.clipboard.pasteImage", "ctrl+v", "paste an image"},
	{"app.session.new", "", "new session"},
	{"app.session.tree", "", "the tree"},
	{"app.session.fork", "", "fork"},
	{"app.session.resume", "", "other sessions"},
	{"app.session.togglePath", "ctrl+p", "sessions: paths"},
	{"app.session.toggleSort", "ctrl+s", "sessions: order"},
	{"app.session.toggleNamedFilter", "ctrl+n", "sessions: named ones"},
	{"app.session.rename", "ctrl+r", "sessions: rename"},
	{"app.session.delete", "ctrl+d", "sessions: into the trash"},
	{"app.session.deleteNoninvasive", "ctrl+backspace", "sessions: into the trash, if nothing is searched"},
	{"app.model.select", "ctrl+l", "choose a model"},
	{"app.model.cycleForward", "ctrl+p", "next model"},
	{"app.model.cycleBackward", "ctrl+shift+p", "previous model"},
	{"app.models.save", "ctrl+s", "models: make it the default"},
	{"app.models.enableAll", "ctrl+a", "models: all"},
	{"app.models.clearAll", "ctrl+x", "models: none"},
	{"app.models.toggleProvider", "ctrl+p", "models: a whole provider"},
	{"app.models.reorderUp", "alt+up", "models: up in the order"},
	{"app.models.reorderDown", "alt+down", "models: down in the order"},
	{"app.thinking.cycle", "shift+tab", "next thinking level"},
	{"app.thinking.save", "ctrl+s", "thinking: make it the default"},
	{"app.thinking.toggle", "ctrl+t", "show or hide what the model thinks"},
	{"app.tools.expand", "ctrl+o", "open or close all long blocks"},
	{"app.message.copy", "ctrl+x", "copy the last answer"},
	{"app.message.followUp", "alt+enter", "say it when the run is over"},
	{"app.message.dequeue", "alt+up", "take back what waits"},
	{"app.tree.foldOrUp", "ctrl+left alt+left", "tree: fold, or to the branch before"},
	{"app.tree.unfoldOrDown", "ctrl+right alt+right", "tree: unfold, or to the next branch"},
	{"app.tree.editLabel", "shift+l", "tree: label"},
	{"app.tree.toggleLabelTimestamp", "shift+t", "tree: times"},
	{"app.tree.filter.default", "ctrl+d", "tree: all but bookkeeping"},
	{"app.tree.filter.noTools", "ctrl+t", "tree: no tools"},
	{"app.tree.filter.userOnly", "ctrl+u", "tree: your messages"},
	{"app.tree.filter.labeledOnly", "ctrl+l", "tree: labelled ones"},
	{"app.tree.filter.all", "ctrl+a", "tree: everything"},
	{"app.tree.filter.cycleForward", "ctrl+o", "tree: next filter"},
	{"app.tree.filter.cycleBackward", "ctrl+shift+o", "tree: previous filter"},
	{"bough.tree.preview", "space", "tree: preview"},
	{"bough.tree.fork", "alt+f", "tree: new session from before it"},
	{"bough.tree.clone", "alt+c", "tree: new session up to it"},
	{"bough.tree.nextSibling", "alt+down", "tree: next branch of the same place"},
	{"bough.tree.prevSibling", "alt+up", "tree: previous branch of the same place"},
	{"bough.tree.layout", "alt+l", "tree: layout"},
	{"bough.tree.previewUp", "shift+up", "tree: preview up"},
	{"bough.tree.previewDown", "shift+down", "tree: preview down"},
	{"bough.tree.leaf", "ctrl+g", "tree: to where you are"},
	{"bough.tree.nextPoint", "alt+j", "tree: to the next place where branches part"},
	{"bough.tree.prevPoint", "alt+k", "tree: to the one before"},
	{"bough.tree.nextLabel", "alt+n", "tree: to the next label"},
	{"bough.tree.prevLabel", "alt+p", "tree: to the label before"},
	{"bough.tree.compare", "alt+m", "tree: mark a branch; on another one: compare both"},
	{"bough.tree.take", "alt+b", "tree: bring an answer of another branch here"},
	{"bough.tree.hide", "alt+h", "tree: keep it from the model, or not"},
	{"bough.queue.drop", "ctrl+d delete", "queue: take a message back"},
	{"bough.queue.edit", "ctrl+r", "queue: into the editor"},
	{"bough.queue.send", "ctrl+s", "queue: say it now"},
	{"bough.block.branch", "b", "conversation: stand right after a block"},
	{"bough.block.copy", "c", "conversation: copy a block"},
	{"bough.block.show", "s", "conversation: all of a block"},
	{"bough.block.edit", "e", "conversation: say a message or a summary anew"},
	{"bough.block.before", "g", "conversation: stand right before a block"},
	{"bough.block.toggle", "enter", "conversation: open or close a block"},
	{"bough.transcript.focus", "alt+t", "to the conversation"},
	{"bough.sibling.prev", "alt+,", "the version before of this turn"},
	{"bough.sibling.next", "alt+.", "the next version of this turn"},
	{"bough.pos.back", "alt+[", "to where you stood before"},
	{"bough.pos.forward", "alt+]", "forward again"},
}

// onWindows are the defaults that differ there.
var onWindows = map[string]string{
	"tui.editor.undo": "ctrl+z", "app.suspend": "", "tui.altScreen.search": "ctrl+f", "tui.altScreen.previousPrompt": "ctrl+up", "tui.altScreen.nextPrompt": "ctrl+down",
	"app.clipboard.pasteImage": "alt+v ctrl+v", "app.model.cycleBackward": "alt+p", "app.message.followUp": "ctrl+q", "app.message.dequeue": "alt+q", "tui.editor.cursorRight": "right",
}

// keymap is which keys do what. A key may do several things: the screen that has
// the keyboard asks for the actions that it knows.
type keymap struct {
	keys map[string][]string // by action, the first is the one that is shown
	acts map[string]map[string]bool
}

// readKeys reads keybindings.json. What is wrong with it is told; the rest holds.
func readKeys(file []byte) (*keymap, []string) {
	k := &keymap{keys: map[string][]string{}, acts: map[string]map[string]bool{}}
	for _, b := range bindings {
		keys := b.keys
		if w, ok := onWindows[b.id]; ok && runtime.GOOS == "windows" {
			keys = w
		}
		k.set(b.id, strings.Fields(keys))
	}
	if len(strings.TrimSpace(string(file))) == 0 {
		return k, nil
	}
	var own map[string]json.RawMessage
	if err := json.Unmarshal(file, &own); err != nil {
		return k, []string{fmt.Sprintf("keybindings.json cannot be read, so the usual keys hold: %v", err)}
	}
	for old, id := range oldKeys() {
		if v, ok := own[old]; ok {
			if _, ok := own[id]; !ok {
				own[id] = v
			}
			delete(own, old)
		}
	}
	given := map[string]bool{}
	for id := range own {
		given[id] = true
	}
	var problems []string
	for _, b := range bindings { // in an order
		v, ok := own[b.id]
		if !ok {
			continue
		}
		delete(own, b.id)
		var list []string
		var one string
		if json.Unmarshal(v, &one) == nil {
			list = []string{one}
		} else if json.Unmarshal(v, &list) != nil {
			problems = append(problems, fmt.Sprintf("keybindings.json: %s wants a key or a list of keys.", b.id))
			continue
		}
		var good []string
		for _, s := range list {
			key, ok := term.ParseKey(s)
			if !ok {
				problems = append(problems, fmt.Sprintf("keybindings.json: %s: there is no key %s.", b.id, render.Quote(s, 30)))
				continue
			}
			good = append(good, key.String())
		}
		if len(good) > 0 || len(list) == 0 {
			k.set(b.id, good)
		}
	}
	problems = append(problems, k.twice(given)...)
	delete(own, "$schema")
	if len(own) > 0 {
		var ids []string
		for id := range own {
			ids = append(ids, render.OneLine(id))
		}
		problems = append(problems, fmt.Sprintf("keybindings.json: %s of no action of bough.", render.Plural(len(ids), "key is", "keys are")))
	}
	return k, problems
}

func (k *keymap) set(id string, keys []string) {
	k.keys[id] = keys
	k.acts[id] = map[string]bool{}
	for _, s := range keys {
		k.acts[id][s] = true
	}
}

// is reports whether a key does one of some actions.
func (k *keymap) is(key term.Key, actions ...string) bool {
	s := key.String()
	for _, id := range actions {
		if k.acts[id][s] {
			return true
		}
	}
	return false
}

// name is the key of an action as people read it; "" if there is none.
func (k *keymap) name(action string) string {
	if keys := k.keys[action]; len(keys) > 0 {
		return keyName(keys[0])
	}
	return ""
}

func keyName(s string) string {
	for from, to := range map[string]string{"escape": "esc", "pageUp": "pgup", "pageDown": "pgdn"} {
		if s == from || strings.HasSuffix(s, "+"+from) {
			s = strings.TrimSuffix(s, from) + to
		}
	}
	return s
}
