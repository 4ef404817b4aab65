package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/boughdev/bough/internal/conformance"
	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/session/filestore"
)

// named opens the session of a path or id for a command that only looks.
func named(ctx context.Context, env Env, word string) (*session.Session, error) {
	store, path, err := locate(ctx, env, word)
	if err != nil {
		return nil, err
	}
	return session.Open(ctx, store, path)
}

// locate finds the session of a path or id.
func locate(ctx context.Context, env Env, word string) (filestore.Store, string, error) {
	r, err := newRunner(env, &args{})
	if err != nil {
		return filestore.Store{}, "", err
	}
	path := word
	if filestore.IsPath(word) || fileExists(env.abs(word)) {
		path = env.abs(word)
		if !filestore.IsPath(path) {
			path = "." + string(filepath.Separator) + path
		}
	} else {
		heads, err := r.lookup(ctx, word)
		if err != nil {
			return filestore.Store{}, "", err
		}
		path = heads[0].Path
	}
	return r.store, path, nil
}

func fileExists(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// treeCommand prints a session's tree: bough tree FILE|ID [--json] [--ascii].
func treeCommand(ctx context.Context, env Env, words []string) error {
	opts, rest, err := flags(words, map[string]bool{"--json": false, "--ascii": false, "--all": false, "--classic": false, "--preview": false})
	if err != nil {
		return err
	}
	if len(rest) != 1 {
		return usage{errors.New("bough tree takes one session: a path or an id")}
	}
	s, err := named(ctx, env, rest[0])
	if err != nil {
		return err
	}
	defer s.Close()
	out := bufio.NewWriter(env.Stdout)
	if opts["--json"] != "" {
		err = treeJSON(out, s.Tree(), s.Tree().Len() <= previewLimit || opts["--preview"] != "")
	} else {
		err = treeText(out, env, s, opts)
	}
	if ferr := out.Flush(); err == nil {
		err = ferr
	}
	return err
}

func treeText(out io.Writer, env Env, s *session.Session, opts map[string]string) error {
	width := env.Width
	if width == 0 {
		width = 100
	}
	o := render.TreeOptions{ASCII: opts["--ascii"] != "", Width: width}
	if opts["--all"] != "" {
		o.Filter = render.All
	}
	if opts["--classic"] != "" {
		o.Layout = render.Classic
	}
	rows := render.TreeRows(s.Tree(), s.Tree().Leaf(), o)
	if len(rows) == 0 {
		_, err := fmt.Fprintln(out, "The session is empty.")
		return err
	}
	previews := render.NewPreviews(s.Tree())
	for _, row := range rows {
		line := row.Prefix + row.Mark
		if l := s.Tree().Label(row.Entry.ID); l != "" {
			line += "{" + render.OneLine(l) + "} "
		}
		if _, err := fmt.Fprintln(out, render.Cut(line+previews.Of(row.Entry).Row, width)); err != nil {
			return err
		}
	}
	return nil
}

// previewLimit is the number of entries up to which tree --json has previews
// unless they are asked for: each takes a read of its line.
const previewLimit = 20_000

// treeJSON prints one row for each entry, roots first in tree order.
func treeJSON(out io.Writer, t *session.Tree, preview bool) error {
	var previews *render.Previews
	if preview {
		previews = render.NewPreviews(t)
	}
	var err error
	var row []byte
	t.Walk(t.Leaf(), func(at session.Step) bool {
		row = treeRow(row[:0], t, previews, at)
		_, err = out.Write(append(row, '\n'))
		return err == nil
	})
	return err
}

func treeRow(b []byte, t *session.Tree, previews *render.Previews, at session.Step) []byte {
	e := at.Entry
	b = append(b, `{"id":`...)
	b = rawjson.AppendString(b, string(e.ID))
	b = append(b, `,"parentId":`...)
	if e.Parent == "" {
		b = append(b, "null"...)
	} else {
		b = rawjson.AppendString(b, string(e.Parent))
	}
	b = append(b, `,"type":`...)
	b = rawjson.AppendString(b, string(e.Type))
	if e.Role != "" {
		b = append(b, `,"role":`...)
		b = rawjson.AppendString(b, string(e.Role))
	}
	if !e.Time.IsZero() {
		b = append(b, `,"timestamp":"`...)
		b = session.AppendTime(b, e.Time)
		b = append(b, '"')
	}
	if previews != nil {
		b = append(b, `,"preview":`...)
		b = rawjson.AppendString(b, previews.Of(e).Row)
	}
	if l := t.Label(e.ID); l != "" {
		b = append(b, `,"label":`...)
		b = rawjson.AppendString(b, l)
	}
	b = append(b, `,"children":`...)
	b = strconv.AppendInt(b, int64(at.Children), 10)
	b = append(b, `,"onPath":`...)
	b = strconv.AppendBool(b, at.OnPath)
	return append(b, '}')
}

// contextCommand prints what a model sees: bough context FILE|ID [--leaf ID] [--json].
func contextCommand(ctx context.Context, env Env, words []string) error {
	opts, rest, err := flags(words, map[string]bool{"--json": false, "--leaf": true, "--live": false})
	if err != nil {
		return err
	}
	if len(rest) != 1 {
		return usage{errors.New("bough context takes one session: a path or an id")}
	}
	store, path, err := locate(ctx, env, rest[0])
	if err != nil {
		return err
	}
	log, err := store.Open(ctx, path)
	if err != nil {
		return err
	}
	defer log.Close()
	// The plain reading: the last entry, whatever it is.
	leaf := session.ID(opts["--leaf"])
	if leaf == "" && opts["--live"] != "" {
		s, err := session.Open(ctx, store, path)
		if err != nil {
			return err
		}
		defer s.Close()
		if leaf = s.Tree().Leaf(); leaf == "" {
			return printContext(env, opts, s.Tree(), session.Projection{Thinking: "off"})
		}
	}
	p, tree, err := session.ReadContext(ctx, log, leaf)
	if err != nil {
		return err
	}
	return printContext(env, opts, tree, p)
}

func printContext(env Env, opts map[string]string, t *session.Tree, p session.Projection) error {
	out := bufio.NewWriterSize(env.Stdout, 1<<16)
	if opts["--json"] != "" {
		contextJSON(out, p)
	} else {
		contextText(out, t, p)
	}
	return out.Flush()
}

func contextJSON(out *bufio.Writer, p session.Projection) {
	out.WriteString(`{"messages":[`) // bufio keeps the first error for Flush
	for i, it := range p.Items {
		if i > 0 {
			out.WriteByte(',')
		}
		out.Write(it.Message.JSON())
	}
	out.WriteString(`],"thinkingLevel":`)
	out.Write(rawjson.Quote(p.Thinking))
	out.WriteString(`,"model":`)
	if p.Model == (session.ModelChange{}) {
		out.WriteString("null")
	} else {
		fmt.Fprintf(out, `{"provider":%s,"modelId":%s}`, rawjson.Quote(p.Model.Provider), rawjson.Quote(p.Model.ModelID))
	}
	out.WriteString("}\n")
}

func contextText(out *bufio.Writer, t *session.Tree, p session.Projection) {
	previews := render.NewPreviews(t)
	for i, it := range p.Items {
		fmt.Fprintf(out, "[%d] %-10s %s\n", i, it.Message.Role, previews.Of(it.Entry).Text)
	}
	fmt.Fprintf(out, "model %s/%s, thinking %s\n", p.Model.Provider, p.Model.ModelID, p.Thinking)
}

// sessionsCommand lists sessions: bough sessions list [--all] [--json].
func sessionsCommand(ctx context.Context, env Env, words []string) error {
	if len(words) > 0 && words[0] == "list" {
		words = words[1:]
	} else if len(words) > 0 && !strings.HasPrefix(words[0], "-") {
		return usage{fmt.Errorf("bough sessions %s: there is only list", words[0])}
	}
	opts, rest, err := flags(words, map[string]bool{"--json": false, "--all": false, "--session-dir": true})
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return usage{fmt.Errorf("bough sessions list takes no word %q", rest[0])}
	}
	r, err := newRunner(env, &args{sessionDir: opts["--session-dir"]})
	if err != nil {
		return err
	}
	var found []session.Summary
	if opts["--all"] != "" {
		for sum, err := range r.store.List(ctx) {
			if err != nil {
				return err
			}
			found = append(found, sum)
		}
	} else if found, err = r.store.Recent(ctx, env.Dir); err != nil {
		return err
	}
	slices.SortFunc(found, func(a, b session.Summary) int {
		return cmp.Or(b.Modified.Compare(a.Modified), cmp.Compare(b.Path, a.Path))
	})
	out := bufio.NewWriterSize(env.Stdout, 1<<16)
	for _, s := range found {
		if opts["--json"] != "" {
			out.Write(append(summaryJSON(s), '\n'))
		} else {
			fmt.Fprintf(out, "%s  %-4s %5d messages  %s", render.OneLine(s.ID), age(time.Since(s.Modified)), s.Messages, title(s))
			if opts["--all"] != "" {
				fmt.Fprintf(out, "  %s", render.OneLine(s.CWD))
			}
			out.WriteByte('\n')
		}
	}
	if len(found) == 0 && opts["--json"] == "" {
		fmt.Fprintln(env.Stderr, "bough: there are no sessions of this folder yet; --all lists those of all folders")
	}
	return out.Flush()
}

func summaryJSON(s session.Summary) []byte {
	b := append([]byte(`{"path":`), rawjson.Quote(s.Path)...)
	str := func(key, v string) {
		b = append(b, ',')
		b = rawjson.AppendString(b, key)
		b = append(b, ':')
		b = rawjson.AppendString(b, v)
	}
	str("id", s.ID)
	str("cwd", s.CWD)
	if s.Name != "" {
		str("name", s.Name)
	}
	if s.ParentSession != "" {
		str("parentSessionPath", s.ParentSession)
	}
	if !s.Created.IsZero() {
		str("created", session.FormatTime(s.Created))
	}
	str("modified", session.FormatTime(s.Modified))
	b = fmt.Appendf(b, `,"messageCount":%d`, s.Messages)
	first := s.FirstMessage
	if first == "" {
		first = "(no messages)"
	}
	if r := []rune(first); len(r) > 500 {
		first = string(r[:500])
	}
	str("firstMessage", first)
	return append(b, '}')
}

// conformanceCommand prints readings for the conformance cases.
func conformanceCommand(ctx context.Context, env Env, words []string) error {
	switch {
	case len(words) == 2 && words[0] == "dump":
		data, err := os.ReadFile(env.abs(words[1]))
		if err != nil {
			return err
		}
		return conformance.Dump(env.Stdout, data)
	case len(words) == 2 && words[0] == "list":
		return conformance.List(env.Stdout, env.abs(words[1]))
	case len(words) == 3 && words[0] == "apply":
		ops, err := os.ReadFile(env.abs(words[2]))
		if err != nil {
			return err
		}
		return conformance.Apply(env.Stdout, env.abs(words[1]), ops)
	}
	return usage{errors.New("bough conformance takes: dump FILE, list DIR, or apply FILE OPS.json")}
}
