package remote_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// oneSession is a library of the session that the examples are about.
type oneSession struct {
	control.Library
	id string
}

func (l oneSession) List(context.Context, string, protocol.ListSessions) (protocol.Sessions, error) {
	return protocol.Sessions{Sessions: []protocol.SessionInfo{{Summary: session.Summary{ID: l.id, FirstMessage: "ask A"}}}}, nil
}

// The examples of docs/remote.md, one after the other in one shell.
func TestExamplesOfTheManual(t *testing.T) {
	for _, tool := range []string{"bash", "curl", "jq"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	page, err := os.ReadFile("../../docs/remote.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	if len(blocks) != 5 {
		t.Fatalf("%d examples", len(blocks))
	}
	w := newWorld(t)
	w.library.id, _ = w.begun()
	dir := t.TempDir()
	token := filepath.Join(dir, "token")
	if err := os.WriteFile(token, []byte(secret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var script strings.Builder
	script.WriteString("set -eo pipefail\n")
	for i, b := range blocks {
		script.WriteString(b[1])
		if i == 0 {
			script.WriteString("url=" + w.http.URL + " token=" + token + "\n")
		}
	}
	out, err := os.Create(filepath.Join(dir, "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	cmd := exec.CommandContext(t.Context(), "bash", "-c", script.String())
	cmd.Stdout, cmd.Stderr = out, out
	cmd.Env = append(os.Environ(), "HOME="+dir, "no_proxy=*")
	err = cmd.Run()
	got, rerr := os.ReadFile(out.Name())
	if err != nil || rerr != nil {
		t.Fatalf("%v, %v\n%s", err, rerr, got)
	}
	t.Logf("%s", got)
	for _, want := range []string{`"version":"1.2.3"`, "ask A", `"started"`, `"entryId"`, "true"} {
		if !strings.Contains(string(got), want) {
			t.Errorf("there is no %s in\n%s", want, got)
		}
	}
}

// What RPC has and HTTP has not is told.
func TestTheManualSaysWhatIsNotHere(t *testing.T) {
	examples, err := os.ReadFile("../../docs/rpc-commands.md")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../docs/remote.md")
	if err != nil {
		t.Fatal(err)
	}
	_, told, _ := strings.Cut(string(page), "These are RPC's\n  alone: ")
	told, _, _ = strings.Cut(told, ". For the last")
	missing := 0
	for _, m := range regexp.MustCompile(`(?m)^> \{"type":"(\w+)"`).FindAllStringSubmatch(string(examples), -1) {
		_, err := protocol.DecodeCommand([]byte(`{"type":"` + m[1] + `"}`))
		unknown := protocol.CodeOf(err) == protocol.UnknownCommand
		if unknown {
			missing++
		}
		if unknown != strings.Contains(told, "`"+m[1]+"`") {
			t.Errorf("%s: it is missing: %v; the manual says otherwise", m[1], unknown)
		}
	}
	if missing == 0 {
		t.Error("nothing is missing")
	}
}
