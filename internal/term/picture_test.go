package term

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi/kitty"

	"github.com/boughdev/bough/internal/styled"
)

func TestPicturesOf(t *testing.T) {
	for _, tt := range []struct {
		env  string
		want Pictures
	}{
		{"TERM=xterm-kitty", KittyPictures},
		{"TERM=xterm-ghostty", KittyPictures},
		{"TERM=xterm-256color TERM_PROGRAM=iTerm.app", ITermPictures},
		{"TERM=xterm-256color LC_TERMINAL=iTerm2", ITermPictures},
		{"TERM=xterm-256color TERM_PROGRAM=WezTerm", ITermPictures},
		{"TERM=xterm-256color TERM_PROGRAM=Apple_Terminal", NoPictures},
		{"TERM=tmux-256color TMUX=/tmp/x KITTY_WINDOW_ID=1", NoPictures},
		{"TERM=screen-256color LC_TERMINAL=iTerm2", NoPictures},
		{"TERM=xterm-kitty ZELLIJ=0", NoPictures},
		{"", NoPictures},
	} {
		env := map[string]string{}
		for _, v := range strings.Fields(tt.env) {
			name, value, _ := strings.Cut(v, "=")
			env[name] = value
		}
		if got := PicturesOf(func(s string) string { return env[s] }); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.env, got, tt.want)
		}
	}
	if PicturesBehind("xterm-kitty", "on") != KittyBehind || PicturesBehind("xterm-kitty", "off") != NoPictures || PicturesBehind("xterm-256color", "on") != NoPictures {
		t.Error("what is possible behind tmux")
	}
}

// The marks of rows are those of the protocol, and a cell is one column wide.
func TestPictureRows(t *testing.T) {
	for y := range styled.PictureRows {
		l := styled.PictureRow(0x123456, 3, y)
		if r := []rune(l.Text()); r[0] != kitty.Placeholder || r[1] != kitty.Diacritic(y) || r[2] != kitty.Diacritic(0) {
			t.Errorf("row %d is %q", y, l.Text())
		}
		if l.Width() != 3 {
			t.Errorf("row %d takes %d columns", y, l.Width())
		}
		if id, row, ok := l[0].Picture(); id != 0x123456 || row != y || !ok {
			t.Errorf("row %d is row %d of %x", y, row, id)
		}
	}
	if styled.PictureRow(1, 3, styled.PictureRows) != nil {
		t.Error("a row that the protocol cannot tell")
	}
}

func picture(kind Pictures) *screen {
	s, _ := screenOf(20, 4, true)
	s.enc.pictures = kind
	s.enc.kept = map[uint32]Picture{0x010203: {ID: 0x010203, Cols: 2, Rows: 2, PNG: []byte("png"), Strips: [][]byte{[]byte("one"), []byte("two")}}}
	return s
}

func TestPictureIsDrawn(t *testing.T) {
	row := styled.Join(styled.Of(" ", styled.Style{}), styled.PictureRow(0x010203, 2, 1))
	for _, tt := range []struct {
		name  string
		kind  Pictures
		parts []string
	}{
		{"kitty", KittyPictures, []string{"\x1b[0;38;2;1;2;3m\U0010EEEE\u030d\u0305\U0010EEEE\x1b[m"}},
		{"iTerm2", ITermPictures, []string{"\x1b]1337;File=inline=1;", "height=1;width=2;size=3:dHdv\x07\x1b[2C"}},
		{"none", NoPictures, []string{"\x1b[m  "}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := string(picture(tt.kind).frame(Frame{Rows: []styled.Line{row}}))
			for _, p := range tt.parts {
				if !strings.Contains(got, p) {
					t.Errorf("%q lacks %q", got, p)
				}
			}
		})
	}
	for name, kind := range map[string]Pictures{"kitty": KittyPictures, "iTerm2": ITermPictures} {
		s := picture(kind)
		if got := string(s.frame(Frame{Rows: []styled.Line{styled.PictureRow(0x999999, 2, 0)}})); strings.Contains(got, "1337") || strings.ContainsRune(got, styled.PictureCell) {
			t.Errorf("%s draws a picture that was let go: %q", name, got)
		}
	}
}

func TestPictureIsSentOnceAndGoes(t *testing.T) {
	t1 := &Terminal{o: Options{Full: true}, screen: screen{width: 20, height: 4, full: true, enc: encoder{pictures: KittyBehind}}}
	t1.Keep(Picture{ID: 0x010203, Cols: 2, Rows: 1, PNG: []byte(strings.Repeat("x", 5000))})
	first := string(t1.screen.frame(Frame{Rows: rows("a")}))
	if n := strings.Count(first, "\x1bPtmux;\x1b\x1b_G"); n != 2 {
		t.Errorf("%d pieces for tmux in %q", n, first)
	}
	if !strings.Contains(first, "a=T,U=1,q=2,f=100,t=d,i=66051,c=2,r=1,m=1;") || !strings.Contains(first, "q=2,m=0;") {
		t.Errorf("%q", first)
	}
	if again := string(t1.screen.frame(Frame{Rows: rows("b")})); strings.Contains(again, "_G") {
		t.Errorf("it is sent again: %q", again)
	}
	t1.Forget(0x010203)
	if got := string(t1.screen.frame(Frame{Rows: rows("c")})); !strings.Contains(got, "a=d,d=I,q=2,i=66051") {
		t.Errorf("it stays: %q", got)
	}
}

// No text of others is a cell of a picture.
func TestTextIsNoPicture(t *testing.T) {
	s := picture(KittyPictures)
	l := styled.Of("\U0010EEEE\u030d\u0305", styled.Style{FG: styled.RGB(1, 2, 3)})
	if got := string(s.frame(Frame{Rows: []styled.Line{l}})); strings.ContainsRune(got, styled.PictureCell) {
		t.Errorf("%q", got)
	}
}

func TestMarksOfMessages(t *testing.T) {
	l := styled.Of("said", styled.Style{}).With(styled.Message, 0)
	for full, want := range map[bool]int{true: 0, false: 1} {
		s, emulator := screenOf(20, 4, full)
		s.enc.marks = !full
		b := s.frame(Frame{Rows: []styled.Line{l}})
		emulator.Write(b)
		if n := strings.Count(string(b), "\x1b]133;A"); n != want {
			t.Errorf("full %v: %d marks in %q", full, n, b)
		}
		if got := emulator.Rows()[0]; got != "said" {
			t.Errorf("%q", got)
		}
	}
}

func TestProgress(t *testing.T) {
	s, _ := screenOf(20, 4, true)
	s.progress = true
	on, same, off := string(s.frame(Frame{Working: true})), s.frame(Frame{Working: true}), string(s.frame(Frame{}))
	if !strings.Contains(on, "\x1b]9;4;3\x07") || same != nil || !strings.Contains(off, "\x1b]9;4;0\x07") {
		t.Errorf("%q %q %q", on, same, off)
	}
	s.progress = false
	if b := string(s.frame(Frame{Working: true})); strings.Contains(b, "9;4") {
		t.Errorf("nobody asked for %q", b)
	}
}
