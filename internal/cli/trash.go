package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/session/filestore"
)

// trash is where this user's sessions go.
func (r *runner) trash() filestore.Trash {
	t := filestore.Trash{Dir: filepath.Join(r.paths.Data, "trash")}
	if v := r.settings.Bough.Trash; v != "" && v != "bough" {
		t.Command = v
	}
	return t
}

// trashCommand moves sessions to the trash, or lists what is there.
func trashCommand(ctx context.Context, env Env, opts map[string]string, words []string) error {
	c := command{name: "sessions trash"}
	r, err := newRunner(env, &args{sessionDir: opts["--session-dir"], maxTurns: -1})
	if err != nil {
		return err
	}
	switch {
	case opts["--list"] != "" && len(words) > 0:
		return c.usage("--list takes no session")
	case opts["--list"] != "":
		return r.listTrash(ctx, opts["--json"] != "")
	case len(words) == 0:
		return c.usage("give the sessions to throw away, their paths or ids, or --list")
	}
	var failed error
	for _, word := range words {
		path, err := r.pathOf(ctx, word)
		if err == nil {
			err = r.throwAway(ctx, path, opts["--json"] != "")
		}
		if errors.Is(err, errCancelled) {
			continue
		}
		if err != nil && len(words) > 1 {
			r.tell(err.Error())
			err = errSilent
		}
		if err != nil {
			failed = err
		}
	}
	return failed
}

// pathOf returns the path of the session that a word means.
func (r *runner) pathOf(ctx context.Context, word string) (string, error) {
	if filestore.IsPath(word) || fileExists(r.env.abs(word)) {
		return r.env.abs(word), nil
	}
	head, err := r.lookup(ctx, word)
	return head.Path, err
}

// putAway moves a session to the trash.
func (r *runner) putAway(ctx context.Context, path string) (filestore.Trashed, error) {
	if _, err := filestore.ReadHeader(path); errors.Is(err, session.ErrNotSession) {
		return filestore.Trashed{}, protocol.Fail(protocol.BadRequest, "%s is no session, and is left where it is", path)
	}
	one, err := r.trash().Put(ctx, r.store, path)
	if l, ok := errors.AsType[*session.LeasedError](err); ok {
		return one, protocol.Fail(protocol.Busy, "%s is open in another bough (process %d) and is left where it is. End that first", path, l.PID)
	}
	return one, err
}

func (r *runner) throwAway(ctx context.Context, path string, json bool) error {
	one, err := r.putAway(ctx, path)
	if err != nil {
		return err
	}
	if json {
		_, err := r.env.Stdout.Write(append(trashedJSON(one), '\n'))
		return err
	}
	how := "bough sessions restore " + one.Name + " brings it back"
	if one.Name == "" {
		how = r.settings.Bough.Trash + " has it"
	}
	_, err = fmt.Fprintf(r.env.Stdout, "%s is in the trash; %s.\n", path, how)
	return err
}

func (r *runner) listTrash(ctx context.Context, json bool) error {
	trash := r.trash()
	all, err := trash.List(ctx, r.store.Cache)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(r.env.Stdout)
	for _, t := range all {
		if json {
			out.Write(append(trashedJSON(t), '\n')) // bufio keeps the first error for Flush
			continue
		}
		from := render.OneLine(r.shortDir(t.Path))
		if w := r.env.Width; w > 0 {
			from = render.CutLeft(from, max(w/2, 20))
		}
		fmt.Fprintf(out, "%s  %s  %s  %s\n", render.OneLine(t.Session.ID), render.Pad(render.Age(time.Since(t.Deleted)), 3),
			render.Pad(render.Cut(render.Title(t.Session), 40), 40), from)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if len(all) == 0 && !json {
		r.say("There is nothing in the trash, %s.", trash.Dir)
	}
	return nil
}

// trashedJSON is a session of the trash for programs.
func trashedJSON(t filestore.Trashed) []byte {
	b := []byte(`{"trashed":`)
	b = rawjson.AppendString(b, t.Name)
	b = append(b, `,"from":`...)
	b = rawjson.AppendString(b, t.Path)
	b = append(b, `,"time":"`...)
	b = append(session.AppendTime(b, t.Deleted), '"')
	if t.Session.Path != "" {
		b = append(b, `,"session":`...)
		b = appendSummary(b, &t.Session)
	}
	return append(b, '}')
}

// restoreCommand brings sessions back from the trash.
func restoreCommand(ctx context.Context, env Env, opts map[string]string, words []string) error {
	c := command{name: "sessions restore"}
	r, err := newRunner(env, &args{sessionDir: opts["--session-dir"], maxTurns: -1})
	if err != nil {
		return err
	}
	to := ""
	if v := opts["--to"]; v != "" {
		to = env.abs(v)
	}
	switch {
	case len(words) == 0:
		return c.usage("give the session to bring back; bough sessions trash --list shows what there is")
	case to != "" && len(words) > 1:
		return c.usage("--to takes one session")
	case to != "" && !strings.HasSuffix(to, ".jsonl"):
		return c.usage("--to is a file whose name ends in .jsonl, not %s", oneLine(to, 60))
	}
	trash := r.trash()
	all, err := trash.List(ctx, r.store.Cache)
	if err != nil {
		return err
	}
	for _, word := range words {
		one, err := inTrash(all, word, env)
		if err != nil {
			return err
		}
		path, err := trash.Restore(one, to)
		if errors.Is(err, session.ErrExists) {
			return fmt.Errorf("%w. --to PATH brings it back elsewhere", err)
		}
		if err != nil {
			return err
		}
		if opts["--json"] != "" {
			_, err = fmt.Fprintf(env.Stdout, "{\"path\":%s,\"id\":%s}\n", rawjson.Quote(path), rawjson.Quote(one.Session.ID))
		} else {
			_, err = fmt.Fprintf(env.Stdout, "%s is back.\n", path)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// inTrash finds what a word means in the trash: a name there, a path from which
// something came, or an id, its beginning or its end.
func inTrash(all []filestore.Trashed, word string, env Env) (filestore.Trashed, error) {
	var found [3][]filestore.Trashed
	for _, t := range all {
		id := t.Session.ID
		switch {
		case t.Name == word, t.Path == env.abs(word) && filestore.IsPath(word):
			found[0] = append(found[0], t)
		case id == word:
			found[1] = append(found[1], t)
		case len(word) >= 4 && (strings.HasPrefix(id, word) || strings.HasSuffix(id, word)):
			found[2] = append(found[2], t)
		}
	}
	for _, some := range found {
		switch len(some) {
		case 0:
			continue
		case 1:
			return some[0], nil
		}
		var b strings.Builder
		for _, t := range some {
			fmt.Fprintf(&b, "\n  %s  thrown away %s, %s", t.Name, render.Ago(time.Since(t.Deleted)), render.OneLine(t.Path))
		}
		return filestore.Trashed{}, fmt.Errorf("several sessions in the trash are called %q; give the name of one:%s", oneLine(word, 80), b.String())
	}
	return filestore.Trashed{}, fmt.Errorf("there is no %q in the trash. bough sessions trash --list shows what there is", oneLine(word, 80))
}

// renameCommand names a session, whichever it is.
func renameCommand(ctx context.Context, env Env, opts map[string]string, words []string) error {
	c := command{name: "sessions rename"}
	clear := opts["--clear"] != ""
	if len(words) == 0 || clear != (len(words) == 1) {
		return c.usage("give a session, its path or id, and its new name, or --clear")
	}
	name := session.CleanName(strings.Join(words[1:], " "))
	if name == "" && !clear {
		return c.usage("the name is blank; --clear takes a name away")
	}
	r, err := newRunner(env, &args{sessionDir: opts["--session-dir"], maxTurns: -1})
	if err != nil {
		return err
	}
	path, err := r.pathOf(ctx, words[0])
	if err != nil {
		return err
	}
	id, err := r.rename(ctx, path, name)
	if err == nil && opts["--json"] != "" {
		_, err = fmt.Fprintf(env.Stdout, "{\"path\":%s,\"id\":%s,\"name\":%s}\n", rawjson.Quote(path), rawjson.Quote(id), rawjson.Quote(name))
	}
	return err
}

// rename names the session in a file, and returns its id.
func (r *runner) rename(ctx context.Context, path, name string) (id string, err error) {
	s, err := session.Open(ctx, r.store, path)
	if err != nil {
		return "", err
	}
	_, err = s.Main().Append(ctx, session.Info{Name: name})
	if cerr := s.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return "", fmt.Errorf("name the session: %w", err)
	}
	return s.Header().ID, nil
}
