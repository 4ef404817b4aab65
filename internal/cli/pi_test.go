package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/fakellm"
)

// A piRun is a command line and what came of it. The file testdata/pi.json has
// what pi 1.6.0 did with each; NODE24=… PI_DIST=… BOUGH_RECORD_PI=1 go test
// -run TestAsPi ./internal/cli writes it anew.
type piRun struct {
	Stdin string   `json:"stdin,omitempty"`
	Args  []string `json:"args"` // behind --mode json

	Failed   bool     `json:"failed,omitempty"` // exit code 1
	ID       string   `json:"id,omitempty"`     // of the session, where --session-id is given
	Said     []string `json:"said"`             // texts of the user, in order; $DIR is the folder
	Tools    []string `json:"tools,omitempty"`  // that the model was offered
	Preamble string   `json:"preamble,omitempty"`
	Addendum string   `json:"addendum,omitempty"`
}

// differs says where bough does not do what pi does, and why.
var differs = map[string]string{
	`-p ""`:                           "nothing to say is an error (A-28)",
	`"" -p`:                           "nothing to say is an error (A-28)",
	``:                                "nothing to say is an error (A-28)",
	`@empty.txt`:                      "nothing to say is an error (A-28)",
	`--print=hello`:                   "every long option takes =value (A-08)",
	`--model=m hi`:                    "every long option takes =value (A-08)",
	`--tools=read hi`:                 "every long option takes =value (A-08)",
	`--session "" hi`:                 "an empty variable is no session",
	`--fork "" hi`:                    "an empty variable is no session",
	`-xt bash -xt edit hi`:            "what is left out adds up: a tool that was forbidden stays so",
	`--session ./s.jsonl -c`:          "two sessions are named",
	`@sub hi`:                         "", // both refuse; pi by a crash
	`hello "   "`:                     "a blank message says nothing",
	`-p hello ""`:                     "a blank message says nothing",
	`-t * hi`:                         "pi has tools that bough has not",
	`--system-prompt a.txt hi`:        "the line end of the file is left out",
	`--append-system-prompt a.txt hi`: "the line end of the file is left out",
}

func piRuns() []piRun {
	var runs []piRun
	for _, args := range [][]string{
		{"hello"}, {"hello", "world"}, {"-p", "hello", "world"}, {"hello", "-p", "world"}, {"-p", "-p", "hi"},
		{"-p", "-x"}, {"-p", "-", "x"}, {"- x"}, {"-p", "--", "-x"}, {"-p", "---", "x"}, {"-p", "---\na: b\n---", "x"}, {"x", "---y"},
		{"-p", "--", "@a.txt", "--", "b"}, {"--", "hello"}, {"hello", "--"}, {"--", "--", "x"}, {"--", "--model", "x"},
		{"-p=hello"}, {"--print", "hello"}, {"--print=hello"}, {"--model=m", "hi"}, {"--tools=read", "hi"},
		{"-p", ""}, {"", "-p"}, {"-p", "", "hello"}, {"-p", "hello", ""}, {"hello", "   "}, {},
		{"--mode"}, {"--mode", "foo", "hi"}, {"--nosuch", "hi"}, {"--nosuch=1", "hi"}, {"-x", "hi"}, {"-pc", "hi"},
		{"--model"}, {"--tools"}, {"--session-dir"}, {"--name", "-p", "hi"}, {"-n", "", "hi"}, {"-n", "  ", "hi"}, {"-n", "a name", "hi"},
		{"-p", "@a.txt", "x"}, {"@a.txt"}, {"@a.txt", "@b.txt", "x", "y"}, {"x", "@a.txt"}, {"@b.txt", "hi"},
		{"@nosuch", "hi"}, {"@empty.txt", "hi"}, {"@empty.txt"}, {"@sub", "hi"},
		{"--thinking", "bad", "hi"}, {"--thinking", "", "hi"},
		{"--session-id", "-x", "hi"}, {"--session-id", "abc", "hi"}, {"--session-id", "abc", "--no-session", "hi"},
		{"--session-id", "abc", "--session", "./s.jsonl", "hi"}, {"--session-id", "x", "-c", "hi"},
		{"--fork", "x", "--no-session", "hi"}, {"--fork", "x", "-c", "hi"}, {"--fork", "nosuch", "hi"}, {"--fork", "./nosuch.jsonl", "hi"}, {"--fork", "", "hi"},
		{"--session", "nosuch", "hi"}, {"--session", "./new.jsonl", "hi"}, {"--session", "", "hi"}, {"--session", "./s.jsonl", "-c"},
		{"-c", "hi"}, {"--no-session", "hi"}, {"--no-session", "--session", "./new.jsonl", "hi"},
		{"--provider", "fake", "hi"}, {"--provider", "", "hi"}, {"--api-key", "k", "hi"}, {"--api-key", "k", "--model", "fake/m", "hi"}, {"--api-key", "k", "--models", "fake/m", "hi"},
		{"--provider", "nosuch", "--model", "m", "hi"}, {"--provider", "fake", "--model", "m", "hi"}, {"--model", "nosuch", "hi"}, {"--model", "fake/nosuch", "hi"},
		{"--model", "m", "hi"}, {"--model", "", "hi"}, {"--model", "M:high", "hi"}, {"--models", "nosuch", "hi"}, {"--models", "fake/*:high", "hi"}, {"--models", "", "hi"},
		{"-t", "read", "hi"}, {"-t", "grep, read", "hi"}, {"-t", "re*", "hi"}, {"-t", "*", "hi"}, {"-t", "nosuch", "hi"}, {"-t", "read,nosuch", "hi"}, {"-t", "READ", "hi"},
		{"-t", "[rb]*", "hi"}, {"-t", "?s", "hi"}, {"-t", "+grep", "hi"}, {"-t", "-bash", "hi"}, {"-t", "+grep,-bash", "hi"}, {"-t", "+grep,read", "hi"}, {"-t", "+gr*", "hi"},
		{"-t", "+nosuch", "hi"}, {"-t", "", "hi"}, {"-t", ",", "hi"}, {"-t", "read", "-t", "grep", "hi"}, {"-t", "read", "-t", "+grep", "hi"},
		{"-xt", "bash", "hi"}, {"-xt", "*", "hi"}, {"-xt", "b*,e*", "hi"}, {"-xt", "nosuch", "hi"}, {"-xt", "bash", "-xt", "edit", "hi"}, {"-t", "read,grep", "-xt", "grep", "hi"},
		{"-nbt", "hi"}, {"-nt", "hi"}, {"-nbt", "-t", "read", "hi"}, {"-nt", "-t", "read", "hi"}, {"-nt", "-t", "+read", "hi"}, {"-nt", "-xt", "read", "hi"},
		{"--system-prompt", "", "hi"}, {"--system-prompt", "You are x.", "hi"}, {"--system-prompt", "a.txt", "hi"}, {"--system-prompt", "./nosuch.txt", "hi"}, {"--system-prompt", "sub", "hi"},
		{"--system-prompt", "one", "--system-prompt", "two", "hi"},
		{"--append-system-prompt", "one", "--append-system-prompt", "two", "hi"}, {"--append-system-prompt", "", "hi"}, {"--append-system-prompt", "a.txt", "hi"},
		{"-nc", "-ns", "-np", "--no-themes", "--offline", "--verbose", "-na", "hi"},
	} {
		runs = append(runs, piRun{Args: args})
	}
	for stdin, args := range map[string][]string{
		" STDIN\n\n":       {"hello", "more"},
		"\uFEFF\tSTDIN":    {"hello"},
		"STDIN\xff\xfe.\n": {"@a.txt", "hello"},
		"only this":        {},
		" \n ":             {"hello"},
		"and":              {"", "hello"},
	} {
		runs = append(runs, piRun{Stdin: stdin, Args: args})
	}
	slices.SortStableFunc(runs, func(a, b piRun) int { return strings.Compare(a.Stdin, b.Stdin) })
	return runs
}

// name is the command line as a shell would take it, nearly.
func (r piRun) name() string {
	words := slices.Clone(r.Args)
	for i, w := range words {
		if w == "" || strings.ContainsAny(w, " \n") {
			words[i] = fmt.Sprintf("%q", w)
		}
	}
	if r.Stdin != "" {
		words = append([]string{fmt.Sprintf("%q |", r.Stdin)}, words...)
	}
	return strings.Join(words, " ")
}

// project makes a home with models of a server, and a project. It returns the
// project.
func project(t *testing.T, server string) (home, dir string) {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(home, "project")
	for name, text := range map[string]string{
		"agent/models.json":   fmt.Sprintf(`{"providers":{"fake":{"baseUrl":%q,"api":"openai-completions","apiKey":"k","models":[{"id":"m","reasoning":true}]}}}`, server+"/v1"),
		"agent/settings.json": `{"bough":{"sync":"off"}}`,
		"project/a.txt":       "file content\n",
		"project/b.txt":       "\uFEFFmarked\r\n",
		"project/empty.txt":   "",
		"project/sub/c.txt":   "c",
	} {
		path := filepath.Join(home, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return home, dir
}

// read takes up what a program printed in JSON mode.
func (r piRun) read(t *testing.T, out []byte, code int, dir string) piRun {
	t.Helper()
	r.Failed, r.Said = code != 0, nil
	if code > 1 {
		t.Errorf("exit code %d", code)
	}
	for line := range bytes.Lines(out) {
		var rec struct {
			Type, ID string
			Message  struct {
				Role       string
				Content    json.RawMessage
				Sections   map[string]string
				ToolsAdded []struct{ Name string }
			}
		}
		if err := json.Unmarshal(line, &rec); err != nil {
			continue
		}
		m := rec.Message
		switch {
		case rec.Type == "session" && slices.Contains(r.Args, "--session-id"):
			r.ID = rec.ID
		case rec.Type != "message_end":
		case m.Role == "user":
			var blocks []struct{ Text string }
			if err := json.Unmarshal(m.Content, &blocks); err != nil {
				t.Fatal(err)
			}
			r.Said = append(r.Said, strings.ReplaceAll(blocks[0].Text, dir, "$DIR"))
		case m.Role == "system" && r.Tools == nil:
			r.Tools = []string{}
			for _, tool := range m.ToolsAdded {
				r.Tools = append(r.Tools, tool.Name)
			}
			if m.Sections["rules"] == "" { // a preamble of the user
				r.Preamble = m.Sections["preamble"]
			}
			r.Addendum = m.Sections["addendum"]
		}
	}
	return r
}

func TestAsPi(t *testing.T) {
	server := fakellm.Start(t, fakellm.Options{})
	if os.Getenv("BOUGH_RECORD_PI") != "" {
		recordPi(t, server.URL)
	}
	data, err := os.ReadFile("testdata/pi.json")
	if err != nil {
		t.Fatal(err)
	}
	var recorded []piRun
	if err := json.Unmarshal(data, &recorded); err != nil {
		t.Fatal(err)
	}
	for _, pi := range recorded {
		t.Run(pi.name(), func(t *testing.T) {
			home, dir := project(t, server.URL)
			vars := map[string]string{"HOME": home, "BOUGH_AGENT_DIR": filepath.Join(home, "agent"), "XDG_STATE_HOME": filepath.Join(home, "state"),
				"XDG_CACHE_HOME": filepath.Join(home, "cache"), "BOUGH_OFFLINE": "1"}
			var out, errs bytes.Buffer
			code := Main(t.Context(), Env{Args: append([]string{"--mode", "json"}, pi.Args...), Stdin: strings.NewReader(pi.Stdin),
				Stdout: &out, Stderr: &errs, Getenv: func(name string) string { return vars[name] }, Dir: dir})
			got := piRun{Stdin: pi.Stdin, Args: pi.Args}.read(t, out.Bytes(), code, dir)
			if got.Failed && !strings.HasPrefix(errs.String(), "bough: ") {
				t.Errorf("it failed without a word: %q", &errs)
			}
			got.Tools = slices.DeleteFunc(got.Tools, func(string) bool { return got.Failed })
			why, known := differs[pi.name()]
			switch same := reflect.DeepEqual(normal(got), normal(pi)); {
			case !same && !known:
				t.Errorf("got  %+v\npi   %+v\n%s", got, pi, &errs)
			case same && known && why != "":
				t.Errorf("the same as pi now, but was meant to differ: %s", why)
			}
		})
	}
}

// normal makes runs comparable: order and absence of tools aside.
func normal(r piRun) piRun {
	r.Said = append([]string{}, r.Said...)
	r.Tools = append([]string{}, r.Tools...)
	slices.Sort(r.Tools)
	return r
}

// recordPi asks pi.
func recordPi(t *testing.T, server string) {
	node, dist := os.Getenv("NODE24"), os.Getenv("PI_DIST")
	if node == "" || dist == "" {
		t.Fatal("set NODE24 (a node of version 22 or later) and PI_DIST (the dist folder of the installed package)")
	}
	var recorded []piRun
	for _, r := range piRuns() {
		home, dir := project(t, server)
		cmd := exec.CommandContext(t.Context(), node, append([]string{filepath.Join(dist, "cli.js"), "--mode", "json"}, r.Args...)...)
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(r.Stdin)
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "PI_CODING_AGENT_DIR=" + filepath.Join(home, "agent"),
			"PI_OFFLINE=1", "PI_SKIP_VERSION_CHECK=1", "PI_TELEMETRY=0"}
		out, _ := cmd.Output() // the exit code says it
		recorded = append(recorded, r.read(t, out, cmd.ProcessState.ExitCode(), dir))
	}
	var b bytes.Buffer
	b.WriteString("[\n")
	for i, r := range recorded {
		line, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(line)
		if i < len(recorded)-1 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
	}
	b.WriteString("]\n")
	if err := os.WriteFile("testdata/pi.json", b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
