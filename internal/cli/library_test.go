package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// hub is that of a bough that was started with a command line, and its door.
func (p *place) hub(words ...string) (*control.Hub, protocol.Door) {
	p.t.Helper()
	r := p.runner(append([]string{"--model", "offline/demo"}, words...)...)
	ms, err := r.models(p.t.Context(), modeREPL)
	if err != nil {
		p.t.Fatal(err)
	}
	h := control.NewHub(r.options(modeREPL, ms))
	p.t.Cleanup(h.Close)
	return h, r.door(h, ms)
}

func (p *place) open(door protocol.Door, o protocol.Open) protocol.Client {
	p.t.Helper()
	c, leave, err := door.Open(p.t.Context(), o)
	if err != nil {
		p.t.Fatalf("%+v: %v", o, err)
	}
	p.t.Cleanup(leave)
	return c
}

func must[R any](t *testing.T, c protocol.Client, cmd protocol.Command[R]) R {
	t.Helper()
	r, err := protocol.Call(t.Context(), c, cmd)
	if err != nil {
		t.Fatalf("%+v: %v", cmd, err)
	}
	return r
}

func refuses[R any](t *testing.T, c protocol.Client, cmd protocol.Command[R], code protocol.Code) {
	t.Helper()
	if r, err := protocol.Call(t.Context(), c, cmd); protocol.CodeOf(err) != code {
		t.Errorf("%+v: %+v, %v; want %s", cmd, r, err, code)
	}
}

// opened is the session that a client stands at.
func opened(t *testing.T, c protocol.Client) protocol.Opened {
	t.Helper()
	for ev, err := range c.Watch(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if o, ok := ev.(protocol.Opened); ok {
			return o
		}
	}
	t.Fatal("nothing was opened")
	return protocol.Opened{}
}

func TestTheDoorFindsSessions(t *testing.T) {
	p := newPlace(t)
	other := p.folder("other")
	here, there := p.session(p.dir, "abcd-here", 1), p.session(other, "abcd-there", 2)
	gone := p.session(filepath.Join(p.home, "gone"), "gone-1", 3)
	p.session(other, "twice-1", 4)
	p.session(other, "twice-2", 5)
	_, door := p.hub()
	for _, tt := range []struct {
		name      string
		o         protocol.Open
		file, cwd string // of what is opened
		code      protocol.Code
	}{
		{"by path", protocol.Open{Session: there}, there, other, ""},
		{"by id", protocol.Open{Session: "abcd-there"}, there, other, ""},
		{"by the beginning of an id, here first", protocol.Open{Session: "abcd"}, here, p.dir, ""},
		{"by the beginning of an id, there first", protocol.Open{Session: "abcd", CWD: other}, there, other, ""},
		{"what may be several", protocol.Open{Session: "twice"}, "", "", protocol.BadRequest},
		{"an id that is none", protocol.Open{Session: "nope"}, "", "", protocol.UnknownSession},
		{"a file that is not there", protocol.Open{Session: "./nope.jsonl"}, "", "", protocol.NotFound},
		{"a folder", protocol.Open{Session: p.dir + "/"}, "", "", protocol.BadRequest},
		{"what is no session", protocol.Open{Session: p.write("text.jsonl", "hello\n")}, "", "", protocol.BadRequest},
		{"a file that is begun", protocol.Open{Session: "./new.jsonl", Create: true}, filepath.Join(p.dir, "new.jsonl"), p.dir, ""},
		{"an id that is begun", protocol.Open{Session: "mine", Create: true}, "", p.dir, ""},
		{"an id that cannot be", protocol.Open{Session: "mine!", Create: true}, "", "", protocol.BadRequest},
		{"a new one", protocol.Open{}, "", p.dir, ""},
		{"a new one elsewhere", protocol.Open{CWD: other}, "", other, ""},
		{"in a folder that is not there", protocol.Open{CWD: "nowhere"}, "", "", protocol.BadRequest},
		{"whose folder is gone", protocol.Open{Session: gone}, "", "", protocol.BadRequest},
		{"whose folder is gone, in another one", protocol.Open{Session: gone, CWD: other}, gone, filepath.Join(p.home, "gone"), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, leave, err := door.Open(t.Context(), tt.o)
			if tt.code != "" {
				if protocol.CodeOf(err) != tt.code {
					t.Errorf("%v; want %s", err, tt.code)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer leave()
			o := opened(t, c)
			if o.Header.CWD != tt.cwd || tt.file != "" && o.File != tt.file {
				t.Errorf("%s of %s; want %s of %s", o.File, o.Header.CWD, tt.file, tt.cwd)
			}
			_, err = os.Stat(o.File)
			if is, was := err == nil, tt.o.Session != "" && !tt.o.Create; is != was {
				t.Errorf("opening has made or taken away %s", o.File)
			}
		})
	}
}

// A session that is opened works with the settings of its folder, if that is trusted.
func TestTheDoorSetsUpForTheFolder(t *testing.T) {
	p := newPlace(t)
	other := p.folder("other")
	p.write("other/.pi/settings.json", `{"defaultTools":["read"]}`)
	p.write("other/AGENTS.md", "Speak Latin.")
	path := p.session(other, "there", 1)
	_, door := p.hub("--approve")
	prompt := must(t, p.open(door, protocol.Open{Session: path}), protocol.GetSystemPrompt{})
	text := fmt.Sprint(prompt.Sections)
	if !strings.Contains(text, "Speak Latin.") || !strings.Contains(text, other) {
		t.Errorf("the prompt is not that of %s: %s", other, text)
	}
	prompt = must(t, p.open(door, protocol.Open{}), protocol.GetSystemPrompt{})
	if strings.Contains(fmt.Sprint(prompt.Sections), "Latin") {
		t.Error("the prompt is that of another folder")
	}
}

func TestAThousandSessions(t *testing.T) {
	p := newPlace(t)
	other := p.folder("other")
	const n = 1000
	for i := range n {
		cwd := p.dir
		if i%4 == 0 {
			cwd = other
		}
		p.session(cwd, fmt.Sprintf("session-%04d", i), i%60) // many of one time
	}
	_, door := p.hub()
	c := p.open(door, protocol.Open{Session: "session-0007"})
	seen := map[string]bool{}
	var last session.Summary
	list := protocol.ListSessions{All: true, Limit: 77}
	for pages := 0; ; pages++ {
		got := must(t, c, list)
		if want := min(77, n-77*pages); len(got.Sessions) != want {
			t.Fatalf("page %d has %d sessions, want %d", pages, len(got.Sessions), want)
		}
		for _, s := range got.Sessions {
			if seen[s.Path] || !last.Modified.IsZero() && s.Modified.After(last.Modified) {
				t.Fatalf("%s of %v comes after %s of %v", s.Path, s.Modified, last.Path, last.Modified)
			}
			if live := s.ID == "session-0007"; s.Live != live || live && s.Process != os.Getpid() {
				t.Errorf("%s: live %v, process %d", s.ID, s.Live, s.Process)
			}
			seen[s.Path], last = true, s.Summary
		}
		if list.Cursor = got.Next; got.Next == "" {
			break
		}
	}
	if len(seen) != n {
		t.Errorf("%d sessions, want %d", len(seen), n)
	}
	for _, tt := range []struct {
		c    protocol.ListSessions
		want int
	}{
		{protocol.ListSessions{}, 100},
		{protocol.ListSessions{Limit: 2000}, n * 3 / 4},
		{protocol.ListSessions{Limit: 2000, CWD: other}, n / 4},
		{protocol.ListSessions{All: true, Query: "HELLO session-042"}, 10},
		{protocol.ListSessions{All: true, Query: "hello goodbye"}, 0},
		{protocol.ListSessions{CWD: p.folder("empty")}, 0},
	} {
		got := must(t, c, tt.c)
		if len(got.Sessions) != tt.want || got.Sessions == nil {
			t.Errorf("%+v: %d sessions, want %d", tt.c, len(got.Sessions), tt.want)
		}
	}
	refuses(t, c, protocol.ListSessions{Cursor: "x"}, protocol.BadRequest)
	refuses(t, c, protocol.ListSessions{Limit: -1}, protocol.BadRequest)
}

func TestTheLibrary(t *testing.T) {
	p := newPlace(t)
	p.vars["XDG_DATA_HOME"] = filepath.Join(p.home, "data")
	live, other := p.session(p.dir, "live", 1), p.session(p.dir, "other", 2)
	_, door := p.hub()
	c := p.open(door, protocol.Open{Session: live, Who: "web"})
	own := p.open(door, protocol.Open{Session: live, Own: true})

	// Names: of the session that is open by its owner, of others in their files.
	must(t, c, protocol.RenameSession{Session: "live", To: "first"})
	must(t, own, protocol.RenameSession{Session: other, To: "  second\none "})
	names := map[string]string{}
	for _, s := range must(t, c, protocol.ListSessions{}).Sessions {
		names[s.ID] = s.Name
	}
	if names["live"] != "first" || names["other"] != "second one" {
		t.Errorf("%v", names)
	}
	tree := opened(t, c).Tree
	if tree.Name() != "first" {
		t.Errorf("the owner knows the name %q", tree.Name())
	}
	refuses(t, c, protocol.RenameSession{Session: "live", To: " "}, protocol.BadRequest)
	refuses(t, c, protocol.RenameSession{Session: "other", To: "\n"}, protocol.BadRequest)
	refuses(t, c, protocol.RenameSession{Session: "nope", To: "x"}, protocol.UnknownSession)
	refuses(t, c, protocol.RenameSession{To: "x"}, protocol.BadRequest)

	found := must(t, c, protocol.SearchSessions{Query: "hello"})
	if len(found.Hits) != 2 || found.Hits[0].Entry != "u1" || !strings.Contains(found.Hits[0].Text, "hello") {
		t.Errorf("%+v", found)
	}
	if got := must(t, c, protocol.SearchSessions{Query: "goodbye"}); got.Hits == nil || len(got.Hits) > 0 {
		t.Errorf("%+v", got)
	}
	for query, want := range map[string]int{"hello after:2d before:2020-01-01": 0, "hello tool:nosuch": 0, "hello model:nosuch": 0, `"hello tool:nosuch"`: 0, "hello before:0m": 2} {
		if got := must(t, c, protocol.SearchSessions{Query: query}); len(got.Hits) != want {
			t.Errorf("%s: %d hits, want %d", query, len(got.Hits), want)
		}
	}
	refuses(t, c, protocol.SearchSessions{Query: "label:good"}, protocol.BadRequest)
	refuses(t, c, protocol.SearchSessions{Query: "before:soon"}, protocol.BadRequest)
	refuses(t, c, protocol.SearchSessions{}, protocol.BadRequest)
	refuses(t, c, protocol.SearchSessions{Query: "re:("}, protocol.BadRequest)

	checked := must(t, c, protocol.CheckSession{})
	var report struct{ Path, Verdict string }
	if err := json.Unmarshal(checked.JSON, &report); err != nil || report.Path != live || report.Verdict != "fine" || !strings.HasPrefix(checked.Text, live+": fine") {
		t.Errorf("%v, %+v, %s", err, report, checked.Text)
	}
	refuses(t, c, protocol.CheckSession{Session: "./nope.jsonl"}, protocol.NotFound)
	refuses(t, p.open(door, protocol.Open{}), protocol.CheckSession{}, protocol.NotFound)

	// The trash takes what nobody works with, here or elsewhere.
	refuses(t, c, protocol.TrashSession{Session: "live"}, protocol.Busy)
	held := p.session(p.dir, "held", 3)
	_, elsewhere := p.hub()
	p.open(elsewhere, protocol.Open{Session: held})
	refuses(t, c, protocol.TrashSession{Session: held}, protocol.Busy)
	refuses(t, c, protocol.TrashSession{Session: p.write("text.jsonl", "hello\n")}, protocol.BadRequest)
	must(t, c, protocol.TrashSession{Session: "other"})
	if _, err := os.Stat(other); err == nil {
		t.Error("it is still there")
	}
	refuses(t, c, protocol.TrashSession{Session: "other"}, protocol.UnknownSession)
	if path := must(t, c, protocol.RestoreSession{Session: "other"}); path != other {
		t.Errorf("it is back as %s", path)
	}
	refuses(t, c, protocol.RestoreSession{Session: "other"}, protocol.NotFound)
	var left []string
	for _, s := range must(t, c, protocol.ListSessions{}).Sessions {
		left = append(left, s.ID)
	}
	slices.Sort(left)
	if fmt.Sprint(left) != "[held live other]" {
		t.Errorf("%v", left)
	}
}
