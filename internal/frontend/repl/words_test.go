package repl

import (
	"testing"

	"github.com/boughdev/bough/internal/frontend/slash"
)

// What a line says is what the summariser is told, whatever stands in it.
func TestTheWordsOfASummary(t *testing.T) {
	for _, tt := range []struct{ line, target, focus string }{
		{"/branch 1 --summary", "1", ""},
		{"/branch 1 --summary the price, --exact or not", "1", "the price, --exact or not"},
		{"/branch the question --summary 价格 \"and\" more", "the question", "价格 \"and\" more"},
		{"/branch x--summary", "x--summary", "-"},
		{"/branch a --summaryb", "a --summaryb", "-"},
		{"/branch --summary", "", ""},
	} {
		c, ok, err := slash.Parse(tt.line)
		if !ok || err != nil {
			t.Fatal(err)
		}
		rest, words := slash.Summarizing(c)
		focus := "-"
		if words != nil {
			focus = *words
		}
		if rest.Rest != tt.target || focus != tt.focus {
			t.Errorf("%s: %q, %q", tt.line, rest.Rest, focus)
		}
	}
}
