package repl

import (
	"io"

	"github.com/boughdev/bough/internal/render"
)

// output writes text that is only ever added to. It knows whether a line is open
// and remembers the first error, after which it writes nothing more.
type output struct {
	out, err io.Writer
	color    bool
	width    int         // that text is broken at; 0: it is not
	hide     func() bool // what the model thinks; nil: it is shown

	speech bool // lines are to be listened to

	failed error // of out
	open   bool  // the last line has no end yet
	asking bool  // and it is a prompt
	wrote  int   // how often something was written
}

// style is a way to stand out, where there are colours.
type style string

const (
	none   style = ""
	dim    style = "\x1b[2m"
	red    style = "\x1b[31m"
	yellow style = "\x1b[33m"
)

// thinks reports whether what the model thinks is shown.
func (o *output) thinks() bool { return (o.color || o.speech) && (o.hide == nil || !o.hide()) }

func (o *output) paint(s style, text string) string {
	if !o.color || s == none || text == "" {
		return text
	}
	return string(s) + text + "\x1b[0m"
}

// print writes text, which must be clean.
func (o *output) print(s style, text string) {
	if text == "" || o.failed != nil {
		return
	}
	o.asking = false
	o.open = text[len(text)-1] != '\n'
	o.wrote++
	_, o.failed = io.WriteString(o.out, o.paint(s, text))
}

// fresh ends a line that is open.
func (o *output) fresh() {
	if o.open {
		o.print(none, "\n")
	}
}

// line writes a line of its own.
func (o *output) line(s style, text string) {
	o.fresh()
	o.print(none, o.paint(s, text)+"\n")
}

// text writes a text as lines of its own, broken between words.
func (o *output) text(s style, text string) { o.line(s, render.Wrap(text, o.width)) }

// ask writes a prompt, once.
func (o *output) ask(prompt string) {
	if o.asking {
		return
	}
	o.fresh()
	o.print(none, prompt)
	o.asking = true
}

// answered says that a person has ended the line on the terminal.
func (o *output) answered() { o.open, o.asking, o.wrote = false, false, o.wrote+1 }

// interrupted says that the terminal has shown a ctrl+c in the open line.
func (o *output) interrupted() { o.open, o.wrote = true, o.wrote+1 }

// problem writes a line to where failures go.
func (o *output) problem(text string) {
	o.fresh()
	o.wrote++
	// There is no better place to say that this failed.
	_, _ = io.WriteString(o.err, o.paint(red, render.Wrap(render.Clean(text), o.width))+"\n")
}
