package term

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

func TestDecode(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want string
	}{
		{"a", "a"}, {"A", "shift+a"}, {"?", "?"}, {" ", "space"}, {"é", "é"}, {"Ü", "shift+ü"}, {"你", "你"},
		{"\r", "enter"}, {"\n", "ctrl+j"}, {"\t", "tab"}, {"\x7f", "backspace"}, {"\x03", "ctrl+c"}, {"\x1f", "ctrl+-"}, {"\x1d", "ctrl+]"}, {"\x00", "ctrl+space"},
		{"\x1b[A", "up"}, {"\x1bOA", "up"}, {"\x1b[1;5A", "ctrl+up"}, {"\x1b[1;6A", "ctrl+shift+up"}, {"\x1b[1;3B", "alt+down"}, {"\x1b[H", "home"}, {"\x1b[4~", "end"}, {"\x1b[3;5~", "ctrl+delete"},
		{"\x1bOP", "f1"}, {"\x1b[24~", "f12"}, {"\x1b[Z", "shift+tab"}, {"\x1b[5~", "pageUp"},
		{"\x1ba", "alt+a"}, {"\x1b\r", "alt+enter"}, {"\x1b\x7f", "alt+backspace"}, {"\x1bL", "shift+alt+l"}, {"\x1b\x1b[A", "alt+up"}, {"\x1b,", "alt+,"},
		{"\x1b[13;2u", "shift+enter"}, {"\x1b[27u", "escape"}, {"\x1b[99;5u", "ctrl+c"}, {"\x1b[108;2u", "shift+l"}, {"\x1b[97;1:3u", ""}, {"\x1b[57441;2u", ""}, {"\x1b[57419;5u", "ctrl+up"},
		{"\x1b[27;5;13~", "ctrl+enter"}, {"\x1b[27;2;13~", "shift+enter"}, {"\x1b[98;3u", "alt+b"},
		{"\x1b[200~a\r\nb\x1b[31m\x1b[201~c", `paste "a\r\nb\x1b[31m" c`}, {"\x1b[200~\x1b[201~", `paste ""`}, {"\x1b[200~\xff\x1b[201~", "paste \"\uFFFD\""},
		{"\x1b[I\x1b[O", "focus true focus false"},
		{"\x1b[<0;3;4M\x1b[<0;3;4m\x1b[<64;1;1M\x1b[<65;1;1M\x1b[<16;1;1M\x1b[<35;1;1M", "mouse 2,3 1 0 0 mouse 2,3 1 1 0 mouse 0,0 4 0 0 mouse 0,0 5 0 0 mouse 0,0 1 0 4 mouse 0,0 0 2 0"},
		{"\x1b]11;rgb:ffff/8080/0000\x07", "background 255 128 0"}, {"\x1b]11;rgb:ff/80/00\x1b\\x", "background 255 128 0 x"}, {"\x1b]11;rgb:80/00\x07", ""}, {"\x1b]11;nothing\x07", ""}, {"\x1b]52;c;!\x07", ""},
		{"\x1b[?1u", "kitty"}, {"\x1b[?997;1n", "scheme dark true"}, {"\x1b[?997;2n", "scheme dark false"}, {"\x1b[?62;4c", ""}, {"\x1bP>|tmux 3.3\x1b\\", ""}, {"\x1b[?2026;2$y", ""},
		{"\x1b[999999999999u", ""}, {"\x1b[;u", "ctrl+space"}, {"\x1b[57404u", "5"}, {"\x1b[57349;5u", "ctrl+delete"}, {"\b", "backspace"}, {"\x1b\b", "alt+backspace"}, {"\x1bOb", "ctrl+down"}, {"\x1b[1;5R", "ctrl+f3"}, {"\x1b[1;99999999A", "ctrl+alt+super+up"}, {"\x1b[M !!x", "mouse 0,0 1 0 0 x"}, {"\x1b[\x01", "ctrl+a"}, {"\xff", ""}, {"\x1b]no end\x1b[A", "up"},
	} {
		for size := 1; size <= len(tt.in); size++ {
			var d Decoder
			var got []string
			for at := 0; at < len(tt.in); at += size {
				for _, ev := range d.Feed([]byte(tt.in[at:min(at+size, len(tt.in))])) {
					got = append(got, words(ev))
				}
			}
			if d.Waiting() {
				t.Errorf("%q in pieces of %d: something waits", tt.in, size)
			}
			if s := strings.Join(got, " "); s != tt.want {
				t.Errorf("%q in pieces of %d: %s, want %s", tt.in, size, s, tt.want)
			}
		}
	}
}

func words(ev Event) string {
	switch e := ev.(type) {
	case Key:
		return e.String()
	case Paste:
		return fmt.Sprintf("paste %q", e.Text)
	case Focus:
		return fmt.Sprint("focus ", e.In)
	case Mouse:
		return fmt.Sprintf("mouse %d,%d %d %d %d", e.X, e.Y, e.Button, e.Action, e.Mod)
	case Background:
		return fmt.Sprintf("background %d %d %d", e.R, e.G, e.B)
	case Scheme:
		return fmt.Sprint("scheme dark ", e.Dark)
	case Kitty:
		return "kitty"
	}
	return fmt.Sprintf("%#v", ev)
}

func TestEscapeByItself(t *testing.T) {
	for in, want := range map[string]string{"\x1b": "escape", "\x1b[": "alt+[", "\x1bO": "shift+alt+o", "\x1b\x1b": "escape escape", "\x1b[1;": ""} {
		var d Decoder
		evs := d.Feed([]byte(in))
		if len(evs) != 0 || !d.Waiting() {
			t.Errorf("%q: %v at once", in, evs)
		}
		var got []string
		for _, ev := range d.Flush() {
			got = append(got, words(ev))
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%q: %s, want %s", in, s, want)
		}
	}
}

func TestTextOfKeys(t *testing.T) {
	for in, want := range map[string]string{"a": "a", "A": "A", " ": " ", "\x1ba": "", "\x01": "", "\x1b[108;2u": "L", "\x1b[97;1;228u": "ä", "\x1b[97;5u": "", "🙂": "🙂", "\x1b[A": ""} {
		var d Decoder
		evs := d.Feed([]byte(in))
		if len(evs) != 1 || evs[0].(Key).Text != want {
			t.Errorf("%q: %+v, want %q", in, evs, want)
		}
	}
}

func TestParseKey(t *testing.T) {
	for s, want := range map[string]string{"ctrl+shift+up": "ctrl+shift+up", "shift+ctrl+up": "ctrl+shift+up", "ESC": "escape", "return": "enter", "pageup": "pageUp", "L": "shift+l", "ctrl++": "ctrl++", "+": "+", "alt+[": "alt+[", "ctrl+-": "ctrl+-"} {
		if k, ok := ParseKey(s); !ok || k.String() != want {
			t.Errorf("%s: %s, %v", s, k, ok)
		}
	}
	for _, s := range []string{"", "ctrl+", "hyper+a", "f13", "word"} {
		if k, ok := ParseKey(s); ok {
			t.Errorf("%s is %s", s, k)
		}
	}
}

// A paste of a megabyte in small pieces is one event, and quickly so.
func TestLargePaste(t *testing.T) {
	text := strings.Repeat("x\x1b[201", 1<<17)
	in := []byte("\x1b[200~" + text + "\x1b[201~")
	var d Decoder
	var got []Event
	for at := 0; at < len(in); at += 100 {
		got = append(got, d.Feed(in[at:min(at+100, len(in))])...)
	}
	if len(got) != 1 || got[0] != (Paste{text}) {
		t.Errorf("%d events", len(got))
	}
}

// Cut anywhere, bytes are the same events.
func TestDecodeLaw(t *testing.T) {
	parts := []string{"\x1b", "[", "O", "A", "1", ";", "5", "~", "u", "<", "M", "\x07", "]", "11;rgb:ff/ff/ff", "\\", "é", "\xff", "\x1b[200~", "\x1b[201~", "P", "?", "27;5;13~", "\r", ":", "99999"}
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 0))
		var in []byte
		for range r.IntN(20) {
			in = append(in, parts[r.IntN(len(parts))]...)
		}
		var whole, pieces Decoder
		want := append(whole.Feed(in), whole.Flush()...)
		var got []Event
		for at := 0; at < len(in); {
			n := min(1+r.IntN(4), len(in)-at)
			got = append(got, pieces.Feed(in[at:at+n])...)
			at += n
		}
		got = append(got, pieces.Flush()...)
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d: %q: %v, want %v", seed, in, got, want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("\x1b[200~x\x1b[201~\x1b[1;5A"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var d Decoder
		d.Feed(b)
		d.Flush()
	})
}
