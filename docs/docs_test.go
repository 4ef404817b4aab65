package docs_test

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/boughdev/bough/docs"
)

var (
	code    = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
)

// anchors are the names by which the headings of a page are reached.
func anchors(text string) map[string]bool {
	found := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(text, -1) {
		found[strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-', r == '_', unicode.IsLetter(r), unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, m[1])] = true
	}
	return found
}

// Links between pages lead somewhere, and from README every page of the manual is
// reached.
func TestLinks(t *testing.T) {
	texts := map[string]string{}
	for _, pattern := range []string{"../*.md", "*.md"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatal(pattern, err)
		}
		for _, f := range files {
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			texts[path.Join("docs", filepath.ToSlash(f))] = string(b)
		}
	}
	links := map[string][]string{}
	for file, text := range texts {
		for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(text, ""), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			to, at, _ := strings.Cut(m[1], "#")
			if to = path.Join(path.Dir(file), to); m[1][0] == '#' {
				to = file
			}
			links[file] = append(links[file], to)
			if _, err := os.Stat(filepath.Join("..", filepath.FromSlash(to))); err != nil {
				t.Errorf("%s: the link %s leads nowhere", file, m[1])
			}
			if page, ok := texts[to]; ok && at != "" && !anchors(page)[at] {
				t.Errorf("%s: there is no heading for %s", file, m[1])
			}
		}
	}
	reached := map[string]bool{}
	var reach func(string)
	reach = func(file string) {
		if !reached[file] {
			reached[file] = true
			for _, to := range links[file] {
				reach(to)
			}
		}
	}
	reach("README.md")
	for _, topic := range docs.Topics() {
		if file := "docs/" + topic.Name + ".md"; !reached[file] {
			t.Errorf("nothing leads from README.md to %s", file)
		}
	}
}
