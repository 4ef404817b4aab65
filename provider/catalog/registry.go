package catalog

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/boughdev/bough/internal/auth"
	"github.com/boughdev/bough/internal/config"
	"github.com/boughdev/bough/provider"
)

// Options are what a registry is made of.
type Options struct {
	Models config.Models // models.json
	Keys   *auth.Keys
	Local  []Server // what [ProbeLocal] found
	Data   Data     // the list of models; the zero value is that of the program

	// Probe looks for local servers ([ProbeLocal]) when one is named; nil: they
	// are not looked for.
	Probe func(ids ...string) []Server

	// Warn is told what turns out to be wrong later; nil: nobody is.
	Warn func(string)
}

// Registry knows all models of a user: those of the catalogue, as models.json
// changes them, those that models.json adds, and those of local servers; in this
// order. It may be used by several goroutines.
//
// Which keys there are is looked up once, when the models of a provider are first
// wanted, and again when auth.json has changed.
type Registry struct {
	opts Options

	mu        sync.Mutex
	providers []string            // in order; guarded by mu
	local     []Server            // guarded by mu
	looked    map[string]bool     // local servers that were looked for; guarded by mu
	version   int                 // of the keys that choices are made with; guarded by mu
	choices   map[string][]Choice // by provider; guarded by mu
}

// New makes a registry. What cannot be used of models.json is told.
func New(o Options) (*Registry, []config.Problem) {
	if len(o.Data.listings) == 0 {
		o.Data = BuiltIn()
	}
	r := &Registry{opts: o, local: o.Local, looked: map[string]bool{}, choices: map[string][]Choice{}}
	for _, l := range o.Data.listings {
		r.providers = append(r.providers, l.ID)
	}
	var problems []config.Problem
	for _, p := range o.Models.Providers {
		if !slices.Contains(r.providers, p.ID) {
			r.providers = append(r.providers, p.ID)
		}
		_, bad := r.added(p)
		for _, b := range bad {
			b.File = o.Models.File
			problems = append(problems, b)
		}
	}
	for _, s := range o.Local {
		if len(s.Models) > 0 && !slices.Contains(r.providers, s.Provider) {
			r.providers = append(r.providers, s.Provider)
		}
	}
	return r, problems
}

// Available returns the models that can be asked. It decodes only the data of
// providers that have a key.
func (r *Registry) Available() []Choice {
	r.fresh()
	var out []Choice
	for _, id := range r.ids() {
		if r.why(id) == "" {
			out = slices.AppendSeq(out, filter(r.of(id), isReady))
		}
	}
	return out
}

// All returns all models, also those that cannot be asked.
func (r *Registry) All() []Choice {
	var out []Choice
	for _, id := range r.ids() {
		out = append(out, r.of(id)...)
	}
	return out
}

// Find returns the model of exactly that provider and id.
func (r *Registry) Find(provider, id string) (Choice, bool) {
	r.fresh()
	r.look(provider)
	if !slices.Contains(r.ids(), provider) {
		return Choice{}, false
	}
	for _, c := range r.of(provider) {
		if c.Info.ID == id {
			return c, true
		}
	}
	return Choice{}, false
}

// Resolve is [Resolve] among all models. It looks at those that can be asked
// first, so that a name that is exact decodes no more.
func (r *Registry) Resolve(query, at string) (Pick, error) {
	if id, ok := r.namesLocal(query, at); ok {
		r.look(id)
		name, _ := SplitLevel(strings.TrimSpace(query))
		p, err := Resolve(query, at, r.All())
		if missing := r.Missing(id, strings.TrimPrefix(name, id+"/")); (err != nil || p.Warning != "" && p.Info.Provider == id) && missing != nil {
			return Pick{}, missing
		}
		return p, err
	}
	available := r.Available()
	name, _ := SplitLevel(strings.TrimSpace(query))
	for _, q := range []string{strings.TrimSpace(query), name} {
		p, err := Resolve(query, at, available)
		if err == nil && p.Warning == "" && (strings.EqualFold(p.Info.ID, q) || strings.EqualFold(p.Name(), q)) {
			return p, nil
		}
	}
	return Resolve(query, at, r.All())
}

// ids returns the providers in order.
func (r *Registry) ids() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.providers)
}

// namesLocal returns the local server that a user names, unless models.json says
// what it has.
func (r *Registry) namesLocal(query, at string) (string, bool) {
	for _, s := range localServers() {
		id := s.Provider
		named := strings.EqualFold(at, id) || at == "" && len(query) > len(id) && query[len(id)] == '/' && strings.EqualFold(query[:len(id)], id)
		if named && len(r.configured(id).Models) == 0 {
			return id, true
		}
	}
	return "", false
}

// look looks for a local server that is named, once.
func (r *Registry) look(id string) {
	if _, _, local := ServerName(id); !local || r.opts.Probe == nil || len(r.configured(id).Models) > 0 {
		return
	}
	r.mu.Lock()
	done := r.looked[id] || slices.ContainsFunc(r.local, func(s Server) bool { return s.Provider == id })
	r.looked[id] = true
	r.mu.Unlock()
	if !done {
		r.Add(r.opts.Probe(id))
	}
}

// Add makes the models of local servers known, after those of all others. A
// server that was known counts as it is now.
func (r *Registry) Add(servers []Server) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range servers {
		r.local = append(slices.DeleteFunc(slices.Clone(r.local), func(o Server) bool { return o.Provider == s.Provider }), s)
		if !slices.Contains(r.providers, s.Provider) {
			r.providers = append(r.providers, s.Provider)
		}
		delete(r.choices, s.Provider)
	}
}

// empty reports whether a server on this machine answers and has no model.
func (r *Registry) empty(at string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(r.local, func(s Server) bool { return s.Provider == at && len(s.Models) == 0 })
}

// Missing says why there is no model of that name: the server on this machine
// does not run or has not got it, or the provider has no such model. It is nil if
// there is one.
func (r *Registry) Missing(at, id string) error {
	if _, ok := r.Find(at, id); ok {
		return nil
	}
	name, start, local := ServerName(at)
	if !local || len(r.configured(at).Models) > 0 {
		return fmt.Errorf("there is no model %s/%s; bough --list-models shows what there is", at, id)
	}
	var have []string
	for _, c := range r.of(at) {
		have = append(have, c.Info.ID)
	}
	if len(have) == 0 && r.empty(at) {
		return fmt.Errorf("%s answers on this machine, but has no model yet. ollama pull %s would fetch it", name, id)
	} else if len(have) == 0 {
		return fmt.Errorf("%s does not answer on this machine. Start it (%s), then try again", name, start)
	}
	more := ""
	if at == "ollama" {
		more = ". ollama pull " + id + " would fetch it"
	}
	return fmt.Errorf("%s has no model %q; it has %s%s", name, id, strings.Join(have[:min(len(have), 8)], ", "), more)
}

// Start is [Start] among the models of the registry.
func (r *Registry) Start(w Wish) (Pick, []string, error) {
	if w.Model == "" {
		models := r.Available()
		for _, name := range [][2]string{{w.SessionProvider, w.SessionModel}, {w.Settings.DefaultProvider, w.Settings.DefaultModel}} {
			// One that cannot be asked is needed to say why.
			c, ok := r.Find(name[0], name[1])
			_, _, local := ServerName(name[0])
			switch {
			case ok && (!c.Ready || local && !slices.ContainsFunc(models, func(o Choice) bool { return o.Name() == c.Name() })):
				models = append(models, c)
			case !ok && local && name[1] != "":
				models = append(models, Choice{Info: provider.Info{Provider: name[0], ID: name[1]}, Why: r.Missing(name[0], name[1]).Error()})
			}
		}
		return Start(w, models)
	}
	p, err := r.Resolve(w.Model, w.Provider)
	if err != nil {
		return Pick{}, nil, err
	}
	if !p.Ready {
		return Pick{}, nil, fmt.Errorf("%s cannot be used: %s", p.Name(), p.Why)
	}
	// From here on only the level is open.
	named := w
	named.Model, named.Provider = "", ""
	named.SessionModel, named.SessionProvider = "", ""
	named.Scope = []Pick{p}
	return Start(named, nil)
}

// of returns the models of a provider.
func (r *Registry) of(id string) []Choice {
	r.mu.Lock()
	c, ok := r.choices[id]
	r.mu.Unlock()
	if ok {
		return c
	}
	c = r.build(id)
	r.mu.Lock()
	r.choices[id] = c
	r.mu.Unlock()
	return c
}

func (r *Registry) configured(id string) config.Provider {
	for _, p := range r.opts.Models.Providers {
		if p.ID == id {
			return p
		}
	}
	return config.Provider{ID: id}
}

// listing returns a provider of the list.
func (r *Registry) listing(id string) (Listing, bool) {
	i := slices.IndexFunc(r.opts.Data.listings, func(l Listing) bool { return l.ID == id })
	if i < 0 {
		return Listing{}, false
	}
	return r.opts.Data.listings[i], true
}

// known returns the models that the list has of a provider. If a newer list is
// damaged, the program's own stands in.
func (r *Registry) known(id string) []Model {
	models, err := r.opts.Data.Models(id)
	if err == nil {
		return models
	}
	if r.opts.Warn != nil {
		r.opts.Warn(fmt.Sprintf("the list of models of %s in %s cannot be read: %v. The program's own is used; bough models reset takes the other away", id, r.opts.Data.Dir, err))
	}
	if l, ok := Provider(id); ok {
		return l.Models()
	}
	return nil
}

// Data returns the list of models that counts.
func (r *Registry) Data() Data { return r.opts.Data }

// Providers returns all providers that can be named: those of the list, those of
// models.json and the local servers.
func (r *Registry) Providers() []Listing {
	out := r.opts.Data.Providers()
	add := func(id, name string) {
		if !slices.ContainsFunc(out, func(l Listing) bool { return l.ID == id }) {
			out = append(out, Listing{ID: id, Name: either(name, id)})
		}
	}
	for _, p := range r.opts.Models.Providers {
		add(p.ID, p.Name)
	}
	for _, s := range localServers() {
		add(s.Provider, s.Name)
	}
	return out
}

// ConfiguredKey returns the key of a provider as models.json has it, or "".
func (r *Registry) ConfiguredKey(id string) string { return r.configured(id).APIKey }

// Why says why no model of a provider can be asked, "" if some can.
func (r *Registry) Why(id string) string {
	r.fresh()
	if why := r.why(id); why != "" {
		return why
	}
	why := "it has no models; describe them in models.json"
	if !slices.Contains(r.ids(), id) {
		if slices.ContainsFunc(localServers(), func(s Server) bool { return s.Provider == id }) {
			return ""
		}
		return why
	}
	for _, c := range r.of(id) {
		if c.Ready {
			return ""
		}
		why = c.Why
	}
	return why
}

// Lacks returns the variables that the addresses of a provider need and that are
// not set.
func (r *Registry) Lacks(id string) []string {
	var out []string
	for _, c := range r.of(id) {
		if isAzure(c.Info) && r.lacks(c.Info) != "" {
			return []string{"AZURE_OPENAI_BASE_URL"}
		}
		for _, name := range placeholders(c.Info.BaseURL) {
			if r.opts.Keys.Getenv(id, name) == "" && !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}

// fresh forgets what is known of the models if keys have changed.
func (r *Registry) fresh() {
	version := r.opts.Keys.Refresh()
	r.mu.Lock()
	defer r.mu.Unlock()
	if version != r.version {
		r.version = version
		clear(r.choices)
	}
}

// build puts the models of a provider together.
func (r *Registry) build(id string) []Choice {
	p := r.configured(id)
	var models []Choice
	if l, ok := r.listing(id); ok {
		for _, m := range r.known(id) {
			c := Choice{Info: m.Info, First: m.ID == l.First, material: material{headers: layered(m.Headers, p.Headers)}}
			if p.BaseURL != "" {
				c.Info.BaseURL = p.BaseURL
			}
			c.Info.Compat = layeredAny(c.Info.Compat, p.Compat)
			models = append(models, c)
		}
	}
	own, _ := r.added(p)
	for _, c := range own {
		if i := slices.IndexFunc(models, func(o Choice) bool { return o.Info.ID == c.Info.ID }); i >= 0 {
			c.First = models[i].First
			models[i] = c
		} else {
			models = append(models, c)
		}
	}
	for _, o := range p.Overrides {
		for i := range models {
			if models[i].Info.ID == o.ID {
				override(&models[i], o)
			}
		}
	}
	r.mu.Lock()
	local := r.local
	r.mu.Unlock()
	for _, s := range local {
		if s.Provider == id && len(models) == 0 {
			models = append(models, s.choices()...)
		}
	}
	for i := range models {
		r.finish(&models[i], p)
	}
	return models
}

// finish says whether a model can be asked, and with what.
func (r *Registry) finish(c *Choice, p config.Provider) {
	c.material.apiKey = p.APIKey
	c.material.authHeader = p.AuthHeader != nil && *p.AuthHeader
	if c.Why = r.why(p.ID); c.Why == "" {
		switch {
		case !Speaks(c.Info.API):
			if c.Why = closed[c.Info.API]; c.Why == "" {
				c.Why = "bough does not speak " + c.Info.API + " yet"
			}
		case c.Info.API == vertexAPI: // its codec fills the location in
			if r.noKey(p.ID) {
				c.Why = r.vertex(p.ID)
			}
		default:
			c.Why = r.lacks(c.Info)
		}
	}
	c.Ready = c.Why == ""
}

// why says why no model of a provider can be asked, "" if some may.
func (r *Registry) why(id string) string {
	p := r.configured(id)
	_, known := r.listing(id)
	switch {
	case closed[id] != "" && p.APIKey == "":
		return closed[id]
	case id == vertexProvider && r.noKey(id):
		return r.vertex(id)
	case !known && p.APIKey == "":
		return "" // a server of the user's that asks for no key
	case r.opts.Keys.Find(id, p.APIKey).Place == auth.Nowhere && !known && r.opts.Keys.Unset(id, p.APIKey) != "":
		name := r.opts.Keys.Unset(id, p.APIKey)
		return fmt.Sprintf("no key for %s: its apiKey in models.json needs %s; set %s, or run bough auth login %s", id, name, name, id)
	case r.opts.Keys.Find(id, p.APIKey).Place != auth.Nowhere:
		return ""
	case id == "amazon-bedrock":
		return aws(func(name string) string { return r.opts.Keys.Getenv(id, name) })
	}
	return r.opts.Keys.Missing(id).Error()
}

// added returns the models that models.json adds to a provider.
func (r *Registry) added(p config.Provider) (models []Choice, problems []config.Problem) {
	var like provider.Info
	if l, ok := r.listing(p.ID); ok && len(p.Models) > 0 {
		for _, m := range r.known(p.ID) {
			if like.ID == "" || m.ID == l.First {
				like = m.Info
			}
		}
	}
	for _, m := range p.Models {
		c := Choice{Info: provider.Info{
			ID: m.ID, Name: either(m.Name, m.ID), Provider: p.ID,
			API: either(m.API, p.API, like.API), BaseURL: either(m.BaseURL, p.BaseURL, like.BaseURL),
			Input: []string{"text"}, ContextWindow: 128000, MaxTokens: 16384, PriceUnknown: true,
			Compat: layeredAny(p.Compat, nil),
		}}
		c.material.headers = p.Headers
		lacks := ""
		switch {
		case c.Info.BaseURL == "":
			lacks = "baseUrl"
		case c.Info.API == "":
			lacks = "api"
		}
		if lacks != "" {
			problems = append(problems, config.Problem{Line: m.Line, Key: "providers." + p.ID,
				Message: fmt.Sprintf("model %s is left out: a new provider needs %s", m.ID, lacks)})
			continue
		}
		override(&c, m)
		models = append(models, c)
	}
	return models, problems
}

// override changes what a model of models.json says.
func override(c *Choice, m config.Model) {
	i := &c.Info
	i.Name = either(m.Name, i.Name)
	i.API = either(m.API, i.API)
	i.BaseURL = either(m.BaseURL, i.BaseURL)
	if m.Reasoning != nil {
		i.Reasoning = *m.Reasoning
	}
	if m.ThinkingLevels != nil {
		levels := map[string]*string{}
		for _, from := range []map[string]*string{i.ThinkingLevels, m.ThinkingLevels} {
			for k, v := range from {
				levels[k] = v
			}
		}
		i.ThinkingLevels = levels
	}
	if len(m.Input) > 0 {
		i.Input = m.Input
	}
	if m.ContextWindow != nil {
		i.ContextWindow = *m.ContextWindow
	}
	if m.MaxTokens != nil {
		i.MaxTokens = *m.MaxTokens
	}
	if m.Cost != nil {
		for _, f := range []struct {
			at *float64
			v  *float64
		}{{&i.Cost.Input, m.Cost.Input}, {&i.Cost.Output, m.Cost.Output}, {&i.Cost.CacheRead, m.Cost.CacheRead}, {&i.Cost.CacheWrite, m.Cost.CacheWrite}} {
			if f.v != nil {
				*f.at = *f.v
			}
		}
		if m.Cost.Tiers != nil {
			i.Cost.Tiers = nil
			for _, t := range m.Cost.Tiers {
				i.Cost.Tiers = append(i.Cost.Tiers, provider.PriceTier(t))
			}
		}
		i.PriceUnknown = false
	}
	i.Compat = layeredAny(i.Compat, m.Compat)
	i.Sampling = layeredAny(i.Sampling, m.Sampling)
	if len(m.SamplingByLevel) > 0 {
		by := maps.Clone(i.SamplingByLevel)
		if by == nil {
			by = map[string]map[string]any{}
		}
		for level, params := range m.SamplingByLevel {
			by[level] = layeredAny(by[level], params)
		}
		i.SamplingByLevel = by
	}
	if m.Limits != nil {
		i.Limits = limits(i.Limits, m.Limits)
	}
	if m.Cache != nil {
		i.Cache = &provider.CacheLifetime{Short: m.Cache["short"], Long: m.Cache["long"]}
	}
	c.material.headers = layered(c.material.headers, m.Headers)
}

// limits lays what models.json says over what is known.
func limits(known *provider.Limits, say map[string]int64) *provider.Limits {
	var l provider.Limits
	if known != nil {
		l = *known
	}
	for place, at := range map[string]*int64{"maxRequestBytes": &l.MaxRequestBytes,
		"images.maxPerMessage": &l.Images.MaxPerMessage, "images.maxPerRequest": &l.Images.MaxPerRequest,
		"images.resize.maxWidth": &l.Images.Resize.MaxWidth, "images.resize.maxHeight": &l.Images.Resize.MaxHeight,
		"images.resize.maxBytes": &l.Images.Resize.MaxBytes, "images.resize.jpegQuality": &l.Images.Resize.JPEGQuality} {
		if n, ok := say[place]; ok {
			*at = n
		}
	}
	return &l
}

// either returns the first word that is one.
func either(words ...string) string {
	for _, w := range words {
		if w != "" {
			return w
		}
	}
	return ""
}

// layered lays one map over another, without changing either.
func layered(below, above map[string]string) map[string]string {
	if len(above) == 0 {
		return below
	}
	out := map[string]string{}
	for _, m := range []map[string]string{below, above} {
		for k, v := range m {
			out[k] = v
		}
	}
	return out
}

// layeredAny is layered for objects, to any depth.
func layeredAny(below, above map[string]any) map[string]any {
	if len(above) == 0 {
		return below
	}
	out := map[string]any{}
	for k, v := range below {
		out[k] = v
	}
	for k, v := range above {
		have, ok1 := out[k].(map[string]any)
		over, ok2 := v.(map[string]any)
		if ok1 && ok2 {
			v = layeredAny(have, over)
		}
		out[k] = v
	}
	return out
}
