package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/boughdev/bough/session/filestore"
)

// attachWorld is a user's machine with processes on it.
type attachWorld struct {
	t     *testing.T
	ctx   context.Context
	dir   string
	env   []string
	store filestore.Store
}

func newAttachWorld(t *testing.T) *attachWorld {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("sessions are not joined there")
	}
	dir, env, store := attachEnv(t)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	t.Cleanup(cancel)
	return &attachWorld{t, ctx, dir, env, store}
}

func (w *attachWorld) command(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(w.ctx, "bough", args...)
	cmd.Dir, cmd.Env = w.dir, w.env
	return cmd
}

// bough runs a command to its end and returns what it prints.
func (w *attachWorld) bough(args ...string) (string, error) {
	out, err := w.command(args...).CombinedOutput()
	return string(out), err
}

func (w *attachWorld) want(part string, args ...string) {
	w.t.Helper()
	if out, err := w.bough(args...); err != nil || !strings.Contains(out, part) {
		w.t.Errorf("bough %s: %v\n%s\nwant %q", strings.Join(args, " "), err, out, part)
	}
}

func (w *attachWorld) refuses(part string, args ...string) {
	w.t.Helper()
	if out, err := w.bough(args...); err == nil || !strings.Contains(out, part) {
		w.t.Errorf("bough %s: %v\n%s\nwant a refusal with %q", strings.Join(args, " "), err, out, part)
	}
}

func (w *attachWorld) file() string {
	w.t.Helper()
	found, err := filepath.Glob(filepath.Join(w.dir, "agent", "sessions", "*", "*.jsonl"))
	if err != nil || len(found) != 1 {
		w.t.Fatalf("the sessions are %v, %v", found, err)
	}
	return found[0]
}

// serve starts the service and returns its process.
func (w *attachWorld) serve(args ...string) *exec.Cmd {
	w.t.Helper()
	cmd := w.command(append([]string{"serve", "--port", "0"}, args...)...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "bough serves sessions at http://127.0.0.1:") {
		w.t.Fatalf("it says %q, %v", line, err)
	}
	return cmd
}

// The service keeps what runs in it running when the front end is killed, and is
// found by whoever attaches.
func TestServe(t *testing.T) {
	w := newAttachWorld(t)
	w.refuses("bough serve does not run", "serve", "--status")
	w.refuses("bough serve does not run", "serve", "--stop")
	w.refuses("Start bough serve in another terminal", "attach", "-p", "x")
	w.want("Done.", "-p", "--model", "scripted/one", "begin")
	w.refuses("Start bough serve in another terminal", "attach", w.file(), "-p", "x")
	w.refuses("an address of this machine alone", "serve", "--host", "0.0.0.0")
	w.refuses("use a number up to 65535", "serve", "--port", "65536")
	service := w.serve()
	w.want(fmt.Sprintf("(process %d)", service.Process.Pid), "serve", "--status")
	w.want("bough serve runs already at http://127.0.0.1:", "serve")
	var card struct {
		Address, TokenFile string
		PID                int
	}
	b, err := os.ReadFile(filepath.Join(w.dir, "state", "bough", "serve.json"))
	if err == nil {
		err = json.Unmarshal(b, &card)
	}
	if err != nil || card.PID != service.Process.Pid {
		t.Errorf("serve.json is %s, %v", b, err)
	}
	for _, name := range []string{"serve.json", "token"} {
		if info, err := os.Stat(filepath.Join(w.dir, "state", "bough", name)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}

	// A front end begins a run there and is killed at once.
	cmd := w.command("attach", "--mode", "json", "go on")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for sc := bufio.NewScanner(out); sc.Scan(); {
		if strings.Contains(sc.Text(), `"message_update"`) {
			break
		}
	}
	cmd.Process.Kill()
	cmd.Wait() // it was killed
	other := startFront(t, w.ctx, w.dir, w.env, "--model", "scripted/one", "--session", w.file())
	other.rests()
	if h := w.store.Holder(w.file()); h == nil || h.PID != service.Process.Pid || h.Addr != card.Address {
		t.Errorf("the session is run by %+v, not by the service", h)
	}
	if got := other.entries(); strings.Count(got, "go on") != 1 || strings.Count(got, "Done.") != 2 {
		t.Errorf("the run has not come to its end: %s", got)
	}
	w.want("(open) begin", "sessions", "list")
	w.want("begin", "serve", "--status")

	// The service dies; who is there takes over.
	service.Process.Kill()
	service.Wait() // it was killed
	if a := other.ask(`{"type":"set_session_name","name":"mine"}`); a["success"] != true {
		t.Errorf("the name was not set: %v", a)
	}
	if h := w.store.Holder(w.file()); h == nil || h.PID != other.cmd.Process.Pid {
		t.Errorf("the session is run by %+v, want process %d", h, other.cmd.Process.Pid)
	}
	w.want("Done.", "attach", "MINE", "-p", "by its name")
	w.want("Done.", "--attach", w.file(), "-p", "by its path")
	other.in.Close()
	other.cmd.Wait() // its end is of no interest
	w.refuses("no bough has this session open", "--attach", w.file(), "-p", "x")

	// It ends in order.
	service = w.serve()
	w.want("has ended", "serve", "--stop")
	service.Wait() // by a signal
	if _, err := os.Stat(filepath.Join(w.dir, "state", "bough", "serve.json")); err == nil {
		t.Error("serve.json is still there")
	}
}

// In a folder without a session one is begun in the service, which goes on there.
func TestAttachBegins(t *testing.T) {
	w := newAttachWorld(t)
	service := w.serve("--model", "scripted/one")
	w.want("nothing goes on in it", "serve", "--status")
	w.refuses("no session has the id or the name", "attach", "nosuch", "-p", "x")
	w.want("runs in bough serve", "attach", "--name", "the first", "-p", "begin")
	w.want("Done.", "attach", "-p", "go on")
	w.want("the first", "sessions", "list")
	f := startFront(t, w.ctx, w.dir, w.env, "--model", "scripted/one", "--session", w.file())
	if got := f.entries(); strings.Count(got, "Done.") != 2 || !strings.Contains(got, "begin") {
		t.Errorf("the session has %s", got)
	}
	f.in.Close()
	f.cmd.Wait() // its end is of no interest
	w.want("has ended", "serve", "--stop")
	service.Wait() // by a signal
}

// What a lease says is not believed further than it can be checked: the session is
// worked on beside, and the token goes nowhere.
func TestHostileLeases(t *testing.T) {
	w := newAttachWorld(t)
	w.want("Done.", "-p", "--model", "scripted/one", "begin")
	for _, addr := range []string{"", "127.0.0.1:1", "192.0.2.7:80", "localhost:80", "127.0.0.1", "http://127.0.0.1:1/", "[::1]:1", "\\u0000"} {
		release, err := w.store.Lease(t.Context(), w.file(), addr) // by this process, which answers nobody
		if err != nil {
			t.Fatal(err)
		}
		out, err := w.bough("-p", "-c", "beside")
		if err != nil || !strings.Contains(out, "Done.") || !strings.Contains(out, "also open in another bough") {
			t.Errorf("%q: %v\n%s", addr, err, out)
		}
		w.refuses("does not answer", "--attach", w.file(), "-p", "x")
		if err := release(); err != nil {
			t.Fatal(err)
		}
	}
	w.want("Done.", "-p", "-c", "--no-attach", "after")
	token := filepath.Join(w.dir, "state", "bough", "token")
	if err := os.WriteFile(token, []byte("short\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.want("Done.", "-p", "-c", "without a token")
	if err := os.Chmod(token, 0o644); err != nil {
		t.Fatal(err)
	}
	w.want("Done.", "-p", "-c", "with a token that others can read")
	w.refuses("delete the file", "serve", "--port", "0")
}

// Without a place for its state bough works as it does alone.
func TestNoStateFolder(t *testing.T) {
	w := newAttachWorld(t)
	if err := os.WriteFile(filepath.Join(w.dir, "state"), nil, 0o600); err != nil { // no folder can be made there
		t.Fatal(err)
	}
	for _, text := range []string{"one", "two"} {
		if out, err := w.command("-p", "-c", "--model", "scripted/one", text).Output(); err != nil || strings.TrimSpace(string(out)) != "Done." {
			t.Errorf("%s: %v\n%s", text, err, out)
		}
	}
}

// A run that is to have other tools, or in a script another model, than the bough
// that has the session works beside that; --attach joins it all the same.
func TestOtherToolsWorkBeside(t *testing.T) {
	w := newAttachWorld(t)
	w.want("Done.", "-p", "--model", "scripted/one", "begin")
	f := startFront(t, w.ctx, w.dir, w.env, "--model", "scripted/one", "--session", w.file())
	f.ask(`{"type":"get_state"}`)
	w.want("also open in another bough", "-p", "-c", "--tools", "read", "x")
	w.want("also open in another bough", "-p", "-c", "--model", "scripted/one", "x")
	w.want("also open in another bough", "-p", "-c", "--no-attach", "x")
	w.want("Joined this session", "-p", "-c", "x")
	w.want("--tools has no effect", "-p", "--attach", w.file(), "--tools", "read", "x")
	f.in.Close()
	f.cmd.Wait() // its end is of no interest
}

// A REPL shows what others say, and that it has taken the session over.
func TestREPLThatJoins(t *testing.T) {
	w := newAttachWorld(t)
	w.want("Done.", "-p", "--model", "scripted/one", "begin")
	f := startFront(t, w.ctx, w.dir, w.env, "--model", "scripted/one", "--session", w.file())
	f.ask(`{"type":"get_state"}`)
	cmd := w.command("--repl", "-c")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	until := func(part string) {
		t.Helper()
		var seen []string
		for lines.Scan() {
			seen = append(seen, lines.Text())
			if strings.Contains(lines.Text(), part) {
				return
			}
		}
		t.Fatalf("%q never came:\n%s", part, strings.Join(seen, "\n"))
	}
	say := func(line string) {
		t.Helper()
		if _, err := fmt.Fprintln(in, line); err != nil {
			t.Fatal(err)
		}
	}
	until("Joined this session")
	f.ask(`{"type":"prompt","message":"from afar"}`)
	until("> (rpc) from afar")
	until("Done.")
	f.cmd.Process.Kill()
	f.cmd.Wait() // it was killed
	until("it goes on here")
	say("/detach")
	until("This session runs in this bough")
	say("and from here")
	until("Done.")
	other := startFront(t, w.ctx, w.dir, w.env, "--model", "scripted/one", "--session", w.file())
	other.ask(`{"type":"get_state"}`)
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Errorf("the REPL ends with %v", err)
	}
	if got := other.entries(); strings.Count(got, "from afar") != 1 || strings.Count(got, "and from here") != 1 {
		t.Errorf("the other one has %s", got)
	}
	other.in.Close()
	other.cmd.Wait() // its end is of no interest
}
