package providertest_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/provider/anthropic"
	"github.com/boughdev/bough/provider/bedrock"
	"github.com/boughdev/bough/provider/chat"
	"github.com/boughdev/bough/provider/google"
	"github.com/boughdev/bough/provider/openai"
	"github.com/boughdev/bough/provider/providertest"
)

// A family is a kind of models that are asked alike.
type family struct {
	name     string
	api      string
	by, id   string
	make     func(provider.Endpoint) provider.Model
	check    func(body []byte) []string
	messages string // the member of a request that has the conversation
	compat   map[string]any
	blind    bool // takes no images
}

// families has a line for each.
var families = []family{
	{name: "Anthropic", api: "anthropic-messages", by: "anthropic", id: "claude-sonnet-4-5", make: anthropic.New, check: providertest.CheckAnthropic, messages: "messages"},
	{name: "Anthropic with system messages in place", api: "anthropic-messages", by: "anthropic", id: "claude-opus-5", make: anthropic.New, check: providertest.CheckAnthropic, messages: "messages",
		compat: map[string]any{"supportsMidConvoSystemMessages": true}},
	{name: "a server like Anthropic", api: "anthropic-messages", by: "kimi-coding", id: "k2", make: anthropic.New, check: providertest.CheckAnthropic, messages: "messages", compat: map[string]any{"supportsCacheControlOnTools": false}, blind: true},
	{name: "OpenAI Responses", api: "openai-responses", by: "openai", id: "gpt-5", make: openai.New, check: providertest.CheckResponses, messages: "input"},
	{name: "OpenAI Chat", api: "openai-completions", by: "openai", id: "gpt-4o-mini", make: chat.New, check: providertest.CheckChat, messages: "messages"},
	{name: "OpenRouter", api: "openai-completions", by: "openrouter", id: "anthropic/claude-sonnet-4-5", make: chat.New, check: providertest.CheckChat, messages: "messages"},
	{name: "DeepSeek", api: "openai-completions", by: "deepseek", id: "deepseek-reasoner", make: chat.New, check: providertest.CheckChat, messages: "messages", blind: true},
	{name: "a local server", api: "openai-completions", by: "ollama", id: "qwen3", make: chat.New, check: providertest.CheckChat, messages: "messages", blind: true,
		compat: map[string]any{"requiresThinkingAsText": true, "requiresAssistantAfterToolResult": true, "requiresNonNullAssistantContent": true}},
	{name: "Google", api: "google-generative-ai", by: "google", id: "gemini-2.5-pro", make: google.New, check: providertest.CheckGoogle, messages: "contents"},
	{name: "Azure", api: "azure-openai-responses", by: "azure-openai-responses", id: "gpt-5.1", make: openai.New, check: providertest.CheckResponses, messages: "input"},
	{name: "Mistral", api: "mistral-conversations", by: "mistral", id: "magistral-medium", make: chat.New, check: providertest.CheckMistral, messages: "messages"},
	{name: "Claude at Bedrock", api: "bedrock-converse-stream", by: "amazon-bedrock", id: "us.anthropic.claude-sonnet-4-5-20250929-v1:0", make: bedrock.New, check: providertest.CheckBedrock, messages: "messages"},
	{name: "Nova at Bedrock", api: "bedrock-converse-stream", by: "amazon-bedrock", id: "amazon.nova-pro-v1:0", make: bedrock.New, check: checkNova, messages: "messages"},
	{name: "Gemini 3", api: "google-generative-ai", by: "google", id: "gemini-3-pro-preview", make: google.New, check: providertest.CheckGoogle, messages: "contents"},
}

// checkNova leaves out what only Claude demands at Bedrock.
func checkNova(body []byte) []string {
	return slices.DeleteFunc(providertest.CheckBedrock(body), func(s string) bool {
		return strings.Contains(s, "image in a result, status error") || strings.Contains(s, "thinking without signature")
	})
}

func (f family) info() provider.Info {
	i := provider.Info{ID: f.id, API: f.api, Provider: f.by, Reasoning: true, Input: []string{"text", "image"}, MaxTokens: 8000, Compat: f.compat}
	if f.blind {
		i.Input = i.Input[:1]
	}
	return i
}

// asks returns what sends requests to a new model of the family and returns them.
func (f family) asks(t *testing.T) func(provider.Request) []byte {
	var caught catcher
	i := f.info()
	if strings.Contains(f.api, "openai") && f.by == "openai" {
		i.BaseURL = "https://api.openai.com/v1"
	}
	if i.BaseURL == "" && f.by != "amazon-bedrock" {
		i.BaseURL = "https://model.example/v1"
	}
	m := f.make(provider.Endpoint{Info: i, Key: func(context.Context) (string, error) { return "k", nil }, Client: &http.Client{Transport: &caught}})
	return func(req provider.Request) []byte {
		t.Helper()
		caught.body = nil
		for range m.Stream(t.Context(), req) {
		}
		if caught.body == nil {
			t.Fatalf("%s sent nothing", f.name)
		}
		return caught.body
	}
}

// A conversation goes from any family to any other and back, whatever has been
// said and however it broke off.
func TestPairs(t *testing.T) {
	for _, from := range families {
		t.Run(from.name, func(t *testing.T) {
			t.Parallel()
			for _, to := range families {
				ask := to.asks(t)
				for seed := range uint64(10) {
					r := rand.New(rand.NewPCG(seed, 11))
					for _, msgs := range [][]message.Message{
						providertest.Through(r, from.info()),
						providertest.Through(r, from.info(), to.info()),
						providertest.Through(r, to.info(), from.info(), to.info()),
					} {
						for _, level := range []string{"off", "high"} {
							body := ask(provider.Request{Messages: msgs, Thinking: level, SessionID: strings.Repeat("s", 70)})
							if bad := to.check(body); len(bad) > 0 {
								t.Fatalf("from %s to %s, seed %d, thinking %s: %s\n%s", from.name, to.name, seed, level, strings.Join(bad, "\n"), body)
							}
							if !bytes.Contains(body, []byte("and now?")) {
								t.Fatalf("from %s to %s, seed %d: the question is not in %s", from.name, to.name, seed, body)
							}
						}
					}
				}
			}
		})
	}
}

// What a request is sent without is sent as well as the rest.
func TestPairsWithout(t *testing.T) {
	faults := []provider.Fault{provider.Images, provider.ManyImages, provider.Thoughts, provider.ThinkingMode, provider.Calls, provider.Texts, provider.Roles,
		provider.Prefill, provider.CacheMarks, provider.BadTool, provider.AllTools, provider.Parameter}
	for _, to := range families {
		t.Run(to.name, func(t *testing.T) {
			t.Parallel()
			ask := to.asks(t)
			for seed := range uint64(15) {
				r := rand.New(rand.NewPCG(seed, 12))
				req := provider.Request{Messages: providertest.Through(r, to.info(), families[r.IntN(len(families))].info(), to.info()), Thinking: "high", SessionID: "s"}
				for _, f := range faults {
					o := provider.Omission{Fault: f}
					if f == provider.Parameter {
						o.Name = "prompt_cache_key"
					}
					less := req.Without(o, r.IntN(len(req.Messages)+1))
					body := ask(less)
					if bad := to.check(body); len(bad) > 0 {
						t.Fatalf("%s, seed %d, without %s: %s\n%s", to.name, seed, o, strings.Join(bad, "\n"), body)
					}
					if f == provider.CacheMarks && bytes.Contains(body, []byte("cache_control")) || f == provider.Parameter && bytes.Contains(body, []byte(`"prompt_cache_key"`)) {
						t.Fatalf("%s: %s is still in %s", to.name, o, body)
					}
				}
			}
		})
	}
}

// parts returns what caches go by: tools, prompt and then one message after the
// other, without the marks that tell how far to cache.
func (f family) parts(t *testing.T, body []byte) []string {
	var out []string
	for _, k := range []string{"tools", "system", "systemInstruction", "toolConfig", "toolConfiguration"} {
		out = append(out, k+" "+string(rawjson.Get(body, k)))
	}
	for m := range rawjson.Elements(rawjson.Get(body, f.messages)) {
		out = append(out, string(m))
	}
	for i, p := range out {
		p = strings.ReplaceAll(p, `,"cache_control":{"type":"ephemeral"}`, "")
		p = strings.ReplaceAll(p, `,{"cachePoint":{"type":"default"}}`, "")
		p = strings.ReplaceAll(p, `,"prefix":true`, "") // Mistral: an answer that is to be gone on with
		if f.api == "openai-completions" {
			p = marked.ReplaceAllString(p, `"content":$1`) // a text that is marked is a part of its own
		}
		out[i] = p
	}
	return out
}

var marked = regexp.MustCompile(`"content":\[\{"type":"text","text":("(?:[^"\\]|\\.)*")\}\]`)

// The request of the next turn begins with that of the last one, and so do those
// of two branches from one place, byte for byte: caches stay warm.
func TestStablePrefixes(t *testing.T) {
	for _, f := range families {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(20) {
				r := rand.New(rand.NewPCG(seed, 13))
				msgs := steady(t, providertest.Through(r, f.info(), families[r.IntN(len(families))].info(), f.info()))
				ask := f.asks(t)
				var before []string
				var at int
				for n := 2; n <= len(msgs); n++ { // with a system message alone nobody asks
					if msgs[n-1].Role == message.Assistant || n < len(msgs) && msgs[n].Role == message.ToolResult {
						continue // nobody is asked here
					}
					now := f.parts(t, ask(provider.Request{Messages: msgs[:n], Thinking: "low", SessionID: "s"}))
					if again := f.parts(t, f.asks(t)(provider.Request{Messages: reread(t, msgs[:n]), Thinking: "low", SessionID: "s"})); !slices.Equal(now, again) {
						t.Fatalf("seed %d: read from disk it is another request:\n%s\n%s", seed, strings.Join(now, "\n"), strings.Join(again, "\n"))
					}
					if before != nil {
						begins(t, fmt.Sprintf("%s, seed %d, from %d to %d messages", f.name, seed, at, n), now, before)
					}
					before, at = now, n
				}
				// Two branches from one place: up to there they are asked alike.
				base := f.parts(t, f.asks(t)(provider.Request{Messages: msgs, Thinking: "low", SessionID: "s"}))
				for _, word := range []string{"left", "right"} {
					branch := append(slices.Clip(msgs), say(t, `{"role":"assistant","content":[{"type":"text","text":"`+word+`"}],"api":"`+f.api+`","provider":"`+f.by+`","model":"`+f.id+`","stopReason":"stop","timestamp":1}`),
						say(t, `{"role":"user","content":"`+word+`?","timestamp":1}`))
					begins(t, f.name+", branch "+word, f.parts(t, ask(provider.Request{Messages: branch, Thinking: "low", SessionID: "s"})), base)
				}
			}
		})
	}
}

// begins holds that one request begins with another. The last message of the
// shorter may go on in the longer.
func begins(t *testing.T, what string, long, short []string) {
	t.Helper()
	if n := len(short) - 1; strings.Contains(short[n], `[{"text":"(Go on.)"}]`) {
		short = short[:n] // words in the place of a result that was of no call
	}
	if len(long) < len(short) {
		t.Fatalf("%s: the request got shorter:\n%s\n%s", what, strings.Join(short, "\n"), strings.Join(long, "\n"))
	}
	for i, p := range short {
		if long[i] == p || i == len(short)-1 && strings.HasPrefix(long[i], strings.TrimRight(p, "]}\"")) {
			continue
		}
		t.Fatalf("%s: part %d was\n%s\nand is\n%s", what, i, p, long[i])
	}
}

// steady leaves out what changes requests for good reason: later system messages
// that change prompt or tools, answers that failed, and messages in the places of
// which APIs want something else.
func steady(t *testing.T, msgs []message.Message) []message.Message {
	var out []message.Message
	for _, m := range msgs {
		blank := strings.TrimSpace(m.Text("")) == "" && !slices.ContainsFunc(m.Content, func(b message.Block) bool { return b.Type == message.ImageBlock && b.Data != "" })
		switch {
		case m.Role == message.System && len(out) == 0:
			out = append(out, m, say(t, `{"role":"user","content":"begin","timestamp":1}`))
		case m.Role == message.System, m.StopReason == message.Failed, m.StopReason == message.Aborted, m.Role == message.User && blank:
		default:
			out = append(out, m)
		}
	}
	return out
}

func say(t *testing.T, raw string) message.Message {
	t.Helper()
	m, err := message.Decode([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// reread returns the messages as another process reads them.
func reread(t *testing.T, msgs []message.Message) []message.Message {
	out := make([]message.Message, len(msgs))
	for i, m := range msgs {
		out[i] = say(t, string(bytes.Clone(m.JSON())))
	}
	return out
}
