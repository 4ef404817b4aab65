package repl

import (
	"maps"
	"slices"
	"strings"

	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/message"
)

// answer writes the text of an answer as it comes, but for a word that may have
// more letters. Blank lines around a block are left out. Thinking is shown where
// it can be told from the answer: on a terminal with colours.
type answer struct {
	blocks map[int]*block
	last   int // the block that was written last
}

type block struct {
	spoken  prose
	style   style
	clean   render.Cleaner
	wrap    render.Wrapper
	begun   bool
	blank   string // line feeds that are written once something follows them
	skipped bool
}

// add takes one step of the answer.
func (a *answer) add(out *output, d message.Delta) {
	switch d.Kind {
	case message.TextStart, message.ThinkingStart, message.TextDelta, message.ThinkingDelta, message.TextEnd, message.ThinkingEnd:
	default:
		return
	}
	b := a.blocks[d.Index]
	if b == nil {
		thinking := d.Kind == message.ThinkingStart || d.Kind == message.ThinkingDelta || d.Kind == message.ThinkingEnd
		b = &block{skipped: thinking && !out.thinks(), wrap: render.Wrapper{Width: out.width}}
		if thinking {
			b.style = dim
		}
		if a.blocks == nil {
			a.blocks = map[int]*block{}
		}
		a.blocks[d.Index] = b
	}
	if out.speech {
		a.speak(out, b, d)
		return
	}
	switch d.Kind {
	case message.TextDelta, message.ThinkingDelta:
		if b.begun && (a.last != d.Index || !out.open) {
			b.wrap.Fresh() // something else was written
		}
		a.write(out, d.Index, b.wrap.Wrap(b.clean.Clean(d.Text)))
	case message.TextEnd, message.ThinkingEnd:
		a.write(out, d.Index, b.wrap.Wrap(b.clean.End())+b.wrap.End())
		if a.last == d.Index && b.begun {
			out.fresh()
		}
	}
}

// rest writes what was held back.
func (a *answer) rest(out *output) {
	for _, index := range slices.Sorted(maps.Keys(a.blocks)) {
		b := a.blocks[index]
		if out.speech {
			b.say(out, b.spoken.end())
			continue
		}
		a.write(out, index, b.wrap.End())
	}
}

func (a *answer) write(out *output, index int, s string) {
	b := a.blocks[index]
	if b.skipped || s == "" {
		return
	}
	if !b.begun {
		if s = strings.TrimLeft(s, "\n"); s == "" {
			return
		}
		out.fresh()
	} else if a.last != index {
		out.fresh()
	}
	body := strings.TrimRight(s, "\n")
	if body == "" {
		b.blank += s
		return
	}
	out.print(b.style, b.blank+body)
	b.blank = s[len(body):]
	b.begun, a.last = true, index
}

// resume writes an answer that has come a part of the way already.
func (a *answer) resume(out *output, m *message.Message) {
	*a = answer{}
	if m == nil {
		return
	}
	for i, b := range m.Content {
		switch b.Type {
		case message.TextBlock:
			a.add(out, message.Delta{Kind: message.TextDelta, Index: i, Text: b.Text})
		case message.ThinkingBlock:
			a.add(out, message.Delta{Kind: message.ThinkingDelta, Index: i, Text: b.Text})
		}
	}
}
