package anthropic

import (
	"context"
	"testing"

	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/provider/providertest"
)

func TestModel(t *testing.T) {
	providertest.Run(t, func(base string) provider.Model {
		return New(provider.Endpoint{
			Info: provider.Info{ID: "m", API: "anthropic-messages", Provider: "p", BaseURL: base, Reasoning: true, Input: []string{"text", "image"}, MaxTokens: 8192,
				Cost: provider.Price{Input: 1, Output: 2}},
			Key: func(context.Context) (string, error) { return providertest.Key, nil },
		})
	})
}
