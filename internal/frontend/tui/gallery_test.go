package tui_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/frontend/tui"
	"github.com/boughdev/bough/internal/golden"
	"github.com/boughdev/bough/internal/lang"
)

// Every screen is what the picture of it in testdata/gallery shows, at five sizes; of
// one of them also how it looks, and what it says in Chinese.
func TestGallery(t *testing.T) {
	for _, sc := range scenes {
		t.Run(sc.name, func(t *testing.T) {
			t.Parallel()
			var all strings.Builder
			for _, size := range sizes {
				onStage(t, sc, size[0], size[1], 0, func(s *stage) {
					fmt.Fprintf(&all, "== %dx%d\n%s", size[0], size[1], folded(s.Rows()))
					if x, y, shown := s.Cursor(); shown {
						fmt.Fprintf(&all, "cursor %d,%d\n", x, y)
					}
					if size[0] == 80 {
						all.WriteString(s.Styles())
					}
				})
			}
			onStage(t, sc, 80, 24, 0, func(s *stage) {
				fmt.Fprintf(&all, "== 80x24 Chinese\n%s", folded(s.Rows()))
			}, func(o *tui.Options) { o.Lang = lang.Chinese })
			golden.Equal(t, "gallery/"+sc.name+".txt", all.String())
		})
	}
}

// folded are rows, with a note for many empty ones.
func folded(rows []string) string {
	var b strings.Builder
	for i := 0; i < len(rows); i++ {
		n := 0
		for i+n < len(rows) && rows[i+n] == "" {
			n++
		}
		if n > 3 {
			fmt.Fprintf(&b, "(%d empty rows)\n", n)
			i += n - 1
			continue
		}
		b.WriteString(rows[i] + "\n")
	}
	return b.String()
}
