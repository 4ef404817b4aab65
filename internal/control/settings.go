package control

import (
	"fmt"

	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/session"
)

// chooseModel finds the model and thinking level a session starts with: what was
// asked for, else what its path says, else the default. Before the owner has
// begun.
func (s *Session) chooseModel(start Start) error {
	p, err := s.branch.Brief()
	if err != nil {
		return fmt.Errorf("read the session: %w", err)
	}
	models := s.opts.Models
	own := start.AsWas && p.Messages > 0
	switch {
	case models == nil:
	case start.Model != "" && !(own && p.Model.ModelID != ""):
		if s.model, err = models.Model(start.Provider, start.Model); err != nil {
			return err
		}
	case p.Model.ModelID != "" && p.Messages > 0:
		if s.model, err = models.Model(p.Model.Provider, p.Model.ModelID); err == nil {
			break
		}
		s.note("warning", "The session's model %s/%s cannot be used: %v", p.Model.Provider, p.Model.ModelID, err)
		fallthrough
	default:
		var why string
		s.model, why, err = models.Default()
		if err != nil {
			s.note("warning", "%v", err)
			s.model = nil
		} else if why != "" {
			s.note("info", "%s", why)
		}
	}
	level := start.Thinking
	if (level == "" || own) && p.Messages > 0 && p.ThinkingSet {
		level = p.Thinking
	}
	s.thinking = "off"
	if s.model != nil {
		if level == "" {
			level = models.Thinking(s.model.Info())
		}
		s.thinking = s.model.Info().Clamp(level)
	}
	return nil
}

// settle writes down model and thinking level where the path says otherwise or
// nothing. Owner's.
func (s *Session) settle() error {
	p, err := s.branch.Project()
	if err != nil {
		return &protocol.Error{Code: protocol.IO, Text: err.Error(), Err: err}
	}
	info := s.model.Info()
	if (p.Model != session.ModelChange{Provider: info.Provider, ModelID: info.ID}) {
		if _, err := s.append(session.ModelChange{Provider: info.Provider, ModelID: info.ID}); err != nil {
			return err
		}
	}
	if p.Thinking != s.thinking || !p.ThinkingSet {
		if _, err := s.append(session.ThinkingChange{Level: s.thinking}); err != nil {
			return err
		}
	}
	return nil
}

// setModel changes the model from the next turn on. Owner's.
func (s *Session) setModel(c protocol.SetModel) (provider.Info, error) {
	m, err := s.opts.Models.Model(c.Provider, c.ID)
	if err != nil {
		return provider.Info{}, &protocol.Error{Code: protocol.NotFound, Text: fmt.Sprintf("Model not found: %s/%s", c.Provider, c.ID), Err: err}
	}
	s.model = m
	info := m.Info()
	if _, err := s.append(session.ModelChange{Provider: info.Provider, ModelID: info.ID}); err != nil {
		return info, err
	}
	s.emit(protocol.ModelChanged{Model: info})
	_, err = s.setThinking(s.thinking)
	return info, err
}

// setThinking changes the thinking level to the nearest that the model has.
// Owner's.
func (s *Session) setThinking(level string) (string, error) {
	if s.model != nil {
		level = s.model.Info().Clamp(level)
	}
	if level == s.thinking {
		return level, nil
	}
	s.thinking = level
	if _, err := s.append(session.ThinkingChange{Level: level}); err != nil {
		return level, err
	}
	s.emit(protocol.ThinkingChanged{Level: level})
	return level, nil
}

func (s *Session) setName(text string) error {
	name := session.CleanName(text)
	if name == "" {
		return protocol.Fail(protocol.BadRequest, "Session name cannot be empty")
	}
	if _, err := s.append(session.Info{Name: name}); err != nil {
		return err
	}
	s.emit(protocol.NameChanged{Text: name})
	return nil
}

func (s *Session) setLabel(c protocol.SetLabel) (session.ID, error) {
	if !s.live.Tree().Has(c.Entry) {
		return "", protocol.Fail(protocol.UnknownEntry, "Entry not found: %s", c.Entry)
	}
	e, err := s.append(session.Label{Target: c.Entry, Text: session.CleanName(c.Text)})
	if err != nil {
		return "", err
	}
	return e.ID, nil
}
