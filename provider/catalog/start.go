package catalog

import (
	"errors"
	"fmt"
	"slices"

	"github.com/boughdev/bough/internal/config"
)

// Wish is what says which model to start with.
type Wish struct {
	// Of the command line; "" if not given.
	Model, Provider, Thinking string

	// The last model and thinking level on the path of a session that goes on.
	SessionProvider, SessionModel, SessionThinking string

	Scope    []Pick
	Settings config.Settings
}

// ErrNoModel is returned if there is no model that can be asked.
var ErrNoModel = errors.New("no model can be used: set a provider's key, for example ANTHROPIC_API_KEY")

// Start picks the model to start with, and the level, which the model has
// (docs/spec/frontends.md A-46). notices say what was passed over.
func Start(w Wish, models []Choice) (p Pick, notices []string, err error) {
	p, notices, err = startModel(w, models)
	if err != nil {
		return Pick{}, notices, err
	}
	if p.Warning != "" {
		notices = append(notices, p.Warning)
	}
	if w.Thinking != "" && !IsLevel(w.Thinking) {
		notices = append(notices, fmt.Sprintf("--thinking %s is no level; there are off, minimal, low, medium, high, xhigh, max.", w.Thinking))
		w.Thinking = ""
	}
	for _, l := range []string{w.Thinking, p.Level, w.SessionThinking, w.Settings.ModelThinkingLevels[p.Name()], w.Settings.DefaultThinkingLevel} {
		if IsLevel(l) {
			p.Level = p.Info.Clamp(l)
			return p, notices, nil
		}
	}
	p.Level = p.Info.Clamp("medium")
	return p, notices, nil
}

func startModel(w Wish, models []Choice) (Pick, []string, error) {
	if w.Model != "" {
		p, err := Resolve(w.Model, w.Provider, models)
		if err == nil && !p.Ready {
			err = fmt.Errorf("%s cannot be used: %s", p.Name(), p.Why)
		}
		return p, nil, err
	}
	if w.Provider != "" {
		return Pick{}, nil, errors.New("--provider needs --model too, for example --provider anthropic --model sonnet")
	}
	var notices []string
	if w.SessionModel != "" {
		c, why := usable(w.SessionProvider, w.SessionModel, models)
		if why == "" {
			return Pick{Choice: c}, nil, nil
		}
		notices = append(notices, fmt.Sprintf("The model of this session, %s/%s, cannot be used: %s", w.SessionProvider, w.SessionModel, why))
	}
	s := w.Settings
	if len(w.Scope) > 0 {
		at := slices.IndexFunc(w.Scope, func(p Pick) bool { return p.Info.Provider == s.DefaultProvider && p.Info.ID == s.DefaultModel })
		return w.Scope[max(at, 0)], notices, nil
	}
	if s.DefaultModel != "" && s.DefaultProvider != "" {
		c, why := usable(s.DefaultProvider, s.DefaultModel, models)
		if why == "" {
			return Pick{Choice: c}, notices, nil
		}
		notices = append(notices, fmt.Sprintf("The default model, %s/%s, cannot be used: %s", s.DefaultProvider, s.DefaultModel, why))
	}
	if c, ok := first(models, s.DefaultProvider); ok {
		return Pick{Choice: c}, notices, nil
	}
	if c, ok := first(models, ""); ok {
		return Pick{Choice: c}, notices, nil
	}
	return Pick{}, notices, ErrNoModel
}

// usable returns the model of exactly that name, or why it cannot be used.
func usable(at, id string, models []Choice) (Choice, string) {
	for _, c := range models {
		if c.Info.Provider == at && c.Info.ID == id {
			if !c.Ready {
				return c, c.Why
			}
			return c, ""
		}
	}
	return Choice{}, "it is not known"
}

// first returns the model that stands for the first provider that has one that is
// ready; at restricts it to one provider.
func first(models []Choice, at string) (Choice, bool) {
	var hit Choice
	found := false
	for _, c := range models {
		switch {
		case !c.Ready || at != "" && c.Info.Provider != at:
		case !found:
			hit, found = c, true
		case c.Info.Provider == hit.Info.Provider && c.First:
			hit = c
		}
	}
	return hit, found
}
