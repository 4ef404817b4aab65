package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/boughdev/bough/internal/pifile"
	"github.com/boughdev/bough/internal/rawjson"
)

// Models is what models.json says, in the order in which it says it
// (docs/spec/frontends.md H-50).
type Models struct {
	File      string
	Providers []Provider
}

// Provider changes a known provider or adds one. Keys and headers are as
// written, not yet resolved.
type Provider struct {
	ID, Name     string
	BaseURL, API string
	APIKey       string
	Headers      map[string]string
	AuthHeader   *bool
	Compat       map[string]any

	Models    []Model // each adds one, or replaces that of its id
	Overrides []Model // each changes a known one

	Line int
}

// Model is one model, or what is to be changed of one. What is not said is nil
// or empty.
type Model struct {
	ID, Name       string
	API, BaseURL   string
	Reasoning      *bool
	ThinkingLevels map[string]*string
	Input          []string
	Cost           *Cost
	ContextWindow  *int64
	MaxTokens      *int64
	Headers        map[string]string
	Compat         map[string]any

	Sampling        map[string]any            // parameters of each request
	SamplingByLevel map[string]map[string]any // over those, by thinking level
	Limits          map[string]int64          // "images.resize.maxWidth" and the like, by place
	Cache           map[string]int64          // seconds, "short" and "long"

	// Raw is the whole object, for what has no field here.
	Raw  []byte
	Line int
}

// Cost is in US dollars for a million tokens.
type Cost struct {
	Input, Output, CacheRead, CacheWrite *float64
	Tiers                                []Tier // nil: nothing is said; they replace others
}

// Tier is the cost of a request with more input than so many tokens.
type Tier struct {
	Above                                int64
	Input, Output, CacheRead, CacheWrite float64
}

// LoadModels reads models.json, in which comments and trailing commas are
// allowed. Parts that are wrong are left out and told.
func LoadModels(p Paths) (Models, []Problem) {
	path := p.ModelsFile()
	doc, err := pifile.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Models{File: path}, nil
	} else if err != nil {
		return Models{File: path}, []Problem{{File: path, Message: err.Error()}}
	}
	return ParseModels(path, doc)
}

// ParseModels is [LoadModels] of the text of a file.
func ParseModels(path string, doc []byte) (Models, []Problem) {
	m := Models{File: path}
	r := modelReader{file: path, doc: slices.Clip(pifile.Plain(doc))}
	switch {
	case len(bytes.TrimSpace(r.doc)) == 0:
		return m, nil
	case !rawjson.Valid(r.doc) || rawjson.Kind(r.doc) != '{':
		r.problems = append(r.problems, Problem{File: path, Line: pifile.Fault(r.doc), Message: "is no JSON object; nothing in it is used"})
		return m, r.problems
	}
	providers := rawjson.Get(r.doc, "providers")
	if providers == nil || isNull(providers) {
		return m, nil
	}
	for id, v := range r.members("providers", providers) {
		p, ok := r.provider(id, v)
		if !ok {
			continue
		}
		if i := slices.IndexFunc(m.Providers, func(o Provider) bool { return o.ID == id }); i >= 0 {
			m.Providers[i] = p // of a repeated key the last counts
			continue
		}
		m.Providers = append(m.Providers, p)
	}
	return m, r.problems
}

type modelReader struct {
	file     string
	doc      []byte
	problems []Problem
}

func (r *modelReader) tell(key string, at []byte, err error) {
	r.problems = append(r.problems, Problem{File: r.file, Line: pifile.Line(r.doc, at), Key: key, Message: err.Error()})
}

// members yields the members of what should be an object.
func (r *modelReader) members(key string, v []byte) func(func(string, []byte) bool) {
	return func(yield func(string, []byte) bool) {
		if rawjson.Kind(v) != '{' {
			r.tell(key, v, wrong("an object", v))
			return
		}
		rawjson.Members(v)(yield)
	}
}

func (r *modelReader) provider(id string, v []byte) (Provider, bool) {
	key := below("providers", id)
	if rawjson.Kind(v) != '{' {
		r.tell(key, v, wrong("an object", v))
		return Provider{}, false
	}
	p := Provider{ID: id, Line: pifile.Line(r.doc, v)}
	for k, v := range rawjson.Members(v) {
		at := below(key, k)
		switch k {
		case "name":
			take(r, at, v, &p.Name, readText)
		case "baseUrl":
			take(r, at, v, &p.BaseURL, readText)
		case "api":
			take(r, at, v, &p.API, readText)
		case "apiKey":
			take(r, at, v, &p.APIKey, readText)
		case "headers":
			p.Headers = r.texts(at, v)
		case "authHeader":
			takePointer(r, at, v, &p.AuthHeader, readFlag)
		case "compat":
			take(r, at, v, &p.Compat, readObject)
		case "oauth":
			r.tell(at, v, errors.New("bough has no sign-in for a server of models.json; ignored. Give apiKey, or run bough auth login "+id))
		case "models":
			if rawjson.Kind(v) != '[' {
				r.tell(at, v, wrong("a list", v))
				continue
			}
			i := 0
			for e := range rawjson.Elements(v) {
				if m, ok := r.model(at+"["+strconv.Itoa(i)+"]", "", e); ok {
					p.Models = append(p.Models, m)
				}
				i++
			}
		case "modelOverrides":
			for id, e := range r.members(at, v) {
				if m, ok := r.model(below(at, id), id, e); ok {
					p.Overrides = append(p.Overrides, m)
				}
			}
		default:
			r.near(at, k, v, "name", "baseUrl", "api", "apiKey", "headers", "authHeader", "compat", "models", "modelOverrides")
		}
	}
	return p, true
}

// model reads a model; id is that of an override.
func (r *modelReader) model(key, id string, v []byte) (Model, bool) {
	if rawjson.Kind(v) != '{' {
		r.tell(key, v, wrong("an object", v))
		return Model{}, false
	}
	m := Model{Raw: v, Line: pifile.Line(r.doc, v)}
	for k, v := range rawjson.Members(v) {
		at := below(key, k)
		switch k {
		case "id":
			take(r, at, v, &m.ID, readText)
		case "name":
			take(r, at, v, &m.Name, readText)
		case "api":
			take(r, at, v, &m.API, readText)
		case "baseUrl":
			take(r, at, v, &m.BaseURL, readText)
		case "reasoning":
			takePointer(r, at, v, &m.Reasoning, readFlag)
		case "thinkingLevelMap":
			m.ThinkingLevels = r.levels(at, v)
		case "input":
			take(r, at, v, &m.Input, readInput)
		case "cost":
			m.Cost = r.cost(at, v)
		case "contextWindow":
			takePointer(r, at, v, &m.ContextWindow, readCount(0, 0))
		case "maxTokens":
			takePointer(r, at, v, &m.MaxTokens, readCount(0, 0))
		case "headers":
			m.Headers = r.texts(at, v)
		case "compat":
			take(r, at, v, &m.Compat, readObject)
		case "samplingParams":
			take(r, at, v, &m.Sampling, readObject)
		case "samplingParamsByThinkingLevel":
			m.SamplingByLevel = r.sampling(at, v)
		case "inputLimits":
			m.Limits = r.numbers(at, v, "maxRequestBytes", "images.maxPerMessage", "images.maxPerRequest",
				"images.resize.maxWidth", "images.resize.maxHeight", "images.resize.maxBytes", "images.resize.jpegQuality")
		case "promptCache":
			m.Cache = r.numbers(at, v, "short", "long")
		default:
			r.near(at, k, v, "id", "name", "api", "baseUrl", "reasoning", "thinkingLevelMap", "input", "inputLimits", "cost", "promptCache",
				"contextWindow", "maxTokens", "samplingParams", "samplingParamsByThinkingLevel", "headers", "compat")
		}
	}
	if id != "" {
		m.ID = id
	}
	if m.ID == "" {
		r.tell(key, v, errors.New("has no id; left out"))
		return Model{}, false
	}
	return m, true
}

// take reads a value into at, or tells why not.
func take[T any](r *modelReader, key string, v []byte, at *T, read func([]byte) (T, error)) {
	x, err := read(v)
	if err != nil {
		r.tell(key, v, err)
	}
	if !isWrong(err) {
		*at = x
	}
}

func takePointer[T any](r *modelReader, key string, v []byte, at **T, read func([]byte) (T, error)) {
	take(r, key, v, at, func(v []byte) (*T, error) {
		x, err := read(v)
		return &x, err
	})
}

// texts reads an object of texts.
func (r *modelReader) texts(key string, v []byte) map[string]string {
	out := map[string]string{}
	for k, e := range r.members(key, v) {
		s, err := readText(e)
		if err != nil {
			r.tell(below(key, k), e, err)
			continue
		}
		out[k] = s
	}
	return out
}

func (r *modelReader) levels(key string, v []byte) map[string]*string {
	out := map[string]*string{}
	for k, e := range r.members(key, v) {
		switch {
		case !slices.Contains(levels(), k):
			r.tell(below(key, k), e, errors.New("is no thinking level; ignored"))
		case isNull(e):
			out[k] = nil
		default:
			s, err := readText(e)
			if err != nil {
				r.tell(below(key, k), e, err)
				continue
			}
			out[k] = &s
		}
	}
	return out
}

// near tells of a key that is not known but looks like one that is. Others may be
// for other programs.
func (r *modelReader) near(at, key string, v []byte, known ...string) {
	plain := func(s string) string { return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(s)) }
	for _, k := range known {
		if p, q := plain(key), plain(k); p == q || p+"s" == q || p == q+"s" {
			r.tell(at, v, fmt.Errorf("is not known; is it %s? Ignored", k))
			return
		}
	}
}

// sampling reads parameters by thinking level.
func (r *modelReader) sampling(key string, v []byte) map[string]map[string]any {
	out := map[string]map[string]any{}
	for level, e := range r.members(key, v) {
		if !slices.Contains(levels(), level) {
			r.tell(below(key, level), e, errors.New("is no thinking level; ignored"))
			continue
		}
		var params map[string]any
		take(r, below(key, level), e, &params, readObject)
		out[level] = params
	}
	return out
}

// numbers reads an object of counts, to any depth, by their places in it.
func (r *modelReader) numbers(key string, v []byte, known ...string) map[string]int64 {
	out := map[string]int64{}
	var walk func(place string, v []byte)
	walk = func(place string, v []byte) {
		for k, e := range r.members(below(key, place), v) {
			at := below(place, k)
			switch {
			case slices.Contains(known, at):
				var n int64
				take(r, below(key, at), e, &n, readCount(0, 1<<40))
				out[at] = n
			case slices.ContainsFunc(known, func(s string) bool { return strings.HasPrefix(s, at+".") }):
				walk(at, e)
			}
		}
	}
	walk("", v)
	return out
}

// tiers reads prices by the size of the request.
func (r *modelReader) tiers(key string, v []byte) []Tier {
	if rawjson.Kind(v) != '[' {
		r.tell(key, v, wrong("a list", v))
		return nil
	}
	out := []Tier{}
	i := 0
	for e := range rawjson.Elements(v) {
		at := key + "[" + strconv.Itoa(i) + "]"
		i++
		if rawjson.Kind(e) != '{' {
			r.tell(at, e, wrong("an object", e))
			continue
		}
		var t Tier
		ok := true
		for _, f := range []struct {
			name string
			at   *float64
		}{{"input", &t.Input}, {"output", &t.Output}, {"cacheRead", &t.CacheRead}, {"cacheWrite", &t.CacheWrite}} {
			n, has := rawjson.Number(rawjson.Get(e, f.name))
			if ok = ok && has; has {
				*f.at = n
			}
		}
		above, has := rawjson.Number(rawjson.Get(e, "inputTokensAbove"))
		if !ok || !has || above < 0 || above > 1e12 {
			r.tell(at, e, errors.New("lacks one of the numbers inputTokensAbove, input, output, cacheRead, cacheWrite; left out"))
			continue
		}
		t.Above = int64(above)
		out = append(out, t)
	}
	return out
}

func (r *modelReader) cost(key string, v []byte) *Cost {
	var c Cost
	if rawjson.Kind(v) != '{' {
		r.tell(key, v, wrong("an object", v))
		return nil
	}
	for k, e := range rawjson.Members(v) {
		var at **float64
		switch k {
		case "input":
			at = &c.Input
		case "output":
			at = &c.Output
		case "cacheRead":
			at = &c.CacheRead
		case "cacheWrite":
			at = &c.CacheWrite
		case "tiers":
			c.Tiers = r.tiers(below(key, k), e)
			continue
		default:
			continue
		}
		takePointer(r, below(key, k), e, at, func(v []byte) (float64, error) {
			f, ok := rawjson.Number(v)
			if !ok {
				return 0, wrong("a number", v)
			}
			return f, nil
		})
	}
	return &c
}

func readObject(v []byte) (map[string]any, error) {
	if rawjson.Kind(v) != '{' {
		return nil, wrong("an object", v)
	}
	var out map[string]any
	if err := json.Unmarshal(v, &out); err != nil {
		return nil, errWrong{"an object", "one with a number out of range"}
	}
	return out, nil
}

// readInput reads the kinds of input; others than text and image are left out.
func readInput(v []byte) ([]string, error) {
	list, err := readList(v)
	if isWrong(err) {
		return nil, err
	}
	known := slices.DeleteFunc(slices.Clone(list), func(s string) bool { return s != "text" && s != "image" })
	if len(known) < len(list) {
		err = fmt.Errorf("knows only text and image, not all of %q", list)
	}
	return known, err
}
