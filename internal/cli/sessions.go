package cli

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/session"
)

// sessionsCommand lists sessions: bough sessions [list] [--all] [--json].
func sessionsCommand(ctx context.Context, env Env, opts map[string]string, words []string) error {
	if len(words) > 0 {
		switch words[0] {
		case "list":
		case "tree":
			return commandUsage("sessions", "bough tree ID prints a session's tree")
		case "search", "show", "rename", "trash", "restore":
			return commandUsage("sessions", "this version has no %s yet, only list", words[0])
		default:
			return commandUsage("sessions", "there is only list, no %q", oneLine(words[0], 40))
		}
		if words = words[1:]; len(words) > 0 {
			return commandUsage("sessions", "list takes no word %q", oneLine(words[0], 40))
		}
	}
	r, err := newRunner(env, &args{sessionDir: opts["--session-dir"], maxTurns: -1})
	if err != nil {
		return err
	}
	found, err := r.summaries(ctx, opts["--all"] != "")
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(env.Stdout, 1<<16)
	for _, s := range found {
		if opts["--json"] != "" {
			out.Write(append(summaryJSON(s), '\n')) // bufio keeps the first error for Flush
			continue
		}
		fmt.Fprintf(out, "%s  %-4s %s  %s", render.OneLine(s.ID), render.Age(time.Since(s.Modified)), render.Messages(s.Said), title(s))
		if opts["--all"] != "" {
			fmt.Fprintf(out, "  %s", render.OneLine(s.CWD))
		}
		out.WriteByte('\n')
	}
	if len(found) == 0 && opts["--json"] == "" {
		if opts["--all"] == "" {
			r.say("There are no sessions of this folder yet; --all lists those of all folders.")
		} else {
			r.say("There are no sessions yet.")
		}
	}
	return out.Flush()
}

// summaries returns the sessions of this folder or of all folders, those with the
// latest message first.
func (r *runner) summaries(ctx context.Context, all bool) (found []session.Summary, err error) {
	if all {
		for sum, err := range r.store.List(ctx) {
			if err != nil {
				return nil, err
			}
			found = append(found, sum)
		}
	} else if found, err = r.store.Recent(ctx, r.env.Dir); err != nil {
		return nil, err
	}
	slices.SortFunc(found, func(a, b session.Summary) int {
		return cmp.Or(b.Modified.Compare(a.Modified), cmp.Compare(b.Path, a.Path))
	})
	return found, nil
}

// summaryJSON is a row of a list (docs/spec/rpc.md 14.5). Its count is pi's, of all
// message entries; people are told of those of user and model.
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
	first := cmp.Or(s.FirstMessage, "(no messages)")
	if r := []rune(first); len(r) > 500 {
		first = string(r[:500])
	}
	str("firstMessage", first)
	return append(b, '}')
}

// title is how a session is called in a list.
func title(s session.Summary) string {
	return oneLine(cmp.Or(s.Name, s.FirstMessage, "(no messages)"), 60)
}
