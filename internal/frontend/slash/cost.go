package slash

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/session"
)

// CostRows say what the conversation took, and what the next request will, which m
// is to answer; nil: none.
func CostRows(c protocol.Cost, m *provider.Info) (rows []string) {
	row := func(name, text string) { rows = append(rows, fmt.Sprintf("%-12s %s", name, text)) }
	row("last prompt", taken(c.Turn))
	row("this branch", taken(c.Branch))
	row("session", taken(c.Session))
	if c.Family != nil && c.Members > 1 {
		row("with forks", taken(*c.Family)+", "+render.Plural(c.Members, "session", "sessions")+", each call counted once")
	}
	if c.Today != nil {
		row("today", taken(*c.Today)+", all sessions")
	}
	if c.Rebilled.Tokens > 0 {
		row("cache", anew(c.Rebilled)+" on this branch")
	}
	if c.Next != nil {
		row("next", NextCost(*c.Next, m))
	}
	for _, b := range c.Budget {
		row("budget", fmt.Sprintf("%s of %s for a %s", Amount(b.Spent), limit(b.Limit), b.Of))
	}
	return rows
}

// Unpriced says how many calls are not in the dollars.
func Unpriced(n int) string {
	return render.Plural(n, "call tells", "calls tell") + " no price: it is not known, or there is none. They are not in the dollars."
}

// taken writes what calls took.
func taken(t session.Tally) string {
	if t.Calls == 0 {
		return "nothing yet"
	}
	parts := []string{Amount(t.Cost)}
	if t.Unpriced > 0 {
		parts[0] += " + ?"
		if t.Cost == 0 {
			parts[0] = "?"
		}
	}
	parts = append(parts, render.Plural(t.Calls, "call", "calls"), render.Count(t.Input+t.CacheWrite)+" in")
	if t.CacheRead > 0 {
		parts = append(parts, render.Count(t.CacheRead)+" cached = "+Percent(int64(t.CacheRead), int64(t.Input+t.CacheRead+t.CacheWrite)))
	}
	return strings.Join(append(parts, render.Count(t.Output)+" out"), ", ")
}

// Amount is a cost; nothing is $0.
func Amount(usd float64) string {
	if d := render.Dollars(usd); d != "" {
		return d
	}
	return "$0"
}

// limit is an amount that a person has set; a small one is written out.
func limit(usd float64) string {
	if usd > 0 && usd < 0.0005 {
		return "$" + strconv.FormatFloat(usd, 'f', -1, 64)
	}
	return Amount(usd)
}

// anew writes what had to be billed anew.
func anew(b session.Rebilled) string {
	s := render.Count(b.Tokens) + " tokens were read anew that a cache might have given"
	if b.Cost > 0 {
		s += ", " + Amount(b.Cost) + " more"
	}
	return s
}

// NextCost writes a forecast.
func NextCost(f protocol.Forecast, m *provider.Info) string {
	s := "about " + render.Count(f.Tokens) + " tokens"
	switch {
	case f.Cached > 0:
		s += ", " + Percent(f.Cached, f.Tokens) + " of them cached"
	case f.Cold:
		s += ", none of them cached any more"
	}
	switch {
	case f.PriceUnknown:
		s += "; the price is not known"
	case f.Total() == 0:
		s += "; it costs nothing"
	default:
		s += "; " + Amount(f.Prompt)
		if f.Answer > 0 {
			s += " and " + Amount(f.Answer) + " for an answer like the last ones"
		}
	}
	if m != nil && m.ContextWindow > 0 && f.Tokens > m.ContextWindow {
		s += "; that is more than fits its window of " + render.Count(m.ContextWindow)
	}
	return s
}

// Percent is a share of all tokens that were sent; 100% is all of them.
func Percent(n, of int64) string {
	if n <= 0 || of <= 0 {
		return "0%"
	}
	return fmt.Sprintf("%d%%", 100*n/of)
}
