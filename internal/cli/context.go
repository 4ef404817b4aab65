package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/boughdev/bough/internal/frontend/slash"
	"github.com/boughdev/bough/internal/lang"
	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/session/filestore"
)

// contextCommand prints what a model sees at an entry: the last one as pi has it,
// where the conversation stands, or one that is named (docs/spec/README.md 28).
func contextCommand(ctx context.Context, env Env, opts map[string]string, words []string) error {
	if len(words) != 1 {
		return commandUsage("context", "give one session, its path or id; bough sessions list shows them")
	}
	store, path, err := find(ctx, env, opts, words)
	if err != nil {
		return err
	}
	store.Live = opts["--live"] != ""
	whole := opts["--json"] == "" || opts["--tokens"] != "" // the numbers are those of the whole path
	return withContext(ctx, store, path, opts, whole, func(t *session.Tree, leaf session.ID) error {
		out := bufio.NewWriterSize(env.Stdout, 1<<16)
		print := contextJSON
		switch {
		case opts["--json"] == "":
			print = contextText(env.Width)
		case opts["--tokens"] != "":
			print = contextTokens
		}
		err := print(out, t, leaf)
		if ferr := out.Flush(); err == nil {
			err = ferr
		}
		return err
	})
}

// withContext calls show with the entry that the options name and a tree of the whole
// session, or of as much as its context needs, while the file is open.
func withContext(ctx context.Context, store filestore.Store, path string, opts map[string]string, whole bool, show func(*session.Tree, session.ID) error) error {
	leaf := session.ID(opts["--leaf"])
	if opts["--live"] == "" && !whole {
		log, err := store.Open(ctx, path)
		if err != nil {
			return headerless(path, err)
		}
		defer log.Close()
		tree, at, err := session.TreeFor(ctx, log, leaf)
		if err == nil {
			return show(tree, at)
		}
		if !errors.Is(err, session.ErrNoSuchEntry) {
			return err
		}
	}
	s, err := session.Open(ctx, store, path)
	if err != nil {
		return headerless(path, err)
	}
	defer s.Close()
	at := s.Tree().Leaf()
	if leaf != "" {
		if at, err = slash.Target(s.Tree(), string(leaf)); err != nil && !strings.HasPrefix(string(leaf), "#") {
			err = fmt.Errorf("the session has no entry and no label %q. bough tree %s --json lists them", leaf, path)
		}
	}
	if err != nil {
		return err
	}
	return show(s.Tree(), at)
}

func contextJSON(out *bufio.Writer, t *session.Tree, leaf session.ID) error {
	out.WriteString(`{"messages":[`) // bufio keeps the first error for Flush
	first := true
	p, err := new(session.Projector).Stream(t, leaf, func(m []byte) error {
		if !first {
			out.WriteByte(',')
		}
		first = false
		_, err := out.Write(m)
		return err
	})
	if err != nil {
		return err
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
	return nil
}

// contextText writes what a model sees for people.
func contextText(width int) func(*bufio.Writer, *session.Tree, session.ID) error {
	return func(out *bufio.Writer, t *session.Tree, leaf session.ID) error {
		p, err := new(session.Projector).Context(t, leaf)
		if err != nil {
			return err
		}
		l, err := render.ContextOf(lang.English, t, leaf)
		if err != nil {
			return err
		}
		for _, line := range l.Lines(width, 0) {
			out.WriteString(line + "\n") // bufio keeps the first error for Flush
		}
		model := "no model yet"
		if p.Model != (session.ModelChange{}) {
			model = render.OneLine("model " + p.Model.Provider + "/" + p.Model.ModelID)
		}
		fmt.Fprintf(out, "%s, thinking %s\n", model, render.OneLine(p.Thinking))
		return nil
	}
}

// contextTokens writes a line of JSON for each entry, and one for all.
func contextTokens(out *bufio.Writer, t *session.Tree, leaf session.ID) error {
	l, err := render.ContextOf(lang.English, t, leaf)
	if err != nil {
		return err
	}
	for _, r := range l.Rows {
		fmt.Fprintf(out, `{"id":%s,"index":%d,"role":%s,"seen":%s,"tokens":%d,"was":%d}`+"\n", rawjson.Quote(string(r.Entry.ID)), r.Index, rawjson.Quote(r.Who),
			rawjson.Quote(string(r.Seen)), r.Tokens, r.Was)
	}
	fmt.Fprintf(out, `{"tokens":%d,"told":%d,"behind":%d,"compacted":%d,"saved":%d}`+"\n", l.Tokens, l.Use.Told, l.Use.Estimated, l.Folded, l.Gain)
	return nil
}
