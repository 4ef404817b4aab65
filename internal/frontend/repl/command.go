package repl

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/boughdev/bough/internal/frontend/slash"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/protocol"
)

// say writes a line that answers a command.
func (r *repl) say(format string, args ...any) {
	r.out.text(none, render.Clean(fmt.Sprintf(format, args...)))
}

// note writes a line beside what was asked for.
func (r *repl) note(format string, args ...any) {
	r.out.text(dim, render.Clean(fmt.Sprintf(format, args...)))
}

// sentence makes a sentence of an error.
func sentence(err error) string {
	s := render.OneLine(err.Error())
	first, n := utf8.DecodeRuneInString(s)
	return stopped(string(unicode.ToUpper(first)) + s[n:])
}

// command carries out a line that begins with a slash, or says it to the model
// if that is what it is for. An error ends the conversation.
func (r *repl) command(words string) error {
	c, ok, err := slash.Parse(words, r.others()...)
	switch {
	case err != nil:
		r.say("%s", sentence(err))
		return nil
	case !ok:
		r.prompt(protocol.Prompt{Text: words})
		return nil
	case c.Later:
		r.say("/%s comes with a later version of bough.", c.Name)
		return nil
	case r.out.speech && r.o.Questions[c.Name] != nil && !r.working():
		r.numbered(c.Name)
		return nil
	case c.Where&slash.REPL == 0:
		if where := elsewhere[c.Name]; where != "" {
			r.say("/%s needs the terminal UI. Here: %s", c.Name, where)
			return nil
		}
		r.say("/%s is not for the REPL.", c.Name)
		return nil
	case !c.Busy && r.working():
		r.say("Stop the answer first (ctrl+c), then /%s.", c.Name)
		return nil
	}
	return r.dispatch(c)
}

// dispatch is the table of what the commands do.
func (r *repl) dispatch(c slash.Command) error {
	switch c.Name {
	case "help":
		r.help(c.Rest)
	case "quit":
		r.quit = true
	case "detach":
		r.detach()
	case "history":
		return r.history(c)
	case "show":
		return r.show(c)
	case "queue":
		return r.queue(c.Rest)
	case "tree":
		return r.tree(c)
	case "branch":
		return r.branch(c)
	case "goto":
		return r.goTo(c)
	case "edit":
		return r.edit(c)
	case "retry":
		return r.retry()
	case "back":
		return r.back()
	case "forward":
		return r.forward()
	case "summarize":
		r.summarize(c.Rest)
	case "compact":
		return r.compact(c.Rest)
	case "uncompact":
		return r.uncompact()
	case "summary":
		return r.showSummary(c)
	case "take":
		return r.take(c)
	case "label":
		return r.label(c.Rest)
	case "hide":
		return r.hide(c.Rest)
	case "unhide":
		return r.unhide(c.Rest)
	case "name":
		return r.name(c.Rest)
	case "new":
		return r.newSession(c.Rest)
	case "resume":
		return r.resume(c.Rest)
	case "fork":
		return r.fork(c)
	case "clone":
		return r.clone(c.Rest)
	case "cost":
		return r.cost(c.Rest)
	case "context":
		return r.context(c)
	case "replace":
		return r.replace(c)
	case "session":
		return r.session()
	case "export":
		r.export(c)
	case "model":
		return r.model(c.Rest)
	case "permissions":
		return r.permissions(c.Rest)
	case "thinking":
		return r.thinking(c.Rest)
	case "settings":
		return r.settings(c.Rest)
	case "copy":
		r.copy(c.Rest)
	case "tools":
		return r.tools(c.Rest)
	case "prompt":
		return r.systemPrompt(c.Rest)
	case "mcp":
		return r.servers(c.Rest)
	case "bug":
		for _, line := range slash.Bug() {
			r.say("%s", line)
		}
	case "reload":
		return r.reload()
	}
	return nil
}

// help lists what can be typed, or says more of one command.
func (r *repl) help(topic string) {
	if topic = strings.TrimPrefix(strings.TrimSpace(topic), "/"); topic != "" {
		s, ok := slash.Find(topic)
		if !ok {
			r.say("There is no command /%s; /help lists them.", topic)
			return
		}
		r.say("%s", s.Usage())
		r.say("  %s", s.Help)
		if s.More != "" {
			r.say("  %s", s.More)
		}
		if s.Later {
			r.say("  It comes with a later version of bough.")
		}
		return
	}
	const column = 23
	table := render.Wrapper{Width: r.out.width, Hang: column}
	row := func(left, right string) {
		if r.out.speech {
			r.out.line(none, left+": "+right)
			return
		}
		r.out.line(none, table.Wrap(render.Pad(left, column)+right)+table.End())
		table.Wrap("\n")
	}
	for _, s := range slash.All() {
		if s.Where&slash.REPL != 0 && !s.Later {
			row(s.Usage(), s.Help)
		}
	}
	for _, o := range r.templates() {
		row(strings.TrimSpace("/"+o.Command+" "+o.ArgHint), render.OneLine(o.Description))
	}
	for _, l := range [][2]string{
		{"!command", "run a command of the shell; the model sees it with your next message"},
		{"!!command", "the same, kept from the model"},
		{`"""`, "alone on a line: begins and ends a message of several lines"},
		{`\`, "at the end of a line: the message goes on in the next"},
	} {
		row(l[0], l[1])
	}
	r.say("An entry is a number of /history, a #number of /tree, an id or a label. /help COMMAND says more.")
}
