package control

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"

	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/session"
)

// A Conn is one front end's way to the session it stands at.
type Conn struct {
	hub   *Hub
	start Start // how the next session is begun

	moving sync.Mutex // held while it goes over to another session

	mu     sync.Mutex
	s      *Session              // guarded by mu
	boxes  map[*mailbox]struct{} // of this front end's watchers; guarded by mu
	closed bool                  // guarded by mu
}

var _ protocol.Client = (*Conn)(nil)

func newConn(h *Hub, s *Session, start Start) *Conn {
	return &Conn{hub: h, s: s, start: start, boxes: map[*mailbox]struct{}{}}
}

// Close leaves the session. If nobody else stands at it, what runs in it is
// aborted and what was said is kept.
func (c *Conn) Close() {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return
	}
	c.closed = true
	s := c.s
	c.mu.Unlock()
	c.hub.leave(s)
	c.mu.Lock()
	defer c.mu.Unlock()
	for m := range c.boxes {
		m.end()
	}
}

func (c *Conn) session() *Session {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.s
}

// Watch yields the events of the session the front end stands at, and goes over
// to another with it.
func (c *Conn) Watch(ctx context.Context, after session.Seq) iter.Seq2[protocol.Event, error] {
	return func(yield func(protocol.Event, error) bool) {
		m := newMailbox()
		c.mu.Lock()
		s := c.s
		c.boxes[m] = struct{}{}
		closed := c.closed
		c.mu.Unlock()
		defer func() {
			c.mu.Lock()
			delete(c.boxes, m)
			s := c.s
			c.mu.Unlock()
			s.post(func() { delete(s.watchers, m) })
		}()
		if closed {
			yield(nil, protocol.ErrClosed)
			return
		}
		err := s.do(ctx, func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			if c.s == s {
				s.watch(m, after)
			} // else it comes along with the others
		})
		if err != nil && !(errors.Is(err, protocol.ErrClosed) && c.session() != s) {
			yield(nil, err)
			return
		}
		for {
			evs, more, err := m.take(ctx)
			if err != nil {
				yield(nil, err)
				return
			}
			if !more {
				return
			}
			for _, ev := range evs {
				if !yield(ev, nil) {
					return
				}
			}
		}
	}
}

// Do carries out a command.
func (c *Conn) Do(ctx context.Context, cmd protocol.Request) (any, error) {
	s := asked{c.session(), c.start.Who}
	switch x := cmd.(type) {
	case protocol.Prompt:
		return owned(ctx, s, func() (protocol.Disposition, error) { return s.promptText(x) })
	case protocol.Retry:
		return owned(ctx, s, func() (protocol.Disposition, error) { return s.retry(x) })
	case protocol.PromptAt:
		return owned(ctx, s, func() (protocol.PromptedAt, error) { return s.promptAt(x) })
	case protocol.Append:
		return owned(ctx, s, func() (protocol.Added, error) { return s.add(x) })
	case protocol.Steer:
		return owned(ctx, s, func() (protocol.Disposition, error) { return s.later(&s.steering, x.Text, x.Images) })
	case protocol.FollowUp:
		return owned(ctx, s, func() (protocol.Disposition, error) { return s.later(&s.followUp, x.Text, x.Images) })
	case protocol.ClearQueue:
		return owned(ctx, s, s.clearQueue)
	case protocol.DropQueued:
		return owned(ctx, s, func() (protocol.Queue, error) { return s.dropQueued(x.ID) })
	case protocol.EditQueued:
		return owned(ctx, s, func() (protocol.Queue, error) { return s.editQueued(x) })
	case protocol.SendQueue:
		return owned(ctx, s, s.sendQueue)
	case protocol.GetQueue:
		return owned(ctx, s, func() (protocol.Queue, error) { return s.queue(), nil })
	case protocol.Abort:
		return protocol.None{}, s.abort(ctx)
	case protocol.Compact:
		return s.compactNow(ctx, x)
	case protocol.EditSummary:
		return owned(ctx, s, func() (session.ID, error) { return s.editSummary(x) })
	case protocol.Navigate:
		return s.navigate(ctx, x)
	case protocol.Back:
		return owned(ctx, s, s.back)
	case protocol.Forward:
		return owned(ctx, s, s.forward)
	case protocol.Take:
		return s.takeOver(ctx, x)
	case protocol.SetLabel:
		return owned(ctx, s, func() (session.ID, error) { return s.setLabel(x) })
	case protocol.Hide:
		return owned(ctx, s, func() (protocol.Hidden, error) { return s.hide(x.Entry) })
	case protocol.Unhide:
		return owned(ctx, s, func() (protocol.Hidden, error) { return s.unhide(x.Entry) })
	case protocol.GetEntry:
		return owned(ctx, s, func() (protocol.EntryInfo, error) { return s.entry(x.Entry) })
	case protocol.SetName:
		return owned(ctx, s, func() (protocol.None, error) { return protocol.None{}, s.setName(x.Text) })
	case protocol.MakeTitle:
		return s.makeTitle(ctx, true)
	case protocol.SetModel:
		return owned(ctx, s, func() (provider.Info, error) { return s.setModel(x) })
	case protocol.SetThinking:
		return owned(ctx, s, func() (string, error) { return s.setThinking(x.Level) })
	case protocol.GetModels:
		m := protocol.Models{Models: s.opts.Models.Available()}
		if sc, ok := s.opts.Models.(Scope); ok {
			m.Scope = sc.Scope()
		}
		return m, nil
	case protocol.GetState:
		return owned(ctx, s, func() (protocol.State, error) { return s.state(), nil })
	case protocol.Sync:
		return protocol.None{}, c.sync(ctx, s.Session, x.ID)
	case protocol.GetPolicy:
		return owned(ctx, s, s.policy)
	case protocol.CycleModel:
		return owned(ctx, s, s.cycleModel)
	case protocol.CycleThinking:
		return owned(ctx, s, s.cycleThinking)
	case protocol.AbortRetry:
		return owned(ctx, s, s.abortRetry)
	case protocol.GetStats:
		return s.stats(ctx)
	case protocol.GetCost:
		return s.cost(ctx, x)
	case protocol.EditContext:
		return owned(ctx, s, func() (protocol.Hidden, error) { return s.rewrite(x) })
	case protocol.Answer:
		return owned(ctx, s, func() (protocol.None, error) { return protocol.None{}, s.answerTo(x) })
	case protocol.GetPermissions:
		return owned(ctx, s, func() (protocol.Permissions, error) { return s.permissions(), nil })
	case protocol.SetPermissions:
		return owned(ctx, s, func() (protocol.Permissions, error) { return s.setPermissions(x) })
	case protocol.Export:
		return s.export(ctx, x)
	case protocol.GetCommands:
		return owned(ctx, s, func() (protocol.Commands, error) { return protocol.Commands{Commands: s.setup.Commands()}, nil })
	case protocol.GetTools:
		return owned(ctx, s, func() (protocol.Tools, error) { return protocol.Tools{Tools: s.listing()}, nil })
	case protocol.SetTools:
		return owned(ctx, s, func() (protocol.Tools, error) { return s.switchTools(x) })
	case protocol.GetServers:
		return owned(ctx, s, func() (protocol.Servers, error) { return protocol.Servers{Servers: s.setup.Servers()}, nil })
	case protocol.Reconnect:
		return protocol.None{}, s.reconnect(ctx, x.Server)
	case protocol.GetSystemPrompt:
		return owned(ctx, s, func() (protocol.SystemPrompt, error) { return s.systemPrompt(), nil })
	case protocol.Reload:
		if s.opts.Settings != nil {
			c.hub.adjust(ctx, s.opts.Settings.Again())
		}
		return s.reload(ctx, true)
	case protocol.GetSettings:
		return c.getSettings(s.Session, x)
	case protocol.SetSetting:
		return c.setSetting(ctx, s.Session, x)
	case protocol.ListSessions, protocol.SearchSessions, protocol.RenameSession, protocol.TrashSession, protocol.RestoreSession, protocol.CheckSession:
		return c.library(ctx, s, cmd)
	case protocol.Bash:
		return s.bash(ctx, x)
	case protocol.AbortBash:
		return protocol.None{}, s.abortBash(ctx)
	case protocol.NewSession:
		return protocol.None{}, c.newSession(ctx, x)
	case protocol.SwitchSession:
		return protocol.None{}, c.switchSession(ctx, x)
	case protocol.Fork:
		return c.fork(ctx, x)
	case protocol.Clone:
		return protocol.None{}, c.clone(ctx, x)
	}
	return nil, &protocol.Error{Code: protocol.UnknownCommand, Text: fmt.Sprintf("Unknown command: %s", cmd.Name())}
}

// goTo leaves the session for another one. Watchers go along.
func (c *Conn) goTo(ctx context.Context, start Start) error {
	c.moving.Lock()
	defer c.moving.Unlock()
	next, err := c.hub.open(ctx, start)
	if err != nil {
		return err
	}
	c.mu.Lock()
	old := c.s
	if c.closed {
		c.mu.Unlock()
		c.hub.leave(next)
		return protocol.ErrClosed
	}
	c.s = next
	boxes := make([]*mailbox, 0, len(c.boxes))
	for m := range c.boxes {
		boxes = append(boxes, m)
	}
	c.mu.Unlock()
	// The last events of the old session come before the new one is told of.
	if c.hub.alone(old) && !c.hub.opts.Linger {
		if err := old.abort(ctx); err != nil {
			old.opts.Log.Warn("abort before leaving a session", "err", err)
		}
	}
	var said permits
	old.do(ctx, func() {
		for _, m := range boxes {
			delete(old.watchers, m)
		}
		said = old.permits
	})
	alone := c.hub.alone(next)
	if err := next.do(ctx, func() {
		if alone {
			next.takeMode(said)
		}
		for _, m := range boxes {
			next.watch(m, 0)
		}
	}); err != nil {
		return err
	}
	c.hub.leave(old)
	return nil
}

// alone reports whether just one front end stands at a session.
func (h *Hub) alone(s *Session) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return s.holders <= 1
}

// begin is how a new session of this front end is begun.
func (c *Conn) begin() Start {
	start := c.start
	start.Open, start.AtWord, start.Entry, start.Label, start.Own, start.AsWas = "", "", nil, "", false, false
	start.New = session.Header{CWD: c.session().dir}
	return start
}
