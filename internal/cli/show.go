package cli

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/session/filestore"
)

func showOptions() []commandOption {
	return []commandOption{
		{"--family", "", "count what it and all its forks and clones took, each model call once"},
		jsonOption, dirOption,
	}
}

// showCommand says what is in a session.
func showCommand(ctx context.Context, env Env, opts map[string]string, words []string) error {
	c := command{name: "sessions show"}
	if len(words) != 1 {
		return c.usage("give one session, its path or id; bough sessions list shows them")
	}
	r, err := newRunner(env, &args{sessionDir: opts["--session-dir"], maxTurns: -1})
	if err != nil {
		return err
	}
	path, err := r.pathOf(ctx, words[0])
	if err != nil {
		return err
	}
	v, err := r.view(ctx, path)
	if err != nil {
		return err
	}
	if opts["--family"] != "" {
		if v.family, err = r.family(ctx, path); err != nil {
			return err
		}
	}
	out := bufio.NewWriter(env.Stdout)
	if opts["--json"] != "" {
		out.Write(append(v.json(), '\n')) // bufio keeps the first error for Flush
	} else {
		v.write(out, r)
	}
	return out.Flush()
}

// sessionView is what show says of a session.
type sessionView struct {
	sum      session.Summary
	version  int
	bad      int // damaged lines
	leaf     session.ID
	types    map[session.Type]int
	roles    map[message.Role]int
	stats    session.Stats
	shares   []session.Share
	branches []branchView
	family   *familyView
}

// branchView is one end of the tree.
type branchView struct {
	leaf    session.ID
	entries int  // on the way there
	onPath  bool // the conversation stands there
	label   string
	words   string // what begins it
	time    time.Time
}

type familyView struct {
	members []familyMember
	total   session.Stats
}

type familyMember struct {
	sum session.Summary
	own session.Stats // not counted in those before
}

func (r *runner) view(ctx context.Context, path string) (*sessionView, error) {
	s, err := session.Open(ctx, r.store, path)
	if err != nil {
		return nil, headerless(path, err)
	}
	defer s.Close()
	t := s.Tree()
	v := &sessionView{leaf: t.Leaf(), bad: t.BadLines(), types: map[session.Type]int{}, roles: map[message.Role]int{}}
	v.version = s.Header().Version
	if h, err := filestore.ReadHeader(path); err == nil {
		v.version = h.Version // as it is in the file
	}
	if v.sum, err = session.Summarize(s.Header(), s.Log().Entries(ctx, 0), nil); err != nil {
		return nil, err
	}
	v.sum.Path = path
	if info, err := os.Stat(path); err == nil {
		v.sum.Size = info.Size()
		if v.sum.Modified.IsZero() {
			v.sum.Modified = info.ModTime()
		}
	}
	for e := range t.Log() {
		v.types[e.Type]++
		if e.Role != "" {
			v.roles[e.Role]++
		}
	}
	if v.stats, err = t.Stats(); err != nil {
		return nil, err
	}
	if v.shares, err = t.Shares(); err != nil {
		return nil, err
	}
	v.branches = branchesOf(t, v.leaf)
	return v, nil
}

// branchesOf returns the ends of a tree: where something was said, and nothing after
// it. That where the conversation stands comes first, then the latest.
func branchesOf(t *session.Tree, leaf session.ID) []branchView {
	previews := render.NewPreviews(t)
	at := map[session.ID]bool{}
	for _, e := range t.Path(leaf) {
		at[e.ID] = true
	}
	var all []branchView
	for e := range t.All() {
		if !render.Counted(t, e) || e.Role == message.System || len(render.Next(t, e.ID)) > 0 {
			continue
		}
		b := branchView{leaf: e.ID, onPath: at[e.ID], time: e.Time, label: t.Label(e.ID)}
		path := t.Path(e.ID)
		b.entries = len(path)
		// What begins it: the first user message behind the last place where ways part.
		from := 0
		for i := len(path) - 1; i > 0; i-- {
			if render.Counted(t, path[i-1]) && len(render.Next(t, path[i-1].ID)) > 1 {
				from = i
				break
			}
		}
		for _, on := range slices.Backward(path[from:]) {
			if p := previews.Of(on); on.Role == message.User && p.Text != "" {
				b.words = p.Text
			}
		}
		b.words = cmp.Or(b.words, previews.Of(e).Row)
		all = append(all, b)
	}
	slices.SortStableFunc(all, func(a, b branchView) int {
		if a.onPath != b.onPath {
			if a.onPath {
				return -1
			}
			return 1
		}
		return b.time.Compare(a.time)
	})
	return all
}

// family counts what a session and all its forks and clones took.
func (r *runner) family(ctx context.Context, path string) (*familyView, error) {
	l, err := r.store.Listing(ctx)
	if err != nil {
		return nil, err
	}
	all := l.Sessions()
	slices.SortFunc(all, func(a, b session.Summary) int {
		return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.Path, b.Path))
	})
	same := filestore.Canonical()
	var members []int
	for _, f := range session.Families(all, same) {
		if slices.ContainsFunc(f, func(i int) bool { return all[i].Path == path || same(all[i].Path) == same(path) }) {
			members = f
			break
		}
	}
	v := &familyView{}
	var ledger session.Ledger
	for _, i := range members {
		s, err := session.Open(ctx, r.store, all[i].Path)
		if err != nil {
			r.say("%s is not counted: %v", all[i].Path, err)
			continue
		}
		own, err := ledger.Add(s.Tree())
		s.Close() // it was only looked at
		if err != nil {
			return nil, err
		}
		v.members = append(v.members, familyMember{all[i], own})
	}
	v.total = ledger.Total()
	return v, nil
}

// branchesShown is how many branches people are shown.
const branchesShown = 20

func (v *sessionView) write(out *bufio.Writer, r *runner) {
	width := r.env.Width
	if width == 0 {
		width = 200
	}
	say := func(name, format string, args ...any) {
		for i, a := range args {
			if s, ok := a.(string); ok {
				args[i] = render.OneLine(s)
			}
		}
		if text := strings.TrimRight(fmt.Sprintf(format, args...), " "); text != "" {
			fmt.Fprintf(out, "%-10s %s\n", name, render.Cut(text, max(width-11, 20)))
		}
	}
	s := &v.sum
	say("session", "%s", s.ID)
	say("name", "%s", s.Name)
	fmt.Fprintf(out, "%-10s %s\n", "file", render.OneLine(s.Path)) // whole, to be copied
	say("size", "%s, version %d", render.Bytes(s.Size), v.version)
	say("folder", "%s", r.shortDir(s.CWD))
	say("fork of", "%s", r.shortDir(s.ParentSession))
	if !s.Created.IsZero() {
		say("begun", "%s", s.Created.Local().Format(time.DateTime))
	}
	say("last", "%s (%s)", s.Modified.Local().Format(time.DateTime), render.Ago(time.Since(s.Modified)))
	if v.bad > 0 {
		say("damaged", "%s; bough doctor says more", render.Plural(v.bad, "line", "lines"))
	}
	say("messages", "%s", counts(v.roles))
	say("entries", "%s", counts(v.types))
	for i, b := range v.branches {
		if i == branchesShown {
			fmt.Fprintf(out, "%-10s ... and %d more; bough tree draws them all\n", "", len(v.branches)-i)
			break
		}
		name, mark := "", "-"
		if i == 0 {
			name = "branches"
		}
		if b.onPath {
			mark = ">"
		}
		label := ""
		if b.label != "" {
			label = "[" + render.OneLine(b.label) + "] "
		}
		say(name, "%s  %s  %s", mark+" "+render.OneLine(string(b.leaf)), render.Plural(b.entries, "entry", "entries"), label+b.words)
	}
	for i, m := range v.shares {
		name := ""
		if i == 0 {
			name = "models"
		}
		say(name, "%s: %s, %s", cmp.Or(m.Model, "tools and summaries"), render.Plural(m.Calls, "call", "calls"), tokens(m.Stats))
	}
	if v.stats.Tokens() > 0 || v.stats.Cost > 0 {
		say("all", "%s", tokens(v.stats))
	}
	if v.family == nil {
		return
	}
	fmt.Fprintf(out, "\n%s with its forks and clones, each model call counted once:\n", render.Plural(len(v.family.members), "session", "sessions"))
	for _, m := range v.family.members {
		mark := " "
		if m.sum.Path == s.Path {
			mark = ">"
		}
		fmt.Fprintf(out, "%s %s  %s  %s\n", mark, render.OneLine(m.sum.ID), cmp.Or(render.Dollars(m.own.Cost), "$0"),
			render.Cut(render.Title(m.sum), max(width-len(m.sum.ID)-14, 20)))
	}
	say("together", "%s", tokens(v.family.total))
}

// counts writes how many there are of each, the most first.
func counts[K ~string](n map[K]int) string {
	var parts []string
	for _, k := range slices.SortedFunc(maps.Keys(n), func(a, b K) int { return cmp.Or(cmp.Compare(n[b], n[a]), cmp.Compare(a, b)) }) {
		parts = append(parts, strconv.Itoa(n[k])+" "+string(k))
	}
	return strings.Join(parts, ", ")
}

func tokens(s session.Stats) string {
	out := fmt.Sprintf("%s in, %s out", render.Count(s.Input), render.Count(s.Output))
	if s.CacheRead+s.CacheWrite > 0 {
		out += fmt.Sprintf(", cache %s read, %s written", render.Count(s.CacheRead), render.Count(s.CacheWrite))
	}
	if d := render.Dollars(s.Cost); d != "" {
		out = d + ": " + out
	}
	return out
}

// json is one object: the row of a list, and more.
func (v *sessionView) json() []byte {
	b := appendSummary(nil, &v.sum)
	b = b[:len(b)-1]
	key := func(name string) { b = append(append(append(b, ',', '"'), name...), '"', ':') }
	str := func(name, s string) { key(name); b = rawjson.AppendString(b, s) }
	num := func(name string, n int) { key(name); b = strconv.AppendInt(b, int64(n), 10) }
	num("version", v.version)
	num("badLines", v.bad)
	str("leaf", string(v.leaf))
	key("entries")
	b = countsJSON(b, v.types)
	key("messages")
	b = countsJSON(b, v.roles)
	key("branches")
	b = append(b, '[')
	for i, br := range v.branches {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"leaf":`...)
		b = rawjson.AppendString(b, string(br.leaf))
		num("entries", br.entries)
		b = fmt.Appendf(b, `,"onPath":%v`, br.onPath)
		if br.label != "" {
			str("label", br.label)
		}
		str("firstWords", br.words)
		if !br.time.IsZero() {
			str("time", session.FormatTime(br.time))
		}
		b = append(b, '}')
	}
	b = append(b, ']')
	key("models")
	b = append(b, '[')
	for i, m := range v.shares {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"model":`...)
		b = rawjson.AppendString(b, m.Model)
		num("calls", m.Calls)
		b = statsJSON(b, m.Stats)
		b = append(b, '}')
	}
	b = append(b, `],"total":{"messages":`...)
	b = strconv.AppendInt(b, int64(v.stats.Messages), 10)
	b = statsJSON(b, v.stats)
	b = append(b, '}')
	if v.family != nil {
		b = append(b, `,"family":{"sessions":[`...)
		for i, m := range v.family.members {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(b, `{"path":`...)
			b = rawjson.AppendString(b, m.sum.Path)
			str("id", m.sum.ID)
			b = statsJSON(b, m.own)
			b = append(b, '}')
		}
		b = append(b, `],"total":{"messages":`...)
		b = strconv.AppendInt(b, int64(v.family.total.Messages), 10)
		b = append(statsJSON(b, v.family.total), '}', '}')
	}
	return append(b, '}')
}

func countsJSON[K ~string](b []byte, n map[K]int) []byte {
	b = append(b, '{')
	for i, k := range slices.Sorted(maps.Keys(n)) {
		if i > 0 {
			b = append(b, ',')
		}
		b = rawjson.AppendString(b, string(k))
		b = strconv.AppendInt(append(b, ':'), int64(n[k]), 10)
	}
	return append(b, '}')
}

// statsJSON appends the tokens and the cost as further members.
func statsJSON(b []byte, s session.Stats) []byte {
	for _, m := range []struct {
		name string
		n    float64
	}{{"input", s.Input}, {"output", s.Output}, {"cacheRead", s.CacheRead}, {"cacheWrite", s.CacheWrite}, {"cost", s.Cost}} {
		b = append(append(append(b, ',', '"'), m.name...), '"', ':')
		b = rawjson.AppendNumber(b, m.n)
	}
	return b
}
