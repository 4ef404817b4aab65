package tui

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/boughdev/bough/internal/frontend/slash"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/internal/styled"
	"github.com/boughdev/bough/internal/term"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
)

// paint draws a frame.
func (a *app) paint() term.Frame {
	w, h := a.term.Size()
	a.look.setWidth(w)
	title := a.title()
	if s := a.top(); s != nil {
		if isWhole(s) {
			p := s.view(a, w, h)
			return term.Frame{Rows: clip(p.rows, w), X: p.x, Y: p.y, Cursor: p.cursor, Title: title, Working: a.view.Running}
		}
	}
	a.pictures.paints++
	defer a.pictures.sweep(a)
	foot := a.footer(w)
	if h < 12 {
		foot = foot[:min(len(foot), 1)]
	}
	queue := append(a.banner(w), append(a.shellRows(h), a.queue(w)...)...)
	slot := a.slot(w, max(h-len(foot)-min(len(queue), 3)-3, 3))
	for over := len(foot) + len(queue) + len(slot.rows) - h; over > 0 && len(queue) > 0; over-- {
		queue = queue[:len(queue)-1]
	}
	if over := len(foot) + len(slot.rows) - h; over > 0 {
		foot = foot[:max(len(foot)-over, 0)]
	}
	if a.over {
		queue, slot, foot = nil, panel{}, nil
	}
	below := len(queue) + len(slot.rows) + len(foot)
	f := term.Frame{X: slot.x, Cursor: slot.cursor, Title: title, Working: a.view.Running}
	var rows []styled.Line
	if a.o.Regular {
		if !a.early.on { // what is drawn there stays
			f.Above, rows = a.look.leaves(h)
		}
		f.Above = clip(f.Above, w)
		if cut := len(rows) + below - h + 1; cut > 0 {
			cut = min(cut, len(rows))
			if a.over { // nothing comes that would change them
				f.Above = append(f.Above[:len(f.Above):len(f.Above)], clip(rows[:cut:cut], w)...)
			}
			rows = rows[cut:]
		}
		rows = append(rows[:len(rows):len(rows)], nil)
	} else {
		room := max(h-below, 0)
		rows = a.look.window(room)
		a.look.rows = len(rows)
		if n := a.look.news(); n > 0 && len(rows) == room && room > 2 {
			key := a.keys.name("tui.altScreen.bottom")
			hint := " " + a.t("v %d new · %s", n, key) + " "
			rows = append([]styled.Line(nil), rows...)
			rows[room-1] = styled.Of(strings.Repeat(" ", max((w-styled.Width(hint))/2, 0))+hint, a.theme.selection)
		}
		rows = a.look.bar(rows, w)
		for len(rows) < room {
			rows = append(rows, nil)
		}
	}
	finding, _ := a.top().(*finder)
	if finding != nil && len(rows) > 0 {
		rows = append([]styled.Line(nil), rows...)
		rows[0], f.X = finding.bar(a, w)
	}
	f.Y = len(rows) + len(queue) + slot.y
	if finding != nil {
		f.Y = 0
	}
	rows = append(rows[:len(rows):len(rows)], queue...)
	rows = append(rows, slot.rows...)
	f.Rows = clip(append(rows, foot...), w)
	if a.over {
		f.Y, f.Cursor, f.Working = max(len(f.Rows)-1, 0), true, false
	}
	return f
}

// lastFrame leaves the conversation alone on a terminal that keeps it: nothing goes on
// any more, and no key does anything.
func (a *app) lastFrame() {
	if !a.o.Regular || !a.opened {
		return
	}
	if !a.term.Ready() {
		late, cancel := a.o.After(time.Second)
		defer cancel()
		select {
		case <-a.term.Drawn():
			a.term.Settled()
		case <-late:
			return
		}
	}
	a.over, a.screens = true, nil
	a.term.Draw(a.paint())
}

// clip sees to it that nothing is wider than the screen, whatever it was made of.
func clip(rows []styled.Line, width int) []styled.Line {
	for i, r := range rows {
		if r.Width() > width {
			rows[i] = r.Slice(0, width)
		}
	}
	return rows
}

// slot draws what stands in the editor's place.
func (a *app) slot(width, height int) panel {
	if s := a.top(); s != nil && !isFinder(s) {
		p := s.view(a, width, max(height, 3))
		if len(p.rows) > height {
			p.rows = p.rows[:height]
		}
		return p
	}
	style := a.theme.border
	if strings.HasPrefix(a.editor.text, "!") {
		style = a.theme.shell
	} else if l, ok := a.theme.levels[a.view.Thinking]; ok {
		style = l
	}
	_, all := a.term.Size()
	most := max(min(height-2, max(all*3/10, 5)), 1)
	p, above, below := a.editor.draw(max(width-2, 1), most, styled.Style{}, a.theme.accent)
	for i := range p.rows {
		p.rows[i] = styled.Join(margin, p.rows[i])
	}
	p.x++
	top := a.border(a.status.line(a), a.moreRows("^", above), width, style)
	bottom := a.border(nil, a.moreRows("v", below), width, style)
	p.rows = append([]styled.Line{top}, p.rows...)
	p.y++
	p.rows = append(p.rows, bottom)
	if a.complete != nil {
		p.rows = append(p.rows, a.complete.rows(a, width)...)
	}
	return p
}

func isFinder(s screen) bool {
	_, ok := s.(*finder)
	return ok
}

func (a *app) moreRows(mark string, n int) string {
	if n == 0 {
		return ""
	}
	return " " + a.t("%s %d more", mark, n) + " "
}

// border is a line with words near its left end and near its right one.
func (a *app) border(left styled.Line, right string, width int, style styled.Style) styled.Line {
	line := "─"
	if a.o.ASCII {
		line = "-"
	}
	l := styled.Of(strings.Repeat(line, min(2, width)), style)
	if len(left) > 0 {
		l = styled.Join(l, styled.Of(" ", style), left.Cut(max(width-6-styled.Width(right), 0)), styled.Of(" ", style))
	}
	end := 0
	if right != "" {
		end = styled.Width(right) + 2
	}
	l = styled.Join(l, styled.Of(strings.Repeat(line, max(width-l.Width()-end, 0)), style))
	if right != "" {
		l = styled.Join(l, styled.Of(right, a.theme.dim), styled.Of(strings.Repeat(line, 2), style))
	}
	return l.Slice(0, width)
}

// queue lists what waits to be said.
func (a *app) queue(width int) []styled.Line {
	var out []styled.Line
	n := len(a.view.Queue.Items)
	for i := range n {
		out = append(out, styled.Join(margin, a.waitingRow(i)).Cut(width))
	}
	if k := a.keys.name("app.message.dequeue"); k != "" && n > 0 {
		words := a.t("%s takes all back", k)
		if n > 1 {
			words = a.t("%s lists them, again takes all back", k)
		}
		out = append(out, styled.Of(" "+words, a.theme.dim).Cut(width))
	}
	return out
}

func (a *app) title() string {
	name := ""
	if a.view.Tree != nil {
		name = a.view.Tree.Name()
	}
	if name == "" {
		name = filepath.Base(a.dir())
	}
	s := "bough - " + render.Cut(render.OneLine(name), 60)
	if a.view.Running {
		s = a.spinner() + " " + s
	}
	return s
}

// dir is the folder of the session, or where it will be.
func (a *app) dir() string {
	if a.early.on {
		return a.o.Dir
	}
	return a.view.Header.CWD
}

// footer says where we are and what it took (docs/spec/frontends.md D4).
func (a *app) footer(width int) []styled.Line {
	model := a.t("no model")
	if a.early.on {
		model = ""
	} else if m := a.view.Model; m != nil {
		model = render.OneLine(m.ID)
	}
	if a.c == nil { // there is no session yet
		return nil
	}
	if width < 40 {
		return []styled.Line{a.spread(a.gauge(), model, width)}
	}
	where := render.OneLine(slash.Home(a.dir(), a.o.Home))
	if b := render.OneLine(a.gitBranch); b != "" {
		where += " (" + b + ")"
	}
	if t := a.view.Tree; t != nil {
		if n := render.OneLine(t.Name()); n != "" {
			where += " - " + n
		}
		if e := render.Above(t, a.view.Leaf); e != nil {
			if l := render.OneLine(t.Label(e.ID)); l != "" {
				where += " - [" + l + "]"
			}
		}
		if s := a.standing(); s.branches > 1 && s.number > 0 {
			where += fmt.Sprintf(" - %d/%d", s.number, s.branches)
		}
	}
	if m := a.view.Model; m != nil {
		model = "(" + render.OneLine(m.Provider) + ") " + model
		if a.view.Thinking != "" && a.view.Thinking != "off" {
			model += " - " + a.view.Thinking
		}
	}
	gauge := a.gauge()
	left := styled.Join(styled.Of(a.status.tally.took(a, width-gauge.Width()-4), a.theme.dim), gauge)
	return []styled.Line{styled.Of(" "+where, a.theme.dim).Cut(width), a.spread(left, model, width)}
}

// spread puts words at both ends; what has no room at the right goes first.
func (a *app) spread(left styled.Line, right string, width int) styled.Line {
	left = styled.Join(margin, left)
	room := width - left.Width() - 2
	if styled.Width(right) > room {
		_, right, _ = strings.Cut(right, ") ")
	}
	if room < 6 {
		return left.Cut(width)
	}
	right = render.Cut(right, room)
	gap := width - left.Width() - styled.Width(right) - 1
	return styled.Join(left, styled.Of(strings.Repeat(" ", max(gap, 0)), styled.Style{}), styled.Of(right, a.theme.dim))
}

// gauge says how full the model's window is.
func (a *app) gauge() styled.Line {
	u := a.view.Context
	if u == nil || u.Window <= 0 {
		return nil
	}
	if !u.Known {
		return styled.Of("?/"+render.Count(u.Window), a.theme.dim)
	}
	share := float64(u.Tokens) / float64(u.Window) * 100
	style := a.theme.dim
	switch {
	case share > 90:
		style = a.theme.failure
	case share > 70:
		style = a.theme.warning
	}
	return styled.Of(fmt.Sprintf("%.1f%%/%s", share, render.Count(u.Window)), style)
}

// position says where the conversation stands, for a line of the status.
func (a *app) position(id session.ID) string {
	e := render.Above(a.view.Tree, id)
	if e == nil || e.Role == message.System && a.view.Tree.Parent(e.ID) == nil {
		return a.t("at the start, before the first message")
	}
	return a.t("at %s", a.words(e))
}

// words are who said something and how it begins.
func (a *app) words(e *session.Entry) string {
	p := a.previews(a.view.Tree).Of(e)
	return a.t(p.Who) + " " + render.Quote(p.Text, 40)
}

// previews are those of a tree in the user's language.
func (a *app) previews(t *session.Tree) *render.Previews { return render.NewPreviews(t).In(a.o.Lang) }
