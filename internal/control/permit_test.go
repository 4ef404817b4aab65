package control_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/internal/permission"
	"github.com/boughdev/bough/internal/script"
	"github.com/boughdev/bough/internal/workspace"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/provider/scripted"
	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/session/filestore"
	"github.com/boughdev/bough/tool/builtin"
)

// careful is a setup with permissions.
type careful struct {
	control.Plain
	policy permission.Policy
}

func (c careful) Permissions() permission.Policy { return c.policy }

const writeRule = `{"rules":[
 {"when":{"user":"^three","turn":0},"reply":{"toolCalls":[{"name":"write","args":{"path":"a","content":"1\n"}},{"name":"bash","args":{"command":"echo hi > b"}},{"name":"write","args":{"path":"c","content":"3"}}]}},
 {"when":{"user":"^one","turn":0},"reply":{"toolCalls":[{"name":"write","args":{"path":"a","content":"1\n"}}]}},
 {"when":{"user":"^same ids","turn":0},"reply":{"toolCalls":[{"id":"x","name":"write","args":{"path":"a","content":"1"}},{"id":"x","name":"write","args":{"path":"b","content":"2"}},{"name":"write","args":{"path":"c","content":"3"}}]}},
 {"when":{"user":"^odd","turn":0},"reply":{"toolCalls":[{"name":"write","args":{"path":"a\n  yes: \u202e","content":"1"}},{"name":"bash","args":{"command":"touch 'b\nc'"}}]}},
 {"when":{"user":"^read","turn":0},"reply":{"toolCalls":[{"name":"read","args":{"path":"in.txt"}}]}},
 {"when":{"toolResult":"."},"reply":{"text":"So: {{toolResult}}"}},
 {"reply":{"text":"fine"}}
]}`

// guarded is a world whose tools ask, and the folder they work in.
func guarded(t *testing.T, policy permission.Policy, asks bool) (*world, string) {
	t.Helper()
	s, err := script.Parse([]byte(writeRule))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "in.txt"), []byte("inside"), 0o666); err != nil {
		t.Fatal(err)
	}
	policy.Dir, policy.Path = dir, os.Getenv("PATH")
	w := &world{t: t, store: filestore.Store{Root: t.TempDir()}, script: s}
	w.hub = control.NewHub(control.Options{Models: models{scripted.New(scripted.Info("one"), s)}, Asks: asks,
		Setup: func(context.Context, control.Place, control.Was, control.Setup) (control.Setup, []string) {
			return careful{control.Plain{Kit: builtin.Tools(workspace.NewLocal(dir), builtin.Options{})}, policy}, nil
		}})
	t.Cleanup(w.hub.Close)
	return w, dir
}

// question waits for the next question after one, "" for the first.
func (f *front) question(after string) protocol.Asked {
	f.t.Helper()
	f.until("a question", func() bool { return len(f.view.Open) > 0 && f.view.Open[0].ID != after })
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.view.Open[0]
}

func (f *front) reply(q protocol.Asked, choice, text string) {
	f.t.Helper()
	if _, err := protocol.Call(f.t.Context(), f, protocol.Answer{Question: q.ID, Choice: choice, Text: text}); err != nil {
		f.t.Fatal(err)
	}
}

func (f *front) prompt(text string) {
	f.t.Helper()
	if _, err := protocol.Call(f.t.Context(), f, protocol.Prompt{Text: text}); err != nil {
		f.t.Fatal(err)
	}
}

// is reports what of these files is there.
func there(t *testing.T, dir string, names ...string) string {
	t.Helper()
	var out []string
	for _, n := range names {
		if _, err := os.Stat(filepath.Join(dir, n)); err == nil {
			out = append(out, n)
		} else if !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
	return strings.Join(out, " ")
}

// Calls are asked about in their order, and an answer that holds for the session
// answers those that wait and are of its kind.
func TestPermissionQuestions(t *testing.T) {
	for _, tt := range []struct {
		name    string
		answers []string // by question; words behind a colon
		files   string
		results []string // parts of them
	}{
		{"all allowed once", []string{"yes", "yes", "yes"}, "a b c", []string{"Created", "no output", "Created"}},
		{"the first for the session", []string{"always", "yes"}, "a b c", []string{"Created", "no output", "Created"}},
		{"the first refused", []string{"no", "yes", "yes"}, "b c", []string{"The user refused this call", "no output", "Created"}},
		{"refused with words", []string{"yes", "no:use b2", "yes"}, "a c", []string{"Created", "They say: use b2", "Created"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w, dir := guarded(t, permission.Policy{Mode: permission.Ask}, true)
			f := w.connect(control.Start{})
			f.prompt("three")
			last := protocol.Asked{}
			var tools []string
			for _, a := range tt.answers {
				last = f.question(last.ID)
				tools = append(tools, last.About.Tool)
				choice, words, _ := strings.Cut(a, ":")
				f.reply(last, choice, words)
			}
			if want := []string{"write", "bash", "write"}[:len(tt.answers)]; !slices.Equal(tools, want) {
				t.Errorf("asked about %v, want %v", tools, want)
			}
			f.until("the end", func() bool { return f.ends() > 0 && len(f.view.Open) == 0 })
			if got := there(t, dir, "a", "b", "c"); got != tt.files {
				t.Errorf("files %s, want %s", got, tt.files)
			}
			var results []string
			for _, line := range f.talk() {
				if r, ok := strings.CutPrefix(line, "toolResult: "); ok {
					results = append(results, r)
				}
			}
			for i, part := range tt.results {
				if i >= len(results) || !strings.Contains(results[i], part) {
					t.Errorf("result %d of %q, want %q", i, results, part)
				}
			}
		})
	}
}

// A question has all that people need, and lies within the call.
func TestPermissionQuestionIsComplete(t *testing.T) {
	w, dir := guarded(t, permission.Policy{Mode: permission.Ask}, true)
	f := w.connect(control.Start{Who: "here"})
	f.prompt("one")
	q := f.question("")
	a := q.About
	if a == nil || a.Tool != "write" || a.Kind != protocol.Changes || a.Diff == "" || a.Rule != "edit(**)" || a.Reason != "it changes a file" || !slices.Equal(a.Files, []string{filepath.Join(dir, "a")}) {
		t.Errorf("asked about %+v", a)
	}
	var kinds []protocol.ChoiceKind
	for _, c := range q.Choices {
		kinds = append(kinds, c.Kind)
	}
	if want := []protocol.ChoiceKind{protocol.AllowOnce, protocol.AllowAlways, protocol.RejectOnce}; !slices.Equal(kinds, want) {
		t.Errorf("choices %v", kinds)
	}
	if _, err := protocol.Call(t.Context(), f, protocol.Answer{Question: q.ID, Choice: "yes", Text: "words"}); protocol.CodeOf(err) != protocol.BadRequest {
		t.Errorf("words with yes: %v", err)
	}
	f.reply(q, "always", "")
	f.until("the end", func() bool { return f.ends() > 0 })
	f.mu.Lock()
	defer f.mu.Unlock()
	var order []string
	for _, e := range f.events {
		if slices.Contains([]string{"ToolStarted", "Asked", "Answered", "PermissionsChanged", "ToolEnded"}, e) {
			order = append(order, e)
		}
	}
	if got := fmt.Sprint(order); got != "[ToolStarted Asked Answered PermissionsChanged ToolEnded]" {
		t.Errorf("order %s", got)
	}
}

// What nobody can be asked about is not run; model and people are told, people once.
func TestNobodyCanBeAsked(t *testing.T) {
	w, dir := guarded(t, permission.Policy{Mode: permission.Ask}, false)
	f := w.connect(control.Start{})
	f.say("three")
	if got := there(t, dir, "a", "b", "c"); got != "" {
		t.Errorf("files %s", got)
	}
	f.mu.Lock()
	var told []string
	for _, n := range f.notices {
		told = append(told, n.Text)
	}
	f.mu.Unlock()
	slices.Sort(told)
	if len(told) != 2 || !strings.Contains(told[0], "--permission-mode auto allows it") || !strings.Contains(told[1], `--permission-mode auto-edit allows it, or a rule in your settings: bough.permissions.allow ["edit(**)"]`) {
		t.Errorf("notices %q", told)
	}
	if talk := strings.Join(f.talk(), "\n"); strings.Count(talk, "none can be asked here") < 3 {
		t.Errorf("conversation %s", talk)
	}
}

// What a mode refuses is not asked about, and what it allows is just done.
func TestModeDecidesAlone(t *testing.T) {
	w, dir := guarded(t, permission.Policy{Mode: permission.ReadOnly}, true)
	f := w.connect(control.Start{})
	f.say("one")
	f.say("read")
	f.wantTalk("user: one", "assistant:  -> write", "toolResult: This call was refused and not run: it changes a file (permission mode read-only). Go on without it, or say what you would have done.",
		"assistant: So: This call was refused and not run: it changes a file (permission mode read-only). Go on without it, or say what you would have done.",
		"user: read", "assistant:  -> read", "toolResult: inside", "assistant: So: inside")
	if got := there(t, dir, "a"); got != "" {
		t.Errorf("files %s", got)
	}
}

// An abort takes the question back, and those that would have come.
func TestAbortWhileAsked(t *testing.T) {
	w, dir := guarded(t, permission.Policy{Mode: permission.Ask}, true)
	f := w.connect(control.Start{})
	f.prompt("three")
	q := f.question("")
	if _, err := protocol.Call(t.Context(), f, protocol.Abort{}); err != nil {
		t.Fatal(err)
	}
	f.until("the end", func() bool { return f.ends() > 0 && len(f.view.Open) == 0 })
	if got := there(t, dir, "a", "b", "c"); got != "" {
		t.Errorf("files %s", got)
	}
	f.mu.Lock()
	if n := strings.Count(strings.Join(f.events, " "), "Asked"); n != 1 || !f.ended[0].Aborted {
		t.Errorf("%d questions, ended %+v", n, f.ended[0])
	}
	f.mu.Unlock()
	if _, err := protocol.Call(t.Context(), f, protocol.Answer{Question: q.ID, Choice: "yes"}); protocol.CodeOf(err) != protocol.NotFound {
		t.Errorf("a late answer: %v", err)
	}
	f.say("go on") // and the session is as before
}

// Of two that answer at once one is heard, and all see who.
func TestTwoAnswerAtOnce(t *testing.T) {
	w, _ := guarded(t, permission.Policy{Mode: permission.Ask}, true)
	a := w.connect(control.Start{Who: "a"})
	a.say("hello")
	a.mu.Lock()
	file := a.view.File
	a.mu.Unlock()
	b := w.connect(control.Start{Open: file, Who: "b"})
	seen := make(chan protocol.Answered, 2)
	ready := make(chan struct{})
	for _, f := range []*front{a, b} {
		go func() {
			for ev, err := range f.Watch(t.Context(), 0) {
				switch e := ev.(type) {
				case protocol.State:
					ready <- struct{}{} // what comes now is seen
				case protocol.Answered:
					seen <- e
				}
				if err != nil {
					return
				}
			}
		}()
		<-ready
	}
	a.prompt("one")
	q := b.question("")
	var (
		wg   sync.WaitGroup
		errs [2]error
	)
	for i, f := range []*front{a, b} {
		wg.Go(func() {
			_, errs[i] = protocol.Call(t.Context(), f, protocol.Answer{Question: q.ID, Choice: []string{"yes", "no"}[i]})
		})
	}
	wg.Wait()
	first, second := <-seen, <-seen
	if first != second {
		t.Errorf("seen %+v and %+v", first, second)
	}
	winner := map[string]int{"a": 0, "b": 1}[first.By]
	if errs[winner] != nil || protocol.CodeOf(errs[1-winner]) != protocol.NotFound || first.Choice != []string{"yes", "no"}[winner] {
		t.Errorf("%+v: %v", first, errs)
	}
	a.until("the end", func() bool { return a.ends() > 1 })
}

// Another mode holds at once, also for what waits, and what was allowed for the
// session can be taken back.
func TestModeChangesWhileAsked(t *testing.T) {
	w, dir := guarded(t, permission.Policy{Mode: permission.Ask}, true)
	f := w.connect(control.Start{})
	f.prompt("three")
	f.question("")
	if p, err := protocol.Call(t.Context(), f, protocol.SetPermissions{Mode: "auto"}); err != nil || p.Mode != "auto" {
		t.Fatal(p, err)
	}
	f.until("the end", func() bool { return f.ends() > 0 })
	if got := there(t, dir, "a", "b", "c"); got != "a b c" {
		t.Errorf("files %s", got)
	}
	if _, err := protocol.Call(t.Context(), f, protocol.SetPermissions{Mode: "wild"}); protocol.CodeOf(err) != protocol.BadRequest {
		t.Errorf("a mode that there is not: %v", err)
	}
	if _, err := protocol.Call(t.Context(), f, protocol.SetPermissions{Mode: "ask"}); err != nil {
		t.Fatal(err)
	}
	f.prompt("one")
	f.reply(f.question(""), "always", "")
	f.until("the end", func() bool { return f.ends() > 1 })
	f.say("one") // without a question
	if p, err := protocol.Call(t.Context(), f, protocol.SetPermissions{Forget: true}); err != nil || len(p.Session) > 0 || p.Mode != "ask" {
		t.Errorf("forgotten: %+v %v", p, err)
	}
	f.prompt("one")
	f.reply(f.question(""), "no", "")
	f.until("the end", func() bool { return f.ends() > 3 })
}

// A mode goes along to other sessions; what was allowed for one session does not.
func TestModeGoesAlong(t *testing.T) {
	w, _ := guarded(t, permission.Policy{}, true)
	f := w.connect(control.Start{})
	if _, err := protocol.Call(t.Context(), f, protocol.SetPermissions{Mode: "ask"}); err != nil {
		t.Fatal(err)
	}
	f.prompt("one")
	f.reply(f.question(""), "always", "")
	f.until("the end", func() bool { return f.ends() > 0 })
	if _, err := protocol.Call(t.Context(), f, protocol.NewSession{}); err != nil {
		t.Fatal(err)
	}
	p, err := protocol.Call(t.Context(), f, protocol.GetPermissions{})
	if err != nil || p.Mode != "ask" || len(p.Session) > 0 {
		t.Errorf("%+v %v", p, err)
	}
	q := w.connect(control.Start{}) // somebody else's
	if p, err := protocol.Call(t.Context(), q, protocol.GetPermissions{}); err != nil || p.Mode != "auto" {
		t.Errorf("%+v %v", p, err)
	}
}

// What a model names cannot look like a part of the question, and what nobody could
// weigh is not offered.
func TestQuestionsOfOddNames(t *testing.T) {
	w, _ := guarded(t, permission.Policy{Mode: permission.Ask}, true)
	f := w.connect(control.Start{})
	f.prompt("odd")
	q := f.question("")
	if strings.ContainsAny(q.Text, "\n\u202e") || !strings.Contains(q.Text, `\n  yes: \u202e"`) {
		t.Errorf("question %q", q.Text)
	}
	f.reply(q, "no", "")
	q = f.question(q.ID)
	if q.About.Rule != "" || len(q.Choices) != 2 {
		t.Errorf("asked %+v %+v", q.Choices, q.About)
	}
	f.reply(q, "no", "")
	f.until("the end", func() bool { return f.ends() > 0 })
}

// Who follows a session learns when settings that were read again change what tools may
// do, and hears nothing otherwise.
func TestPermissionsReadAgain(t *testing.T) {
	modes := make(chan permission.Mode, 3)
	for _, m := range []permission.Mode{permission.Auto, permission.Auto, permission.ReadOnly} {
		modes <- m
	}
	hub := control.NewHub(control.Options{Setup: func(context.Context, control.Place, control.Was, control.Setup) (control.Setup, []string) {
		return careful{policy: permission.Policy{Mode: <-modes}}, nil
	}})
	t.Cleanup(hub.Close)
	w := &world{t: t, store: filestore.Store{Root: t.TempDir()}, hub: hub}
	f := w.connect(control.Start{})
	for range 2 {
		if _, err := protocol.Call(t.Context(), f, protocol.Reload{}); err != nil {
			t.Fatal(err)
		}
	}
	f.until("the change", func() bool { return slices.Contains(f.events, "PermissionsChanged") })
	f.mu.Lock()
	defer f.mu.Unlock()
	if n := strings.Count(strings.Join(f.events, " "), "PermissionsChanged"); n != 1 {
		t.Errorf("told %d times", n)
	}
}

// Calls of one id, which some models make, are asked about like others.
func TestCallsOfOneID(t *testing.T) {
	w, dir := guarded(t, permission.Policy{Mode: permission.Ask}, true)
	f := w.connect(control.Start{})
	f.prompt("same ids")
	last := protocol.Asked{}
	for range 3 {
		last = f.question(last.ID)
		f.reply(last, "yes", "")
	}
	f.until("the end", func() bool { return f.ends() > 0 })
	if got := there(t, dir, "a", "b", "c"); got != "a b c" {
		t.Errorf("files %s", got)
	}
}

// After a kill while a question waits the session goes on without it.
func TestKilledWhileAsked(t *testing.T) {
	w, dir := guarded(t, permission.Policy{Mode: permission.Ask}, true)
	f := w.connect(control.Start{})
	f.prompt("one")
	f.question("")
	f.mu.Lock()
	file := f.view.File
	f.mu.Unlock()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	left := filepath.Join(t.TempDir(), "left.jsonl") // as the killed process leaves it
	if err := os.WriteFile(left, b, 0o600); err != nil {
		t.Fatal(err)
	}
	again, _ := guarded(t, permission.Policy{Mode: permission.Ask}, true)
	g := again.connect(control.Start{Open: left, New: session.Header{}})
	g.mu.Lock()
	if len(g.view.Open) > 0 {
		t.Errorf("asked %+v", g.view.Open)
	}
	g.mu.Unlock()
	g.say("go on")
	if got := there(t, dir, "a"); got != "" {
		t.Errorf("files %s", got)
	}
}
