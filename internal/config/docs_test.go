package config

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/golden"
)

const (
	tableBegin = "<!-- The tables are made by: go test ./internal/config -update -->\n"
	tableEnd   = "<!-- end of the tables -->\n"
)

// The tables of docs/settings.md say what the code says.
func TestManual(t *testing.T) {
	const path = "../../docs/settings.md"
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, begins := strings.Cut(string(b), tableBegin)
	_, tail, ends := strings.Cut(rest, tableEnd)
	if !begins || !ends {
		t.Fatalf("%s has no tables", path)
	}
	want := head + tableBegin + tables() + tableEnd + tail
	if golden.Updating() {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if d := golden.Diff(string(b), want); d != "" {
		t.Errorf("go test ./internal/config -update writes the tables anew:\n%s", d)
	}
}

func tables() string {
	var b strings.Builder
	section := ""
	for _, k := range Keys() {
		if k.Section != section {
			section = k.Section
			fmt.Fprintf(&b, "\n### %s\n\n| setting | value | default | what it does |\n|---|---|---|---|\n", section)
		}
		notes := ""
		if k.UserOnly {
			notes += " *User's file only.*"
		}
		if k.User == Later {
			notes += " *Not used yet.*"
		}
		def := ""
		if k.Default != "" && k.Default != "[]" {
			def = "`" + k.Default + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s%s |\n", k.Name, k.Allowed(), def, k.Help, notes)
	}
	b.WriteString("\n")
	return b.String()
}
