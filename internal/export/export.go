// Package export writes conversations to files of their own: as a session file, as
// a page that shows itself in a browser, as a page without any script, as Markdown.
//
// All formats stream: what is held in memory does not hang on the size of the
// session. The page has the lines of the session as they are, and shows them by
// its own script (page.js); so it is written as fast as the file can be copied.
package export

import (
	"io"
	"time"

	"github.com/boughdev/bough/session"
)

// Options say what of a session is written.
type Options struct {
	Leaf   session.ID // the way to this entry; "" is the whole tree
	Below  session.ID // of the whole tree only the way to this entry and what follows it
	Labels bool       // with all labels that are set, on whatever branch, in place of those on the way
	Now    time.Time  // of the header

	// Redact, if set, takes secrets out.
	Redact *Redactor

	// Progress, if set, is told from time to time how many bytes were written.
	Progress func(bytes int64)

	// Of HTML and Markdown.
	Title string     // "": name or first words of the session
	Stand session.ID // where the whole tree stands; "" is where it does when it is opened
}

// A Report says what was written.
type Report struct {
	Entries  int
	Left     int // entries on the way that cannot be read, and were left out
	Redacted []Redaction
}

// source is what is exported.
type source struct {
	header session.Header
	tree   *session.Tree
	o      Options
	report Report
}

// JSONL writes the way to an entry as a session file: a fresh header with the id of
// the session, and each entry below the one before, to the byte but for the ids that
// had to change (docs/spec/session.md 12.1). Markers of the place are left out.
// Without a leaf it is the whole tree, as its lines are.
func JSONL(w io.Writer, h session.Header, t *session.Tree, o Options) (Report, error) {
	s := &source{header: h, tree: t, o: o}
	out := &counter{w: w, tell: o.Progress}
	for line, err := range s.lines() {
		if err != nil {
			return s.report, err
		}
		line = s.o.Redact.line(line)
		if _, err := out.Write(line); err != nil {
			return s.report, err
		}
		if _, err := out.Write(newline); err != nil {
			return s.report, err
		}
	}
	s.report.Redacted = o.Redact.Report()
	return s.report, nil
}

var newline = []byte{'\n'}

// A counter tells how much was written, about every megabyte.
type counter struct {
	w          io.Writer
	tell       func(int64)
	size, told int64
}

func (c *counter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	if c.size += int64(n); c.tell != nil && c.size-c.told >= 1<<20 {
		c.told = c.size
		c.tell(c.size)
	}
	return n, err
}

func (c *counter) WriteString(s string) (int, error) { return c.Write([]byte(s)) }
