package builtin

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/boughdev/bough/internal/workspace"
	"github.com/boughdev/bough/message"
)

var bashSpec = message.ToolSpec{
	Name: "bash",
	Description: "Runs a command in bash, in the project folder, without a terminal or input. Gives back stdout and stderr " +
		"together, the last 2000 lines or 50KB; a longer output is kept in a file.",
	Parameters: message.Value(`{"type":"object","properties":{` +
		`"command":{"type":"string"},` +
		`"timeout":{"type":"number","description":"Seconds"}},"required":["command"]}`),
	Prompt: "run a shell command",
}

func powershellSpec() message.ToolSpec {
	s := bashSpec
	s.Name = "powershell"
	s.Description = strings.Replace(s.Description, "in bash", "in PowerShell", 1)
	s.Prompt = "run a PowerShell command"
	return s
}

const (
	defaultTimeout = 600 * time.Second
	maxTimeout     = 2_147_483 // seconds
	progressEvery  = 100 * time.Millisecond
)

// errTimeout is why a command was ended that took too long.
var errTimeout = errors.New("timeout")

// bash runs the bash tool.
func (s *set) bash(ctx context.Context, a *arguments, progress func(message.Output)) message.Output {
	return s.command(ctx, a, progress, s.o.shellCommand)
}

// powershell runs the tool of that name.
func (s *set) powershell(ctx context.Context, a *arguments, progress func(message.Output)) message.Output {
	return s.command(ctx, a, progress, func(command string, env []string, output func([]byte)) workspace.Command {
		c := s.o.shellCommand("", env, output)
		c.Args = []string{"powershell.exe", "-NoProfile", "-NonInteractive", "-Command", command}
		return c
	})
}

// shell makes a command of what a shell is to do.
type shell func(command string, env []string, output func([]byte)) workspace.Command

func (s *set) command(ctx context.Context, a *arguments, progress func(message.Output), shell shell) message.Output {
	command := a.text("command")
	limit := s.timeout(a)
	if strings.ContainsRune(command, 0) {
		a.complain("command has a NUL character")
	}
	if out, bad := a.refused(); bad {
		return out
	}
	var env []string
	if s.o.Session != nil {
		env = s.o.Session().env()
	}
	run, cancel := ctx, context.CancelFunc(func() {})
	if limit.after > 0 {
		run, cancel = context.WithTimeoutCause(ctx, limit.after, errTimeout)
	}
	defer cancel()

	live := startProgress(progress, s.o.tempDir())
	exit, err := s.ws.Run(run, shell(command, env, live.add))
	out := live.finish()
	switch {
	case err == nil:
		return out.result(exit, exitWords(exit))
	case errors.Is(err, errTimeout):
		out.timedOut = true
		return out.result(exit, limit.words(exit))
	case run.Err() != nil:
		return out.result(exit, "Command aborted")
	}
	return fail("The command could not be run: %v", err)
}

// timeout is how long a command may take; 0 means for ever.
type timeout struct {
	after time.Duration
	ours  bool // nobody asked for it
}

func (s *set) timeout(a *arguments) timeout {
	seconds, ok := a.number("timeout")
	if !ok {
		if s.o.BashTimeout == 0 {
			return timeout{defaultTimeout, true}
		}
		return timeout{max(0, s.o.BashTimeout), true}
	}
	if !(seconds > 0 && seconds <= maxTimeout) {
		a.complain("timeout must be above 0 and at most %d seconds", maxTimeout)
	}
	return timeout{after: time.Duration(seconds * float64(time.Second))}
}

// words say that the time was over.
func (t timeout) words(e workspace.Exit) string {
	text := "Command timed out after " + strconv.FormatFloat(t.after.Seconds(), 'f', -1, 64) + " seconds"
	if t.ours {
		text += " (the default; set timeout for commands that take longer)"
	}
	if e.Ended {
		text += fmt.Sprintf("; the shell itself had ended before with code %d, but something it started was still writing", e.Code)
	}
	return text
}

func exitWords(e workspace.Exit) string {
	if e.Code == 0 {
		return ""
	}
	return fmt.Sprintf("Command exited with code %d", e.Code)
}

// output is what a command has written, as a result shows it.
type output struct {
	text     string
	cut      truncation
	path     string // of the full output
	note     string
	timedOut bool
}

// result makes the result; words tell how the command failed, or are "".
func (o output) result(e workspace.Exit, words string) message.Output {
	text := o.text
	if text == "" && words == "" {
		text = "(no output)"
	}
	for _, more := range []string{words, o.note} {
		if more == "" {
			continue
		}
		if text != "" {
			text = strings.TrimSuffix(text, "\n") + "\n\n"
		}
		text += more
	}
	out := message.TextOutput(text)
	out.IsError = words != ""
	d := newObject()
	o.details(d)
	if out.IsError && e.Ended {
		d.num("exitCode", e.Code)
	}
	if o.timedOut {
		d.bool("timedOut", true)
	}
	if e.Ended && e.Signal != 0 {
		d.num("signal", e.Signal)
	}
	out.Details = d.unlessEmpty()
	return out
}

func (o output) details(d *object) {
	if o.cut.cut() {
		d.raw("truncation", o.cut.json())
		if o.path != "" {
			d.str("fullOutputPath", o.path)
		}
	}
}

// live shows the output of a running command now and then.
type live struct {
	mu      sync.Mutex
	capture capture       // guarded by mu
	changed chan struct{} // has one element if there is something new
	done    chan struct{} // closed when the command has ended
	ended   sync.WaitGroup
}

func startProgress(progress func(message.Output), dir string) *live {
	l := &live{capture: capture{dir: dir}, changed: make(chan struct{}, 1), done: make(chan struct{})}
	progress(message.Output{Content: []message.Block{}})
	l.ended.Go(func() {
		for {
			select {
			case <-l.changed:
				progress(l.partial())
			case <-l.done:
				return
			}
			select {
			case <-time.After(progressEvery):
			case <-l.done:
				return
			}
		}
	})
	return l
}

// add takes output of the command.
func (l *live) add(b []byte) {
	l.mu.Lock()
	text := l.capture.add(b)
	l.mu.Unlock()
	if len(text) > 0 {
		select {
		case l.changed <- struct{}{}:
		default:
		}
	}
}

// now returns what there is.
func (l *live) now() output {
	l.mu.Lock()
	defer l.mu.Unlock()
	var o output
	o.text, o.cut = l.capture.tail()
	o.path, o.note = l.capture.fullPath(), l.capture.note(o.cut)
	return o
}

func (l *live) partial() message.Output {
	o := l.now()
	d := newObject()
	o.details(d)
	return message.Output{Content: []message.Block{message.Text(o.text)}, Details: d.done()}
}

// finish ends the showing; the command has ended.
func (l *live) finish() output {
	close(l.done)
	l.ended.Wait()
	l.capture.finish()
	return l.now()
}
