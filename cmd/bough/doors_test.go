package main

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/boughdev/bough/internal/cli"
	"github.com/boughdev/bough/internal/remote"
	"github.com/boughdev/bough/protocol"
)

// A door is a way to start bough in RPC mode.
type door struct {
	name  string
	start func(t *testing.T, dir string, env map[string]string, args []string, stderr *bytes.Buffer) (program, io.WriteCloser, io.Reader)
}

// program is one that was started.
type program interface {
	signal(*testing.T, syscall.Signal)
	kill()
	wait() (code int) // once, when the output has ended
}

// piped is the program as clients start it. near is the same in this process, and
// far has HTTP between the front end and the session.
var (
	piped = door{"pipe", process("bough")}
	near  = door{"near", inProcess}
	doors = []door{piped, near, {"far", process("bough-far")}}
)

func process(name string) func(*testing.T, string, map[string]string, []string, *bytes.Buffer) (program, io.WriteCloser, io.Reader) {
	return func(t *testing.T, dir string, env map[string]string, args []string, stderr *bytes.Buffer) (program, io.WriteCloser, io.Reader) {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Stderr = dir, stderr
		for k, v := range env {
			cmd.Env = append(cmd.Env, k+"="+v)
		}
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return (*child)(cmd), in, out
	}
}

type child exec.Cmd

func (c *child) signal(t *testing.T, s syscall.Signal) {
	t.Helper()
	if err := c.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
}

func (c *child) kill() { c.Process.Kill() } // an error says that it has ended

func (c *child) wait() int {
	(*exec.Cmd)(c).Wait() // its error is the exit code
	return c.ProcessState.ExitCode()
}

// inside is bough in this process.
type inside struct {
	cancel context.CancelFunc
	got    atomic.Int32 // the signal
	in     io.Closer
	code   chan int
}

func inProcess(t *testing.T, dir string, env map[string]string, args []string, stderr *bytes.Buffer) (program, io.WriteCloser, io.Reader) {
	t.Helper()
	stdin, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, stdout, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { out.Close() })
	ctx, cancel := context.WithCancel(context.Background())
	p := &inside{cancel: cancel, in: in, code: make(chan int, 1)}
	go func() {
		code := cli.Main(ctx, cli.Env{Args: args, Stdin: stdin, Stdout: stdout, Stderr: stderr, Dir: physical(dir),
			Getenv: func(name string) string { return env[name] }, Signalled: func() int { return int(p.got.Load()) }})
		cancel()
		stdin.Close()
		p.code <- code
		stdout.Close()
	}()
	return p, in, out
}

func (p *inside) signal(_ *testing.T, s syscall.Signal) {
	p.got.Store(int32(s))
	p.cancel()
}

func (p *inside) kill() { p.cancel(); p.in.Close() }

func (p *inside) wait() int { return <-p.code }

// far puts HTTP between a front end and its sessions.
func far(to protocol.Door) (protocol.Door, func(), error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, nil, err
	}
	token := strings.Repeat("0123456789abcdef", 4)
	s := &remote.Server{Door: to, Tokens: []remote.Key{{Token: token, Role: remote.Owner}}}
	h := &http.Server{Handler: s.Handler()}
	go h.Serve(l) // until it is closed
	return &remote.Dialer{Address: l.Addr().String(), Token: token}, func() {
		s.Close()
		h.Close()
	}, nil
}
