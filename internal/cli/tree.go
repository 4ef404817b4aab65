package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/session"
)

// treeCommand prints a session's tree, as text or as rows of JSON.
func treeCommand(ctx context.Context, env Env, opts map[string]string, words []string) error {
	if len(words) != 1 {
		return commandUsage("tree", "give one session, its path or id; bough sessions list shows them")
	}
	s, err := oneSession(ctx, env, opts, words)
	if err != nil {
		return err
	}
	defer s.Close()
	out := bufio.NewWriterSize(env.Stdout, 1<<16)
	if opts["--json"] != "" {
		err = treeJSON(out, s.Tree(), opts)
	} else {
		err = treeText(out, env, s.Tree(), opts)
	}
	if ferr := out.Flush(); err == nil {
		err = ferr
	}
	return err
}

func treeText(out io.Writer, env Env, t *session.Tree, opts map[string]string) error {
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
	rows := render.TreeRows(t, t.Leaf(), o)
	if len(rows) == 0 {
		_, err := fmt.Fprintln(out, "The session is empty.")
		return err
	}
	lines := render.TreeLines{Tree: t, Width: width, IDs: opts["--ids"] != ""}
	marked := false
	for _, row := range rows {
		marked = marked || row.Leaf
		if _, err := fmt.Fprintln(out, lines.Line(row)); err != nil {
			return err
		}
	}
	if !marked {
		_, err := fmt.Fprintln(out, "The conversation stands before the first message.")
		return err
	}
	return nil
}

// previewLimit is the number of entries up to which tree --json has previews
// unless they are asked for: each takes a read of its line.
const previewLimit = 20_000

// treeJSON prints one row for each entry, roots first in tree order. The path is
// that to the last entry, as pi has it, or to where the conversation stands
// (docs/spec/README.md 28).
func treeJSON(out io.Writer, t *session.Tree, opts map[string]string) error {
	var previews *render.Previews
	if t.Len() <= previewLimit || opts["--preview"] != "" {
		previews = render.NewPreviews(t)
	}
	leaf := t.Leaf()
	if last := t.Last(); opts["--live"] == "" && last != nil {
		leaf = last.ID
	}
	// Markers of the place are no branches.
	markers := map[session.ID]int{}
	t.Walk("", func(at session.Step) bool {
		if at.Entry.IsLeafMarker() {
			markers[at.Entry.Parent]++
		}
		return true
	})
	var err error
	var row []byte
	t.Walk(leaf, func(at session.Step) bool {
		at.Children -= markers[at.Entry.ID]
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
