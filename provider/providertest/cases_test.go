package providertest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/provider/anthropic"
	"github.com/boughdev/bough/provider/bedrock"
	"github.com/boughdev/bough/provider/chat"
	"github.com/boughdev/bough/provider/google"
	"github.com/boughdev/bough/provider/openai"
	"github.com/boughdev/bough/provider/providertest"
)

// catcher keeps the body of a request and answers nothing.
type catcher struct{ body []byte }

func (c *catcher) RoundTrip(r *http.Request) (*http.Response, error) {
	var err error
	if c.body, err = io.ReadAll(r.Body); err != nil {
		return nil, err
	}
	return nil, errors.New("caught")
}

// Every context of every session case can be sent over every API.
func TestSessionCasesCanBeSent(t *testing.T) {
	for _, file := range cases(t) {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var dump struct {
			Contexts map[string]struct{ LLM []string }
			Pool     map[string]json.RawMessage
		}
		if json.Unmarshal(raw, &dump) != nil {
			continue // a list
		}
		for leaf, c := range dump.Contexts {
			msgs := make([]message.Message, 0, len(c.LLM)+1)
			for _, h := range c.LLM {
				m, err := message.Decode(dump.Pool[h])
				if err != nil {
					t.Fatal(err)
				}
				msgs = append(msgs, m)
			}
			msgs = append(msgs, message.Message{Role: message.User, Content: []message.Block{message.Text("and?")}})
			for _, api := range []struct {
				name, id, by string
				make         func(provider.Endpoint) provider.Model
				check        func([]byte) []string
			}{
				{"anthropic-messages", "claude-sonnet-4-5", "anthropic", anthropic.New, providertest.CheckAnthropic},
				{"openai-responses", "gpt-5", "openai", openai.New, providertest.CheckResponses},
				{"openai-completions", "gpt-4o-mini", "openai", chat.New, providertest.CheckChat},
				{"azure-openai-responses", "gpt-5", "azure", openai.New, providertest.CheckResponses},
				{"bedrock-converse-stream", "us.anthropic.claude-sonnet-4-5-20250929-v1:0", "amazon-bedrock", bedrock.New, providertest.CheckBedrock},
				{"mistral-conversations", "mistral-medium-3.5", "mistral", chat.New, providertest.CheckMistral},
				{"google-generative-ai", "gemini-2.5-flash", "google", google.New, providertest.CheckGoogle},
				{"google-generative-ai", "gemini-3.1-pro-preview", "google", google.New, providertest.CheckGoogle},
			} {
				var caught catcher
				m := api.make(provider.Endpoint{Info: provider.Info{ID: api.id, API: api.name, Provider: api.by, Reasoning: true, Input: []string{"text", "image"}, MaxTokens: 8000}, Key: func(context.Context) (string, error) { return "k", nil }, Client: &http.Client{Transport: &caught}})
				for range m.Stream(t.Context(), provider.Request{Messages: msgs, Thinking: "high"}) {
				}
				if bad := api.check(caught.body); len(bad) > 0 {
					t.Errorf("%s at %s over %s: %s\n%s", filepath.Base(file), leaf, api.name, strings.Join(bad, "\n"), bytes.TrimSpace(caught.body))
				}
			}
		}
	}
}

// cases returns the dumps of the session cases that are kept beside the module,
// or skips the test.
func cases(t *testing.T) []string {
	t.Helper()
	shared := []string{os.Getenv("BOUGH_SHARED")}
	for dir, _ := os.Getwd(); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		shared = append(shared, filepath.Join(dir, "shared"))
	}
	for _, dir := range shared {
		if files, _ := filepath.Glob(filepath.Join(dir, "conformance/session/*.expected.json")); len(files) > 0 {
			return files
		}
	}
	t.Skip("no folder shared/conformance above this one; BOUGH_SHARED can name where shared is")
	return nil
}
