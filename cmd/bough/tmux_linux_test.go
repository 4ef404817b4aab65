package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// What is typed into a real terminal, tmux, and what it shows. Nothing here counts
// time: each step waits for a text on the screen.

// terminals are the windows of one tmux.
type terminals struct {
	t      *testing.T
	socket string
	dir    string // the project, which the shells stand in
	env    []string
}

func newTerminals(t *testing.T, script string) *terminals {
	t.Helper()
	if testing.Short() {
		t.Skip("plays in a terminal")
	}
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("there is no tmux")
	}
	home, err := os.MkdirTemp("", "bt") // a short path, for the socket
	if err != nil {
		t.Fatal(err)
	}
	ts := &terminals{t: t, socket: filepath.Join(home, "tmux"), dir: filepath.Join(home, "project")}
	if err := os.MkdirAll(ts.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, "script.json"), []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	ts.env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "BOUGH_OFFLINE=1", "BOUGH_SCRIPT=" + filepath.Join(home, "script.json"),
		"TERM=xterm-256color", "LANG=C.UTF-8", "SHELL=/bin/sh", "PS1=$ ", "ENV="}
	t.Cleanup(func() {
		// There may be no window any more, and then no server.
		_ = ts.command("kill-server").Run()
		// What ran there may write a draft while it ends.
		for range 3 {
			os.RemoveAll(home)
			time.Sleep(100 * time.Millisecond)
		}
	})
	return ts
}

func (ts *terminals) command(args ...string) *exec.Cmd {
	cmd := exec.Command("tmux", append([]string{"-u", "-S", ts.socket, "-f", "/dev/null"}, args...)...)
	cmd.Env, cmd.Dir = ts.env, ts.dir
	return cmd
}

func (ts *terminals) tmux(args ...string) string {
	ts.t.Helper()
	out, err := ts.command(args...).CombinedOutput()
	if err != nil {
		ts.t.Fatalf("tmux %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimRight(string(out), "\n")
}

// patience is how long a step waits for what never comes.
const patience = time.Minute

// window is a terminal with a shell in it.
type window struct {
	*terminals
	name string
}

func (ts *terminals) open(name string, width, height int) *window {
	ts.t.Helper()
	ts.tmux("new-session", "-d", "-s", name, "-x", strconv.Itoa(width), "-y", strconv.Itoa(height), "exec /bin/sh")
	w := &window{ts, name}
	w.shows("$")
	return w
}

func (w *window) line(text string) { w.text(text); w.key("Enter") }
func (w *window) text(text string) { w.t.Helper(); w.tmux("send-keys", "-t", w.name, "-l", "--", text) }
func (w *window) key(keys ...string) {
	w.t.Helper()
	w.tmux(append([]string{"send-keys", "-t", w.name}, keys...)...)
}

func (w *window) paste(text string) {
	w.t.Helper()
	cmd := w.command("load-buffer", "-b", w.name, "-")
	cmd.Stdin = strings.NewReader(text)
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("load-buffer: %v\n%s", err, out)
	}
	w.tmux("paste-buffer", "-p", "-r", "-b", w.name, "-t", w.name)
}

func (w *window) screen() string { return w.tmux("capture-pane", "-p", "-t", w.name) }

// until waits until the screen is as it should be. The limit is for what never comes.
func (w *window) until(what string, is func(screen string) bool) {
	w.t.Helper()
	for limit := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		screen := w.screen()
		if is(screen) {
			return
		}
		if time.Now().After(limit) {
			w.t.Fatalf("%s: never %s\n%s", w.name, what, screen)
		}
	}
}

func (w *window) shows(texts ...string) {
	w.t.Helper()
	w.until(strings.Join(texts, ", "), func(screen string) bool {
		for _, s := range texts {
			if !strings.Contains(screen, s) {
				return false
			}
		}
		return true
	})
}

// bough starts the program so that the shell says afterwards how it ended and
// whether the terminal is as it was.
func (w *window) bough(args string) {
	w.t.Helper()
	w.runs("--model scripted/one "+args, "(scripted) one")
}

func (w *window) runs(args, shown string) {
	w.t.Helper()
	w.line(`was=$(stty -g); bough ` + args + `; code=$?; test "$was" = "$(stty -g)" && echo as it was, code $code`)
	w.shows(shown)
}

// ended waits for the program's end.
func (w *window) ended(code int) {
	w.t.Helper()
	w.shows(fmt.Sprintf("as it was, code %d", code))
	if got := w.tmux("display-message", "-p", "-t", w.name, "#{alternate_on} #{cursor_flag} #{mouse_any_flag}"); got != "0 1 0" {
		w.t.Errorf("the terminal is left with alternate screen, cursor, mouse: %s", got)
	}
}

// pid is the process that the shell of the window runs.
func (w *window) pid() int {
	w.t.Helper()
	shell := w.tmux("display-message", "-p", "-t", w.name, "#{pane_pid}")
	b, err := os.ReadFile("/proc/" + shell + "/task/" + shell + "/children")
	if err != nil {
		w.t.Fatal(err)
	}
	pid, err := strconv.Atoi(string(bytes.TrimSpace(b)))
	if err != nil {
		w.t.Fatalf("the shell runs %q", b)
	}
	return pid
}

func (w *window) signal(s syscall.Signal) {
	w.t.Helper()
	if err := syscall.Kill(w.pid(), s); err != nil {
		w.t.Fatal(err)
	}
}

const answers = `{"rules":[
 {"when":{"user":"first words"},"reply":{"text":"The first answer."}},
 {"when":{"user":"second words"},"reply":{"text":"The second answer."}},
 {"when":{},"reply":{"text":"Another answer."}}]}`

func TestTerminalIsGivenBack(t *testing.T) {
	for _, tt := range []struct {
		name string
		end  func(*window)
		code int
	}{
		{"by a command", func(w *window) { w.line("/quit") }, 0},
		{"by ctrl+d", func(w *window) { w.key("C-d") }, 0},
		{"by SIGTERM", func(w *window) { w.signal(syscall.SIGTERM) }, 143},
		{"by SIGHUP", func(w *window) { w.signal(syscall.SIGHUP) }, 129},
	} {
		for _, mode := range []string{"fullscreen", "regular"} {
			t.Run(tt.name+" "+mode, func(t *testing.T) {
				w := newTerminals(t, answers).open("one", 80, 24)
				w.bough("--tui-mode " + mode)
				w.line("first words")
				w.shows("The first answer.")
				tt.end(w)
				w.ended(tt.code)
			})
		}
	}
}

func TestStopAndGoOnInATerminal(t *testing.T) {
	w := newTerminals(t, answers).open("one", 80, 24)
	w.line("set -m")
	w.bough("")
	w.line("first words")
	w.shows("The first answer.")
	w.key("C-z")
	w.shows("topped") // as the shell says, in letters of its choice
	w.line("stty -a | grep -o ' icanon'; echo shell")
	w.shows("icanon", "shell")
	w.line("fg")
	w.shows("The first answer.", "(scripted) one")
	w.line("second words")
	w.shows("The second answer.")
	w.line("/quit")
	w.until("left", func(screen string) bool {
		return strings.Contains(screen, "$") && !strings.Contains(screen, "(scripted) one")
	})
}

// A resize storm and a large paste; then all is there.
func TestStormsInATerminal(t *testing.T) {
	w := newTerminals(t, answers).open("one", 80, 24)
	w.bough("")
	w.line("first words")
	w.shows("The first answer.")
	for i := range 60 {
		w.tmux("resize-window", "-t", w.name, "-x", strconv.Itoa(20+i*37%180), "-y", strconv.Itoa(5+i*13%50))
	}
	w.tmux("resize-window", "-t", w.name, "-x", "100", "-y", "30")
	w.shows("first words", "The first answer.", "(scripted) one")
	w.paste(strings.Repeat("a line of a large paste\n", 1<<20/24))
	w.shows("paste")
	w.key("C-c") // it is cleared
	w.until("no paste", func(screen string) bool { return !strings.Contains(screen, "paste") })
	w.line("second words")
	w.shows("The second answer.")
	w.line("/quit")
	w.ended(0)
}

// What a killed program leaves is taken up.
func TestKilledInATerminal(t *testing.T) {
	ts := newTerminals(t, answers)
	w := ts.open("one", 80, 24)
	w.bough("--session-id s1")
	w.line("first words")
	w.shows("The first answer.")
	w.signal(syscall.SIGKILL)
	w.shows("Killed") // as the shell says
	next := ts.open("next", 80, 24)
	next.bough("--session s1")
	next.shows("first words", "The first answer.")
	next.line("second words")
	next.shows("The second answer.")
	next.line("/quit")
	next.ended(0)
}

// Two terminals stand at one session: what one says the other shows, and when the
// first is killed the second goes on.
func TestTwoTerminalsAtOneSession(t *testing.T) {
	ts := newTerminals(t, answers)
	one := ts.open("one", 80, 24)
	one.bough("--session-id s1")
	one.line("first words")
	one.shows("The first answer.")
	two := ts.open("two", 100, 30)
	two.bough("--session s1")
	two.shows("The first answer.")
	two.line("second words")
	two.shows("The second answer.")
	one.shows("second words", "The second answer.")
	one.signal(syscall.SIGKILL)
	two.shows("it goes on here")
	two.line("third words")
	two.shows("Another answer.")
	two.line("/quit")
	two.ended(0)
}

// The terminal goes away: the program ends, and the conversation is kept.
func TestTerminalIsLost(t *testing.T) {
	ts := newTerminals(t, answers)
	keeper := ts.open("keeper", 80, 24)
	w := ts.open("one", 80, 24)
	w.bough("--session-id s1")
	w.line("first words")
	w.shows("The first answer.")
	pid := w.pid()
	w.tmux("kill-session", "-t", w.name)
	for limit := time.Now().Add(patience); syscall.Kill(pid, 0) == nil; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatal("it goes on without a terminal")
		}
	}
	keeper.bough("--session s1")
	keeper.shows("The first answer.")
	keeper.line("/quit")
	keeper.ended(0)
}
