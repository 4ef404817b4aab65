package catalog

import (
	"slices"
	"strconv"
	"strings"
)

// List returns the rows of --list-models: provider, model, context, max output,
// thinking, images, by provider and id, of the models whose "provider id" has
// the letters of query in that order (docs/spec/frontends.md A-47). The first row
// has the headings.
func List(models []Choice, query string) [][]string {
	rows := [][]string{{"provider", "model", "context", "max-out", "thinking", "images"}}
	sorted := slices.SortedFunc(filter(models, func(c Choice) bool { return fuzzy(query, c.Info.Provider+" "+c.Info.ID) }), func(a, b Choice) int {
		if n := strings.Compare(a.Info.Provider, b.Info.Provider); n != 0 {
			return n
		}
		return strings.Compare(a.Info.ID, b.Info.ID)
	})
	yes := map[bool]string{true: "yes", false: "no"}
	for _, c := range sorted {
		i := c.Info
		rows = append(rows, []string{i.Provider, i.ID, Tokens(i.ContextWindow), Tokens(i.MaxTokens), yes[i.Reasoning], yes[i.TakesImages()]})
	}
	return rows
}

// fuzzy reports whether the letters of query stand in s in that order; blanks do
// not count.
func fuzzy(query, s string) bool {
	s = strings.ToLower(s)
	for _, r := range strings.ToLower(query) {
		if r == ' ' || r == '/' {
			continue
		}
		i := strings.IndexRune(s, r)
		if i < 0 {
			return false
		}
		s = s[i+len(string(r)):]
	}
	return true
}

// Tokens writes a number of tokens short: "1M", "131.1K", "500"; "?" for none.
func Tokens(n int64) string {
	short := func(unit int64, letter string) string {
		if n%unit == 0 {
			return strconv.FormatInt(n/unit, 10) + letter
		}
		return strconv.FormatFloat(float64(n)/float64(unit), 'f', 1, 64) + letter
	}
	switch {
	case n <= 0:
		return "?"
	case n >= 1_000_000:
		return short(1_000_000, "M")
	case n >= 1000:
		return short(1000, "K")
	}
	return strconv.FormatInt(n, 10)
}
