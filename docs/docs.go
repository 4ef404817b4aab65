// Package docs has the pages of the manual, which bough help TOPIC prints.
package docs

import (
	"embed"
	"slices"
	"strings"
)

//go:embed *.md
var files embed.FS

// Page returns a page of the manual, as Markdown, without its pictures.
func Page(topic string) (string, bool) {
	b, err := files.ReadFile(topic + ".md")
	var text strings.Builder
	picture := false
	for line := range strings.Lines(string(b)) {
		behind := picture && line == "\n"
		if picture = strings.HasPrefix(line, "![") && strings.HasSuffix(line, ".svg)\n"); !picture && !behind {
			text.WriteString(line)
		}
	}
	return text.String(), err == nil
}

// Topics are the names of the pages, with what each is about: its first heading.
func Topics() (topics []Topic) {
	entries, err := files.ReadDir(".")
	if err != nil {
		return nil // the folder is part of the program
	}
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), ".md")
		text, _ := Page(name)
		first, _, _ := strings.Cut(text, "\n")
		topics = append(topics, Topic{name, strings.TrimLeft(first, "# ")})
	}
	return slices.Clip(topics)
}

// Topic is a page and what it is about.
type Topic struct{ Name, Title string }
