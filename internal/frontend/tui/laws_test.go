package tui_test

import (
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/frontend/tui"
	"github.com/boughdev/bough/internal/styled"
)

// beyond is how many columns and rows the terminal has more than the UI is told, so that
// what it draws outside of its place is seen.
const beyond = 6

// broken says which law of screens does not hold; "" if all do. The laws: nothing stands
// outside of the terminal, the cursor neither; and what stands in a row takes as many
// columns as it was meant to.
func (s *stage) broken(width, height int) string {
	_, all := s.Terminal.Size()
	for y := range all {
		end := 0
		var row strings.Builder
		for _, c := range s.Cells(y) {
			if y >= height || c.X+c.Width > width {
				return fmt.Sprintf("%q stands in row %d, column %d", c.Text, y, c.X)
			}
			if c.Text == "" {
				continue
			}
			row.WriteString(strings.Repeat(" ", c.X-end) + c.Text)
			end = c.X + c.Width
		}
		if got := styled.Width(row.String()); got != end {
			return fmt.Sprintf("row %d takes %d columns and is meant to take %d: %q", y, end, got, row.String())
		}
	}
	if x, y, shown := s.Cursor(); shown && (x >= width || y >= height) {
		return fmt.Sprintf("the cursor stands at %d,%d", x, y)
	}
	return ""
}

// chosen reports whether a row of a list can be seen to be the chosen one.
var chosen = regexp.MustCompile(`(?m)^ {0,2}> +\S`)

func (s *stage) check(t *testing.T, sc scene, width, height int) {
	t.Helper()
	shows := s.String()
	fail := func(why string) { t.Errorf("%s at %dx%d: %s\n%s", sc.name, width, height, why, shows) }
	if why := s.broken(width, height); why != "" {
		fail(why)
		return
	}
	if sc.list && width >= 20 && height >= 8 && !chosen.MatchString(shows) {
		fail("no row of the list is to be seen")
	}
	inMain := !sc.whole && (len(sc.keys) == 0 || !strings.HasPrefix(sc.keys[0], "/"))
	if inMain && width >= 20 && height >= 8 && !strings.Contains(shows, "%") {
		fail("there is no footer")
	}
}

// odd are sizes that nobody has, or few.
var odd = [][2]int{{1, 1}, {20, 8}, {20, 3}, {39, 9}, {3, 40}, {300, 100}, {60, 12}, {80, 24}}

// The laws hold on every screen at every size, in every look.
func TestLawsOfScreens(t *testing.T) {
	for _, sc := range scenes {
		t.Run(sc.name, func(t *testing.T) {
			t.Parallel()
			onStage(t, sc, 80, 24, beyond, func(s *stage) {
				for _, size := range append(sizes, odd...) {
					s.size(size[0], size[1], beyond)
					s.check(t, sc, size[0], size[1])
				}
			})
			for _, look := range looks {
				onStage(t, sc, 80, 24, beyond, func(s *stage) {
					s.check(t, sc, 80, 24)
					s.size(31, 11, beyond)
					s.check(t, sc, 31, 11)
					if look.is != nil {
						if why := look.is(s); why != "" {
							t.Errorf("%s, %s: %s\n%s", sc.name, look.name, why, s.String())
						}
					}
				}, look.change)
			}
		})
	}
}

// Whatever is pressed on a screen, and however large it becomes, the laws hold.
func TestLawsUnderAnyKeys(t *testing.T) {
	keys := []string{"enter", "escape", "tab", "up", "down", "left", "right", "ctrl+left", "ctrl+right", "home", "end", "pageUp", "pageDown", "ctrl+home", "ctrl+end", "backspace", "ctrl+o", "ctrl+t", "ctrl+l", "ctrl+s", "ctrl+n", "ctrl+p",
		"alt+l", "alt+m", "alt+t", "alt+up", "alt+down", "alt+j", "alt+,", "ctrl+g", " ", "?", "L", "T", "x", "中", "👨‍👩‍👧‍👦", "e\u0301", "ש", "1", "2", "/", "@", "!", "\x1b[<64;5;5M", "\x1b[<65;5;5M", "\x1b[<0;5;5M"}
	for _, sc := range scenes {
		if sc.before != nil {
			continue // they end with an answer
		}
		seed := crc32.ChecksumIEEE([]byte(sc.name)) // that of a scene, whatever others there are
		t.Run(sc.name, func(t *testing.T) {
			t.Parallel()
			onStage(t, sc, 80, 24, beyond, func(s *stage) {
				r := rand.New(rand.NewPCG(uint64(seed), 7))
				w, h := 80, 24
				var done []string
				for range 25 {
					if r.IntN(4) == 0 {
						w, h = 20+r.IntN(140), 8+r.IntN(50)
						s.size(w, h, beyond)
						done = append(done, fmt.Sprintf("%dx%d", w, h))
					} else {
						k := keys[r.IntN(len(keys))]
						s.play(k)
						done = append(done, fmt.Sprintf("%q", k))
					}
					if s.Left() {
						return
					}
					if why := s.broken(w, h); why != "" {
						t.Fatalf("seed %d, after %s: %s\n%s", seed, strings.Join(done, " "), why, s.String())
					}
				}
			}, func(o *tui.Options) { o.Keys = []byte(`{"app.exit":[],"app.clear":[],"app.suspend":[]}`) })
		})
	}
}
