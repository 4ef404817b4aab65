package repl

import (
	"github.com/boughdev/bough/internal/frontend/slash"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/protocol"
)

// export writes the conversation to a file.
func (r *repl) export(c slash.Command) {
	a, err := c.Args("--all-branches", "--static", "--redact", "--force")
	if err != nil {
		r.failed(err)
		return
	}
	if len(a.Words) > 1 {
		r.say("Give one file; quotes keep blanks: /export \"my notes.md\".")
		return
	}
	out, err := protocol.Call(r.ctx, r.c, protocol.Export{Path: a.Text(), Whole: a.Is["--all-branches"], Static: a.Is["--static"],
		Redact: a.Is["--redact"], Force: a.Is["--force"]})
	if err != nil {
		r.failed(err)
		return
	}
	r.say("Written to %s", render.OneLine(out.Path))
	if out.Redacted != "" {
		r.say("%s", out.Redacted)
	}
}
