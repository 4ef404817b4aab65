package cli

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/internal/search"
	"github.com/boughdev/bough/internal/styled"
	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/session/filestore"
)

var (
	allOption = commandOption{"--all", "", "those of all folders"}
	cwdOption = commandOption{"--cwd", "DIR", "those of this folder; without it, and without --all, of the working directory"}
)

// sessionsCommands are the commands behind bough sessions; the first one is meant
// if there is none.
func sessionsCommands() []command {
	return []command{
		{"sessions list", "", "list sessions",
			"With --json each session is a line: path, id, cwd, name, parentSessionPath, created,\nmodified, messageCount (of all message entries, as pi counts), firstMessage, leaves,\nsize, model, cost.\n\n" +
				"--query takes words, all of which must be in the name, the id, the folder or a message;\n\"several words\" that follow each other; or re: and a regular expression.\n\nA session that a bough has open is marked (open); bough attach joins it.\n",
			[]commandOption{
				allOption, cwdOption,
				{"--query", "TEXT", "those that fit"},
				{"--named", "", "those that have a name"},
				{"--sort", "ORDER", "recent (the latest message first), relevance (to the query), threaded, size or cost"},
				{"--threaded", "", "forks below what they were made of"},
				{"--limit", "N", "no more than N"},
				jsonOption, dirOption,
			}, listCommand},
		{"sessions search", "WORDS", "find what was said, thought, called and answered",
			"WORDS must all be in one entry, in any case and any script; \"several words\" in quotes\nfollow each other; re: begins a regular expression. Forks are found once.\n\n" +
				"With --json each hit is a line: session (path), sessionId, name, cwd, entry, role, tool,\ntime, before, match, after, onPath, copies.\n",
			[]commandOption{
				allOption, cwdOption,
				{"--role", "ROLE", strings.Join(search.Roles(), ", ")},
				{"--tool", "TOOL", "calls of this tool, and what it answered"},
				{"--file", "FILE", "calls that name this file, or a part of its path, and what came of them"},
				{"--model", "MODEL", "sessions in which this model answered; of answers, its own"},
				{"--since", "TIME", "2026-03-01, 2026-03-01T09:30, or 12h, 7d, 3w ago"},
				{"--until", "TIME", "likewise"},
				{"--sort", "ORDER", "recent (the latest first) or relevance"},
				{"--limit", "N", fmt.Sprintf("no more than N (%d; 0: all)", searchLimit)},
				jsonOption, dirOption,
			}, searchCommand},
		{"sessions show", "FILE|ID", "say what is in a session", "", showOptions(), showCommand},
		{"sessions tree", "FILE|ID", "print a session's tree: bough tree", "", treeOptions(), treeCommand},
		{"sessions rename", "FILE|ID NAME", "name a session", "",
			[]commandOption{{"--clear", "", "take its name away"}, jsonOption, dirOption}, renameCommand},
		{"sessions trash", "FILE|ID ...", "move sessions to the trash, from which restore brings them back",
			"Nothing is deleted. A session that is open in a bough is left alone. The setting\nbough.trash gives the files to a program in place of bough's own trash.\n",
			[]commandOption{{"--list", "", "list what is in the trash"}, jsonOption, dirOption}, trashCommand},
		{"sessions restore", "ID|NAME|PATH ...", "bring sessions back from the trash",
			"They come back to where they were; nothing is overwritten.\n",
			[]commandOption{{"--to", "PATH", "to this file"}, jsonOption, dirOption}, restoreCommand},
	}
}

// sessionsMain runs one of them.
func sessionsMain(ctx context.Context, env Env, words []string) error {
	all := sessionsCommands()
	if len(words) == 0 || strings.HasPrefix(words[0], "-") && words[0] != "-h" && words[0] != "--help" {
		return all[0].main(ctx, env, words)
	}
	if words[0] == "-h" || words[0] == "--help" {
		return helpCommand(ctx, env, nil, []string{"sessions"})
	}
	i := slices.IndexFunc(all, func(c command) bool { return c.name == "sessions "+words[0] })
	if i < 0 {
		return commandUsage("sessions", "there is no %q; there are %s", oneLine(words[0], 40), sessionsWords(", "))
	}
	return all[i].main(ctx, env, words[1:])
}

// sessionsWords are their names.
func sessionsWords(sep string) string {
	var names []string
	for _, c := range sessionsCommands() {
		names = append(names, strings.TrimPrefix(c.name, "sessions "))
	}
	return strings.Join(names, sep)
}

// sessionsHelp says what there is.
func sessionsHelp() string {
	var b strings.Builder
	for _, c := range sessionsCommands() {
		row(&b, strings.TrimPrefix(c.name, "sessions ")+" "+c.words, c.help)
	}
	return "Without a word it is list. bough sessions WORD --help says more of each.\n\nwords:\n" + b.String()
}

// scope is which sessions are meant: those of a folder, or of all.
type scope struct {
	all bool
	cwd string
}

func (r *runner) scope(opts map[string]string) scope {
	s := scope{all: opts["--all"] != "", cwd: r.env.Dir}
	if dir := opts["--cwd"]; dir != "" {
		s.cwd = r.env.abs(dir)
	}
	return s
}

// summaries returns the sessions of a scope, the one with the latest message first.
func (r *runner) summaries(ctx context.Context, s scope) ([]session.Summary, error) {
	if s.all {
		l, err := r.store.Listing(ctx)
		return l.Sessions(), err
	}
	found, err := r.store.Recent(ctx, s.cwd)
	slices.SortStableFunc(found, func(a, b session.Summary) int { return b.Modified.Compare(a.Modified) })
	return found, err
}

// listCommand lists sessions.
func listCommand(ctx context.Context, env Env, opts map[string]string, words []string) error {
	c := command{name: "sessions list"}
	if len(words) > 0 {
		return c.usage("it takes no word %q. --query %s looks for it", oneLine(words[0], 40), oneLine(words[0], 40))
	}
	limit, err := c.count(opts, "--limit", 0)
	if err != nil {
		return err
	}
	order := opts["--sort"]
	if opts["--threaded"] != "" {
		if order != "" && order != "threaded" {
			return c.usage("--threaded and --sort %s are two orders; give one", oneLine(order, 20))
		}
		order = "threaded"
	}
	if order != "" && !slices.Contains([]string{"recent", "relevance", "threaded", "size", "cost"}, order) {
		return c.usage("--sort is recent, relevance, threaded, size or cost, not %q", oneLine(order, 20))
	}
	if order == "relevance" && opts["--query"] == "" {
		return c.usage("--sort relevance needs a --query")
	}
	query, err := search.Parse(opts["--query"])
	if err != nil {
		return c.usage("%v", err)
	}
	r, err := newRunner(env, &args{sessionDir: opts["--session-dir"], maxTurns: -1})
	if err != nil {
		return err
	}
	in := r.scope(opts)
	var found []session.Summary
	others := 0
	if in.all {
		l, err := r.store.Listing(ctx)
		if err != nil {
			return err
		}
		if opts["--json"] != "" && query.Empty() && opts["--named"] == "" && (order == "" || order == "recent") {
			n := l.Len()
			if limit > 0 {
				n = min(n, limit)
			}
			return writeRows(env.Stdout, n, func(b []byte, i int) []byte {
				s := l.Session(i)
				return append(appendSummary(b, &s), '\n')
			})
		}
		found, others = l.Sessions(), l.Others
	} else if found, err = r.summaries(ctx, in); err != nil {
		return err
	}
	any := len(found) > 0
	if opts["--named"] != "" {
		found = slices.DeleteFunc(found, func(s session.Summary) bool { return s.Name == "" })
	}
	threads, err := ordered(ctx, found, query, order)
	if err != nil {
		return err
	}
	if limit > 0 {
		threads = threads[:min(limit, len(threads))]
	}
	if opts["--json"] != "" {
		return writeRows(env.Stdout, len(threads), func(b []byte, i int) []byte { return append(appendSummary(b, threads[i].Summary), '\n') })
	}
	out := bufio.NewWriterSize(env.Stdout, 1<<16)
	r.table(out, threads, in.all)
	if err := out.Flush(); err != nil {
		return err
	}
	switch {
	case any && len(threads) == 0:
		r.say("No session fits.")
	case !any && in.all:
		r.say("There are no sessions yet.")
	case !any:
		r.say("There are no sessions of this folder yet; --all lists those of all folders.")
	}
	if others > 0 {
		r.say("%s no session; bough doctor says why.", render.Plural(others, "file is", "files are"))
	}
	return nil
}

// writeRows writes rows in order, which are made on all processors.
func writeRows(out io.Writer, n int, row func(b []byte, i int) []byte) error {
	const size = 100
	parts := make([]chan []byte, (n+size-1)/size)
	for p := range parts {
		parts[p] = make(chan []byte, 1)
	}
	free := make(chan []byte, 2*runtime.GOMAXPROCS(0)) // as many are made ahead
	for range cap(free) {
		free <- nil
	}
	go func() {
		for p := range parts {
			b := <-free
			go func() {
				b = b[:0]
				for i := p * size; i < min((p+1)*size, n); i++ {
					b = row(b, i)
				}
				parts[p] <- b
			}()
		}
	}()
	var err error
	for _, part := range parts {
		b := <-part
		if err == nil {
			_, err = out.Write(b)
		}
		free <- b
	}
	return err
}

// count is an option that is a number; 0 means all there are.
func (c command) count(opts map[string]string, name string, otherwise int) (int, error) {
	v, ok := opts[name]
	if !ok {
		return otherwise, nil
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < 0 {
		return 0, c.usage("%s is a number, not %q", name, oneLine(v, 20))
	}
	return n, nil
}

// ordered leaves the sessions that fit, in the order that is asked for. found is in
// that of recent.
func ordered(ctx context.Context, found []session.Summary, query search.Expr, order string) ([]session.Thread, error) {
	if query.Empty() && order == "threaded" {
		return session.Threads(found, filestore.Canonical()), nil
	}
	ranked := make([]search.Ranked, len(found))
	for i := range found {
		ranked[i].Session = &found[i]
	}
	if !query.Empty() {
		var err error
		if ranked, err = search.Sessions(ctx, found, query); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(ranked, func(a, b search.Ranked) int {
		switch order {
		case "relevance":
			return cmp.Compare(a.Score, b.Score)
		case "size":
			return cmp.Compare(b.Session.Size, a.Session.Size)
		case "cost":
			return cmp.Compare(b.Session.Cost, a.Session.Cost)
		}
		return 0
	})
	threads := make([]session.Thread, len(ranked))
	for i, r := range ranked {
		threads[i].Summary = r.Session
	}
	return threads, nil
}

// table writes rows for people, in as many columns as there is room for.
func (r *runner) table(out *bufio.Writer, threads []session.Thread, folders bool) {
	if len(threads) == 0 {
		return
	}
	ids := shortIDs(threads)
	if !r.env.StdoutTerminal {
		for i, t := range threads {
			ids[i] = render.OneLine(t.ID)
		}
	}
	cells := func(i int) []string {
		t := threads[i]
		branches := ""
		if t.Leaves > 1 {
			branches = render.Plural(t.Leaves, "branch", "branches")
		}
		return []string{ids[i], render.Age(time.Since(t.Modified)), strings.TrimSpace(render.Messages(t.Said)), branches, render.Bytes(t.Size), render.Dollars(t.Cost)}
	}
	var widths [6]int
	for i := range threads {
		for k, c := range cells(i) {
			widths[k] = max(widths[k], styled.Width(c))
		}
	}
	// What there is no room for, the least wanted first.
	width := r.env.Width
	left := func() int {
		n := width
		for _, w := range widths {
			if w > 0 {
				n -= w + 2
			}
		}
		return n
	}
	enough := 32
	if folders {
		enough = 48
	}
	for _, k := range []int{5, 4, 3} {
		if width > 0 && left() < enough {
			widths[k] = 0
		}
	}
	holder := r.store.Holders()
	for i, t := range threads {
		var b strings.Builder
		for k, c := range cells(i) {
			switch {
			case widths[k] == 0:
			case k < 2 || k == 3:
				b.WriteString(render.Pad(c, widths[k]) + "  ")
			default:
				b.WriteString(strings.Repeat(" ", widths[k]-styled.Width(c)) + c + "  ")
			}
		}
		what := render.ThreadBars(threads, i, true)
		if holder(t.Path) != nil {
			what += "(open) "
		}
		what += render.Title(*t.Summary)
		if t.Junk > 0 {
			what += " (" + render.Plural(t.Junk, "line", "lines") + " damaged)"
		}
		room := 60
		if width > 0 {
			room = max(left(), 12)
		}
		if folders {
			dir := render.OneLine(r.shortDir(t.CWD))
			if width > 0 {
				dir = render.CutLeft(dir, max(room*2/5, 8))
				room -= styled.Width(dir) + 2
			}
			b.WriteString(render.Pad(render.Cut(what, room), room) + "  " + dir)
		} else {
			b.WriteString(render.Cut(what, room))
		}
		out.WriteString(strings.TrimRight(b.String(), " ") + "\n")
	}
}

// shortIDs returns what tells the sessions apart: the ends of the ids that programs
// make, whose beginnings are the time, and ids that people gave whole.
func shortIDs(threads []session.Thread) []string {
	ids := make([]string, len(threads))
	for n := 8; n < 40; n += 4 {
		seen := map[string]string{}
		twice := false
		for i, t := range threads {
			ids[i] = shortID(t.ID, n)
			other, ok := seen[ids[i]]
			twice = twice || ok && other != t.ID
			seen[ids[i]] = t.ID
		}
		if !twice {
			break
		}
	}
	return ids
}

func shortID(id string, n int) string {
	if len(id) == 36 && strings.Count(id, "-") == 4 {
		id = id[max(0, len(id)-n):]
	}
	return render.OneLine(id)
}

// shortDir writes a folder as people do, with ~ for their own.
func (r *runner) shortDir(dir string) string {
	if rel, err := filepath.Rel(r.paths.Home, dir); err == nil && filepath.IsLocal(rel) {
		return filepath.Join("~", rel)
	}
	return dir
}

// appendSummary appends a row of a list (docs/spec/rpc.md 14.5). Its count is pi's,
// of all message entries; people are told of those of user and model.
func appendSummary(b []byte, s *session.Summary) []byte {
	b = append(b, `{"path":`...)
	b = rawjson.AppendString(b, s.Path)
	b = append(b, `,"id":`...)
	b = rawjson.AppendString(b, s.ID)
	b = append(b, `,"cwd":`...)
	b = rawjson.AppendString(b, s.CWD)
	if s.Name != "" {
		b = append(b, `,"name":`...)
		b = rawjson.AppendString(b, s.Name)
	}
	if s.ParentSession != "" {
		b = append(b, `,"parentSessionPath":`...)
		b = rawjson.AppendString(b, s.ParentSession)
	}
	if !s.Created.IsZero() {
		b = append(b, `,"created":"`...)
		b = append(session.AppendTime(b, s.Created), '"')
	}
	b = append(b, `,"modified":"`...)
	b = session.AppendTime(b, s.Modified)
	b = append(b, `","messageCount":`...)
	b = strconv.AppendInt(b, int64(s.Messages), 10)
	b = append(b, `,"firstMessage":`...)
	b = rawjson.AppendString(b, cmp.Or(s.FirstMessage, "(no messages)"))
	b = append(b, `,"leaves":`...)
	b = strconv.AppendInt(b, int64(s.Leaves), 10)
	b = append(b, `,"size":`...)
	b = strconv.AppendInt(b, s.Size, 10)
	if s.Model != "" {
		b = append(b, `,"model":`...)
		b = rawjson.AppendString(b, s.Model)
	}
	if s.Cost > 0 {
		b = append(b, `,"cost":`...)
		b = rawjson.AppendNumber(b, s.Cost)
	}
	return append(b, '}')
}

// title is how a session is called in a list.
func title(s session.Summary) string { return oneLine(render.Title(s), 60) }
