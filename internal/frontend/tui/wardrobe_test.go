package tui_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/frontend/tui"
	"github.com/boughdev/bough/internal/frontend/tui/tuitest"
)

// wears waits until the rows look as they should.
func wears(t *testing.T, s *tuitest.Screen, what string, is func(styles string) bool) {
	t.Helper()
	s.Until(what, func(string) bool { return is(s.Styles()) })
}

func wardrobe(o *tui.Options) {
	file := func(name, colors string) tui.ThemeFile {
		return tui.ThemeFile{Name: name, Path: "/themes/" + name + ".json", Read: func() ([]byte, error) { return []byte(colors), nil }}
	}
	o.Themes = func() []tui.ThemeFile {
		return []tui.ThemeFile{
			file("sea", `{"appearance":"dark","colors":{"dim":201,"border":201,"accent":203,"oops":1}}`),
			file("sand", `{"appearance":"light","colors":{"dim":202,"border":202}}`),
			{Name: "locked", Path: "/themes/locked.json", Read: func() ([]byte, error) { return nil, errors.New("permission denied") }},
		}
	}
}

const sea, sand = "fg=201", "fg=202"

func has(color string) func(string) bool {
	return func(styles string) bool { return strings.Contains(styles, color) }
}

// A theme of a file is there from the first frame on; what is wrong with it is told.
func TestThemeOfAFile(t *testing.T) {
	w := tuitest.New(t, "")
	s := w.Start(100, 24, wardrobe, func(o *tui.Options) { o.Theme = "sea" })
	s.Shows("/themes/sea.json: colors.oops means nothing")
	wears(t, s, "the color of the sea", has(sea))
	for name, told := range map[string]string{"locked": "Theme locked: /themes/locked.json: permission denied", "none": "Theme none: there is no theme of that name"} {
		s := w.Start(100, 24, wardrobe, func(o *tui.Options) { o.Theme = name })
		s.Shows(told)
		wears(t, s, "its own colors", func(styles string) bool { return styles != "" && !strings.Contains(styles, sea) })
	}
}

// Of a pair the terminal chooses, however late it answers.
func TestThemesOfAPair(t *testing.T) {
	s := tuitest.New(t, "").Start(100, 24, wardrobe, func(o *tui.Options) { o.Theme = "sand/sea" })
	wears(t, s, "the color of the sea", has(sea))
	s.Send("\x1b]11;rgb:ffff/ffff/ffff\x1b\\")
	wears(t, s, "the color of sand", has(sand))
	s.Send("\x1b]11;rgb:0000/0000/0000\x1b\\")
	wears(t, s, "the color of the sea", has(sea))
}

// What is stood at in the list of themes is put on; escape takes it off again.
func TestThemePreview(t *testing.T) {
	s := startKit(t, newKit(), 100, 30, wardrobe)
	s.Type("/settings", "enter")
	s.Shows("defaultModel")
	s.Type("down", "enter")
	s.Shows("> system", "sand", "locked")
	s.Type("sand")
	wears(t, s, "the color of sand", has(sand))
	s.Type("ctrl+u", "sea")
	wears(t, s, "the color of the sea", has(sea))
	s.Type("escape", "escape")
	s.Hides("light/dark")
	wears(t, s, "the old colors", func(styles string) bool { return !strings.Contains(styles, sea) && !strings.Contains(styles, sand) })
}
