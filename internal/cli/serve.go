package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/internal/remote"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// serviceLease is what the lease of the service is on: there is one for each user.
const serviceLease = "bough serve"

// servicePort is where the service is unless somebody says otherwise, or is there.
const servicePort = 4747

func serveCommand() command {
	return command{"serve", "", "keep sessions running without a terminal",
		"It answers on this machine alone, to who has the token in its token file; bough attach\nopens sessions in it (bough help attach), programs do so over HTTP (bough help remote).\nIt ends with ctrl+c or --stop: what runs is stopped, and what was said is kept.\n",
		[]commandOption{
			{"--port", "N", fmt.Sprintf("listen at this port; without it %d or the next that is free, 0: any", servicePort)},
			{"--host", "ADDRESS", "127.0.0.1 or ::1"},
			{"--status", "", "say whether it runs, where, and what is open in it"},
			{"--stop", "", "end it"},
			{"--model", "MODEL", "the model of new sessions"},
			dirOption,
		}, serveMain}
}

func serveMain(ctx context.Context, env Env, opts map[string]string, words []string) error {
	c := serveCommand()
	if len(words) > 0 {
		return c.usage("it takes no word %q. bough attach %s opens a session in it", oneLine(words[0], 40), oneLine(words[0], 40))
	}
	r, err := newRunner(env, &args{sessionDir: opts["--session-dir"], model: opts["--model"], maxTurns: -1})
	if err != nil {
		return err
	}
	switch {
	case opts["--status"] != "" && opts["--stop"] != "":
		return c.usage("--status and --stop are two things; give one")
	case opts["--status"] != "":
		return r.serviceStatus(ctx)
	case opts["--stop"] != "":
		return r.stopService(ctx)
	}
	if h := r.findService(); h != nil {
		return r.runsAlready(h)
	}
	at, err := c.listen(opts)
	if err != nil {
		return err
	}
	return r.serve(ctx, at)
}

// listen takes a port of this machine.
func (c command) listen(opts map[string]string) (net.Listener, error) {
	host := opts["--host"]
	switch host {
	case "", "localhost":
		host = "127.0.0.1"
	default:
		if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
			return nil, c.usage("--host is an address of this machine alone: 127.0.0.1 or ::1. To reach it from elsewhere take a tunnel, such as ssh -L")
		}
	}
	port, tries := servicePort, 20
	if p := opts["--port"]; p != "" {
		n, err := strconv.ParseUint(p, 10, 16)
		if err != nil {
			return nil, c.usage("--port %s: use a number up to 65535, 0 for any", oneLine(p, 20))
		}
		port, tries = int(n), 1
	}
	for try := 1; ; try++ {
		at, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
		if err == nil {
			return at, nil
		}
		if try == tries || !errors.Is(err, syscall.EADDRINUSE) {
			return nil, fmt.Errorf("listen at port %d: %w. --port 0 takes any that is free", port, err)
		}
		port++
	}
}

// serve keeps sessions running until ctx ends.
func (r *runner) serve(ctx context.Context, at net.Listener) (err error) {
	defer at.Close()
	token, err := remote.Token(r.tokenFile())
	if err != nil {
		return err
	}
	addr := at.Addr().String()
	release, err := r.store.Lease(ctx, serviceLease, addr)
	if h, ok := errors.AsType[*session.LeasedError](err); ok {
		return r.runsAlready(h)
	} else if err != nil {
		return err
	}
	defer release()
	models, err := r.models(ctx, modeServe)
	if err != nil {
		return err
	}
	o := r.options(modeServe, models)
	o.Follow, o.Asks, o.Linger, o.Alone = true, true, true, true
	o.Address = func() string { return addr }
	o.Lost = r.tellLost
	log := slog.New(slog.NewTextHandler(r.env.Stderr, nil))
	hub := control.NewHub(o)
	l := r.newListener()
	l.once.Do(func() {
		l.serve(at, &remote.Server{Door: watched{r.serviceDoor(hub, models), log}, Tokens: []remote.Key{{Token: token, Role: remote.Owner}},
			Version: Version, Log: log})
	})
	defer l.close()
	defer hub.Close()
	card := filepath.Join(r.paths.State, "serve.json")
	if err := writeCard(card, serviceCard{addr, os.Getpid(), r.tokenFile(), Version}); err != nil {
		return err
	}
	defer os.Remove(card)
	fmt.Fprintf(r.env.Stdout, "bough serves sessions at http://%s (process %d)\nthe token is in %s\nbough attach [ID] opens a session in it; ctrl+c ends it\n", addr, os.Getpid(), r.tokenFile())
	<-ctx.Done()
	return nil
}

func (r *runner) runsAlready(h *session.LeasedError) error {
	_, err := fmt.Fprintf(r.env.Stdout, "bough serve runs already at http://%s (process %d)\n", h.Addr, h.PID)
	return err
}

// serviceDoor opens sessions as they are: the model of the command line is for new
// ones.
func (r *runner) serviceDoor(hub *control.Hub, models *models) protocol.Door {
	w := way{r: r, hub: hub, models: models}
	return control.Door{Hub: hub, Find: func(ctx context.Context, o protocol.Open) (control.Start, error) {
		start, err := w.find(ctx, o)
		start.AsWas = true
		return start, err
	}}
}

// serviceCard is what programs find in serve.json.
type serviceCard struct {
	Address   string `json:"address"`
	PID       int    `json:"pid"`
	TokenFile string `json:"tokenFile"`
	Version   string `json:"version"`
}

func writeCard(path string, c serviceCard) error {
	b, err := json.Marshal(c)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".serve-*") // 0600
	if err != nil {
		return fmt.Errorf("say where the service is: %w", err)
	}
	defer os.Remove(f.Name()) // of no use once it has its name
	_, err = f.Write(append(b, '\n'))
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("say where the service is: %w", err)
	}
	return nil
}

// watched is a door that logs who leaves; the server logs who comes.
type watched struct {
	protocol.Door
	log *slog.Logger
}

func (d watched) Open(ctx context.Context, o protocol.Open) (protocol.Client, func(), error) {
	c, leave, err := d.Door.Open(ctx, o)
	if err != nil {
		return nil, nil, err
	}
	return c, func() {
		leave()
		d.log.Info("a client has left", "who", o.Who)
	}, nil
}

func (r *runner) serviceStatus(ctx context.Context) error {
	h := r.findService()
	if h == nil {
		return errors.New("bough serve does not run")
	}
	fmt.Fprintf(r.env.Stdout, "bough serve runs at http://%s (process %d)\nthe token is in %s\n", h.Addr, h.PID, r.tokenFile())
	l, err := r.store.Listing(ctx)
	if err != nil {
		return err
	}
	holder := r.store.Holders()
	what := "nothing goes on in it\n"
	for _, s := range l.Sessions() {
		if by := holder(s.Path); by != nil && by.PID == h.PID {
			fmt.Fprintf(r.env.Stdout, "  %s  %s\n", s.ID, title(s))
			what = ""
		}
	}
	_, err = io.WriteString(r.env.Stdout, what)
	return err
}

// stopService ends the service and waits for its end.
func (r *runner) stopService(ctx context.Context) error {
	h := r.findService()
	if h == nil {
		return errors.New("bough serve does not run")
	}
	// The lock of the lease says that the process is the service and no other.
	p, err := os.FindProcess(h.PID)
	if err == nil {
		err = p.Signal(syscall.SIGTERM)
	}
	if err != nil {
		return fmt.Errorf("end process %d: %w. ctrl+c in its terminal ends it too", h.PID, err)
	}
	for range 200 {
		if r.findService() == nil {
			fmt.Fprintf(r.env.Stdout, "bough serve has ended (process %d)\n", h.PID)
			return nil
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return fmt.Errorf("process %d was told to end and has not ended yet", h.PID)
}
