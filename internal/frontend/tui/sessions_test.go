package tui_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/boughdev/bough/internal/frontend/tui"
	"github.com/boughdev/bough/internal/frontend/tui/tuitest"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/session/memstore"
)

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

// library answers what is asked about the sessions that there are.
type library struct {
	mu    sync.Mutex
	all   []protocol.SessionInfo // guarded by mu
	aside []protocol.SessionInfo // in the trash; guarded by mu
	calls []string               // guarded by mu
	fail  error                  // guarded by mu
}

func (s *library) do(cmd protocol.Request) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fail != nil {
		return nil, s.fail
	}
	s.calls = append(s.calls, fmt.Sprintf("%+v", cmd))
	switch c := cmd.(type) {
	case protocol.ListSessions:
		out := protocol.Sessions{}
		for _, i := range s.all {
			if c.All || i.CWD == "/srv" {
				out.Sessions = append(out.Sessions, i)
			}
		}
		if len(out.Sessions) > c.Limit {
			out.Sessions, out.Next = out.Sessions[:c.Limit], "more"
		}
		return out, nil
	case protocol.SearchSessions:
		if strings.HasPrefix(c.Query, "re:(") {
			return nil, protocol.Fail(protocol.BadRequest, "the expression has no end")
		}
		var found protocol.Found
		for _, i := range s.all {
			if strings.Contains(i.Model+" needle deep inside", c.Query) && i.CWD == "/srv" {
				found.Hits = append(found.Hits, protocol.Hit{Session: i.Summary, Entry: "e7", Role: "assistant", Text: "there is a needle deep inside"})
			}
		}
		return found, nil
	case protocol.RenameSession:
		for i := range s.all {
			if s.all[i].Path == c.Session {
				s.all[i].Name = c.To
			}
		}
		return protocol.None{}, nil
	case protocol.TrashSession:
		at := slices.IndexFunc(s.all, func(i protocol.SessionInfo) bool { return i.Path == c.Session })
		s.aside = append(s.aside, s.all[at])
		s.all = slices.Delete(slices.Clone(s.all), at, at+1)
		return protocol.None{}, nil
	case protocol.RestoreSession:
		s.all = append(s.all, s.aside...)
		s.aside = nil
		return c.Session, nil
	case protocol.SwitchSession, protocol.Navigate, protocol.Abort, protocol.Clone:
		return map[bool]any{true: protocol.Navigated{}, false: protocol.None{}}[cmd.Name() == "navigate_tree" || cmd.Name() == protocol.Navigate{}.Name()], nil
	}
	return nil, protocol.Fail(protocol.UnknownCommand, "no")
}

func (s *library) called(t *testing.T, want string) {
	t.Helper()
	eventually(t, "asked for "+want, func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return slices.ContainsFunc(s.calls, func(c string) bool { return strings.Contains(c, want) })
	})
}

func held(id, cwd, name, first string, hours int) protocol.SessionInfo {
	at := noon.Add(-time.Duration(hours) * time.Hour)
	return protocol.SessionInfo{Summary: session.Summary{ID: id, CWD: cwd, Path: "/sessions/" + id + ".jsonl", Name: name, FirstMessage: first, Created: at.Add(-time.Hour),
		Modified: at, Touched: at, Said: 2 * hours, Messages: 3 * hours, Leaves: 1 + hours%3, Cost: 0.07 * float64(hours), Size: 12345, Model: "stub/large"}}
}

func newLibrary() *library {
	child := held("c1", "/srv", "", "second child of the counter", 20)
	child.ParentSession = "/sessions/a1.jsonl"
	grand := held("c2", "/srv", "grandchild named", "", 26)
	grand.ParentSession = "/sessions/c1.jsonl"
	other := held("c3", "/srv", "", "another fork", 30)
	other.ParentSession = "/sessions/a1.jsonl"
	open := held("d1", "/srv", "", "open elsewhere 你好 👨‍👩‍👧", 3)
	open.Live, open.Process = true, 4711
	return &library{all: []protocol.SessionInfo{
		held("a1", "/srv", "Word counter", "count words", 2), open, child, grand, other,
		held("e1", "/home/me/far", "", "a session of another folder", 50), held("f1", "/gone", "", "its folder is gone", 70),
		held("puppet", "/srv", "", "this very one", 90),
	}}
}

func pickSessions(t *testing.T, s *library, width, height int) *tuitest.Screen {
	t.Helper()
	p := newPuppet()
	p.do = s.do
	scr := tuitest.Start(t, p, width, height, func(o *tui.Options) {
		o.Now, o.After = func() time.Time { return noon }, lasting
		o.Around = tui.Around{Gone: func(dir string) bool { return dir == "/gone" }, Repository: func(dir string) string { return "" },
			Read: func(ctx context.Context, path string) (*session.Session, error) {
				mem := &memstore.Store{}
				l, err := mem.Create(ctx, session.Header{CWD: "/srv"}.Complete(),
					[]byte(`{"type":"message","id":"m1","parentId":null,"timestamp":"2026-05-04T10:00:00.000Z","message":{"role":"user","content":"how many words has `+path+`?"}}`),
					[]byte(`{"type":"message","id":"m2","parentId":"m1","timestamp":"2026-05-04T10:00:01.000Z","message":{"role":"assistant","content":[{"type":"text","text":"It has twelve."}]}}`))
				if err != nil {
					return nil, err
				}
				id := l.Header().ID
				l.Close()
				return session.Open(ctx, mem, id)
			}}
	})
	t.Cleanup(func() { scr.End() })
	scr.Shows("bough")
	scr.Type("/resume", "enter")
	if height > 3 {
		scr.Shows("Sessions")
	}
	return scr
}

func TestSessionPicker(t *testing.T) {
	for _, size := range [][2]int{{40, 20}, {80, 24}, {120, 30}, {200, 60}, {24, 14}} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			s := pickSessions(t, newLibrary(), size[0], size[1])
			s.Golden(fmt.Sprintf("sessions_%dx%d.txt", size[0], size[1]))
		})
	}
}

func TestSessionScopesAndOrders(t *testing.T) {
	s := pickSessions(t, newLibrary(), 80, 24)
	s.Shows("├─ second child", "└─ grandchild", "└─ another fork")
	s.Type("tab") // no repository here, so it is passed over
	s.Shows("a session of another folder", "~/far", "/gone (gone)")
	s.Golden("sessions_all.txt")
	s.Type("ctrl+s")
	s.Shows("sort: recent")
	s.Hides("└─")
	s.Type("ctrl+n")
	s.Shows("named", "grandchild named")
	s.Hides("another fork")
	s.Type("ctrl+p")
	s.Shows("/sessions/c2.jsonl")
	s.Type(" ")
	s.Shows("how many words has /sessions/a1.jsonl?", "assistant: It has twelve.")
}

func TestSessionSearch(t *testing.T) {
	sh := newLibrary()
	s := pickSessions(t, sh, 80, 24)
	s.Type("counter")
	s.Shows("(1/2)", "Word counter", "second child of the counter")
	s.Hides("another fork")
	s.Type("ctrl+u", "needle deep")
	s.Shows("there is a needle deep inside")
	s.Hides("searching")
	s.Golden("sessions_hits.txt")
	s.Type("down", "enter")
	s.Hides("Sessions")
	s.Shows("open elsewhere")
	sh.called(t, "{Session:/sessions/d1.jsonl CWD:}")
	sh.called(t, "Target:e7")
	s.Type("/resume re:(", "enter")
	s.Shows("The expression has no end.")
}

// Of a search that says more than words, names know nothing.
func TestSessionsSearchedByMoreThanWords(t *testing.T) {
	l := newLibrary()
	s := pickSessions(t, l, 80, 24)
	s.Shows("another fork")
	s.Paste("counter tool:bash")
	s.Shows("nothing fits")
	l.called(t, "Query:counter tool:bash")
	s.Type("ctrl+u")
	s.Paste("large")
	s.Shows("there is a needle deep inside")
	s.Type("ctrl+u")
	s.Paste("http://counter")
	l.called(t, "Query:http://counter")
}

// What is not found is not looked for with every frame.
func TestSessionsAreSearchedOnce(t *testing.T) {
	l := newLibrary()
	s := pickSessions(t, l, 80, 24)
	s.Shows("another fork")
	s.Paste("zz9")
	s.Shows("nothing fits")
	for range 5 {
		s.Resize(81, 24)
		s.Resize(80, 24)
	}
	s.Type("ctrl+s")
	s.Shows("sort: recent")
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := strings.Count(strings.Join(l.calls, "\n"), "Query:zz9"); n != 1 {
		t.Errorf("searched %d times", n)
	}
}

func TestSessionsRenamedAndThrownAway(t *testing.T) {
	sh := newLibrary()
	s := pickSessions(t, sh, 80, 24)
	s.Shows("another fork")
	s.Type("down", "ctrl+r", "a new name", "enter")
	s.Shows("a new name")
	s.Type("ctrl+d")
	s.Shows("Into the trash: a new name?", "enter yes · esc no")
	s.Type("x", "ctrl+d", "down", "escape")
	s.Hides("Into the trash")
	s.Type("ctrl+d", "enter")
	s.Shows("In the trash; ctrl+- brings it back.")
	s.Hides("a new name")
	s.Type("\x1f")
	s.Shows("a new name")
	s.Type("this very", "ctrl+d")
	s.Shows("This session is open")
}

func TestSessionsFolderGoneAndBusy(t *testing.T) {
	sh := newLibrary()
	s := pickSessions(t, sh, 80, 24)
	s.Type("tab", "its folder")
	s.Shows("/gone (gone)")
	s.Type("enter")
	s.Shows("The folder of this session is gone: /gone")
	s.Golden("sessions_gone.txt")
	s.Type("enter")
	s.Hides("is gone: /gone")
	sh.called(t, "{Session:/sessions/f1.jsonl CWD:/srv}")
}

func TestManySessionsAndHostileOnes(t *testing.T) {
	sh := &library{}
	for i := range 10_000 {
		sh.all = append(sh.all, held(fmt.Sprintf("id-%d", i), "/srv", "", fmt.Sprintf("session number %d", i), i))
	}
	sh.all[1].Name = "\x1b[2J\x1b]0;x\x07\u202eevil\u0301 " + strings.Repeat("x", 1<<20)
	sh.all[1].CWD, sh.all[1].Model = "/srv", "a/\x1b[31mred"
	s := pickSessions(t, sh, 120, 20)
	s.Shows("(1/10000)")
	s.Type("number 9999")
	s.Shows("session number 9999")
	s.Type("ctrl+u", "down")
	s.Shows("> <U+202E>evi", "xxx...")
	if raw := s.Raw(); strings.Contains(raw, "\x1b[2J\x1b]0;x") {
		t.Error("it reaches the terminal")
	}
}

func TestSessionsThatCannotBeListed(t *testing.T) {
	s := pickSessions(t, &library{fail: protocol.Fail(protocol.IO, "the disk is \x1b[2Jaway")}, 100, 20)
	s.Shows("The disk is away.")
	s.Type("ctrl+r", "ctrl+d", "enter", "ctrl+p", "ctrl+s", "ctrl+n", "tab", " ", "x", "escape")
	s.Hides("> x")
	s.Type("escape")
	s.Hides("Sessions")
}
