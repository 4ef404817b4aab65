package control_test

import (
	"context"
	"net/http/httptest"
	"os"
	"os/exec"
	"sync"
	"testing"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/internal/remote"
	"github.com/boughdev/bough/protocol"
)

// far says that the front ends of the tests stand at the other end of HTTP.
var far = os.Getenv("BOUGH_TEST_FAR") != ""

// doorOf lets in at a client that is there already.
type doorOf struct{ c *control.Conn }

func (d doorOf) Open(context.Context, protocol.Open) (protocol.Client, func(), error) {
	return d.c, d.c.Close, nil
}

// reach is the way of a front end to its connection, and how it leaves.
func reach(t *testing.T, c *control.Conn) (protocol.Client, func()) {
	t.Helper()
	if !far {
		return c, c.Close
	}
	const token = "the token of the tests of control"
	s := &remote.Server{Door: doorOf{c}, Tokens: []remote.Key{{Token: token, Role: remote.Owner}}}
	h := httptest.NewServer(s.Handler())
	d := &remote.Dialer{Address: h.URL, Token: token}
	client, leave, err := d.Open(t.Context(), protocol.Open{Session: "x"})
	if err != nil {
		t.Fatal(err)
	}
	return client, sync.OnceFunc(func() {
		leave()
		s.Close()
		h.Close()
	})
}

// The stories of this package, told once more by front ends that are far away.
func TestFromAfar(t *testing.T) {
	if far || testing.Short() {
		t.Skip("they are told from afar already, or in short")
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run="+stories, "-test.short")
	cmd.Env = append(os.Environ(), "BOUGH_TEST_FAR=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

const stories = "."
