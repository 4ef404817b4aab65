package repl

import (
	"slices"
	"strings"

	"github.com/boughdev/bough/internal/frontend/slash"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// said takes what was typed: a command of bough, of the shell, or words for the
// model.
func (r *repl) said(t text) error {
	words := tidy(t.words)
	word := t.literal || !strings.HasPrefix(t.words, "!") && !strings.HasPrefix(t.words, "/")
	if m := r.menu; m != nil {
		r.menu = nil
		if word && !t.literal && r.asked() == nil {
			if ok, err := r.chosen(m, words); ok {
				return err
			}
		}
	}
	switch d := r.draft; {
	case word && !t.literal && r.overtaken(words):
	case r.asked() != nil && word:
		r.answers(words)
	case words != "" && word && d != nil && d.edits != "":
		return r.replaced(d.edits, words)
	case words == "":
		if d := r.draft; d != nil && d.sendable && !t.literal {
			r.prompt(protocol.Prompt{})
		} else if r.out.speech {
			r.tellStatus()
		}
	case t.literal:
		r.prompt(protocol.Prompt{Text: words})
	case strings.HasPrefix(t.words, "!"):
		r.runShell(words)
	case strings.HasPrefix(t.words, "/"):
		return r.command(words)
	default:
		if meant := slash.Meant(words); meant != "" && r.o.Terminal {
			r.note("(said to the model; the command is %s)", meant)
		}
		r.prompt(protocol.Prompt{Text: words})
	}
	return nil
}

// prompt says something to the model. If a run goes on it waits for its end.
// Without text it is the draft; with it, it has the draft's images.
func (r *repl) prompt(p protocol.Prompt) {
	if d := r.draft; d != nil && d.summary != "" {
		r.saySummary(d.summary, p.Text, p.Images)
		return
	}
	if d := r.draft; d != nil {
		if p.Text == "" {
			p.Text = d.Text
		}
		p.Images = append(d.Images, p.Images...)
	}
	p.WhenBusy = protocol.AsFollowUp
	did, err := protocol.Call(r.ctx, r.c, p)
	if err != nil {
		r.refused(err)
		return
	}
	r.draft, r.summary = nil, nil
	if did == protocol.Queued {
		r.queued = append(r.queued, p.Text)
		if r.o.Terminal {
			r.note("(queued: it is said when the answer is there; /queue shows what waits)")
		}
	}
	if did == protocol.Started || did == protocol.Queued && r.runs == 0 {
		r.begin()
	}
}

// begin is called when a run has begun. The one before may have ended without
// our having seen it yet.
func (r *repl) begin() {
	if r.runs++; r.runs == 1 {
		if r.out.speech {
			r.say("working")
		}
		r.turn, r.noticed, r.between = turn{}, "", false
	}
}

// refused tells why a prompt was not taken.
func (r *repl) refused(err error) {
	r.status = 1
	if r.ctx.Err() == nil {
		r.out.problem("Error: " + sentence(err))
	}
}

// ended is called when a run has come to rest.
func (r *repl) ended(e protocol.RunEnded) {
	r.calls.end(r.out)
	r.wait.stop()
	r.out.fresh()
	status := 1
	switch {
	case e.Aborted:
		r.out.line(dim, "(stopped; what was said is kept)")
	case e.Failure != "" && e.Failure == r.noticed: // told already
	case e.Failure != "":
		r.out.problem(advice(e))
	case r.turn.stop == message.Length:
		r.out.problem("The answer was cut off by the output limit of the model. Ask it to go on.")
	default:
		status = 0
	}
	r.account()
	if r.runs > 0 {
		r.runs--
		r.status = status
	}
	r.stopping = false
	if q := r.view.Queue; len(r.queued) > 0 && len(q.FollowUp)+len(q.Steering) > 0 {
		if status == 0 || !r.o.Terminal {
			r.takeBack(status == 0)
		} else {
			r.tellWaiting()
		}
	}
	r.queued = nil
	r.shellStep()
}

// takeBack deals with messages of ours that wait though their run has ended. Those
// that were typed when it was just ending are said now; after a failure they are
// not, since they may hang on the answer that never came. Those of others go on
// waiting.
func (r *repl) takeBack(sayThem bool) {
	if sayThem {
		switch _, err := protocol.Call(r.ctx, r.c, protocol.SendQueue{}); protocol.CodeOf(err) {
		case protocol.Busy, protocol.NotRunnable: // somebody else has had it said, or dropped
		default:
			if r.failed(err); err == nil {
				r.begin()
			}
		}
		return
	}
	q, err := protocol.Call(r.ctx, r.c, protocol.GetQueue{})
	if err != nil {
		r.failed(err)
		return
	}
	for _, it := range q.Items {
		i := slices.Index(r.queued, it.Text)
		if i < 0 {
			continue
		}
		r.queued = slices.Delete(r.queued, i, i+1)
		switch _, err := protocol.Call(r.ctx, r.c, protocol.DropQueued{ID: it.ID}); {
		case err == nil:
			r.say("not said: %s", render.Quote(it.Text, r.o.Width-12))
		case protocol.CodeOf(err) != protocol.NotFound: // then somebody else has dropped it
			r.failed(err)
		}
	}
}

// advice says why a run failed and what to do.
func advice(e protocol.RunEnded) string {
	s := "Error: " + stopped(render.Cut(render.OneLine(e.Failure), 400)) + " "
	if e.Advice != "" {
		return s + render.OneLine(e.Advice) + " Then /retry."
	}
	switch e.Kind {
	case "transient":
		return s + "Nothing is lost: /retry asks again."
	case "auth":
		return s + "Check the key, or choose another model with /model; then /retry."
	case "overflow":
		return s + "The conversation is too long for this model: go back with /branch, or choose a larger one with /model; then /retry."
	}
	return s + "/retry asks again, /model chooses another model."
}

// stopped closes a sentence.
func stopped(s string) string {
	if s = strings.TrimSpace(s); s == "" || strings.ContainsAny(s[len(s)-1:], ".!?") {
		return s
	}
	return s + "."
}

// retry asks the model again. Where its answer is complete already, the question
// is answered once more, as another branch.
func (r *repl) retry() error {
	_, err := protocol.Call(r.ctx, r.c, protocol.Retry{})
	if protocol.CodeOf(err) != protocol.NotRunnable {
		if err != nil {
			r.refused(err)
		} else {
			r.begin()
		}
		return nil
	}
	asked := r.question()
	if asked == nil {
		r.refused(err)
		return nil
	}
	if ok, err := r.stand(place{id: asked.ID, exact: true, quiet: true}); !ok || err != nil {
		return err
	}
	r.say("back at %s; this answer begins branch %d", r.describe(asked.ID), len(render.Next(r.view.Tree, asked.ID))+1)
	if _, err := protocol.Call(r.ctx, r.c, protocol.Retry{}); err != nil {
		r.refused(err)
		return nil
	}
	r.begin()
	return nil
}

// question returns the message that the complete answer at the end of the path
// answers, or nil.
func (r *repl) question() *session.Entry {
	t := r.view.Tree
	last := render.Above(t, r.view.Leaf)
	if last == nil || last.Role != message.Assistant {
		return nil
	}
	for e := t.Parent(last.ID); e != nil; e = t.Parent(e.ID) {
		if render.Counted(t, e) && e.Role != message.Assistant && e.Role != message.ToolResult {
			if e.Role == message.System {
				return nil
			}
			return e
		}
	}
	return nil
}
