package tui

import (
	"github.com/boughdev/bough/internal/markdown"
	"github.com/boughdev/bough/internal/styled"
)

// theme is how things look. Letters are the terminal's own and colors for them come
// from its palette, so they are as readable as its user made them; only what lies
// behind them differs between dark and light.
type theme struct {
	name string
	file bool // it is of a file
	text markdown.Theme

	dim, key, accent, failure, warning, success, title styled.Style
	border, selection, cursor                          styled.Style
	hit                                                styled.Style // what was looked for
	user, thinking                                     styled.Style // behind a message; letters
	pending, ok, bad                                   styled.Style // behind a tool's row
	tool, shell, muted                                 styled.Style // the name of a tool; "!"; what matters less
	card, cardName                                     styled.Style // what an extension said
	frame, subtle                                      styled.Style // lines around what is open, and within
	track, thumb                                       styled.Style // of the scroll bar
	levels                                             map[string]styled.Style
}

// builtin returns one of the two themes that need no file. What lies on a color of
// ours has letters of ours, so that it can be read whatever the terminal's are.
func builtin(dark bool) *theme {
	if dark {
		return made(dark, styled.RGB(0x9e, 0x9e, 0x9e))
	}
	return made(dark, styled.RGB(0x5f, 0x5f, 0x5f))
}

// ofSixteen is builtin where there are sixteen colors. None of their greys can be read
// on white; black can.
func ofSixteen(dark bool) *theme {
	if dark {
		return made(dark, styled.Index(7))
	}
	return made(dark, styled.Index(0))
}

func made(dark bool, grey styled.Color) *theme {
	fg := func(n uint8) styled.Style { return styled.Style{FG: styled.Index(n)} }
	bg := func(d, l styled.Color) styled.Style {
		if dark {
			return styled.Style{FG: styled.RGB(0xe4, 0xe4, 0xe4), BG: d}
		}
		return styled.Style{FG: styled.RGB(0x1c, 0x1c, 0x1c), BG: l}
	}
	dim := styled.Style{FG: grey}
	bold := func(s styled.Style) styled.Style { s.Attr |= styled.Bold; return s }
	t := &theme{
		name: map[bool]string{true: "dark", false: "light"}[dark],
		dim:  dim, key: fg(6), accent: fg(6), failure: fg(1), warning: fg(3), success: fg(2), title: bold(styled.Style{}),
		border: dim, cursor: bold(fg(6)), hit: styled.Style{FG: styled.Index(3), Attr: styled.Bold | styled.Underline},
		selection: bg(styled.RGB(0x3a, 0x3a, 0x4a), styled.RGB(0xdc, 0xdc, 0xee)),
		user:      bg(styled.RGB(0x2c, 0x2d, 0x35), styled.RGB(0xec, 0xec, 0xf2)),
		thinking:  styled.Style{FG: dim.FG, Attr: styled.Italic},
		pending:   bg(styled.RGB(0x24, 0x26, 0x2e), styled.RGB(0xef, 0xef, 0xf4)),
		ok:        bg(styled.RGB(0x20, 0x2a, 0x22), styled.RGB(0xe8, 0xf2, 0xe8)),
		bad:       bg(styled.RGB(0x33, 0x20, 0x20), styled.RGB(0xf8, 0xe6, 0xe6)),
	}
	t.tool, t.shell, t.muted, t.cardName = t.title, t.warning, dim, t.accent
	t.frame, t.subtle, t.track, t.thumb = dim, dim, dim, dim
	t.levels = map[string]styled.Style{"off": dim, "minimal": dim, "low": fg(4), "medium": fg(6), "high": fg(5), "xhigh": fg(13), "max": fg(13)}
	t.text = markdown.Theme{
		Heading: bold(fg(6)), Code: fg(6), Quote: styled.Style{FG: dim.FG, Attr: styled.Italic}, Link: styled.Style{FG: styled.Index(4), Attr: styled.Underline},
		Rule: dim, Mark: fg(6), Keyword: fg(5), String: fg(2), Comment: dim, Number: fg(3), Name: fg(4), Added: fg(2), Removed: fg(1), Hunk: fg(6),
	}
	return t
}
