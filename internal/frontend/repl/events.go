package repl

import (
	"slices"
	"strings"

	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// event takes in something that happened and shows what is worth a line. An
// error ends the conversation.
func (r *repl) event(w watched) error {
	if w.err != nil {
		return w.err
	}
	r.view.Apply(w.ev)
	if _, more := w.ev.(protocol.Delta); !more {
		r.text.rest(r.out)
	}
	switch e := w.ev.(type) {
	case protocol.Opened:
		r.opened++
		r.ready = false
		r.list, r.summary, r.draft, r.foreign, r.early, r.replied = nil, nil, nil, 0, nil, ""
	case protocol.State:
		r.ready = true
		if r.headed && !r.moving { // it has come to another process, or was read again
			r.tellEarly()
		}
		if r.headed {
			r.goesOn()
		}
	case protocol.Appended:
		if r.ready {
			r.changedBy(e)
		}
		r.appended(e)
	case protocol.PermissionsChanged:
		r.permissionsBy(e)
	case protocol.LeafMoved:
		if r.ready && r.o.Who != "" && e.By != "" && e.By != r.o.Who {
			r.note("(%s moved: %s)", render.OneLine(byName(e.By)), r.here())
		}
	case protocol.LoopStarted:
		r.wait.stop()
	case protocol.AnswerStarted:
		r.text = answer{}
	case protocol.Delta:
		r.text.add(r.out, e.Delta)
	case protocol.ToolStarted:
		r.calls.started(r.out, e, r.o.Width)
	case protocol.ToolEnded:
		r.calls.ended(r.out, e, r.o.Width)
	case protocol.TurnEnded:
		r.turn.add(e)
	case protocol.CompactionStarted:
		r.compacting(e)
	case protocol.CompactionEnded:
		r.compacted(e)
	case protocol.BranchSummaryStarted:
		r.summing()
	case protocol.SummaryRetryScheduled:
		r.note("%s Trying again in %s (%d of %d).", stopped(render.OneLine(e.Error)), seconds(e.Delay), e.Attempt, e.Max)
	case protocol.RetryStarted:
		r.retrying(e)
	case protocol.RunEnded:
		r.ended(e)
	case protocol.BashOutput:
		if r.shell != nil && e.ID == r.shell.id {
			r.shell.output(r.out, e.Delta)
		}
	case protocol.Asked:
		r.askedFor(e)
	case protocol.Answered:
		r.answeredBy(e)
	case protocol.Notice:
		r.notice(e)
	}
	return nil
}

func (r *repl) appended(e protocol.Appended) {
	switch {
	case !r.ready || e.Entry.IsLeafMarker():
	case e.Foreign:
		r.foreign++
	case e.Entry.Role == message.Bash && r.shell != nil:
		r.shell.recorded = true
		r.shellStep()
	case e.Entry.Role == message.User && r.byOthers(e):
		r.account()
		r.between = true
		r.heard(e)
	case e.Entry.Role == message.User && (r.turn.answers > 0 || r.between || r.runs == 0):
		// A message that waited for the answer before it.
		r.account()
		r.between = false
		r.echo(e.Entry)
	}
}

// byOthers reports whether a message was said at another front end. Of one that has
// no name it was, unless we wait for an answer.
func (r *repl) byOthers(e protocol.Appended) bool {
	if r.o.Who == "" || e.By == "" {
		return r.runs == 0
	}
	return e.By != r.o.Who
}

// echo repeats a message that was typed a while ago, so that its answer does not
// stand alone.
func (r *repl) echo(e *session.Entry) {
	if len(r.queued) > 0 {
		r.queued = r.queued[1:]
	}
	if !r.o.Terminal {
		return
	}
	p := render.NewPreviews(r.view.Tree).Of(e)
	r.out.line(dim, r.mark("> ")+render.Cut(p.Text, r.o.Width-2))
}

// heard shows what was said at another front end.
func (r *repl) heard(e protocol.Appended) {
	who := ""
	if e.By != "" {
		who = "(" + render.OneLine(byName(e.By)) + ") "
	}
	p := render.NewPreviews(r.view.Tree).Of(e.Entry)
	if r.out.speech {
		r.out.line(none, render.Cut(strings.Trim(strings.TrimSpace(who), "()")+" says: "+p.Text, r.o.Width))
		return
	}
	r.out.line(dim, "> "+render.Cut(who+p.Text, max(r.o.Width-2, 20)))
}

// byName is what people are shown of the name of a front end: other terminals and
// editors need no number.
func byName(by string) string {
	if name, pid, ok := strings.Cut(by, " "); ok && slices.Contains([]string{"repl", "tui", "acp"}, name) && strings.Trim(pid, "0123456789") == "" {
		return name
	}
	return by
}

// tellForeign says that other programs have added to the session.
func (r *repl) tellForeign() {
	if r.foreign > 0 {
		r.note("(%s by another program; /tree shows them)", render.Plural(r.foreign, "new entry", "new entries"))
		r.foreign = 0
	}
}

// notice tells of something. What is known of a session before it is shown waits
// for its header.
func (r *repl) notice(n protocol.Notice) {
	if !r.ready {
		r.early = append(r.early, n)
		return
	}
	r.noticed = n.Text
	text := n.Text
	if n.Entry != "" && r.view.Tree.Has(n.Entry) {
		text += " The likely cause is " + r.describe(n.Entry) + "; /hide " + strings.Trim(r.number(n.Entry), "[]") + " keeps it from the model for good."
	}
	if n.Level == "error" || n.Level == "warning" {
		r.out.problem(text)
	} else {
		r.out.text(dim, render.Clean(text))
	}
}

// goesOn shows what goes on already in a session that has just been opened, or joined
// anew: questions, the calls that run, and the answer so far.
func (r *repl) goesOn() {
	for _, q := range r.view.Open {
		r.askedFor(q)
	}
	for _, t := range r.view.Tools {
		if !slices.ContainsFunc(r.calls.list, func(c *toolCall) bool { return c.id == t.CallID && !c.over }) {
			r.calls.started(r.out, t.ToolStarted, r.o.Width)
		}
	}
	r.text.resume(r.out, r.view.Answer)
}

// tellEarly gives the notices of the start.
func (r *repl) tellEarly() {
	for _, n := range r.early {
		r.notice(n)
	}
	r.early, r.headed = nil, true
}
