package repl

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxLine is how long a line of input may be, in bytes.
const maxLine = 64 << 20

// errTooLong is returned for a line that was passed over.
var errTooLong = fmt.Errorf("a line of more than %d MB was left out", maxLine>>20)

// input hands over one line at a time, when it is asked to, and reads no further
// than its small buffer: what stands behind /quit is nobody's.
//
// Its goroutine may sit in a read of a terminal that nothing can break off, so
// nobody waits for its end; it takes nothing with it.
type input struct {
	want  chan struct{}
	got   chan line
	stop  chan struct{}
	asked bool // a line is on its way
}

type line struct {
	text string
	err  error // io.EOF, errTooLong, or what reading failed with
}

func newInput(r io.Reader) *input {
	in := &input{want: make(chan struct{}), got: make(chan line), stop: make(chan struct{})}
	go in.read(&lines{r: bufio.NewReaderSize(r, 64<<10)})
	return in
}

func (in *input) read(ls *lines) {
	for {
		select {
		case <-in.want:
		case <-in.stop:
			return
		}
		text, err := ls.next()
		select {
		case in.got <- line{text, err}:
		case <-in.stop:
			return
		}
		if err != nil && !errors.Is(err, errTooLong) {
			return
		}
	}
}

// next asks for a line, unless one is on its way, and returns where it comes.
func (in *input) next() <-chan line {
	if !in.asked {
		in.want <- struct{}{}
		in.asked = true
	}
	return in.got
}

// lines cuts a stream into lines, without their ends. The last one need not
// have an end.
type lines struct {
	r     *bufio.Reader
	begun bool
	ended bool
}

func (ls *lines) next() (string, error) {
	if ls.ended {
		return "", io.EOF
	}
	var b strings.Builder
	size := 0
	for {
		part, err := ls.r.ReadSlice('\n')
		size += len(part)
		if size <= maxLine {
			b.Write(part)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil {
			ls.ended = true
		}
		switch {
		case size > maxLine:
			return "", errTooLong
		case err == nil, errors.Is(err, io.EOF) && size > 0:
		default:
			return "", err
		}
		break
	}
	s := strings.TrimSuffix(strings.TrimSuffix(b.String(), "\n"), "\r")
	if !ls.begun {
		ls.begun = true
		s = strings.TrimPrefix(s, "\uFEFF") // some shells send one down a pipe
	}
	return s, nil
}

// assembler makes one text of lines that belong together: a backslash at the end
// joins a line with the next, and """ alone on a line begins and ends a block.
type assembler struct {
	parts []string
	block bool // within """
	more  bool // behind a backslash
}

// text is what was typed. A literal one is said as it is, whatever it begins with.
type text struct {
	words   string
	literal bool
}

// add takes a line. It returns false while more belongs to the text.
func (a *assembler) add(l string) (text, bool) {
	fence := strings.TrimSpace(l) == `"""`
	switch {
	case a.block && fence:
		return a.end()
	case a.block:
		a.parts = append(a.parts, l)
		return text{}, false
	case fence && !a.more:
		a.block = true
		return text{}, false
	}
	slashes := len(l) - len(strings.TrimRight(l, `\`))
	if a.more = slashes%2 == 1; a.more {
		a.parts = append(a.parts, l[:len(l)-1])
		return text{}, false
	}
	a.parts = append(a.parts, l)
	return a.end()
}

// end returns what has come so far, false if there is nothing.
func (a *assembler) end() (text, bool) {
	t := text{strings.Join(a.parts, "\n"), a.block}
	any := a.pending()
	*a = assembler{}
	return t, any
}

// pending reports whether a text has begun.
func (a *assembler) pending() bool { return a.block || a.more || len(a.parts) > 0 }

// tidy makes a prompt of what was typed: UTF-8, without control characters and
// without blanks around it.
func tidy(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < 0x20 && r != '\n' && r != '\t' || r == 0x7F {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return strings.TrimSpace(s)
}
