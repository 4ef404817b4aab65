package session

import (
	"fmt"
	"slices"
	"testing"
)

func TestVisits(t *testing.T) {
	said := func(id, parent string) string {
		return fmt.Sprintf(`{"type":"message","id":"%s","parentId":%s,"message":{"role":"user","content":"x"}}`, id, parent)
	}
	mark := func(id, parent string) string {
		return fmt.Sprintf(`{"type":"custom","customType":"bough.leaf","data":{"v":1},"id":"%s","parentId":%s}`, id, parent)
	}
	for _, tt := range []struct {
		name  string
		lines []string
		want  []ID
	}{
		{"nothing", nil, nil},
		{"one way", []string{said("a", "null"), said("b", `"a"`)}, nil},
		{"a second branch", []string{said("a", "null"), said("b", `"a"`), said("c", `"a"`)}, []ID{"b"}},
		{"a mark, and on from there", []string{said("a", "null"), said("b", `"a"`), mark("m", `"a"`), said("c", `"a"`)}, []ID{"b"}},
		{"a mark where one stands", []string{said("a", "null"), said("b", `"a"`), mark("m", `"b"`), said("c", `"b"`)}, nil},
		{"before all", []string{said("a", "null"), said("b", `"a"`), mark("m", "null"), mark("n", `"b"`)}, []ID{"b", ""}},
		{"to and fro", []string{said("a", "null"), said("b", `"a"`), said("c", `"a"`), mark("m", `"b"`), mark("n", `"c"`)}, []ID{"b", "c", "b"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tr := tree(t, tt.lines...)
			if got := tr.Visits(len(tt.lines)); !slices.Equal(got, tt.want) {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
	tr := tree(t, said("a", "null"), said("b", `"a"`), said("c", `"a"`))
	if got := tr.Visits(2); len(got) > 0 {
		t.Errorf("%q of the first two", got)
	}
}
