package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/boughdev/bough/internal/script"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/provider/anthropic"
	"github.com/boughdev/bough/provider/catalog"
	"github.com/boughdev/bough/provider/chat"
	"github.com/boughdev/bough/provider/offline"
	"github.com/boughdev/bough/provider/openai"
	"github.com/boughdev/bough/provider/scripted"
)

// models is where sessions get their models from.
type models struct {
	r       *runner
	reg     *catalog.Registry
	pick    catalog.Pick // what --model names
	model   string       // the model of the command line; "" if none
	level   string       // its thinking level, or --thinking
	offline bool         // the offline model may stand in
	script  *script.Script
}

// models reads what the user has. Local servers are looked for only if nothing
// else can be asked.
func (r *runner) models(ctx context.Context, m mode) (*models, error) {
	reg, err := r.registry(ctx, false)
	if err != nil {
		return nil, err
	}
	ms := &models{r: r, reg: reg, offline: m != modeJSON && m != modeRPC}
	if path := r.env.Getenv("BOUGH_SCRIPT"); path != "" {
		if ms.script, err = script.Load(r.env.abs(path)); err != nil {
			return nil, fmt.Errorf("BOUGH_SCRIPT: %w", err)
		}
	}
	if err := ms.name(ctx); err != nil {
		return nil, err
	}
	if ms.model == "" && !r.offline() && len(reg.Available()) == 0 {
		if ms.reg, err = r.registry(ctx, true); err != nil {
			return nil, err
		}
	}
	if ms.model == "" && !ms.offline && len(ms.reg.Available()) == 0 {
		return nil, errors.New(noModel)
	}
	return ms, nil
}

const noModel = "no model can be used. Set a provider's key, for example ANTHROPIC_API_KEY or OPENAI_API_KEY, describe a server in models.json of the agent folder, or name the offline model: --model offline/demo"

// name finds the model that --model names.
func (m *models) name(ctx context.Context) error {
	a := m.r.args
	if a.thinking != "" && !catalog.IsLevel(a.thinking) {
		m.r.say("--thinking %s is no level; there are %s.", a.thinking, strings.Join(provider.Levels, ", "))
		a.thinking = ""
	}
	m.level = a.thinking
	if a.model == "" && a.models == "" {
		return nil
	}
	query, level := catalog.SplitLevel(a.model)
	for _, own := range []string{offline.Provider, "scripted"} {
		id, ok := strings.CutPrefix(query, own+"/")
		if !ok && a.provider == own {
			id, ok = query, true
		}
		if !ok {
			continue
		}
		if _, err := m.Model(own, id); err != nil {
			return err
		}
		m.pick.Info.Provider, m.pick.Info.ID, m.model = own, id, a.model
		return nil
	}
	wish := catalog.Wish{Model: a.model, Provider: a.provider, Thinking: a.thinking, Settings: m.r.settings}
	if a.model == "" {
		scope, warnings := catalog.Scope(split(a.models), m.reg.Available())
		for _, w := range warnings {
			m.r.say("%s", w)
		}
		if len(scope) == 0 {
			return nil
		}
		wish.Scope = scope
	}
	pick, notices, err := m.reg.Start(wish)
	if err != nil {
		return err
	}
	for _, n := range notices {
		m.r.say("%s", n)
	}
	m.pick, m.model = pick, pick.Name()
	if m.level == "" {
		m.level = level
	}
	return nil
}

// named returns the model of the command line, "" if there is none.
func (m *models) named() (provider, id string) {
	if m.model == "" {
		return "", ""
	}
	return m.pick.Info.Provider, m.pick.Info.ID
}

// Available lists the models that can be asked.
func (m *models) Available() []provider.Info {
	var out []provider.Info
	for _, c := range m.reg.Available() {
		out = append(out, c.Info)
	}
	return out
}

// Model returns the model of that name.
func (m *models) Model(at, id string) (provider.Model, error) {
	switch at {
	case offline.Provider:
		if id != offline.ID {
			return nil, fmt.Errorf("there is only the offline model %s/%s", offline.Provider, offline.ID)
		}
		return offline.New(offline.Options{}), nil
	case "scripted":
		if m.script == nil {
			return nil, errors.New("scripted models follow the file that BOUGH_SCRIPT names, and it is not set")
		}
		return scripted.New(scripted.Info(id), m.script), nil
	}
	c := m.pick.Choice
	if c.Info.Provider != at || c.Info.ID != id {
		var ok bool
		if c, ok = m.reg.Find(at, id); !ok {
			return nil, fmt.Errorf("there is no model %s/%s", at, id)
		}
	}
	if !c.Ready {
		return nil, errors.New(c.Why)
	}
	return m.open(c)
}

// open makes the codec that a model speaks through.
func (m *models) open(c catalog.Choice) (provider.Model, error) {
	ep := m.reg.Endpoint(c)
	switch c.Info.API {
	case "anthropic-messages":
		return anthropic.New(ep), nil
	case "openai-responses":
		return openai.New(ep), nil
	case "openai-completions":
		return chat.New(ep), nil
	}
	return nil, fmt.Errorf("%s speaks %s, which bough does not know yet", c.Name(), c.Info.API)
}

// Default returns the model of new sessions.
func (m *models) Default() (provider.Model, string, error) {
	wish := catalog.Wish{Settings: m.r.settings}
	if patterns := m.r.settings.EnabledModels; len(patterns) > 0 {
		wish.Scope, _ = catalog.Scope(patterns, m.reg.Available())
	}
	pick, notices, err := m.reg.Start(wish)
	why := strings.Join(notices, " ")
	if err == nil {
		model, oerr := m.open(pick.Choice)
		return model, why, oerr
	}
	if !m.offline {
		return nil, "", err
	}
	return offline.New(offline.Options{}), strings.TrimSpace(why + " No model is configured, so the built-in offline model answers: rules, no real model. Set a key such as ANTHROPIC_API_KEY for a real one; bough --help says more."), nil
}

// Thinking returns the level that a model is asked with unless a session says
// otherwise.
func (m *models) Thinking(info provider.Info) string {
	if l := m.r.settings.ModelThinkingLevels[info.Provider+"/"+info.ID]; l != "" {
		return l
	}
	return m.r.settings.DefaultThinkingLevel
}
