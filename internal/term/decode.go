package term

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	uv "github.com/charmbracelet/ultraviolet"
)

// A Decoder makes events of the bytes that a terminal sends. They may come in
// pieces that break anywhere. The zero value is ready.
//
// What a sequence means ultraviolet knows. Where one ends, and whether it has ended
// yet, is found here: of a part the library makes some other key.
type Decoder struct {
	part    []byte // of what is not whole yet
	pasting bool
	pasted  []byte
	library uv.EventDecoder
}

const (
	longest      = 4 << 10 // of a sequence; a longer one is no sequence
	largestPaste = 64 << 20
)

var pasteEnd = []byte("\x1b[201~")

// Feed takes the next bytes.
func (d *Decoder) Feed(b []byte) []Event {
	var out []Event
	d.part = append(d.part, b...)
	for len(d.part) > 0 {
		if d.pasting {
			if !d.paste(&out) {
				break
			}
			continue
		}
		n, whole := next(d.part)
		if n == 0 {
			if len(d.part) < longest {
				break
			}
			n = len(d.part)
		}
		seq := d.part[:n]
		d.part = d.part[n:]
		if !whole {
			continue
		}
		if ev := d.event(seq); ev != nil {
			out = append(out, ev)
		}
	}
	if len(d.part) == 0 {
		d.part = nil
	}
	return out
}

// Waiting reports whether something has begun that may be a key by itself, such as
// Escape, if nothing follows.
func (d *Decoder) Waiting() bool { return len(d.part) > 0 && !d.pasting }

// Flush says that nothing follows.
func (d *Decoder) Flush() []Event {
	if !d.Waiting() {
		return nil
	}
	b := d.part
	d.part = nil
	switch {
	case string(b) == "\x1b\x1b":
		return []Event{Key{Name: "escape"}, Key{Name: "escape"}}
	case b[0] == 0x1B && len(b) <= 2: // alt+[ and others begin sequences
		if ev := d.event(b); ev != nil {
			return []Event{ev}
		}
	}
	return nil
}

// paste takes pasted bytes, and returns false if there is no end yet.
func (d *Decoder) paste(out *[]Event) bool {
	i := bytes.Index(d.part, pasteEnd)
	if i < 0 {
		// All but what may be the beginning of the end.
		keep := min(len(d.part), len(pasteEnd)-1)
		take := len(d.part) - keep
		if len(d.pasted)+take <= largestPaste {
			d.pasted = append(d.pasted, d.part[:take]...)
		}
		d.part = append([]byte(nil), d.part[take:]...)
		return false
	}
	text := string(append(d.pasted, d.part[:i]...))
	d.part, d.pasted, d.pasting = d.part[i+len(pasteEnd):], nil, false
	*out = append(*out, Paste{strings.ToValidUTF8(text, "\uFFFD")})
	return true
}

// next is how many bytes belong together; 0 if more must follow. They are not whole
// if they are the beginning of something that was broken off.
func next(b []byte) (n int, whole bool) {
	switch {
	case b[0] == 0x1B:
		return sequence(b)
	case b[0] < utf8.RuneSelf:
		return 1, true
	case !utf8.FullRune(b):
		return 0, false
	}
	r, n := utf8.DecodeRune(b)
	return n, r != utf8.RuneError || n > 1
}

func sequence(b []byte) (n int, whole bool) {
	if len(b) == 1 {
		return 0, false
	}
	switch b[1] {
	case '[':
		end := 2
		for end < len(b) && b[end] >= 0x20 && b[end] <= 0x3F {
			end++
		}
		switch {
		case end == len(b):
			return 0, false
		case b[end] < 0x40 || b[end] > 0x7E:
			return end, false
		case b[end] == 'M' && end == 2: // the mouse as it was in 1986
			if len(b) < 6 {
				return 0, false
			}
			return 6, true
		}
		return end + 1, true
	case 'O':
		if len(b) < 3 {
			return 0, false
		}
		return 3, true
	case ']', 'P', '_', '^', 'X': // an answer of the terminal
		for i := 2; i < len(b); i++ {
			switch {
			case b[i] == 0x07:
				return i + 1, true
			case b[i] == 0x1B && i+1 < len(b) && b[i+1] == '\\':
				return i + 2, true
			case b[i] == 0x1B && i+1 < len(b):
				return i, false
			}
		}
		return 0, false
	case 0x1B:
		if len(b) == 2 {
			return 0, false
		}
		if b[2] != '[' && b[2] != 'O' {
			return 1, true
		}
	}
	n, whole = next(b[1:])
	if n > 0 {
		n++
	}
	return n, whole
}

// event is what a sequence means; nil: nothing.
func (d *Decoder) event(seq []byte) Event {
	if r, n := utf8.DecodeRune(seq); n == len(seq) && !unicode.IsControl(r) {
		return letter(r)
	}
	_, ev := d.library.Decode(seq)
	if m, ok := ev.(uv.MultiEvent); ok && len(m) > 0 { // f3, or where the cursor is, which nobody asked
		ev = m[0]
	}
	switch e := ev.(type) {
	case uv.KeyPressEvent:
		return keyOf(uv.Key(e), seq[len(seq)-1])
	case uv.PasteStartEvent:
		d.pasting = true
	case uv.MouseClickEvent:
		return mouse(uv.Mouse(e), Press)
	case uv.MouseWheelEvent:
		return mouse(uv.Mouse(e), Press)
	case uv.MouseReleaseEvent:
		return mouse(uv.Mouse(e), Release)
	case uv.MouseMotionEvent:
		return mouse(uv.Mouse(e), Move)
	case uv.FocusEvent:
		return Focus{true}
	case uv.BlurEvent:
		return Focus{false}
	case uv.BackgroundColorEvent:
		if e.Color != nil {
			r, g, b, _ := e.RGBA()
			return Background{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8)}
		}
	case uv.DarkColorSchemeEvent:
		return Scheme{true}
	case uv.LightColorSchemeEvent:
		return Scheme{false}
	case uv.KeyboardEnhancementsEvent:
		return Kitty{}
	}
	return nil
}

// letter is a key that types a character.
func letter(r rune) Key {
	k := Key{Name: string(unicode.ToLower(r)), Text: string(r)}
	if r == ' ' {
		k.Name = "space"
	} else if k.Name != k.Text {
		k.Mod = Shift
	}
	return k
}

// keyOf is a key as keybindings.json names it. last is the last byte of its
// sequence.
func keyOf(theirs uv.Key, last byte) Event {
	k := Key{Name: nameOf(theirs.Code), Mod: modOf(theirs.Mod), Text: theirs.Text}
	switch r := []rune(k.Text); {
	case k.Name != "":
	case theirs.Code == utf8.RuneError: // a number that is no character
		return nil
	case theirs.Code < uv.KeyExtended && unicode.IsPrint(theirs.Code):
		l := letter(theirs.Code)
		k.Name, k.Mod = l.Name, k.Mod|l.Mod
	case len(r) == 1 && unicode.IsPrint(r[0]): // of the pad of numbers
		k.Name = k.Text
	default:
		return nil
	}
	switch last {
	case 0x08: // ctrl+h: a backspace, of some keyboards
		k.Name, k.Mod = "backspace", k.Mod&^Ctrl
	case 0x1F: // ctrl+_
		k.Name = "-"
	}
	if k.Mod&^Shift != 0 || strings.ContainsFunc(k.Text, unicode.IsControl) {
		k.Text = ""
	}
	return k
}

func modOf(theirs uv.KeyMod) Mod {
	mod := Mod(theirs) & (Shift | Alt | Ctrl) // the same bits
	if theirs&(uv.ModSuper|uv.ModMeta) != 0 {
		mod |= Super
	}
	return mod
}

func nameOf(code rune) string {
	switch code {
	case uv.KeyEscape:
		return "escape"
	case uv.KeyEnter, uv.KeyKpEnter:
		return "enter"
	case uv.KeyTab:
		return "tab"
	case uv.KeySpace:
		return "space"
	case uv.KeyBackspace:
		return "backspace"
	case uv.KeyUp, uv.KeyKpUp:
		return "up"
	case uv.KeyDown, uv.KeyKpDown:
		return "down"
	case uv.KeyLeft, uv.KeyKpLeft:
		return "left"
	case uv.KeyRight, uv.KeyKpRight:
		return "right"
	case uv.KeyHome, uv.KeyKpHome:
		return "home"
	case uv.KeyEnd, uv.KeyKpEnd:
		return "end"
	case uv.KeyPgUp, uv.KeyKpPgUp:
		return "pageUp"
	case uv.KeyPgDown, uv.KeyKpPgDown:
		return "pageDown"
	case uv.KeyInsert, uv.KeyKpInsert:
		return "insert"
	case uv.KeyDelete, uv.KeyKpDelete:
		return "delete"
	case uv.KeyBegin, uv.KeyKpBegin:
		return "clear"
	}
	if code >= uv.KeyF1 && code <= uv.KeyF12 {
		return names[len(names)-12+int(code-uv.KeyF1)]
	}
	return ""
}

func mouse(theirs uv.Mouse, action MouseAction) Event {
	m := Mouse{X: theirs.X, Y: theirs.Y, Action: action, Mod: modOf(theirs.Mod)}
	switch theirs.Button {
	case uv.MouseNone:
	case uv.MouseLeft:
		m.Button = LeftButton
	case uv.MouseMiddle:
		m.Button = MiddleButton
	case uv.MouseRight:
		m.Button = RightButton
	case uv.MouseWheelUp:
		m.Button = WheelUp
	case uv.MouseWheelDown:
		m.Button = WheelDown
	default: // sideways, and buttons that we have no use for
		return nil
	}
	return m
}
