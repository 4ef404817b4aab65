package repl

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// cost says what the conversation took, and what the next request will.
func (r *repl) cost(word string) error {
	if word != "" {
		r.say("/cost takes no word; bough stats in a shell adds up by day, model, folder, session or branch.")
		return nil
	}
	c, err := protocol.Call(r.ctx, r.c, protocol.GetCost{Others: true})
	if err != nil {
		r.failed(err)
		return nil
	}
	row := func(name, text string) { r.out.line(none, fmt.Sprintf("%-12s %s", name, text)) }
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
		row("next", r.next(*c.Next))
	}
	for _, b := range c.Budget {
		row("budget", fmt.Sprintf("%s of %s for a %s", amount(b.Spent), limit(b.Limit), b.Of))
	}
	if n := c.Session.Unpriced; n > 0 {
		r.note("%s no price: it is not known, or there is none. They are not in the dollars.", render.Plural(n, "call tells", "calls tell"))
	}
	return nil
}

// taken writes what calls took.
func taken(t session.Tally) string {
	if t.Calls == 0 {
		return "nothing yet"
	}
	parts := []string{amount(t.Cost)}
	if t.Unpriced > 0 {
		parts[0] += " + ?"
		if t.Cost == 0 {
			parts[0] = "?"
		}
	}
	parts = append(parts, render.Plural(t.Calls, "call", "calls"), render.Count(t.Input+t.CacheWrite)+" in")
	if t.CacheRead > 0 {
		parts = append(parts, render.Count(t.CacheRead)+" cached = "+percent(int64(t.CacheRead), int64(t.Input+t.CacheRead+t.CacheWrite)))
	}
	return strings.Join(append(parts, render.Count(t.Output)+" out"), ", ")
}

// amount is a cost; nothing is $0.
func amount(usd float64) string {
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
	return amount(usd)
}

// anew writes what had to be billed anew.
func anew(b session.Rebilled) string {
	s := render.Count(b.Tokens) + " tokens were read anew that a cache might have given"
	if b.Cost > 0 {
		s += ", " + amount(b.Cost) + " more"
	}
	return s
}

// next writes a forecast.
func (r *repl) next(f protocol.Forecast) string {
	s := "about " + render.Count(f.Tokens) + " tokens"
	switch {
	case f.Cached > 0:
		s += ", " + percent(f.Cached, f.Tokens) + " of them cached"
	case f.Cold:
		s += ", none of them cached any more"
	}
	switch {
	case f.PriceUnknown:
		s += "; the price is not known"
	case f.Total() == 0:
		s += "; it costs nothing"
	default:
		s += "; " + amount(f.Prompt)
		if f.Answer > 0 {
			s += " and " + amount(f.Answer) + " for an answer like the last ones"
		}
	}
	if m := r.view.Model; m != nil && m.ContextWindow > 0 && f.Tokens > m.ContextWindow {
		s += "; that is more than fits its window of " + render.Count(m.ContextWindow)
	}
	return s
}

// dear is from which price on a request is worth a word before it is made, in dollars.
const dear = 0.25

// forewarn says what the next request will come to after something that makes it dear,
// or too large.
func (r *repl) forewarn() {
	c, err := protocol.Call(r.ctx, r.c, protocol.GetCost{NextOnly: true})
	if err != nil || c.Next == nil {
		return // it is only a hint
	}
	m := r.view.Model
	if c.Next.Prompt >= dear || m != nil && m.ContextWindow > 0 && c.Next.Tokens > m.ContextWindow {
		r.note("(the next request: %s)", r.next(*c.Next))
	}
}

// gauge is how full the window is, in a word, and how it stands out.
func (r *repl) gauge() (string, style) {
	p, known := r.view.Context.Percent()
	switch {
	case !known:
		return "?%", dim
	case p > 90:
		return fmt.Sprintf("%.1f%% of the window, nearly full: /compact makes room", p), red
	case p > 70:
		return fmt.Sprintf("%.1f%% of the window: /compact makes room", p), yellow
	}
	return fmt.Sprintf("%.1f%%", p), dim
}

// contextRow says how full the window is, for /session.
func (r *repl) contextRow(u *protocol.ContextUse) string {
	switch p, known := u.Percent(); {
	case u == nil:
		return "? (the model's window is not known)"
	case !known:
		return "? of " + render.Count(u.Window) + " (known again with the next answer)"
	default:
		return fmt.Sprintf("%s of %s tokens, %.1f%%", render.Count(u.Tokens), render.Count(u.Window), p)
	}
}

// costRow is what the session took in dollars, and of that this branch, for /session.
func (r *repl) costRow(st protocol.Stats) string {
	if st.Tokens() == 0 {
		return ""
	}
	s := amount(st.Cost)
	if st.Unpriced > 0 {
		s += " + ? (" + render.Plural(st.Unpriced, "call tells", "calls tell") + " no price)"
	}
	if st.Branch.Cost < st.Cost {
		s += ", this branch " + amount(st.Branch.Cost)
	}
	return s
}
