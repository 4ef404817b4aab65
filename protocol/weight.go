package protocol

import "github.com/boughdev/bough/message"

// Weight is how many bytes an event has, about: what those go by who hold events
// for a reader that may never come. The tree of Opened, which is shared, is not
// counted.
func Weight(ev Event) int {
	const least = 256
	switch e := ev.(type) {
	case Appended:
		return least + e.Entry.Line.Size
	case State:
		n := least
		if e.Answer != nil {
			n += len(e.Answer.JSON())
		}
		for _, t := range e.Tools {
			n += Weight(t)
		}
		return n
	case AnswerStarted:
		return least + len(e.Message.JSON())
	case Delta:
		if e.Block != nil {
			return least + len(e.Text) + len(e.Block.Text) + len(e.Block.Arguments)
		}
		return least + len(e.Text)
	case TurnEnded:
		return least + len(e.Answer.JSON()) + weightOf(e.Results)
	case LoopEnded:
		return least + weightOf(e.Messages)
	case ToolStarted:
		return least + len(e.Args)
	case ToolProgress:
		return least + len(e.Args) + weightOfOutput(e.Output)
	case ToolEnded:
		return least + weightOfOutput(e.Output)
	case BashOutput:
		return least + len(e.Delta)
	case QueueChanged:
		n := least
		for _, it := range e.Items {
			n += least + 2*len(it.Text)
		}
		return n
	case Notice:
		return least + len(e.Text)
	case Asked:
		if e.About != nil {
			return least + len(e.Text) + len(e.About.Args) + len(e.About.Command) + len(e.About.Diff)
		}
		return least + len(e.Text)
	case CompactionEnded:
		if e.Result != nil {
			return least + len(e.Result.Summary)
		}
	}
	return least
}

func weightOf(list []message.Message) (n int) {
	for _, m := range list {
		n += len(m.JSON())
	}
	return n
}

func weightOfOutput(o message.Output) (n int) {
	for _, b := range o.Content {
		n += len(b.Text) + len(b.Data)
	}
	return n + len(o.Details)
}
