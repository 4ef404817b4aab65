package repl

import (
	"fmt"
	"strings"
	"time"

	"github.com/boughdev/bough/internal/frontend/slash"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/session"
)

// show prints all of an entry as it was said, also if the model does not see it
// any more.
func (r *repl) show(c slash.Command) error {
	a, err := c.Args("--raw")
	if err != nil {
		r.say("%s", sentence(err))
		return nil
	}
	if len(a.Words) == 0 {
		r.say("Say which entry: /show N. /history numbers them.")
		return nil
	}
	id, err := r.entry(a.Text())
	if err != nil {
		r.failed(err)
		return nil
	}
	e := r.view.Tree.Get(id)
	if a.Is["--raw"] {
		line, err := e.Raw()
		if err != nil {
			r.failed(err)
			return nil
		}
		r.say("%s", line)
		return nil
	}
	text, err := render.Full(e, r.o.HideThinking == nil || !r.o.HideThinking())
	if err != nil {
		r.failed(fmt.Errorf("entry %s cannot be read: %w; /show --raw %s prints its line", id, err, id))
		return nil
	}
	r.note("%s", r.headline(e))
	if strings.TrimSpace(text) == "" {
		text = "(nothing was said)"
		if !e.Speaks() {
			text = "(" + render.NewPreviews(r.view.Tree).Of(e).Row + ")"
		}
	}
	r.say("%s", strings.TrimRight(text, "\n"))
	return nil
}

// headline says who spoke in an entry, when, how long it is for a model, and
// whether the model sees it.
func (r *repl) headline(e *session.Entry) string {
	p := render.NewPreviews(r.view.Tree).Of(e)
	parts := []string{r.number(e.ID) + " " + p.Who + r.otherNumber(e.ID)}
	if !e.Speaks() {
		parts = []string{string(e.Type)}
	}
	if !e.Time.IsZero() {
		parts = append(parts, e.Time.Local().Format(time.DateTime))
	}
	if p.Mark != "" {
		parts = append(parts, p.Mark)
	}
	if how := slash.HowSeen(r.view.Tree, r.view.Leaf, e); how != "" {
		parts = append(parts, how)
	}
	return strings.Join(parts, ", ")
}
