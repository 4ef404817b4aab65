package repl

import (
	"fmt"

	"github.com/boughdev/bough/internal/frontend/slash"
	"github.com/boughdev/bough/internal/lang"
	"github.com/boughdev/bough/protocol"
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
	for _, line := range slash.CostRows(lang.English, c, r.view.Model) {
		r.out.line(none, line)
	}
	if n := c.Session.Unpriced; n > 0 {
		r.note("%s", slash.Unpriced(lang.English, n))
	}
	return nil
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
		r.note("(the next request: %s)", slash.NextCost(lang.English, *c.Next, m))
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
