package builtin

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// tailOf does what tail does, line by line.
func tailOf(text string) (kept string, by string) {
	if lineCount(text) <= maxLines && len(text) <= maxBytes {
		return text, ""
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	size, n := -1, 0
	for i := len(lines) - 1; ; i-- {
		if n == maxLines {
			by = "lines"
			break
		}
		if size+1+len(lines[i]) > maxBytes {
			by = "bytes"
			break
		}
		size += 1 + len(lines[i])
		n++
	}
	if n > 0 {
		return strings.Join(lines[len(lines)-n:], "\n"), by
	}
	last := lines[len(lines)-1]
	for kept = last[len(last)-maxBytes:]; kept != "" && !utf8.RuneStart(kept[0]); {
		kept = kept[1:]
	}
	return kept, by
}

// However output comes in, a result has the end of it as plain text, and the file
// has all of it.
func FuzzCapture(f *testing.F) {
	f.Add([]byte("line\n"), []byte("\x1b[31mlast\x1b[0m"), uint16(3000), uint16(7))
	f.Add([]byte("\xc3"), []byte("\xa9\n"), uint16(30000), uint16(1))
	f.Add([]byte("\u4e2d"), []byte("\n"), uint16(20000), uint16(4095))
	f.Add([]byte("\n"), []byte("x"), uint16(2000), uint16(100))
	f.Add([]byte("\x1b]0;t"), []byte("\x07\r\n\xf0\x9f"), uint16(900), uint16(3))
	f.Fuzz(func(t *testing.T, part, end []byte, times, size uint16) {
		if len(part)*int(times) > 1<<20 {
			return
		}
		all := append([]byte(strings.Repeat(string(part), int(times))), end...)
		whole := plainText(false, string(all))
		c := capture{dir: t.TempDir()}
		for rest := all; len(rest) > 0; {
			n := min(len(rest), int(size)+1)
			c.add(rest[:n])
			rest = rest[n:]
		}
		c.finish()
		got, cut := c.tail()
		want, by := tailOf(whole)
		if got != want || cut.by != by {
			t.Fatalf("kept %d bytes (%.40q), cut by %q; want %d (%.40q), %q", len(got), got, cut.by, len(want), want, by)
		}
		if cut.totalBytes != len(whole) || cut.totalLines != lineCount(whole) {
			t.Fatalf("%d bytes, %d lines; want %d, %d", cut.totalBytes, cut.totalLines, len(whole), lineCount(whole))
		}
		if !utf8.ValidString(got) {
			t.Fatalf("not valid: %.40q", got)
		}
		if cut.cut() {
			if full, err := os.ReadFile(c.fullPath()); err != nil || string(full) != whole {
				t.Fatalf("the file has %d bytes of %d, %v", len(full), len(whole), err)
			}
		} else if c.path != "" {
			t.Fatalf("a file for %d bytes", len(whole))
		}
	})
}

// headOf does what head does, line by line.
func headOf(text string, lines int) (kept, by string) {
	if lineCount(text) <= lines && len(text) <= maxBytes {
		return text, ""
	}
	size, n := -1, 0
	all := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for _, line := range all {
		if n == lines {
			by = "lines"
		} else if size+1+len(line) > maxBytes {
			by = "bytes"
		}
		if by != "" {
			break
		}
		size += 1 + len(line)
		n++
	}
	return strings.Join(all[:n], "\n"), by
}

func FuzzHead(f *testing.F) {
	f.Add("line\n", "last", uint16(3000), uint16(2000))
	f.Add("\n", "", uint16(60000), uint16(65535))
	f.Add("x", "\n", uint16(51200), uint16(1))
	f.Fuzz(func(t *testing.T, part, end string, times, lines uint16) {
		if len(part)*int(times) > 1<<17 {
			return
		}
		text := strings.Repeat(part, int(times)) + end
		got, cut := head(text, lineCount(text), len(text), int(lines)+1)
		want, by := headOf(text, int(lines)+1)
		if got != want || cut.by != by {
			t.Fatalf("kept %d bytes, cut by %q; want %d, %q", len(got), cut.by, len(want), by)
		}
		if cut.cut() && (cut.outputBytes != len(got) || cut.outputLines > int(lines)+1) {
			t.Fatalf("%+v for %d bytes", cut, len(got))
		}
	})
}

// Outputs that nobody can want any more are taken away when a new one is kept.
func TestOldOutputsAreRemoved(t *testing.T) {
	dir := t.TempDir()
	old, recent := time.Now().Add(-8*24*time.Hour), time.Now().Add(-6*24*time.Hour)
	const id = "abcdefghijklmnopqrst"
	for name, when := range map[string]time.Time{"bough-" + id + ".log": old, "bough-0" + id[1:] + ".log": recent, "bough-notes.log": old, "other-" + id + ".log": old, "bough-" + id + ".txt": old} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(filepath.Join(dir, name), when, when); err != nil {
			t.Fatal(err)
		}
	}
	c := capture{dir: dir}
	c.add([]byte(strings.Repeat("x\n", maxLines+1)))
	c.finish()
	var names []string
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		if e.Name() != filepath.Base(c.fullPath()) {
			names = append(names, e.Name())
		}
	}
	if got, want := strings.Join(names, " "), "bough-0"+id[1:]+".log bough-"+id+".txt bough-notes.log other-"+id+".log"; got != want {
		t.Errorf("left are %s, want %s", got, want)
	}
}
