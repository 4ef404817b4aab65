package tui

import (
	"context"
	"errors"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/message"
)

// paste puts in what came in one piece. Paths of images become the images
// (docs/spec/frontends.md D3-06): that is what terminals paste when files are dropped
// on them.
func (a *app) paste(text string) {
	files := dropped(text)
	if a.o.Image == nil || len(files) == 0 {
		a.editor.paste(text)
		a.completing()
		return
	}
	a.beside(func() func() {
		images := make([]*message.Block, len(files))
		found := false
		var failed error
		for i, f := range files {
			if !isImage(f.path) {
				continue
			}
			image, err := a.o.Image(a.ctx, f.path)
			if err != nil {
				failed = errors.New(render.OneLine(f.path) + ": " + err.Error())
				continue
			}
			images[i] = image
			found = found || image != nil
		}
		return func() {
			if failed != nil {
				a.flash("%s", a.sentence(failed))
			}
			if !found { // it is a text like any other
				a.editor.paste(text)
				return
			}
			for i, f := range files {
				if images[i] != nil {
					a.editor.attachImage(*images[i])
				} else {
					a.editor.paste(f.word)
				}
				if i < len(files)-1 {
					a.editor.insert(" ")
				}
			}
		}
	})
}

// file is one that was dropped: its path, and how it was written.
type file struct{ path, word string }

// dropped are the files that a text names and nothing else, an image among them; nil
// if it is anything else. Terminals put quotes around paths, or backslashes before
// their blanks, or neither; some write addresses, a line each.
func dropped(text string) []file {
	s := strings.TrimSpace(text)
	if s == "" || len(s) > 64<<10 || strings.Contains(s, "\x00") {
		return nil
	}
	if files := pathsOf(s); files != nil {
		return files
	}
	if f := (file{pathOf(s), s}); f.path != "" && isImage(f.path) && !strings.ContainsAny(s, "\n\r") {
		return []file{f}
	}
	return nil
}

// pathsOf are the paths that a text has as words of a shell.
func pathsOf(s string) []file {
	var out []file
	images := false
	for _, w := range shellWords(s) {
		f := file{pathOf(w.text), w.raw}
		if f.path == "" {
			return nil
		}
		images = images || isImage(f.path)
		out = append(out, f)
	}
	if !images {
		return nil
	}
	return out
}

// pathOf is the path that a word is, or "".
func pathOf(w string) string {
	if rest, ok := strings.CutPrefix(w, "file://"); ok {
		rest = strings.TrimPrefix(rest, "localhost")
		if p, err := url.PathUnescape(rest); err == nil {
			w = p
		}
	}
	if !looksLikePath(w) && !filepath.IsAbs(w) {
		return ""
	}
	return w
}

func isImage(path string) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp":
		return true
	}
	return false
}

// word is one of a shell's: what it means, and how it was written.
type word struct{ text, raw string }

// shellWords parts a text into words: blanks part them, but not within quotes or
// behind a backslash. A quote that is not closed makes it none.
func shellWords(s string) []word {
	var out []word
	var b strings.Builder
	start, quote := -1, byte(0)
	end := func(at int) {
		if start >= 0 {
			out = append(out, word{b.String(), s[start:at]})
			b.Reset()
			start = -1
		}
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		if quote == 0 && (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
			end(i)
			continue
		}
		if start < 0 {
			start = i
		}
		switch {
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		case c == quote:
			quote = 0
		case c == '\\' && quote != '\'' && i+1 < len(s) && filepath.Separator != '\\':
			i++
			b.WriteByte(s[i])
		default:
			b.WriteByte(c)
		}
	}
	end(len(s))
	if quote != 0 {
		return nil
	}
	return out
}

// A Clip is what a clipboard holds.
type Clip struct {
	Images []message.Block
	Text   string
}

// pasteClipboard puts in what the clipboard holds: files, an image, or a text.
func (a *app) pasteClipboard() {
	if a.o.Clipboard == nil {
		a.flash("the clipboard cannot be read here; paste with the terminal's own key")
		return
	}
	a.beside(func() func() {
		clip, err := a.o.Clipboard(a.ctx)
		return func() {
			switch {
			case errors.Is(err, context.Canceled):
			case err != nil:
				a.problem(err)
			case len(clip.Images) > 0:
				for _, b := range clip.Images {
					a.editor.attachImage(b)
				}
			default:
				a.paste(clip.Text)
			}
		}
	})
}
