package term

import (
	"strconv"

	"github.com/boughdev/bough/internal/styled"
)

// A Frame is what the terminal is to show.
type Frame struct {
	// Rows are the whole screen or, where the terminal's own scrolling is kept, what
	// stands below all that was said. Rows that have no room at the top are not
	// shown.
	Rows []styled.Line
	// Above leave for the terminal's own history first, where that is kept.
	Above []styled.Line

	X, Y   int // where the cursor stands in Rows, from 0
	Cursor bool
	Title  string // of the window; "": as it is

	Working bool // something goes on, for a terminal that shows it in its tab
}

// screen knows what the terminal shows and sends what differs.
type screen struct {
	enc           encoder
	width, height int
	full          bool // the whole screen is ours

	wipe  bool     // the screen is to be cleared
	extra string   // to be sent behind everything else
	ahead []byte   // pictures, to be sent before the rows that show them
	shown []string // rows, as they were sent
	valid bool     // and still stand there
	x, y  int      // of the cursor
	shows bool     // the cursor
	title string

	progress bool // tell that something goes on (OSC 9;4)
	working  bool // that was told
}

// frame returns the bytes that make the terminal show f.
func (s *screen) frame(f Frame) []byte {
	rows := f.Rows
	if cut := len(rows) - s.height; cut > 0 {
		rows, f.Y = rows[cut:], f.Y-cut
	}
	s.enc.b = s.enc.b[:0]
	s.put("\x1b[?2026h")
	start := len(s.enc.b)
	if len(s.ahead) > 0 {
		s.enc.b = append(s.enc.b, s.ahead...)
		s.ahead = nil
	}
	if s.full {
		s.whole(rows)
	} else {
		s.below(f.Above, rows)
	}
	cursor := f.Cursor && f.Y >= 0 && f.Y < max(len(rows), 1)
	moved := len(s.enc.b) > start
	if cursor && (moved || f.X != s.x || f.Y != s.y || !s.shows) {
		s.move(f.X, f.Y)
	}
	if cursor != s.shows {
		s.put(map[bool]string{true: "\x1b[?25h", false: "\x1b[?25l"}[cursor])
		s.shows = cursor
	}
	if f.Title != "" && f.Title != s.title {
		s.put("\x1b]0;" + styled.Safe(f.Title) + "\x07")
		s.title = f.Title
	}
	if s.progress && f.Working != s.working {
		s.put(map[bool]string{true: "\x1b]9;4;3\x07", false: "\x1b]9;4;0\x07"}[f.Working])
		s.working = f.Working
	}
	if len(s.enc.b) == start && s.extra == "" {
		return nil
	}
	s.put("\x1b[?2026l")
	s.put(s.extra)
	s.extra = ""
	return append([]byte(nil), s.enc.b...)
}

func (s *screen) put(text string) { s.enc.b = append(s.enc.b, text...) }

func (s *screen) number(n int) { s.enc.b = strconv.AppendInt(s.enc.b, int64(n), 10) }

// Encode returns rows as they are written where nothing is drawn any more, a line
// each: with their colors, and without a move of the cursor.
func (t *Terminal) Encode(rows []styled.Line) string {
	e := t.screen.enc
	e.b, e.marks = nil, false
	for _, l := range rows {
		e.row(l)
		e.b = append(e.b, "\r\n"...)
	}
	return string(e.b)
}

// hide hides the cursor while rows are being drawn.
func (s *screen) hide() {
	if s.shows {
		s.put("\x1b[?25l")
		s.shows = false
	}
}

// row writes one row and leaves the cursor somewhere on it. It returns what was
// written.
func (s *screen) row(l styled.Line) string {
	at := len(s.enc.b)
	s.enc.row(l)
	return string(s.enc.b[at:])
}

// whole draws the whole screen.
func (s *screen) whole(rows []styled.Line) {
	if !s.valid {
		s.hide()
		s.put("\x1b[m\x1b[H\x1b[2J")
		s.shown = nil
		s.valid = true
	}
	for y := range s.height {
		var l styled.Line
		if y < len(rows) {
			l = rows[y]
		}
		at := len(s.enc.b)
		s.enc.row(l)
		if y < len(s.shown) && string(s.enc.b[at:]) == s.shown[y] || y >= len(s.shown) && len(s.enc.b) == at {
			s.enc.b = s.enc.b[:at]
			if y >= len(s.shown) {
				s.shown = append(s.shown, "")
			}
			continue
		}
		text := string(s.enc.b[at:])
		s.enc.b = s.enc.b[:at]
		s.hide()
		s.put("\x1b[")
		s.number(y + 1)
		s.put(";1H")
		s.put(text)
		if l.Width() < s.width {
			s.put("\x1b[K")
		}
		if y < len(s.shown) {
			s.shown[y] = text
		} else {
			s.shown = append(s.shown, text)
		}
	}
}

// below draws rows below what the terminal has already. The cursor stands at s.y of
// the rows that are shown.
func (s *screen) below(above, rows []styled.Line) {
	if !s.valid {
		s.hide()
		s.put("\x1b[m\r\x1b[J")
		if s.wipe {
			s.put("\x1b[H\x1b[2J")
		}
		s.shown, s.y, s.valid, s.wipe = nil, 0, true, false
	}
	if len(above) > 0 {
		s.hide()
		s.up(s.y)
		for _, l := range above {
			s.row(l)
			if l.Width() < s.width {
				s.put("\x1b[K")
			}
			s.put("\r\n")
		}
		s.y = 0
		s.shown = s.shown[min(len(above), len(s.shown)):] // the rest still stands below
	}
	for y, l := range rows {
		at := len(s.enc.b)
		text := s.row(l)
		s.enc.b = s.enc.b[:at]
		if y < len(s.shown) && s.shown[y] == text {
			continue
		}
		s.hide()
		s.to(y)
		s.put("\r")
		s.put(text)
		if l.Width() < s.width {
			s.put("\x1b[K")
		}
		if y < len(s.shown) {
			s.shown[y] = text
		} else {
			s.shown = append(s.shown, text)
		}
	}
	if n := max(len(rows), 1); len(s.shown) > n {
		s.hide()
		s.to(n - 1)
		s.put("\r\x1b[B\x1b[J\x1b[A")
		s.shown = s.shown[:n]
	}
	if len(rows) == 0 && len(s.shown) > 0 && s.shown[0] != "" {
		s.to(0)
		s.put("\r\x1b[K")
		s.shown[0] = ""
	}
}

// to moves the cursor to a row, making rows at the end where there are none.
func (s *screen) to(y int) {
	last := max(len(s.shown)-1, 0)
	if y < s.y {
		s.up(s.y - y)
	} else if down := min(y, last) - s.y; down > 0 {
		s.put("\x1b[")
		s.number(down)
		s.put("B")
	}
	for n := max(last, s.y); n < y; n++ {
		s.put("\r\n")
	}
	s.y = y
}

func (s *screen) up(n int) {
	s.put("\r")
	if n > 0 {
		s.put("\x1b[")
		s.number(n)
		s.put("A")
	}
}

// move puts the cursor where it is to be seen.
func (s *screen) move(x, y int) {
	if s.full {
		s.put("\x1b[")
		s.number(y + 1)
		s.put(";")
		s.number(min(x, s.width-1) + 1)
		s.put("H")
		s.x, s.y = x, y
		return
	}
	s.to(y)
	s.put("\r")
	if x = min(x, s.width-1); x > 0 {
		s.put("\x1b[")
		s.number(x)
		s.put("C")
	}
	s.x = x
}
