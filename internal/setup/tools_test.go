package setup

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/boughdev/bough/internal/config"
	"github.com/boughdev/bough/internal/control"
)

// What stands in the settings is what tools are run with.
func TestSettingsOfTools(t *testing.T) {
	paths := config.Paths{Agent: t.TempDir(), Home: "/home/me"}
	m := &Maker{Paths: paths}
	settings := func(text string) config.Settings {
		t.Helper()
		if !json.Valid([]byte(text)) {
			t.Fatalf("not JSON: %s", text)
		}
		if err := os.WriteFile(paths.SettingsFile(), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s, problems := config.Read(paths, "", false).Settings()
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		return s
	}
	usual := m.builtinOptions(control.Place{}, settings(`{"bough":{"bash":{"defaultTimeout":0}}}`))
	if usual.ShellPath != "" || usual.ShellPrefix != "" || usual.BashTimeout != -1 || usual.Images.KeepSize {
		t.Errorf("with no limit of time: %+v", usual)
	}
	got := m.builtinOptions(control.Place{}, settings(`{"shellPath":"~/sh","shellCommandPrefix":"a","bough":{"bash":{"defaultTimeout":90}},"images":{"autoResize":false}}`))
	if got.ShellPath != "/home/me/sh" || got.ShellPrefix != "a" || got.BashTimeout != 90*time.Second || !got.Images.KeepSize {
		t.Errorf("with settings: %+v", got)
	}
}

// Each start compares each tool with each word, so this must cost nothing.
func TestWordsWithoutStarsAllocateNothing(t *testing.T) {
	list := []string{"read", "bash", "ed?t", "[g]rep"}
	fit := false
	if n := testing.AllocsPerRun(10, func() { fit = Fits(list, "bash") && !Fits(list, "edit") && !Fits(list, "grep") }); n != 0 || !fit {
		t.Errorf("%v allocations, fit %v; want 0, true", n, fit)
	}
}
