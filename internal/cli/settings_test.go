package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/boughdev/bough/internal/config"
	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// server is a model that always says ok, and what it was asked.
type server struct {
	*httptest.Server
	mu     sync.Mutex
	bodies []string // guarded by mu
}

func newServer(t *testing.T) *server {
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		b, _ := io.ReadAll(req.Body) // a request that is cut off is no request
		s.mu.Lock()
		s.bodies = append(s.bodies, string(b))
		s.mu.Unlock()
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, `data: {"choices":[{"index":0,"delta":{"content":"ok"},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *server) last() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.bodies) == 0 {
		return ""
	}
	return s.bodies[len(s.bodies)-1]
}

// seat is a front end's place at a session that is run as the program does.
type seat struct {
	*testing.T
	place  *place
	server *server
	r      *runner
	c      *control.Conn
}

func newSeat(t *testing.T, settings string, words ...string) *seat {
	t.Helper()
	s := &seat{T: t, place: newPlace(t), server: newServer(t)}
	s.place.write("agent/models.json", fmt.Sprintf(`{"providers":{"fake":{"baseUrl":%q,"api":"openai-completions","apiKey":"k",
		"models":[{"id":"m","reasoning":true,"input":["text","image"],"contextWindow":100000,"maxTokens":64000,"compat":{"thinkingTokenBudgetField":"budget"}}]}}}`, s.server.URL))
	if settings != "" {
		s.place.write("agent/settings.json", settings)
	}
	s.r = s.place.runner(append([]string{"--model", "fake/m", "--thinking", "medium"}, words...)...)
	ms, err := s.r.models(t.Context(), modeREPL)
	if err != nil {
		t.Fatal(err)
	}
	hub := control.NewHub(s.r.options(modeREPL, ms))
	t.Cleanup(hub.Close)
	start := control.Start{Dir: s.place.dir, New: session.Header{CWD: s.place.dir}.Complete(), Thinking: ms.level}
	start.Provider, start.Model = ms.named()
	if s.c, err = hub.Connect(t.Context(), start); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.c.Close)
	return s
}

func do[R any](s *seat, cmd protocol.Command[R]) R {
	s.Helper()
	r, err := protocol.Call(s.Context(), s.c, cmd)
	if err != nil {
		s.Fatalf("%s: %v", cmd.Name(), err)
	}
	return r
}

// ask says something and returns the request that the model got.
func (s *seat) ask(images ...message.Block) string {
	s.Helper()
	do(s, protocol.Prompt{Text: "hello", Images: images})
	for ev, err := range s.c.Watch(s.Context(), 0) {
		if err != nil {
			s.Fatal(err)
		}
		switch e := ev.(type) {
		case protocol.RunEnded:
			return s.server.last()
		case protocol.State:
			if !e.Running {
				return s.server.last()
			}
		}
	}
	return ""
}

func TestSettingsAtOnce(t *testing.T) {
	picture := message.Image([]byte("\x89PNG\r\n\x1a\n"), "image/png")
	s := newSeat(t, "")
	set := func(key, value, effect string) {
		t.Helper()
		if got := do(s, protocol.SetSetting{Key: key, Value: value}); got.Effect != effect || !strings.HasPrefix(got.Setting.Force().From, "this run") {
			t.Errorf("%s: %+v", key, got)
		}
	}
	has := func(what string, want bool, images ...message.Block) {
		t.Helper()
		if body := s.ask(images...); strings.Contains(body, what) != want {
			t.Errorf("the request has %s: %t\n%.3000s", what, !want, body)
		}
	}
	has(`"budget":8192`, true)
	set("thinkingBudgets", `{"medium":500}`, "at once")
	has(`"budget":500`, true)
	set("thinkingBudgets.medium", "600", "at once")
	has(`"budget":600`, true)
	has(`"image_url"`, true, picture)
	set("images.blockImages", "on", "at once")
	has(`"image_url"`, false, picture)
	has(`"name":"ls"`, false)
	set("defaultTools", "+ls", "at once")
	has(`"name":"ls"`, true)
	set("shellCommandPrefix", "X=7", "at once")
	if got := do(s, protocol.Bash{Command: "echo $X"}); got.Output != "7\n" {
		t.Errorf("the command says %q", got.Output)
	}
	set("maxTurns", "7", "at once")
	if got := do(s, protocol.GetState{}); got.MaxTurns != 7 {
		t.Errorf("%d turns", got.MaxTurns)
	}
	do(s, protocol.SetSetting{Key: "maxTurns", Unset: true})
	if got := do(s, protocol.GetState{}); got.MaxTurns != 0 {
		t.Errorf("%d turns", got.MaxTurns)
	}
	set("defaultThinkingLevel", "low", "in new sessions")
	if info := do(s, protocol.GetModels{}).Models[0]; (&models{r: s.r}).Thinking(info) != "low" {
		t.Error("new sessions do not think low")
	}
	set("sessionDir", "x", "from the next start on")
	set("theme", "dark", "at once")
	set("outputPad", "0", "bough does not use it yet")
	if b, err := os.ReadFile(filepath.Join(s.place.home, "agent", "settings.json")); err == nil {
		t.Errorf("a file was written: %s", b)
	}
}

func TestSettingsAreSaved(t *testing.T) {
	s := newSeat(t, `{"defaultModel":"m", "x": 1.50}`)
	got := do(s, protocol.SetSetting{Key: "steeringMode", Value: "all", Save: true})
	b, err := os.ReadFile(filepath.Join(s.place.home, "agent", "settings.json"))
	if err != nil || string(b) != `{"defaultModel":"m", "x": 1.50, "steeringMode": "all"}` || got.Undo != "bough config unset steeringMode" || got.Effect != "at once" {
		t.Errorf("%s, %v, %+v", b, err, got)
	}
	// What an option says is above the file.
	if got := do(s, protocol.GetSettings{Key: "defaultModel"}); len(got.Settings) != 1 || got.Settings[0].Force().From != "command line, --model" || len(got.Settings[0].Sources) != 3 {
		t.Errorf("%+v", got)
	}
	// The files are read again.
	s.place.write("agent/settings.json", `{"bough":{"maxTurns":9}}`)
	do(s, protocol.Reload{})
	if got := do(s, protocol.GetState{}); got.MaxTurns != 9 {
		t.Errorf("%d turns", got.MaxTurns)
	}
	for _, c := range []protocol.SetSetting{
		{Key: "nosuch", Value: "1"}, {Key: "retry.maxRetries", Value: "x"}, {Key: "retry.maxRetries", Value: "x", Save: true}, {Key: "", Unset: true}, {Key: "nosuch", Unset: true},
		{Key: "retry.maxRetries", Unset: true},
	} {
		if _, err := protocol.Call(t.Context(), s.c, c); err == nil {
			t.Errorf("%+v was taken", c)
		}
	}
	s.place.write("agent/settings.json", `{broken`)
	if _, err := protocol.Call(t.Context(), s.c, protocol.SetSetting{Key: "steeringMode", Value: "all", Save: true}); err == nil || !strings.Contains(err.Error(), "settings.json") {
		t.Errorf("%v", err)
	}
}

// Settings of several front ends at once, and readers of them, are no trouble.
func TestSettingsAtTheSameTime(t *testing.T) {
	s := newSeat(t, "")
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for n := range 10 {
				if _, err := protocol.Call(t.Context(), s.c, protocol.SetSetting{Key: []string{"maxTurns", "retry.maxRetries", "defaultTools", "thinkingBudgets.low"}[i],
					Value: fmt.Sprint(n)}); err != nil {
					t.Error(err)
				}
				if _, err := protocol.Call(t.Context(), s.c, protocol.GetSettings{All: true}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	s.ask()
	wg.Wait()
	if got := do(s, protocol.GetState{}); got.MaxTurns != 9 {
		t.Errorf("%d turns", got.MaxTurns)
	}
}

// What stands in the file is what sessions are run with.
func TestSettingsCount(t *testing.T) {
	for _, tt := range []struct {
		settings, words, want string
		have                  func(*runner, control.Options) any
	}{
		{`{"steeringMode":"all"}`, "", "true false", func(_ *runner, o control.Options) any { return fmt.Sprint(o.AllSteering, o.AllFollowUp) }},
		{`{"followUpMode":"all"}`, "", "false true", func(_ *runner, o control.Options) any { return fmt.Sprint(o.AllSteering, o.AllFollowUp) }},
		{`{"bough":{"maxTurns":5}}`, "", "5", func(_ *runner, o control.Options) any { return o.MaxTurns }},
		{`{"bough":{"maxTurns":5}}`, "--max-turns 6", "6", func(_ *runner, o control.Options) any { return o.MaxTurns }},
		{`{"bough":{"maxTurns":5}}`, "--max-turns 0", "0", func(_ *runner, o control.Options) any { return o.MaxTurns }},
		{`{"retry":{"enabled":false}}`, "", "0", func(_ *runner, o control.Options) any { return o.Retry.Max }},
		{`{"retry":{"maxRetries":7,"baseDelayMs":5,"maxAgentDelayMs":6,"provider":{"maxRetryDelayMs":8}}}`, "", "{7 5ms 6ms 8ms}", func(_ *runner, o control.Options) any { return o.Retry }},
		{`{"sessionDir":"s"}`, "", "HOME/project/s", func(r *runner, _ control.Options) any { return r.store.Flat }},
		{`{"sessionDir":"s"}`, "--session-dir t", "HOME/project/t", func(r *runner, _ control.Options) any { return r.store.Flat }},
		{`{"bough":{"sync":"off"}}`, "", "off", func(r *runner, _ control.Options) any { return r.store.Sync }},
		{`{"enabledModels":["a/*"]}`, "--models b/*", "[b/*]", func(r *runner, _ control.Options) any { return r.current().EnabledModels }},
		{`{"hideThinkingBlock":true,"treeFilterMode":"all","quietStartup":true}`, "", "true all true",
			func(r *runner, _ control.Options) any {
				s := r.current()
				return fmt.Sprintf("%t %s %s", s.HideThinking, s.TreeFilter, s.Screen.QuietStartup)
			}},
	} {
		p := newPlace(t)
		p.write("agent/settings.json", tt.settings)
		r := p.runner(strings.Fields(tt.words)...)
		got := strings.ReplaceAll(fmt.Sprint(tt.have(r, r.options(modeREPL, nil))), p.home, "HOME")
		if got != tt.want || p.err.Len() > 0 {
			t.Errorf("%s %s: %s, want %s; told %s", tt.settings, tt.words, got, tt.want, &p.err)
		}
	}
}

// The environment wins over the file; a project counts only once it is trusted.
func TestSettingsOfTheEnvironment(t *testing.T) {
	p := newPlace(t)
	p.write("agent/settings.json", `{"httpProxy":"http://u:secret@one:1","sessionDir":"file"}`)
	p.write("project/.pi/settings.json", `{"steeringMode":"all"}`)
	p.vars["HTTPS_PROXY"], p.vars["BOUGH_SESSION_DIR"] = "http://u:secret@two:2", p.home+"/variable"
	r := p.runner()
	if s := r.current(); s.SteeringMode != "one-at-a-time" || s.HTTPProxy != "http://u:secret@two:2" || r.store.Flat != p.home+"/variable" {
		t.Errorf("%+v, %s", s, r.store.Flat)
	}
	got, err := r.live.Get(p.dir, protocol.GetSettings{})
	if b, jerr := json.Marshal(got); err != nil || jerr != nil || strings.Contains(string(b), "secret") {
		t.Errorf("%s %v %v", b, err, jerr)
	}
	i := slices.IndexFunc(got.Settings, func(s protocol.Setting) bool { return s.Key == "steeringMode" })
	if i < 0 || got.Settings[i].Sources[0].Ignored != "the project is not trusted" {
		t.Errorf("%+v", got.Settings)
	}
	if s := p.runner("--approve").current(); s.SteeringMode != "all" {
		t.Errorf("%+v", s)
	}
}

func TestUndoWords(t *testing.T) {
	for _, tt := range []struct{ key, was, want string }{
		{"defaultModel", "", "bough config unset defaultModel"},
		{"defaultModel", `"a b"`, "bough config set defaultModel 'a b'"},
		{"defaultModel", `"it's"`, `bough config set defaultModel 'it'\''s'`},
		{"defaultModel", `"true"`, `bough config set defaultModel '"true"'`},
		{"defaultModel", `"-x"`, `bough config set defaultModel '"-x"'`},
		{"defaultTools", `["-bash"]`, `bough config set defaultTools '["-bash"]'`},
		{"defaultTools", "[\n  \"+grep\",\n  \"-bash\"\n]", `bough config set defaultTools '["+grep","-bash"]'`},
		{"defaultModel", `"a\u001b[2J"`, `bough config set defaultModel '"a\u001b[2J"'`},
		{"retry.maxRetries", "5", "bough config set retry.maxRetries 5"},
		{"retry.maxRetries", `"x"`, ""},
		{"httpProxy", `"http://u:p@h"`, ""},
		{"modelThinkingLevels.a/b c", `"low"`, `bough config set 'modelThinkingLevels.a/b c' '"low"'`},
	} {
		k, path, err := config.Find(tt.key)
		if err != nil {
			t.Fatal(err)
		}
		var was json.RawMessage
		if tt.was != "" {
			was = json.RawMessage(tt.was)
		}
		if got := undo(k, path, was, ""); got != tt.want {
			t.Errorf("%s was %s: %s, want %s", tt.key, tt.was, got, tt.want)
		}
	}
}
