package render

import (
	"slices"
	"testing"
	"time"

	"github.com/boughdev/bough/session"
)

func TestTitlesAreToldApart(t *testing.T) {
	at := func(day int, name, first string) session.Summary {
		return session.Summary{Name: name, FirstMessage: first, Created: time.Date(2026, 1, day, 0, 0, 0, 0, time.UTC)}
	}
	list := []session.Summary{at(3, "", "fix the tests"), at(9, "", "fix the\ntests"), at(1, "", "fix the tests"), at(2, "chairs", "fix the tests"), at(4, "", ""), at(5, "", "")}
	want := []string{"fix the tests (2)", "fix the tests (3)", "fix the tests", "chairs", "(no messages)", "(no messages) (2)"}
	if got := Titles(list); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := Titles(nil); len(got) != 0 {
		t.Errorf("%q of nothing", got)
	}
}
