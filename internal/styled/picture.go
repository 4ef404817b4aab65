package styled

import "strings"

// PictureCell is the character that a cell of a picture is written as: the one that
// kitty's graphics protocol reserves for it. In no text of others does it get
// through; see Safe.
const PictureCell = '\U0010EEEE'

const (
	byPicture Color = 3 << 24
	byMark    Color = 4 << 24
)

// rowMarks say which row of a picture a cell shows, as the protocol counts them.
var rowMarks = [...]rune{0x305, 0x30D, 0x30E, 0x310, 0x312, 0x33D, 0x33E, 0x33F, 0x346, 0x34A, 0x34B, 0x34C, 0x350, 0x351, 0x352, 0x357, 0x35B, 0x363, 0x364,
	0x365, 0x366, 0x367, 0x368, 0x369, 0x36A, 0x36B, 0x36C, 0x36D, 0x36E, 0x36F, 0x483, 0x484, 0x485, 0x486, 0x487}

// PictureRows is how many rows a picture has at most.
const PictureRows = len(rowMarks)

// PictureRow is a row of a picture, which the terminal knows by its number: less than
// 1<<24, and more than 1<<8, since the smaller ones are colors of texts.
func PictureRow(id uint32, cols, row int) Line {
	if row >= PictureRows || cols < 1 {
		return nil
	}
	first := string(PictureCell) + string(rowMarks[row]) + string(rowMarks[0])
	return Line{{first + strings.Repeat(string(PictureCell), cols-1), Style{FG: byPicture | Color(id&0xFFFFFF)}}}
}

// Picture returns which row of which picture a span shows.
func (s Span) Picture() (id uint32, row int, ok bool) {
	if s.Style.FG&^0xFFFFFF != byPicture {
		return 0, 0, false
	}
	r := []rune(s.Text)
	if len(r) > 1 {
		for i, m := range rowMarks {
			if r[1] == m {
				row = i
			}
		}
	}
	return uint32(s.Style.FG & 0xFFFFFF), row, true
}
