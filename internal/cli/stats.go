package cli

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/internal/styled"
	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/session/filestore"
)

// statsBy are the ways to put model calls together.
var statsBy = []string{"day", "model", "dir", "session", "branch"}

func statsSpec() command {
	return command{"stats", "[FILE|ID]", "add up what model calls took, in tokens and dollars",
		"Without FILE|ID it is the sessions of this folder. What forks and clones have copied is\ncounted once, where it was said first. Tools that ask models, summaries and failed answers count.\n\n" +
			"With --json each row is a line: by, key, calls, unpriced (calls that tell no price),\ninput, output, cacheRead, cacheWrite, cost, failedCost (part of cost); rows of sessions\n" +
			"have id and name too, rows of branches path (tokens and cost of the whole way). The\nlast line has by \"total\".\n",
		[]commandOption{
			{"--by", "WHAT", strings.Join(statsBy, ", ") + " (day; with branch and no FILE the last session of the folder)"},
			{"--since", "TIME", "2026-03-01, 2026-03-01T09:30, or 12h, 7d, 3w ago"},
			{"--until", "TIME", "likewise"},
			allOption, cwdOption, jsonOption, dirOption,
		}, statsCommand}
}

// statsRow is one row of the table.
type statsRow struct {
	key string
	session.Tally

	id, name string         // of a session
	path     *session.Tally // of a branch: the whole way
	mark     string
}

// statsCommand adds up model calls.
func statsCommand(ctx context.Context, env Env, opts map[string]string, words []string) error {
	c := command{name: "stats"}
	by := cmp.Or(opts["--by"], "day")
	switch {
	case len(words) > 1:
		return c.usage("give one session, its path or id, or none")
	case !slices.Contains(statsBy, by):
		return c.usage("--by is %s, not %q", strings.Join(statsBy, ", "), oneLine(by, 20))
	case len(words) == 1 && (opts["--all"] != "" || opts["--cwd"] != ""):
		return c.usage("give a session, --all or --cwd, not two of them")
	case opts["--all"] != "" && opts["--cwd"] != "":
		return c.usage("give --all or --cwd, not both")
	case by == "branch" && opts["--all"] != "":
		return c.usage("--by branch is for one session: bough stats --by branch FILE|ID")
	}
	now := time.Now()
	since, err := c.when(opts, "--since", now)
	if err != nil {
		return err
	}
	until, err := c.when(opts, "--until", now)
	if err != nil {
		return err
	}
	if v := opts["--until"]; len(v) == len(time.DateOnly) && !until.IsZero() {
		until = until.AddDate(0, 0, 1).Add(-time.Millisecond) // to the end of the day
	}
	within := func(t time.Time) bool {
		return since.IsZero() && until.IsZero() || !t.IsZero() && !t.Before(since) && (until.IsZero() || !t.After(until))
	}
	r, err := newRunner(env, &args{sessionDir: opts["--session-dir"], maxTurns: -1})
	if err != nil {
		return err
	}
	path := ""
	if len(words) == 1 {
		if r.store, path, err = find(ctx, env, opts, words); err != nil {
			return err
		}
	} else if by == "branch" {
		recent, err := r.store.Recent(ctx, r.scope(opts).cwd)
		if err != nil {
			return err
		}
		if len(recent) == 0 {
			return c.usage("there is no session of this folder; name one: bough stats --by branch FILE|ID")
		}
		path = recent[0].Path
	}
	var rows []statsRow
	var total session.Tally
	switch {
	case path != "":
		rows, total, err = r.statsOf(ctx, path, by, within)
	default:
		rows, total, err = r.statsOfAll(ctx, r.scope(opts), by, within)
	}
	if err != nil {
		return err
	}
	if by == "day" {
		slices.SortFunc(rows, func(a, b statsRow) int { return cmp.Compare(a.key, b.key) })
	} else if by != "branch" {
		slices.SortFunc(rows, func(a, b statsRow) int {
			return cmp.Or(cmp.Compare(b.Cost, a.Cost), cmp.Compare(b.Tokens(), a.Tokens()), cmp.Compare(a.key, b.key))
		})
	}
	out := bufio.NewWriterSize(env.Stdout, 1<<16)
	if opts["--json"] != "" {
		var b []byte
		for i := range rows {
			b = rows[i].json(b[:0], by)
			out.Write(b) // bufio keeps the first error for Flush
		}
		sum := statsRow{Tally: total}
		out.Write(sum.json(b[:0], "total"))
		return out.Flush()
	}
	if total.Calls == 0 {
		r.say("No model was asked%s.", map[bool]string{true: "", false: " in that time"}[since.IsZero() && until.IsZero()])
		return nil
	}
	r.statsTable(out, rows, total, by)
	return out.Flush()
}

// statsOfAll adds up the sessions of a scope.
func (r *runner) statsOfAll(ctx context.Context, in scope, by string, within func(time.Time) bool) ([]statsRow, session.Tally, error) {
	var total session.Tally
	all, err := r.store.Bills(ctx, r.progress("reading sessions"))
	if err != nil {
		return nil, total, err
	}
	if !in.all {
		here, err := r.store.Recent(ctx, in.cwd)
		if err != nil {
			return nil, total, err
		}
		of := map[string]bool{}
		for i := range here {
			of[here[i].Path] = true
		}
		all = slices.DeleteFunc(all, func(b filestore.Billed) bool { return !of[b.Path] })
	}
	at := map[string]int{}
	var rows []statsRow
	days := dayNames{}
	for _, f := range families(all, filestore.Canonical()) {
		if ctx.Err() != nil {
			return nil, total, ctx.Err()
		}
		for s, b := range once(f) {
			if !within(b.Time) {
				continue
			}
			total.Add(b)
			key := statsKey(by, s.Path, s.CWD, b, days)
			i, ok := at[key]
			if !ok {
				i = len(rows)
				at[key] = i
				row := statsRow{key: key}
				if by == "session" {
					row.id, row.name = s.ID, render.Title(s.Summary)
				}
				rows = append(rows, row)
			}
			rows[i].Add(b)
		}
	}
	return rows, total, nil
}

func statsKey(by, path, cwd string, b session.Bill, days dayNames) string {
	switch by {
	case "day":
		return days.of(b.Time)
	case "model":
		return billedModel(b)
	case "dir":
		return cwd
	}
	return path
}

// billedModel is the model of a bill, or what there is in its place.
func billedModel(b session.Bill) string {
	switch b.Kind {
	case session.BillTool:
		return "(tools)"
	case session.BillSummary:
		return "(summaries)"
	}
	return b.Model
}

// dayNames are the local days of hours that were asked for: to format a time costs
// more than the rest of a bill.
type dayNames map[int64]string

func (d dayNames) of(t time.Time) string {
	if t.IsZero() {
		return "(no time)"
	}
	const quarter = 15 * 60 // no zone is off by less
	at := t.Unix() / quarter
	s, ok := d[at]
	if !ok {
		s = t.Local().Format(time.DateOnly)
		d[at] = s
	}
	return s
}

// statsOf adds up one session.
func (r *runner) statsOf(ctx context.Context, path, by string, within func(time.Time) bool) ([]statsRow, session.Tally, error) {
	var total session.Tally
	s, err := session.Open(ctx, r.store, path)
	if err != nil {
		return nil, total, headerless(path, err)
	}
	defer s.Close()
	t := s.Tree()
	if by == "branch" {
		return statsOfBranches(t, within)
	}
	at := map[string]int{}
	var rows []statsRow
	days := dayNames{}
	for e := range t.Log() {
		b, ok, err := e.Bill()
		if err != nil {
			return nil, total, err
		}
		if !ok || !within(b.Time) || b.Tokens() == 0 && b.Cost == 0 {
			continue
		}
		total.Add(b)
		key := statsKey(by, path, s.Header().CWD, b, days)
		i, known := at[key]
		if !known {
			i = len(rows)
			at[key] = i
			row := statsRow{key: key}
			if by == "session" {
				row.id, row.name = s.Header().ID, t.Name()
			}
			rows = append(rows, row)
		}
		rows[i].Add(b)
	}
	return rows, total, nil
}

// statsOfBranches adds up each branch: what stands on it alone, and the whole way.
// What several branches share is a row of its own, so that the rows come to the sum.
func statsOfBranches(t *session.Tree, within func(time.Time) bool) ([]statsRow, session.Tally, error) {
	var total, alone session.Tally
	bills := map[session.ID]session.Bill{}
	for e := range t.Log() {
		b, ok, err := e.Bill()
		if err != nil {
			return nil, total, err
		}
		if ok && within(b.Time) {
			total.Add(b)
			bills[e.ID] = b
		}
	}
	ends := branchesOf(t, t.Leaf())
	over := map[session.ID]int{} // how many ends stand below an entry
	for _, end := range ends {
		over[end.leaf]++
	}
	order := slices.Collect(t.All())
	for _, e := range slices.Backward(order) {
		if up := t.Parent(e.ID); up != nil && over[e.ID] > 0 {
			over[up.ID] += over[e.ID]
		}
	}
	var rows []statsRow
	for _, end := range ends {
		row := statsRow{key: string(end.leaf), name: end.words, path: &session.Tally{}}
		if end.label != "" {
			row.name = "[" + end.label + "] " + end.words
		}
		if end.onPath {
			row.mark = ">"
		}
		own := true
		for e := t.Get(end.leaf); e != nil; e = t.Parent(e.ID) {
			own = own && over[e.ID] <= 1
			if b, ok := bills[e.ID]; ok {
				row.path.Add(b)
				if own {
					row.Add(b)
				}
			}
		}
		alone = alone.Plus(row.Tally)
		rows = append(rows, row)
	}
	if shared := total.Minus(alone); shared.Calls > 0 {
		rows = append(rows, statsRow{key: "shared", name: "on several branches, or beside them", Tally: shared})
	}
	return rows, total, nil
}

// statsTable writes rows for people.
func (r *runner) statsTable(out *bufio.Writer, rows []statsRow, total session.Tally, by string) {
	width := r.env.Width
	if width == 0 {
		width = 80
	}
	name := func(row *statsRow) string {
		switch by {
		case "dir":
			return r.shortDir(row.key)
		case "session":
			return cmp.Or(row.name, row.key)
		case "branch":
			mark := cmp.Or(row.mark, "-")
			return mark + " " + row.key + " " + row.name
		}
		return row.key
	}
	head := []string{"calls", "in", "out", "cached", "cost"}
	if by == "branch" {
		head = append(head, "whole way")
	}
	cells := func(t session.Tally, path *session.Tally) []string {
		c := []string{strconv.Itoa(t.Calls), render.Count(t.Input + t.CacheWrite), render.Count(t.Output), render.Count(t.CacheRead), price(t)}
		if by == "branch" {
			if path == nil {
				return append(c, "")
			}
			c = append(c, price(*path))
		}
		return c
	}
	sum := cells(total, nil)
	widths := make([]int, len(head))
	left := len(by)
	for i := range rows {
		for k, c := range cells(rows[i].Tally, rows[i].path) {
			widths[k] = max(widths[k], len(c), len(head[k]), len(sum[k]))
		}
		left = max(left, styled.Width(render.OneLine(name(&rows[i]))))
	}
	used := 0
	for _, w := range widths {
		used += w + 2
	}
	left = min(left, max(width-used, 16))
	line := func(label string, cs []string) {
		row := render.Pad(render.Cut(render.OneLine(label), left), left)
		for k, c := range cs {
			row += fmt.Sprintf("  %*s", widths[k], c)
		}
		out.WriteString(strings.TrimRight(row, " ") + "\n") // bufio keeps the first error for Flush
	}
	line(by, head)
	for i := range rows {
		line(name(&rows[i]), cells(rows[i].Tally, rows[i].path))
	}
	line("all", sum)
	if sent := total.Input + total.CacheRead + total.CacheWrite; total.CacheRead > 0 && sent > 0 {
		fmt.Fprintf(out, "%.0f%% of what was sent came from caches.\n", 100*total.CacheRead/sent)
	}
	if total.FailedCost > 0 {
		fmt.Fprintf(out, "%s of it went into answers that failed or were stopped.\n", render.Dollars(total.FailedCost))
	}
	if total.Unpriced > 0 {
		fmt.Fprintf(out, "%s no price, so cost is not all (marked +?).\n", render.Plural(total.Unpriced, "call tells", "calls tell"))
	}
}

// price writes what a tally cost, and that it is not all where calls tell no price.
func price(t session.Tally) string {
	switch d := render.Dollars(t.Cost); {
	case t.Unpriced > 0 && d == "":
		return "?"
	case t.Unpriced > 0:
		return d + "+?"
	case d == "":
		return "$0"
	default:
		return d
	}
}

// json appends a row as a line.
func (row *statsRow) json(b []byte, by string) []byte {
	str := func(name, s string) {
		b = append(append(append(b, '"'), name...), '"', ':')
		b = append(rawjson.AppendString(b, s), ',')
	}
	b = append(b, '{')
	str("by", by)
	if by != "total" {
		str("key", row.key)
	}
	if row.id != "" {
		str("id", row.id)
	}
	if row.name != "" {
		str("name", row.name)
	}
	b = tallyJSON(b, row.Tally)
	if row.path != nil {
		b = append(tallyJSON(append(b, `,"path":{`...), *row.path), '}')
	}
	return append(b, '}', '\n')
}

// tallyJSON appends the members of a tally.
func tallyJSON(b []byte, t session.Tally) []byte {
	for i, m := range []struct {
		name string
		n    float64
	}{{"calls", float64(t.Calls)}, {"unpriced", float64(t.Unpriced)}, {"input", t.Input}, {"output", t.Output}, {"cacheRead", t.CacheRead},
		{"cacheWrite", t.CacheWrite}, {"cost", t.Cost}, {"failedCost", t.FailedCost}} {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, '"'), m.name...), '"', ':')
		b = rawjson.AppendNumber(b, m.n)
	}
	return b
}

// progress tells a person at a terminal how far something is, if it takes a while.
func (r *runner) progress(what string) func(done, of int) {
	if !r.env.StdinTerminal || !r.env.StdoutTerminal {
		return nil
	}
	begun := time.Now()
	var last time.Time
	return func(done, of int) {
		now := time.Now()
		switch {
		case done == of && !last.IsZero():
			io.WriteString(r.env.Stderr, "\r\x1b[K") // a line that nobody misses
		case now.Sub(begun) > 300*time.Millisecond && now.Sub(last) > 100*time.Millisecond:
			last = now
			fmt.Fprintf(r.env.Stderr, "\r%s: %d of %d", what, done, of)
		}
	}
}
