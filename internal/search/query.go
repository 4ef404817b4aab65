package search

import (
	"errors"
	"strconv"
	"strings"
	"time"
)

// A Query is a search as people type it into one line.
type Query struct {
	Options
	Label string // that an entry must have; only a tree knows labels
}

// ReadQuery reads what [Parse] does and, among words, file: tool: model: label:
// before: after: with a word each. Within quotes they are words like any other.
func ReadQuery(text string, now time.Time) (Query, error) {
	var q Query
	if text = strings.TrimFunc(text, blank); !strings.HasPrefix(text, "re:") {
		var rest []string
		quoted, closed := false, strings.Count(text, `"`)%2 == 0
		for _, word := range strings.Split(text, " ") {
			inside := quoted
			if closed && strings.Count(word, `"`)%2 == 1 {
				quoted = !quoted
			}
			key, value, ok := strings.Cut(word, ":")
			if !ok || value == "" || inside {
				rest = append(rest, word)
				continue
			}
			var err error
			switch strings.ToLower(key) {
			case "file":
				q.File = value
			case "tool":
				q.Tool = value
			case "model":
				q.Model = value
			case "label":
				q.Label = value
			case "before":
				q.Until, err = moment(value, now)
			case "after":
				q.Since, err = moment(value, now)
			default:
				rest = append(rest, word)
			}
			if err != nil {
				return q, err
			}
		}
		text = strings.Join(rest, " ")
	}
	var err error
	q.Expr, err = Parse(text)
	return q, err
}

// Empty reports whether everything fits.
func (q Query) Empty() bool { return q.Expr.Empty() && q.Label == "" && !q.limited() }

func (q Query) limited() bool {
	return q.File != "" || q.Tool != "" || q.Model != "" || !q.Since.IsZero() || !q.Until.IsZero()
}

// Special reports whether a search says more than words that stand anywhere.
func Special(text string) bool {
	text = strings.TrimFunc(text, blank)
	if strings.HasPrefix(text, "re:") || strings.Count(text, `"`) >= 2 {
		return true
	}
	q, err := ReadQuery(text, time.Time{})
	return err != nil || q.Label != "" || q.limited()
}

// moment reads a day, 2026-01-31, or how long ago: 3h, 2d, 1w.
func moment(s string, now time.Time) (time.Time, error) {
	for _, layout := range []string{"2006-01-02", "2006-01-02T15:04"} {
		if t, err := time.ParseInLocation(layout, s, now.Location()); err == nil {
			return t, nil
		}
	}
	units := map[byte]time.Duration{'m': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour, 'w': 7 * 24 * time.Hour}
	if n, err := strconv.Atoi(s[:len(s)-1]); err == nil && n >= 0 && n < 10_000 && units[s[len(s)-1]] > 0 {
		return now.Add(-time.Duration(n) * units[s[len(s)-1]]), nil
	}
	return time.Time{}, errors.New("a time is a day such as 2026-01-31, or how long ago: 3h, 2d, 1w")
}
