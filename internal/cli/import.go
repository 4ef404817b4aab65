package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/boughdev/bough/internal/importer"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/session/filestore"
)

// importCommand takes files of elsewhere into the store.
func importCommand(ctx context.Context, env Env, opts map[string]string, words []string) error {
	if len(words) == 0 {
		return commandUsage("import", "give a file: a session, or a headerless tree of messages")
	}
	r, err := newRunner(env, &args{sessionDir: opts["--session-dir"], maxTurns: -1})
	if err != nil {
		return err
	}
	o := importer.Options{Dir: env.Dir, Again: opts["--again"] != "", Now: time.Now()}
	for _, w := range words {
		done, err := importer.Import(ctx, r.store, env.abs(w), o)
		if err != nil {
			return err
		}
		if err := imported(env, env.abs(w), done); err != nil {
			return err
		}
	}
	return nil
}

// imported says what became of a file.
func imported(env Env, path string, done importer.Result) error {
	if done.Already {
		_, err := fmt.Fprintf(env.Stdout, "%s --again makes another session of it.\n", importedWords(path, done)[0])
		return err
	}
	_, err := fmt.Fprintf(env.Stdout, "%s\nbough --session %s goes on with it.\n", strings.Join(importedWords(path, done), "\n"), done.ID)
	return err
}

// importedWords say in lines what became of a file.
func importedWords(path string, done importer.Result) []string {
	path, at := render.OneLine(path), render.OneLine(done.Path)
	if done.Already {
		return []string{fmt.Sprintf("%s was imported before: session %s, %s.", path, done.ID, at)}
	}
	lines := []string{fmt.Sprintf("%s is session %s now: %s in %s, %s.", path, done.ID,
		render.Plural(done.Entries, "entry", "entries"), render.Plural(done.Branches, "branch", "branches"), at)}
	if done.Was != "" {
		lines = append(lines, fmt.Sprintf("There is a session %s already, so this one has an id of its own.", render.OneLine(done.Was)))
	}
	if done.Left > 0 {
		lines = append(lines, fmt.Sprintf("%s not understood and left out.", render.Plural(done.Left, "line was", "lines were")))
	}
	if done.Bad > 0 {
		lines = append(lines, fmt.Sprintf("%s damaged; bough doctor %s says more.", render.Plural(done.Bad, "line is", "lines are"), done.ID))
	}
	return lines
}

// headerless says of a file that could not be opened since it is no session whether
// it is a headerless tree.
func headerless(path string, err error) error {
	if !errors.Is(err, session.ErrNotSession) || !filestore.IsPath(path) {
		return err
	}
	t, rerr := importer.Recognize(path)
	if rerr != nil {
		return err
	}
	return errors.New(treeWords(t))
}

func treeWords(t *importer.Tree) string {
	return fmt.Sprintf("%s is a headerless tree: %s, %s. bough import %s makes a session of it", render.OneLine(t.Path),
		render.Plural(t.Entries, "entry", "entries"), render.Plural(t.Branches, "branch", "branches"), render.OneLine(t.Path))
}

// openHeaderless makes a session of a headerless tree that is kept nowhere, to be
// looked at, and says so.
func openHeaderless(env Env, path string, err error) (*session.Session, error) {
	if !errors.Is(err, session.ErrNotSession) {
		return nil, err
	}
	t, rerr := importer.Recognize(path)
	if rerr != nil {
		return nil, err
	}
	fmt.Fprintf(env.Stderr, "bough: %s\n", treeWords(t))
	h, lines := t.Session(t.SessionID(), env.Dir, time.Now())
	return session.New(nil, h, lines...)
}
