package repl

import (
	"fmt"
	"strings"

	"github.com/boughdev/bough/internal/frontend/slash"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// compact sums up the older part of the conversation now.
func (r *repl) compact(instructions string) error {
	before := r.compactions
	failed, err := r.meanwhile(func() error {
		_, err := protocol.Call(r.ctx, r.c, protocol.Compact{Instructions: instructions})
		return err
	})
	if err != nil {
		return err
	}
	code := protocol.CodeOf(failed)
	if failed == nil || code == protocol.NotRunnable || code == protocol.NoModel || code == protocol.Cancelled {
		if err := r.await(func() bool { return r.compactions > before }); err != nil {
			return err
		}
	}
	switch code {
	case protocol.Cancelled:
		r.note("(stopped; nothing was compacted)")
	default:
		r.failed(failed)
	}
	return nil
}

// compacting says that a compaction has begun.
func (r *repl) compacting(e protocol.CompactionStarted) {
	if r.o.Quiet {
		return
	}
	why := map[protocol.Reason]string{
		protocol.OverLimit:    "the conversation fills the window of the model; ",
		protocol.OverflowedBy: "the conversation is too long for the model; ",
	}[e.Reason]
	r.note("(%ssumming up its older part; ctrl+c stops)", why)
}

// compacted says what a compaction came to. What one that was asked for failed
// with is the answer of its command.
func (r *repl) compacted(e protocol.CompactionEnded) {
	r.compactions++
	switch c := e.Result; {
	case c != nil && c.Entry != "" && !r.o.Quiet:
		took := ""
		if c.Usage != nil {
			t := turn{answers: 1}
			t.use(c.Usage)
			took = "; it took " + t.took(r.view.Model != nil && !r.view.Model.PriceUnknown)
		}
		r.note("(compacted: %s summed up, %s -> about %s tokens%s; /summary shows it, /uncompact goes back)",
			render.Plural(c.Messages, "message", "messages"), render.Count(c.TokensBefore), render.Count(c.TokensAfter), took)
	case e.Reason != protocol.Manual && e.Error != "":
		r.out.problem("Not compacted: " + stopped(e.Error))
	case c == nil && e.Reason == protocol.Manual && len(r.queued) > 0:
		// Another front end asked for it; what waited for its end is not said.
		r.runs = 0
		r.takeBack(false)
		r.queued = nil
	}
}

// took says tokens and cost in short.
func (t turn) took(priced bool) string {
	s := render.Count(t.in+t.cached+t.written) + " in, " + render.Count(t.out) + " out"
	if usd := render.Dollars(t.cost); usd != "" && priced {
		s += ", " + usd
	}
	return s
}

// uncompact stands right before the last compaction, where the model sees again
// what that has summed up.
func (r *repl) uncompact() error {
	e := slash.LastCompaction(r.view.Tree, r.view.Leaf)
	if e == nil {
		r.say(slash.NotCompacted)
		return nil
	}
	before := session.ID("")
	if p := r.view.Tree.Parent(e.ID); p != nil {
		before = p.ID
	}
	_, err := r.stand(place{id: before, exact: true})
	return err
}

// showSummary prints the summary of a compaction or of a branch, the last of the
// path if none is named.
func (r *repl) showSummary(c slash.Command) error {
	a, err := c.Args()
	var e *session.Entry
	switch {
	case err != nil:
	case len(a.Words) > 0:
		var id session.ID
		if id, err = r.entry(a.Text()); err == nil {
			e = r.view.Tree.Get(id)
		}
	default:
		if e = slash.LastCompaction(r.view.Tree, r.view.Leaf); e == nil {
			r.say(slash.NotCompacted)
			return nil
		}
	}
	if err != nil {
		r.say("%s", sentence(err))
		return nil
	}
	text, ok, err := slash.SummaryOf(e)
	switch {
	case err != nil:
		r.failed(err)
	case !ok:
		r.say("%s is no summary.", r.describe(e.ID))
	default:
		r.out.line(none, render.Clean(strings.TrimRight(text, "\n")))
	}
	return nil
}

// summaryAnew gives the summary of a compaction back; what is said next takes its
// place beside it.
func (r *repl) summaryAnew(e *session.Entry) error {
	text, _, err := slash.SummaryOf(e)
	if err != nil {
		r.failed(err)
		return nil
	}
	r.say("What you say next takes the place of this summary, as a branch beside it. To say it in several lines, begin and end with \"\"\". /back calls it off.")
	r.draft = &draft{Prompt: protocol.Prompt{Text: text}, stayed: true, summary: e.ID}
	r.out.line(none, render.Clean(strings.TrimRight(text, "\n")))
	return nil
}

// saySummary puts words in the place of a summary.
func (r *repl) saySummary(of session.ID, words string, images []message.Block) {
	if len(images) > 0 {
		r.say("A summary has no images. Say it in words, or /back calls it off.")
		return
	}
	id, err := protocol.Call(r.ctx, r.c, protocol.EditSummary{Entry: of, Text: words})
	if err != nil {
		r.failed(err)
		return
	}
	r.draft, r.summary = nil, nil
	if err := r.await(func() bool { return r.view.Leaf == id }); err != nil {
		return // the session is gone, which the next event says
	}
	r.say("%s", fmt.Sprintf("The model reads this summary now. %s%s.", strings.ToUpper(r.here()[:1]), r.here()[1:]))
}
