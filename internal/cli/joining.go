package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/internal/frontend/slash"
	"github.com/boughdev/bough/internal/join"
	"github.com/boughdev/bough/internal/remote"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// way is how sessions are opened or joined: in the hub of this process, or where
// they live.
type way struct {
	r      *runner
	hub    *control.Hub
	models *models
	who    string
}

// find completes the start of a session of this process.
func (w way) find(ctx context.Context, o protocol.Open) (control.Start, error) {
	r := w.r
	start := control.Start{Store: r.store, Dir: r.env.Dir, Thinking: w.models.level}
	start.Provider, start.Model = w.models.named()
	start, err := r.behind(ctx, start, o)
	if err == nil && r.args.noSession {
		start, err = r.inMemory(ctx, start)
	}
	return start, err
}

// options are how a session is found that may live elsewhere.
func (w way) options() join.Options {
	r := w.r
	return join.Options{
		Here: func(ctx context.Context, path string, beside bool) (protocol.Client, func(), error) {
			start, err := w.find(ctx, protocol.Open{Session: path, Create: true})
			if err != nil {
				return nil, nil, err
			}
			start.Who, start.Beside, start.AsWas = w.who, beside, true
			return w.connect(ctx, start)
		},
		There: func(ctx context.Context, addr, path string) (protocol.Client, func(), error) {
			o := protocol.Open{Session: path, Who: w.who}
			if path == "" {
				o.CWD = r.env.Dir
			}
			return r.dial(ctx, addr, o)
		},
		Answers: func(ctx context.Context, addr string) bool {
			d := &remote.Dialer{Address: addr}
			return d.Answers(ctx)
		},
		Lost:   func(err error) bool { return errors.Is(err, remote.ErrGone) },
		Holder: r.store.Holder,
		Read:   r.read,
		Path: func(ctx context.Context, word string) string {
			if path, err := r.find(ctx, r.env.Dir, word); err == nil {
				return path
			}
			if r.isPath(word) {
				return r.env.abs(word)
			}
			return word
		},
		Must:  r.args.attach,
		Notes: r.joinedNotes,
	}
}

func (w way) connect(ctx context.Context, start control.Start) (protocol.Client, func(), error) {
	c, err := w.hub.Connect(ctx, start)
	if err != nil {
		return nil, nil, err
	}
	return c, c.Close, nil
}

// stand opens the session of start, or joins it.
func (w way) stand(ctx context.Context, start control.Start) (*join.Client, error) {
	path, s := start.Open, w.r.service
	if path == "" && s == nil {
		path = start.File
	}
	c, err := join.Open(ctx, w.options(), path, func(ctx context.Context, beside bool) (protocol.Client, func(), error) {
		if s != nil && (path == "" || w.r.store.Holder(path) == nil) && !beside {
			return nil, nil, s
		}
		start := start
		start.Beside = start.Beside || beside
		return w.connect(ctx, start)
	})
	if err != nil {
		return nil, err
	}
	if c.Joined() != nil {
		err = w.r.afterJoining(ctx, c, start)
	}
	if err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// afterJoining does what a start does for a session of this process.
func (r *runner) afterJoining(ctx context.Context, c protocol.Client, start control.Start) error {
	if start.Label != "" {
		if _, err := protocol.Call(ctx, c, protocol.SetName{Text: start.Label}); err != nil {
			return fmt.Errorf("name the session: %w", err)
		}
	}
	if start.AtWord == "" {
		return nil
	}
	s, err := r.read(ctx, start.Open)
	if err != nil {
		return err
	}
	defer s.Close()
	id, err := slash.Target(s.Tree(), start.AtWord)
	if err != nil {
		return err
	}
	_, err = protocol.Call(ctx, c, protocol.Navigate{Target: id, At: true})
	return err
}

// read opens a session to be read, as bough goes on with it.
func (r *runner) read(ctx context.Context, path string) (*session.Session, error) {
	return session.Open(ctx, r.beside(path), path)
}

// joinedNotes are what people are told of a session that lives in another process.
func (r *runner) joinedNotes(h *session.LeasedError) []protocol.Notice {
	text := fmt.Sprintf("Joined this session, which is open in another bough (process %d): what is said in one is seen in both. --no-attach works beside it.", h.PID)
	if r.service != nil && *r.service == *h {
		text = fmt.Sprintf("This session runs in bough serve (process %d) and goes on there when this one ends.", h.PID)
	}
	notes := []protocol.Notice{{Level: "info", Text: text}}
	if odd := r.args.shaping(true); len(odd) > 0 {
		notes = append(notes, protocol.Notice{Level: "warning", Text: fmt.Sprintf("%s has no effect, since the other bough sets the session up; /model and /tools change it for all.", strings.Join(odd, ", "))})
	}
	return notes
}

// shaping are the options given that say how a session is set up: with what tools and
// instructions, and, if model is set, by which model.
func (a *args) shaping(model bool) []string {
	var out []string
	for _, o := range []struct {
		name  string
		given bool
	}{
		{"--model", model && (a.model != "" || a.provider != "")},
		{"--thinking", model && a.hasThinking},
		{"--api-key", a.apiKey != ""},
		{"--tools", a.HasTools},
		{"--exclude-tools", len(a.ExcludeTools) > 0},
		{"--no-tools", a.NoTools},
		{"--no-builtin-tools", a.NoBuiltin},
		{"--system-prompt", a.SystemPrompt != ""},
		{"--append-system-prompt", len(a.AppendPrompt) > 0},
		{"--no-context-files", a.NoContext},
		{"--no-mcp", a.NoMCP},
		{"--skill", len(a.Skills) > 0},
		{"--prompt-template", len(a.Templates) > 0},
		{"--max-turns", a.maxTurns >= 0},
	} {
		if o.given {
			out = append(out, o.name)
		}
	}
	return slices.Clip(out)
}

// apart reports whether a session that another process runs is worked on beside it:
// because that was asked for, or because this run is to have other tools,
// instructions or, in scripts, another model than that one.
func (r *runner) apart(m mode) bool {
	a := r.args
	if a.noAttach || a.noSession {
		return true
	}
	return !a.attach && len(a.shaping(m == modePrint || m == modeJSON)) > 0
}

// joining is a door that joins a session where it lives.
type joining struct {
	way
	here protocol.Door
}

// Open opens a session, or joins it. Views of their own are of this process.
func (d joining) Open(ctx context.Context, o protocol.Open) (protocol.Client, func(), error) {
	if o.Own || o.Session == "" {
		return d.here.Open(ctx, o)
	}
	w := d.way
	w.who = o.Who
	path := w.options().Path(ctx, o.Session)
	c, err := join.Open(ctx, w.options(), path, func(ctx context.Context, beside bool) (protocol.Client, func(), error) {
		if beside {
			start, err := w.find(ctx, o)
			if err != nil {
				return nil, nil, err
			}
			start.Beside, start.Who = true, o.Who
			return w.connect(ctx, start)
		}
		return d.here.Open(ctx, o)
	})
	if err != nil {
		return nil, nil, err
	}
	if c.Joined() != nil && o.Entry != nil {
		if _, err := protocol.Call(ctx, c, protocol.Navigate{Target: *o.Entry, At: true, Exact: o.Exact}); err != nil {
			c.Close()
			return nil, nil, err
		}
	}
	return c, c.Close, nil
}
