package cli

import (
	"bufio"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/internal/search"
	"github.com/boughdev/bough/internal/styled"
	"github.com/boughdev/bough/session"
)

// searchLimit is how many hits are shown unless the user says otherwise.
const searchLimit = 50

// searchCommand looks for texts in all sessions.
func searchCommand(ctx context.Context, env Env, opts map[string]string, words []string) error {
	c := command{name: "sessions search"}
	o := search.Options{Role: opts["--role"], Tool: opts["--tool"], File: opts["--file"], Model: opts["--model"], Relevance: opts["--sort"] == "relevance"}
	var err error
	if o.Limit, err = c.count(opts, "--limit", searchLimit); err != nil {
		return err
	}
	if o.Expr, err = search.Parse(expression(words)); err != nil {
		return c.usage("%v", err)
	}
	switch {
	case o.Expr.Empty() && o.Tool == "" && o.File == "" && o.Role == "" && o.Model == "":
		return c.usage("give what to look for, or one of --role, --tool, --file, --model")
	case o.Role != "" && !slices.Contains(search.Roles(), o.Role):
		return c.usage("there is no role %q; there are %s", oneLine(o.Role, 20), strings.Join(search.Roles(), ", "))
	case opts["--sort"] != "" && opts["--sort"] != "recent" && opts["--sort"] != "relevance":
		return c.usage("--sort is recent or relevance, not %q", oneLine(opts["--sort"], 20))
	}
	now := time.Now()
	if o.Since, err = c.when(opts, "--since", now); err != nil {
		return err
	}
	if o.Until, err = c.when(opts, "--until", now); err != nil {
		return err
	}
	if v := opts["--until"]; len(v) == len(time.DateOnly) && !o.Until.IsZero() {
		o.Until = o.Until.AddDate(0, 0, 1).Add(-time.Millisecond) // to the end of the day
	}
	r, err := newRunner(env, &args{sessionDir: opts["--session-dir"], maxTurns: -1})
	if err != nil {
		return err
	}
	in := r.scope(opts)
	all, err := r.summaries(ctx, in)
	if err != nil {
		return err
	}
	o.Store = r.store
	res, err := search.Search(ctx, all, o)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(env.Stdout, 1<<16)
	if opts["--json"] != "" {
		for i := range res.Hits {
			out.Write(append(hitJSON(&res.Hits[i]), '\n')) // bufio keeps the first error for Flush
		}
		return out.Flush()
	}
	r.hits(out, res.Hits, in.all)
	if err := out.Flush(); err != nil {
		return err
	}
	switch {
	case len(res.Hits) == 0 && in.all:
		r.say("Nothing was found in %s.", render.Plural(len(all), "session", "sessions"))
	case len(res.Hits) == 0:
		r.say("Nothing was found in %s of %s; --all looks in those of all folders.", render.Plural(len(all), "session", "sessions"), r.shortDir(in.cwd))
	case res.More:
		r.say("There may be more; --limit N shows more than %d.", len(res.Hits))
	}
	return nil
}

// expression puts the words of a command line together as they were meant: one with
// blanks was quoted in the shell, and is a phrase, unless it is the only one.
func expression(words []string) string {
	if len(words) == 1 {
		return words[0]
	}
	out := make([]string, len(words))
	for i, w := range words {
		if out[i] = w; strings.ContainsAny(w, " \t\n") && !strings.Contains(w, `"`) {
			out[i] = `"` + w + `"`
		}
	}
	return strings.Join(out, " ")
}

// when is an option that is a time: a day, a day and a time of it, both local, or how
// long ago.
func (c command) when(opts map[string]string, name string, now time.Time) (time.Time, error) {
	v, ok := opts[name]
	if !ok {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.DateOnly, "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02T15:04:05", time.DateTime} {
		if t, err := time.ParseInLocation(layout, v, time.Local); err == nil {
			return t, nil
		}
	}
	if t, err := time.Parse(time.RFC3339, v); err == nil {
		return t, nil
	}
	if n, err := strconv.Atoi(v[:len(v)-1]); err == nil && n >= 0 {
		switch v[len(v)-1] {
		case 'm':
			return now.Add(-time.Duration(n) * time.Minute), nil
		case 'h':
			return now.Add(-time.Duration(n) * time.Hour), nil
		case 'd':
			return now.AddDate(0, 0, -n), nil
		case 'w':
			return now.AddDate(0, 0, -7*n), nil
		case 'y':
			return now.AddDate(-n, 0, 0), nil
		}
	}
	return time.Time{}, c.usage("%s is a time such as 2026-03-01, 2026-03-01T09:30, 12h, 7d or 3w, not %q", name, oneLine(v, 30))
}

// hits writes hits for people, those of one session below its title.
func (r *runner) hits(out *bufio.Writer, hits []search.Hit, folders bool) {
	width, titles := r.env.Width, r.env.Width
	if width == 0 {
		width, titles = 1000, 120
	}
	color := r.env.StdoutTerminal && !noColor(r.env.Getenv)
	paint := func(code, s string) string {
		if !color || s == "" {
			return s
		}
		return "\x1b[" + code + "m" + s + "\x1b[0m"
	}
	var last *session.Summary
	for i := range hits {
		h := &hits[i]
		if h.Session != last {
			if last != nil {
				out.WriteByte('\n')
			}
			last = h.Session
			tail := "  " + render.OneLine(last.ID)
			if r.env.StdoutTerminal {
				tail = "  " + shortID(last.ID, 8)
			}
			if folders {
				dir := render.OneLine(r.shortDir(last.CWD))
				if r.env.Width > 0 {
					dir = render.CutLeft(dir, max(r.env.Width/3, 12))
				}
				tail += "  " + dir
			}
			title := render.Title(*last)
			fmt.Fprintf(out, "%s%s\n", paint("1", render.Cut(title, max(titles-styled.Width(tail), 20))), paint("2", tail))
		}
		role := h.Role
		if h.Tool != "" {
			role += " " + render.OneLine(h.Tool)
		}
		head := fmt.Sprintf("  %s  %s  %s  ", render.OneLine(string(h.Entry)), render.Pad(render.Age(time.Since(h.Time)), 3), render.Pad(role, 9))
		tail := ""
		if !h.OnPath {
			tail = " (another branch)"
		}
		if h.Copies > 0 {
			tail += " (also in " + render.Plural(h.Copies, "fork", "forks") + ")"
		}
		before, match, after := inLine(h, width-styled.Width(head)-styled.Width(tail))
		if color {
			match = paint("1;33", match)
		} else if match != "" {
			match = "«" + match + "»"
		}
		fmt.Fprintf(out, "%s%s%s%s%s\n", head, before, match, after, paint("2", tail))
	}
}

// inLine fits the line of a hit into so many columns, with the match in it.
func inLine(h *search.Hit, width int) (before, match, after string) {
	clean := func(s string) string { // what divides it from the rest stays
		var b strings.Builder
		gap := false
		for _, r := range render.Clean(s) {
			if gap = unicode.IsSpace(r); gap {
				r = ' '
			}
			if !gap || !strings.HasSuffix(b.String(), " ") {
				b.WriteRune(r)
			}
		}
		return b.String()
	}
	width = max(width-2, 16) // the marks
	match = render.Cut(clean(h.Match), width)
	width -= styled.Width(match)
	before, after = strings.TrimLeft(clean(h.Before), " "), strings.TrimRight(clean(h.After), " ")
	if b, a := styled.Width(before), styled.Width(after); b+a > width {
		left := min(b, max(width/3, width-a))
		before = render.CutLeft(before, left)
		after = render.Cut(after, width-styled.Width(before))
	}
	return before, match, after
}

// hitJSON is a hit for programs.
func hitJSON(h *search.Hit) []byte {
	b := append([]byte(`{"session":`), rawjson.Quote(h.Session.Path)...)
	str := func(key, v string) {
		b = append(append(append(b, `,"`...), key...), `":`...)
		b = rawjson.AppendString(b, v)
	}
	optional := func(key, v string) {
		if v != "" {
			str(key, v)
		}
	}
	str("sessionId", h.Session.ID)
	optional("name", h.Session.Name)
	str("cwd", h.Session.CWD)
	str("entry", string(h.Entry))
	str("role", h.Role)
	optional("tool", h.Tool)
	if !h.Time.IsZero() {
		str("time", session.FormatTime(h.Time))
	}
	str("before", h.Before)
	str("match", h.Match)
	str("after", h.After)
	b = fmt.Appendf(b, `,"onPath":%v`, h.OnPath)
	if h.Copies > 0 {
		b = fmt.Appendf(b, `,"copies":%d`, h.Copies)
	}
	return append(b, '}')
}
