package config

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

const modelsFile = `// my models
{
  "$schema": "https://example.com/schema.json",
  "providers": {
    "ollama": {
      "baseUrl": "http://localhost:11434/v1", // local
      "api": "openai-completions",
      "apiKey": "ollama",
      "compat": {"supportsStore": false},
      "models": [
        {"id": "qwen:7b", "name": "Qwen", "input": ["text", "image", "smell"], "cost": {"input": 1, "output": "2"},},
        {"name": "no id"},
        7,
        {"id": "r", "reasoning": true, "contextWindow": "big", "maxTokens": 100, "thinkingLevelMap": {"off": null, "high": "hard", "huge": "x"}},
      ],
    },
    "broken": [],
    "anthropic": {
      "headers": {"X-A": "$A", "X-B": 5},
      "authHeader": "yes",
      "modelOverrides": {"claude": {"name": "C", "cost": {"cacheRead": 0}, "samplingParams": {"top_k": 1}}, "bad": null}
    }
  }
}`

func TestParseModels(t *testing.T) {
	m, problems := ParseModels("models.json", []byte(modelsFile))
	var told []string
	for _, p := range problems {
		told = append(told, p.String())
	}
	want := []string{
		`models.json:11: providers.ollama.models[0].input: knows only text and image, not all of ["text" "image" "smell"]`,
		"models.json:11: providers.ollama.models[0].cost.output: wants a number, not a text; ignored",
		"models.json:12: providers.ollama.models[1]: has no id; left out",
		"models.json:13: providers.ollama.models[2]: wants an object, not such a number; ignored",
		"models.json:14: providers.ollama.models[3].contextWindow: wants a number, not a text; ignored",
		"models.json:14: providers.ollama.models[3].thinkingLevelMap.huge: is no thinking level; ignored",
		"models.json:17: providers.broken: wants an object, not a list; ignored",
		"models.json:19: providers.anthropic.headers.X-B: wants a text, not such a number; ignored",
		"models.json:20: providers.anthropic.authHeader: wants true or false, not a text; ignored",
		"models.json:21: providers.anthropic.modelOverrides.bad: wants an object, not null; ignored",
	}
	if !slices.Equal(told, want) {
		t.Errorf("problems\n%q, want\n%q", told, want)
	}
	got, err := json.Marshal(m.Providers)
	if err != nil {
		t.Fatal(err)
	}
	for i := range m.Providers {
		for j := range m.Providers[i].Models {
			m.Providers[i].Models[j].Raw = nil
		}
	}
	if len(m.Providers) != 2 || m.Providers[0].ID != "ollama" || m.Providers[1].ID != "anthropic" {
		t.Fatalf("providers %s", got)
	}
	o, a := m.Providers[0], m.Providers[1]
	if o.BaseURL != "http://localhost:11434/v1" || o.API != "openai-completions" || o.APIKey != "ollama" || o.Compat["supportsStore"] != false || o.Line != 5 || len(o.Models) != 2 {
		t.Errorf("ollama: %+v", o)
	}
	if q := o.Models[0]; q.ID != "qwen:7b" || q.Name != "Qwen" || !slices.Equal(q.Input, []string{"text", "image"}) || *q.Cost.Input != 1 || q.Cost.Output != nil {
		t.Errorf("qwen: %+v", q)
	}
	if r := o.Models[1]; !*r.Reasoning || r.ContextWindow != nil || *r.MaxTokens != 100 || len(r.ThinkingLevels) != 2 || r.ThinkingLevels["off"] != nil || *r.ThinkingLevels["high"] != "hard" {
		t.Errorf("r: %+v", r)
	}
	if len(a.Overrides) != 1 || a.Overrides[0].ID != "claude" || *a.Overrides[0].Cost.CacheRead != 0 || a.AuthHeader != nil || a.Headers["X-A"] != "$A" || len(a.Headers) != 1 {
		t.Errorf("anthropic: %+v", a)
	}
}

func TestParseModelsOddFiles(t *testing.T) {
	for _, tt := range []struct {
		name, doc string
		providers int
		problem   string
	}{
		{"empty", "", 0, ""},
		{"only a comment", "// nothing yet\n", 0, ""},
		{"no providers", "{}", 0, ""},
		{"null", `{"providers":null}`, 0, ""},
		{"not JSON", "{\n\n]", 0, "m:3: is no JSON object; nothing in it is used"},
		{"a list", "[]", 0, "m: is no JSON object; nothing in it is used"},
		{"providers that are a list", `{"providers":[]}`, 0, "m:1: providers: wants an object, not a list; ignored"},
		{"a repeated provider", `{"providers":{"a":{"name":"1"},"a":{"name":"2"}}}`, 1, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, problems := ParseModels("m", []byte(tt.doc))
			if len(m.Providers) != tt.providers || len(problems) > 1 || (len(problems) == 1) != (tt.problem != "") || tt.problem != "" && problems[0].String() != tt.problem {
				t.Errorf("%d providers, problems %v", len(m.Providers), problems)
			}
		})
	}
}

func FuzzParseModels(f *testing.F) {
	f.Add([]byte(modelsFile))
	f.Add([]byte(`{"providers":{"":{"models":[{"id":"\ud800","cost":{"input":1e999},"compat":{"a":1e999}}]}}}`))
	f.Fuzz(func(t *testing.T, doc []byte) {
		m, _ := ParseModels("m", doc)
		for _, p := range m.Providers {
			for _, model := range p.Models {
				if model.ID == "" {
					t.Fatal("a model without id")
				}
			}
		}
	})
}

// What a model may have besides: prices by size, parameters, limits. A fault costs
// only its part, and a slip of the pen is named.
func TestParseModelsToTheLastField(t *testing.T) {
	m, problems := ParseModels("models.json", []byte(`{"providers":{"p":{"baseurl":"x","oauth":"radius","apiKeys":"k","future":1,"models":[
{"id":"m","contextwindow":5,"cost":{"input":1,"output":2,"cacheRead":0,"cacheWrite":0,"tiers":[{"inputTokensAbove":200000,"input":2,"output":4,"cacheRead":0,"cacheWrite":0},{"input":1},7]},
"samplingParams":{"temperature":0.5},"samplingParamsByThinkingLevel":{"high":{"top_k":20},"huge":{},"low":3},
"inputLimits":{"maxRequestBytes":1000,"images":{"maxPerRequest":"x","resize":{"maxWidth":1568,"odd":1}},"x":1},"promptCache":{"short":300,"long":-1}},
{"id":"n","cost":{"tiers":{}},"inputLimits":[],"promptCache":5,"samplingParams":[]}]}}}`))
	var told []string
	for _, p := range problems {
		told = append(told, p.String())
	}
	want := []string{
		"models.json:1: providers.p.baseurl: is not known; is it baseUrl? Ignored",
		"models.json:1: providers.p.oauth: bough has no sign-in for a server of models.json; ignored. Give apiKey, or run bough auth login p",
		"models.json:1: providers.p.apiKeys: is not known; is it apiKey? Ignored",
		"models.json:2: providers.p.models[0].contextwindow: is not known; is it contextWindow? Ignored",
		"models.json:2: providers.p.models[0].cost.tiers[1]: lacks one of the numbers inputTokensAbove, input, output, cacheRead, cacheWrite; left out",
		"models.json:2: providers.p.models[0].cost.tiers[2]: wants an object, not such a number; ignored",
		"models.json:3: providers.p.models[0].samplingParamsByThinkingLevel.huge: is no thinking level; ignored",
		"models.json:3: providers.p.models[0].samplingParamsByThinkingLevel.low: wants an object, not such a number; ignored",
		"models.json:4: providers.p.models[0].inputLimits.images.maxPerRequest: wants a number, not a text; ignored",
		"models.json:4: providers.p.models[0].promptCache.long: ",
		"models.json:5: providers.p.models[1].cost.tiers: wants a list, not an object; ignored",
		"models.json:5: providers.p.models[1].inputLimits: wants an object, not a list; ignored",
		"models.json:5: providers.p.models[1].promptCache: wants an object, not such a number; ignored",
		"models.json:5: providers.p.models[1].samplingParams: wants an object, not a list; ignored",
	}
	if !slices.EqualFunc(told, want, strings.HasPrefix) {
		t.Errorf("problems\n%s, want\n%s", strings.Join(told, "\n"), strings.Join(want, "\n"))
	}
	got := m.Providers[0].Models[0]
	if tiers := got.Cost.Tiers; len(tiers) != 1 || tiers[0] != (Tier{200000, 2, 4, 0, 0}) {
		t.Errorf("tiers %+v", tiers)
	}
	if got.Sampling["temperature"] != 0.5 || got.SamplingByLevel["high"]["top_k"] != 20.0 || got.Limits["images.resize.maxWidth"] != 1568 || got.Limits["maxRequestBytes"] != 1000 || got.Cache["short"] != 300 {
		t.Errorf("%+v", got)
	}
}
