package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"path/filepath"
	"sync"
	"time"

	"github.com/boughdev/bough/internal/remote"
	"github.com/boughdev/bough/protocol"
)

// listener answers those who want to join a session of this process. It listens on
// this machine alone, from the first lease on.
type listener struct {
	door  protocol.Door
	token func() (string, error)

	once   sync.Once
	addr   string // "" if it cannot listen
	server *remote.Server
	http   *http.Server
	served chan struct{}
}

// tokenFile is the file with the word that lets a process of this user in.
func (r *runner) tokenFile() string { return filepath.Join(r.paths.State, "token") }

func (r *runner) newListener() *listener {
	return &listener{token: func() (string, error) { return remote.Token(r.tokenFile()) }}
}

// address is where it listens. Without a token or a port there is none, and others
// work beside this process.
func (l *listener) address() string {
	l.once.Do(func() {
		token, err := l.token()
		if err != nil {
			return
		}
		at, err := net.Listen("tcp4", "127.0.0.1:0")
		if err != nil {
			return
		}
		l.serve(at, &remote.Server{Door: l.door, Tokens: []remote.Key{{Token: token, Role: remote.Owner}}, Version: Version})
	})
	return l.addr
}

func (l *listener) serve(at net.Listener, s *remote.Server) {
	l.addr, l.server, l.served = at.Addr().String(), s, make(chan struct{})
	l.http = &http.Server{Handler: s.Handler(), ReadHeaderTimeout: 10 * time.Second, ErrorLog: log.New(io.Discard, "", 0)}
	go func() {
		defer close(l.served)
		l.http.Serve(at) // ends with close
	}()
}

// close ends what goes on; who joined finds the session elsewhere.
func (l *listener) close() {
	l.once.Do(func() {})
	if l.http == nil {
		return
	}
	l.server.Close()
	l.http.Close() // what is open still is broken off
	<-l.served
}

// loopback reports whether an address is one of this machine, so that no token goes
// anywhere else, whatever a lease says.
func loopback(addr string) bool {
	host, port, err := net.SplitHostPort(addr)
	ip := net.ParseIP(host)
	return err == nil && ip != nil && ip.IsLoopback() && port != ""
}

// opening is how long a process may take to let somebody in.
const opening = 10 * time.Second

// dial joins a session in the process that answers at addr.
func (r *runner) dial(ctx context.Context, addr string, o protocol.Open) (protocol.Client, func(), error) {
	if !loopback(addr) {
		return nil, nil, errors.New("its address is not one of this machine")
	}
	token, err := remote.Token(r.tokenFile())
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, opening)
	defer cancel()
	d := &remote.Dialer{Address: addr, Token: token, Local: r.read, Patience: time.Second}
	c, leave, err := d.Open(ctx, o)
	if protocol.CodeOf(err) == remote.Unauthorized {
		err = fmt.Errorf("it knows another token than the one in %s: end it and start it again", r.tokenFile())
	}
	return c, leave, err
}
