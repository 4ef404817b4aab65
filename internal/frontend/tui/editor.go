package tui

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/boughdev/bough/internal/lang"
	"github.com/boughdev/bough/internal/picture"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/internal/styled"
	"github.com/boughdev/bough/message"
)

// editor holds a text that is being typed. What was pasted or attached stands in it
// as one character of a private range, so that it moves and goes as one
// (docs/spec/frontends.md D3-05).
type editor struct {
	text  string
	at    int // of the cursor, in bytes
	chips []chip

	goal    int // column that up and down keep to; -1: none
	undos   []undo
	typing  bool // the last change was typing: the next letter belongs to it
	ring    []string
	yanked  int // bytes that the last key put in from the ring; 0: it did something else
	cutting bool
	jump    int // the next character is looked for: 1 forward, -1 backward

	history []string
	older   int // entries of history before the newest that are shown; 0: the draft
	draft   string

	escaped, cleared time.Time // when Escape and ctrl+c were pressed last

	lang lang.Language // of the names of chips

	width int // of the last drawing
	top   int // the first row that is shown
}

// chip is what stands behind a character: a long text, or an image.
type chip struct {
	text  string
	image *message.Block
	name  string
}

type undo struct {
	text string
	at   int
}

const (
	firstChip = 0xF0000
	mostChips = 0xFFF
	mostUndos = 1000
)

func chipOf(r rune) (int, bool) { return int(r - firstChip), r >= firstChip && r < firstChip+mostChips }

// says is the text with all that was pasted, and the images.
func (e *editor) says() (string, []message.Block) {
	var b strings.Builder
	var images []message.Block
	for _, r := range e.text {
		n, ok := chipOf(r)
		switch {
		case !ok:
			b.WriteRune(r)
		case n >= len(e.chips):
		case e.chips[n].image != nil:
			images = append(images, *e.chips[n].image)
		default:
			b.WriteString(e.chips[n].text)
		}
	}
	return b.String(), images
}

// set begins anew with a text. What was there can be undone.
func (e *editor) set(text string) {
	e.change(false)
	e.text, e.at, e.older = withoutChips(tidy(text)), 0, 0
	e.at = len(e.text)
}

func (e *editor) empty() bool { return e.text == "" }

// tidy makes a text of what was typed or pasted: UTF-8, lines that end in line
// feeds, no control characters.
func tidy(s string) string {
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	return strings.Map(func(r rune) rune {
		if r < 0x20 && r != '\n' && r != '\t' || r >= 0x7F && r < 0xA0 {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

func withoutChips(s string) string {
	return strings.Map(func(r rune) rune {
		if _, ok := chipOf(r); ok {
			return -1
		}
		return r
	}, s)
}

// change keeps what is there for undo. Letters typed one after the other are undone
// together, up to the end of a word.
func (e *editor) change(typing bool) {
	if !typing || !e.typing {
		if len(e.undos) == mostUndos {
			e.undos = e.undos[1:]
		}
		e.undos = append(e.undos, undo{e.text, e.at})
	}
	e.typing = typing
	e.goal, e.yanked = -1, 0
}

func (e *editor) undo() {
	if n := len(e.undos); n > 0 {
		u := e.undos[n-1]
		e.undos = e.undos[:n-1]
		e.text, e.at = u.text, u.at
	}
	e.typing, e.goal, e.yanked = false, -1, 0
}

// insert puts typed text in.
func (e *editor) insert(s string) {
	s = withoutChips(tidy(s))
	if s == "" {
		return
	}
	r, _ := utf8.DecodeLastRuneInString(s)
	e.change(!unicode.IsSpace(r))
	e.put(s)
	e.typing = !unicode.IsSpace(r)
}

func (e *editor) put(s string) {
	e.text = e.text[:e.at] + s + e.text[e.at:]
	e.at += len(s)
}

// paste puts in a text that came in one piece; a long one as a chip.
func (e *editor) paste(s string) {
	s = withoutChips(tidy(s))
	if s == "" {
		return
	}
	e.change(false)
	lines := strings.Count(s, "\n") + 1
	long := lines > 10 || len(s) > 1000 && utf8.RuneCountInString(s) > 1000
	if !long || len(e.chips) >= mostChips {
		if r, _ := utf8.DecodeLastRuneInString(e.text[:e.at]); looksLikePath(s) && e.at > 0 && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			s = " " + s
		}
		e.put(s)
		return
	}
	name := e.lang.T("[paste #%d +%d lines]", len(e.chips)+1, lines)
	if lines <= 10 {
		name = e.lang.T("[paste #%d %d chars]", len(e.chips)+1, utf8.RuneCountInString(s))
	}
	e.attach(chip{text: s, name: name})
}

func (e *editor) attach(c chip) {
	e.chips = append(e.chips, c)
	e.put(string(rune(firstChip + len(e.chips) - 1)))
}

// attachImage puts an image in.
func (e *editor) attachImage(b message.Block) {
	if len(e.chips) >= mostChips {
		return
	}
	e.change(false)
	size := picture.Look(b.Data).Size()
	if size == "" {
		size = render.Bytes(int64(len(b.Data) * 3 / 4))
	}
	e.attach(chip{image: &b, name: e.lang.T("[image #%d %s]", e.images()+1, size)})
}

// images is how many images were attached.
func (e *editor) images() (n int) {
	for _, c := range e.chips {
		if c.image != nil {
			n++
		}
	}
	return n
}

// unfold puts the text of the chip at the cursor in its place.
func (e *editor) unfold() bool {
	r, n := utf8.DecodeRuneInString(e.text[e.at:])
	at := e.at
	if _, ok := chipOf(r); !ok {
		r, n = utf8.DecodeLastRuneInString(e.text[:e.at])
		at = e.at - n
	}
	i, ok := chipOf(r)
	if !ok || i >= len(e.chips) || e.chips[i].image != nil {
		return false
	}
	e.change(false)
	e.text = e.text[:at] + e.chips[i].text + e.text[at+n:]
	e.at = at + len(e.chips[i].text)
	return true
}

func looksLikePath(s string) bool {
	return strings.HasPrefix(s, "/") || strings.HasPrefix(s, "~/") || strings.HasPrefix(s, "./") || strings.HasPrefix(s, "../")
}

// The characters beside the cursor.
func (e *editor) before() int {
	start := max(e.at-256, 0)
	for start > 0 && !utf8.RuneStart(e.text[start]) {
		start--
	}
	if i := strings.LastIndexByte(e.text[start:e.at], '\n'); i >= 0 && start+i+1 < e.at {
		start += i + 1
	}
	last := start
	for at := range styled.Clusters(e.text[start:e.at]) {
		last = start + at
	}
	return last
}

func (e *editor) behind() int {
	end := min(e.at+256, len(e.text))
	for end < len(e.text) && !utf8.RuneStart(e.text[end]) {
		end++
	}
	for _, g := range styled.Clusters(e.text[e.at:end]) {
		return e.at + len(g)
	}
	return e.at
}

// wordBefore and wordBehind are where words begin and end. Chinese and Japanese
// words are as long as their writing stays the same.
func (e *editor) wordBefore() int {
	at := e.at
	for at > 0 {
		r, n := utf8.DecodeLastRuneInString(e.text[:at])
		if kindOf(r) != 0 {
			break
		}
		at -= n
	}
	if at == 0 {
		return 0
	}
	r, _ := utf8.DecodeLastRuneInString(e.text[:at])
	kind := kindOf(r)
	for at > 0 {
		r, n := utf8.DecodeLastRuneInString(e.text[:at])
		if kindOf(r) != kind {
			break
		}
		at -= n
		if kind == chipKind {
			break
		}
	}
	return at
}

func (e *editor) wordBehind() int {
	at, kind := e.at, 0
	for at < len(e.text) {
		r, n := utf8.DecodeRuneInString(e.text[at:])
		k := kindOf(r)
		if kind != 0 && (k != kind || kind == chipKind) {
			break
		}
		kind = k
		at += n
	}
	return at
}

const chipKind = 9

// kindOf sorts characters: 0 blanks, 1 words, 2 signs, and writings of their own.
func kindOf(r rune) int {
	if _, ok := chipOf(r); ok {
		return chipKind
	}
	switch {
	case unicode.IsSpace(r):
		return 0
	case unicode.Is(unicode.Han, r):
		return 3
	case unicode.Is(unicode.Hiragana, r):
		return 4
	case unicode.Is(unicode.Katakana, r):
		return 5
	case unicode.IsLetter(r), unicode.IsDigit(r), r == '_', unicode.Is(unicode.Mn, r):
		return 1
	}
	return 2
}

func (e *editor) lineStart() int { return strings.LastIndexByte(e.text[:e.at], '\n') + 1 }

func (e *editor) lineEnd() int {
	if i := strings.IndexByte(e.text[e.at:], '\n'); i >= 0 {
		return e.at + i
	}
	return len(e.text)
}

// cut deletes from the cursor to a place and keeps what was there for yank; cuts in a
// row are one.
func (e *editor) cut(to int) {
	from := min(e.at, to)
	end := max(e.at, to)
	if from == end {
		return
	}
	piece := e.text[from:end]
	joined := e.cutting
	e.change(false)
	switch n := len(e.ring); {
	case joined && n > 0 && to < e.at:
		e.ring[n-1] = piece + e.ring[n-1]
	case joined && n > 0:
		e.ring[n-1] += piece
	default:
		e.ring = append(e.ring, piece)
		if len(e.ring) > 30 {
			e.ring = e.ring[1:]
		}
	}
	e.text, e.at = e.text[:from]+e.text[end:], from
	e.cutting = true
}

func (e *editor) remove(to int) {
	from, end := min(e.at, to), max(e.at, to)
	if from != end {
		e.change(false)
		e.text, e.at = e.text[:from]+e.text[end:], from
	}
}

func (e *editor) yank() {
	if n := len(e.ring); n > 0 {
		e.change(false)
		e.put(e.ring[n-1])
		e.yanked = len(e.ring[n-1])
	}
}

func (e *editor) yankPop() {
	n := len(e.ring)
	if e.yanked == 0 || n < 2 {
		return
	}
	e.ring = append([]string{e.ring[n-1]}, e.ring[:n-1]...)
	from := e.at - e.yanked
	e.text, e.at = e.text[:from]+e.text[e.at:], from
	e.put(e.ring[n-1])
	e.yanked = len(e.ring[n-1])
}

// remember adds a prompt to the history.
func (e *editor) remember(s string) {
	s = strings.TrimSpace(s)
	if s != "" && (len(e.history) == 0 || e.history[len(e.history)-1] != s) {
		e.history = append(e.history, s)
		if len(e.history) > 100 {
			e.history = e.history[1:]
		}
	}
	e.older = 0
}

// recall shows a prompt of the history, by steps back or forward.
func (e *editor) recall(step int) bool {
	to := e.older + step
	if to < 0 || to > len(e.history) {
		return false
	}
	if e.older == 0 {
		e.draft = e.text
	}
	e.change(false)
	if to == 0 {
		e.text = e.draft
	} else {
		e.text = withoutChips(tidy(e.history[len(e.history)-to]))
	}
	e.older, e.at = to, len(e.text)
	if step > 0 {
		e.at = 0
		e.at = e.lineEnd()
	}
	return true
}

// row is a row of the drawn editor: from where to where of the text.
type row struct{ from, to int }

// rows breaks the text at a width.
func (e *editor) rows(width int) []row {
	width = max(width, 1)
	var out []row
	start := 0
	for {
		end := strings.IndexByte(e.text[start:], '\n')
		line := e.text[start:]
		if end >= 0 {
			line = line[:end]
		}
		from, col, blank := 0, 0, -1
		for at, g := range styled.Clusters(line) {
			w := e.width1(g)
			if col+w > width && at > from {
				cut := at
				if blank > from {
					cut = blank
				}
				out = append(out, row{start + from, start + cut})
				col = 0
				for _, g := range styled.Clusters(line[cut:at]) {
					col += e.width1(g)
				}
				from, blank = cut, -1
			}
			col += w
			if g == " " {
				blank = at + 1
			}
		}
		out = append(out, row{start + from, start + len(line)})
		if end < 0 {
			return out
		}
		start += end + 1
	}
}

// shows is what a character of the text looks like.
func (e *editor) shows(g string) string {
	if g == "\t" {
		return "   "
	}
	if r, n := utf8.DecodeRuneInString(g); n == len(g) {
		if i, ok := chipOf(r); ok && i < len(e.chips) {
			return e.chips[i].name
		}
	}
	return g
}

func (e *editor) width1(g string) int { return styled.Width(e.shows(g)) }

// place returns in which row the cursor stands, and at what column.
func (e *editor) place(rows []row) (y, x int) {
	for i, r := range rows {
		last := i == len(rows)-1
		if e.at >= r.from && (e.at < r.to || e.at == r.to && (last || rows[i+1].from > r.to)) {
			y = i
		}
	}
	for _, g := range styled.Clusters(e.text[rows[y].from:max(e.at, rows[y].from)]) {
		x += e.width1(g)
	}
	return y, x
}

// vertical moves the cursor by rows. It returns false at the edge.
func (e *editor) vertical(by int) bool {
	rows := e.rows(e.width)
	y, x := e.place(rows)
	if e.goal < 0 {
		e.goal = x
	}
	to := y + by
	if to < 0 || to >= len(rows) {
		return false
	}
	at, col := rows[to].from, 0
	for i, g := range styled.Clusters(e.text[rows[to].from:rows[to].to]) {
		w := e.width1(g)
		if col+w > e.goal {
			break
		}
		col += w
		at = rows[to].from + i + len(g)
	}
	if at == rows[to].to && to+1 < len(rows) && rows[to+1].from == at && at > rows[to].from {
		save := e.at // the end of a broken row is the start of the next
		e.at = at
		at = e.before()
		e.at = save
	}
	e.at = at
	return true
}

// draw draws the text in at most height rows; above and below are how many rows are
// out of sight.
func (e *editor) draw(width, height int, plain, chipStyle styled.Style) (p panel, above, below int) {
	e.width = width
	rows := e.rows(width)
	y, x := e.place(rows)
	height = max(min(height, len(rows)), 1)
	e.top = min(max(e.top, y-height+1, 0), y, len(rows)-height)
	for _, r := range rows[e.top : e.top+height] {
		p.rows = append(p.rows, e.line(e.text[r.from:r.to], plain, chipStyle).Cut(width))
	}
	p.x, p.y, p.cursor = min(x, width-1), y-e.top, true
	return p, e.top, len(rows) - e.top - height
}

func (e *editor) line(s string, plain, chipStyle styled.Style) styled.Line {
	var l styled.Line
	start := 0
	for at, r := range s {
		i, isChip := chipOf(r)
		if !isChip && r != '\t' {
			continue
		}
		if at > start {
			l = append(l, styled.Span{Text: s[start:at], Style: plain})
		}
		start = at + utf8.RuneLen(r)
		if r == '\t' {
			l = append(l, styled.Span{Text: "   ", Style: plain})
		} else if i < len(e.chips) {
			l = append(l, styled.Span{Text: e.chips[i].name, Style: chipStyle})
		}
	}
	if start < len(s) {
		l = append(l, styled.Span{Text: s[start:], Style: plain})
	}
	return l
}
