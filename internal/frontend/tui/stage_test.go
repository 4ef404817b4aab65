package tui_test

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/boughdev/bough/internal/frontend/tui"
	"github.com/boughdev/bough/internal/frontend/tui/tuitest"
	"github.com/boughdev/bough/internal/lang"
	"github.com/boughdev/bough/internal/term"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/session/memstore"
)

// A stage is a terminal UI whose time stands still while it is looked at: what shows
// hangs on what was typed and told, and on nothing else.
type stage struct {
	*tuitest.Screen
	t *testing.T
	p *puppet
}

// settle lets a little time pass and waits until all is quiet.
func (s *stage) settle() {
	time.Sleep(101 * time.Millisecond)
	synctest.Wait()
}

// play types keys, one after the other.
func (s *stage) play(keys ...string) {
	for _, k := range keys {
		s.Type(k)
		s.settle()
	}
}

// size makes the terminal another one, beyond by so many columns and rows larger than
// the UI is told.
func (s *stage) size(width, height, beyond int) {
	s.Terminal.Resize(width+beyond, height+beyond)
	s.Sized(width, height)
	s.settle()
}

// signals has the goroutine that takes signals begin, which is not to be of a stage.
var signals = sync.OnceFunc(func() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt)
	signal.Stop(c)
})

// onStage shows a scene at a size, and ends it after f.
func onStage(t *testing.T, sc scene, width, height, beyond int, f func(s *stage), change ...func(*tui.Options)) {
	t.Helper()
	signals()
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		model := stubs[0]
		if sc.model.ID != "" {
			model = sc.model
		}
		p := &puppet{events: make(chan protocol.Event, 10_000), do: newAnswers().do}
		if sc.do != nil {
			p.do = sc.do(p.do)
		}
		tree := session.NewTree()
		for _, ev := range sc.session() {
			tree.Add(ev.(protocol.Appended).Entry)
		}
		p.tell(protocol.Opened{Header: session.Header{ID: "puppet", CWD: cmp.Or(sc.cwd, "/srv")}, Tree: tree, Fresh: tree.Len() == 0},
			protocol.State{Leaf: tree.Leaf(), Model: &model, Thinking: "low", Context: &protocol.ContextUse{Tokens: 12_000, Window: 200_000, Known: true}})
		set := func(o *tui.Options) {
			o.Now = func() time.Time { return now.Add(time.Since(begin)) }
			o.Around = neighbourhood()
			o.Files = func(string) []string { return []string{"main.go", "cmd/root.go", "数据/读我.md"} }
			o.Detach = func() error { return nil }
			o.Terminal.Size = func() (int, int) { return width, height }
		}
		all := append(append([]func(*tui.Options){set}, sc.options...), change...)
		s := &stage{t: t, p: p}
		if sc.before != nil {
			s.Screen = tuitest.Before(t, sc.before, width+beyond, height+beyond, all...)
		} else {
			s.Screen = tuitest.Start(t, p, width+beyond, height+beyond, all...)
		}
		defer func() {
			s.End()
			s.Terminal.Close()
		}()
		s.settle()
		if sc.act != nil {
			sc.act(s)
			s.settle()
		}
		s.play(sc.keys...)
		s.settle()
		f(s)
	})
}

// answers is a session service that knows an answer to all that screens ask.
type answers struct {
	kit     *kit
	library *library
}

func newAnswers() *answers {
	l := newLibrary()
	for i := range l.all {
		s := &l.all[i]
		d := now.Sub(noon)
		s.Created, s.Modified, s.Touched = s.Created.Add(d), s.Modified.Add(d), s.Touched.Add(d)
	}
	return &answers{newKit(), l}
}

func (a *answers) do(cmd protocol.Request) (any, error) {
	switch cmd.(type) {
	case protocol.GetCommands:
		return protocol.Commands{Commands: []protocol.CommandInfo{{Command: "review", Description: "Reviews what was changed", Kind: "prompt", Scope: "project"}, {Command: "skill:pdf", Description: "Reads PDF files", Kind: "skill", Scope: "user"}}}, nil
	case protocol.GetStats:
		return protocol.Stats{Stats: session.Stats{Messages: 17, User: 4, Assistant: 8, ToolCalls: 5, ToolResults: 5, Input: 9600, Output: 2400, CacheRead: 4800, Cost: 0.033}, Branch: session.Tally{Calls: 5, Cost: 0.02}, Context: &protocol.ContextUse{Tokens: 12_000, Window: 200_000, Known: true}}, nil
	case protocol.GetCost:
		return protocol.Cost{Turn: session.Tally{Calls: 2, Input: 2400, Output: 600, Cost: 0.009}, Branch: session.Tally{Calls: 5, Input: 6000, Output: 1500, CacheRead: 3000, Cost: 0.02},
			Session: session.Tally{Calls: 8, Input: 9600, Output: 2400, CacheRead: 4800, Cost: 0.033}, Next: &protocol.Forecast{Tokens: 12_000, Cached: 9000, Output: 300, Prompt: 0.0117, Answer: 0.0045}}, nil
	case protocol.GetPermissions:
		return protocol.Permissions{Mode: "ask", Modes: []protocol.PermissionMode{{ID: "ask", Text: "asks before what changes something"}, {ID: "all", Text: "asks nothing"}}, Allow: []string{"bash(git status*)"}, Session: []string{"bash(go test*)"}}, nil
	}
	if r, err := a.kit.do(cmd); err == nil {
		return r, nil
	}
	return a.library.do(cmd)
}

// neighbourhood is what lies around the session.
func neighbourhood() tui.Around {
	return tui.Around{
		Accounts: accounts(), Gone: func(dir string) bool { return dir == "/gone" }, Repository: func(string) string { return "" }, Branch: func(string) string { return "main" },
		Trust: func(string) (tui.Trust, error) { return project, nil }, SetTrust: func(context.Context, string, tui.TrustAnswer) error { return nil },
		Read: func(ctx context.Context, path string) (*session.Session, error) {
			mem := &memstore.Store{}
			l, err := mem.Create(ctx, session.Header{CWD: "/srv"}.Complete(),
				[]byte(`{"type":"message","id":"m1","parentId":null,"timestamp":"2026-05-04T10:00:00.000Z","message":{"role":"user","content":"how many words has it?"}}`))
			if err != nil {
				return nil, err
			}
			id := l.Header().ID
			l.Close()
			return session.Open(ctx, mem, id)
		},
	}
}

// colored finds a color in what was sent.
var colored = regexp.MustCompile("\x1b\\[([0-9;]*;)?([34][0-8]|9[0-7]|10[0-7])(;[0-9;]*)?m")

// looks are those of terminals that are not the usual one. is says what is wrong with it.
var looks = []struct {
	name   string
	change func(*tui.Options)
	is     func(*stage) string
}{
	{"NO_COLOR", func(o *tui.Options) { o.Terminal.Colors = term.NoColors }, func(s *stage) string {
		if c := colored.FindString(s.Raw()); c != "" {
			return fmt.Sprintf("a color was sent: %q", c)
		}
		return ""
	}},
	{"16 colors", func(o *tui.Options) { o.Terminal.Colors = term.Sixteen }, func(s *stage) string {
		if strings.Contains(s.Raw(), ";2;") || strings.Contains(s.Raw(), "8;5;") {
			return "a color was sent that it does not have"
		}
		return ""
	}},
	{"light", func(o *tui.Options) { o.Theme = "light" }, nil},
	{"ascii", func(o *tui.Options) { o.ASCII = true }, func(s *stage) string {
		if i := strings.IndexFunc(s.String(), func(r rune) bool { return r >= 0x2500 && r < 0x2600 || r >= 0x2800 && r < 0x2900 }); i >= 0 {
			return "a line is drawn with " + s.String()[i:i+3]
		}
		return ""
	}},
	{"Chinese", func(o *tui.Options) { o.Lang = lang.Chinese }, nil},
}
