package openai

import (
	"context"
	"testing"

	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/provider/providertest"
)

func TestModel(t *testing.T) {
	providertest.Run(t, func(base string) provider.Model {
		return New(provider.Endpoint{
			Info: provider.Info{ID: "m", API: "openai-responses", Provider: "p", BaseURL: base + "/v1", Reasoning: true, Input: []string{"text", "image"}, MaxTokens: 8192,
				Cost: provider.Price{Input: 1, Output: 2}},
			Key: func(context.Context) (string, error) { return providertest.Key, nil },
		})
	})
}

func TestAzure(t *testing.T) {
	providertest.Run(t, func(base string) provider.Model {
		return New(provider.Endpoint{
			Info: provider.Info{ID: "gpt-5.4", API: "azure-openai-responses", Provider: "azure", BaseURL: base + "/openai/v1?api-version=v1", Reasoning: true, Input: []string{"text", "image"}, MaxTokens: 8192,
				Cost: provider.Price{Input: 1, Output: 2}},
			Key: func(context.Context) (string, error) { return providertest.Key, nil },
		})
	})
}
