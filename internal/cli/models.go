package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/boughdev/bough/internal/auth"
	"github.com/boughdev/bough/internal/config"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/internal/script"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/provider/anthropic"
	"github.com/boughdev/bough/provider/bedrock"
	"github.com/boughdev/bough/provider/catalog"
	"github.com/boughdev/bough/provider/chat"
	"github.com/boughdev/bough/provider/google"
	"github.com/boughdev/bough/provider/offline"
	"github.com/boughdev/bough/provider/openai"
	"github.com/boughdev/bough/provider/scripted"
)

// scriptedProvider has the models that follow the file of BOUGH_SCRIPT.
const scriptedProvider = "scripted"

// models is where sessions get their models from.
type models struct {
	r       *runner
	reg     *catalog.Registry
	keys    *auth.Keys
	pick    catalog.Pick   // what --model names; without an id if there is none
	level   string         // thinking level of the command line; "" if there is none
	scope   []catalog.Pick // what --models or the settings restrict the start to
	offline bool           // the offline model may stand in
	script  *script.Script
}

// models reads what the user has, and finds the model that the command line
// names. Local servers are looked for only if nothing else can be asked.
func (r *runner) models(ctx context.Context, m mode) (*models, error) {
	reg, keys, err := r.registryAndKeys(ctx)
	if err != nil {
		return nil, err
	}
	ms := &models{r: r, reg: reg, keys: keys, offline: m != modeJSON && m != modeRPC && m != modeACP}
	if path := r.env.Getenv("BOUGH_SCRIPT"); path != "" {
		if ms.script, err = script.Load(r.env.abs(path)); err != nil {
			return nil, fmt.Errorf("BOUGH_SCRIPT: %w", err)
		}
	}
	if err := ms.choose(); err != nil {
		return nil, err
	}
	if ms.pick.Info.ID != "" {
		if m == modeRPC {
			ms.restrict() // for cycling
		}
		return ms, nil
	}
	if len(reg.Available()) == 0 {
		var found []catalog.Server
		if !r.offline() {
			found = r.probe(ctx)
			reg.Add(found)
		}
		_, usual := reg.Find(r.settings.DefaultProvider, r.settings.DefaultModel)
		if r.asks && !usual && !r.args.goesOn() && !r.settings.Bough.ContinueOnStart {
			return ms, ms.firstRun(ctx, found)
		}
	}
	if !ms.offline && m != modeACP && !r.args.attach && len(ms.reg.Available()) == 0 {
		return nil, errors.New(noModel)
	}
	ms.restrict()
	return ms, nil
}

// goesOn reports whether a session is to go on, which has a model of its own.
func (a *args) goesOn() bool {
	return a.cont || a.resume || a.session != "" || a.fork != "" || a.attach
}

const noModel = "no model can be used. Run bough auth login PROVIDER, set a provider's key, for example ANTHROPIC_API_KEY or OPENAI_API_KEY, describe a server in models.json of the agent folder, or name the offline model: --model offline/demo"

// choose finds the model of --model and the level of --thinking, which beats the
// one in the model's name (docs/spec/frontends.md A-40).
func (m *models) choose() error {
	a := m.r.args
	if catalog.IsLevel(a.thinking) {
		m.level = a.thinking
	} else if a.hasThinking {
		m.r.say("--thinking %q is no level; there are %s.", a.thinking, strings.Join(provider.Levels, ", "))
	}
	if a.model == "" {
		return nil
	}
	pick, err := m.own(a.model, a.provider)
	if err == nil && pick.Info.ID == "" {
		pick, err = m.reg.Resolve(a.model, a.provider)
	}
	switch {
	case err != nil:
		return err
	case !pick.Ready:
		return fmt.Errorf("%s cannot be used: %s", pick.Name(), pick.Why)
	case pick.Warning != "":
		m.r.say("%s", pick.Warning)
	case pick.Guess:
		name := a.model
		if pick.Level != "" {
			name, _ = catalog.SplitLevel(name)
		}
		m.r.say("no model is called just %q; %s has it in its name and is used.", name, pick.Name())
	}
	m.pick = pick
	if m.level == "" {
		m.level = pick.Level
	}
	return nil
}

// own finds a model that no list has, since it is built in. Without an id there
// is none that is meant.
func (m *models) own(query, at string) (catalog.Pick, error) {
	query, level := catalog.SplitLevel(query)
	for _, own := range []string{offline.Provider, scriptedProvider} {
		name, id, ok := strings.Cut(query, "/")
		switch {
		case ok && strings.EqualFold(name, own) && (at == "" || strings.EqualFold(at, own)):
		case strings.EqualFold(at, own):
			id = query
		default:
			continue
		}
		model, err := m.Model(own, id)
		if err != nil {
			return catalog.Pick{}, err
		}
		return catalog.Pick{Choice: catalog.Choice{Info: model.Info(), Ready: true}, Level: level}, nil
	}
	return catalog.Pick{}, nil
}

// restrict takes up --models or, without it, the setting enabledModels
// (docs/spec/frontends.md A-45).
func (m *models) restrict() {
	patterns := split(m.r.args.models)
	if len(patterns) == 0 && len(m.reg.Available()) > 0 {
		patterns = m.r.settings.EnabledModels
	}
	if len(patterns) == 0 {
		return
	}
	var warnings []string
	m.scope, warnings = catalog.Scope(patterns, m.reg.Available())
	for _, w := range warnings {
		m.r.say("%s", w)
	}
}

// named returns the model of the command line, "" if there is none.
func (m *models) named() (provider, id string) { return m.pick.Info.Provider, m.pick.Info.ID }

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
	case scriptedProvider:
		if m.script == nil {
			return nil, errors.New("scripted models follow the file that BOUGH_SCRIPT names, and it is not set")
		}
		return scripted.New(scripted.Info(id), m.script), nil
	}
	c := m.pick.Choice
	if c.Info.Provider != at || c.Info.ID != id {
		var ok bool
		if c, ok = m.reg.Find(at, id); !ok {
			return nil, m.reg.Missing(at, id)
		}
	}
	if !c.Ready {
		return nil, errors.New(c.Why)
	}
	return m.open(c)
}

// open makes a model that says what to do about its errors.
func (m *models) open(c catalog.Choice) (provider.Model, error) {
	model, err := m.codec(c)
	if err != nil {
		return nil, err
	}
	c.Info = model.Info() // has the address that is really asked
	return advised{model, func(e *provider.Error) string { return m.reg.Advise(c, e) }}, nil
}

// advised is a model whose errors come with advice.
type advised struct {
	provider.Model
	advise func(*provider.Error) string
}

func (m advised) Stream(ctx context.Context, req provider.Request) iter.Seq2[message.Delta, error] {
	return func(yield func(message.Delta, error) bool) {
		for d, err := range m.Model.Stream(ctx, req) {
			if e, ok := errors.AsType[*provider.Error](err); ok {
				e.Advice = cmp.Or(m.advise(e), e.Advice)
			}
			if !yield(d, err) {
				return
			}
		}
	}
}

// codec makes the codec that a model speaks through.
func (m *models) codec(c catalog.Choice) (provider.Model, error) {
	ep := m.reg.Endpoint(c)
	configure(&ep, m.r.current())
	ep.LongCache = m.r.env.Getenv("PI_CACHE_RETENTION") == "long"
	switch c.Info.API {
	case "anthropic-messages":
		return anthropic.New(ep), nil
	case "bedrock-converse-stream":
		return bedrock.New(ep), nil
	case "openai-responses", "azure-openai-responses":
		return openai.New(ep), nil
	case "openai-completions", "mistral-conversations":
		return chat.New(ep), nil
	case "google-generative-ai":
		return google.New(ep), nil
	case "google-vertex":
		return google.NewVertex(ep), nil
	}
	return nil, fmt.Errorf("%s speaks %s, which bough does not know yet", c.Name(), c.Info.API)
}

// Default returns the model of new sessions, and of those whose own one cannot be
// had.
func (m *models) Default() (provider.Model, string, error) {
	pick, notices, err := m.reg.Start(catalog.Wish{Scope: m.scope, Settings: m.r.settings})
	why := strings.Join(notices, " ")
	if err == nil {
		model, oerr := m.open(pick.Choice)
		return model, why, oerr
	}
	if !m.offline {
		return nil, "", err
	}
	return offline.New(offline.Options{}), strings.TrimSpace(why + " No model is configured, so the built-in offline model answers: rules, no real model. For a real one run bough auth login PROVIDER, set a key such as ANTHROPIC_API_KEY, or start a model server on this machine (ollama serve)."), nil
}

// Thinking returns the level that a model is asked with unless a session says
// otherwise.
func (m *models) Thinking(info provider.Info) string {
	name := info.Provider + "/" + info.ID
	for _, p := range m.scope {
		if p.Level != "" && p.Name() == name {
			return p.Level
		}
	}
	s := m.r.current()
	if l := s.ModelThinkingLevels[name]; l != "" {
		return l
	}
	return s.DefaultThinkingLevel
}

// registry knows all models of the user; with probe also those of the servers on
// this machine.
func (r *runner) registry(ctx context.Context, probe bool) (*catalog.Registry, error) {
	reg, _, err := r.registryAndKeys(ctx)
	if err == nil && probe && !r.offline() {
		reg.Add(r.probe(ctx))
	}
	return reg, err
}

// probe looks for servers on this machine.
func (r *runner) probe(ctx context.Context, ids ...string) []catalog.Server {
	return catalog.ProbeLocal(ctx, r.env.Getenv, ids...)
}

func (r *runner) registryAndKeys(ctx context.Context) (*catalog.Registry, *auth.Keys, error) {
	modelsFile, problems := config.LoadModels(r.paths)
	keys, odd := auth.Open(r.env.Getenv, r.paths.AuthFile())
	data, err := catalog.OpenData(r.modelsDir())
	if err != nil {
		r.tell(fmt.Sprintf("the newer list of models is not used: %v. bough models reset takes it away", err))
	}
	o := catalog.Options{Models: modelsFile, Keys: keys, Data: data, Warn: r.tell}
	if !r.offline() {
		o.Probe = func(ids ...string) []catalog.Server { return r.probe(ctx, ids...) }
	}
	if r.args.apiKey != "" {
		at, err := r.keyOwner(o)
		if err != nil {
			return nil, nil, err
		}
		keys.Use(at, r.args.apiKey)
	}
	reg, more := catalog.New(o)
	for _, p := range append(problems, more...) {
		r.tell(p.String())
	}
	for _, o := range odd {
		r.tell(o)
	}
	return reg, keys, nil
}

// modelsDir is where a newer list of models lies.
func (r *runner) modelsDir() string { return filepath.Join(r.paths.Data, "models") }

// keyOwner is the provider that gets --api-key: that of the chosen model.
func (r *runner) keyOwner(o catalog.Options) (string, error) {
	a := r.args
	if a.provider != "" {
		return a.provider, nil
	}
	model := a.model
	if model == "" {
		model = split(a.models)[0]
	}
	reg, _ := catalog.New(o) // its problems are told with the registry that is used
	p, err := reg.Resolve(model, "")
	if err != nil {
		return "", fmt.Errorf("--api-key: %w", err)
	}
	return p.Info.Provider, nil
}

func (r *runner) offline() bool {
	return r.args.offline || config.Env(r.env.Getenv).Offline()
}

// listModels prints the table of --list-models.
func (r *runner) listModels() error {
	reg, err := r.registry(context.Background(), true)
	if err != nil {
		return err
	}
	available := reg.Available()
	rows := catalog.List(available, r.args.listQuery)
	switch {
	case len(available) == 0:
		r.say("no model can be asked yet. Set a provider's key, for example ANTHROPIC_API_KEY, or run bough auth login PROVIDER, or start a model server on this machine, or describe a server in %s. --model offline/demo, a set of rules, is always there.", r.paths.ModelsFile())
		return nil
	case len(rows) == 1:
		r.say("none of the %d models that can be asked is called anything like %q.", len(available), r.args.listQuery)
		return nil
	}
	w := tabwriter.NewWriter(r.env.Stdout, 0, 8, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(w, render.Clean(strings.Join(row, "\t"))) // names are of servers and files
	}
	d := reg.Data()
	r.say("list of models of %s, from %s", d.Date, d.Source)
	return w.Flush()
}
