package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/session/filestore"
)

// killScript makes a run of many turns: text in small pieces and two tools at a
// time.
const killScript = `{"defaults":{"chunk":4},"rules":[
 {"when":{"turn":{"max":30}},"reply":{"text":"Working on it, step by step.","toolCalls":[
   {"name":"bash","args":{"command":"echo one"}},{"name":"read","args":{"path":"a.txt"}}]}},
 {"when":{},"reply":{"text":"Done."}}]}`

// A process that is killed at any moment has lost nothing that it had shown as
// done, and the next start goes on with the file.
func TestKilledAtAnyMoment(t *testing.T) {
	times := 500
	if testing.Short() {
		times = 25
	}
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("a.txt", "content\n")
	env := append(os.Environ(), "HOME="+dir, "BOUGH_AGENT_DIR="+filepath.Join(dir, "agent"), "XDG_STATE_HOME="+filepath.Join(dir, "state"),
		"BOUGH_OFFLINE=1", "BOUGH_SCRIPT="+write("script.json", killScript))
	r := rand.New(rand.NewPCG(1, 2))
	file := ""
	for i := range times {
		if i%25 == 0 {
			file = filepath.Join(dir, fmt.Sprintf("s%d.jsonl", i)) // a new session now and then: killed while it is made
		}
		shown := kill(t, dir, env, file, r)
		had := contents(t, file)
		for _, id := range shown {
			if !had[id] {
				t.Fatalf("kill %d: message %q was shown as done and is not in %s", i, id, file)
			}
		}
	}
	// Go on once more, to the end.
	cmd := exec.Command("bough", "-p", "--model", "scripted/one", "--session", file, "and now")
	cmd.Dir, cmd.Env = dir, env
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "Done.") {
		t.Errorf("after %d kills: %v\n%s", times, err, out)
	}
}

// kill starts a run and kills it after a random number of events, or time. It
// returns the messages that were shown as done.
func kill(t *testing.T, dir string, env []string, file string, r *rand.Rand) []string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bough", "--mode", "json", "--model", "scripted/one", "--session", file, fmt.Sprintf("go %d", r.Uint64()))
	cmd.Dir, cmd.Env = dir, env
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	after := r.IntN(120)
	if r.IntN(4) == 0 {
		time.AfterFunc(time.Duration(r.IntN(20_000))*time.Microsecond, func() { cmd.Process.Kill() })
		after = 1 << 30
	}
	var shown []string
	scanner := bufio.NewScanner(out)
	scanner.Buffer(nil, 1<<22)
	for n := 0; scanner.Scan(); n++ {
		var ev struct {
			Type    string
			Message json.RawMessage
		}
		if err := json.Unmarshal(scanner.Bytes(), &ev); err != nil {
			break // cut off by the kill
		}
		// A result is told again at the end of its turn; the file has it earlier.
		if ev.Type == "message_end" {
			shown = append(shown, string(ev.Message))
		}
		if n == after {
			cmd.Process.Kill()
		}
	}
	_ = cmd.Wait() // it was killed
	return shown
}

// contents returns the messages of a file, which must load.
func contents(t *testing.T, file string) map[string]bool {
	t.Helper()
	had := map[string]bool{}
	s, err := session.Open(t.Context(), filestore.Store{}, file)
	if os.IsNotExist(err) || err != nil && strings.Contains(err.Error(), "no such session") {
		return had // killed before anything was said
	}
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for e := range s.Tree().Log() {
		if e.Type != session.TypeMessage {
			continue
		}
		body, err := e.Body()
		if err != nil {
			t.Fatal(err)
		}
		had[string(body.(session.Message).Message.JSON())] = true
	}
	if leaf := s.Tree().Leaf(); leaf != "" && len(s.Tree().Path(leaf)) != s.Tree().Len() {
		t.Fatalf("%s: %d of %d entries are on the path: a line was torn in the middle", file, len(s.Tree().Path(leaf)), s.Tree().Len())
	}
	return had
}

// What was shown of an answer when the process was killed is there at the next
// start, but for what came in the last moment.
func TestKilledWhileItAnswers(t *testing.T) {
	times := 10
	if testing.Short() {
		times = 3
	}
	var words strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&words, "w%d 好 ", i)
	}
	dir := t.TempDir()
	rules, err := json.Marshal(map[string]any{"defaults": map[string]any{"chunk": 9, "delayMs": 4},
		"rules": []any{map[string]any{"when": map[string]any{}, "reply": map[string]any{"thinking": "Let me count.", "text": words.String()}}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "script.json"), rules, 0o600); err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "HOME="+dir, "BOUGH_AGENT_DIR="+filepath.Join(dir, "agent"), "XDG_STATE_HOME="+filepath.Join(dir, "state"),
		"BOUGH_OFFLINE=1", "BOUGH_SCRIPT="+filepath.Join(dir, "script.json"))
	r := rand.New(rand.NewPCG(3, 4))
	file := filepath.Join(dir, "s.jsonl")
	for i := range times {
		shown := watchAndKill(t, dir, env, file, r, fmt.Sprintf("go %d", i))
		before, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		look := exec.Command("bough", "--repl", "--session", file)
		look.Dir, look.Env, look.Stdin = dir, env, strings.NewReader("/history\n")
		out, err := look.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "was recovered") {
			t.Fatalf("kill %d: nobody is told of the answer: %v\n%s", i, err, out)
		}
		if after, err := os.ReadFile(file); err != nil || string(after) != string(before) {
			t.Fatalf("kill %d: looking at the session has changed it: %v\n%s", i, err, after[len(before):])
		}
		name := exec.Command("bough", "--repl", "--session", file)
		name.Dir, name.Env, name.Stdin = dir, env, strings.NewReader(fmt.Sprintf("/name after %d\n", i))
		if out, err := name.CombinedOutput(); err != nil {
			t.Fatalf("kill %d: %v\n%s", i, err, out)
		}
		found := 0
		for m := range contents(t, file) {
			if !strings.HasPrefix(m, `{"role":"assistant"`) {
				continue
			}
			var a struct {
				StopReason string
				Content    []struct{ Text string }
			}
			if err := json.Unmarshal([]byte(m), &a); err != nil {
				t.Fatal(err)
			}
			found++
			if last := a.Content[len(a.Content)-1].Text; a.StopReason != "aborted" || !strings.HasPrefix(words.String(), last) {
				t.Fatalf("kill %d: recovered as %q, %q", i, a.StopReason, last)
			}
			if strings.Contains(m, shown) {
				shown = ""
			}
		}
		if shown != "" || found != i+1 {
			t.Fatalf("kill %d: %d answers, none of which has %q", i, found, shown)
		}
	}
}

// watchAndKill kills a run while its answer comes, and returns what had been shown
// of it well before it was last written down. How long that is ago is up to the
// machine.
func watchAndKill(t *testing.T, dir string, env []string, file string, r *rand.Rand, prompt string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bough", "--mode", "json", "--model", "scripted/one", "--session", file, prompt)
	cmd.Dir, cmd.Env = dir, env
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	type piece struct {
		at   time.Time
		text string
	}
	var came []piece
	var written time.Time
	killed := false
	const slack = 250 * time.Millisecond // between being taken to be written and being written
	after := time.Duration(300+r.IntN(500)) * time.Millisecond
	scanner := bufio.NewScanner(out)
	for scanner.Scan() {
		var ev struct {
			AssistantMessageEvent struct{ Type, Delta string }
		}
		if err := json.Unmarshal(scanner.Bytes(), &ev); err != nil {
			break // cut off by the kill
		}
		if e := ev.AssistantMessageEvent; e.Type == "text_delta" {
			came = append(came, piece{time.Now(), e.Delta})
		}
		if len(came) == 0 || killed || time.Since(came[0].at) < after {
			continue
		}
		if written = lastWritten(t, filepath.Join(dir, "state")); written.Sub(came[0].at) > slack {
			killed = true
			cmd.Process.Kill()
		}
	}
	_ = cmd.Wait() // it was killed
	shown := ""
	for _, p := range came {
		if written.Sub(p.at) > slack {
			shown += p.text
		}
	}
	if shown == "" {
		t.Fatalf("nothing was shown of the answer in %v", after)
	}
	return shown
}

// lastWritten is when a file of a journal was last written.
func lastWritten(t *testing.T, state string) (last time.Time) {
	t.Helper()
	err := filepath.WalkDir(state, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.Contains(path, "journal") {
			return nil // it may have gone meanwhile
		}
		if info, err := d.Info(); err == nil && info.ModTime().After(last) {
			last = info.ModTime()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return last
}
