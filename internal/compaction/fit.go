package compaction

import (
	"fmt"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
)

// Limits say how large a context may become, in tokens.
type Limits struct {
	Window  int64 // of the model; 0: nobody knows
	Reserve int64 // of the window, that is left for the answer
	Keep    int64 // of the end of the conversation, that is not summed up
}

// Within returns limits that the window has room for: settings that are made for
// large windows would leave nothing of a small one.
func (l Limits) Within() Limits {
	if l.Window <= 0 {
		return l
	}
	if l.Reserve > l.Window/2 {
		l.Reserve = l.Window / 4
	}
	l.Keep = min(l.Keep, l.most()/2)
	return l
}

func (l Limits) most() int64 { return l.Window - l.Reserve }

// Exceeded reports whether a context is too large. Of a window that nobody knows
// none is.
func (l Limits) Exceeded(tokens int64) bool { return l.Window > 0 && tokens > l.most() }

// target is what a context should come down to, so that the next compaction is
// not due soon.
func (l Limits) target() int64 { return l.most() * 3 / 4 }

// A Trim is a message that is too large for any window that is left: the model is
// to see its two ends. Content is that of the context edit.
type Trim struct {
	Entry   session.ID
	Content message.Value
	Left    int64 // tokens that the model does not see any more, about
}

// Fit plans a compaction after which the context is within the limits. It keeps
// less of the end than Keep where it must, and where even that is not enough it
// shortens messages. overflowed says that the context was refused as too long,
// whatever the estimates say. The plan is nil if there is nothing to sum up.
func (c *Context) Fit(l Limits, overflowed bool) (*Plan, []Trim, error) {
	l = l.Within()
	scale := c.scale(l, overflowed)
	if l.Window <= 0 {
		if !overflowed {
			p, err := c.Plan(Options{KeepRecent: l.Keep, Sound: true})
			return p, nil, err
		}
		l.Window = c.estimated() // that was too much; a quarter less may do
		l.Reserve, l.Keep = l.Window/4, min(l.Keep, l.Window/4)
	}
	must := overflowed || l.Exceeded(c.Tokens)
	target := int64(float64(l.target()) / scale)
	var plan *Plan
	for keep := l.Keep; ; keep /= 2 {
		p, err := c.Plan(Options{KeepRecent: keep, Sound: true})
		if err != nil {
			return nil, nil, err
		}
		if p != nil {
			plan = p
		}
		if !must || p != nil && c.after(p) <= target {
			return p, nil, nil
		}
		if keep == 0 {
			return plan, c.trims(plan, target), nil
		}
	}
}

// scale is how much larger than the estimates a context really is: they are made
// for English, and other scripts take several times as much.
func (c *Context) scale(l Limits, overflowed bool) float64 {
	estimated := float64(max(c.estimated(), 1))
	real := float64(c.Tokens)
	if overflowed {
		real = max(real, float64(l.Window))
	}
	return min(max(real/estimated, 1), 4)
}

// estimated is the size of the context as estimates have it.
func (c *Context) estimated() int64 {
	sum, _ := c.sizes(0)
	return sum
}

// sizes returns the estimated size of the context from entry i on, the system
// messages of all of it included, and that of those.
func (c *Context) sizes(i int) (all, sys int64) {
	var system []message.Message
	for k, it := range c.p.Items {
		switch {
		case it.Message.Role == message.System:
			system = append(system, it.Message)
		case k >= c.from[i]:
			all += c.size[k]
		}
	}
	if fold, ok := message.FoldSystem(system); ok {
		sys = message.Estimate(fold)
	}
	return all + sys, sys
}

// mostSummary is what a summary takes at most, about.
const mostSummary = 3000

// after is how large the context is after a compaction, about.
func (c *Context) after(p *Plan) int64 {
	all, _ := c.sizes(p.keep)
	return all + min(mostSummary, c.estimated()/4)
}

// leastTrimmed is what a message that is shortened keeps, in tokens.
const leastTrimmed = 300

// trims shortens the largest messages of what stays to one size, so that the
// context comes down to the target, as far as that goes. A nil plan: all stays.
func (c *Context) trims(p *Plan, target int64) []Trim {
	from, excess := 0, c.estimated()-target
	if p != nil {
		from, excess = p.keep, c.after(p)-target
	}
	if excess <= 0 {
		return nil
	}
	var large []int
	for k := c.from[from]; k < len(c.p.Items); k++ {
		if c.size[k] > leastTrimmed && canTrim(c.p.Items[k]) {
			large = append(large, k)
		}
	}
	gain := func(size int64) (sum int64) {
		for _, k := range large {
			sum += max(c.size[k]-size, 0)
		}
		return sum
	}
	low, high := int64(leastTrimmed), int64(leastTrimmed) // low: small enough, if any size is
	for _, k := range large {
		high = max(high, c.size[k])
	}
	for low < high {
		if mid := (low + high + 1) / 2; gain(mid) >= excess {
			low = mid
		} else {
			high = mid - 1
		}
	}
	var trims []Trim
	for _, k := range large {
		if c.size[k] <= low {
			continue
		}
		if t, ok := trim(c.p.Items[k], c.size[k], low); ok {
			trims = append(trims, t)
		}
	}
	return trims
}

func canTrim(it session.Item) bool {
	if it.Entry.Type != session.TypeMessage && it.Entry.Type != session.TypeCustomMessage {
		return false
	}
	r := it.Message.Role
	return r == message.User || r == message.ToolResult || r == message.Custom
}

// trim leaves out the middle of a message's text, so that about so many tokens
// stay of it. Images stay.
func trim(it session.Item, size, most int64) (Trim, bool) {
	text := it.Message.Text("\n")
	units := 4 * (most - (size - (int64(len16(text))+3)/4)) // without what is no text
	hint := "The whole message is kept in the session."
	if it.Message.Role == message.ToolResult {
		hint += " Ask for the part that is needed, if it is."
	}
	room := max(int(units)-len(hint)-100, 200)
	if len16(text) <= room {
		return Trim{}, false
	}
	head, tail := firstUnits(text, room/2), lastUnits(text, room/2)
	left := len16(text[head:tail])
	short := fmt.Sprintf("%s\n\n[... %d characters were left out here, since the message is too long for the model. %s]\n\n%s", text[:head], left, hint, text[tail:])
	blocks := make([]message.Block, 0, len(it.Message.Content))
	said := false
	for _, b := range it.Message.Content {
		if b.Type != message.TextBlock {
			blocks = append(blocks, b)
		} else if !said {
			said = true
			blocks = append(blocks, message.Text(short))
		}
	}
	return Trim{Entry: it.Entry.ID, Content: message.EncodeContent(blocks), Left: int64(left+3) / 4}, true
}
