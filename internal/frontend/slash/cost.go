package slash

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/boughdev/bough/internal/lang"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/session"
)

// CostRows say what the conversation took, and what the next request will, which m
// is to answer; nil: none.
func CostRows(in lang.Language, c protocol.Cost, m *provider.Info) (rows []string) {
	row := func(name, text string) { rows = append(rows, render.Pad(in.T(name), 12)+" "+text) }
	row("last prompt", taken(in, c.Turn))
	row("this branch", taken(in, c.Branch))
	row("session", taken(in, c.Session))
	if c.Family != nil && c.Members > 1 {
		row("with forks", taken(in, *c.Family)+in.N(c.Members, ", %d session, each call counted once", ", %d sessions, each call counted once"))
	}
	if c.Today != nil {
		row("today", in.T("%s, all sessions", taken(in, *c.Today)))
	}
	if c.Rebilled.Tokens > 0 {
		row("cache", in.T("%s on this branch", anew(in, c.Rebilled)))
	}
	if c.Next != nil {
		row("next", NextCost(in, *c.Next, m))
	}
	for _, b := range c.Budget {
		row("budget", in.T("%s of %s for a %s", Amount(b.Spent), limit(b.Limit), in.T(b.Of)))
	}
	return rows
}

// Split says what of the cost is this branch's, the file's and that of all that the
// session has in common with its forks; nothing if there is one branch and no fork.
func Split(in lang.Language, c protocol.Cost) (rows []string) {
	family := c.Family != nil && c.Members > 1
	if c.Session.Calls == 0 && !family || c.Branch == c.Session && !family {
		return nil
	}
	row := func(name, text string) { rows = append(rows, render.Pad(in.T(name), 12)+" "+text) }
	row("this branch", taken(in, c.Branch))
	row("whole file", taken(in, c.Session))
	if family {
		row("with forks", taken(in, *c.Family)+in.N(c.Members, ", %d session, each call counted once", ", %d sessions, each call counted once"))
	}
	return rows
}

// Unpriced says how many calls are not in the dollars.
func Unpriced(in lang.Language, n int) string {
	return in.N(n, "%d call tells no price: it is not known, or there is none. It is not in the dollars.", "%d calls tell no price: it is not known, or there is none. They are not in the dollars.")
}

// taken writes what calls took.
func taken(in lang.Language, t session.Tally) string {
	if t.Calls == 0 {
		return in.T("nothing yet")
	}
	parts := []string{Amount(t.Cost)}
	if t.Unpriced > 0 {
		parts[0] += " + ?"
		if t.Cost == 0 {
			parts[0] = "?"
		}
	}
	parts = append(parts, in.N(t.Calls, "%d call", "%d calls"), in.T("%s in", render.Count(t.Input+t.CacheWrite)))
	if t.CacheRead > 0 {
		parts = append(parts, in.T("%s cached = %s", render.Count(t.CacheRead), Percent(int64(t.CacheRead), int64(t.Input+t.CacheRead+t.CacheWrite))))
	}
	return strings.Join(append(parts, in.T("%s out", render.Count(t.Output))), ", ")
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
func anew(in lang.Language, b session.Rebilled) string {
	s := in.T("%s tokens were read anew that a cache might have given", render.Count(b.Tokens))
	if b.Cost > 0 {
		s += in.T(", %s more", Amount(b.Cost))
	}
	return s
}

// NextCost writes a forecast.
func NextCost(in lang.Language, f protocol.Forecast, m *provider.Info) string {
	s := in.T("about %s tokens", render.Count(f.Tokens))
	switch {
	case f.Cached > 0:
		s += in.T(", %s of them cached", Percent(f.Cached, f.Tokens))
	case f.Cold:
		s += in.T(", none of them cached any more")
	}
	switch {
	case f.PriceUnknown:
		s += in.T("; the price is not known")
	case f.Total() == 0:
		s += in.T("; it costs nothing")
	default:
		s += "; " + Amount(f.Prompt)
		if f.Answer > 0 {
			s += in.T(" and %s for an answer like the last ones", Amount(f.Answer))
		}
	}
	if m != nil && m.ContextWindow > 0 && f.Tokens > m.ContextWindow {
		s += in.T("; that is more than fits its window of %s", render.Count(m.ContextWindow))
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
