package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/internal/doctor"
	"github.com/boughdev/bough/internal/importer"
	"github.com/boughdev/bough/internal/search"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// library has this user's sessions, as the subcommands do.
type library struct{ r *runner }

var _ control.Library = library{}

// listLimit is how many sessions are listed at once unless a front end says
// otherwise.
const listLimit = 100

// inCodes gives an error of the subcommands a code, that of trouble with files if
// nothing else is known.
func inCodes(err error) error {
	code := protocol.IO
	switch {
	case err == nil || protocol.CodeOf(err) != "":
		return err
	case errors.Is(err, session.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		code = protocol.NotFound
	case errors.Is(err, session.ErrNotSession), errors.Is(err, session.ErrExists):
		code = protocol.BadRequest
	}
	return &protocol.Error{Code: code, Text: err.Error(), Err: err}
}

func (l library) scope(dir string, all bool, cwd string) scope {
	if cwd != "" {
		dir = l.r.env.abs(cwd)
	}
	return scope{all: all, cwd: dir}
}

func (l library) Find(ctx context.Context, dir, word string) (string, error) {
	return l.r.find(ctx, dir, word)
}

func (l library) List(ctx context.Context, dir string, c protocol.ListSessions) (protocol.Sessions, error) {
	if c.Limit < 0 {
		return protocol.Sessions{}, protocol.Fail(protocol.BadRequest, "A limit is a number of sessions.")
	}
	all, err := l.r.summaries(ctx, l.scope(dir, c.All, c.CWD))
	if err != nil {
		return protocol.Sessions{}, inCodes(err)
	}
	words := strings.Fields(strings.ToLower(c.Query))
	all = slices.DeleteFunc(all, func(s session.Summary) bool { return !hasWords(&s, words) })
	slices.SortStableFunc(all, newestFirst)
	if c.Cursor != "" {
		last, ok := atCursor(c.Cursor)
		if !ok {
			return protocol.Sessions{}, protocol.Fail(protocol.BadRequest, "The cursor is none that a list has given.")
		}
		n, found := slices.BinarySearchFunc(all, last, newestFirst)
		if found {
			n++
		}
		all = all[n:]
	}
	out := protocol.Sessions{Sessions: []protocol.SessionInfo{}}
	if limit := cmp.Or(c.Limit, listLimit); len(all) > limit {
		all = all[:limit]
		out.Next = cursor(all[limit-1])
	}
	holder := l.r.store.Holders()
	for _, s := range all {
		info := protocol.SessionInfo{Summary: s}
		if h := holder(s.Path); h != nil {
			info.Live, info.Process, info.Address = true, h.PID, h.Addr
		}
		out.Sessions = append(out.Sessions, info)
	}
	return out, nil
}

// hasWords reports whether words, in lower case, all occur in what a session is
// known by.
func hasWords(s *session.Summary, words []string) bool {
	if len(words) == 0 {
		return true
	}
	text := strings.ToLower(strings.Join([]string{s.Name, s.FirstMessage, s.ID, s.Path}, "\n"))
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

// newestFirst is an order in which each session has its own place.
func newestFirst(a, b session.Summary) int {
	return cmp.Or(b.Modified.Compare(a.Modified), strings.Compare(a.Path, b.Path))
}

// cursor says where the rest of a list begins: behind a session.
func cursor(s session.Summary) string {
	return strconv.FormatInt(s.Modified.UnixNano(), 36) + ":" + s.Path
}

func atCursor(word string) (session.Summary, bool) {
	at, path, ok := strings.Cut(word, ":")
	n, err := strconv.ParseInt(at, 36, 64)
	return session.Summary{Modified: time.Unix(0, n), Path: path}, ok && err == nil
}

func (l library) Search(ctx context.Context, dir string, c protocol.SearchSessions) (protocol.Found, error) {
	q, err := search.ReadQuery(c.Query, time.Now())
	if err != nil {
		return protocol.Found{}, &protocol.Error{Code: protocol.BadRequest, Text: err.Error(), Err: err}
	}
	if q.Label != "" {
		return protocol.Found{}, protocol.Fail(protocol.BadRequest, "label: is looked for within one session: open it and search its tree.")
	}
	o := q.Options
	o.Limit, o.Store, o.Relevance = cmp.Or(c.Limit, searchLimit), l.r.store, true
	if q.Empty() || c.Limit < 0 {
		return protocol.Found{}, protocol.Fail(protocol.BadRequest, "Say what to look for, and how many hits are wanted at most.")
	}
	all, err := l.r.summaries(ctx, l.scope(dir, c.All, c.CWD))
	if err != nil {
		return protocol.Found{}, inCodes(err)
	}
	res, err := search.Search(ctx, all, o)
	if err != nil {
		return protocol.Found{}, inCodes(err)
	}
	out := protocol.Found{Hits: []protocol.Hit{}}
	for _, h := range res.Hits {
		out.Hits = append(out.Hits, protocol.Hit{Session: *h.Session, Entry: h.Entry, Role: h.Role, Time: h.Time, Text: h.Before + h.Match + h.After})
	}
	return out, nil
}

func (l library) Rename(ctx context.Context, path, to string) error {
	name := session.CleanName(to)
	if name == "" {
		return protocol.Fail(protocol.BadRequest, "Session name cannot be empty")
	}
	_, err := l.r.rename(ctx, path, name)
	return inCodes(err)
}

func (l library) Trash(ctx context.Context, path string) error {
	_, err := l.r.putAway(ctx, path)
	return inCodes(err)
}

func (l library) Restore(ctx context.Context, _, word string) (string, error) {
	trash := l.r.trash()
	all, err := trash.List(ctx, l.r.store.Cache)
	if err != nil {
		return "", inCodes(err)
	}
	one, err := inTrash(all, word, l.r.env)
	if err != nil {
		return "", &protocol.Error{Code: protocol.NotFound, Text: err.Error(), Err: err}
	}
	path, err := trash.Restore(one, "")
	return path, inCodes(err)
}

func (l library) Check(ctx context.Context, path string) (protocol.Checkup, error) {
	r, err := doctor.Check(ctx, path)
	if err != nil {
		return protocol.Checkup{}, inCodes(err)
	}
	defer r.Close()
	var text, object bytes.Buffer
	if !r.Session {
		if t, err := importer.Recognize(path); err == nil {
			if err := errors.Join(unlessSilent(reportTree(&text, t, false)), unlessSilent(reportTree(&object, t, true))); err != nil {
				return protocol.Checkup{}, fmt.Errorf("say what is in %s: %w", path, err)
			}
			return protocol.Checkup{Text: text.String(), JSON: bytes.TrimSpace(object.Bytes())}, nil
		}
	}
	reportText(&text, r)
	return protocol.Checkup{Text: text.String(), JSON: r.JSON()}, nil
}
