package tui

import (
	"fmt"
	"strings"
	"time"

	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/internal/styled"
	"github.com/boughdev/bough/protocol"
)

// status is what goes on, for the line above the editor, and what it took.
type status struct {
	work    string // what goes on beside a run: a compaction, a summary
	retry   string // while the next try is waited for
	since   time.Time
	flash   string // for a moment
	promise string // the action that flash says something of; ""
	tally   tally

	started map[string]time.Time // when calls were, that are running
}

// event takes in what does not concern the transcript.
func (s *status) event(a *app, ev protocol.Event) {
	switch e := ev.(type) {
	case protocol.RunStarted:
		s.since = a.o.Now()
		s.retry = ""
	case protocol.LoopStarted:
		if s.since.IsZero() {
			s.since = a.o.Now()
		}
		s.retry = ""
	case protocol.RunEnded:
		s.since, s.retry, s.started = time.Time{}, "", nil
		a.look.settle()
		a.look.forgetAnswer()
		switch {
		case e.Aborted:
			a.tell(a.theme.dim, "Stopped; what was said is kept.")
		case e.Failure != "":
			a.tell(a.theme.failure, "%s", a.failure(e))
		}
		s.tally.count(a)
		a.lookAtGit()
	case protocol.RetryStarted:
		s.retry = a.t("Retrying (%d/%d) in %s: %s", e.Attempt, e.Max, e.Delay.Round(time.Second), render.Cut(a.told(render.OneLine(e.Error)), 60))
	case protocol.RetryEnded:
		s.retry = ""
	case protocol.CompactionStarted:
		switch e.Reason {
		case protocol.OverLimit:
			s.work = a.t("Auto-compacting")
		case protocol.OverflowedBy:
			s.work = a.t("Context overflow, compacting")
		default:
			s.work = a.t("Compacting")
		}
		s.since = a.o.Now()
	case protocol.CompactionEnded:
		s.work = ""
		if e.Error != "" {
			a.tell(a.theme.failure, "Error: %s", a.told(render.OneLine(e.Error)))
		}
	case protocol.BranchSummaryStarted:
		s.work, s.since = a.t("Summarizing the branch"), a.o.Now()
	case protocol.BranchSummaryEnded:
		s.work = ""
	case protocol.Notice:
		style := a.theme.dim
		switch e.Level {
		case "error":
			style = a.theme.failure
		case "warning":
			style = a.theme.warning
		}
		a.tell(style, "%s", a.told(render.OneLine(e.Text)))
	case protocol.ToolEnded:
		delete(s.started, e.CallID)
		a.look.forgetAnswer()
	case protocol.ToolStarted:
		if s.started == nil {
			s.started = map[string]time.Time{}
		}
		s.started[e.CallID] = a.o.Now()
		a.look.forgetAnswer()
	}
}

// failure says why a run failed and what to do.
func (a *app) failure(e protocol.RunEnded) string {
	s := a.t("Error: %s. ", strings.TrimRight(a.told(render.Cut(render.OneLine(e.Failure), 400)), ".。"))
	if e.Advice != "" {
		return s + a.t("%s Then /retry.", a.told(render.OneLine(e.Advice)))
	}
	switch e.Kind {
	case "transient":
		return s + a.t("Nothing is lost: /retry asks again.")
	case "auth":
		return s + a.t("Check the key, or choose another model with /model; then /retry.")
	case "overflow":
		return s + a.t("The conversation is too long for this model: go back with /tree, or choose a larger one with /model; then /retry.")
	}
	return s + a.t("/retry asks again, /model chooses another model.")
}

var spinner = []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧"}

func (a *app) spinner() string {
	if a.o.ASCII {
		return "*"
	}
	return spinner[int(a.o.Now().UnixMilli()/125)%len(spinner)]
}

// line is what stands in the upper border of the editor.
func (s *status) line(a *app) styled.Line {
	if s.flash != "" {
		return styled.Of(s.flash, a.theme.dim)
	}
	if p := a.purpose; p != nil {
		return styled.Line{{Text: a.t(p.words), Style: a.theme.warning}, {Text: " · " + a.t("%s calls it off", a.keys.name("app.interrupt")), Style: a.theme.dim}}
	}
	words := ""
	switch {
	case a.early.slow:
		return a.earlyLine()
	case s.retry != "":
		words = s.retry
	case s.work != "":
		words = s.work
	case a.shell != nil && !a.view.Running:
		words = a.t("Running %s", render.Quote(a.shell.command, 30))
	case a.view.Running:
		words = a.t("Working")
	case a.summing != nil:
		return styled.Of(a.t("your next move sums up what it leaves"), a.theme.warning)
	default:
		return nil
	}
	now := a.o.Now()
	l := styled.Line{{Text: a.spinner() + " ", Style: a.theme.accent}, {Text: words}}
	if !s.since.IsZero() {
		if d := now.Sub(s.since); d >= time.Second {
			l = append(l, styled.Span{Text: " " + elapsed(d), Style: a.theme.dim})
		}
	}
	if k := a.keys.name("app.interrupt"); k != "" {
		stops := " · " + a.t("%s stops", k)
		if a.look.width == 0 || l.Width()+styled.Width(stops) <= a.look.width-6 {
			l = append(l, styled.Span{Text: stops, Style: a.theme.dim})
		}
	}
	return l
}

func elapsed(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%ds", int(d.Seconds()))
	}
	return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
}
