package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/boughdev/bough/internal/markdown"
	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/internal/styled"
	"github.com/boughdev/bough/message"
)

// toolCall is a tool call as far as it is known.
type toolCall struct {
	id     string
	name   string
	args   message.Value
	result *message.Message
	live   *message.Output // while it runs
	coming bool            // the arguments are still being written
	gone   bool            // nothing runs: there will be no result
}

// toolRow draws a call and what it came to (docs/spec/frontends.md D7), by what the
// session says of it and nothing else.
func (a *app) toolRow(c toolCall, open bool) []styled.Line {
	under := a.theme.pending
	var text string
	var details message.Value
	var images []message.Block
	switch {
	case c.result != nil:
		under = a.theme.ok
		if c.result.IsError {
			under = a.theme.bad
		}
		text, details = textOf(c.result.Content), c.result.Details
		for _, b := range c.result.Content {
			if b.Type == message.ImageBlock {
				images = append(images, b)
			}
		}
	case c.live != nil:
		text, details = textOf(c.live.Content), c.live.Details
	}
	out := []styled.Line{nil}
	put := func(lines ...styled.Line) {
		for _, l := range lines {
			out = append(out, a.band(l, under))
		}
	}
	put(a.callHead(c)...)
	if open && !isOurs(c.name) {
		put(a.argRows(c)...)
	}
	failed := c.result != nil && c.result.IsError
	switch {
	case c.result == nil && c.gone:
		put(styled.Of(a.t("no result on this branch"), a.theme.dim))
		return out
	case failed:
		put(a.body(text, 10, c.name == "bash", open, a.theme.failure)...)
	case c.name == "edit" && c.result == nil:
		put(a.planned(c, open)...)
	case c.name == "edit" || c.name == "write" && details != nil:
		if diff := a.diff(details, open); diff != nil {
			put(diff...)
		} else if c.name == "write" {
			put(a.written(c, open)...)
		} else {
			put(a.body(text, 10, false, open, styled.Style{})...)
		}
	case c.name == "write":
		put(a.written(c, open)...)
	case c.name == "read":
		put(a.readBody(c, text, open)...)
	case c.name == "bash", c.name == "powershell":
		put(a.body(text, 5, true, open, styled.Style{})...)
	case c.name == "grep":
		put(a.body(text, 15, false, open, styled.Style{})...)
	case c.name == "find", c.name == "ls":
		put(a.body(text, 20, false, open, styled.Style{})...)
	default:
		put(a.body(text, 10, false, open, styled.Style{})...)
	}
	if c.result == nil && !c.coming {
		if words := a.running(c.id); words != "" {
			put(styled.Of(words, a.theme.dim))
		}
	}
	for _, b := range images {
		put(a.imageRows(b, a.look.width-2)...)
	}
	if model, ok := rawjson.GetString(details, "imageUnsupportedByModel"); ok && len(images) > 0 {
		put(styled.Of(a.t("%s cannot see images", render.OneLine(model)), a.theme.warning))
	}
	if open && c.result != nil {
		if path, ok := rawjson.GetString(details, "fullOutputPath"); ok {
			put(styled.Of(a.t("all of it: %s", render.OneLine(path)), a.theme.dim))
		}
		if ms := c.result.DurationMs; ms != nil && (*ms >= 1000 || c.name == "bash") {
			put(styled.Of(a.t("Took %s", took(time.Duration(*ms)*time.Millisecond)), a.theme.dim))
		}
	}
	return out
}

func took(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%.1fs", d.Seconds())
	}
	return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
}

func textOf(content []message.Block) string {
	var parts []string
	for _, b := range content {
		if b.Type == message.TextBlock {
			parts = append(parts, b.Text)
		}
	}
	return strings.Join(parts, "\n")
}

// callHead names the call: the tool, then what it is called with.
func (a *app) callHead(c toolCall) []styled.Line {
	name := render.OneLine(c.name)
	if name == "" {
		name = a.t("(a tool without a name)")
	}
	style := a.theme.tool
	if c.name == "bash" || c.name == "powershell" {
		command, _ := rawjson.GetString(c.args, "command")
		var l []styled.Line
		for i, line := range slices.Collect(strings.Lines(render.Clean(command))) {
			if i == 20 {
				l = append(l, styled.Of("...", a.theme.dim))
				break
			}
			front := styled.Of("  ", style)
			if i == 0 {
				front = styled.Of("$ ", style)
			}
			l = append(l, styled.Wrap(styled.Of(untabbed(strings.TrimRight(line, "\n")), style), a.look.width-2, front, styled.Of("  ", style))...)
		}
		if len(l) == 0 {
			l = []styled.Line{styled.Of("$", style)}
		}
		if t, ok := rawjson.Number(rawjson.Get(c.args, "timeout")); ok {
			l[len(l)-1] = styled.Join(l[len(l)-1], styled.Of(" "+a.t("(timeout %gs)", t), a.theme.dim))
		}
		return l
	}
	arg := argsOf(c)
	if c.coming && arg == "" {
		arg = "..."
	}
	return []styled.Line{styled.Line{{Text: name, Style: style}, {Text: " ", Style: a.theme.accent}, {Text: arg, Style: a.theme.accent.Over(styled.Style{Link: a.fileLink(c)})}}.Cut(max(a.look.width-2, 1))}
}

// body draws output: the first rows, or the last ones, and how many are hidden.
func (a *app) body(text string, most int, tail, open bool, style styled.Style) []styled.Line {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	var out []styled.Line
	for _, l := range a.output(text, most, tail, open) {
		if len(l) > 0 {
			l = l[1:] // the margin, which the band has
		}
		out = append(out, l.Styled(style))
	}
	return out
}

// output breaks a text into rows of the screen. Closed, it shows at most so many,
// from the front or the end, and looks at no more of the text than that needs.
func (a *app) output(text string, most int, tail, open bool) []styled.Line {
	width := max(a.look.width-2, 1)
	text = strings.Trim(text, "\n")
	if text == "" {
		return nil
	}
	hidden := 0
	if !open {
		text, hidden = window(text, most, tail, width)
	}
	var rows []styled.Line
	for line := range strings.SplitSeq(render.Clean(text), "\n") {
		rows = append(rows, markdown.Chop(styled.Of(untabbed(line), styled.Style{}), width, margin)...)
	}
	if cut := len(rows) - most; !open && cut > 0 {
		hidden += cut
		if tail {
			rows = rows[cut:]
		} else {
			rows = rows[:most]
		}
	}
	if hidden > 0 {
		note := styled.Of(" ... "+a.n(hidden, "%d more line", "%d more lines")+a.more(), a.theme.dim)
		if tail {
			return append([]styled.Line{note}, rows...)
		}
		rows = append(rows, note)
	}
	return rows
}

// window cuts a text to about what some rows hold; hidden are the lines left out.
func window(text string, most int, tail bool, width int) (string, int) {
	room := most * width * 4 // bytes that so many rows may have, and more
	if !tail {
		end := 0
		for range most + 1 {
			i := strings.IndexByte(text[end:], '\n')
			if i < 0 {
				end = len(text)
				break
			}
			end += i + 1
		}
		end = min(end, room)
		for end < len(text) && end > 0 && !utf8.RuneStart(text[end]) {
			end--
		}
		return strings.TrimSuffix(text[:end], "\n"), strings.Count(text[end:], "\n") + min(len(text)-end, 1)
	}
	start := len(text)
	for range most + 1 {
		i := strings.LastIndexByte(text[:max(start-1, 0)], '\n')
		if i < 0 {
			start = 0
			break
		}
		start = i + 1
	}
	start = max(start, len(text)-room)
	for start < len(text) && !utf8.RuneStart(text[start]) {
		start++
	}
	return text[start:], strings.Count(text[:start], "\n")
}

func untabbed(s string) string { return strings.ReplaceAll(s, "\t", "   ") }

// diff draws the lines that an edit has changed.
func (a *app) diff(details message.Value, open bool) []styled.Line {
	text, ok := rawjson.GetString(details, "diff")
	if !ok || strings.TrimSpace(text) == "" {
		return nil
	}
	return a.changes(text, open)
}

// written draws what write puts into a file.
func (a *app) written(c toolCall, open bool) []styled.Line {
	content, _ := rawjson.GetString(c.args, "content")
	path, _ := rawjson.GetString(c.args, "path")
	return a.listing(content, path, 10, open)
}

// readBody says how much was read; open, it is the text.
func (a *app) readBody(c toolCall, text string, open bool) []styled.Line {
	if c.result == nil || text == "" {
		return nil
	}
	if !open {
		n := strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1
		return []styled.Line{styled.Of(a.n(n, "%d line, %s", "%d lines, %s", render.Bytes(int64(len(text))))+a.more(), a.theme.dim)}
	}
	path, _ := rawjson.GetString(c.args, "path")
	return a.listing(text, path, 0, true)
}

// listing draws lines of a file.
func (a *app) listing(text, path string, most int, open bool) []styled.Line {
	width := max(a.look.width-2, 1)
	text = strings.TrimRight(text, "\n")
	if text == "" {
		return nil
	}
	hidden := 0
	if !open {
		text, hidden = window(text, most, false, width)
	}
	var rows []styled.Line
	for _, l := range markdown.Highlight(untabbed(render.Clean(text)), markdown.Language(path), a.theme.text) {
		rows = append(rows, markdown.Chop(l, width, nil)...)
	}
	if cut := len(rows) - most; !open && cut > 0 {
		rows, hidden = rows[:most], hidden+cut
	}
	if hidden > 0 {
		rows = append(rows, styled.Of("... "+a.n(hidden, "%d more line", "%d more lines")+a.more(), a.theme.dim))
	}
	return rows
}
