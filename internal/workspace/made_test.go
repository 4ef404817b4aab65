//go:build unix

package workspace

import (
	"context"
	"errors"
	"os"
	"testing"
)

// Who reads a file that gives nothing, as some in /proc do, can stop.
func TestAReadOfWhatIsMadeEndsWithItsContext(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	ctx, cancel := context.WithCancel(t.Context())
	f := closedWith(ctx, r)
	failed := make(chan error)
	go func() {
		_, err := f.Read(make([]byte, 1))
		failed <- err
	}()
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v", err)
	}
	if err := f.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}
