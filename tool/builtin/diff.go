package builtin

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
)

const (
	contextLines = 4  // shown around a change
	marginLines  = 32 // compared around a change

	maxShownLine = 4 << 10   // bytes of a line in the display form
	maxPatch     = 256 << 10 // bytes
)

// region is a part of an old file and the part of the new one that came in its
// place, in bytes.
type region struct {
	start, end       int
	newStart, newEnd int
}

func (r *region) shift(n int) {
	r.start, r.end, r.newStart, r.newEnd = r.start+n, r.end+n, r.newStart+n, r.newEnd+n
}

// diff is what differs between two files.
type diff struct {
	old, new string
	regions  []region // whole lines, in order, without overlaps
}

// diffFiles compares two files in the regions, which are in order. Elsewhere
// they are the same.
func diffFiles(old, new string, regions []region) diff {
	d := diff{old: old, new: new}
	for _, r := range regions {
		before, after := linesBack(old, r.start), linesForth(old, r.end)
		r.newStart, r.newEnd = r.newStart-(r.start-before), r.newEnd+(after-r.end)
		r.start, r.end = before, after
		if k := len(d.regions) - 1; k >= 0 && r.start <= d.regions[k].end {
			d.regions[k].end, d.regions[k].newEnd = r.end, r.newEnd
			continue
		}
		d.regions = append(d.regions, r)
	}
	return d
}

// linesBack returns where the line begins that is marginLines before a place.
func linesBack(s string, at int) int {
	for range marginLines + 1 {
		i := strings.LastIndexByte(s[:at], '\n')
		if i < 0 {
			return 0
		}
		at = i
	}
	return at + 1
}

// linesForth returns where the line ends that is marginLines behind a place.
func linesForth(s string, at int) int {
	for range marginLines + 1 {
		i := strings.IndexByte(s[at:], '\n')
		if i < 0 {
			return len(s)
		}
		at += i + 1
	}
	return at
}

// hunk is a change with its surroundings.
type hunk struct {
	line, newLine int // of the first step, from 1
	steps         []step
}

// hunks compares the regions by the lines that split makes and count counts.
func (d diff) hunks(split func(string) []string, count func(string) int) []hunk {
	var all []hunk
	line, newLine, at, newAt := 1, 1, 0, 0
	for _, r := range d.regions {
		line += count(d.old[at:r.start])
		newLine += count(d.new[newAt:r.newStart])
		a, b := split(d.old[r.start:r.end]), split(d.new[r.newStart:r.newEnd])
		all = append(all, hunksOf(compareLines(a, b), line, newLine)...)
		line, newLine = line+len(a), newLine+len(b)
		at, newAt = r.end, r.newEnd
	}
	return all
}

// hunksOf cuts steps, which begin at the given lines, into hunks.
func hunksOf(steps []step, line, newLine int) []hunk {
	var all []hunk
	for at := 0; ; {
		first := at
		for first < len(steps) && steps[first].sign == ' ' {
			first++
		}
		if first == len(steps) {
			return all
		}
		last := first // change of the hunk
		for i := first; i < len(steps) && i <= last+2*contextLines+1; i++ {
			if steps[i].sign != ' ' {
				last = i
			}
		}
		start, end := max(at, first-contextLines), min(len(steps), last+contextLines+1)
		h := hunk{line: line + start - at, newLine: newLine + start - at, steps: steps[start:end]}
		all = append(all, h)
		old, new := h.sizes()
		line, newLine = h.line+old, h.newLine+new
		at = end
	}
}

func (h hunk) sizes() (old, new int) {
	for _, s := range h.steps {
		if s.sign != '+' {
			old++
		}
		if s.sign != '-' {
			new++
		}
	}
	return old, new
}

// lines splits behind every line end, of whatever kind.
func lines(s string) []string { return lineEnds(lineFeeds(s)) }

// countLines counts what lines makes.
func countLines(s string) int {
	n := strings.Count(s, "\n")
	if strings.Contains(s, "\r") {
		n += strings.Count(s, "\r") - strings.Count(s, "\r\n")
	}
	if s != "" && !strings.HasSuffix(s, "\n") && !strings.HasSuffix(s, "\r") {
		n++
	}
	return n
}

// lineEnds splits behind every line feed.
func lineEnds(s string) []string {
	all := strings.SplitAfter(s, "\n")
	if all[len(all)-1] == "" {
		all = all[:len(all)-1]
	}
	return all
}

// display is the form for people (J3): a sign, the number of the line, a blank,
// the line. A line that is only in the new file has its number there, others
// that in the old.
func (d diff) display() string {
	oldLines := countLines(d.old)
	width := len(strconv.Itoa(max(oldLines, countLines(d.new))))
	var b strings.Builder
	next := 1
	skip := func(to int) {
		if to > next {
			fmt.Fprintf(&b, " %*s ...\n", width, "")
		}
	}
	for _, h := range d.hunks(lines, countLines) {
		skip(h.line)
		line, newLine := h.line, h.newLine
		for _, s := range h.steps {
			n := line
			if s.sign == '+' {
				n = newLine
				newLine++
			} else {
				line++
				if s.sign == ' ' {
					newLine++
				}
			}
			fmt.Fprintf(&b, "%c%*d %s\n", s.sign, width, n, shownLine(s.text))
		}
		next = line
	}
	skip(oldLines + 1)
	return rawjson.ToValid(strings.TrimSuffix(b.String(), "\n"))
}

func shownLine(s string) string {
	s = strings.TrimSuffix(strings.TrimPrefix(s, byteOrderMark), "\n")
	if len(s) <= maxShownLine {
		return s
	}
	return strings.ToValidUTF8(s[:maxShownLine], "") + "..."
}

// patch is the unified form, with file headers.
func (d diff) patch(name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "--- %s\n+++ %s\n", name, name)
	for _, h := range d.hunks(lineEnds, lineCount) {
		old, new := h.sizes()
		fmt.Fprintf(&b, "@@ -%s +%s @@\n", hunkRange(h.line, old), hunkRange(h.newLine, new))
		for _, s := range h.steps {
			b.WriteByte(s.sign)
			b.WriteString(s.text)
			if !strings.HasSuffix(s.text, "\n") {
				b.WriteString("\n\\ No newline at end of file\n")
			}
		}
	}
	return rawjson.ToValid(b.String())
}

func hunkRange(line, n int) string {
	switch n {
	case 0: // names the line before
		return fmt.Sprintf("%d,0", line-1)
	case 1:
		return strconv.Itoa(line)
	}
	return fmt.Sprintf("%d,%d", line, n)
}

// firstChanged returns the first line of the new file that is not as it was.
func (d diff) firstChanged() int {
	for _, h := range d.hunks(lines, countLines) {
		n := h.newLine
		for _, s := range h.steps {
			if s.sign != ' ' {
				return n
			}
			n++
		}
	}
	return 1
}

// details are those of an edit. A patch of very long lines is left out.
func (d diff) details(name string) message.Value {
	o := newObject()
	o.str("diff", d.display())
	if p := d.patch(name); len(p) <= maxPatch {
		o.str("patch", p)
	}
	o.num("firstChangedLine", d.firstChanged())
	return o.done()
}
