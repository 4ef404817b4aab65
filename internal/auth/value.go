package auth

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// A value in a file is meant literally, except that
//
//	$NAME ${NAME}   stand for an environment variable, anywhere in the text
//	$$ $!           stand for "$" and "!"
//	!command        at the very start: the output of a command
//
// (docs/spec/frontends.md H-51).

// commandLimit is how long a command may take that prints a key.
const commandLimit = 10 * time.Second

// isCommand returns the command that a value is, if it is one.
func isCommand(value string) (string, bool) {
	c, ok := strings.CutPrefix(value, "!")
	return strings.TrimSpace(c), ok
}

// expand puts in the variables of a value that is no command. A variable that is
// not set makes the value one that is not set.
func expand(value string, env func(string) string) (string, bool) {
	var b strings.Builder
	for {
		text, rest, ok := strings.Cut(value, "$")
		b.WriteString(text)
		if !ok {
			return b.String(), true
		}
		if strings.HasPrefix(rest, "$") || strings.HasPrefix(rest, "!") {
			b.WriteByte(rest[0])
			value = rest[1:]
			continue
		}
		name, after := variable(rest)
		if name == "" {
			b.WriteByte('$')
			value = rest
			continue
		}
		v := env(name)
		if v == "" {
			return "", false
		}
		b.WriteString(v)
		value = after
	}
}

// variable returns the name at the beginning of s, braces or not, and the rest.
func variable(s string) (name, rest string) {
	if inner, ok := strings.CutPrefix(s, "{"); ok {
		name, rest, ok := strings.Cut(inner, "}")
		if n, more := variable(name); !ok || n == "" || more != "" {
			return "", s
		}
		return name, rest
	}
	n := 0
	for n < len(s) && (s[n] == '_' || s[n]|0x20 >= 'a' && s[n]|0x20 <= 'z' || n > 0 && s[n] >= '0' && s[n] <= '9') {
		n++
	}
	return s[:n], s[n:]
}

var errNoOutput = errors.New("it printed nothing")

// run returns what a command prints, without the space around it. Its own words
// on standard error are not repeated: they may hold secrets.
func run(ctx context.Context, command string) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, commandLimit, fmt.Errorf("it took longer than %v", commandLimit))
	defer cancel()
	shell := []string{"/bin/sh", "-c"}
	if runtime.GOOS == "windows" {
		shell = []string{"cmd", "/C"}
	}
	c := exec.CommandContext(ctx, shell[0], append(shell[1:], command)...)
	c.WaitDelay = time.Second
	var out output
	c.Stdout = &out
	err := c.Run()
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case out.tooMuch:
		return "", fmt.Errorf("it printed more than %d KB, which is no key", maxOutput>>10)
	case err != nil && !errors.Is(err, exec.ErrWaitDelay): // which tells of what it left running
		return "", errors.New(exitText(err))
	}
	s := strings.TrimSpace(string(out.text))
	if s == "" {
		return "", errNoOutput
	}
	return s, nil
}

// maxOutput is what a command may print, in bytes.
const maxOutput = 64 << 10

// output keeps what a command prints. Behind the limit it takes no more, which
// ends the command.
type output struct {
	text    []byte
	tooMuch bool
}

func (o *output) Write(p []byte) (int, error) {
	if len(o.text)+len(p) > maxOutput {
		o.tooMuch = true
		return 0, errors.New("too much")
	}
	o.text = append(o.text, p...)
	return len(p), nil
}

// exitText says how a command ended, without what it printed.
func exitText(err error) string {
	if e, ok := errors.AsType[*exec.ExitError](err); ok {
		return e.ProcessState.String()
	}
	return "it could not be started"
}
