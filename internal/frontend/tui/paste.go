package tui

import (
	"path/filepath"
	"strings"

	"github.com/boughdev/bough/internal/render"
)

// paste puts in what came in one piece. A path of an image becomes the image
// (docs/spec/frontends.md D3-06): that is what terminals paste when a file is
// dropped on them.
func (a *app) paste(text string) {
	path := droppedPath(text)
	if a.o.Image == nil || path == "" {
		a.editor.paste(text)
		a.completing()
		return
	}
	a.beside(func() func() {
		image, err := a.o.Image(a.ctx, path)
		return func() {
			switch {
			case err != nil || image == nil: // it is a text like any other
				if err != nil {
					a.flash("%s: %s", render.OneLine(path), a.sentence(err))
				}
				a.editor.paste(text)
			default:
				a.editor.attachImage(*image)
			}
		}
	})
}

// droppedPath is the path of the image that a text names and nothing else, or "".
// Terminals put quotes around it, or backslashes before its blanks.
func droppedPath(text string) string {
	s := strings.TrimSpace(text)
	if s == "" || len(s) > 4096 || strings.ContainsAny(s, "\n\r\x00") {
		return ""
	}
	if n := len(s); n > 2 && (s[0] == '\'' || s[0] == '"') && s[n-1] == s[0] {
		s = s[1 : n-1]
	} else {
		s = strings.ReplaceAll(s, `\ `, " ")
	}
	s = strings.TrimPrefix(s, "file://")
	if !looksLikePath(s) && !filepath.IsAbs(s) {
		return ""
	}
	switch strings.ToLower(filepath.Ext(s)) {
	case ".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp":
		return s
	}
	return ""
}
