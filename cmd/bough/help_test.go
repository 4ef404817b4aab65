package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// What pages tell to look up with bough help is there.
func TestHelpThatPagesName(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatal(err)
	}
	asked := map[string]bool{}
	for _, page := range append(pages, "../../README.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile("bough help ([a-z][a-zA-Z.-]*[a-zA-Z])").FindAllStringSubmatch(string(text), -1) {
			if asked[m[1]] {
				continue
			}
			asked[m[1]] = true
			if out, err := exec.Command("bough", "help", m[1]).CombinedOutput(); err != nil {
				t.Errorf("%s: bough help %s: %s", page, m[1], out)
			}
		}
	}
	if len(asked) == 0 {
		t.Error("nothing is named")
	}
}
