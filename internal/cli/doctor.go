package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/boughdev/bough/internal/doctor"
	"github.com/boughdev/bough/internal/importer"
	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/internal/render"
)

// errSilent is for a command that has said all, and whose answer is no.
var errSilent = errors.New("")

// shownOfKind is how many findings of one kind are shown to people.
const shownOfKind = 5

// doctorCommand says what is wrong with a session file, or with all of the store,
// and repairs one into a new file. The exit code is 1 if something is damaged.
func doctorCommand(ctx context.Context, env Env, opts map[string]string, words []string) error {
	repair := opts["--repair"] != ""
	switch {
	case len(words) == 0 && repair, opts["--all"] != "" && repair:
		return commandUsage("doctor", "--repair takes one session: bough doctor --repair FILE|ID [OUT]")
	case opts["--all"] != "" && len(words) > 0:
		return commandUsage("doctor", "give a session or --all, not both")
	case len(words) == 0:
		return doctorAll(ctx, env, opts)
	case len(words) > 2, len(words) == 2 && !repair:
		return commandUsage("doctor", "give one session, its path or id, or --all")
	}
	_, path, err := find(ctx, env, opts, words)
	if err != nil {
		return err
	}
	r, err := doctor.Check(ctx, path)
	if err != nil {
		return err
	}
	defer r.Close()
	if !r.Session {
		if t, err := importer.Recognize(path); err == nil {
			return reportTree(env.Stdout, t, opts["--json"] != "")
		}
	}
	out := bufio.NewWriterSize(env.Stdout, 1<<16)
	if repair {
		o := doctor.RepairOptions{Dir: env.Dir, Now: time.Now()}
		if len(words) == 2 {
			o.Out = env.abs(words[1])
		}
		err = repairSession(out, r, o, opts["--json"] != "")
	} else {
		if opts["--json"] != "" {
			out.Write(append(r.JSON(), '\n')) // bufio keeps the first error for Flush
		} else {
			reportText(out, r)
		}
		if !r.Fine() {
			err = errSilent
		}
	}
	if ferr := out.Flush(); ferr != nil {
		return ferr
	}
	return err
}

// reportTree says what a headerless tree is.
func reportTree(out io.Writer, t *importer.Tree, asJSON bool) error {
	var err error
	if asJSON {
		_, err = fmt.Fprintf(out, `{"path":%s,"verdict":"headerless tree","entries":%d,"branches":%d,"left":%d}`+"\n", rawjson.Quote(t.Path), t.Entries, t.Branches, t.Left)
	} else {
		text := treeWords(t) + ".\n"
		if t.Left > 0 {
			text += render.Plural(t.Left, "line is", "lines are") + " no part of it that could be understood.\n"
		}
		_, err = io.WriteString(out, text+"pi refuses the file.\n")
	}
	if err == nil && t.Left > 0 {
		err = errSilent
	}
	return err
}

// reportText writes what was found for people.
func reportText(out io.Writer, r *doctor.Report) {
	fmt.Fprintf(out, "%s: %s\n", render.OneLine(r.Path), r.Verdict())
	shown := map[doctor.Kind]int{}
	for _, f := range r.Findings {
		if shown[f.Kind]++; shown[f.Kind] > shownOfKind {
			continue
		}
		place := ""
		if f.Line > 0 {
			place = fmt.Sprintf("line %d, at byte %d: ", f.Line, f.Offset)
		}
		fmt.Fprintf(out, "  %-7s  %s%s\n", f.Level, place, render.OneLine(f.Text))
		if more := r.Counts[f.Kind] - shownOfKind; shown[f.Kind] == shownOfKind && more > 0 {
			fmt.Fprintf(out, "  %-7s  and %d more like this (%s); --json has them\n", f.Level, more, f.Kind)
		}
	}
	fmt.Fprintf(out, "%s\n", r.Left())
	fmt.Fprintf(out, "%s\n", r.InPi())
	fmt.Fprintf(out, "%s\n", r.Advice())
}

// repairSession writes a new session of what is left of one, and says what it did.
func repairSession(out io.Writer, r *doctor.Report, o doctor.RepairOptions, asJSON bool) error {
	done, err := r.Repair(o)
	if errors.Is(err, doctor.ErrFine) && !asJSON {
		fmt.Fprintf(out, "%s: %s. There is nothing to repair.\n", render.OneLine(r.Path), r.Verdict())
		return nil
	}
	if err != nil && !errors.Is(err, doctor.ErrFine) {
		return err
	}
	if asJSON {
		out.Write(append(r.RepairJSON(done, err == nil), '\n'))
		return nil
	}
	reportText(out, r)
	fmt.Fprintf(out, "\nWrote %s, session %s: %s.\n", render.OneLine(done.Path), done.ID, render.Plural(done.Entries, "entry", "entries"))
	if done.Lost > 0 {
		fmt.Fprintf(out, "%s left out, since only the place was known; what stood below hangs where they did.\n", render.Plural(done.Lost, "entry was", "entries were"))
	}
	if done.Moved > 0 {
		fmt.Fprintf(out, "%s below the entry before, since the parent is not known.\n", render.Plural(done.Moved, "entry hangs", "entries hang"))
	}
	if done.Changed > 0 {
		fmt.Fprintf(out, "%s changed so that pi can read what it says.\n", render.Plural(done.Changed, "line was", "lines were"))
	}
	fmt.Fprintf(out, "The old file is as it was. To go on with the new one: bough --session %s\n", render.OneLine(done.Path))
	return nil
}

// doctorAll goes over the whole store, a line for each file.
func doctorAll(ctx context.Context, env Env, opts map[string]string) error {
	r, err := newRunner(env, &args{sessionDir: opts["--session-dir"], maxTurns: -1})
	if err != nil {
		return err
	}
	paths, err := r.store.Files()
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(env.Stdout, 1<<16)
	count := map[string]int{}
	bad := 0
	for _, path := range paths {
		verdict, err := doctorLine(ctx, out, path, opts["--json"] != "")
		if err != nil {
			return err
		}
		if count[verdict]++; verdict != "fine" {
			bad++
		}
		if err := out.Flush(); err != nil {
			return err
		}
	}
	if opts["--json"] == "" {
		fmt.Fprintf(out, "%s: %d fine, %d damaged, %d troubled, %d no session", render.Plural(len(paths), "file", "files"),
			count["fine"], count["damaged"], count["troubled"], count["no session"])
		for _, other := range []string{"headerless", "unreadable"} {
			if n := count[other]; n > 0 {
				fmt.Fprintf(out, ", %d %s", n, other)
			}
		}
		fmt.Fprintln(out, ".")
		if bad > 0 {
			fmt.Fprintln(out, "bough doctor FILE says more of one.")
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if bad > 0 {
		return errSilent
	}
	return nil
}

// doctorLine says in a line what is wrong with one of many files.
func doctorLine(ctx context.Context, out io.Writer, path string, asJSON bool) (verdict string, err error) {
	r, err := doctor.Check(ctx, path)
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil && asJSON:
		_, werr := out.Write(append(doctor.UnreadableJSON(path, err), '\n'))
		return "unreadable", werr
	case err != nil:
		_, werr := fmt.Fprintf(out, "%-10s  %s  %s\n", "unreadable", render.OneLine(path), render.OneLine(err.Error()))
		return "unreadable", werr
	}
	defer r.Close()
	if !r.Session {
		if t, err := importer.Recognize(path); err == nil && asJSON {
			return "headerless", unlessSilent(reportTree(out, t, true))
		} else if err == nil {
			_, err := fmt.Fprintf(out, "%-10s  %s  %s, %s\n", "headerless", render.OneLine(path), render.Plural(t.Entries, "entry", "entries"), render.Plural(t.Branches, "branch", "branches"))
			return "headerless", err
		}
	}
	if asJSON {
		_, err := out.Write(append(r.JSON(), '\n'))
		return r.Verdict(), err
	}
	more := r.Summary()
	if r.Fine() {
		more = render.Plural(r.Entries, "entry", "entries") + ", " + render.Plural(r.Ends, "branch", "branches")
	}
	_, err = fmt.Fprintf(out, "%-10s  %s  %s\n", r.Verdict(), render.OneLine(path), more)
	return r.Verdict(), err
}

// unlessSilent is an error that is to be told.
func unlessSilent(err error) error {
	if errors.Is(err, errSilent) {
		return nil
	}
	return err
}
