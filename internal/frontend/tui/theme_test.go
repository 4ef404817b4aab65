package tui

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/styled"
	"github.com/boughdev/bough/internal/term"
)

func rgb(n uint32) styled.Color { return styled.RGB(uint8(n>>16), uint8(n>>8), uint8(n)) }

func TestColorsOfThemes(t *testing.T) {
	vars := map[string]json.RawMessage{"a": []byte(`"b"`), "b": []byte(`"#123456"`), "c": []byte(`"d"`), "d": []byte(`"c"`), "n": []byte(`39`)}
	for _, tt := range []struct {
		value string
		want  styled.Color
		odd   string
	}{
		{`"#0af"`, rgb(0x00AAFF), ""}, {`"#00AAff"`, rgb(0x00AAFF), ""}, {`39`, styled.Index(39), ""}, {`0`, styled.Index(0), ""}, {`255`, styled.Index(255), ""},
		{`""`, 0, ""}, {`"a"`, rgb(0x123456), ""}, {`"n"`, styled.Index(39), ""},
		{`"oklch(100% 0 0)"`, rgb(0xFFFFFF), ""}, {`"oklch(0% 0.1 20)"`, rgb(0), ""}, {`"oklch(62.796% 0.25768 29.234)"`, rgb(0xFF0000), ""},
		{`"oklch(0.62796 0.25768 29.234deg)"`, rgb(0xFF0000), ""}, {`"oklch(86.644% 0.29483 142.495)"`, rgb(0x00FF00), ""},
		{`"okhsl(29.234 100% 56.808%)"`, rgb(0xFF0000), ""}, {`"okhsl(0 0% 100%)"`, rgb(0xFFFFFF), ""}, {`"okhsl(0 0% 0%)"`, rgb(0), ""}, {`"okhsl(90 0% 50%)"`, rgb(0x777777), ""},
		{`256`, 0, "from 0 to 255"}, {`-1`, 0, "from 0 to 255"}, {`1.5`, 0, "from 0 to 255"}, {`"#12"`, 0, "three or six digits"}, {`"#gggggg"`, 0, "three or six digits"}, {`"#+12345"`, 0, "three or six digits"},
		{`"nope"`, 0, "no variable"}, {`"c"`, 0, "back to itself"}, {`"hsl(1 2% 3%)"`, 0, "the forms are"}, {`"okhsl(1)"`, 0, "the forms are"}, {`[1]`, 0, "is no color"}, {`null`, 0, "is no color"}, {`true`, 0, "is no color"},
	} {
		got, err := colorOf([]byte(tt.value), vars, nil)
		if (err == nil) != (tt.odd == "") || err != nil && !strings.Contains(err.Error(), tt.odd) || !near(got, tt.want) {
			t.Errorf("%s is %v, %v; want %v, %q", tt.value, got, err, tt.want, tt.odd)
		}
	}
}

// near allows for the last bit of a sum.
func near(a, b styled.Color) bool {
	r, g, bl, ok := a.RGB()
	x, y, z, ok2 := b.RGB()
	if !ok || !ok2 {
		return a == b
	}
	off := func(a, b uint8) bool { return math.Abs(float64(a)-float64(b)) > 1 }
	return !off(r, x) && !off(g, y) && !off(bl, z)
}

// Whatever numbers are written, OKHSL and OKLCH give a color; more saturation is more
// color, and lightness is what it says.
func TestColorSpaces(t *testing.T) {
	for h := 0.0; h < 360; h += 24 {
		last := -1.0
		for s := 0.0; s <= 1; s += 0.25 {
			r, g, b, ok := okhsl(h, s, 0.6).RGB()
			if !ok {
				t.Fatalf("hue %v, %v: no color", h, s)
			}
			spread := float64(max(r, g, b)) - float64(min(r, g, b))
			if spread < last {
				t.Errorf("hue %v: %v has less color than less saturation", h, s)
			}
			last = spread
		}
	}
	for _, v := range [][3]float64{{-1e9, 2, 0.5}, {1e300, -1, 2}, {0, 1, 1e-9}, {30, 1, 1 - 1e-9}, {30, 0.8, 0.5}} {
		if _, _, _, ok := okhsl(v[0], v[1], v[2]).RGB(); !ok {
			t.Errorf("okhsl %v", v)
		}
		if _, _, _, ok := oklch(v[2], v[1], v[0]).RGB(); !ok {
			t.Errorf("oklch %v", v)
		}
	}
}

func TestReadTheme(t *testing.T) {
	th, odd, err := readTheme("mine", []byte("\xef\xbb\xbf"+`{"$schema":"x","name":"yours","appearance":"light","extra":1,"vars":{"blue":"#0000ff"},
		"colors":{"accent":"blue","error":"none","text":"","userMessageBg":250,"thinkingXhigh":"#123456","selectedBg":"#abcdef","invented":1}}`))
	if err != nil {
		t.Fatal(err)
	}
	told := strings.Join(odd, "\n")
	for _, want := range []string{`its name is "yours"`, "extra means nothing", "colors.invented means nothing", `colors.error: there is no variable "none"`, "colors has no bashMode, border, borderAccent and", "those of light stand in"} {
		if !strings.Contains(told, want) {
			t.Errorf("it does not say %q:\n%s", want, told)
		}
	}
	if th.accent.FG != rgb(0xFF) || th.key.FG != rgb(0xFF) || th.user.BG != styled.Index(250) || th.levels["max"].FG != rgb(0x123456) || th.hit.BG != rgb(0xABCDEF) || th.failure != builtin(false).failure {
		t.Errorf("%+v", th)
	}
	for _, tt := range []struct{ file, want string }{
		{"{", "it is no theme"}, {"[]", "it is no theme"}, {"", "it is no theme"}, {`{"name":"x"}`, "it has no colors"}, {`{"colors":[]}`, "it has no colors"}, {`{"colors":{}}`, "it has no colors"},
	} {
		if _, _, err := readTheme("x", []byte(tt.file)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", tt.file, err, tt.want)
		}
	}
	if th, odd, err := readTheme("x", []byte(`{"appearance":7,"colors":{"userMessageBg":"#ffffff"}}`)); err != nil || len(odd) == 0 || !strings.Contains(odd[0], "ppearance is a number") || th.user.FG != builtin(false).user.FG {
		t.Errorf("%v, %v", odd, err)
	}
}

func FuzzReadTheme(f *testing.F) {
	f.Add(`{"vars":{"a":"b","b":"a"},"colors":{"text":"a","dim":"okhsl(1 2% 3%)"}}`)
	f.Fuzz(func(t *testing.T, s string) {
		if th, _, err := readTheme("x", []byte(s)); err == nil && th == nil {
			t.Error("neither a theme nor an error")
		}
	})
}

// Body text of the themes that need no file can be read: 4.5:1 on what is behind it,
// also where a terminal has fewer colors, and on a dark or a light terminal.
func TestContrast(t *testing.T) {
	contrast := func(a, b styled.Color, colors term.Colors) float64 {
		lum := func(c styled.Color) float64 {
			r, g, b, _ := parts(term.Nearest(c, colors))
			return luminance(r, g, b)
		}
		x, y := lum(a), lum(b)
		return (max(x, y) + 0.05) / (min(x, y) + 0.05)
	}
	for _, dark := range []bool{true, false} {
		behind := styled.RGB(0x1e, 0x1e, 0x1e)
		if !dark {
			behind = styled.RGB(0xff, 0xff, 0xff)
		}
		for _, colors := range []term.Colors{term.Sixteen, term.Palette, term.True} {
			th := builtin(dark)
			if colors == term.Sixteen {
				th = ofSixteen(dark)
			}
			for name, s := range map[string]styled.Style{"user": th.user, "selection": th.selection, "pending": th.pending, "ok": th.ok, "bad": th.bad,
				"dim": {FG: th.dim.FG, BG: behind}, "thinking": {FG: th.thinking.FG, BG: behind}, "dim on user": {FG: th.dim.FG, BG: th.user.BG}, "dim on ok": {FG: th.dim.FG, BG: th.ok.BG}, "dim on bad": {FG: th.dim.FG, BG: th.bad.BG}, "dim on pending": {FG: th.dim.FG, BG: th.pending.BG}} {
				if s.FG == 0 || s.BG == 0 {
					t.Errorf("dark %v: %s has no color of its own", dark, name)
				} else if got := contrast(s.FG, s.BG, colors); got < 4.5 {
					t.Errorf("dark %v, %d colors: %s has a contrast of %.2f", dark, colors, name, got)
				}
			}
		}
	}
}
