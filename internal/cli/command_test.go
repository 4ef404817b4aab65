package cli

import (
	"strings"
	"testing"
)

// A word is a command of this version or one to come, and the help tells of the
// former.
func TestCommands(t *testing.T) {
	missing := missingCommands()
	there := map[string]bool{}
	for _, c := range commands() {
		there[c.name] = true
		if _, ok := missing[c.name]; ok {
			t.Errorf("%s is there and to come", c.name)
		}
		if !strings.Contains(helpText(), "\n  "+c.name+" ") {
			t.Errorf("%s is not in the help", c.name)
		}
		if text := c.helpText(); !strings.HasPrefix(text, "usage: bough "+c.name) {
			t.Errorf("help of %s: %s", c.name, text)
		}
		for _, o := range c.options {
			if !strings.HasPrefix(o.name, "--") || o.help == "" {
				t.Errorf("%s %+v", c.name, o)
			}
		}
	}
	// docs/spec/frontends.md A4
	for _, name := range strings.Fields("auth list config install remove uninstall update mcp web serve pair devices export import doctor stats attach show acp try") {
		if missing[name] == "" && !there[name] {
			t.Errorf("%s would go to a model", name)
		}
	}
}
