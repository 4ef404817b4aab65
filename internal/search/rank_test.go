package search

import (
	"cmp"
	"slices"
	"strings"
	"testing"
)

func TestSessions(t *testing.T) {
	_, all := store(t, map[string][]string{
		"shop": {
			header("0195-shop", "/srv/app", "2026-03-01T08:00:00.000Z"),
			line("a", "", "01", said("user", "which ports are open")),
			line("b", "a", "02", said("assistant", "close  80 it is")),
			line("c", "b", "03", said("toolResult", "secret output")),
			`{"type":"session_info","id":"d","parentId":"c","timestamp":"2026-03-01T09:04:00.000Z","name":"Shop front"}`,
		},
		"fix": {
			header("0196-fix", "/srv/app", "2026-03-01T08:00:00.000Z"),
			line("a", "", "01", said("user", "s h o p, and a port")),
			`{"type":"session_info","id":"b","parentId":"a","timestamp":"2026-03-01T09:04:00.000Z","name":"fix abc12"}`,
		},
		"other": {
			header("0197-other", "/home/shop/project", "2026-03-01T08:00:00.000Z"),
			line("a", "", "01", said("user", "nothing to fix")),
		},
	})
	for _, tt := range []struct{ name, expr, want string }{
		{"each word in one field", `port "close 80"`, "shop"},
		{"a phrase is not spread over messages", `"open close"`, ""},
		{"the start of a name", "re:^fix", "fix"},
		{"an expression in a text", "re:ports? are", "shop"},
		{"a word of a name before one of a text", "fix", "fix other"},
		{"scattered letters in names and folders, not in texts", "shp", "shop other"},
		{"a name before a folder before a text", "shop", "shop other"},
		{"no scattered phrase", `"shp"`, ""},
		{"letters and digits the other way round", "12abc", "fix"},
		{"the id", "0197", "other"},
		{"what a tool said is no message", "secret", ""},
		{"all words", "shop ports", "shop"},
		{"nothing wanted", "", "shop fix other"},
		{"nowhere", "zebra", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x, err := Parse(tt.expr)
			if err != nil {
				t.Fatal(err)
			}
			ranked, err := Sessions(t.Context(), all, x)
			if err != nil {
				t.Fatal(err)
			}
			slices.SortStableFunc(ranked, func(a, b Ranked) int {
				return cmp.Or(cmp.Compare(a.Score, b.Score), strings.Compare(b.Session.Name, a.Session.Name))
			})
			var got []string
			for _, r := range ranked {
				got = append(got, r.Session.ID[5:])
			}
			want := strings.Fields(tt.want)
			if tt.expr == "" {
				slices.Sort(got)
				slices.Sort(want)
			}
			if !slices.Equal(got, want) {
				t.Errorf("found %v, want %v: %+v", got, want, ranked)
			}
		})
	}
}

func TestScattered(t *testing.T) {
	// The better first.
	for _, fields := range [][]string{
		{"shop", "shop front", "my shop", "workshop"},
		{"s-h-o-p", "sxhxoxp"},
	} {
		last := -1e9
		for _, f := range fields {
			s := scattered("shop", f)
			if s <= last {
				t.Errorf("%q is not better than %q: %v, %v", fields, f, last, s)
			}
			last = s
		}
	}
}
