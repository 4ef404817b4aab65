package render

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/boughdev/bough/internal/styled"
	"github.com/boughdev/bough/session"
)

// Title is how a session is called in a list, on one line: its name, or else its
// first message. Of a message that begins with a file it is the file's name and what
// stands behind (docs/spec/frontends.md D13-04).
func Title(s session.Summary) string {
	title := OneLine(s.Name)
	if title == "" {
		title = OneLine(withoutSkill(withoutFiles(s.FirstMessage)))
	}
	if title == "" {
		return "(no messages)"
	}
	return title
}

// Titles are those of sessions in a list. Of several that are called the same all
// but the oldest get a number, so that what one has stays as others come.
func Titles(list []session.Summary) []string {
	titles := make([]string, len(list))
	same := map[string][]int{}
	for i, s := range list {
		titles[i] = Title(s)
		same[titles[i]] = append(same[titles[i]], i)
	}
	for title, at := range same {
		slices.SortFunc(at, func(a, b int) int { return cmp.Or(list[a].Created.Compare(list[b].Created), b-a) }) // lists begin with the newest
		for n, i := range at[1:] {
			titles[i] = title + " (" + strconv.Itoa(n+2) + ")"
		}
	}
	return titles
}

// withoutFiles writes @NAME for file elements at the beginning of a message, of which
// the end may be cut off.
func withoutFiles(text string) string {
	var names []string
	for {
		rest, ok := strings.CutPrefix(strings.TrimSpace(text), `<file name="`)
		if !ok {
			break
		}
		name, rest, ok := strings.Cut(rest, `">`)
		if !ok {
			break
		}
		names = append(names, "@"+path.Base(strings.ReplaceAll(name, `\`, "/")))
		if _, text, ok = strings.Cut(rest, "</file>"); !ok {
			text = ""
		}
	}
	if len(names) == 0 {
		return text
	}
	return strings.Join(names, " ") + " " + text
}

// withoutSkill writes /skill:NAME for a skill at the beginning of a message, of which
// the end may be cut off.
func withoutSkill(text string) string {
	rest, ok := strings.CutPrefix(text, `<skill name="`)
	if !ok {
		return text
	}
	name, rest, ok := strings.Cut(rest, `" location="`)
	if !ok {
		return text
	}
	_, rest, _ = strings.Cut(rest, "\n</skill>")
	return strings.TrimSpace("/skill:" + name + " " + strings.TrimSpace(rest))
}

// Bytes writes a size: 512 B, 12 kB, 3.4 MB.
func Bytes(n int64) string {
	f, unit := float64(n), "B"
	for _, next := range []string{"kB", "MB", "GB", "TB"} {
		if f < 999.5 {
			break
		}
		f, unit = f/1000, next
	}
	if f < 9.95 && unit != "B" {
		return strconv.FormatFloat(f, 'f', 1, 64) + " " + unit
	}
	return strconv.FormatFloat(f, 'f', 0, 64) + " " + unit
}

// CutLeft returns a line that takes at most width columns; what was cut off in front
// shows as dots. It is for paths, whose ends tell most.
func CutLeft(s string, width int) string {
	if styled.Width(s) <= width {
		return s
	}
	for i := range s {
		if w := styled.Width(s[i:]); w <= width-3 {
			return "..." + s[i:]
		}
	}
	return Cut(s, width)
}

// ThreadBars draws where a session of a list hangs on the ones above it.
func ThreadBars(threads []session.Thread, i int, ascii bool) string {
	bar, tee, end := "│  ", "├─ ", "└─ "
	if ascii {
		bar, tee, end = "|  ", "|- ", "'- "
	}
	t := threads[i]
	const most = 8 // levels that are drawn
	depth := min(t.Depth, most)
	if depth == 0 {
		return ""
	}
	parts := make([]string, depth)
	parts[depth-1] = tee
	if t.Last {
		parts[depth-1] = end
	}
	// Above, a bar goes on where the one that we hang on is not the last.
	for d, k := t.Depth-1, i-1; d > 0 && k >= 0; k-- {
		if threads[k].Depth == d {
			if d <= depth-1 {
				if parts[d-1] = bar; threads[k].Last {
					parts[d-1] = "   "
				}
			}
			d--
		}
	}
	for d := range depth {
		if parts[d] == "" {
			parts[d] = "   "
		}
	}
	return strings.Join(parts, "")
}
