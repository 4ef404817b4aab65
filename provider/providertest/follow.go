package providertest

import "github.com/boughdev/bough/message"

// follower checks that the steps of an answer keep the rules of [message.Delta].
type follower struct {
	blocks []*followed
	over   bool // the stop reason has come
}

type followed struct {
	typ   message.BlockType
	text  string
	ended bool
}

var kinds = map[message.DeltaKind]message.BlockType{
	message.TextStart: message.TextBlock, message.TextDelta: message.TextBlock, message.TextEnd: message.TextBlock,
	message.ThinkingStart: message.ThinkingBlock, message.ThinkingDelta: message.ThinkingBlock, message.ThinkingEnd: message.ThinkingBlock,
	message.ToolCallStart: message.ToolCallBlock, message.ToolCallDelta: message.ToolCallBlock, message.ToolCallEnd: message.ToolCallBlock,
}

func (f *follower) step(s *suite, d message.Delta) {
	s.Helper()
	if f.over {
		s.Errorf("%s comes behind the stop reason", d.Kind)
	}
	if d.Kind == message.Info {
		f.over = d.StopReason != ""
		return
	}
	typ, known := kinds[d.Kind]
	switch d.Kind {
	case message.TextStart, message.ThinkingStart, message.ToolCallStart:
		if d.Index != len(f.blocks) {
			s.Errorf("%s at %d, want %d", d.Kind, d.Index, len(f.blocks))
		}
		if d.Kind == message.ToolCallStart && (d.ID == "" || d.Name == "") {
			s.Errorf("a call begins without id or name: %+v", d)
		}
		f.blocks = append(f.blocks, &followed{typ: typ})
		return
	}
	if !known || d.Index < 0 || d.Index >= len(f.blocks) || f.blocks[d.Index].typ != typ || f.blocks[d.Index].ended {
		s.Errorf("%s for block %d, which is not open", d.Kind, d.Index)
		return
	}
	b := f.blocks[d.Index]
	switch d.Kind {
	case message.TextDelta, message.ThinkingDelta, message.ToolCallDelta:
		b.text += d.Text
	default:
		b.ended = true
		if d.Block == nil {
			return
		}
		switch whole := d.Block; {
		case typ == message.ToolCallBlock && whole.Arguments != nil && string(whole.Arguments) != b.text,
			typ != message.ToolCallBlock && whole.Text != "" && whole.Text != b.text:
			s.Errorf("the pieces come to %q, the block is %s", b.text, whole.JSON())
		}
	}
}

// end is for an answer that has come without an error.
func (f *follower) end(s *suite) {
	s.Helper()
	if !f.over {
		s.Error("there is no stop reason")
	}
	for i, b := range f.blocks {
		if !b.ended {
			s.Errorf("block %d does not end", i)
		}
	}
}
