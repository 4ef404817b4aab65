package builtin

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// capture keeps the end of an output, and all of it in a file once it goes over
// the limits.
type capture struct {
	dir   string // for the file
	plain plain

	text  []byte // the end of the output
	lines int    // line ends
	bytes int
	line  int // bytes of the last line, without its end
	open  bool

	file *os.File // nil until the limits are passed, and if it cannot be written
	path string
	err  error // of the file
}

// add takes output and returns it as text, valid until the next call.
func (c *capture) add(b []byte) []byte {
	return c.keep(func(dst []byte) []byte { return c.plain.add(dst, b) })
}

// finish ends the output. It returns what is left of the text.
func (c *capture) finish() []byte {
	rest := c.keep(c.plain.flush)
	if c.file != nil {
		if err := c.file.Close(); err != nil && c.err == nil {
			c.err = err
		}
		c.file = nil
	}
	return rest
}

// keep appends to the text what decode does.
func (c *capture) keep(decode func(dst []byte) []byte) []byte {
	const most = 4 * maxBytes
	if len(c.text) > most {
		c.text = append(c.text[:0], c.text[len(c.text)-2*maxBytes:]...)
	}
	from := len(c.text)
	c.text = decode(c.text)
	b := c.text[from:]
	c.measure(b)
	if c.path == "" && c.over() {
		c.spill()
	} else if c.file != nil && c.err == nil {
		_, c.err = c.file.Write(b)
	}
	return b
}

func (c *capture) measure(b []byte) {
	c.bytes += len(b)
	for len(b) > 0 {
		if !c.open {
			c.open, c.line = true, 0
		}
		i := bytes.IndexByte(b, '\n')
		if i < 0 {
			c.line += len(b)
			return
		}
		c.line += i
		c.lines++
		c.open = false
		b = b[i+1:]
	}
}

// total returns the number of lines, a final empty one not counted.
func (c *capture) total() int {
	if c.open {
		return c.lines + 1
	}
	return c.lines
}

func (c *capture) over() bool { return c.bytes > maxBytes || c.total() > maxLines }

// spill begins the file with what there is so far, which is still whole.
func (c *capture) spill() {
	removeOld(c.dir)
	c.path = filepath.Join(c.dir, outputPrefix+strings.ToLower(rand.Text()[:outputID])+outputSuffix)
	c.file, c.err = os.OpenFile(c.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if c.err == nil {
		_, c.err = c.file.Write(c.text)
	}
}

const (
	outputPrefix = "bough-"
	outputID     = 20 // characters
	outputSuffix = ".log"
	keepOutputs  = 7 * 24 * time.Hour
)

// removeOld removes full outputs that have been kept for long enough. What cannot
// be removed is somebody else's.
func removeOld(dir string) {
	d, err := os.Open(dir)
	if err != nil {
		return // and so nothing is kept
	}
	defer d.Close()
	names, _ := d.Readdirnames(-1) // those that there are
	for _, name := range names {
		if !strings.HasPrefix(name, outputPrefix) || !strings.HasSuffix(name, outputSuffix) || len(name) != len(outputPrefix)+outputID+len(outputSuffix) {
			continue
		}
		path := filepath.Join(dir, name)
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > keepOutputs {
			_ = os.Remove(path)
		}
	}
}

// fullPath returns where all of the output is, or "".
func (c *capture) fullPath() string {
	if c.err != nil {
		return ""
	}
	return c.path
}

// tail returns what is kept of the output so far.
func (c *capture) tail() (string, truncation) {
	return tail(string(c.text), c.total(), c.bytes)
}

// note tells the model what was cut and where it is (J-06).
func (c *capture) note(t truncation) string {
	if !t.cut() {
		return ""
	}
	where := "Full output: " + c.path
	if c.err != nil {
		where = fmt.Sprintf("The full output could not be kept: %v", c.err)
	}
	if t.lastPartial {
		return fmt.Sprintf("[Last %s of line %d, which has %s. %s]", size(t.outputBytes), t.totalLines, size(c.line), where)
	}
	return fmt.Sprintf("[Lines %d-%d of %d. %s]", t.totalLines-t.outputLines+1, t.totalLines, t.totalLines, where)
}
