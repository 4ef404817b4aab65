//go:build unix

package builtin

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/internal/workspace"
	"github.com/boughdev/bough/message"
)

func TestBash(t *testing.T) {
	b := newBench(t, nil)
	for _, tt := range []struct {
		name, args, want, details string
		isError                   bool
	}{
		{"output", `{"command":"echo one; echo two >&2; echo three"}`, "one\ntwo\nthree\n", "", false},
		{"no output", `{"command":"true"}`, "(no output)", "", false},
		{"the folder", `{"command":"pwd"}`, b.dir + "\n", "", false},
		{"nothing to read", `{"command":"cat; echo $?"}`, "0\n", "", false},
		{"bash itself", `{"command":"[[ a == a ]] && echo yes"}`, "yes\n", "", false},
		{"an exit code", `{"command":"echo oops >&2; exit 3"}`, "oops\n\nCommand exited with code 3", `{"exitCode":3}`, true},
		{"an exit code without a line end before", `{"command":"printf oops; exit 3"}`, "oops\n\nCommand exited with code 3", `{"exitCode":3}`, true},
		{"an exit code without output", `{"command":"exit 3"}`, "Command exited with code 3", `{"exitCode":3}`, true},
		{"a signal", `{"command":"echo a; kill -9 $$"}`, "a\n\nCommand exited with code 137", `{"exitCode":137,"signal":9}`, true},
		{"a timeout in a string", `{"command":"sleep 60","timeout":"0.2"}`, "Command timed out after 0.2 seconds", `{"timedOut":true}`, true},
		{"colours", `{"command":"printf '\\033[31mred\\033[0m\\n'"}`, "red\n", "", false},
		{"a character in two writes", `{"command":"printf '\\303'; sleep 0.1; printf '\\251'"}`, "\u00e9", "", false},
		{"binary output", `{"command":"printf 'a\\000\\377\\376b'"}`, "a\uFFFD\uFFFDb", "", false},
		{"no timeout that is 0", `{"command":"true","timeout":0}`, "Invalid arguments for bash: timeout must be above 0 and at most 2147483 seconds.", "", true},
		{"no timeout that is too long", `{"command":"true","timeout":1e12}`, "Invalid arguments for bash: timeout must be above 0 and at most 2147483 seconds.", "", true},
		{"no timeout without end", `{"command":"true","timeout":"Infinity"}`, "Invalid arguments for bash: timeout must be above 0 and at most 2147483 seconds.", "", true},
		{"no command", `{}`, "Invalid arguments for bash: command is missing.", "", true},
		{"a command that no shell gets", `{"command":"a\u0000b"}`, "Invalid arguments for bash: command has a NUL character.", "", true},
		{"something left behind", `{"command":"sleep 60 & echo done"}`, "done\n", "", false},
		{"something left behind in a session of its own", `{"command":"setsid sleep 30 & echo done"}`, "done\n", "", false},
		{"something that leaves the group and holds the pipe, at a timeout", `{"command":"setsid sleep 30 & sleep 60","timeout":0.2}`,
			"Command timed out after 0.2 seconds", `{"timedOut":true}`, true},
		{"something that forks twice", `{"command":"(sh -c 'sleep 30 &' &); echo done; exit 3"}`, "done\n\nCommand exited with code 3", `{"exitCode":3}`, true},
		{"something that closes its outputs and goes on", `{"command":"exec >&- 2>&-; sleep 0.2; exit 5"}`, "Command exited with code 5", `{"exitCode":5}`, true},
		{"both outputs, mixed", `{"command":"for i in 1 2 3; do echo o$i; echo e$i >&2; done"}`, "o1\ne1\no2\ne2\no3\ne3\n", "", false},
		{"several lines and a comment at the end", `{"command":"echo a\necho b # c"}`, "a\nb\n", "", false},
		{"what only bash can do", `{"command":"false | true; echo ${PIPESTATUS[0]}"}`, "1\n", "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b.t = t
			start := time.Now()
			out := b.call("bash", tt.args)
			if text(out) != tt.want {
				t.Errorf("%q, want %q", text(out), tt.want)
			}
			if string(out.Details) != tt.details || out.IsError != tt.isError {
				t.Errorf("details %s, error %v", out.Details, out.IsError)
			}
			if took := time.Since(start); took > 25*time.Second { // what is left behind sleeps for 30
				t.Errorf("took %v", took)
			}
		})
	}
}

// What was said before a timeout is kept. A shell on a busy machine may need longer
// than the shortest to say it, or be held up for so long that it seems to be quiet.
func TestBashTimeout(t *testing.T) {
	b := newBench(t, nil)
	for _, tt := range []struct{ name, command, end, details string }{
		{"while the shell works", "echo a; sleep 60", "a\n\nCommand timed out after %s seconds", `{"timedOut":true}`},
		{"after the shell's end", "(while :; do echo x; : {1..3000}; done) & exit 4",
			"x\n\nCommand timed out after %s seconds; the shell itself had ended before with code 4, but something it started was still writing",
			`{"exitCode":4,"timedOut":true}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b.t = t
			var out message.Output
			for _, limit := range append(slices.Repeat([]string{"0.2"}, 20), "1", "5") {
				out = b.call("bash", args{"command": tt.command, "timeout": json.Number(limit)})
				if strings.HasSuffix(text(out), fmt.Sprintf(tt.end, limit)) && string(out.Details) == tt.details && out.IsError {
					return
				}
			}
			t.Errorf("error %v, details %s, end %q", out.IsError, out.Details, text(out)[max(0, len(text(out))-300):])
		})
	}
}

func TestBashCutsOutput(t *testing.T) {
	for _, tt := range []struct {
		name, command, text, note, by string
		full                          int // bytes
		isError                       bool
	}{
		{"many lines", "seq 1 5000", strings.TrimSuffix(strings.SplitAfterN(numbered(5000, ""), "3000\n", 2)[1], "\n"),
			"[Lines 3001-5000 of 5000. Full output: PATH]", "lines", 23893, false},
		{"many bytes", "for i in $(seq 100); do printf '%01023d\\n' $i; done", "", "[Lines 51-100 of 100. Full output: PATH]", "bytes", 102400, false},
		{"one long line", "echo start; head -c 2000000 /dev/zero | tr '\\0' x", strings.Repeat("x", maxBytes),
			"[Last 50.0KB of line 2, which has 1.9MB. Full output: PATH]", "bytes", 2000006, false},
		{"and fails", "seq 1 5000; exit 2", strings.TrimSuffix(strings.SplitAfterN(numbered(5000, ""), "3000\n", 2)[1], "\n") + "\n\nCommand exited with code 2",
			"[Lines 3001-5000 of 5000. Full output: PATH]", "lines", 23893, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, nil)
			out := b.call("bash", args{"command": tt.command})
			path, _ := rawjson.GetString(out.Details, "fullOutputPath")
			at := strings.LastIndex(text(out), "\n\n")
			if note := text(out)[at+2:]; note != strings.Replace(tt.note, "PATH", path, 1) {
				t.Errorf("note %q", note)
			}
			if got := text(out)[:at]; tt.text != "" && got != tt.text || len(got) > maxBytes+100 {
				t.Errorf("%d bytes: %.60q", len(got), got)
			}
			if by := detail(out, "truncation", "truncatedBy"); by != `"`+tt.by+`"` || out.IsError != tt.isError {
				t.Errorf("cut by %s, error %v", by, out.IsError)
			}
			info, err := os.Stat(path)
			if err != nil || info.Size() != int64(tt.full) || info.Mode().Perm() != 0o600 {
				t.Errorf("file %v, %v", info, err)
			}
			if !strings.HasPrefix(filepath.Base(path), "bough-") || filepath.Dir(path) != b.o.TempDir {
				t.Errorf("path %s", path)
			}
		})
	}
	b := newBench(t, nil)
	b.o.TempDir = b.path("none")
	out := b.call("bash", args{"command": "seq 3000"})
	if !strings.Contains(text(out), "The full output could not be kept: ") || detail(out, "fullOutputPath") != "" || out.IsError {
		t.Errorf("without a place for the file: %.100q %s", text(out)[len(text(out))-100:], out.Details)
	}
}

func TestBashDefaultTimeout(t *testing.T) {
	b := newBench(t, nil)
	b.o.BashTimeout = 200 * time.Millisecond
	const want = "Command timed out after 0.2 seconds (the default; set timeout for commands that take longer)"
	if out := b.call("bash", args{"command": "sleep 60"}); text(out) != want || !out.IsError {
		t.Errorf("%q", text(out))
	}
	for setting, want := range map[time.Duration]timeout{0: {600 * time.Second, true}, -1: {0, true}, time.Second: {time.Second, true}} {
		s := &set{o: Options{BashTimeout: setting}}
		if got := s.timeout(&arguments{object: []byte(`{}`)}); got != want {
			t.Errorf("for %v: %+v", setting, got)
		}
	}
}

func TestBashAborted(t *testing.T) {
	b := newBench(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out := b.callWith(ctx, "bash", args{"command": "echo begun; sleep 60"}, func(o message.Output) {
		if text(o) == "begun\n" {
			cancel()
		}
	})
	if text(out) != "begun\n\nCommand aborted" || !out.IsError {
		t.Errorf("%q, error %v", text(out), out.IsError)
	}
}

func TestBashProgress(t *testing.T) {
	b := newBench(t, nil)
	var mu sync.Mutex
	var seen []string
	var when []time.Time
	b.callWith(t.Context(), "bash", args{"command": "for i in 1 2 3 4 5 6 7 8; do echo $i; sleep 0.05; done; seq 3000"}, func(o message.Output) {
		mu.Lock()
		defer mu.Unlock()
		s := fmt.Sprintf("%q", text(o))
		if len(o.Content) == 0 {
			s = "empty"
		}
		seen, when = append(seen, s+" "+string(o.Details)), append(when, time.Now())
	})
	if len(seen) < 4 || len(seen) > 8 || seen[0] != "empty " || seen[1] != `"1\n" {}` {
		t.Errorf("%d: %.300q", len(seen), seen)
	}
	for i := 2; i < len(when); i++ {
		if d := when[i].Sub(when[i-1]); d < progressEvery {
			t.Errorf("%v between two", d)
		}
		if !strings.HasPrefix(seen[i], `"1\n2\n`) && !strings.Contains(seen[i], "truncation") {
			t.Errorf("%.100q", seen[i])
		}
	}
}

func TestBashEnvironment(t *testing.T) {
	t.Setenv("PI_SESSION_ID", "outer")
	t.Setenv("BOUGH_SESSION_FILE", "outer")
	t.Setenv("PI_MODEL", "outer")
	b := newBench(t, map[string]string{"agent/bin/hello": "#!/bin/sh\necho hello\n"})
	if err := os.Chmod(b.path("agent/bin/hello"), 0o755); err != nil {
		t.Fatal(err)
	}
	b.o = Options{AgentDir: b.path("agent"), ShellPrefix: "X=prefix", Session: func() Session {
		return Session{ID: "s1", Provider: "p", Model: "m", ReasoningLevel: "high"}
	}}
	const show = `echo $AI_AGENT $BOUGH $X; hello; env | grep -E '^(PI|BOUGH)_(SESSION|PROV|MODEL|REAS)' | sort`
	const own = "bough 1 prefix\nhello\n"
	const session = "BOUGH_MODEL=m\nBOUGH_PROVIDER=p\nBOUGH_REASONING_LEVEL=high\nBOUGH_SESSION_ID=s1\n" +
		"PI_MODEL=m\nPI_PROVIDER=p\nPI_REASONING_LEVEL=high\nPI_SESSION_ID=s1\n"
	if got := text(b.call("bash", args{"command": show})); got != own+session {
		t.Errorf("the model's command has %q", got)
	}
	r, err := RunUserCommand(t.Context(), workspace.NewLocal(b.dir), b.o, show, nil)
	if err != nil || r.Output != own {
		t.Errorf("the user's command has %q, %v", r.Output, err)
	}
}

func TestBashWithoutFolderOrShell(t *testing.T) {
	b := newBench(t, nil)
	b.o.ShellPath = "/no/such/shell"
	if out := b.call("bash", args{"command": "true"}); !out.IsError || !strings.HasPrefix(text(out), "The command could not be run: ") {
		t.Errorf("%q", text(out))
	}
	b.o.ShellPath = "/bin/sh"
	if out := b.call("bash", args{"command": "echo $0"}); text(out) != "/bin/sh\n" {
		t.Errorf("%q", text(out))
	}
	if err := os.RemoveAll(b.dir); err != nil {
		t.Fatal(err)
	}
	if out := b.call("bash", args{"command": "true"}); !out.IsError || !strings.Contains(text(out), b.dir) {
		t.Errorf("%q", text(out))
	}
}

func TestRunUserCommand(t *testing.T) {
	code := func(n int) *int { return &n }
	for _, tt := range []struct {
		name, command string
		want          BashResult
	}{
		{"success", "printf 'hello\\n'", BashResult{Output: "hello\n", ExitCode: code(0)}},
		{"failure", "echo bad >&2; exit 7", BashResult{Output: "bad\n", ExitCode: code(7)}},
		{"nothing", "true", BashResult{ExitCode: code(0)}},
		{"what is no text", "printf 'a\\r\\n\\033[1mb\\033[0m\\007\\n'", BashResult{Output: "a\nb\n", ExitCode: code(0)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, nil)
			var deltas strings.Builder
			got, err := RunUserCommand(t.Context(), workspace.NewLocal(b.dir), b.o, tt.command, func(s string) { deltas.WriteString(s) })
			if err != nil {
				t.Fatal(err)
			}
			if got.Output != tt.want.Output || *got.ExitCode != *tt.want.ExitCode || got.Cancelled || got.Truncated || got.FullOutputPath != "" {
				t.Errorf("%+v", got)
			}
			if deltas.String() != tt.want.Output {
				t.Errorf("deltas %q", deltas.String())
			}
		})
	}
}

func TestRunUserCommandCancelledAndCut(t *testing.T) {
	b := newBench(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	got, err := RunUserCommand(ctx, workspace.NewLocal(b.dir), b.o, "echo begun; sleep 30", func(string) { cancel() })
	if err != nil || !got.Cancelled || got.ExitCode != nil || got.Output != "begun\n" {
		t.Errorf("%+v, %v", got, err)
	}
	got, err = RunUserCommand(t.Context(), workspace.NewLocal(b.dir), b.o, "seq 2500", nil)
	if err != nil || !got.Truncated || !strings.HasPrefix(got.Output, "501\n") || !strings.HasSuffix(got.Output, "\n2500") {
		t.Errorf("%.50q, %v", got.Output, err)
	}
	if full, err := os.ReadFile(got.FullOutputPath); err != nil || string(full) != numbered(2500, "") {
		t.Errorf("full output: %d bytes, %v", len(full), err)
	}
	if _, err := RunUserCommand(t.Context(), workspace.NewLocal(b.path("none")), b.o, "true", nil); err == nil {
		t.Error("no error without a folder")
	}
}

func BenchmarkBash(b *testing.B) {
	w := newBench(b, nil)
	f := w.tool("bash")
	for b.Loop() {
		if out, err := f.Run(b.Context(), []byte(`{"command":"echo hello"}`), nil); err != nil || out.IsError {
			b.Fatal(err, out)
		}
	}
}
