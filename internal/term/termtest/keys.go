package termtest

import "strings"

// Keys are the bytes that a terminal sends for keys, as keybindings.json names them:
// "up", "ctrl+x", "alt+enter", "a".
func Keys(names ...string) string {
	var b strings.Builder
	for _, n := range names {
		b.WriteString(key(n))
	}
	return b.String()
}

func key(name string) string {
	if s, ok := map[string]string{
		"enter": "\r", "escape": "\x1b", "tab": "\t", "space": " ", "backspace": "\x7f", "up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D",
		"home": "\x1b[H", "end": "\x1b[F", "pageUp": "\x1b[5~", "pageDown": "\x1b[6~", "delete": "\x1b[3~", "shift+tab": "\x1b[Z", "shift+enter": "\x1b[13;2u",
		"ctrl+up": "\x1b[1;5A", "ctrl+down": "\x1b[1;5B", "ctrl+left": "\x1b[1;5D", "ctrl+right": "\x1b[1;5C", "ctrl+home": "\x1b[1;5H", "ctrl+end": "\x1b[1;5F",
		"ctrl+]": "\x1d", "ctrl+-": "\x1f",
	}[name]; ok {
		return s
	}
	if rest, ok := strings.CutPrefix(name, "alt+"); ok {
		return "\x1b" + key(rest)
	}
	if rest, ok := strings.CutPrefix(name, "ctrl+"); ok && len(rest) == 1 {
		return string(rest[0] & 0x1F)
	}
	return name
}

// Pasted is a text as terminals send it when it is pasted.
func Pasted(text string) string { return "\x1b[200~" + text + "\x1b[201~" }
