package tui

import (
	"strings"

	"github.com/boughdev/bough/internal/styled"
	"github.com/boughdev/bough/internal/term"
)

// key takes a key that edits. It returns false if the key is for somebody else.
func (e *editor) key(k *keymap, key term.Key) bool {
	if e.jump != 0 {
		back := e.jump < 0
		e.jump = 0
		if key.Text != "" {
			e.find(key.Text, back)
			return true
		}
	}
	cutting, yanked := e.cutting, e.yanked
	e.cutting = false
	switch {
	case k.is(key, "tui.editor.cursorLeft"):
		e.to(e.before())
	case k.is(key, "tui.editor.cursorRight"):
		e.to(e.behind())
	case k.is(key, "tui.editor.cursorWordLeft"):
		e.to(e.wordBefore())
	case k.is(key, "tui.editor.cursorWordRight"):
		e.to(e.wordBehind())
	case k.is(key, "tui.editor.cursorLineStart"):
		e.to(e.lineStart())
	case k.is(key, "tui.editor.cursorLineEnd"):
		e.to(e.lineEnd())
	case k.is(key, "tui.editor.cursorUp"):
		e.typing = false
		if !e.vertical(-1) && !e.recall(1) {
			e.to(0)
		}
	case k.is(key, "tui.editor.cursorDown"):
		e.typing = false
		if !e.vertical(1) && (e.older == 0 || !e.recall(-1)) {
			e.to(len(e.text))
		}
	case k.is(key, "tui.editor.historyPrevious"):
		e.recall(1)
	case k.is(key, "tui.editor.historyNext"):
		e.recall(-1)
	case k.is(key, "tui.editor.pageUp"):
		for range 5 {
			e.vertical(-1)
		}
	case k.is(key, "tui.editor.pageDown"):
		for range 5 {
			e.vertical(1)
		}
	case k.is(key, "tui.editor.jumpForward"):
		e.jump = 1
	case k.is(key, "tui.editor.jumpBackward"):
		e.jump = -1
	case k.is(key, "tui.editor.deleteCharBackward"):
		e.remove(e.before())
	case k.is(key, "tui.editor.deleteCharForward"):
		e.remove(e.behind())
	case k.is(key, "tui.editor.deleteWordBackward"):
		e.cutting = cutting
		e.cut(e.wordBefore())
	case k.is(key, "tui.editor.deleteWordForward"):
		e.cutting = cutting
		e.cut(e.wordBehind())
	case k.is(key, "tui.editor.deleteToLineStart"):
		e.cutting = cutting
		to := e.lineStart()
		if to == e.at && to > 0 {
			to--
		}
		e.cut(to)
	case k.is(key, "tui.editor.deleteToLineEnd"):
		e.cutting = cutting
		to := e.lineEnd()
		if to == e.at && to < len(e.text) {
			to++
		}
		e.cut(to)
	case k.is(key, "tui.editor.yank"):
		e.yank()
	case k.is(key, "tui.editor.yankPop"):
		e.yanked = yanked
		e.yankPop()
	case k.is(key, "tui.editor.undo"):
		e.undo()
	case k.is(key, "tui.input.newLine"):
		e.insert("\n")
	case key.Text != "":
		e.insert(key.Text)
	default:
		e.cutting = cutting
		return false
	}
	return true
}

func (e *editor) to(at int) {
	e.at, e.goal, e.typing, e.yanked = at, -1, false, 0
}

// find moves to a character, beyond the one at the cursor.
func (e *editor) find(text string, back bool) {
	if back {
		if i := strings.LastIndex(e.text[:e.at], text); i >= 0 {
			e.to(i)
		}
		return
	}
	from := e.behind()
	if i := strings.Index(e.text[from:], text); i >= 0 {
		e.to(from + i)
	}
}

// input is an editor of one line, as pickers have it.
type input struct{ editor }

func (in *input) key(k *keymap, key term.Key) bool {
	if k.is(key, "tui.input.newLine", "tui.editor.cursorUp", "tui.editor.cursorDown", "tui.editor.historyPrevious", "tui.editor.historyNext") {
		return false
	}
	return in.editor.key(k, key)
}

func (in *input) paste(s string) {
	in.insert(strings.Join(strings.Fields(tidy(s)), " "))
}

// draw draws the line, moved so that the cursor is seen.
func (in *input) draw(width int, style styled.Style) (styled.Line, int) {
	x := styled.Width(in.text[:in.at])
	shift := max(x-width+1, 0)
	return styled.Of(in.text, style).Slice(shift, shift+width), x - shift
}
