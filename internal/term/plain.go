package term

import "strings"

// plain has a character of ASCII in place of each that lines and marks are drawn with.
// All take one column, before and after. Letters of any writing stay.
func plain(s string) string {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return strings.Map(plainRune, s)
		}
	}
	return s
}

func plainRune(r rune) rune {
	if r < 0x80 {
		return r
	}
	switch {
	case strings.ContainsRune("─━┄┅┈┉╌╍═‐‑‒–—", r):
		return '-'
	case strings.ContainsRune("│┃┆┇┊┋╎╏║▌▐▏▕", r):
		return '|'
	case r >= 0x2500 && r <= 0x257F: // corners and crossings
		return '+'
	case r >= 0x2580 && r <= 0x259F: // blocks
		return '#'
	case r >= 0x2800 && r <= 0x28FF: // what turns while something goes on
		return '*'
	}
	switch r {
	case '·', '⊟', '−':
		return '-'
	case '•', '●', '○', '◆', '✦':
		return '*'
	case '⊞':
		return '+'
	case '←', '‹', '◀':
		return '<'
	case '→', '›', '▶', '▸':
		return '>'
	case '↑', '▲', '▴':
		return '^'
	case '↓', '▼', '▾':
		return 'v'
	case '…':
		return '.'
	case '✗', '✕', '×', '✘':
		return 'x'
	case '✓', '✔':
		return 'v'
	case '‘', '’':
		return '\''
	case '“', '”':
		return '"'
	}
	return r
}
