package control_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/protocol"
)

// Who leaves does not wait for a command of the shell, and whoever closes the session
// ends it; what it came to is recorded.
func TestBashOfOneWhoLeaves(t *testing.T) {
	w := newWorld(t, readRule)
	begun := make(chan struct{})
	w.shell = func(ctx context.Context, _ string, _ func(string)) (protocol.BashResult, error) {
		close(begun)
		<-ctx.Done()
		return protocol.BashResult{Output: "half of it", Cancelled: true}, nil
	}
	f := w.connect(control.Start{})
	f.say("hello")
	f.mu.Lock()
	file := f.view.File
	f.mu.Unlock()
	ctx, leave := context.WithCancel(t.Context())
	answer := make(chan error)
	go func() {
		_, err := protocol.Call(ctx, f, protocol.Bash{Command: "forever"})
		answer <- err
	}()
	<-begun
	leave()
	if err := <-answer; !errors.Is(err, context.Canceled) {
		t.Errorf("bash of one who left: %v", err)
	}
	w.hub.Close()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"command":"forever"`, `"output":"half of it"`, `"cancelled":true`} {
		if !strings.Contains(string(b), want) {
			t.Errorf("the session has no %s:\n%s", want, b)
		}
	}
}
