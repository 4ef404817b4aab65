package provider

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/boughdev/bough/internal/rawjson"
)

// Limits are what a model takes of input (pi's docs/models-configuration.md,
// "Input limits"). A number is 0 if nothing is said.
type Limits struct {
	MaxRequestBytes int64       `json:"maxRequestBytes,omitempty"`
	Images          ImageLimits `json:"images,omitzero"`
}

// ImageLimits are those of images. Resize says how a new image is made smaller
// before it enters a conversation.
type ImageLimits struct {
	Resize        Resize `json:"resize,omitzero"`
	MaxPerMessage int64  `json:"maxPerMessage,omitempty"`
	MaxPerRequest int64  `json:"maxPerRequest,omitempty"`
}

// Resize is a size in pixels and bytes of base64.
type Resize struct {
	MaxWidth    int64 `json:"maxWidth,omitempty"`
	MaxHeight   int64 `json:"maxHeight,omitempty"`
	MaxBytes    int64 `json:"maxBytes,omitempty"`
	JPEGQuality int64 `json:"jpegQuality,omitempty"`
}

// CacheLifetime is how long a provider keeps a prompt warm, in seconds.
type CacheLifetime struct {
	Short int64 `json:"short,omitempty"`
	Long  int64 `json:"long,omitempty"`
}

// PriceTier is what a request costs whose whole input has more tokens than Above.
type PriceTier struct {
	Above      int64   `json:"inputTokensAbove"`
	Input      float64 `json:"input"`
	Output     float64 `json:"output"`
	CacheRead  float64 `json:"cacheRead"`
	CacheWrite float64 `json:"cacheWrite"`
}

// of returns the price of a request by its whole input, in tokens.
func (p Price) of(input int64) Price {
	above := int64(-1)
	out := p
	for _, t := range p.Tiers {
		if input > t.Above && t.Above > above {
			above = t.Above
			out = Price{Input: t.Input, Output: t.Output, CacheRead: t.CacheRead, CacheWrite: t.CacheWrite}
		}
	}
	return out
}

// WithSampling puts the parameters into a request that the model is configured
// with: its own, and over them those of the thinking level. What the request says
// already they replace.
func WithSampling(body []byte, i Info, thinking string) []byte {
	if len(i.Sampling) == 0 && len(i.SamplingByLevel) == 0 {
		return body
	}
	if thinking == "" {
		thinking = "off"
	}
	params := maps.Clone(i.Sampling)
	if params == nil {
		params = map[string]any{}
	}
	maps.Copy(params, i.SamplingByLevel[i.Clamp(thinking)])
	for _, name := range slices.Sorted(maps.Keys(params)) {
		v, err := json.Marshal(params[name])
		if err != nil {
			continue // it came out of JSON
		}
		body = rawjson.Set(body, name, v)
	}
	return body
}
