package resource

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

const (
	frontSize = 2 << 10  // what is read of a file at first
	maxFront  = 64 << 10 // the longest front matter
	maxText   = 1 << 20  // the longest text that is sent
)

// front is the front matter of a file and the beginning of what is behind it.
type front struct {
	values map[string]string // texts, numbers, switches as they are written
	fault  string            // what was odd about it
	rest   string            // some of the text behind it
}

func (f front) text(key string) string { return strings.Join(strings.Fields(f.values[key]), " ") }

func (f front) flag(key string) bool {
	switch strings.ToLower(strings.TrimSpace(f.values[key])) {
	case "true", "yes", "on":
		return true
	}
	return false
}

// firstLine is the first line of the text that is not blank, cut short.
func (f front) firstLine() string {
	for line := range strings.Lines(f.rest) {
		if line = strings.TrimSpace(line); line != "" {
			if cut := firstRunes(line, 60); cut != line {
				return cut + "..."
			}
			return line
		}
	}
	return ""
}

// readFront reads as much of a file as its front matter takes. buf has frontSize
// bytes and is free again afterwards.
func readFront(path string, buf []byte) (front, error) {
	r, err := openFile(path)
	if err != nil {
		return front{}, err
	}
	defer r.Close()
	n, err := io.ReadFull(r, buf)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return front{}, cause(err)
	}
	whole := err != nil
	head, rest, ok := cutFront(plain(buf[:n], !whole))
	if !ok && !whole && strings.HasPrefix(rest, "---\n") {
		more, err := io.ReadAll(io.LimitReader(r, maxFront))
		if err != nil {
			return front{}, cause(err)
		}
		head, rest, ok = cutFront(plain(append(slices.Clip(buf[:n]), more...), len(more) == maxFront))
		if !ok && len(more) == maxFront {
			return front{rest: rest, fault: fmt.Sprintf("its front matter has no end (a line of ---) within %d KB and counts as text", maxFront>>10)}, nil
		}
	}
	if !ok {
		return front{rest: rest}, nil
	}
	f := parseFront(head)
	f.rest = rest
	return f, nil
}

// openFile opens a file, and nothing that only looks like one.
func openFile(path string) (*os.File, error) {
	fi, err := os.Stat(path)
	if err != nil {
		return nil, cause(err)
	}
	if !fi.Mode().IsRegular() {
		return nil, errors.New("it is no file")
	}
	r, err := os.Open(path)
	return r, cause(err)
}

// cause leaves out the path that an error names, since the caller names it.
func cause(err error) error {
	if e, ok := errors.AsType[*os.PathError](err); ok {
		return e.Err
	}
	return err
}

// readText reads a whole file as text, front matter cut off.
func readText(path string) (string, error) {
	r, err := openFile(path)
	if err != nil {
		return "", err
	}
	defer r.Close()
	b, err := io.ReadAll(io.LimitReader(r, maxText+1))
	if err != nil {
		return "", cause(err)
	}
	if len(b) > maxText {
		return "", fmt.Errorf("it is longer than %d KB", maxText>>10)
	}
	_, rest, _ := cutFront(plain(b, false))
	return strings.TrimSpace(rest), nil
}

// plain makes UTF-8 with \n of a file's bytes, of which the last rune may be cut
// off if there are more.
func plain(b []byte, more bool) string {
	b = bytes.TrimPrefix(b, []byte("\ufeff"))
	if more {
		for i := 1; i < 4 && i <= len(b); i++ {
			if c := b[len(b)-i]; c >= 0xC0 {
				b = b[:len(b)-i]
				break
			} else if c < 0x80 {
				break
			}
		}
	}
	s := string(b)
	if !utf8.ValidString(s) { // far cheaper than to make it so
		s = strings.ToValidUTF8(s, "\ufffd")
	}
	if strings.Contains(s, "\r") {
		s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	}
	return s
}

// cutFront parts the front matter from the text. ok is false if there is none, or
// its end is missing; all is text then.
func cutFront(s string) (head, rest string, ok bool) {
	first, body, found := strings.Cut(s, "\n")
	if !found || strings.TrimRight(first, " \t") != "---" {
		return "", s, false
	}
	for at := 0; at < len(body); {
		line := body[at:]
		end := strings.IndexByte(line, '\n')
		if end >= 0 {
			line = line[:end]
		}
		if strings.TrimRight(line, " \t") == "---" {
			if end < 0 {
				return body[:at], "", true
			}
			return body[:at], body[at+end+1:], true
		}
		if end < 0 {
			break
		}
		at += end + 1
	}
	return "", s, false
}

// parseFront reads front matter. Much of what people write is no YAML, such as a
// description with a colon in it; then it is read line by line.
func parseFront(head string) front {
	if values, ok := simple(head); ok {
		return front{values: values}
	}
	f := front{values: map[string]string{}}
	var doc yaml.Node
	err := yaml.Unmarshal([]byte(head), &doc)
	switch {
	case err != nil:
		f.byLine(head)
		f.fault = fmt.Sprintf("its front matter is no YAML (%s) and was read line by line. Put a value that has a colon or brackets in it in quotes",
			strings.TrimPrefix(strings.TrimSpace(err.Error()), "yaml: "))
		return f
	case len(doc.Content) == 0:
		return f
	case doc.Content[0].Kind != yaml.MappingNode:
		f.fault = "its front matter has no keys; write lines such as description: what it does"
		return f
	}
	pairs := doc.Content[0].Content
	for i := 0; i+1 < len(pairs); i += 2 {
		key, v := pairs[i].Value, pairs[i+1]
		if v.Kind == yaml.AliasNode && v.Alias != nil {
			v = v.Alias
		}
		switch {
		case v.Kind == yaml.ScalarNode && v.Tag != "!!null":
			f.values[key] = v.Value
		case v.Kind == yaml.SequenceNode: // [file] was meant as text
			var words []string
			for _, w := range v.Content {
				if w.Kind == yaml.ScalarNode {
					words = append(words, w.Value)
				}
			}
			f.values[key] = "[" + strings.Join(words, ", ") + "]"
		}
	}
	return f
}

// simple reads front matter that is nothing but lines "key: words", as that of
// most skills is, in a fraction of the time; ok is false for all else. It reads
// nothing otherwise than a reader of YAML does.
func simple(head string) (values map[string]string, ok bool) {
	values = map[string]string{}
	for line := range strings.Lines(head) {
		key, v, found := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		if v = strings.Trim(v, " "); !found || key == "" || v == "" || !isLetter(v[0]) || v[len(v)-1] == ':' ||
			strings.Contains(v, ": ") || strings.Contains(v, " #") || strings.EqualFold(v, "null") {
			return nil, false
		}
		for i := range len(key) {
			if c := key[i]; !isLetter(c) && (c != '-' || i == 0) {
				return nil, false
			}
		}
		for i := range len(v) {
			if v[i] < ' ' || v[i] > '~' {
				return nil, false
			}
		}
		values[key] = v
	}
	return values, true
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// byLine takes up the lines "key: value" that are not indented.
func (f front) byLine(head string) {
	for line := range strings.Lines(head) {
		key, v, ok := strings.Cut(strings.TrimRight(line, "\n"), ":")
		if !ok || key == "" || strings.ContainsFunc(key, unicode.IsSpace) || strings.HasPrefix(key, "#") {
			continue
		}
		v = strings.TrimSpace(v)
		if n := len(v); n > 1 && (v[0] == '"' || v[0] == '\'') && v[n-1] == v[0] {
			v = v[1 : n-1]
		}
		f.values[key] = v
	}
}
