package tui

import (
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/boughdev/bough/internal/markdown"
	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/internal/styled"
	"github.com/boughdev/bough/message"
)

// What a call is called with, beyond what render.CallArg says of it in a line.

// mostArgs is how many characters of the arguments of an unknown tool stand in its
// head.
const mostArgs = 100

// argsOf are the arguments of a call as they stand in its head.
func argsOf(c toolCall) string {
	switch c.name {
	case "read", "write", "edit", "find", "ls":
		return render.CallArg(c.name, c.args)
	case "grep":
		s := render.CallArg(c.name, c.args)
		if g, ok := rawjson.GetString(c.args, "glob"); ok && g != "" {
			s += " (" + g + ")"
		}
		if n, ok := rawjson.Number(rawjson.Get(c.args, "limit")); ok {
			s += " limit " + strconv.FormatFloat(n, 'g', -1, 64)
		}
		return render.OneLine(s)
	}
	fields := fieldsOf(c.args)
	if fields == nil {
		return render.CallArg(c.name, c.args)
	}
	var parts []string
	for _, f := range fields {
		parts = append(parts, f[0]+"="+f[1])
	}
	return render.Cut(render.OneLine(strings.Join(parts, " ")), mostArgs)
}

// fieldsOf are the names and values of an object, strings as what they say; nil if
// it is none, or damaged.
func fieldsOf(v message.Value) (out [][2]string) {
	if rawjson.Kind(v) != '{' {
		return nil
	}
	for name, value := range rawjson.Members(v) {
		text, ok := rawjson.String(value)
		if !ok {
			text = string(value)
		}
		out = append(out, [2]string{name, text})
	}
	return out
}

// argRows are the arguments of an unknown tool, one a line.
func (a *app) argRows(c toolCall) []styled.Line {
	var rows []styled.Line
	for _, f := range fieldsOf(c.args) {
		text, _ := window(f[1], 20, false, a.look.width)
		l := styled.Line{{Text: render.OneLine(f[0]) + "=", Style: a.theme.dim}, {Text: untabbed(strings.ReplaceAll(render.Clean(text), "\n", " "))}}
		rows = append(rows, styled.Wrap(l, max(a.look.width-2, 1), nil, styled.Of("  ", styled.Style{}))...)
	}
	return rows
}

// isOurs reports whether a tool has a head of its own.
func isOurs(name string) bool {
	switch name {
	case "bash", "powershell", "read", "write", "edit", "grep", "find", "ls":
		return true
	}
	return false
}

// planned is what an edit will change, as far as its arguments say.
func (a *app) planned(c toolCall, open bool) []styled.Line {
	var b strings.Builder
	add := func(edit message.Value) {
		for _, part := range [][3]string{{"-", "oldText", "old_string"}, {"+", "newText", "new_string"}} {
			text, ok := rawjson.GetString(edit, part[1])
			if !ok {
				text, _ = rawjson.GetString(edit, part[2])
			}
			for line := range strings.Lines(text) {
				b.WriteString(part[0] + strings.TrimRight(line, "\n") + "\n")
			}
		}
	}
	add(c.args)
	if edits := rawjson.Get(c.args, "edits"); rawjson.Kind(edits) == '[' {
		for e := range rawjson.Elements(edits) {
			add(e)
		}
	}
	return a.changes(b.String(), open)
}

// changes draws lines that were taken away and added. Where one line took the place
// of one other, what differs in them stands out.
func (a *app) changes(text string, open bool) []styled.Line {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	var rows []styled.Line
	width := max(a.look.width-2, 1)
	lines := strings.Split(render.Clean(strings.Trim(text, "\n")), "\n")
	sign := func(i int) byte {
		if i < 0 || i >= len(lines) || lines[i] == "" {
			return 0
		}
		return lines[i][0]
	}
	for i, line := range lines {
		style := a.theme.dim
		other := -1
		switch sign(i) {
		case '+':
			style = a.theme.text.Added
			if sign(i-1) == '-' && sign(i-2) != '-' && sign(i+1) != '+' {
				other = i - 1
			}
		case '-':
			style = a.theme.text.Removed
			if sign(i+1) == '+' && sign(i+2) != '+' && sign(i-1) != '-' {
				other = i + 1
			}
		}
		l := styled.Of(untabbed(line), style)
		if other >= 0 {
			l = differing(untabbed(line), untabbed(lines[other]), style)
		}
		rows = append(rows, markdown.Chop(l, width, nil)...)
		if len(rows) > 60 && !open {
			return append(rows[:60], styled.Of("..."+a.more(), a.theme.dim))
		}
	}
	return rows
}

// mostCompared is how long lines are, in bytes, that are looked at for what differs.
const mostCompared = 2000

// differing marks what a changed line does not share with the other, unless they
// share next to nothing. Both begin with a sign.
func differing(line, other string, style styled.Style) styled.Line {
	if len(line) > mostCompared || len(other) > mostCompared {
		return styled.Of(line, style)
	}
	front := 1
	for at, g := range styled.Clusters(line[1:]) {
		if !strings.HasPrefix(other[1+at:], g) {
			break
		}
		front = 1 + at + len(g)
	}
	end := 0
	for end < min(len(line), len(other))-front && line[len(line)-1-end] == other[len(other)-1-end] {
		end++
	}
	for end > 0 && !isStart(line, len(line)-end) {
		end--
	}
	middle := line[front : len(line)-end]
	if strings.TrimSpace(line[1:front]+line[len(line)-end:]) == "" || middle == "" {
		return styled.Of(line, style)
	}
	marked := style
	marked.Attr |= styled.Reverse
	return styled.Line{{Text: line[:front], Style: style}, {Text: middle, Style: marked}, {Text: line[len(line)-end:], Style: style}}
}

// isStart reports whether a character begins at a byte of a text.
func isStart(s string, at int) bool {
	if at >= len(s) {
		return true
	}
	for i := range styled.Clusters(s) {
		if i >= at {
			return i == at
		}
	}
	return false
}

// fileLink is where a click on the path of a call leads, where the terminal has links.
func (a *app) fileLink(c toolCall) string {
	path, ok := rawjson.GetString(c.args, "path")
	if !a.o.Links || !ok || path == "" || len(path) > 1000 {
		return ""
	}
	switch c.name {
	case "read", "write", "edit", "ls":
	default:
		return ""
	}
	if !filepath.IsAbs(path) {
		if !filepath.IsAbs(a.view.Header.CWD) {
			return ""
		}
		path = filepath.Join(a.view.Header.CWD, path)
	}
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()
}

// running is how long a call has been running, once that is worth a word.
func (a *app) running(id string) string {
	since, ok := a.status.started[id]
	if !ok {
		return ""
	}
	if d := a.o.Now().Sub(since); d >= 2*time.Second {
		return a.t("Elapsed %s", elapsed(d))
	}
	return ""
}
