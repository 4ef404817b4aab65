package tui

import (
	"fmt"
	"slices"
	"strings"

	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/internal/styled"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// submit takes what was typed: a command of bough, of the shell, or words for the
// model.
func (a *app) submit(how protocol.Behavior) {
	text, images := a.editor.says()
	words := strings.TrimSpace(text)
	if words == "" && len(images) == 0 {
		return
	}
	switch {
	case a.purpose != nil:
		p := a.purpose
		if len(images) > 0 {
			a.flash("words only here; an image has no place")
			return
		}
		a.sent("")
		p.do(words)
	case strings.HasPrefix(words, "!") && len(images) == 0:
		if a.runShell(words) {
			a.sent(text)
		}
	case strings.HasPrefix(words, "/") && len(images) == 0:
		a.command(words, text, how)
	default:
		a.sent(text)
		a.prompt(protocol.Prompt{Text: words, Images: images, WhenBusy: how})
	}
}

// sent clears the editor and remembers what was in it.
func (a *app) sent(text string) {
	a.editor.remember(text)
	if words := strings.TrimSpace(text); words != "" && a.o.Remember != nil {
		a.beside(func() func() {
			err := a.o.Remember(words)
			return func() { a.problem(err) }
		})
	}
	history, ring := a.editor.history, a.editor.ring
	a.editor = editor{history: history, ring: ring, goal: -1, lang: a.o.Lang}
	a.complete, a.args, a.purpose = nil, arguments{}, nil
	a.look.follow()
}

// prompt says something to the model. What is refused comes back into the editor.
func (a *app) prompt(p protocol.Prompt) {
	a.summing = nil
	if p.WhenBusy == "" {
		p.WhenBusy = protocol.AsFollowUp
	}
	p.Kept = true
	call(a, p, func(_ protocol.Disposition, err error) {
		if err == nil {
			return
		}
		a.problem(err)
		if protocol.CodeOf(err) != protocol.Delivered {
			a.giveBack(p)
		}
	})
}

// giveBack brings a message back that was not said, in front of what was typed since.
func (a *app) giveBack(p protocol.Prompt) {
	text, images := a.editor.says()
	if strings.TrimSpace(text) != "" {
		text = p.Text + "\n\n" + text
	} else {
		text = p.Text
	}
	a.editor.set(text)
	for _, b := range append(slices.Clone(p.Images), images...) {
		a.editor.attachImage(b)
	}
}

// shell is a command of the user that is running.
type shell struct {
	id      string
	command string
	clean   render.Cleaner
	output  string
	over    bool
}

// most is how much of a running command's output is kept for the screen.
const most = 64 << 10

// runShell runs what stands behind "!", or behind "!!" to keep it from the model. It
// returns false if it did not.
func (a *app) runShell(words string) bool {
	command, hidden := strings.CutPrefix(words[1:], "!")
	command = strings.TrimSpace(command)
	switch {
	case command == "":
		a.flash("a command of the shell stands behind the mark: !ls, or !!ls to keep it from the model")
		return false
	case a.shell != nil:
		a.flash("a command is running already; %s stops it", a.keys.name("app.interrupt"))
		return false
	}
	sh := &shell{id: session.NewSessionID(), command: command}
	a.shell = sh
	a.status.since = a.o.Now()
	call(a, protocol.Bash{ID: sh.id, Command: command, ExcludeFromContext: hidden}, func(_ protocol.BashResult, err error) {
		a.problem(err)
		sh.over = true
		if err != nil || !a.view.Running {
			a.shell = nil
		}
	})
	return true
}

func (a *app) shellOutput(e protocol.BashOutput) {
	if sh := a.shell; sh != nil && e.ID == sh.id {
		sh.output += sh.clean.Clean(e.Delta)
		if len(sh.output) > 2*most {
			sh.output = sh.output[len(sh.output)-most:]
		}
	}
}

func (a *app) shellRecorded(e protocol.Appended) {
	if e.Entry.Role == message.Bash {
		a.lookAtGit()
	}
	if a.shell != nil && a.shell.over && e.Entry.Role == message.Bash {
		a.shell = nil
	}
}

// shellRows are the newest rows of a command that is running.
func (a *app) shellRows(height int) []styled.Line {
	if a.shell == nil {
		return nil
	}
	rows := []styled.Line{nil, styled.Line{{Text: " $ " + render.OneLine(a.shell.command), Style: a.theme.accent}}.Cut(a.look.width)}
	return append(rows, a.output(a.shell.output, min(20, max(height/2, 1)), true, false)...)
}

// mostCopied is how much terminals take into their clipboard.
const mostCopied = 74 << 10

// copyAnswer copies the n-th last answer that says something.
func (a *app) copyAnswer(n int) {
	if text := a.answerText(n); text != "" {
		a.copyText(text)
		return
	}
	a.flash("there is no answer to copy")
}

// answerText is the text of the n-th last answer that says something, or "".
func (a *app) answerText(n int) string {
	for i := len(a.look.path) - 1; i >= 0; i-- {
		if i == 0 {
			k := len(a.look.path)
			if a.look.extend() {
				i += len(a.look.path) - k
			}
		}
		e := a.look.path[i]
		if e.Role != message.Assistant || render.IsSilent(e) {
			continue
		}
		body, err := e.Body()
		m, ok := body.(session.Message)
		if err != nil || !ok || m.Message.StopReason == message.Aborted {
			continue
		}
		if text := strings.TrimSpace(m.Message.Text("\n\n")); text != "" {
			if n--; n == 0 {
				return text
			}
		}
	}
	return ""
}

// copyText puts a text into the clipboard.
func (a *app) copyText(text string) {
	if a.o.Copy == nil {
		if len(text) > mostCopied {
			a.problem(fmt.Errorf("that is %s, which is more than terminals take over; /export writes it to a file", render.Bytes(int64(len(text)))))
			return
		}
		a.term.Copy(text)
		a.flash("copied: %s", render.Quote(text, 40))
		return
	}
	a.beside(func() func() {
		err := a.o.Copy(text)
		return func() { a.said(err, "copied: %s", render.Quote(text, 40)) }
	})
}
