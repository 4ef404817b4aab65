package chat

import (
	"context"
	"testing"

	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/provider/providertest"
)

func TestModel(t *testing.T) {
	providertest.Run(t, func(base string) provider.Model {
		return New(provider.Endpoint{
			Info: provider.Info{ID: "m", API: "openai-completions", Provider: "p", BaseURL: base + "/v1", Reasoning: true, Input: []string{"text", "image"}, MaxTokens: 8192,
				Cost: provider.Price{Input: 1, Output: 2}},
			Key: func(context.Context) (string, error) { return providertest.Key, nil },
		})
	})
}

func TestMistral(t *testing.T) {
	providertest.Run(t, func(base string) provider.Model {
		return New(provider.Endpoint{
			Info: provider.Info{ID: "m", API: "mistral-conversations", Provider: "mistral", BaseURL: base + "/mistral", Reasoning: true, Input: []string{"text", "image"}, MaxTokens: 8192,
				Cost: provider.Price{Input: 1, Output: 2}},
			Key: func(context.Context) (string, error) { return providertest.Key, nil },
		})
	})
}
