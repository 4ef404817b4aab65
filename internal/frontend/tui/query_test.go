package tui

import (
	"testing"
	"time"
)

func TestReadQuery(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		typed   string
		nothing bool
		wrong   bool
	}{
		{"", true, false}, {"/", true, false}, {"  / ", true, false}, {"/word", false, false}, {"re:(", false, true}, {"re:", false, true}, {`"half`, false, false},
		{"file:a.go", false, false}, {"file:", false, false}, {"before:2d", false, false}, {"after:2026-01-31 x", false, false}, {"before:yesterday", false, true},
		{"before:99999999999999999999d", false, true}, {"after:d", false, true}, {"after:é", false, true}, {"http://x", false, false}, {"label:good", false, false}, {"/re:a.b", false, false},
	} {
		w, err := readQuery(tt.typed, now)
		if (err != nil) != tt.wrong || err == nil && w.nothing() != tt.nothing {
			t.Errorf("%q: nothing %v, %v", tt.typed, w.nothing(), err)
		}
	}
	if w, _ := readQuery("before:2d word", now); !w.Until.Equal(now.AddDate(0, 0, -2)) || w.Expr.Empty() {
		t.Errorf("before:2d is %v", w.Until)
	}
}

func TestStamp(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for at, want := range map[time.Time]string{
		now.Add(-time.Hour): "11:00", now.AddDate(0, 0, -1): "11/29 12:00", now.AddDate(-1, 0, 0): "25/11/30 12:00", {}: "-",
	} {
		if got := stamp(at, now); got != want {
			t.Errorf("%v is %s, want %s", at, got, want)
		}
	}
}
