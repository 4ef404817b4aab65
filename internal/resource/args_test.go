package resource

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// What pi 1.6.0 makes of each; but for the end of a text, which is trimmed here.
func TestSplitArgs(t *testing.T) {
	for _, tt := range []struct {
		name, line string
		want       []string
	}{
		{"nothing", "", nil},
		{"blanks", " \t\n ", nil},
		{"words", " a   b ", []string{"a", "b"}},
		{"blanks of all kinds", "a\u00a0b\u3000c\nd\te", []string{"a", "b", "c", "d", "e"}},
		{"quotes keep blanks", `"b c" 'd  e'`, []string{"b c", "d  e"}},
		{"a line break in quotes", "\"a\nb\" c", []string{"a\nb", "c"}},
		{"a quote inside a word is text", "it's a'b' a\"b c\"d", []string{"it's", "a'b'", `a"b`, `c"d`}},
		{"text behind a quoted one belongs to it", `"a b"c d`, []string{"a bc", "d"}},
		{"a second quote behind it is text", `"a""b"`, []string{`a"b"`}},
		{"a backslash keeps the same quote", `"a\"b" 'a\'b' c`, []string{`a"b`, `a'b`, "c"}},
		{"and no other character", `"a\b" 'a\"b'`, []string{`a\b`, `a\"b`}},
		{"a backslash outside is text", `a\ b`, []string{`a\`, "b"}},
		{"a quote without an end is text", `"a b`, []string{`"a`, "b"}},
		{"likewise, with a quote of the other kind", `'a "b' c`, []string{`a "b`, "c"}},
		{"likewise, if its end is kept as text", `"a b\" c`, []string{`"a`, `b\"`, "c"}},
		{"two backslashes and a quote", `"a\\" b`, []string{`"a\\"`, "b"}},
		{"an end that comes later is one", `"x" "open y z`, []string{"x", `"open`, "y", "z"}},
		{"an empty argument", `"" x`, []string{"", "x"}},
		{"a single quote character", `"`, []string{`"`}},
		{"curly quotes are text", "“a b”", []string{"“a", "b”"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := splitArgs(tt.line); !slices.Equal(got, tt.want) {
				t.Errorf("%q gives %q, want %q", tt.line, got, tt.want)
			}
		})
	}
}

func TestFill(t *testing.T) {
	abc := []string{"a", "b", "c"}
	for _, tt := range []struct {
		text string
		args []string
		want string
	}{
		{"$1 $2 $4.", abc, "a b ."},
		{"$0 $10 $001 $99999999999999999999", abc, "  a "},
		{"$1x $11", abc, "ax "},
		{"$@ $ARGUMENTS $@x $ARGUMENTSX", abc, "a b c a b c a b cx a b cX"},
		{"$$1 \\$1 $ $* $# ${ ${1: $x", abc, "$a \\a $ $* $# ${ ${1: $x"},
		{"${1} ${ARGUMENTS} ${@} ${ARGUMENTS:2} ${ 1 } ${01}", abc, "${1} ${ARGUMENTS} ${@} ${ARGUMENTS:2} ${ 1 } ${01}"},
		{"${1:-x} ${9:-x} ${0:-z} ${10:-ten} ${1:-}.", abc, "a x z ten a."},
		{"${1:-x}", []string{""}, "x"},
		{"${@:-x} ${ARGUMENTS:-y}", nil, "x y"},
		{"${@:-x} ${ARGUMENTS:-y}", abc, "a b c a b c"},
		{"${9:-a}b}", abc, "ab}"},
		{"${9:-two\nlines} ${9:-\"x y\"} ${9:-$2} ${9:-a\\}b}", abc, "two\nlines \"x y\" $2 a\\b}"},
		{"${@:2} ${@:0} ${@:1} ${@:99}.", abc, "b c a b c a b c ."},
		{"${@:2:1} ${@:1:0} ${@:0:1} ${@:2:99}", abc, "b  a b c"},
		{"${@:2:x} ${@: 2} ${@:-1} ${@:} ${@:1:}", abc, "${@:2:x} ${@: 2} a b c ${@:} ${@:1:}"},
		{"${@:-1}", nil, "1"},
		{"${@:99999999999999999999:99999999999999999999}.", abc, "."},
		{"$1 $2", []string{"$2", "${@} $1"}, "$2 ${@} $1"},
		{"${1:-$1}", nil, "$1"},
		{"no places", abc, "no places"},
		{"é$1é", []string{"ü"}, "éüé"},
	} {
		t.Run(tt.text, func(t *testing.T) {
			if got := fill(tt.text, tt.args); got != tt.want {
				t.Errorf("with %q: %q, want %q", tt.args, got, tt.want)
			}
		})
	}
}

// Arguments are put in as they are, whatever is in them.
func FuzzFill(f *testing.F) {
	f.Add("$1 ${2:-x} ${@:1:2} $ARGUMENTS", "$2 '${@}' \"a\\\"b\"")
	f.Add("${${1:-}}", "$$ ${ARGUMENTS:-$1}")
	f.Fuzz(func(t *testing.T, text, line string) {
		args := splitArgs(line)
		for i := range args {
			args[i] = "<" + args[i] // none is empty
		}
		marks := make([]string, len(args))
		var back []string
		for i, a := range args {
			marks[i] = fmt.Sprintf("\x00%d\x01", i)
			back = append(back, marks[i], a)
		}
		if strings.ContainsAny(text+line, "\x00\x01") {
			return
		}
		want := strings.NewReplacer(back...).Replace(fill(text, marks))
		if got := fill(text, args); got != want {
			t.Errorf("%q with %q: %q, want %q", text, args, got, want)
		}
	})
}

// Without quotes arguments are words; and what is in an argument stood in the line.
func FuzzSplitArgs(f *testing.F) {
	f.Add(`a "b c" 'd\'e' "open`)
	f.Add("a\u0085b\u00a0")
	f.Fuzz(func(t *testing.T, line string) {
		args := splitArgs(line)
		if !strings.ContainsAny(line, `"'`) && !slices.Equal(args, strings.Fields(line)) {
			t.Errorf("%q gives %q, want %q", line, args, strings.Fields(line))
		}
		n := 0
		for _, a := range args {
			n += len(a)
		}
		if n > len(line) {
			t.Errorf("%q grew to %q", line, args)
		}
	})
}
