package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/internal/export"
	"github.com/boughdev/bough/protocol"
)

// exportLive writes a session that is open, as /export asks for it.
func (r *runner) exportLive(ctx context.Context, e control.Exporting, x protocol.Export) (protocol.Exported, error) {
	out := x.Path
	if out == "" {
		name := e.File
		if name == "" {
			name = e.Header.ID
		}
		out = exportName(name)
	}
	j := exportJob{out: r.env.abs(out), static: x.Static, force: x.Force}
	fail := func(err error) (protocol.Exported, error) {
		return protocol.Exported{}, protocol.Fail(protocol.BadRequest, "%v", err)
	}
	if out == "-" {
		return fail(errors.New("in a conversation an export is a file; name one that ends in .html, .md or .jsonl"))
	}
	if j.same(e.File) {
		return fail(fmt.Errorf(overItself, j.out))
	}
	var err error
	said := ""
	if x.Page {
		said = "html"
	}
	if j.format, err = exportFormat(out, said); err != nil {
		return fail(err)
	}
	switch {
	case x.Static && j.format != "html":
		return fail(errors.New("--static belongs to pages, OUT.html"))
	case x.Whole && j.format == "md":
		return fail(errors.New("Markdown has one branch: leave --all-branches out"))
	}
	j.o = export.Options{Leaf: e.Leaf, Now: time.Now(), Redact: r.redactor(x.Redact)}
	if x.Whole {
		j.o.Leaf, j.o.Stand = "", e.Leaf
	}
	rep, err := r.export(ctx, j, e.Header, e.Tree)
	if errors.Is(err, fs.ErrExist) {
		return fail(errors.New(j.out + " is there already. --force overwrites it; over RPC it is force"))
	} else if err != nil {
		return fail(err)
	}
	done := protocol.Exported{Path: j.out}
	if x.Redact {
		done.Redacted = redactedWords(rep.Redacted)
	}
	return done, nil
}
