package control

import (
	"context"

	"github.com/boughdev/bough/protocol"
)

// Settings are those of the program, for people who want to see and change them.
// Sessions get what follows from them in Options. dir is where a session works.
type Settings interface {
	Get(dir string, c protocol.GetSettings) (protocol.Settings, error)
	Set(ctx context.Context, dir string, c protocol.SetSetting) (protocol.SettingSet, Change, error)

	// Again reads the files anew.
	Again() Change
}

// Change says what is different for live sessions. All holds from the next turn
// on.
type Change struct {
	// Options changes what is only read between two turns: Retry, MaxTurns,
	// AllSteering, AllFollowUp. Nil: nothing.
	Options func(*Options)

	Model bool // models are to be made anew
	Setup bool // as Reload does
}

func (c *Conn) getSettings(s *Session, x protocol.GetSettings) (protocol.Settings, error) {
	if s.opts.Settings == nil {
		return protocol.Settings{}, nil
	}
	return s.opts.Settings.Get(s.dir, x)
}

func (c *Conn) setSetting(ctx context.Context, s *Session, x protocol.SetSetting) (protocol.SettingSet, error) {
	if s.opts.Settings == nil {
		return protocol.SettingSet{}, protocol.Fail(protocol.BadRequest, "This session has no settings that could be changed.")
	}
	set, change, err := s.opts.Settings.Set(ctx, s.dir, x)
	if err != nil {
		return set, err
	}
	if later := c.hub.adjust(ctx, change); later {
		set.Effect = "in sessions that work just now after a /reload"
	}
	return set, nil
}

// adjust carries a change to all live sessions. It returns true if one of them
// works, and so keeps its setup.
func (h *Hub) adjust(ctx context.Context, change Change) (later bool) {
	h.mu.Lock()
	if change.Options != nil {
		change.Options(&h.opts)
	}
	if h.starting > 0 {
		h.changes = append(h.changes, change)
	}
	var all []*Session
	for _, s := range h.sessions {
		all = append(all, s)
	}
	h.mu.Unlock()
	for _, s := range all {
		later = s.adjust(ctx, change) || later
	}
	return later
}

// adjust carries a change to one session.
func (s *Session) adjust(ctx context.Context, change Change) (later bool) {
	// A session that is closed in between needs no change.
	_ = s.do(ctx, func() {
		if change.Options != nil {
			change.Options(&s.opts)
		}
		if change.Model {
			s.remodel()
		}
	})
	if change.Setup {
		_, err := s.reload(ctx, false)
		later = err != nil
	}
	return later
}

// remodel makes the model anew, which stays the same one. Owner's.
func (s *Session) remodel() {
	if s.model == nil || s.opts.Models == nil {
		return
	}
	info := s.model.Info()
	if m, err := s.opts.Models.Model(info.Provider, info.ID); err == nil {
		s.model = m
	}
}
