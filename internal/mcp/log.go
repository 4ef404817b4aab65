package mcp

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// Limits of what is kept of a server's words.
const (
	maxLog   = 5 << 20 // bytes of a log file, which then becomes FILE.1
	tailSize = 20      // lines in memory
	tailLine = 500     // bytes of each
)

// serverLog takes what a server says beside its messages: standard error, lines
// of standard output that are no messages, log notifications. Values that the
// configuration takes from elsewhere are left out.
type serverLog struct {
	path string // "" for none

	mu      sync.Mutex
	file    *os.File // guarded by mu
	size    int64    // guarded by mu
	tail    []string // guarded by mu
	secrets []string // guarded by mu
}

func (l *serverLog) hide(secrets []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.secrets = secrets
}

// scrub leaves secrets out of a text.
func (l *serverLog) scrub(s string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.scrubLocked(s)
}

func (l *serverLog) scrubLocked(s string) string {
	for _, secret := range l.secrets {
		s = strings.ReplaceAll(s, secret, "***")
	}
	return s
}

// print adds a line; kind says what it is, "" for standard error.
func (l *serverLog) print(kind, line string) {
	line = strings.TrimRight(line, "\r\n")
	l.mu.Lock()
	defer l.mu.Unlock()
	line = l.scrubLocked(line)
	if kind == "" {
		if len(l.tail) == tailSize {
			l.tail = slices.Delete(l.tail, 0, 1)
		}
		l.tail = append(l.tail, cutText(line, tailLine))
	} else {
		kind += ": "
	}
	if l.path == "" {
		return
	}
	if l.file == nil || l.size > maxLog {
		l.openLocked()
	}
	if l.file == nil {
		return
	}
	n, err := fmt.Fprintf(l.file, "%s %s%s\n", time.Now().Format(time.RFC3339), kind, line)
	l.size += int64(n)
	if err != nil {
		l.closeLocked() // a full disk must not end the server
	}
}

func (l *serverLog) openLocked() {
	l.closeLocked()
	if fi, err := os.Stat(l.path); err == nil && fi.Size() > maxLog {
		_ = os.Rename(l.path, l.path+".1") // else it grows on
	}
	if os.MkdirAll(filepath.Dir(l.path), 0o700) != nil {
		return
	}
	f, err := os.OpenFile(l.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return
	}
	l.file, l.size = f, 0
	if fi, err := f.Stat(); err == nil {
		l.size = fi.Size()
	}
}

func (l *serverLog) closeLocked() {
	if l.file != nil {
		l.file.Close()
		l.file = nil
	}
}

func (l *serverLog) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closeLocked()
}

// fresh forgets the last lines: a new process begins.
func (l *serverLog) fresh() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tail = nil
}

func (l *serverLog) last() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.tail)
}

// copy reads lines to the end. A line without end is cut into pieces.
func (l *serverLog) copy(r io.Reader) {
	b := bufio.NewReaderSize(r, 8<<10)
	for {
		line, err := b.ReadSlice('\n')
		if len(line) > 0 {
			l.print("", string(line))
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return
		}
	}
}
