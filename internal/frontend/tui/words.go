package tui

import (
	"fmt"
	"strings"
	"time"

	"github.com/boughdev/bough/internal/frontend/slash"
	"github.com/boughdev/bough/internal/lang"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/protocol"
)

// sentences puts sentences behind each other; Chinese ones end in their own distance.
func (a *app) sentences(parts ...string) string {
	between := " "
	if a.o.Lang != lang.English {
		between = ""
	}
	var out []string
	for _, p := range parts {
		if p != "" {
			out = append(out, p)
		}
	}
	return strings.Join(out, between)
}

// from says where a setting comes from: "user, ~/.pi/agent/settings.json:3".
func (a *app) from(from string) string {
	level, where, ok := strings.Cut(from, ", ")
	if !ok {
		return a.t(from)
	}
	return a.t(level) + a.t(", ") + slash.Home(where, a.o.Home)
}

// allowed says what a setting may be.
func (a *app) allowed(words string) string {
	words, or, _ := strings.Cut(words, ", or ")
	words, unit, _ := strings.Cut(strings.TrimSuffix(words, ")"), " (")
	out := a.told(words)
	if unit != "" {
		out += " (" + a.t(unit) + ")"
	}
	if or != "" {
		out += a.t(", or %s", or)
	}
	return out
}

// settingRow says on one line what a setting is and who says so.
func (a *app) settingRow(s protocol.Setting) string {
	now := s.Force()
	row := fmt.Sprintf("%s = %s (%s)", s.Key, a.shown(now.Value), a.from(now.From))
	if first := s.Sources[0]; first.Ignored != "" {
		row += a.t("; %s, says %s: %s", a.from(first.From), a.shown(first.Value), a.told(first.Ignored))
	}
	if s.Unused != "" {
		row += a.t("; ") + a.told(s.Unused)
	}
	return row
}

// age says how old something is, as short as it can be said.
func (a *app) age(d time.Duration) string {
	short := render.Age(max(d, 0))
	unit := strings.TrimLeft(short, "0123456789")
	n := strings.TrimSuffix(short, unit)
	switch unit {
	case "m":
		return a.t("%sm", n)
	case "h":
		return a.t("%sh", n)
	case "d":
		return a.t("%sd", n)
	case "w":
		return a.t("%sw", n)
	case "mo":
		return a.t("%smo", n)
	case "y":
		return a.t("%sy", n)
	}
	if a.o.Lang == lang.English {
		return short
	}
	return a.t("just now")
}

// ago says how long ago something was.
func (a *app) ago(d time.Duration) string {
	if d < time.Minute {
		return a.t("just now")
	}
	return a.t("%s ago", a.age(d))
}

// ageColumns is how many columns an age takes at most.
func (a *app) ageColumns() int {
	if a.o.Lang == lang.English {
		return 4
	}
	return 6
}

// capital begins a sentence, where the language has capital letters.
func (a *app) capital(words string) string {
	if a.o.Lang != lang.English {
		return words
	}
	return capital(words)
}
