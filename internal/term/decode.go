package term

import (
	"bytes"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Decoder makes events of the bytes that a terminal sends. They may come in
// pieces that break anywhere. The zero value is ready.
type Decoder struct {
	part    []byte // of what is not whole yet
	pasting bool
	pasted  []byte
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
		n, ev := d.next(d.part)
		if n == 0 {
			if len(d.part) < longest {
				break
			}
			n, ev = len(d.part), nil
		}
		d.part = d.part[n:]
		if ev != nil {
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
	case len(b) == 1 && b[0] == 0x1B:
		return []Event{Key{Name: "escape"}}
	case len(b) == 2 && b[0] == 0x1B && b[1] == 0x1B:
		return []Event{Key{Name: "escape"}, Key{Name: "escape"}}
	case len(b) == 2 && b[0] == 0x1B: // alt+[ and alt+O begin sequences
		k := letter(rune(b[1]))
		k.Mod |= Alt
		k.Text = ""
		return []Event{k}
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

// next reads one thing; 0 if it is not whole.
func (d *Decoder) next(b []byte) (int, Event) {
	switch c := b[0]; {
	case c == 0x1B:
		return d.escape(b)
	case c < 0x20 || c == 0x7F:
		return 1, controlKey(c)
	case c < 0x80:
		return 1, letter(rune(c))
	}
	if !utf8.FullRune(b) {
		return 0, nil
	}
	r, n := utf8.DecodeRune(b)
	if r == utf8.RuneError && n == 1 {
		return 1, nil
	}
	return n, letter(r)
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

func controlKey(c byte) Key {
	switch c {
	case 0:
		return Key{Name: "space", Mod: Ctrl}
	case 8, 0x7F:
		return Key{Name: "backspace"}
	case 9:
		return Key{Name: "tab"}
	case 13:
		return Key{Name: "enter"}
	case 31:
		return Key{Name: "-", Mod: Ctrl}
	}
	return Key{Name: strings.ToLower(string(rune(c + 0x40))), Mod: Ctrl}
}

func (d *Decoder) escape(b []byte) (int, Event) {
	if len(b) == 1 {
		return 0, nil
	}
	switch b[1] {
	case '[':
		return d.csi(b)
	case 'O':
		if len(b) < 3 {
			return 0, nil
		}
		if k, ok := byFinal(b[2], nil); ok {
			return 3, k
		}
		return 3, nil
	case ']', 'P', '_', '^', 'X':
		return command(b)
	case 0x1B:
		if len(b) == 2 {
			return 0, nil
		}
		if b[2] != '[' && b[2] != 'O' {
			return 1, Key{Name: "escape"}
		}
	}
	n, ev := d.next(b[1:])
	k, ok := ev.(Key)
	if n == 0 || !ok {
		return n, ev
	}
	k.Mod |= Alt
	k.Text = ""
	return n + 1, k
}

// command reads a command string: an answer of the terminal.
func command(b []byte) (int, Event) {
	for i := 2; i < len(b); i++ {
		n := 0
		switch {
		case b[i] == 0x07:
			n = 1
		case b[i] == 0x1B && i+1 < len(b) && b[i+1] == '\\':
			n = 2
		case b[i] == 0x1B && i+1 < len(b): // it was none
			return i, nil
		}
		if n > 0 {
			return i + n, answer(string(b[1:i]))
		}
	}
	return 0, nil
}

func answer(s string) Event {
	rgb, ok := strings.CutPrefix(s, "]11;rgb:")
	if !ok {
		return nil
	}
	parts := strings.Split(rgb, "/")
	if len(parts) != 3 {
		return nil
	}
	var c [3]uint8
	for i, p := range parts {
		n, err := strconv.ParseUint(p, 16, 32)
		if err != nil || len(p) == 0 || len(p) > 4 {
			return nil
		}
		c[i] = uint8(n * 255 / (1<<(4*len(p)) - 1))
	}
	return Background{c[0], c[1], c[2]}
}

// csi reads a control sequence.
func (d *Decoder) csi(b []byte) (int, Event) {
	end := 2
	for end < len(b) && b[end] >= 0x20 && b[end] <= 0x3F {
		end++
	}
	if end == len(b) {
		return 0, nil
	}
	final, body := b[end], string(b[2:end])
	n := end + 1
	switch {
	case final < 0x40 || final > 0x7E: // it was none
		return end, nil
	case final == 'M' && body == "": // the mouse as it was in 1986
		if len(b) < n+3 {
			return 0, nil
		}
		return n + 3, nil
	case strings.HasPrefix(body, "<"):
		return n, mouse(body[1:], final)
	case strings.HasPrefix(body, "?"):
		if final == 'u' {
			return n, Kitty{}
		}
		return n, nil
	}
	p := parameters(body)
	switch final {
	case 'I', 'O':
		return n, Focus{final == 'I'}
	case 'Z':
		return n, Key{Name: "tab", Mod: Shift}
	case 'u':
		return n, unicodeKey(p)
	case '~':
		switch p.at(0, 0) {
		case 200:
			d.pasting = true
			return n, nil
		case 27: // modifyOtherKeys
			return n, unicodeKey(params{{p.at(2, 0)}, {p.at(1, 1)}})
		}
		name, ok := map[int]string{1: "home", 2: "insert", 3: "delete", 4: "end", 5: "pageUp", 6: "pageDown", 7: "home", 8: "end", 11: "f1", 12: "f2", 13: "f3", 14: "f4", 15: "f5",
			17: "f6", 18: "f7", 19: "f8", 20: "f9", 21: "f10", 23: "f11", 24: "f12"}[p.at(0, 0)]
		if !ok || released(p) {
			return n, nil
		}
		return n, Key{Name: name, Mod: p.mod(1)}
	}
	if k, ok := byFinal(final, p); ok && !released(p) {
		return n, k
	}
	return n, nil
}

func byFinal(final byte, p params) (Key, bool) {
	name, ok := map[byte]string{'A': "up", 'B': "down", 'C': "right", 'D': "left", 'E': "clear", 'H': "home", 'F': "end", 'P': "f1", 'Q': "f2", 'R': "f3", 'S': "f4", 'M': "enter"}[final]
	return Key{Name: name, Mod: p.mod(1)}, ok
}

// params are the numbers of a sequence, each with what is parted from it by colons.
type params [][]int

func parameters(s string) params {
	var p params
	for field := range strings.SplitSeq(s, ";") {
		var sub []int
		for part := range strings.SplitSeq(field, ":") {
			n, err := strconv.Atoi(part)
			if err != nil {
				n = -1
			}
			sub = append(sub, n)
		}
		p = append(p, sub)
	}
	return p
}

func (p params) at(i, otherwise int) int {
	if i < len(p) && p[i][0] >= 0 {
		return p[i][0]
	}
	return otherwise
}

func (p params) mod(i int) Mod {
	n := max(p.at(i, 1)-1, 0)
	return Mod(n & 0xF)
}

// released reports whether the sequence says that a key was let go.
func released(p params) bool { return len(p) > 1 && len(p[1]) > 1 && p[1][1] == 3 }

// unicodeKey is a key as the kitty protocol tells of it.
func unicodeKey(p params) Event {
	r := rune(p.at(0, 0))
	if released(p) || r <= 0 || r > unicode.MaxRune {
		return nil
	}
	mod := p.mod(1)
	switch r {
	case 27:
		return Key{Name: "escape", Mod: mod}
	case 13, 57414:
		return Key{Name: "enter", Mod: mod}
	case 9:
		return Key{Name: "tab", Mod: mod}
	case 127, 8:
		return Key{Name: "backspace", Mod: mod}
	}
	if name, ok := map[rune]string{57417: "left", 57418: "right", 57419: "up", 57420: "down", 57421: "pageUp", 57422: "pageDown", 57423: "home", 57424: "end", 57425: "insert", 57426: "delete", 57427: "clear"}[r]; ok {
		return Key{Name: name, Mod: mod}
	}
	if r >= 57344 && r <= 63743 || unicode.IsControl(r) { // keys that are no letters, such as modifiers
		return nil
	}
	k := letter(r)
	k.Mod |= mod
	if k.Mod&^Shift != 0 {
		k.Text = ""
	} else if k.Mod&Shift != 0 {
		k.Text = strings.ToUpper(k.Text)
	}
	if len(p) > 2 && p[2][0] > 0 && p[2][0] <= unicode.MaxRune && !unicode.IsControl(rune(p[2][0])) {
		k.Text = string(rune(p[2][0]))
	}
	return k
}

func mouse(s string, final byte) Event {
	p := parameters(s)
	if len(p) != 3 || final != 'M' && final != 'm' {
		return nil
	}
	code := p.at(0, 0)
	m := Mouse{X: p.at(1, 1) - 1, Y: p.at(2, 1) - 1}
	for bit, mod := range map[int]Mod{4: Shift, 8: Alt, 16: Ctrl} {
		if code&bit != 0 {
			m.Mod |= mod
		}
	}
	switch {
	case code&64 != 0:
		m.Button = WheelUp + MouseButton(code&1)
		if code&2 != 0 { // sideways
			return nil
		}
		return m
	case final == 'm':
		m.Action = Release
	case code&32 != 0:
		m.Action = Move
	}
	if code&3 < 3 {
		m.Button = LeftButton + MouseButton(code&3)
	}
	return m
}
