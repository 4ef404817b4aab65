package builtin

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
)

// Limits of what a model gets of a file or an output, whichever comes first.
const (
	maxLines = 2000
	maxBytes = 50 << 10

	noLimit = 1<<53 - 1 // of lines; the largest safe integer of pi's language
)

// truncation is what details tell of a text that was cut (J-05).
type truncation struct {
	by                      string // "lines" or "bytes"; "" if nothing was cut
	totalLines, totalBytes  int
	outputLines             int
	outputBytes             int
	lastPartial, firstBytes bool // the last line is cut; the first is over the limit
	maxLines                int
}

func (t truncation) cut() bool { return t.by != "" }

func (t truncation) json() message.Value {
	o := newObject()
	o.bool("truncated", t.cut())
	if t.cut() {
		o.str("truncatedBy", t.by)
	} else {
		o.raw("truncatedBy", message.Value("null"))
	}
	o.num("totalLines", t.totalLines)
	o.num("totalBytes", t.totalBytes)
	o.num("outputLines", t.outputLines)
	o.num("outputBytes", t.outputBytes)
	o.bool("lastLinePartial", t.lastPartial)
	o.bool("firstLineExceedsLimit", t.firstBytes)
	o.num("maxLines", t.maxLines)
	o.num("maxBytes", maxBytes)
	return o.done()
}

// head keeps whole lines of a text from its start. total is the text's whole
// number of lines and bytes, of which text has at least the first maxBytes+1.
func head(text string, totalLines, totalBytes, lines int) (string, truncation) {
	t := truncation{totalLines: totalLines, totalBytes: totalBytes, maxLines: lines}
	if totalLines <= lines && totalBytes <= maxBytes {
		t.outputLines, t.outputBytes = totalLines, totalBytes
		return text, t
	}
	end := 0 // of what is kept, without its last line end
	for at := 0; t.by == "" && at < len(text); {
		next := len(text)
		if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
			next = at + i
		}
		switch {
		case t.outputLines == lines:
			t.by = "lines"
		case next > maxBytes:
			t.by = "bytes"
			t.firstBytes = t.outputLines == 0
		default:
			end, at = next, next+1
			t.outputLines++
		}
	}
	t.outputBytes = end
	return text[:end], t
}

// headOfLines joins lines and keeps what the limit of bytes allows.
func headOfLines(lines []string) (string, truncation) {
	text := rawjson.ToValid(strings.Join(lines, "\n")) // names may be any bytes
	return head(text, len(lines), len(text), noLimit)
}

// tail keeps whole lines of a text from its end; if the last alone is over the
// limit, its end. total is the whole number of lines and bytes, of which text
// has at least the last maxBytes+2.
func tail(text string, totalLines, totalBytes int) (string, truncation) {
	t := truncation{totalLines: totalLines, totalBytes: totalBytes, maxLines: maxLines}
	if totalLines <= maxLines && totalBytes <= maxBytes {
		t.outputLines, t.outputBytes = totalLines, totalBytes
		return text, t
	}
	body := strings.TrimSuffix(text, "\n")
	start := len(body)
	for end := len(body); t.by == "" && end >= 0; {
		from := strings.LastIndexByte(body[:end], '\n') + 1
		switch {
		case t.outputLines == maxLines:
			t.by = "lines"
		case len(body)-from > maxBytes:
			t.by = "bytes"
			if t.outputLines == 0 {
				start = len(body) - maxBytes
				for start < len(body) && !utf8.RuneStart(body[start]) {
					start++
				}
				t.outputLines, t.lastPartial = 1, true
			}
		default:
			start, end = from, from-1
			t.outputLines++
		}
	}
	t.outputBytes = len(body) - start
	return body[start:], t
}

// lineCount counts lines, a final empty one not.
func lineCount(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}

// size writes a number of bytes for people.
func size(n int) string {
	switch {
	case n < 1<<10:
		return strconv.Itoa(n) + "B"
	case n < 1<<20:
		return strconv.FormatFloat(float64(n)/(1<<10), 'f', 1, 64) + "KB"
	}
	return strconv.FormatFloat(float64(n)/(1<<20), 'f', 1, 64) + "MB"
}
