package main

import (
	"os"
	"path/filepath"
	"testing"
)

// waits is a script whose tool waits for a file of the folder.
const waits = `[{"when":{"user":"long"},"times":1,"reply":{"text":"I wait.","toolCalls":[{"name":"bash","args":{"command":"while [ ! -e go ]; do sleep 0.05; done; echo it came"}}]}},
{"when":{"user":"long"},"reply":{"text":"It is done now."}}]`

func (ts *terminals) file(path, text string) {
	ts.t.Helper()
	path = filepath.Join(ts.dir, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		ts.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		ts.t.Fatal(err)
	}
}

// A run goes on when its terminal is wanted for something else: the shell has it, the
// session is joined from another terminal, and the process ends with the run.
func TestARunGoesOnInTheBackground(t *testing.T) {
	ts := newTerminals(t, waits)
	w := ts.open("first", 90, 24)
	w.line("bough --model scripted/one")
	w.shows("(scripted) one")
	w.line("long")
	w.shows("while [ ! -e go ]")
	w.line("/quit")
	w.shows("1 Leave; it goes on in the background")
	w.key("Enter")
	w.shows("The session goes on. To come back to it:")
	w.line("echo back-$((40+2))")
	w.shows("back-42")
	other := ts.open("second", 90, 24)
	other.line("bough -c")
	other.shows("Joined this session", "while [ ! -e go ]")
	ts.file("go", "")
	other.shows("It is done now.")
	other.line("/quit")
	other.shows("To go on with this conversation:")
	w.line("wait; echo over-$((40+3))")
	w.shows("over-43")
}

// A terminal that is closed does not take the run along, if that is set.
func TestARunOutlivesItsTerminal(t *testing.T) {
	ts := newTerminals(t, waits)
	ts.file("../.pi/agent/settings.json", `{"bough":{"hangup":"continue"}}`)
	other := ts.open("second", 90, 24)
	w := ts.open("first", 90, 24)
	w.line("bough --model scripted/one")
	w.shows("(scripted) one")
	w.line("long")
	w.shows("while [ ! -e go ]")
	ts.tmux("kill-session", "-t", "first")
	other.line("bough -c")
	other.shows("Joined this session", "while [ ! -e go ]")
	ts.file("go", "")
	other.shows("It is done now.")
	other.line("/quit")
	other.shows("To go on with this conversation:")
}
