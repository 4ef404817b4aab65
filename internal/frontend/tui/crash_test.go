package tui

import (
	"strings"
	"testing"
)

// What is kept of a crash has nothing of a conversation in it.
func TestACrashTellsNoWords(t *testing.T) {
	caught := func(f func()) (failure any) {
		defer func() { failure = recover() }()
		f()
		return nil
	}
	var none []int
	for _, tt := range []struct {
		name    string
		failure any
		want    string
	}{
		{"of ours, with words", caught(func() { panic("secret words of a message") }), "string"},
		{"of the runtime", caught(func() { _ = none[len(none)] }), "index out of range"},
		{"beside the loop", fault{caught(func() { panic(strings.NewReader("secret words")) }), []byte("where it was")}, "*strings.Reader"},
	} {
		report := ""
		a := &app{o: Options{Crash: func(r string) string { report = r; return "" }}}
		told := a.crashed(tt.failure, []byte("where it was")).Error()
		if !strings.Contains(report, tt.want) || !strings.Contains(report, "where it was") || strings.Contains(report+told, "secret") {
			t.Errorf("%s: %q, told %q", tt.name, report, told)
		}
	}
}
