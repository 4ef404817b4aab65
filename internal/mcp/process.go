package mcp

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// How long a server has to end by itself when its input is closed, and when it
// is told to.
const (
	endGrace  = 500 * time.Millisecond
	termGrace = 2 * time.Second
)

// process is a server that was started.
type process struct {
	cmd    *exec.Cmd
	stdin  *os.File
	stdout *os.File
	stderr *os.File
	exited chan struct{} // closed when it is gone and waited for
	state  string        // how it ended; after exited
}

// launch starts the command of a server in a process group of its own.
func launch(s Server, dir string, environ []string, log *serverLog) (*process, error) {
	cwd := dir
	if s.Cwd != "" {
		cwd = s.Cwd
	}
	if fi, err := os.Stat(cwd); err != nil || !fi.IsDir() {
		return nil, fmt.Errorf("its folder %s is not there: correct cwd in %s", cwd, s.File)
	}
	path, err := lookPath(s.Command, cwd, environ)
	if err != nil {
		return nil, err
	}
	p := &process{exited: make(chan struct{})}
	p.cmd = exec.Command(path, s.Args...)
	p.cmd.Dir, p.cmd.Env = cwd, environ
	detach(p.cmd)
	var theirs []*os.File
	ok := false
	defer func() {
		for _, f := range theirs {
			f.Close()
		}
		if !ok {
			p.closePipes()
		}
	}()
	pipe := func() (r, w *os.File) {
		if err == nil {
			r, w, err = os.Pipe()
		}
		return r, w
	}
	var in, out, errs *os.File
	in, p.stdin = pipe()
	p.stdout, out = pipe()
	p.stderr, errs = pipe()
	for _, f := range []*os.File{in, out, errs} {
		if f != nil {
			theirs = append(theirs, f)
		}
	}
	if err != nil {
		return nil, err
	}
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = in, out, errs
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("%s cannot be started: %w", s.Command, startReason(err))
	}
	ok = true
	go log.copy(p.stderr) // ends with its output, or when stop closes the pipe
	go func() {
		err := p.cmd.Wait()
		p.state = "it ended by itself"
		if e, ok := errors.AsType[*exec.ExitError](err); ok {
			p.state = fmt.Sprintf("it ended with %s", e.ProcessState)
		}
		close(p.exited)
	}()
	return p, nil
}

// startReason leaves the path out of an error, which is told already.
func startReason(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}

// lookPath finds a command as the server's environment has it.
func lookPath(command, cwd string, environ []string) (string, error) {
	notFound := fmt.Errorf("there is no command %s: install it, or correct command in mcp.json", command)
	if strings.ContainsRune(command, '/') || runtime.GOOS == "windows" && strings.ContainsRune(command, '\\') {
		if !filepath.IsAbs(command) {
			command = filepath.Join(cwd, command)
		}
		path, err := exec.LookPath(command)
		if errors.Is(err, fs.ErrPermission) {
			return "", fmt.Errorf("%s may not be run: chmod +x makes it a program", command)
		} else if err != nil {
			return "", notFound
		}
		return path, nil
	}
	if runtime.GOOS == "windows" {
		path, err := exec.LookPath(command)
		if err != nil {
			return "", notFound
		}
		return path, nil
	}
	for _, dir := range filepath.SplitList(lookup(environ, "PATH")) {
		if dir == "" {
			continue
		}
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(cwd, dir)
		}
		if path, err := exec.LookPath(filepath.Join(dir, command)); err == nil {
			return path, nil
		}
	}
	return "", notFound
}

// lookup returns the last value of a variable.
func lookup(environ []string, name string) (value string) {
	for _, e := range environ {
		if k, v, ok := strings.Cut(e, "="); ok && k == name {
			value = v
		}
	}
	return value
}

func (p *process) closePipes() {
	for _, f := range []*os.File{p.stdin, p.stdout, p.stderr} {
		if f != nil {
			f.Close()
		}
	}
}

// stop ends a server and what it started: its input is closed, then it is told
// to end, then it is killed. It returns when nothing is left.
func (p *process) stop() {
	p.stdin.Close()
	defer p.closePipes()
	pid := p.cmd.Process.Pid
	if p.gone(endGrace) && !groupAlive(pid) {
		return
	}
	terminate(pid)
	if p.gone(termGrace) {
		// A wrapper may be gone while what it started still ends.
		for end := time.Now().Add(termGrace); groupAlive(pid) && time.Now().Before(end); {
			time.Sleep(10 * time.Millisecond)
		}
	}
	kill(pid)
	<-p.exited
}

func (p *process) gone(in time.Duration) bool {
	t := time.NewTimer(in)
	defer t.Stop()
	select {
	case <-p.exited:
		return true
	case <-t.C:
		return false
	}
}

// transport is the connection over the pipes of the process.
func (p *process) transport(log *serverLog) mcp.Transport {
	lines := &lineReader{r: bufio.NewReaderSize(p.stdout, 64<<10), c: p.stdout, log: log}
	return &mcp.IOTransport{Reader: lines, Writer: p.stdin, MaxLineLength: -1}
}

// maxMessage is the longest message that is taken, in bytes.
const maxMessage = 64 << 20

// lineReader leaves out of the output of a server what is no message: the
// greetings and warnings that many print.
type lineReader struct {
	r    *bufio.Reader
	c    io.Closer
	log  *serverLog
	rest []byte
}

func (l *lineReader) Close() error { return l.c.Close() }

func (l *lineReader) Read(p []byte) (int, error) {
	for len(l.rest) == 0 {
		line, err := l.line()
		if isMessage(line) {
			l.rest = append(line, '\n')
			break
		}
		if len(line) > 0 {
			l.log.print("stdout", string(line))
		}
		if err != nil {
			return 0, err
		}
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// line returns the next line without its end. One that is too long is cut, and
// thereby no message.
func (l *lineReader) line() ([]byte, error) {
	var line []byte
	for {
		part, err := l.r.ReadSlice('\n')
		if len(line) <= maxMessage {
			line = append(line, part...)
		}
		if err == nil || !errors.Is(err, bufio.ErrBufferFull) {
			if len(line) > maxMessage {
				line = append(line[:1<<10:1<<10], " … (a line of more than 64 MB)"...)
			}
			return bytes.TrimSpace(line), err
		}
	}
}

// client returns what a server is told of bough: nothing that it may ask for.
func (s *server) client() *mcp.Client {
	return mcp.NewClient(&mcp.Implementation{Name: "bough", Version: s.m.o.Version}, &mcp.ClientOptions{
		Capabilities:           &mcp.ClientCapabilities{},
		ToolListChangedHandler: func(_ context.Context, r *mcp.ToolListChangedRequest) { s.relist(r.Session) },
		LoggingMessageHandler: func(_ context.Context, r *mcp.LoggingMessageRequest) {
			s.log.print(strings.TrimSpace(string(r.Params.Level)+" "+r.Params.Logger), fmt.Sprint(r.Params.Data))
		},
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { s.progress(r.Params) },
	})
}
