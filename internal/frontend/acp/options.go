package acp

import (
	"context"
	"slices"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/provider"
)

// Ids of the options of a session.
const (
	modeOption     = "mode"
	modelOption    = "model"
	thinkingOption = "thinking"
)

// choices are what can be chosen in a session, as it stands.
type choices struct {
	modes    *sdk.SessionModeState
	models   *sdk.SessionModelState
	thinking []string
	level    string
}

// options asks the session what can be chosen. What cannot be told is left out.
func (s *live) options(ctx context.Context) choices {
	var c choices
	if p, err := protocol.Call(ctx, s.c, protocol.GetPermissions{}); err == nil && len(p.Modes) > 0 {
		c.modes = &sdk.SessionModeState{CurrentModeId: sdk.SessionModeId(p.Mode)}
		for _, m := range p.Modes {
			c.modes.AvailableModes = append(c.modes.AvailableModes, sdk.SessionMode{Id: sdk.SessionModeId(m.ID), Name: modeName(m.ID), Description: &m.Text})
		}
	}
	st, err := protocol.Call(ctx, s.c, protocol.GetState{})
	if err != nil || st.Model == nil {
		return c
	}
	c.thinking, c.level = st.Model.Levels(), st.Thinking
	if m, err := protocol.Call(ctx, s.c, protocol.GetModels{}); err == nil {
		list := m.Models
		now := func(i provider.Info) bool { return i.Provider == st.Model.Provider && i.ID == st.Model.ID }
		if !slices.ContainsFunc(list, now) {
			list = append([]provider.Info{*st.Model}, list...)
		}
		c.models = &sdk.SessionModelState{CurrentModelId: modelID(*st.Model)}
		for _, i := range list {
			name := i.Name
			if name == "" {
				name = i.ID
			}
			c.models.AvailableModels = append(c.models.AvailableModels, sdk.ModelInfo{ModelId: modelID(i), Name: name, Description: sdk.Ptr(i.Provider + "/" + i.ID)})
		}
	}
	return c
}

func modeName(id string) string {
	names := map[string]string{"auto": "Auto", "ask": "Ask", "auto-edit": "Edit freely", "read-only": "Read only"}
	if n, ok := names[id]; ok {
		return n
	}
	return id
}

func modelID(i provider.Info) sdk.ModelId { return sdk.ModelId(i.Provider + "/" + i.ID) }

// all are the choices as options of the session.
func (c choices) all() []sdk.SessionConfigOption {
	out := []sdk.SessionConfigOption{}
	add := func(id, name, help string, category sdk.SessionConfigOptionCategory, now string, list sdk.SessionConfigSelectOptionsUngrouped) {
		o := sdk.NewSessionConfigOptionSelect(sdk.SessionConfigValueId(now), sdk.SessionConfigSelectOptions{Ungrouped: &list})
		o.Select.Id, o.Select.Name, o.Select.Description, o.Select.Category = sdk.SessionConfigId(id), name, &help, &category
		out = append(out, o)
	}
	if c.modes != nil {
		var list sdk.SessionConfigSelectOptionsUngrouped
		for _, m := range c.modes.AvailableModes {
			list = append(list, sdk.SessionConfigSelectOption{Value: sdk.SessionConfigValueId(m.Id), Name: m.Name, Description: m.Description})
		}
		add(modeOption, "Permissions", "What tools may do without a question", sdk.SessionConfigOptionCategoryMode, string(c.modes.CurrentModeId), list)
	}
	if c.models != nil {
		var list sdk.SessionConfigSelectOptionsUngrouped
		for _, m := range c.models.AvailableModels {
			list = append(list, sdk.SessionConfigSelectOption{Value: sdk.SessionConfigValueId(m.ModelId), Name: m.Name, Description: m.Description})
		}
		add(modelOption, "Model", "The model that is asked from the next turn on", sdk.SessionConfigOptionCategoryModel, string(c.models.CurrentModelId), list)
	}
	if len(c.thinking) > 1 {
		var list sdk.SessionConfigSelectOptionsUngrouped
		for _, l := range c.thinking {
			list = append(list, sdk.SessionConfigSelectOption{Value: sdk.SessionConfigValueId(l), Name: l})
		}
		add(thinkingOption, "Thinking", "How much the model is to think", sdk.SessionConfigOptionCategoryThoughtLevel, c.level, list)
	}
	return out
}

// tellOptions tells the editor what is chosen now.
func (s *live) tellOptions(ctx context.Context) {
	s.update(sdk.SessionConfigOptionUpdate{SessionUpdate: "config_option_update", ConfigOptions: s.options(ctx).all()})
}

func (a *agent) setMode(ctx context.Context, p sdk.SetSessionModeRequest) (any, error) {
	s, err := a.find(p.SessionId)
	if err != nil {
		return nil, err
	}
	return sdk.SetSessionModeResponse{}, s.chooseMode(ctx, string(p.ModeId))
}

func (s *live) chooseMode(ctx context.Context, mode string) error {
	if mode == "" {
		return invalid("The mode is empty.")
	}
	_, err := protocol.Call(ctx, s.c, protocol.SetPermissions{Mode: mode})
	return err
}

func (a *agent) setModel(ctx context.Context, p sdk.UnstableSetSessionModelRequest) (any, error) {
	s, err := a.find(p.SessionId)
	if err != nil {
		return nil, err
	}
	return sdk.UnstableSetSessionModelResponse{}, s.chooseModel(ctx, string(p.ModelId))
}

func (s *live) chooseModel(ctx context.Context, id string) error {
	m, err := protocol.Call(ctx, s.c, protocol.GetModels{})
	if err != nil {
		return err
	}
	for _, i := range m.Models {
		if string(modelID(i)) == id {
			_, err := protocol.Call(ctx, s.c, protocol.SetModel{Provider: i.Provider, ID: i.ID})
			return err
		}
	}
	return invalid("There is no model %s. The option %s lists those that can be asked.", id, modelOption)
}

func (a *agent) setConfigOption(ctx context.Context, p sdk.SetSessionConfigOptionRequest) (any, error) {
	v := p.ValueId
	if v == nil {
		if p.Boolean != nil {
			return nil, invalid("The option %s has no yes or no; its value is one of those that it lists.", p.Boolean.ConfigId)
		}
		return nil, invalid("value is missing.")
	}
	s, err := a.find(v.SessionId)
	if err != nil {
		return nil, err
	}
	switch value := string(v.Value); v.ConfigId {
	case modeOption:
		err = s.chooseMode(ctx, value)
	case modelOption:
		err = s.chooseModel(ctx, value)
	case thinkingOption:
		if !slices.Contains(provider.Levels, value) {
			return nil, invalid("There is no thinking level %q.", value)
		}
		_, err = protocol.Call(ctx, s.c, protocol.SetThinking{Level: value})
	default:
		return nil, invalid("There is no option %q; there are %s, %s and %s.", v.ConfigId, modeOption, modelOption, thinkingOption)
	}
	if err != nil {
		return nil, err
	}
	return sdk.SetSessionConfigOptionResponse{ConfigOptions: s.options(ctx).all()}, nil
}

// tellUsage tells how full the model's window is and what the session has cost, if
// that is another than was told.
func (s *live) tellUsage(ctx context.Context) {
	u := sdk.SessionUsageUpdate{SessionUpdate: "usage_update"}
	if c := s.view.Context; c != nil && c.Known {
		u.Used, u.Size = int(c.Tokens), int(c.Window)
	}
	if u.Size == 0 {
		return // of a model whose window is not known there is nothing to say
	}
	var cost float64
	if c, err := protocol.Call(ctx, s.c, protocol.GetCost{}); err == nil {
		cost = c.Session.Cost
	}
	if u.Used == s.told.Used && u.Size == s.told.Size && s.told.Cost != nil && s.told.Cost.Amount == cost {
		return
	}
	u.Cost = &sdk.Cost{Amount: cost, Currency: "USD"}
	s.told = u
	s.update(u)
}
