package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/internal/join"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

func attachCommand() command {
	return command{"attach", "[ID|NAME|PATH] [OPTIONS]", "open a session in bough serve, or where it is open already",
		"What runs in it goes on when this front end ends. Without a word it is the session of\nthis folder that is open in a bough, else the last one, else a new one in bough serve.\nThe options are those of bough: -p, --mode rpc, --mode json, … (bough help attach)\n",
		nil, nil} // see attachMain
}

// attachMain is bough attach.
func attachMain(ctx context.Context, env Env, words []string) error {
	c := attachCommand()
	word := ""
	if len(words) > 0 && !strings.HasPrefix(words[0], "-") {
		word, words = words[0], words[1:]
	}
	a, err := parse(words)
	switch {
	case err != nil:
		return usage{err, "bough attach --help"}
	case a.help:
		_, err := io.WriteString(env.Stdout, c.helpText())
		return err
	case a.noAttach || a.noSession || a.fork != "" || a.sessionID != "" || a.session != "" && word != "" || a.listModels || a.export != "":
		return c.usage("it opens a session where that lives; say which one: bough attach ID")
	}
	for _, w := range a.warn {
		fmt.Fprintf(env.Stderr, "bough: %s\n", w)
	}
	a.attach, a.inService = true, true
	if word != "" {
		a.session = word
	}
	r, err := newRunner(env, a)
	if err != nil {
		return err
	}
	r.service = r.findService()
	code, err := r.run(ctx)
	if err == nil && code != 0 {
		err = exitCode(code)
	}
	return err
}

// attachable finds the session that is to be joined, or opened in the service.
func (r *runner) attachable(ctx context.Context, start control.Start) (control.Start, error) {
	if r.args.session == "" {
		return r.liveHere(ctx, start)
	}
	path, err := r.find(ctx, r.env.Dir, r.args.session)
	if protocol.CodeOf(err) == protocol.UnknownSession {
		path, err = r.byName(ctx, r.args.session)
	}
	if err != nil {
		return start, err
	}
	start.Open = path
	return start, nil
}

// byName returns the path of the session of a name: one of this folder, else one of
// another.
func (r *runner) byName(ctx context.Context, name string) (string, error) {
	for _, all := range []bool{false, true} {
		found, err := r.summaries(ctx, scope{all: all, cwd: r.env.Dir})
		if err != nil {
			return "", err
		}
		found = slices.DeleteFunc(found, func(s session.Summary) bool { return !strings.EqualFold(s.Name, name) })
		switch {
		case len(found) == 1:
			return found[0].Path, nil
		case len(found) > 1:
			return "", fmt.Errorf("%d sessions are named %q. Say which by its id; bough sessions list --all shows them", len(found), oneLine(name, 40))
		}
	}
	return "", fmt.Errorf("no session has the id or the name %q. bough sessions list --all shows what there is", oneLine(name, 40))
}

// liveHere finds the session of this folder that is open in a bough. If there are
// several a person chooses; if there is none it is the last one, else a new one, in
// the service.
func (r *runner) liveHere(ctx context.Context, start control.Start) (control.Start, error) {
	recent, err := r.store.Recent(ctx, r.env.Dir)
	if err != nil {
		return start, err
	}
	holder := r.store.Holders()
	live := slices.DeleteFunc(slices.Clone(recent), func(s session.Summary) bool { return holder(s.Path) == nil })
	switch {
	case len(live) == 1:
		start.Open = live[0].Path
		return start, nil
	case len(live) > 1:
		rows := make([]string, len(live))
		for i, s := range live {
			rows[i] = fmt.Sprintf("%s  %s  %s", s.ID, render.Messages(s.Said), title(s))
		}
		if r.asks {
			i, ok := r.askWhich(ctx, rows)
			if !ok {
				return start, errCancelled
			}
			start.Open = live[i].Path
			return start, nil
		}
		return start, errors.New("several sessions of this folder are open; say which:\n  " + strings.Join(rows, "\n  "))
	case r.service == nil:
		return start, errors.New("no session of this folder is open in a bough" + r.instead("ID"))
	case len(recent) == 0:
		return r.begin(start, session.Header{CWD: r.env.Dir}), nil
	}
	start.Open = recent[0].Path
	return start, nil
}

// instead says what to do where there is nobody to join.
func (r *runner) instead(id string) string {
	if r.args.inService {
		return ". Start bough serve in another terminal, which keeps sessions running, or open it here: bough --session " + id
	}
	return ". bough --session " + id + " opens it here; with bough serve running, bough attach " + id + " opens it there"
}

// mayAttach says why a session cannot be joined.
func (r *runner) mayAttach(start control.Start) error {
	switch {
	case start.Open == "" && r.args.inService && r.service != nil:
		return nil // it begins there
	case start.Open == "":
		return errors.New("there is nothing to join, since this session is new")
	case r.store.Holder(start.Open) != nil, r.args.inService && r.service != nil:
		return nil
	}
	return fmt.Errorf("no bough has this session open%s", r.instead(start.Open))
}

// mayDetach says why a front end cannot leave its session running.
func (r *runner) mayDetach(c *join.Client) error {
	if c.Joined() != nil {
		return nil
	}
	return errors.New("this session runs in this bough and stops when it ends. With bough serve running in another terminal, bough attach opens a session there, which can be left")
}

// findService returns bough serve, if it runs.
func (r *runner) findService() *session.LeasedError {
	h := r.store.Holder(serviceLease)
	if h == nil || h.Addr == "" || h.PID == os.Getpid() {
		return nil
	}
	return h
}
