package tui

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/boughdev/bough/internal/term"
)

// firstTheme is the theme of the first frame; it says what is wrong with its file.
func (a *app) firstTheme() (odd []string) {
	a.wearing = a.o.Theme
	a.theme, odd = a.themeOf(a.o.Theme, a.light)
	return odd
}

// themeOf finds a theme by its name: of a pair the one for what the terminal is.
func (a *app) themeOf(name string, light bool) (*theme, []string) {
	if day, night, pair := strings.Cut(name, "/"); pair {
		if name = night; light {
			name = day
		}
	}
	switch name {
	case "", "system":
		return a.builtin(!light), nil
	case "dark", "light":
		return a.builtin(name == "dark"), nil
	}
	err := errors.New("there is no theme of that name; /settings theme lists those that there are")
	if a.o.Themes != nil {
		files := a.o.Themes()
		if i := slices.IndexFunc(files, func(f ThemeFile) bool { return f.Name == name }); i >= 0 {
			f := files[i]
			t, odd, ferr := read(f)
			for i := range odd {
				odd[i] = fmt.Sprintf("%s: %s", brief(f.Path), odd[i])
			}
			if ferr == nil {
				return t, odd
			}
			err = fmt.Errorf("%s: %w", f.Path, ferr)
		}
	}
	return a.builtin(!light), []string{fmt.Sprintf("Theme %s: %s", brief(name), brief(err.Error()))}
}

// builtin is one of the themes that need no file, for the colors that there are.
func (a *app) builtin(dark bool) *theme {
	if a.o.Terminal.Colors == term.Sixteen {
		return ofSixteen(dark)
	}
	return builtin(dark)
}

// lightTerminal is what a terminal is taken for until it says so itself: some tell
// their colors in COLORFGBG, as letters;background or letters;something;background.
func lightTerminal(getenv func(string) string) bool {
	v := getenv("COLORFGBG")
	n, err := strconv.Atoi(v[strings.LastIndexByte(v, ';')+1:])
	return err == nil && (n == 7 || n > 8 && n < 16)
}

func read(f ThemeFile) (*theme, []string, error) {
	data, err := f.Read()
	if err != nil {
		return nil, nil, err
	}
	return readTheme(f.Name, data)
}

// dress puts a theme on, as soon as it is read. If another one is asked for meanwhile
// that one counts.
func (a *app) dress(name string) {
	a.wearing = name
	light := a.light
	wear := func(t *theme, odd []string) {
		if a.wearing != name || a.light != light {
			return
		}
		if t.file || t.name != a.theme.name || a.theme.file {
			a.theme = t
			a.look.drawn, a.look.live = nil, live{}
		}
		if len(odd) > 0 && a.o.Theme == name {
			for _, line := range odd {
				a.tell(a.theme.warning, "%s", line)
			}
		}
	}
	if !strings.Contains(name, "/") && slices.Contains([]string{"", "system", "dark", "light"}, name) {
		wear(a.themeOf(name, light))
		return
	}
	a.beside(func() func() {
		t, odd := a.themeOf(name, light)
		return func() { wear(t, odd) }
	})
}

// themeNames are the themes that can be chosen, and what is chosen now.
func (a *app) themeNames(now string) []string {
	names := []string{"system", "dark", "light"}
	if a.o.Themes != nil {
		for _, f := range a.o.Themes() {
			if f.Name != "" && !strings.Contains(f.Name, "/") && !slices.Contains(names, f.Name) {
				names = append(names, f.Name)
			}
		}
	}
	names = append(names, "light/dark")
	if now != "" && !slices.Contains(names, now) {
		names = append(names, now)
	}
	return names
}

// previews puts on the theme that is stood at in a list of them, and takes the old one
// up again when nothing is chosen.
func (p *picker) previews(a *app, names []string) {
	was := a.o.Theme
	p.moved = func(i int) {
		if i >= 0 && a.wearing != names[i] {
			a.dress(names[i])
		}
	}
	p.closed = func() { a.dress(was) }
}
