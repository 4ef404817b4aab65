package remote_test

import (
	"context"
	"net"
	"testing"

	"github.com/boughdev/bough/internal/remote"
)

func TestAnswers(t *testing.T) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	d := &remote.Dialer{Address: l.Addr().String()}
	ctx, cancel := context.WithCancel(t.Context())
	taken := make(chan net.Conn, 1)
	go func() {
		c, _ := l.Accept() // nil at the end of the test
		taken <- c
		cancel()
	}()
	if d.Answers(ctx) {
		t.Error("a server that takes a connection and says nothing answers")
	}
	if c := <-taken; c != nil {
		c.Close()
	}
	l.Close()
	if !d.Answers(t.Context()) {
		t.Error("that nobody listens is not found out")
	}
}
