package render

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/boughdev/bough/internal/compaction"
	"github.com/boughdev/bough/internal/lang"
	"github.com/boughdev/bough/internal/styled"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
)

// Seen is how a model sees an entry.
type Seen string

// The ways to see an entry.
const (
	AsItIs   Seen = "seen"
	Replaced Seen = "replaced" // with other words
	LeftOut  Seen = "hidden"
)

// ContextRow is one entry of what a model sees, or would see without an edit.
type ContextRow struct {
	Entry  *session.Entry
	Index  int   // in the chain; -1 if it has no number there
	Tokens int64 // that the model sees, at a guess
	Was    int64 // that it would see without an edit
	Seen   Seen

	Preview
}

// ContextList is what a model sees at a place, measured by [message.Estimate].
type ContextList struct {
	Rows   []ContextRow
	Tokens int64 // of all rows

	// Folded is how many entries compactions stand for, and Gain how many tokens that
	// saves.
	Folded int
	Gain   int64

	Use compaction.Use

	in lang.Language
}

// ContextOf lists what a model sees at a leaf.
func ContextOf(in lang.Language, t *session.Tree, leaf session.ID) (ContextList, error) {
	l := ContextList{in: in}
	p, err := new(session.Projector).Context(t, leaf)
	if err != nil {
		return l, err
	}
	l.Use = compaction.UseOf(t, leaf, p)
	index := map[session.ID]int{}
	n := -1
	inside := make(map[session.ID]bool, len(p.Entries))
	for _, e := range p.Entries {
		inside[e.ID] = true
	}
	for _, e := range t.Path(leaf) {
		if Counted(t, e) {
			n++
			if !inside[e.ID] && e.Role != message.System {
				l.Folded++
			}
			index[e.ID] = n
		} else {
			index[e.ID] = -1
		}
	}
	replaced := map[session.ID]bool{}
	for _, e := range p.Entries {
		if e.Type != session.TypeContextEdit {
			continue
		}
		body, err := e.Body()
		if err != nil {
			return l, err
		}
		if edit, ok := body.(session.ContextEdit); ok {
			replaced[edit.Target] = !edit.Omit && !Restores(t, edit)
		}
	}
	previews := NewPreviews(t).In(in)
	items := p.Items
	for _, e := range p.Entries {
		row := ContextRow{Entry: e, Index: index[e.ID], Seen: AsItIs}
		if p.Hidden[e] || replaced[e.ID] {
			m, ok, err := own(e)
			if err != nil {
				return l, err
			}
			if ok {
				row.Was = message.Estimate(m)
			}
		}
		if p.Hidden[e] {
			row.Seen, row.Preview = LeftOut, previews.Of(e)
			l.Rows = append(l.Rows, row)
			continue
		}
		for len(items) > 0 && items[0].Entry == e {
			m := items[0].Message
			items = items[1:]
			row.Tokens, row.Preview = message.Estimate(m), previews.Of(e)
			switch {
			case replaced[e.ID]:
				row.Seen = Replaced
				row.Text = OneLine(m.Text(" "))
			case m.Role == message.System && e.Type == session.TypeCompaction:
				row.Index, row.Preview = -1, Preview{Who: "system", Text: in.T("%s and %s, as they were", in.N(len(m.Sections), "%d section", "%d sections"), in.N(len(m.ToolsAdded), "%d tool", "%d tools"))}
			}
			if row.Seen != Replaced {
				row.Was = row.Tokens
			}
			l.Tokens += row.Tokens
			l.Rows = append(l.Rows, row)
			row.Index = index[e.ID]
		}
	}
	return l, l.gain(t, leaf, p)
}

// own is the message of an entry without edits.
func own(e *session.Entry) (message.Message, bool, error) {
	p, err := session.Project([]*session.Entry{e})
	if err != nil || len(p.Items) == 0 {
		return message.Message{}, false, err
	}
	return p.Items[len(p.Items)-1].Message, true, nil
}

// gain finds out what the compactions save: what the context was before each, without
// what of that was there still.
func (l *ContextList) gain(t *session.Tree, leaf session.ID, p session.Projection) error {
	if len(p.Entries) == 0 || p.Entries[0].Type != session.TypeCompaction {
		return nil
	}
	head := p.Entries[0]
	earlier := new(session.Projector)
	for _, e := range t.Path(leaf) {
		if e.Type != session.TypeCompaction {
			continue
		}
		body, err := e.Body()
		if err != nil {
			return err
		}
		c, ok := body.(session.Compaction)
		if !ok {
			continue
		}
		left := int64(0)
		if e == head {
			for _, row := range l.Rows {
				if !row.Entry.Time.After(head.Time) {
					left += row.Tokens
				}
			}
		} else {
			then, err := earlier.Context(t, e.ID)
			if err != nil {
				return err
			}
			left = compaction.EstimateOf(then.Items)
		}
		l.Gain += max(c.TokensBefore-left, 0)
	}
	return nil
}

// Lines writes the list for people, and its sums. window is the model's in tokens, 0
// if unknown.
func (l *ContextList) Lines(width int, window int64) []string {
	in := l.in
	if width <= 0 {
		width = 79
	}
	var out []string
	if l.Folded > 0 {
		out = append(out, in.N(l.Folded, "(%d earlier entry is compacted: %s tokens saved)", "(%d earlier entries are compacted: %s tokens saved)", Count(l.Gain)))
	}
	digits := 1
	for i := range l.Rows {
		digits = max(digits, len(strconv.Itoa(max(l.Rows[i].Index, 0))))
	}
	hidden, replaced, saved, gained := 0, 0, int64(0), int64(0)
	for i := range l.Rows {
		r := &l.Rows[i]
		mark := ""
		switch r.Seen {
		case LeftOut:
			hidden, saved = hidden+1, saved+r.Was
			mark = in.T("(hidden: %s saved)", Count(r.Was))
		case Replaced:
			replaced, gained = replaced+1, gained+r.Was-r.Tokens
			mark = in.T("(replaced, was %s)", Count(r.Was))
		}
		number := ""
		if r.Index >= 0 {
			number = fmt.Sprintf("[%d]", r.Index)
		}
		head := fmt.Sprintf("%s %s %6s %4s  ", Pad(number, digits+2), Pad(in.T(r.Who), 10), Count(r.Tokens), share(r.Tokens, l.Tokens))
		text := r.Text
		if r.Calls != "" {
			text = strings.TrimSpace(text + " -> " + r.Calls)
		}
		if mark != "" {
			mark = "  " + mark
		}
		out = append(out, strings.TrimRight(head+Cut(text, max(width-styled.Width(head)-styled.Width(mark), 12))+mark, " "))
	}
	about := in.T("about %s tokens", Count(l.Tokens))
	if l.Tokens == 1 {
		about = in.T("about 1 token")
	}
	sum := in.N(len(l.Rows)-hidden, "%d message, %s", "%d messages, %s", about)
	total := l.Tokens
	if l.Use.Told > 0 {
		total = l.Use.Tokens()
		sum += in.T("; as the model counts: %s", Count(total))
	}
	if window > 0 {
		sum += in.T(", %.1f%% of its window of %s", 100*float64(total)/float64(window), Count(window))
	}
	out = append(out, sum+in.T("."))
	var saves []string
	if hidden > 0 {
		saves = append(saves, in.T("%d hidden saves %s", hidden, Count(saved)))
	}
	if replaced > 0 {
		words := "%d replaced saves %s"
		if gained < 0 {
			words, gained = "%d replaced adds %s", -gained
		}
		saves = append(saves, in.T(words, replaced, Count(gained)))
	}
	if l.Folded > 0 {
		saves = append(saves, in.T("%d compacted saves %s", l.Folded, Count(l.Gain)))
	}
	if len(saves) > 0 {
		out = append(out, strings.Join(saves, "; ")+in.T("."))
	}
	return out
}

func share(n, of int64) string {
	if of <= 0 {
		return ""
	}
	return fmt.Sprintf("%d%%", (100*n+of/2)/of)
}
