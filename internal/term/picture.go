package term

import (
	"encoding/base64"
	"strconv"
	"strings"

	"github.com/boughdev/bough/internal/styled"
)

// Pictures is how a terminal shows images.
type Pictures int

const (
	NoPictures    Pictures = iota
	KittyPictures          // kitty's protocol with cells that stand for pictures
	KittyBehind            // likewise, through a tmux that lets it pass
	ITermPictures          // iTerm2's: an image at the cursor
)

// PicturesOf says what a terminal can, by what it tells of itself. In a multiplexer
// it cannot be told so.
func PicturesOf(getenv func(string) string) Pictures {
	name, program := getenv("TERM"), getenv("TERM_PROGRAM")
	switch {
	case Multiplexed(getenv):
		return NoPictures
	case ofKitty(name) || getenv("KITTY_WINDOW_ID") != "" || program == "ghostty":
		return KittyPictures
	case program == "iTerm.app" || program == "WezTerm" || getenv("LC_TERMINAL") == "iTerm2":
		return ITermPictures
	}
	return NoPictures
}

// Multiplexed reports whether a program such as tmux stands between us and the
// terminal.
func Multiplexed(getenv func(string) string) bool {
	name := getenv("TERM")
	return getenv("TMUX") != "" || getenv("STY") != "" || getenv("ZELLIJ") != "" || strings.HasPrefix(name, "tmux") || strings.HasPrefix(name, "screen")
}

// PicturesBehind says what is possible in tmux, by the name of the terminal it is
// shown on and its option allow-passthrough.
func PicturesBehind(terminal, passthrough string) Pictures {
	if ofKitty(terminal) && (passthrough == "on" || passthrough == "all") {
		return KittyBehind
	}
	return NoPictures
}

func ofKitty(name string) bool {
	return strings.HasPrefix(name, "xterm-kitty") || strings.HasPrefix(name, "xterm-ghostty") || strings.HasPrefix(name, "ghostty")
}

// Picture is an image that rows can show; see styled.PictureRow.
type Picture struct {
	ID         uint32
	Cols, Rows int
	PNG        []byte   // for kitty
	Strips     [][]byte // for iTerm2: an image for each row
}

// SetPictures says how images are shown from now on.
func (t *Terminal) SetPictures(p Pictures) { t.screen.enc.pictures = p }

// Keep takes a picture, which rows of the next frames may show.
func (t *Terminal) Keep(p Picture) {
	e := &t.screen.enc
	if e.kept == nil {
		e.kept = map[uint32]Picture{}
	}
	e.kept[p.ID] = p
	t.screen.ahead = e.sent(t.screen.ahead, p)
}

// Forget lets go of a picture.
func (t *Terminal) Forget(id uint32) {
	e := &t.screen.enc
	if _, ok := e.kept[id]; !ok {
		return
	}
	delete(e.kept, id)
	if t.o.Full { // what stands in the terminal's history stays as it is
		t.screen.ahead = append(t.screen.ahead, e.forgotten(id)...)
	}
}

// forgotten is what has the terminal let go of a picture.
func (e *encoder) forgotten(id uint32) string {
	if e.pictures != KittyPictures && e.pictures != KittyBehind {
		return ""
	}
	return e.through("\x1b_Ga=d,d=I,q=2,i=" + strconv.FormatUint(uint64(id), 10) + "\x1b\\")
}

// sent appends what the terminal must have before it can show a picture.
func (e *encoder) sent(b []byte, p Picture) []byte {
	if e.pictures != KittyPictures && e.pictures != KittyBehind {
		return b
	}
	const chunk = 4096
	data := base64.StdEncoding.EncodeToString(p.PNG)
	head := "a=T,U=1,q=2,f=100,t=d,i=" + strconv.FormatUint(uint64(p.ID), 10) + ",c=" + strconv.Itoa(p.Cols) + ",r=" + strconv.Itoa(p.Rows)
	for first := true; first || len(data) > 0; first = false {
		n := min(chunk, len(data))
		more := ",m=0"
		if n < len(data) {
			more = ",m=1"
		}
		if !first {
			head = "q=2"
		}
		b = append(b, e.through("\x1b_G"+head+more+";"+data[:n]+"\x1b\\")...)
		data = data[n:]
	}
	return b
}

// through wraps a sequence so that tmux hands it on.
func (e *encoder) through(s string) string {
	if e.pictures != KittyBehind {
		return s
	}
	return "\x1bPtmux;" + strings.ReplaceAll(s, "\x1b", "\x1b\x1b") + "\x1b\\"
}

// picture appends a row of a picture; blanks if there is none.
func (e *encoder) picture(s styled.Span, id uint32, row int) {
	width := styled.Width(s.Text)
	p, ok := e.kept[id]
	switch {
	case ok && e.pictures == ITermPictures && row < len(p.Strips):
		data := p.Strips[row]
		e.b = append(e.b, "\x1b[m"...)
		e.b = append(e.b, "\x1b]1337;File=inline=1;doNotMoveCursor=1;preserveAspectRatio=0;height=1;width="+strconv.Itoa(width)+";size="+strconv.Itoa(len(data))+":"...)
		e.b = base64.StdEncoding.AppendEncode(e.b, data)
		e.b = append(e.b, "\x07\x1b["+strconv.Itoa(width)+"C"...)
	case ok && (e.pictures == KittyPictures || e.pictures == KittyBehind):
		n := int(id)
		e.b = append(e.b, "\x1b[0;38;2;"+strconv.Itoa(n>>16)+";"+strconv.Itoa(n>>8&0xFF)+";"+strconv.Itoa(n&0xFF)+"m"...)
		e.b = append(e.b, s.Text...)
		e.b = append(e.b, "\x1b[m"...)
	default:
		e.b = append(e.b, "\x1b[m"...)
		for range width {
			e.b = append(e.b, ' ')
		}
	}
}

// again has the terminal sent all pictures once more, after somebody else had it.
func (s *screen) again() {
	for _, p := range s.enc.kept {
		s.ahead = s.enc.sent(s.ahead, p)
	}
}

// noMore is what has the terminal let go of all pictures.
func (s *screen) noMore() string {
	var b strings.Builder
	for id := range s.enc.kept {
		b.WriteString(s.enc.forgotten(id))
	}
	return b.String()
}
