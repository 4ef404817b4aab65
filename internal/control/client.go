package control

import (
	"context"
	"errors"
	"slices"

	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/session"
)

// A Scope is a [Models] that may be restricted to some of them.
type Scope interface {
	// Scope lists them in order; none if there is no restriction.
	Scope() []provider.Info
}

// sync tells this front end's watchers that the owner has come so far. If the
// session is left and closed just then, the owner of the next one does.
func (c *Conn) sync(ctx context.Context, s *Session, id string) error {
	for {
		err := s.do(ctx, func() {
			policy, _ := s.policy() // which cannot fail
			c.mu.Lock()
			defer c.mu.Unlock()
			for m := range c.boxes {
				m.put(protocol.Synced{ID: id, Policy: policy})
			}
		})
		now := c.session()
		if now == s || !errors.Is(err, protocol.ErrClosed) {
			return err
		}
		s = now
	}
}

// policy says how queues, retries and compactions are handled. Owner's.
func (s *Session) policy() (protocol.Policy, error) {
	o := &s.opts
	return protocol.Policy{AllSteering: o.AllSteering, AllFollowUp: o.AllFollowUp,
		AutoCompaction: o.Compaction.Enabled, AutoRetry: o.Retry.Max > 0}, nil
}

// cycleModel goes over to the next model. Owner's.
func (s *Session) cycleModel() (protocol.Cycled, error) {
	if s.opts.Models == nil {
		return protocol.Cycled{}, nil
	}
	var all []provider.Info
	if sc, ok := s.opts.Models.(Scope); ok {
		all = sc.Scope()
	}
	out := protocol.Cycled{Scoped: len(all) > 0}
	if !out.Scoped {
		all = s.opts.Models.Available()
	}
	at := -1
	if s.model != nil {
		is := s.model.Info()
		at = slices.IndexFunc(all, func(i provider.Info) bool { return i.Provider == is.Provider && i.ID == is.ID })
	}
	if len(all) == 0 || len(all) == 1 && at == 0 {
		return protocol.Cycled{}, nil
	}
	next := all[(at+1)%len(all)]
	info, err := s.setModel(protocol.SetModel{Provider: next.Provider, ID: next.ID})
	if err == nil && out.Scoped {
		_, err = s.setThinking(s.opts.Models.Thinking(info))
	}
	out.Model, out.Thinking = &info, s.thinking
	return out, err
}

// cycleThinking goes over to the next thinking level. Owner's.
func (s *Session) cycleThinking() (string, error) {
	if s.model == nil {
		return "", nil
	}
	info := s.model.Info()
	levels := info.Levels()
	if !info.Reasoning || len(levels) < 2 {
		return "", nil
	}
	at := slices.Index(levels, s.thinking)
	return s.setThinking(levels[(at+1)%len(levels)])
}

// abortRetry ends the wait for the next try. Owner's.
func (s *Session) abortRetry() (protocol.None, error) {
	if s.endWait != nil {
		s.endWait()
	}
	return protocol.None{}, nil
}

// declareEarly puts model and thinking level on the path before anybody has
// spoken, as pi does, for front ends that count on it. Nothing is written for
// their sake. Before the owner has begun.
func (s *Session) declareEarly() error {
	if s.model == nil {
		return nil
	}
	p, err := s.branch.Brief()
	if err != nil {
		return err
	}
	info := s.model.Info()
	if is := (session.ModelChange{Provider: info.Provider, ModelID: info.ID}); p.Model != is && s.fresh {
		if err := s.early(is); err != nil {
			return err
		}
	}
	if !p.ThinkingSet {
		return s.early(session.ThinkingChange{Level: s.thinking})
	}
	return nil
}

func (s *Session) early(body session.Body) error {
	if s.live.Log() != nil {
		return s.branch.Move(s.live.Hold(s.branch.Leaf(), body).ID)
	}
	_, err := s.branch.Append(context.WithoutCancel(s.ctx), body)
	return err
}
