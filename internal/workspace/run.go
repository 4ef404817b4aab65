package workspace

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

const (
	// quietAfter is how long the output of an ended command must be silent
	// while another process still holds it.
	quietAfter = 100 * time.Millisecond

	// killAfter is how long a command that is told to end may take.
	killAfter = 2 * time.Second
)

// Run runs a command in a session and process group of its own. Output that
// processes it left behind write later is read and dropped, so that it does not
// end them.
func (l *Local) Run(ctx context.Context, c Command) (Exit, error) {
	if ctx.Err() != nil {
		return Exit{}, context.Cause(ctx)
	}
	dir := c.Dir
	if dir == "" {
		dir = l.dir
	}
	if info, err := os.Stat(dir); err != nil {
		return Exit{}, err
	} else if !info.IsDir() {
		return Exit{}, &fs.PathError{Op: "run in", Path: dir, Err: errors.New("is not a folder")}
	}
	r, w, err := os.Pipe()
	if err != nil {
		return Exit{}, err
	}
	cmd := exec.Command(c.Args[0], c.Args[1:]...)
	cmd.Dir = dir
	cmd.Env = environ(os.Environ(), append([]string{"PWD=" + dir}, c.Env...))
	cmd.Stdout, cmd.Stderr = w, w
	detach(cmd)
	err = cmd.Start()
	w.Close()
	if err != nil {
		r.Close()
		return Exit{}, err
	}

	p := &process{cmd: cmd, exited: make(chan struct{}), output: c.Output, pipe: newPipe(r, l.drained)}
	go func() {
		_ = cmd.Wait() // what it says is in ProcessState
		close(p.exited)
	}()
	p.err = p.wait(ctx)
	l.drain(p.pipe)
	return p.exit(), p.err
}

// drain lets what is left of a pipe run out.
func (l *Local) drain(p *pipe) {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(p.left)
	switch {
	case p.over:
	case l.closed:
		p.file.Close()
	default:
		if l.drains == nil {
			l.drains = map[*os.File]struct{}{}
		}
		l.drains[p.file] = struct{}{}
	}
}

// drained is called when a pipe has come to its end.
func (l *Local) drained(p *pipe) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p.over = true
	delete(l.drains, p.file)
}

// process is a command that runs.
type process struct {
	cmd    *exec.Cmd
	exited chan struct{} // closed when the command itself has ended
	pipe   *pipe
	output func([]byte)
	ended  bool // by itself
	err    error
}

// wait passes output on until the command has ended and is quiet, or ctx ends.
func (p *process) wait(ctx context.Context) error {
	quiet := time.NewTimer(0)
	quiet.Stop()
	exited := p.exited
	for {
		select {
		case b, ok := <-p.pipe.chunks:
			if !ok {
				return p.last(ctx)
			}
			p.pass(b)
			if exited == nil {
				quiet.Reset(quietAfter)
			}
		case <-exited:
			p.ended, exited = true, nil
			quiet.Reset(quietAfter)
		case <-quiet.C:
			return nil
		case <-ctx.Done():
			p.stop()
			return context.Cause(ctx)
		}
	}
}

// last waits for a command whose output has ended.
func (p *process) last(ctx context.Context) error {
	p.pipe.ended = true
	select {
	case <-p.exited:
		p.ended = true
		return nil
	case <-ctx.Done():
		p.stop()
		return context.Cause(ctx)
	}
}

func (p *process) pass(b []byte) {
	if p.output != nil {
		p.output(b)
	}
	p.pipe.taken <- struct{}{}
}

// stop ends the command's group: first it is told to, then made to.
func (p *process) stop() {
	select {
	case <-p.exited:
		p.ended = true
	default:
	}
	pid := p.cmd.Process.Pid
	terminate(pid)
	p.collect(killAfter, func() bool { return p.gone() && !groupAlive(pid) })
	kill(pid)
	// What cannot be killed (it waits for a dead disk, say) is left alone.
	p.collect(killAfter, p.gone)
	p.collect(quietAfter, func() bool { return p.pipe.ended })
}

func (p *process) gone() bool {
	select {
	case <-p.exited:
		return true
	default:
		return false
	}
}

// collect passes output on until done says so or the time is over.
func (p *process) collect(atMost time.Duration, done func() bool) {
	over := time.NewTimer(atMost)
	defer over.Stop()
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	for !done() {
		chunks := p.pipe.chunks
		if p.pipe.ended {
			chunks = nil
		}
		select {
		case b, ok := <-chunks:
			if ok {
				p.pass(b)
			} else {
				p.pipe.ended = true
			}
		case <-look.C:
		case <-over.C:
			return
		}
	}
}

func (p *process) exit() Exit {
	e := Exit{Ended: p.ended}
	if !p.gone() {
		e.Code = -1
		return e
	}
	e.Code, e.Signal = exitCode(p.cmd.ProcessState)
	return e
}

// environ returns base with changes: NAME=value sets, a NAME alone removes.
func environ(base, changes []string) []string {
	type slot struct {
		set   bool
		value string
	}
	last := make(map[string]slot, len(changes))
	for _, c := range changes {
		name, _, set := strings.Cut(c, "=")
		last[envKey(name)] = slot{set, c}
	}
	out := make([]string, 0, len(base)+len(changes))
	for _, b := range base {
		name, _, _ := strings.Cut(b, "=")
		if _, changed := last[envKey(name)]; !changed || name == "" {
			out = append(out, b)
		}
	}
	for _, c := range changes {
		name, _, _ := strings.Cut(c, "=")
		if s, ok := last[envKey(name)]; ok && s.set {
			out = append(out, s.value)
			delete(last, envKey(name))
		}
	}
	return out
}

func envKey(name string) string {
	if runtime.GOOS == "windows" {
		return strings.ToUpper(name)
	}
	return name
}
