package repl

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/boughdev/bough/internal/frontend/slash"
	"github.com/boughdev/bough/internal/lang"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/internal/search"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// What is here is for people who listen to the terminal, or read it with their
// fingers, with Options.Speech. A screen reader reads what is added at the end and
// nothing twice, so a line is written once, when it is whole; what is told by a place,
// a mark or a color elsewhere is a word here; and lists have numbers to type (menu.go).

// spokenWidth is where texts of others are cut in lists, in columns.
const spokenWidth = 240

// mark is what a line begins with where something is typed.
func (r *repl) mark(s string) string {
	if !r.out.speech {
		return s
	}
	switch {
	case s != "> ":
		return "more: "
	case r.menu != nil:
		return "choice: "
	}
	return "you: "
}

// choicesMark is what the answer to a question stands behind.
func (r *repl) choicesMark(choices string) string {
	if !r.out.speech {
		return choices + "> "
	}
	return fmt.Sprintf("answer, 1 to %d: ", len(r.asked().Choices))
}

// sayHeader is what a conversation begins with.
func (r *repl) sayHeader() {
	r.say("bough %s, screen reader mode, by %s.", render.OneLine(r.o.Version), r.o.Speech)
	r.say("Model %s. Session %s.", r.modelName(), r.sessionName())
	if s := r.holds(); s != "" {
		r.say("Resumed: %s.", s)
	}
	if r.o.Hint != "" {
		r.say("%s", render.OneLine(r.o.Hint))
	}
	r.say("Type a message, or /help for the commands. An empty line says how it stands.")
}

func (r *repl) sessionName() string {
	if n := r.view.Tree.Name(); n != "" {
		return render.Quote(n, 60)
	}
	return "without a name"
}

// tellStatus says what goes on, and where.
func (r *repl) tellStatus() {
	waits := ""
	if n := len(r.view.Queue.FollowUp) + len(r.view.Queue.Steering); n > 0 {
		waits = "; " + render.Plural(n, "message waits", "messages wait")
	}
	switch {
	case r.asked() != nil:
		r.askedFor(*r.asked())
		return
	case len(r.view.Tools) > 0:
		for _, t := range r.view.Tools {
			r.say("working: tool %s, running%s", spokenName(render.CallLine(t.Tool, message.Value(t.Args))), waits)
		}
		return
	case r.shell != nil:
		r.say("working: your command %s", render.Cut(render.OneLine(r.shell.command), spokenWidth))
		return
	case r.working() && r.view.Answer != nil:
		r.say("working: the model answers%s", waits)
		return
	case r.working():
		r.say("working%s", waits)
		return
	}
	r.say("ready: model %s, thinking %s, %s; session %s; %s%s", r.modelName(), r.view.Thinking, r.spokenGauge(), r.sessionName(), r.here(), waits)
}

// spokenGauge says how full the window is.
func (r *repl) spokenGauge() string {
	p, known := r.view.Context.Percent()
	switch {
	case !known:
		return "context unknown"
	case p > 70:
		return fmt.Sprintf("context %.0f percent full, /compact makes room", p)
	}
	return fmt.Sprintf("context %.0f percent full", p)
}

// spoken says what a prompt took.
func (t turn) spoken(priced bool) string {
	if t.in+t.out+t.cached+t.written == 0 {
		return "tokens unknown"
	}
	s := fmt.Sprintf("%s tokens in, %s out", render.Count(t.in+t.cached+t.written), render.Count(t.out))
	if t.cached > 0 {
		s += ", " + slash.Percent(t.cached, t.in+t.cached+t.written) + " of them cached"
	}
	if usd := render.Dollars(t.cost); usd != "" && priced {
		s += ", " + strings.TrimPrefix(usd, "$") + " dollars"
	}
	return s
}

// speak takes a step of an answer.
func (a *answer) speak(out *output, b *block, d message.Delta) {
	switch d.Kind {
	case message.TextDelta, message.ThinkingDelta:
		b.say(out, b.spoken.add(b.clean.Clean(d.Text)))
	case message.TextEnd, message.ThinkingEnd:
		b.say(out, append(b.spoken.add(b.clean.End()), b.spoken.end()...))
	}
}

// say writes lines of a block; the first says what they are.
func (b *block) say(out *output, lines []string) {
	for _, l := range lines {
		if b.skipped {
			return
		}
		if !b.begun {
			l = map[bool]string{true: "thinking: ", false: "answer: "}[b.style == dim] + l
		}
		b.begun = true
		out.line(none, l)
	}
}

// spokenName parts the name of a tool from what it is called with.
func spokenName(call string) string {
	name, with, ok := strings.Cut(call, " ")
	if !ok {
		return call
	}
	return name + ": " + with
}

// spokenCall says what a tool was called with and what came of it.
func spokenCall(call string, e protocol.ToolEnded) string {
	s := "tool " + spokenName(call) + ", "
	if e.Output.IsError {
		return s + "failed: " + render.Cut(reason(e.Tool, e.Output), spokenWidth)
	}
	s += "ok"
	if added, removed, ok := render.DiffCount(e.Output.Details); ok {
		return s + fmt.Sprintf(", %s added, %d removed", render.Plural(added, "line", "lines"), removed)
	}
	lines, images := 0, 0
	for _, b := range e.Output.Content {
		switch text := strings.TrimSpace(b.Text); {
		case b.Type != message.TextBlock:
			images++
		case text != "":
			lines += strings.Count(text, "\n") + 1
		}
	}
	if images > 0 {
		s += ", " + render.Plural(images, "image", "images")
	}
	if lines > 0 {
		s += ", " + render.Plural(lines, "line", "lines")
	}
	return s
}

// spokenEntry is an entry of a list.
func spokenEntry(number string, p render.Preview, marks []string) string {
	s := number + ": " + p.Who
	if p.Text != "" {
		s += ": " + render.Cut(p.Text, spokenWidth)
	}
	if p.Calls != "" {
		s += "; calls " + p.Calls
	}
	if p.Mark != "" {
		s += "; " + p.Mark
	}
	for _, m := range marks {
		if label, ok := strings.CutPrefix(m, "{"); ok {
			m = "label " + label
		}
		s += "; " + strings.Trim(m, "<>(){}- ")
	}
	return s
}

// sayChain lists the path to here.
func (r *repl) sayChain(chain []render.Link) {
	previews := render.NewPreviews(r.view.Tree)
	for _, l := range chain {
		r.out.line(none, spokenEntry(fmt.Sprint(l.Index), previews.Of(l.Entry), slash.LinkMarks(lang.English, l)))
	}
	r.say("/branch with a number stands after an entry, /show reads all of it.")
}

// sayAll lists all entries.
func (r *repl) sayAll(last int) {
	words := strings.NewReplacer("   <- here", "; you are here", "<- here", "; you are here", "assistant -> ", "assistant; calls ", " -> ", "; calls ", "   <", "; ", " branches>", " branches", "   after #", "; after number ")
	for _, row := range slash.AllRows(r.view.Tree, r.view.Leaf, last, spokenWidth) {
		number, rest, _ := strings.Cut(strings.Trim(row, "["), "]")
		r.out.line(none, strings.TrimPrefix(number, "#")+": "+strings.Join(strings.Fields(words.Replace(rest)), " "))
	}
	r.say("/branch with # and a number stands after an entry of this list.")
}

// sayTree lists the rows of a tree: what was said, and then where it is.
func (r *repl) sayTree(rows []render.Row, previews *render.Previews, hits map[session.ID]string) {
	t := r.view.Tree
	for _, row := range rows {
		k, counted := render.NumberOf(t, row.Entry.ID)
		number := fmt.Sprint(k)
		if !counted {
			number = "without a number"
		}
		p := previews.Of(row.Entry)
		if p.Who == "" {
			p.Who, p.Text = "note", p.Row
		}
		if hit := hits[row.Entry.ID]; hit != "" {
			p.Text, p.Calls = hit, ""
		}
		s := spokenEntry(number, p, nil) + fmt.Sprintf("; level %d", row.Level+1)
		if row.Head {
			s += ", a branch begins"
		}
		if n := len(render.Next(t, row.Entry.ID)); n > 1 {
			s += fmt.Sprintf(", %d ways on", n)
		}
		if l := t.Label(row.Entry.ID); l != "" {
			s += ", label " + render.OneLine(l)
		}
		switch {
		case row.Leaf:
			s += ", you are here"
		case row.OnPath:
			s += ", on the way here"
		}
		r.out.line(none, s)
	}
	r.offerPlace(len(render.NumbersOf(t).Entries))
}

// sayChoice is an answer to a question.
func (r *repl) sayChoice(i int, c protocol.Choice) {
	more := ""
	if c.Words {
		more = "; words behind the number, or alone, do so too and go to the model"
	}
	r.say("%d: %s, %s%s", i+1, c.ID, c.Text, more)
}

// found looks for words in whole texts, as the search for sessions does, and returns
// the lines that have them.
func (r *repl) found(words string) (map[session.ID]string, error) {
	expr, err := search.Parse(words)
	if err != nil {
		return nil, err
	}
	hits := map[session.ID]string{}
	finder := search.NewFinder(search.Options{Expr: expr})
	for e := range r.view.Tree.Log() {
		if e.Type == session.TypeLabel {
			continue // what has it is found
		}
		// What cannot be read has no text.
		if h, ok, err := finder.Find(e, r.view.Tree.Label(e.ID)); ok && err == nil {
			hits[e.ID] = render.OneLine(h.Before + h.Match + h.After)
		}
	}
	return hits, nil
}

// sayForkPoints lists the messages that a fork can begin before.
func (r *repl) sayForkPoints(chain []session.ID, previews *render.Previews) {
	for i, id := range chain {
		if e := r.view.Tree.Get(id); e.Role == message.User {
			r.out.line(none, spokenEntry(fmt.Sprint(i), previews.Of(e), nil))
		}
	}
	r.say("/fork with a number begins a new session from before one of them. To stay in this session: /edit with a number.")
}

// saySession is a session of a list.
func (r *repl) saySession(n int, s session.Summary, title string) {
	this := ""
	if s.ID == r.view.Header.ID {
		this = "; this one"
	}
	r.out.line(none, fmt.Sprintf("%d: %s; %s; %s%s", n, render.Cut(title, spokenWidth), render.Plural(s.Said, "message", "messages"), render.Ago(time.Since(s.Modified)), this))
}

// searchSessions lists the sessions in which something was said. It may take a while.
func (r *repl) searchSessions(words string) error {
	r.say("searching what was said in the sessions of this folder")
	var found protocol.Found
	failed, err := r.meanwhile(func() (err error) {
		found, err = protocol.Call(r.ctx, r.c, protocol.SearchSessions{Query: words})
		return err
	})
	switch {
	case err != nil:
		return err
	case failed != nil:
		r.failed(failed)
		return nil
	}
	r.listed = nil
	var hits []protocol.Hit
	seen := map[string]bool{}
	for _, h := range found.Hits {
		if !seen[h.Session.ID] {
			seen[h.Session.ID] = true
			r.listed, hits = append(r.listed, h.Session), append(hits, h)
		}
	}
	if len(hits) == 0 {
		r.say("Nothing of this folder's sessions has %s; /resume lists them.", render.Quote(words, 40))
		return nil
	}
	titles := render.Titles(r.listed)
	for i, h := range hits {
		r.saySession(i+1, h.Session, titles[i])
		r.out.line(none, "   "+h.Role+": "+render.Cut(render.OneLine(h.Text), spokenWidth))
	}
	r.offer("the session to go over to", len(hits), func(n int) error { return r.resume(strconv.Itoa(n)) })
	return nil
}

// elsewhere says what does the work of a command that is not built for lines.
var elsewhere = map[string]string{
	"login":         "end with /quit, then bough auth login in the shell.",
	"logout":        "end with /quit, then bough auth logout in the shell.",
	"trust":         "!bough trust says how it stands, !bough trust yes or !bough trust no changes it for the next start.",
	"scoped-models": "/model chooses among all models; the setting enabledModels has those to cycle through.",
	"compare":       "/history --all and /show read both branches; /take brings an answer of one to the other.",
}
