package tui

import (
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/styled"
)

func TestArguments(t *testing.T) {
	for _, tt := range []struct{ name, tool, args, want string }{
		{"grep says where, which files and how many", "grep", `{"pattern":"x+","path":"src","glob":"*.go","limit":5}`, "/x+/ in src (*.go) limit 5"},
		{"read says which lines", "read", `{"path":"a.go","offset":3,"limit":2}`, "a.go:3-4"},
		{"another tool's are named", "fetch", `{"url":"https://a.b","deep":true,"n":3}`, "url=https://a.b deep=true n=3"},
		{"no object", "fetch", `[1]`, ""},
		{"nothing", "fetch", ``, ""},
		{"many are cut", "fetch", `{"a":"` + strings.Repeat("x", 200) + `"}`, "a=" + strings.Repeat("x", 95) + "..."},
		{"no row is broken", "fetch", `{"a":"x\ny\u001b[2J"}`, "a=x y"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := argsOf(toolCall{name: tt.tool, args: []byte(tt.args)}); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// Of two lines what differs stands out; both stay what they are.
func TestDiffering(t *testing.T) {
	for _, tt := range []struct{ name, line, other, want string }{
		{"a word", "-the old word", "+the new word", "old"},
		{"more at the end", "+one two", "-one", " two"},
		{"nothing is left", "-one", "+one two", ""},
		{"nothing in common", "-abc", "+xyz", ""},
		{"Chinese", "-你好世界", "+你坏世界", "好"},
		{"half of a character is none", "-x👨‍👩‍👧y", "+x👨‍👩‍👦y", "👨‍👩‍👧"},
		{"an accent of its own", "-cafe\u0301 a", "+cafe a", "e\u0301"},
		{"only a sign", "-", "+a", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := differing(tt.line, tt.other, styled.Style{})
			if l.Text() != tt.line {
				t.Errorf("the line is %q", l.Text())
			}
			marked := ""
			for _, s := range l {
				if s.Style.Attr&styled.Reverse != 0 {
					marked += s.Text
				}
			}
			if marked != tt.want {
				t.Errorf("%q stands out, want %q", marked, tt.want)
			}
		})
	}
}
