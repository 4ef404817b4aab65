package setup

import (
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/resource"
)

func TestFew(t *testing.T) {
	odd := []resource.Problem{{Path: "/a", Message: "x"}, {Path: "/b", Message: "not used", Clash: true}, {Path: "/c\x1b[2J", Message: "--skill: gone"},
		{Path: "/d", Message: "x"}, {Path: "/e", Message: "x"}, {Path: "/f", Message: "x"}, {Path: "/g", Message: "x"}}
	for asks, want := range map[bool][]string{
		false: {"/c", "5 skills, templates or packages are left out or odd"},
		true:  {"/a: x", "/c", "/d: x", "3 skills, templates or packages are", "1 skill or template is not used"},
	} {
		got := (&Maker{Asks: func() bool { return asks }}).few(odd)
		ok := len(got) == len(want)
		for i := range want {
			ok = ok && strings.HasPrefix(got[i], want[i]) && !strings.Contains(got[i], "\x1b")
		}
		if !ok {
			t.Errorf("asks %v: %q, want %q", asks, got, want)
		}
	}
	if got := (&Maker{}).few(nil); got != nil {
		t.Errorf("of nothing it tells %q", got)
	}
}
