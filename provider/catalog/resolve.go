package catalog

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/boughdev/bough/provider"
)

// Choice is a model that a user may name.
type Choice struct {
	Info  provider.Info
	Ready bool   // it can be asked
	Why   string // why it cannot

	// First is set for the model that stands for its provider.
	First bool

	material material
}

// Name is "provider/model".
func (c Choice) Name() string { return c.Info.Provider + "/" + c.Info.ID }

// Pick is a model that was chosen.
type Pick struct {
	Choice
	Level   string // the thinking level that was asked for with it; "" if none was
	Warning string // what the user should know; "" if nothing
	Guess   bool   // just a part of its id or name was given
}

// SplitLevel cuts a thinking level off the end of "model:level"
// (docs/spec/frontends.md A-40).
func SplitLevel(query string) (model, level string) {
	if i := strings.LastIndexByte(query, ':'); i >= 0 && IsLevel(query[i+1:]) {
		return query[:i], query[i+1:]
	}
	return query, ""
}

// IsLevel reports whether a word is a thinking level.
func IsLevel(s string) bool { return slices.Contains(provider.Levels, s) }

// Errors of [Resolve]. Their texts say what to do.
var (
	ErrUnknownProvider = errors.New("unknown provider")
	ErrUnknownModel    = errors.New("no such model")
	ErrAmbiguous       = errors.New("more than one provider has that model")
)

// Resolve finds the model that a user means by query, which may be
// "provider/id", an id, or a part of an id or name, each with ":level" behind it
// (docs/spec/frontends.md ). at is the provider that it must be of,
// or "". models are all there are; those that are ready win over the others.
func Resolve(query, at string, models []Choice) (Pick, error) {
	query = strings.TrimSpace(query)
	if query == "" {
		return Pick{}, errors.New("name a model")
	}
	if at != "" {
		id, ok := providerOf(at, models)
		if !ok {
			return Pick{}, fmt.Errorf("%w %q. bough --list-models shows what there is", ErrUnknownProvider, at)
		}
		at = id
	}
	p, err := resolve(query, at, models)
	if errors.Is(err, ErrUnknownModel) || err == nil && p.Warning != "" {
		// Only now the end counts as a level: ids may look like that.
		if model, level := SplitLevel(query); level != "" && model != "" {
			p, err = resolve(model, at, models)
			p.Level = level
		}
	}
	return p, err
}

func resolve(query, at string, models []Choice) (Pick, error) {
	within, id := at, query
	if at == "" {
		within, id = splitProvider(query, models)
	} else if p, rest := splitProvider(query, models); p == at {
		id = rest
	}
	if within != "" {
		for _, c := range models {
			if c.Info.Provider != within || !strings.EqualFold(c.Info.ID, id) {
				continue
			}
			if !c.Ready && at == "" { // the same words may be an id of one that is
				if p, err := exact(query, slices.Collect(filter(models, isReady))); err == nil && p.Info.ID != "" {
					return p, nil
				}
			}
			return Pick{Choice: c}, nil
		}
		if at != "" {
			for _, c := range models { // an id that begins like a provider
				if c.Info.Provider == at && strings.EqualFold(c.Info.ID, query) {
					return Pick{Choice: c}, nil
				}
			}
		}
	}
	if at == "" {
		p, err := exact(query, models)
		if err != nil || p.Info.ID != "" {
			return p, err
		}
	}
	if within != "" {
		own := slices.Collect(filter(models, func(c Choice) bool { return c.Info.Provider == within }))
		if c, ok := best(id, own); ok {
			return Pick{Choice: c, Guess: !strings.EqualFold(c.Info.Name, id)}, nil
		}
		return invented(id, within, own)
	}
	if c, ok := best(query, models); ok {
		return Pick{Choice: c, Guess: !strings.EqualFold(c.Info.Name, query)}, nil
	}
	return Pick{}, fmt.Errorf("%w: %q. bough --list-models shows what there is", ErrUnknownModel, query)
}

// exact finds the model of an id. If several providers have it, the one that is
// ready is meant; the zero Pick means that there is none.
func exact(id string, models []Choice) (Pick, error) {
	hits := slices.Collect(filter(models, func(c Choice) bool { return strings.EqualFold(c.Info.ID, id) }))
	if len(hits) > 1 {
		if ready := slices.Collect(filter(hits, isReady)); len(ready) > 0 {
			hits = ready
		}
	}
	switch len(hits) {
	case 0:
		return Pick{}, nil
	case 1:
		return Pick{Choice: hits[0]}, nil
	}
	var names []string
	for _, c := range hits {
		names = append(names, c.Name())
	}
	return Pick{}, fmt.Errorf("%w: %s. Name one of them, or give --provider", ErrAmbiguous, strings.Join(names, ", "))
}

// invented makes a model that the provider is not known to have: it is like the
// one that stands for the provider.
func invented(id, at string, own []Choice) (Pick, error) {
	if len(own) == 0 || id == "" {
		return Pick{}, fmt.Errorf("%w: %q of %s. bough --list-models shows what there is", ErrUnknownModel, id, at)
	}
	like := own[0]
	for _, c := range own {
		if c.First {
			like = c
			break
		}
	}
	c := like
	c.Info.ID, c.Info.Name, c.First = id, id, false
	return Pick{Choice: c, Warning: fmt.Sprintf("%s has no known model %q; it is used all the same, with the limits and prices of %s.", at, id, like.Info.ID)}, nil
}

// best returns the best of the models with query in id or name: one that is
// ready, is no variant (":batch") and has no date at the end, then the highest.
func best(query string, models []Choice) (Choice, bool) {
	query = strings.ToLower(query)
	var hit Choice
	found := false
	for c := range filter(models, func(c Choice) bool {
		return strings.Contains(strings.ToLower(c.Info.ID), query) || strings.Contains(strings.ToLower(c.Info.Name), query)
	}) {
		if !found || better(c, hit) {
			hit, found = c, true
		}
	}
	return hit, found
}

func better(a, b Choice) bool {
	if a.Ready != b.Ready {
		return a.Ready
	}
	if x, y := variant(a.Info.ID), variant(b.Info.ID); x != y {
		return y
	}
	if x, y := dated(a.Info.ID), dated(b.Info.ID); x != y {
		return y
	}
	return a.Info.ID > b.Info.ID
}

// variant reports whether an id is a special way to run a model.
func variant(id string) bool {
	return strings.Contains(id[strings.LastIndexByte(id, '/')+1:], ":") || strings.HasSuffix(id, "-batch")
}

// dated reports whether an id ends in a date of eight digits.
func dated(id string) bool {
	if len(id) < 9 || id[len(id)-9] != '-' {
		return false
	}
	for _, c := range id[len(id)-8:] {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

func isReady(c Choice) bool { return c.Ready }

func filter(models []Choice, keep func(Choice) bool) func(func(Choice) bool) {
	return func(yield func(Choice) bool) {
		for _, c := range models {
			if keep(c) && !yield(c) {
				return
			}
		}
	}
}

// providerOf returns a provider as it is written.
func providerOf(name string, models []Choice) (string, bool) {
	for _, c := range models {
		if strings.EqualFold(c.Info.Provider, name) {
			return c.Info.Provider, true
		}
	}
	return "", false
}

// splitProvider cuts "provider/" off the front of a query: the longest that there
// is.
func splitProvider(query string, models []Choice) (at, id string) {
	id = query
	for _, c := range models {
		p := c.Info.Provider
		if len(p) > len(at) && len(query) > len(p) && query[len(p)] == '/' && strings.EqualFold(query[:len(p)], p) {
			at, id = p, query[len(p)+1:]
		}
	}
	return at, id
}

// Scope finds the models that a list of patterns means, in the order of the list
// and each once: exact names, globs ("*", "?" and "[…]", which do not cross a
// "/") over "provider/id" and id, and parts of names (docs/spec/frontends.md
// Only models that are ready count. Patterns that match none are warned
// of.
func Scope(patterns []string, models []Choice) (scope []Pick, warnings []string) {
	ready := slices.Collect(filter(models, isReady))
	add := func(p Pick) {
		if !slices.ContainsFunc(scope, func(o Pick) bool { return o.Name() == p.Name() }) {
			scope = append(scope, p)
		}
	}
	for _, pattern := range patterns {
		before := len(scope)
		query, level := SplitLevel(strings.TrimSpace(pattern))
		if strings.ContainsAny(query, "*?[") {
			hits := 0
			for _, c := range ready {
				if glob(query, c.Name()) || glob(query, c.Info.ID) {
					add(Pick{Choice: c, Level: level})
					hits++
				}
			}
			if hits > 0 {
				continue
			}
		} else if p, err := Resolve(pattern, "", ready); err == nil && p.Warning == "" {
			add(p)
			continue
		} else if i := strings.LastIndexByte(query, ':'); i > 0 && level == "" {
			if p, err := Resolve(query[:i], "", ready); err == nil && p.Warning == "" {
				add(p)
				warnings = append(warnings, fmt.Sprintf("%q is no thinking level; %s is used without it.", query[i+1:], p.Name()))
				continue
			}
		}
		if len(scope) == before {
			warnings = append(warnings, fmt.Sprintf("No model that can be used matches %q.", pattern))
		}
	}
	return scope, warnings
}

func glob(pattern, name string) bool {
	ok, err := path.Match(strings.ToLower(pattern), strings.ToLower(name))
	return ok && err == nil // a pattern that is none matches nothing
}
