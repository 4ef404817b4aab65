package repl

import (
	"fmt"
	"strings"

	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/internal/styled"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
)

// calls writes one line for each tool call, in the order of the calls: its
// beginning when those before it are over, the rest when it is over itself.
type calls struct{ list []*toolCall }

type toolCall struct {
	id    string
	name  string // "[read main.go]"
	begun bool
	wrote int // as output had it when the beginning stood there
	over  bool
	came  string // what it came to, if that is worth a word
	bad   bool
}

func (c *calls) started(out *output, e protocol.ToolStarted, width int) {
	name := render.Cut(render.CallLine(e.Tool, message.Value(e.Args)), width-2)
	if !out.speech {
		name = "[" + name + "]"
	}
	c.list = append(c.list, &toolCall{id: e.CallID, name: name})
	c.show(out)
}

func (c *calls) ended(out *output, e protocol.ToolEnded, width int) {
	for _, t := range c.list {
		if t.id != e.CallID || t.over {
			continue
		}
		t.over, t.bad = true, e.Output.IsError
		if out.speech {
			t.name = spokenCall(t.name, e)
			break
		}
		if t.bad {
			t.came = " error: " + render.Cut(reason(e.Tool, e.Output), max(width-9-styled.Width(t.name), 40))
		} else if added, removed, ok := render.DiffCount(e.Output.Details); ok {
			t.came = fmt.Sprintf(" +%d -%d", added, removed)
		}
		break
	}
	c.show(out)
}

// show writes what can be written by now.
func (c *calls) show(out *output) {
	for len(c.list) > 0 {
		t := c.list[0]
		if out.speech {
			if !t.over {
				return
			}
			out.line(none, t.name)
			c.list = c.list[1:]
			continue
		}
		if !t.begun {
			out.fresh()
			out.print(none, t.name)
			t.begun, t.wrote = true, out.wrote
		}
		if !t.over {
			return
		}
		s := none
		if t.bad {
			s = red
		}
		switch {
		case out.wrote == t.wrote: // the line still stands open
			out.print(none, out.paint(s, t.came)+"\n")
		case t.came != "":
			out.line(none, t.name+out.paint(s, t.came))
		}
		c.list = c.list[1:]
	}
}

// end is called when no call can be running any more.
func (c *calls) end(out *output) {
	for _, t := range c.list {
		if out.speech && !t.over {
			t.name = "tool " + t.name + ", stopped"
		}
		t.over = true
	}
	c.show(out)
}

// reason is the line of a failed call's output that says why: a command says it
// last, everything else first.
func reason(tool string, o message.Output) string {
	var first, last string
	for _, b := range o.Content {
		if b.Type != message.TextBlock {
			continue
		}
		for line := range strings.Lines(b.Text) {
			if line = render.OneLine(line); line == "" {
				continue
			}
			if first == "" {
				first = line
			}
			last = line
		}
	}
	if tool == "bash" || tool == "powershell" {
		return last
	}
	return first
}
