package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/session/filestore"
)

// place is a home with sessions, and a folder to start in.
type place struct {
	t         *testing.T
	home, dir string
	vars      map[string]string
	stdin     string // what a person types
	terminal  bool
	err       bytes.Buffer // what was told
}

func newPlace(t *testing.T) *place {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &place{t: t, home: home, dir: filepath.Join(home, "project"), vars: map[string]string{
		"HOME": home, "BOUGH_AGENT_DIR": filepath.Join(home, "agent"), "XDG_STATE_HOME": filepath.Join(home, "state"),
		"XDG_CACHE_HOME": filepath.Join(home, "cache"), "BOUGH_OFFLINE": "1",
		"TERM": "dumb", // lines
	}}
	p.folder("project")
	return p
}

func (p *place) folder(name string) string {
	p.t.Helper()
	dir := filepath.Join(p.home, name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		p.t.Fatal(err)
	}
	return dir
}

func (p *place) write(name, text string) string {
	p.t.Helper()
	path := filepath.Join(p.home, filepath.FromSlash(name))
	p.folder(filepath.Dir(name))
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
	return path
}

// session writes a session of a folder whose only message was said at a minute of
// an hour, and returns its path.
func (p *place) session(cwd, id string, minute int) string {
	p.t.Helper()
	return p.write("agent/sessions/"+filestore.ProjectDir(cwd)+"/"+id+".jsonl", sessionText(cwd, id, minute))
}

func sessionText(cwd, id string, minute int) string {
	at := fmt.Sprintf("2026-03-01T09:%02d:00.000Z", minute)
	return fmt.Sprintf(`{"type":"session","version":3,"id":%q,"timestamp":%q,"cwd":%q}`+"\n"+
		`{"type":"message","id":"u1","parentId":null,"timestamp":%q,"message":{"role":"user","content":"hello"}}`+"\n", id, at, cwd, at)
}

func (p *place) env() Env {
	return Env{Stdin: strings.NewReader(p.stdin), Stdout: io.Discard, Stderr: &p.err, Getenv: func(name string) string { return p.vars[name] },
		Dir: p.dir, StdinTerminal: p.terminal, StdoutTerminal: p.terminal}
}

func (p *place) runner(words ...string) *runner {
	p.t.Helper()
	a, err := parse(words)
	if err != nil {
		p.t.Fatal(err)
	}
	r, err := newRunner(p.env(), a)
	if err != nil {
		p.t.Fatal(err)
	}
	r.asks = p.terminal
	return r
}

func (p *place) choose(words ...string) (control.Start, error) {
	p.t.Helper()
	return p.runner(words...).choose(p.t.Context())
}

// opens checks that a command line opens a file in a folder.
func (p *place) opens(path, dir string, words ...string) {
	p.t.Helper()
	start, err := p.choose(words...)
	if err != nil || start.Open != path || start.Dir != dir {
		p.t.Errorf("bough %v: opens %q in %q, error %v; want %q in %q", words, start.Open, start.Dir, err, path, dir)
	}
}

// fails checks that a command line is refused with a word.
func (p *place) fails(want string, words ...string) {
	p.t.Helper()
	if start, err := p.choose(words...); err == nil || !strings.Contains(err.Error(), want) {
		p.t.Errorf("bough %v: %+v, error %v; want one with %q", words, start, err, want)
	}
}

func (p *place) told(want string) {
	p.t.Helper()
	if !strings.Contains(p.err.String(), want) {
		p.t.Errorf("told %q, want %q", p.err.String(), want)
	}
	p.err.Reset()
}

func TestContinue(t *testing.T) {
	p := newPlace(t)
	start, err := p.choose("-c")
	if err != nil || start.Open != "" || start.New.CWD != p.dir {
		t.Fatalf("without sessions: %+v, %v", start, err)
	}
	p.told("no session of this folder yet")
	late := p.session(p.dir, "late", 30)
	early := p.session(p.dir, "early", 20)
	p.session(filepath.Join(p.home, "other"), "other", 50)
	// The time of the file says nothing.
	if err := os.Chtimes(early, time.Time{}, time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	p.opens(late, p.dir, "-c")
	// A marker of the place is an entry like others.
	f, err := os.OpenFile(early, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(f, `{"type":"custom","id":"m","parentId":"u1","timestamp":"2026-03-01T09:40:00.000Z","customType":"bough.leaf","data":{"v":1}}`)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	p.opens(early, p.dir, "-c")
}

func TestSessionByID(t *testing.T) {
	p := newPlace(t)
	other := p.folder("other")
	one := p.session(p.dir, "abcd-1111", 1)
	two := p.session(p.dir, "abcd-2222", 2)
	p.session(other, "abcd-3333", 3)
	p.session(other, "wxyz-1111", 4)
	exact := p.session(p.dir, "abcd", 5)

	p.opens(exact, p.dir, "--session", "abcd")
	p.opens(one, p.dir, "--session", "abcd-1")
	p.opens(two, p.dir, "--session", "2222")
	p.opens(one, p.dir, "--session", "1111") // here wins
	p.fails(`no session has the id "222"`, "--session", "222")
	p.fails("several session ids", "--session", "abcd-")
	p.fails("abcd-2222", "--session", "a")
	p.fails("belongs to "+other, "--session", "abcd-3")
	p.fails("--fork wxyz-1111", "--session", "wx")
	p.fails("no session has the id", "--session", "nosuch")
	p.write("project/notes", "x")
	p.fails("say ./notes", "--session", "notes")

	// Two files with one id.
	p.write("agent/sessions/"+filestore.ProjectDir(p.dir)+"/copy.jsonl", sessionText(p.dir, "abcd-1111", 9))
	p.fails("give the path of one", "--session", "abcd-1111")
}

// A person is asked instead.
func TestQuestions(t *testing.T) {
	p := newPlace(t)
	p.terminal = true
	other := p.folder("other")
	one := p.session(p.dir, "abcd-1111", 1)
	two := p.session(p.dir, "abcd-2222", 2)
	there := p.session(other, "wxyz", 3)
	gone := p.session(filepath.Join(p.home, "gone"), "lost", 4)

	p.stdin = "7\n2\n"
	p.opens(one, p.dir, "--session", "abcd")
	p.stdin = "1\n"
	p.opens(two, p.dir, "-r")
	p.told("hello")
	p.stdin = "what?\nopen\n"
	p.opens(there, other, "--session", "wxyz")
	p.stdin = "o\n"
	p.opens(gone, p.dir, "--session", gone)
	for _, stdin := range []string{"", "\n", "c\n", "x\n\n"} {
		p.stdin = stdin
		for _, word := range []string{"wxyz", "lost", gone, "abcd"} {
			if _, err := p.choose("--session", word); err != errCancelled {
				t.Errorf("%q for --session %s: %v, want no choice", stdin, word, err)
			}
		}
	}
	p.stdin = "f\n"
	start, err := p.choose("--session", "wxyz")
	if err != nil || start.Dir != p.dir || start.New.ParentSession != there {
		t.Errorf("fork: %+v, %v", start, err)
	}
	if _, err := os.Stat(start.Open); err != nil {
		t.Error(err)
	}
}

// What to go on with is told at the start of a talk, or gone on with.
func TestHint(t *testing.T) {
	p := newPlace(t)
	p.terminal = true
	hint := func(words ...string) string {
		t.Helper()
		return p.runner(words...).hint(t.Context())
	}
	if got := hint(); got != "" {
		t.Errorf("without sessions: %q", got)
	}
	path := p.session(p.dir, "last", 1)
	if got := hint(); !strings.HasPrefix(got, "last here: hello, ") || !strings.HasSuffix(got, " ago; bough -c goes on with it") {
		t.Errorf("hint %q", got)
	}
	for _, words := range [][]string{{"-c"}, {"-r"}, {"--session", "x"}, {"--fork", "x"}, {"--session-id", "x"}, {"--no-session"}, {"-q"}} {
		if got := hint(words...); got != "" {
			t.Errorf("%v: %q", words, got)
		}
	}
	p.write("agent/settings.json", `{"bough":{"continueOnStart":true}}`)
	r := p.runner()
	if got := r.hint(t.Context()); got != "" {
		t.Errorf("hint %q", got)
	}
	if start, err := r.choose(t.Context()); err != nil || start.Open != path {
		t.Errorf("starts with %+v, %v", start, err)
	}
	p.terminal = false
	if r := p.runner(); r.hint(t.Context()) != "" || r.args.cont {
		t.Error("a pipe goes on with what it did not name")
	}
}

func TestSessionByPath(t *testing.T) {
	p := newPlace(t)
	other := p.folder("other")
	path := p.write("files/s.jsonl", sessionText(other, "s", 1))
	p.opens(path, other, "--session", path)
	p.opens(path, other, "--session", "~/files/s.jsonl")
	p.opens(path, other, "--session", "../files/s.jsonl")
	p.opens(p.write("files/nowhere.jsonl", sessionText("", "n", 1)), p.dir, "--session", "../files/nowhere.jsonl")
	gone := p.write("files/gone.jsonl", sessionText("/nonexistent/x", "g", 1))
	p.fails("bough --fork "+gone, "--session", gone)
	p.fails("is a folder. --session-dir", "--session", p.folder("files"))
	p.fails("is no session file", "--session", os.DevNull)
	p.fails("not a session", "--session", p.write("files/bad.jsonl", "hello\n"))

	// What is not there yet will lie exactly there, and nothing is made before.
	for _, path := range []string{filepath.Join(p.home, "new", "n.jsonl"), p.write("files/empty.jsonl", "")} {
		start, err := p.choose("--session", path)
		if err != nil || start.Open != "" || start.File != path || start.New.CWD != p.dir {
			t.Fatalf("--session %s: %+v, %v", path, start, err)
		}
		if got := start.Store.(filestore.Store).FilePath(start.New); got != path {
			t.Errorf("it will lie at %s, want %s", got, path)
		}
		next := start.Store.(filestore.Store).FilePath(session.Header{CWD: p.dir}.Complete())
		if filepath.Dir(next) != filepath.Dir(path) || next == path {
			t.Errorf("the next one will lie at %s, want beside %s", next, path)
		}
	}
	if _, err := os.Stat(filepath.Join(p.home, "new")); err == nil {
		t.Error("a folder was made before anything was said")
	}
}

func TestSessionID(t *testing.T) {
	p := newPlace(t)
	there := p.session(p.folder("other"), "mine", 1)
	start, err := p.choose("--session-id", "mine")
	if err != nil || start.Open != "" || start.New.ID != "mine" {
		t.Fatalf("of another folder: %+v, %v", start, err)
	}
	p.told("this is a new one of that id")
	here := p.session(p.dir, "mine", 2)
	p.opens(here, p.dir, "--session-id", "mine")
	p.fails("needs one of its own", "--fork", there, "--session-id", "mine")
}

func TestSessionDir(t *testing.T) {
	p := newPlace(t)
	p.session(p.dir, "usual", 1)
	mine := p.write("flat/a.jsonl", sessionText(p.dir, "mine", 2))
	p.write("flat/b.jsonl", sessionText(p.home, "others", 3))
	p.opens(mine, p.dir, "--session-dir", "../flat", "-c")
	p.opens(mine, p.dir, "--session-dir", "~/flat", "--session", "mine")
	p.fails("belongs to", "--session-dir", "../flat", "--session", "others")
	p.fails("no session has", "--session-dir", "../flat", "--session", "usual")
	for _, name := range []string{"PI_CODING_AGENT_SESSION_DIR", "BOUGH_SESSION_DIR"} {
		p.vars[name] = filepath.Join(p.home, "flat")
		p.opens(mine, p.dir, "-c")
		delete(p.vars, name)
	}
	p.write("agent/settings.json", `{"sessionDir":"~/flat"}`)
	p.opens(mine, p.dir, "-c")
	start, err := p.choose()
	if err != nil || filepath.Dir(start.File) != filepath.Join(p.home, "flat") {
		t.Errorf("a new one will lie at %s, %v", start.File, err)
	}
	start, err = p.choose("--session-dir", "../more")
	if err != nil || filepath.Dir(start.File) != filepath.Join(p.home, "more") {
		t.Errorf("a new one will lie at %s, %v", start.File, err)
	}
}

func TestNoSession(t *testing.T) {
	p := newPlace(t)
	path := p.session(p.dir, "kept", 1)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, words := range [][]string{{"--session", "kept"}, {"--session", path}, {"-c"}, {"--session-id", "kept"}} {
		start, err := p.choose(append(words, "--no-session")...)
		if err != nil || start.File != "" {
			t.Fatalf("%v: %+v, %v", words, start, err)
		}
		s, err := session.Open(t.Context(), start.Store, start.Open)
		if err != nil || s.Tree().Len() != 1 || s.Header().ID != "kept" {
			t.Fatalf("%v: not read: %v", words, err)
		}
		if _, err := s.Main().Append(t.Context(), session.Info{Name: "x"}); err != nil {
			t.Error(err)
		}
		s.Close()
	}
	for _, words := range [][]string{nil, {"--session-id", "new"}, {"--session", "new.jsonl"}} {
		start, err := p.choose(append(words, "--no-session")...)
		if err != nil || start.Store != nil || start.Open != "" || start.File != "" {
			t.Errorf("%v: %+v, %v", words, start, err)
		}
		if words != nil && words[0] == "--session-id" && start.New.ID != "new" {
			t.Errorf("id %s, want new", start.New.ID)
		}
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the file was changed (%v)", err)
	}
}

// A copy has all branches and stands where its source stands, of whatever version
// that is.
func TestFork(t *testing.T) {
	const message = `"message":{"role":"user","content":"hello"}`
	for _, tt := range []struct {
		name, source string
		leaf         string // "" for: the last
		entries      int
	}{
		{"the last entry", `{"type":"session","version":3,"id":"s","cwd":"/x"}
{"type":"message","id":"a","parentId":null,` + message + `}
{"type":"message","id":"b","parentId":"a",` + message + `}
{"type":"message","id":"c","parentId":"a",` + message + `}`, "c", 3},
		{"a marker", `{"type":"session","version":3,"id":"s","cwd":"/x"}
{"type":"message","id":"a","parentId":null,` + message + `}
{"type":"message","id":"b","parentId":"a",` + message + `}
{"type":"custom","id":"m","parentId":"a","customType":"bough.leaf","data":{"v":1}}`, "a", 3},
		{"version 2", `{"type":"session","version":2,"id":"s","cwd":"/x"}
{"type":"message","id":"a","parentId":null,` + message + `}
{"type":"message","id":"b","parentId":"a","message":{"role":"hookMessage","content":"x"}}`, "b", 2},
		{"version 1", `{"type":"session","id":"s","cwd":"/x"}
{"type":"message",` + message + `}
{"type":"message",` + message + `}`, "", 2},
		{"a damaged line and a torn end", `{"type":"session","version":3,"id":"s","cwd":"/x"}
{"type":"message","id":"a","parentId":null,` + message + `}
{"type":"mess
{"type":"message","id":"b","parentId":"a",` + message + `}
{"type":"message","id":"c","par`, "b", 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPlace(t)
			path := p.write("s.jsonl", tt.source)
			start, err := p.choose("--fork", path, "--session-id", "copy")
			if err != nil {
				t.Fatal(err)
			}
			if after, err := os.ReadFile(path); err != nil || string(after) != tt.source {
				t.Errorf("the source was changed (%v)", err)
			}
			s, err := session.Open(t.Context(), start.Store, start.Open)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if h := s.Header(); h.ID != "copy" || h.CWD != p.dir || h.ParentSession != path || h.Version != 3 {
				t.Errorf("header %+v", h)
			}
			leaf := s.Tree().Leaf()
			if s.Tree().Len() != tt.entries || tt.leaf != "" && string(leaf) != tt.leaf {
				t.Errorf("%d entries, leaf %q; want %d, %q", s.Tree().Len(), leaf, tt.entries, tt.leaf)
			}
			if tt.leaf == "" && len(s.Tree().Path(leaf)) != tt.entries {
				t.Errorf("%d entries on the path, want %d", len(s.Tree().Path(leaf)), tt.entries)
			}
		})
	}
}

func TestForkRefuses(t *testing.T) {
	p := newPlace(t)
	path := p.session(p.dir, "source", 1)
	p.fails(`no label "nosuch"`, "--fork", path, "--at", "nosuch")
	p.fails("there is no file", "--fork", "./none.jsonl")
	p.fails("not a session", "--fork", p.write("empty.jsonl", ""))
	p.fails("no session has the id", "--fork", "none")
	files, err := filepath.Glob(filepath.Join(p.home, "agent", "sessions", "*", "*"))
	if err != nil || len(files) != 1 {
		t.Errorf("files %v, want none but the source", files)
	}
}

func TestTheWorkingDirectoryIsGone(t *testing.T) {
	p := newPlace(t)
	env := p.env()
	env.Dir = ""
	for _, words := range [][]string{{"-p", "x"}, {"sessions", "list"}, {"tree", "x"}, {"--list-models"}} {
		env.Args = words
		if code := Main(t.Context(), env); code != 1 {
			t.Errorf("%v: exit code %d", words, code)
		}
		p.told("does not exist any more")
	}
	for _, words := range [][]string{{"--version"}, {"--help"}, {"tree", "--help"}, {"help"}} {
		env.Args = words
		if code := Main(t.Context(), env); code != 0 {
			t.Errorf("%v: exit code %d", words, code)
		}
	}
}
