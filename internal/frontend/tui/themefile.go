package tui

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/boughdev/bough/internal/styled"
	"github.com/boughdev/bough/internal/term"
)

// A ThemeFile is a theme of the user's, a project's or a package's: a JSON file as pi
// has it (docs/spec/frontends.md D25).
type ThemeFile struct {
	Name string // of the file, without .json
	Path string
	Read func() ([]byte, error)
}

// mostTheme is how large a file of a theme may be, in bytes.
const mostTheme = 1 << 20

// roles are the colors that a theme can have, each with what it is the color of, and
// the role that it takes its color from if it has none.
func roles() map[string]role {
	type at = func(*theme) *styled.Style
	fg := func(ats ...at) role { return role{fg: ats} }
	bg := func(ats ...at) role { return role{bg: ats} }
	level := func(name string) role { return role{level: name} }
	return map[string]role{
		"accent":        fg(func(t *theme) *styled.Style { return &t.accent }, func(t *theme) *styled.Style { return &t.key }, func(t *theme) *styled.Style { return &t.cursor }),
		"border":        fg(func(t *theme) *styled.Style { return &t.border }),
		"borderAccent":  fg(func(t *theme) *styled.Style { return &t.frame }),
		"borderMuted":   fg(func(t *theme) *styled.Style { return &t.subtle }),
		"success":       fg(func(t *theme) *styled.Style { return &t.success }),
		"error":         fg(func(t *theme) *styled.Style { return &t.failure }),
		"warning":       fg(func(t *theme) *styled.Style { return &t.warning }),
		"muted":         fg(func(t *theme) *styled.Style { return &t.muted }),
		"dim":           fg(func(t *theme) *styled.Style { return &t.dim }),
		"text":          fg(func(t *theme) *styled.Style { return &t.text.Text }, func(t *theme) *styled.Style { return &t.title }),
		"thinkingText":  fg(func(t *theme) *styled.Style { return &t.thinking }),
		"selectedBg":    bg(func(t *theme) *styled.Style { return &t.selection }),
		"userMessageBg": bg(func(t *theme) *styled.Style { return &t.user }), "userMessageText": fg(func(t *theme) *styled.Style { return &t.user }),
		"customMessageBg": bg(func(t *theme) *styled.Style { return &t.card }), "customMessageText": fg(func(t *theme) *styled.Style { return &t.card }), "customMessageLabel": fg(func(t *theme) *styled.Style { return &t.cardName }),
		"toolPendingBg": bg(func(t *theme) *styled.Style { return &t.pending }),
		"toolSuccessBg": bg(func(t *theme) *styled.Style { return &t.ok }),
		"toolErrorBg":   bg(func(t *theme) *styled.Style { return &t.bad }),
		"toolTitle":     fg(func(t *theme) *styled.Style { return &t.tool }),
		"toolOutput":    fg(func(t *theme) *styled.Style { return &t.pending }, func(t *theme) *styled.Style { return &t.ok }, func(t *theme) *styled.Style { return &t.bad }),
		"mdHeading":     fg(func(t *theme) *styled.Style { return &t.text.Heading }),
		"mdLink":        fg(func(t *theme) *styled.Style { return &t.text.Link }),
		"mdLinkUrl":     fg(func(t *theme) *styled.Style { return &t.text.Address }),
		"mdCode":        fg(func(t *theme) *styled.Style { return &t.text.Code }),
		"mdCodeBlock":   fg(func(t *theme) *styled.Style { return &t.text.CodeBlock }), "mdCodeBlockBorder": {},
		"mdQuote": fg(func(t *theme) *styled.Style { return &t.text.Quote }), "mdQuoteBorder": fg(func(t *theme) *styled.Style { return &t.text.Bar }),
		"mdHr":              fg(func(t *theme) *styled.Style { return &t.text.Rule }),
		"mdListBullet":      fg(func(t *theme) *styled.Style { return &t.text.Mark }),
		"toolDiffAdded":     fg(func(t *theme) *styled.Style { return &t.text.Added }),
		"toolDiffRemoved":   fg(func(t *theme) *styled.Style { return &t.text.Removed }),
		"toolDiffContext":   fg(func(t *theme) *styled.Style { return &t.text.Hunk }),
		"syntaxComment":     fg(func(t *theme) *styled.Style { return &t.text.Comment }),
		"syntaxKeyword":     fg(func(t *theme) *styled.Style { return &t.text.Keyword }),
		"syntaxFunction":    fg(func(t *theme) *styled.Style { return &t.text.Name }),
		"syntaxString":      fg(func(t *theme) *styled.Style { return &t.text.String }),
		"syntaxNumber":      fg(func(t *theme) *styled.Style { return &t.text.Number }),
		"syntaxVariable":    {},
		"syntaxType":        fg(func(t *theme) *styled.Style { return &t.text.Type }),
		"syntaxOperator":    fg(func(t *theme) *styled.Style { return &t.text.Operator }),
		"thinkingOff":       level("off"),
		"thinkingMinimal":   level("minimal"),
		"thinkingLow":       level("low"),
		"thinkingMedium":    level("medium"),
		"thinkingHigh":      level("high"),
		"thinkingXhigh":     level("xhigh"),
		"thinkingMax":       {level: "max", from: "thinkingXhigh"},
		"bashMode":          fg(func(t *theme) *styled.Style { return &t.shell }),
		"scrollbarTrack":    {fg: []at{func(t *theme) *styled.Style { return &t.track }}, from: "muted"},
		"scrollbarThumb":    {fg: []at{func(t *theme) *styled.Style { return &t.thumb }}, from: "text"},
		"searchMatchBg":     {bg: []at{func(t *theme) *styled.Style { return &t.hit }}, from: "selectedBg"},
		"searchMatchText":   {fg: []at{func(t *theme) *styled.Style { return &t.hit }}, from: "text"},
		"syntaxPunctuation": fg(func(t *theme) *styled.Style { return &t.text.Punctuation }),
	}
}

type role struct {
	fg, bg []func(*theme) *styled.Style
	level  string // of thinking
	from   string // the role whose color it has otherwise; such a role may be left out
}

// readTheme makes a theme of a file. What is wrong in it is told by its key, and the
// rest holds; an error says that nothing of it can be used.
func readTheme(name string, data []byte) (t *theme, odd []string, err error) {
	var file struct {
		Name, Appearance string
		Vars, Colors     map[string]json.RawMessage
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	err = json.Unmarshal(data, &file)
	e, ok := errors.AsType[*json.UnmarshalTypeError](err)
	switch {
	case len(data) > mostTheme:
		return nil, nil, fmt.Errorf("it is larger than %d MB", mostTheme>>20)
	case ok && e.Field != "" && e.Field != "colors":
		odd = append(odd, fmt.Sprintf("%s is a %s, which it cannot be", e.Field, e.Value))
	case err != nil:
		return nil, nil, fmt.Errorf("it is no theme: %w", err)
	}
	if len(file.Colors) == 0 {
		return nil, nil, errors.New("it has no colors")
	}
	if file.Name != "" && file.Name != name {
		odd = append(odd, fmt.Sprintf("its name is %q, but it is called by its file: %s", file.Name, name))
	}
	var top map[string]json.RawMessage
	if json.Unmarshal(data, &top) == nil {
		for _, k := range slices.Sorted(maps.Keys(top)) {
			if !slices.Contains([]string{"$schema", "name", "appearance", "vars", "colors", "export"}, k) {
				odd = append(odd, k+" means nothing")
			}
		}
	}
	all := roles()
	got := map[string]styled.Color{}
	for _, k := range slices.Sorted(maps.Keys(file.Colors)) {
		if _, ok := all[k]; !ok {
			odd = append(odd, "colors."+k+" means nothing")
			continue
		}
		c, err := colorOf(file.Colors[k], file.Vars, nil)
		if err != nil {
			odd = append(odd, "colors."+k+": "+err.Error())
			continue
		}
		got[k] = c
	}
	dark := file.Appearance == "dark"
	switch file.Appearance {
	case "dark", "light":
	default:
		if file.Appearance != "" {
			odd = append(odd, fmt.Sprintf("appearance is dark or light, not %q", file.Appearance))
		}
		dark = looksDark(got)
	}
	t = builtin(dark)
	t.name, t.file = name, true
	var missing []string
	for _, k := range slices.Sorted(maps.Keys(all)) {
		r := all[k]
		c, ok := got[k]
		if !ok && r.from != "" {
			c, ok = got[r.from]
		}
		if !ok {
			if _, told := file.Colors[k]; !told && r.from == "" {
				missing = append(missing, k)
			}
			continue
		}
		for _, at := range r.fg {
			at(t).FG = c
		}
		for _, at := range r.bg {
			at(t).BG = c
		}
		if r.level != "" {
			t.levels[r.level] = styled.Style{FG: c}
		}
	}
	if c, ok := got["text"]; ok {
		t.selection.FG = c
	}
	if len(missing) > 0 {
		odd = append(odd, fmt.Sprintf("colors has no %s; those of %s stand in", briefly(missing), map[bool]string{true: "dark", false: "light"}[dark]))
	}
	return t, odd, nil
}

func briefly(names []string) string {
	if n := len(names) - 3; n > 0 {
		return strings.Join(names[:3], ", ") + " and " + strconv.Itoa(n) + " more"
	}
	return strings.Join(names, ", ")
}

// looksDark says what a theme is made for, by its colors.
func looksDark(got map[string]styled.Color) bool {
	for _, k := range []string{"userMessageBg", "selectedBg", "toolPendingBg"} {
		if r, g, b, ok := parts(got[k]); ok {
			return luminance(r, g, b) < 0.25
		}
	}
	if r, g, b, ok := parts(got["text"]); ok {
		return luminance(r, g, b) > 0.25
	}
	return true
}

func parts(c styled.Color) (r, g, b uint8, ok bool) {
	if n, indexed := c.Index(); indexed {
		r, g, b = term.Parts(n)
		return r, g, b, true
	}
	return c.RGB()
}

var colorWords = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(oklch|okhsl)\(\s*([-+.\d]+)(%|deg)?[\s,]+([-+.\d]+)(%?)[\s,]+([-+.\d]+)(%|deg)?\s*\)$`)
})

// colorOf reads a color: "#0af", "#00aaff", 39, oklch(), okhsl(), a variable, or "" for
// the terminal's own.
func colorOf(v json.RawMessage, vars map[string]json.RawMessage, seen []string) (styled.Color, error) {
	var n float64
	null := string(bytes.TrimSpace(v)) == "null"
	if !null && json.Unmarshal(v, &n) == nil {
		if n != float64(uint8(n)) {
			return 0, fmt.Errorf("%s is no color of the palette, which goes from 0 to 255", short(v))
		}
		return styled.Index(uint8(n)), nil
	}
	var s string
	if null || json.Unmarshal(v, &s) != nil {
		return 0, fmt.Errorf("%s is no color; write \"#00aaff\", 0 to 255, oklch(62%% 0.1 200), okhsl(250 60%% 55%%) or the name of a variable", short(v))
	}
	switch m := colorWords().FindStringSubmatch(s); {
	case s == "":
		return 0, nil
	case s[0] == '#':
		return hex(s)
	case m != nil:
		num := func(i int) float64 {
			f, err := strconv.ParseFloat(m[i], 64)
			if err != nil {
				f = 0
			}
			if m[i+1] == "%" {
				f /= 100
			}
			return f
		}
		if m[1] == "okhsl" {
			return okhsl(num(2), num(4), num(6)), nil
		}
		c := num(4)
		if m[5] == "%" {
			c *= 0.4 // CSS Color 4, 9.4
		}
		return oklch(num(2), c, num(6)), nil
	case strings.Contains(s, "("):
		return 0, fmt.Errorf("%s is no color; the forms are oklch(62%% 0.1 200) and okhsl(250 60%% 55%%)", short(v))
	}
	next, ok := vars[s]
	switch {
	case !ok:
		return 0, fmt.Errorf("there is no variable %s in vars", short(v))
	case slices.Contains(seen, s):
		return 0, fmt.Errorf("the variable %s leads back to itself", short(v))
	}
	return colorOf(next, vars, append(seen, s))
}

func hex(s string) (styled.Color, error) {
	digits := s[1:]
	if len(digits) == 3 {
		digits = string([]byte{digits[0], digits[0], digits[1], digits[1], digits[2], digits[2]})
	}
	n, err := strconv.ParseUint(digits, 16, 32)
	if err != nil || len(digits) != 6 {
		return 0, fmt.Errorf("%s is no color; it has three or six digits, such as #0af", short([]byte(strconv.Quote(s))))
	}
	return styled.RGB(uint8(n>>16), uint8(n>>8), uint8(n)), nil
}

// short is a value as a message has it.
func short(v []byte) string {
	s := brief(string(v))
	if len(s) > 40 {
		s = styled.Of(s, styled.Style{}).Cut(40).Text()
	}
	return s
}
