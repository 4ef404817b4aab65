package config

import (
	"strings"
	"testing"

	"github.com/boughdev/bough/docs"
)

// The models.json of the manual is one.
func TestModelsOfTheManual(t *testing.T) {
	page, ok := docs.Page("models")
	_, rest, found := strings.Cut(page, "## models.json")
	_, rest, json := strings.Cut(rest, "```json\n")
	text, _, end := strings.Cut(rest, "```")
	if !ok || !found || !json || !end {
		t.Fatal("the page has no example")
	}
	m, problems := ParseModels("models.json", []byte(text))
	if len(problems) > 0 || len(m.Providers) != 3 || len(m.Providers[0].Models) != 1 || len(m.Providers[2].Overrides) != 1 {
		t.Errorf("%+v, %v", m, problems)
	}
}
