package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/boughdev/bough/internal/export"
	"github.com/boughdev/bough/internal/frontend/slash"
	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/session/filestore"
)

// exportCommand writes the conversation of a session to a file of its own.
func exportCommand(ctx context.Context, env Env, opts map[string]string, words []string) error {
	c := command{name: "export"}
	all := opts["--all-branches"] != ""
	switch {
	case len(words) != 2:
		return c.usage("give a session, its path or id, and the file to write, OUT.jsonl")
	case all && (opts["--branch"] != "" || opts["--labels"] != ""):
		return c.usage("--all-branches is the whole file as it is; it goes with neither --branch nor --labels")
	case opts["--exact"] != "" && opts["--branch"] == "":
		return c.usage("--exact needs --branch")
	}
	out := words[1]
	if out != "-" {
		out = env.abs(out)
		switch filepath.Ext(out) {
		case ".jsonl":
		case ".html", ".htm", ".md":
			return c.usage("HTML and Markdown come later; this version writes session files, OUT.jsonl")
		default:
			return c.usage("the file to write must be a session file, OUT.jsonl, not %s", oneLine(words[1], 60))
		}
	}
	r, err := newRunner(env, &args{sessionDir: opts["--session-dir"], maxTurns: -1})
	if err != nil {
		return err
	}
	path, err := r.pathOf(ctx, words[0])
	if err != nil {
		return err
	}
	write := func(w io.Writer) error { return copyFileTo(w, path) }
	rep := export.Report{}
	if !all {
		s, err := session.Open(ctx, r.store, path)
		if err != nil {
			return headerless(path, err)
		}
		defer s.Close()
		o := export.Options{Labels: opts["--labels"] != "", Now: time.Now()}
		if o.Leaf, err = r.exported(s.Tree(), path, opts); err != nil {
			return err
		}
		write = func(w io.Writer) error {
			rep, err = export.JSONL(w, s.Header(), s.Tree(), o)
			return err
		}
	}
	if out == "-" {
		w := bufio.NewWriterSize(env.Stdout, 1<<16)
		if err := write(w); err != nil {
			return err
		}
		err = w.Flush()
	} else {
		err = writeOut(out, opts["--force"] != "", write)
	}
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s is there already. --force overwrites it", out)
	}
	if err != nil {
		return err
	}
	if rep.Left > 0 {
		r.say("%s on the way could not be read and were left out; bough doctor %s says more.", render.Plural(rep.Left, "line", "lines"), path)
	}
	if opts["--json"] != "" && out != "-" {
		_, err = fmt.Fprintf(env.Stdout, "{\"path\":%s,\"entries\":%d,\"left\":%d}\n", rawjson.Quote(out), rep.Entries, rep.Left)
	}
	return err
}

// exported returns the entry to which the way is exported.
func (r *runner) exported(t *session.Tree, path string, opts map[string]string) (session.ID, error) {
	word := opts["--branch"]
	if word == "" {
		leaf := t.Leaf()
		if leaf == "" {
			return "", errors.New("the conversation stands before its first entry, so there is nothing to export. --branch ENTRY takes another place, --all-branches all")
		}
		return leaf, nil
	}
	at, err := slash.Target(t, word)
	if err != nil && !strings.HasPrefix(word, "#") {
		err = fmt.Errorf("the session has no entry and no label %q. bough tree %s --ids lists them", oneLine(word, 60), path)
	}
	if err != nil || opts["--exact"] != "" {
		return at, err
	}
	end, err := t.TurnEnd(at, t.Leaf())
	if err == nil && end != at {
		r.say("%s stands between a call and its results; the export goes on to the last of them, %s. --exact ends it there.", at, end)
	}
	return end, err
}

func copyFileTo(w io.Writer, path string) error {
	if _, err := filestore.ReadHeader(path); err != nil {
		return headerless(path, fmt.Errorf("export %s: %w", path, err))
	}
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	defer f.Close()
	_, err = io.Copy(w, f)
	return err
}

// writeOut makes a file, whole or not at all, and not in the place of another unless
// that is wanted.
func writeOut(path string, force bool, write func(io.Writer) error) error {
	if _, err := os.Lstat(path); err == nil && !force {
		return fs.ErrExist
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".export-*")
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	defer os.Remove(f.Name()) // gone already, or of no use
	w := bufio.NewWriterSize(f, 1<<16)
	err = write(w)
	if ferr := w.Flush(); err == nil {
		err = ferr
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	switch {
	case err != nil:
	case force:
		err = os.Rename(f.Name(), path)
	default:
		if err = os.Link(f.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
			err = os.Rename(f.Name(), path) // a file system without hard links
		}
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		err = fmt.Errorf("export: %w", err)
	}
	return err
}
