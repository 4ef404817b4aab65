package docs_test

import (
	"os"
	"strings"
	"testing"

	"github.com/boughdev/bough/docs"
)

// A terminal gets the words of a page, not the names of its pictures.
func TestPagesWithoutPictures(t *testing.T) {
	file, err := os.ReadFile("terminal.md")
	if err != nil {
		t.Fatal(err)
	}
	page, _ := docs.Page("terminal")
	if !strings.Contains(string(file), "](pictures/") || strings.Contains(page, "](pictures/") || strings.Contains(page, "\n\n\n") {
		t.Errorf("the page has pictures, or too few:\n%s", page)
	}
	if got, want := strings.Count(page, "\n## "), strings.Count(string(file), "\n## "); got != want {
		t.Errorf("%d sections of %d", got, want)
	}
}
