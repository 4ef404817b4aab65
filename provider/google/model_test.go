package google

import (
	"context"
	"testing"

	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/provider/providertest"
)

func TestModel(t *testing.T) {
	for _, id := range []string{"gemini-2.5-flash", "gemini-3-pro-preview"} {
		t.Run(id, func(t *testing.T) {
			providertest.Run(t, func(base string) provider.Model {
				return New(provider.Endpoint{
					Info: provider.Info{ID: id, API: "google-generative-ai", Provider: "p", BaseURL: base + "/v1beta", Reasoning: true, Input: []string{"text", "image"}, MaxTokens: 8192,
						Cost: provider.Price{Input: 1, Output: 2}},
					Key: func(context.Context) (string, error) { return providertest.Key, nil },
				})
			})
		})
	}
}
