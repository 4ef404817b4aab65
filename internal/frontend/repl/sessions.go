package repl

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/boughdev/bough/internal/frontend/slash"
	"github.com/boughdev/bough/internal/lang"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/internal/styled"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// header is what a conversation begins with.
func (r *repl) header() {
	if r.o.Quiet || r.o.NoHeader {
		return
	}
	if r.out.speech {
		r.sayHeader()
		return
	}
	r.out.line(none, strings.TrimSpace("bough "+render.OneLine(r.o.Version))+"  "+r.standing()+"  /help for commands")
	if s := r.holds(); s != "" {
		r.out.text(dim, "resumed "+s)
	}
	if r.o.Hint != "" {
		r.out.text(dim, render.OneLine(r.o.Hint))
	}
}

// standing names the session and the model.
func (r *repl) standing() string {
	id := []rune(render.OneLine(r.view.Header.ID))
	if len(id) > 12 {
		id = append(id[:8:8], []rune("...")...)
	}
	return "session " + string(id) + "  model " + r.modelName()
}

func (r *repl) modelName() string { return slash.ModelName(r.view.Model) }

// messages are those of user and model on all branches: how many, what the first
// one says, and when the last one was said.
func (r *repl) messages() (n int, first string, last time.Time) {
	t := r.view.Tree
	for e := range t.All() {
		if e.Role != message.User && e.Role != message.Assistant {
			continue
		}
		n++
		if e.Time.After(last) {
			last = e.Time
		}
		if first == "" && e.Role == message.User {
			first = render.NewPreviews(t).Of(e).Text
		}
	}
	return n, first, last
}

// holds says what is in a session already and where it stands, or "".
func (r *repl) holds() string {
	messages, first, last := r.messages()
	if messages == 0 && r.view.Fresh {
		return ""
	}
	if n := r.view.Tree.Name(); n != "" {
		first = n
	}
	var parts []string
	if first != "" {
		parts = append(parts, render.Quote(first, 40))
	}
	parts = append(parts, render.Plural(messages, "message", "messages"))
	if !last.IsZero() {
		parts = append(parts, render.Ago(time.Since(last)))
	}
	return strings.Join(append(parts, "at "+r.describe(r.view.Leaf)), ", ")
}

// over carries out a command that goes over to another session, and waits until
// that is known. origin says what a new session is made of. It says what went
// wrong and returns false.
func (r *repl) over(origin string, do func() error) (bool, error) {
	before := r.opened
	r.moving = true
	defer func() { r.moving = false }()
	if err := do(); err != nil {
		r.failed(err)
		return false, nil
	}
	if err := r.await(func() bool { return r.opened > before && r.ready }); err != nil {
		return false, err
	}
	if r.out.speech {
		r.say("now in the session %s; model %s", r.sessionName(), r.modelName())
	} else {
		r.say("now in %s", r.standing())
	}
	if s := r.holds(); origin != "" {
		r.note("new, %s: %s", origin, r.copied())
	} else if s != "" {
		r.note("%s", s)
	}
	r.tellEarly()
	return true, nil
}

// title is the session's name, or its first message.
func (r *repl) title() string {
	s := r.view.Tree.Name()
	if s == "" {
		_, s, _ = r.messages()
	}
	return render.Quote(s, 40)
}

// copied says what a new session has of the one that it was made of.
func (r *repl) copied() string {
	n, _, _ := r.messages()
	if n == 0 {
		return "nothing has been said in it yet"
	}
	return render.Plural(n, "message", "messages") + ", at " + r.describe(r.view.Leaf)
}

func (r *repl) newSession(name string) error {
	_, err := r.over("", func() error {
		_, err := protocol.Call(r.ctx, r.c, protocol.NewSession{Label: session.CleanName(name)})
		return err
	})
	return err
}

func (r *repl) clone(name string) error {
	ok, err := r.over("a copy of "+r.title(), func() error {
		_, err := protocol.Call(r.ctx, r.c, protocol.Clone{})
		return err
	})
	if !ok || err != nil || session.CleanName(name) == "" {
		return err
	}
	return r.name(name)
}

// fork begins a new session from before a message, or lists the messages.
func (r *repl) fork(c slash.Command) error {
	a, err := c.Args()
	if err == nil && len(a.Words) == 0 {
		r.forkPoints()
		return nil
	}
	var id session.ID
	if err == nil {
		id, err = r.entry(a.Text())
	}
	if err != nil {
		r.say("%s", sentence(err))
		return nil
	}
	if r.view.Tree.Get(id).Role != message.User {
		r.say("%s is no message of yours: a fork begins before one. /clone copies the conversation up to here.", r.describe(id))
		return nil
	}
	var forked protocol.Forked
	origin := "forked from " + r.title() + " before " + r.describe(id)
	ok, err := r.over(origin, func() (err error) {
		forked, err = protocol.Call(r.ctx, r.c, protocol.Fork{Entry: id})
		return err
	})
	if ok {
		r.takeUp(forked.Text, forked.Images)
		r.draft.stayed = true
	}
	return err
}

func (r *repl) forkPoints() {
	previews := render.NewPreviews(r.view.Tree)
	chain := r.chain()
	digits := len(strconv.Itoa(len(chain)))
	var rows []string
	for i, id := range chain {
		if e := r.view.Tree.Get(id); e.Role == message.User {
			rows = append(rows, slash.Row(lang.English, r.o.Width, fmt.Sprintf("[%d]", i), digits+2, previews.Of(e), nil))
		}
	}
	if len(rows) == 0 {
		r.say("There is no message on this path to fork from.")
		return
	}
	r.list = chain
	if r.out.speech {
		r.sayForkPoints(chain, previews)
		return
	}
	r.out.line(none, strings.Join(rows, "\n"))
	r.say("/fork N begins a new session from before one of them. To stay in this session: /edit N.")
}

// resume lists sessions, or goes over to one.
func (r *repl) resume(word string) error {
	word = strings.Trim(word, `"`)
	if r.o.Sessions == nil {
		if word == "" {
			r.say("Say which session: /resume with its id or its file.")
			return nil
		}
		return r.switchTo(word)
	}
	if n, err := strconv.Atoi(word); err == nil && n >= 1 && n <= len(r.listed) {
		s := r.listed[n-1]
		if s.Path != "" {
			return r.switchTo(s.Path)
		}
		return r.switchTo(s.ID)
	}
	if strings.ContainsAny(word, `/\`) || strings.HasSuffix(word, ".jsonl") {
		return r.switchTo(word)
	}
	found, err := r.find(word)
	switch {
	case err != nil:
		r.failed(err)
		return nil
	case len(found) == 1 && word != "":
		if found[0].Path != "" {
			return r.switchTo(found[0].Path)
		}
		return r.switchTo(found[0].ID)
	case len(found) == 0 && word == "":
		r.say("There are no sessions of this folder yet.")
		return nil
	case len(found) == 0 && r.out.speech:
		return r.searchSessions(word)
	case len(found) == 0:
		r.say("No session of this folder has %s as its id, or in its name or first message; /resume lists them.", render.Quote(word, 40))
		return nil
	}
	r.listed = found
	digits := len(strconv.Itoa(len(found)))
	titles := render.Titles(found)
	for i, s := range found {
		if r.out.speech {
			r.saySession(i+1, s, titles[i])
			continue
		}
		head := fmt.Sprintf("%*d  %-4s %s  ", digits, i+1, render.Age(time.Since(s.Modified)), render.Messages(s.Said))
		tail := ""
		if s.ID == r.view.Header.ID {
			tail = "   (this one)"
		}
		r.out.line(none, head+cutTitle(titles[i], max(r.o.Width-styled.Width(head+tail), 12))+tail)
	}
	if r.offer("the session to go over to", len(found), func(n int) error { return r.resume(strconv.Itoa(n)) }) {
		return nil
	}
	r.say("/resume NUMBER goes over to one of them.")
	return nil
}

// find returns the sessions that a word means: the one of that id, else those
// with a text.
func (r *repl) find(word string) ([]session.Summary, error) {
	all, err := r.o.Sessions(r.ctx)
	if err != nil || word == "" {
		return all, err
	}
	var by []session.Summary
	for _, s := range all {
		if s.ID == word {
			return []session.Summary{s}, nil
		}
		if len(word) >= 4 && strings.HasPrefix(s.ID, word) || hasAll(s.Name+" "+s.FirstMessage, strings.Fields(word)) {
			by = append(by, s)
		}
	}
	return by, nil
}

func (r *repl) switchTo(which string) error {
	_, err := r.over("", func() error {
		_, err := protocol.Call(r.ctx, r.c, protocol.SwitchSession{Session: which})
		return err
	})
	return err
}

// cutTitle shortens a title before the number that tells it from others.
func cutTitle(title string, width int) string {
	text, number := title, ""
	if i := strings.LastIndex(title, " ("); i > 0 && strings.HasSuffix(title, ")") {
		if _, err := strconv.Atoi(title[i+2 : len(title)-1]); err == nil {
			text, number = title[:i], title[i:]
		}
	}
	return render.Cut(text, max(width-len(number), 1)) + number
}
