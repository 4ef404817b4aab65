package acp

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/internal/workspace"
	"github.com/boughdev/bough/protocol"
)

var _ workspace.Lender = (*live)(nil)

// maxOutput is how much an editor keeps of what a command prints, in bytes.
const maxOutput = 4 << 20

// patience is how long an editor may take to end a command and to say what it has
// printed.
const patience = 5 * time.Second

const terminalMark = "terminal "

// lend has the tools of the session work through the editor.
func (s *live) lend() {
	read, write, term := s.a.lends()
	if s.a.o.Lend == nil || !read && !write && !term {
		return
	}
	release := s.a.o.Lend(string(s.id), s)
	s.mu.Lock()
	if s.closed {
		defer release()
	} else {
		s.release = release
	}
	s.mu.Unlock()
}

// lent reports whether a file lies in a folder that the editor works in.
func (s *live) lent(path string) bool {
	for _, r := range s.roots {
		if rel, err := filepath.Rel(r, path); r != "" && err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			return true
		}
	}
	return false
}

// ReadText reads a file as the editor has it, which may be changed and not saved.
func (s *live) ReadText(ctx context.Context, path string) (string, error) {
	if read, _, _ := s.a.lends(); !read || !s.lent(path) {
		return "", workspace.ErrNotLent
	}
	r, err := ask[sdk.ReadTextFileResponse](ctx, s.a.conn, sdk.ClientMethodFsReadTextFile, sdk.ReadTextFileRequest{SessionId: s.id, Path: path})
	return r.Content, err
}

// WriteText writes a file by way of the editor.
func (s *live) WriteText(ctx context.Context, path, text string) error {
	if read, write, _ := s.a.lends(); !read || !write || !s.lent(path) {
		return workspace.ErrNotLent // what is written must be what was read
	}
	_, err := ask[sdk.WriteTextFileResponse](ctx, s.a.conn, sdk.ClientMethodFsWriteTextFile, sdk.WriteTextFileRequest{SessionId: s.id, Path: path, Content: text})
	return err
}

// terminal is one of the editor's that runs a command.
type terminal struct {
	id      string
	number  string // ours
	command string
	shown   bool          // in the call that it belongs to; guarded by live.mu
	told    chan struct{} // closed when the follower has come to where it was made
}

// Run runs a command in a terminal of the editor.
func (s *live) Run(ctx context.Context, c workspace.Command) (workspace.Exit, error) {
	if _, _, term := s.a.lends(); !term {
		return workspace.Exit{}, workspace.ErrNotLent
	}
	r := sdk.CreateTerminalRequest{SessionId: s.id, Command: c.Args[0], Args: c.Args[1:], Cwd: &c.Dir, OutputByteLimit: sdk.Ptr(maxOutput)}
	values := map[string]string{}
	var order []string
	for _, e := range c.Env {
		name, value, set := strings.Cut(e, "=")
		if !set {
			continue // the editor's environment is its own
		}
		if _, twice := values[name]; !twice {
			order = append(order, name)
		}
		values[name] = value
	}
	for _, name := range order {
		r.Env = append(r.Env, sdk.EnvVariable{Name: name, Value: values[name]})
	}
	// What the editor has begun must be ended, so its answer is waited for also when
	// ctx ends in between.
	making, giveUp := context.WithCancel(s.a.ctx)
	defer giveUp()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(patience, giveUp) })()
	made, err := ask[sdk.CreateTerminalResponse](making, s.a.conn, sdk.ClientMethodTerminalCreate, r)
	switch {
	case err != nil && ctx.Err() != nil:
		return workspace.Exit{}, context.Cause(ctx)
	case err != nil:
		return workspace.Exit{}, workspace.ErrNotLent
	}
	t := &terminal{id: made.TerminalId, command: c.Args[len(c.Args)-1], told: make(chan struct{})}
	s.mu.Lock()
	s.made++
	t.number = strconv.Itoa(s.made)
	s.terminals = append(s.terminals, t)
	s.mu.Unlock()
	defer s.giveBack(t)
	// It is shown before it can be given back: the follower has told of the call
	// when it comes to the mark.
	if _, err := protocol.Call(ctx, s.c, protocol.Sync{ID: terminalMark + t.number}); err == nil {
		select {
		case <-t.told:
		case <-ctx.Done():
		case <-s.left:
		}
	}

	of := sdk.WaitForTerminalExitRequest{SessionId: s.id, TerminalId: t.id}
	done, err := ask[sdk.WaitForTerminalExitResponse](ctx, s.a.conn, sdk.ClientMethodTerminalWaitForExit, of)
	exit := workspace.Exit{Ended: ctx.Err() == nil}
	if exit.Ended && err != nil {
		return workspace.Exit{}, err
	}
	soon, cancel := context.WithTimeout(s.a.ctx, patience)
	defer cancel()
	if !exit.Ended {
		_, _ = ask[sdk.KillTerminalResponse](soon, s.a.conn, sdk.ClientMethodTerminalKill, sdk.KillTerminalRequest{SessionId: s.id, TerminalId: t.id}) // it may have ended by itself
	}
	out, err := ask[sdk.TerminalOutputResponse](soon, s.a.conn, sdk.ClientMethodTerminalOutput, sdk.TerminalOutputRequest{SessionId: s.id, TerminalId: t.id})
	if err == nil && c.Output != nil {
		if out.Truncated {
			c.Output([]byte("[the editor has kept the end only]\n"))
		}
		c.Output([]byte(strings.ReplaceAll(out.Output, "\r\n", "\n")))
	}
	if out.ExitStatus != nil && done.ExitCode == nil && done.Signal == nil {
		done.ExitCode, done.Signal = out.ExitStatus.ExitCode, out.ExitStatus.Signal
	}
	switch {
	case done.ExitCode != nil:
		exit.Code = *done.ExitCode
	case done.Signal != nil || !exit.Ended:
		exit.Signal, exit.Code = 15, 128+15
		if done.Signal != nil && strings.HasSuffix(strings.ToUpper(*done.Signal), "KILL") {
			exit.Signal, exit.Code = 9, 128+9
		}
	}
	if !exit.Ended {
		return exit, context.Cause(ctx)
	}
	return exit, nil
}

// giveBack lets the editor forget a terminal, which it goes on to show.
func (s *live) giveBack(t *terminal) {
	s.mu.Lock()
	s.terminals = slices.DeleteFunc(s.terminals, func(x *terminal) bool { return x == t })
	s.mu.Unlock()
	s.a.conn.work.Go(func() {
		_, _ = ask[sdk.ReleaseTerminalResponse](s.a.ctx, s.a.conn, sdk.ClientMethodTerminalRelease, sdk.ReleaseTerminalRequest{SessionId: s.id, TerminalId: t.id}) // there is nothing to do about it
	})
}

// showTerminals shows in calls the terminals that their commands run in. It is
// called where one of them was made.
func (s *live) showTerminals(number string) {
	defer s.tellTerminal(number)
	for _, id := range slices.Sorted(maps.Keys(s.calls)) {
		c := s.calls[id]
		command, ok := rawjson.GetString(c.args, "command")
		if !ok || !c.running || c.over || c.terminal != "" {
			continue
		}
		if c.terminal = s.terminalOf(command); c.terminal != "" {
			s.update(toolCall{Kind: callUpdate, ID: c.id, Content: []sdk.ToolCallContent{sdk.ToolTerminalRef(c.terminal)}})
		}
	}
}

func (s *live) tellTerminal(number string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.IndexFunc(s.terminals, func(t *terminal) bool { return t.number == number }); i >= 0 {
		close(s.terminals[i].told)
	}
}

func (s *live) terminalOf(command string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.terminals {
		if !t.shown && strings.HasSuffix(t.command, command) {
			t.shown = true
			return t.id
		}
	}
	return ""
}
