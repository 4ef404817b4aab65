//go:build unix

package workspace_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/boughdev/bough/internal/workspace"
)

// run runs a shell script and returns its output too.
func run(ctx context.Context, ws *workspace.Local, script string, env ...string) (string, workspace.Exit, error) {
	var out bytes.Buffer
	exit, err := ws.Run(ctx, workspace.Command{Args: []string{"/bin/sh", "-c", script}, Env: env, Output: func(b []byte) { out.Write(b) }})
	return out.String(), exit, err
}

func TestRun(t *testing.T) {
	t.Setenv("WS_OUTER", "outer")
	t.Setenv("WS_GONE", "gone")
	dir := t.TempDir()
	ws := workspace.NewLocal(dir)
	defer ws.Close()
	for _, tt := range []struct {
		name, script, want string
		exit               workspace.Exit
	}{
		{"both outputs in order", "echo a; echo b >&2; echo c", "a\nb\nc\n", workspace.Exit{Ended: true}},
		{"an exit code", "exit 7", "", workspace.Exit{Code: 7, Ended: true}},
		{"a signal", "kill -9 $$", "", workspace.Exit{Code: 137, Signal: 9, Ended: true}},
		{"nothing to read", "cat; echo done", "done\n", workspace.Exit{Ended: true}},
		{"no terminal", "(exec 3</dev/tty) 2>/dev/null || echo none", "none\n", workspace.Exit{Ended: true}},
		{"the environment", "echo $WS_OUTER $WS_NEW ${WS_GONE-unset} $PWD", "inner new unset " + dir + "\n", workspace.Exit{Ended: true}},
		{"output that ends before the command", "exec >&- 2>&-; exit 3", "", workspace.Exit{Code: 3, Ended: true}},
		{"much output", "head -c 3000000 /dev/zero | tr '\\0' x", strings.Repeat("x", 3000000), workspace.Exit{Ended: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out, exit, err := run(t.Context(), ws, tt.script, "WS_OUTER=first", "WS_OUTER=inner", "WS_NEW=new", "WS_GONE")
			if out != tt.want || exit != tt.exit || err != nil {
				t.Errorf("%.100q %+v %v, want %.100q %+v", out, exit, err, tt.want, tt.exit)
			}
		})
	}
}

func TestRunDoesNotWaitForWhatIsLeftBehind(t *testing.T) {
	dir := t.TempDir()
	ws := workspace.NewLocal(dir)
	out, exit, err := run(t.Context(), ws, "(for i in $(seq 1200); do [ -e over ] && break; sleep 0.05; done; echo late; echo late; touch alive) & echo $!; exit 4")
	if err != nil || exit != (workspace.Exit{Code: 4, Ended: true}) || strings.Contains(out, "late") {
		t.Errorf("%q %+v %v", out, exit, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "over"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	// Writing on does not end it, since its output is still taken.
	comesUp(t, filepath.Join(dir, "alive"))
}

// comesUp waits for a file that something left behind makes.
func comesUp(t *testing.T, path string) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(path); err == nil {
			return
		} else if time.Now().After(end) {
			t.Fatalf("nobody makes %s", path)
		}
	}
}

func TestRunWaitsForLateOutput(t *testing.T) {
	var out string
	for range 50 { // a busy machine may make what is late too late
		if out, _, _ = run(t.Context(), workspace.NewLocal(t.TempDir()), "(sleep 0.05; echo late) & echo soon"); out == "soon\nlate\n" {
			return
		}
	}
	t.Errorf("output %q", out)
}

func TestRunStops(t *testing.T) {
	stopped := errors.New("stopped")
	for _, tt := range []struct {
		name, script, want string
		after              time.Duration
		exit               workspace.Exit
	}{
		{"the whole group", "sleep 60 & echo on; sleep 60", "on\n", 0, workspace.Exit{Code: 143, Signal: 15}},
		{"with what it still says", "trap 'echo bye; exit 5' TERM; sleep 60 & sleep 0.1; echo on; wait", "on\nbye\n", 0, workspace.Exit{Code: 5}},
		{"what does not listen", "trap '' TERM; echo on; sleep 60; sleep 60", "on\n", 0, workspace.Exit{Code: 137, Signal: 9}},
		{"what the ended command left behind", "(while :; do echo x; sleep 0.02; done) & exit 6", "", 300 * time.Millisecond,
			workspace.Exit{Code: 6, Ended: true}},
		{"what is suspended", "sleep 60 & kill -STOP $!; echo on; wait", "on\n", 0, workspace.Exit{Code: 143, Signal: 15}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			once := func(after time.Duration) error {
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				var out bytes.Buffer
				start := time.Now()
				if after > 0 {
					time.AfterFunc(after, func() { cancel(stopped) })
				}
				exit, err := workspace.NewLocal(t.TempDir()).Run(ctx, workspace.Command{Args: []string{"/bin/sh", "-c", "echo $$; " + tt.script}, Output: func(b []byte) {
					out.Write(b)
					if after == 0 && bytes.Contains(b, []byte("on\n")) {
						cancel(stopped)
					}
				}})
				if took := time.Since(start); took > 50*time.Second { // what runs there sleeps for 60
					t.Errorf("took %v", took)
				}
				pid, rest, _ := strings.Cut(out.String(), "\n")
				if _, err := os.Stat("/proc/" + pid); err == nil && pid != "" {
					t.Errorf("%s lives on", pid)
				}
				if exit != tt.exit || err != stopped || tt.want != "" && rest != tt.want {
					return fmt.Errorf("%q %+v %v, want %q %+v", rest, exit, err, tt.want, tt.exit)
				}
				return nil
			}
			err := once(tt.after)
			for try := 1; err != nil && tt.after > 0 && try < 20; try++ { // a busy machine may not come so far in that time, or seem quiet
				err = once(time.Duration(try) * tt.after)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
}

func TestRunWhatCannotRun(t *testing.T) {
	ws := workspace.NewLocal(filepath.Join(t.TempDir(), "gone"))
	if _, _, err := run(t.Context(), ws, "true"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("in a folder that is gone: %v", err)
	}
	if _, err := workspace.NewLocal(t.TempDir()).Run(t.Context(), workspace.Command{Args: []string{"/no/such/program"}}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a program that is not there: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := run(ctx, ws, "true"); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %v", err)
	}
}

func TestClose(t *testing.T) {
	dir := t.TempDir()
	ws := workspace.NewLocal(dir)
	late := "((for i in $(seq 1200); do [ -e over ] && break; sleep 0.05; done; echo late; echo late; touch alive); touch dead) & echo soon"
	if out, _, err := run(t.Context(), ws, late); out != "soon\n" || err != nil {
		t.Fatalf("%q, %v", out, err)
	}
	if err := ws.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "over"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	comesUp(t, filepath.Join(dir, "dead"))
	if _, err := os.Stat(filepath.Join(dir, "alive")); err == nil {
		t.Error("an output that was given up is still taken")
	}
	if out, _, err := run(t.Context(), ws, "sleep 0.2 & echo on"); out != "on\n" || err != nil {
		t.Errorf("after Close: %q, %v", out, err)
	}
}
