package repl

import (
	"fmt"
	"strings"

	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// shell is a command of the user that is running. Beside a run it says what it
// has to say at its end, or the two would be one text.
type shell struct {
	id       string
	command  string
	beside   bool
	clean    render.Cleaner
	wrote    bool
	recorded bool // its entry is there, so all its output is too
	result   *protocol.BashResult
}

// runShell runs what stands behind "!", or behind "!!" to keep it from the model.
func (r *repl) runShell(words string) {
	command, hidden := strings.CutPrefix(words[1:], "!")
	if command = strings.TrimSpace(command); command == "" {
		r.say("A command of the shell stands behind the mark: !ls, or !!ls to keep its output from the model.")
		return
	}
	if r.shell != nil {
		r.say("A command is running already; ctrl+c stops it.")
		return
	}
	sh := &shell{id: session.NewSessionID(), command: command, beside: r.working()}
	r.shell = sh
	r.beside(func() func() {
		res, err := protocol.Call(r.ctx, r.c, protocol.Bash{ID: sh.id, Command: command, ExcludeFromContext: hidden})
		return func() { r.shellOver(res, err) }
	})
}

// output writes what the command says.
func (s *shell) output(out *output, delta string) {
	if s.beside {
		return
	}
	if !s.wrote {
		out.fresh()
	}
	if text := s.clean.Clean(delta); text != "" {
		s.wrote = true
		out.print(none, text)
	}
}

func (r *repl) shellOver(res protocol.BashResult, err error) {
	if err != nil {
		r.shell, r.stopping = nil, false
		r.failed(err)
		return
	}
	r.shell.result = &res
	r.shellStep()
}

// shellStep ends a command once all of it is known. While a run goes on its
// entry waits for the end of that.
func (r *repl) shellStep() {
	s := r.shell
	if s == nil || s.result == nil || !s.recorded && !s.beside && !r.view.Running {
		return
	}
	r.shell = nil
	if !r.working() {
		r.stopping = false
	}
	res := s.result
	if s.beside {
		r.out.line(dim, "$ "+render.Cut(render.OneLine(s.command), r.o.Width-2))
		s.beside = false
		s.output(r.out, res.Output)
	}
	if !s.wrote {
		s.wrote = res.Output != ""
		r.out.print(none, render.Clean(res.Output))
	}
	r.out.fresh()
	switch {
	case res.Cancelled || res.ExitCode == nil:
		r.out.line(dim, "(cancelled)")
	case *res.ExitCode != 0:
		r.out.line(dim, fmt.Sprintf("(exit %d)", *res.ExitCode))
	case !s.wrote:
		r.out.line(dim, "(no output)")
	}
	if res.Truncated && res.FullOutputPath != "" {
		r.out.line(dim, "(cut for the model; all of it is in "+render.OneLine(res.FullOutputPath)+")")
	}
}
