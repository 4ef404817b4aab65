package main

import (
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// tests are run as if under a terminal: what they start hears hangups, also where
// this program was told to hear none (nohup).
type tests struct{ m *testing.M }

func (t tests) Run() int {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	return t.m.Run()
}

func TestMain(m *testing.M) {
	testscript.Main(tests{m}, map[string]func(){"bough": func() { os.Exit(realMain(nil)) }, "bough-far": func() { os.Exit(realMain(far)) }, "mcpserver": mcpServer})
}

// TestScripts plays the stories in testdata/script, each with a home of its own.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
			env.Setenv("BOUGH_AGENT_DIR", filepath.Join(env.WorkDir, "agent"))
			env.Setenv("XDG_STATE_HOME", filepath.Join(env.WorkDir, "state"))
			env.Setenv("XDG_DATA_HOME", filepath.Join(env.WorkDir, "data"))
			env.Setenv("XDG_CACHE_HOME", filepath.Join(env.WorkDir, "cache"))
			env.Setenv("BOUGH_OFFLINE", "1")
			return os.MkdirAll(filepath.Join(env.WorkDir, "home"), 0o755)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"session": sessionFile, "count": count, "prefix": prefix, "fake": fake, "fill": fill},
	})
}
