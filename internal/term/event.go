package term

import "strings"

// Event is what comes from a terminal: Key, Paste, Mouse, Resized, Focus,
// Background, Scheme, Resumed, or Lost.
type Event any

// Mod is a set of the keys held down with another.
type Mod uint8

const (
	Shift Mod = 1 << iota
	Alt
	Ctrl
	Super
)

// A Key is a key that was pressed.
type Key struct {
	Name string // as keybindings.json writes it: "a", "enter", "pageUp", "f1", "/"
	Mod  Mod
	Text string // what it types; "" if it types nothing
}

// String writes a key as keybindings.json does: ctrl+shift+up.
func (k Key) String() string {
	var b strings.Builder
	for _, m := range []struct {
		mod  Mod
		name string
	}{{Ctrl, "ctrl+"}, {Shift, "shift+"}, {Alt, "alt+"}, {Super, "super+"}} {
		if k.Mod&m.mod != 0 {
			b.WriteString(m.name)
		}
	}
	return b.String() + k.Name
}

// ParseKey reads a key as keybindings.json has it. Modifiers may come in any order.
func ParseKey(s string) (Key, bool) {
	var k Key
	for {
		i := strings.IndexByte(s, '+')
		if i <= 0 || i == len(s)-1 && s == "+" {
			break
		}
		mod, ok := map[string]Mod{"ctrl": Ctrl, "control": Ctrl, "shift": Shift, "alt": Alt, "option": Alt, "meta": Alt, "super": Super, "cmd": Super}[strings.ToLower(s[:i])]
		if !ok {
			break
		}
		k.Mod |= mod
		s = s[i+1:]
	}
	if len([]rune(s)) == 1 {
		k.Name = strings.ToLower(s)
		if k.Name != s {
			k.Mod |= Shift
		}
		return k, true
	}
	for _, name := range names {
		if strings.EqualFold(name, s) {
			k.Name = name
			return k, true
		}
	}
	if n, ok := map[string]string{"esc": "escape", "return": "enter", "del": "delete", "ins": "insert", "pgup": "pageUp", "pgdown": "pageDown", "pgdn": "pageDown"}[strings.ToLower(s)]; ok {
		k.Name = n
		return k, true
	}
	return k, false
}

var names = []string{"escape", "enter", "tab", "space", "backspace", "delete", "insert", "clear", "home", "end", "pageUp", "pageDown", "up", "down", "left", "right",
	"f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f10", "f11", "f12"}

type (
	// Paste is a text that came in one piece.
	Paste struct{ Text string }

	// Mouse is a button or the wheel.
	Mouse struct {
		X, Y   int // from 0
		Button MouseButton
		Action MouseAction
		Mod    Mod
	}

	// Resized says how large the terminal is now.
	Resized struct{ Width, Height int }

	// Focus says that the terminal's window got or lost the keyboard.
	Focus struct{ In bool }

	// Background is the terminal's answer to what color it writes on.
	Background struct{ R, G, B uint8 }

	// Scheme says that the terminal was made dark or light meanwhile.
	Scheme struct{ Dark bool }

	// Kitty says that the terminal tells keys apart as the kitty protocol does.
	Kitty struct{}

	// Resumed says that the program goes on after it was stopped.
	Resumed struct{}

	// Lost says that the terminal is gone.
	Lost struct{ Err error }
)

// MouseButton is what was pressed or turned.
type MouseButton int

const (
	NoButton MouseButton = iota
	LeftButton
	MiddleButton
	RightButton
	WheelUp
	WheelDown
)

// MouseAction is what was done with it.
type MouseAction int

const (
	Press MouseAction = iota
	Release
	Move
)

// Dark reports whether light letters are to be read on the color.
func (b Background) Dark() bool {
	return 299*int(b.R)+587*int(b.G)+114*int(b.B) < 128_000
}
