package control_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/internal/fakellm"
	"github.com/boughdev/bough/internal/prompt"
	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/provider/anthropic"
	"github.com/boughdev/bough/provider/bedrock"
	"github.com/boughdev/bough/provider/chat"
	"github.com/boughdev/bough/provider/google"
	"github.com/boughdev/bough/provider/openai"
	"github.com/boughdev/bough/provider/providertest"
	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/session/filestore"
)

// A picky server refuses requests as long as something is in them.
type picky struct {
	refuses func(body string) bool
	status  int
	answer  string
	stream  bool // the refusal comes as an event
	check   func([]byte) []string
	next    http.Handler

	mu       sync.Mutex
	requests int      // guarded by mu
	wrong    []string // what the strict check found; guarded by mu
}

func (p *picky) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	p.mu.Lock()
	p.requests++
	p.wrong = append(p.wrong, p.check(body)...)
	p.mu.Unlock()
	if !p.refuses(string(body)) {
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		p.next.ServeHTTP(w, r)
		return
	}
	if p.stream {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, "event: response.failed\ndata: "+p.answer+"\n\n")
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(p.status)
	io.WriteString(w, p.answer)
}

func (p *picky) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.requests
}

type family struct {
	api, by, id string
	make        func(provider.Endpoint) provider.Model
	check       func([]byte) []string
	thinking    string // a block of the model's own, with what must come back
	call        string
	compat      map[string]any
}

var families = map[string]family{
	"anthropic": {api: "anthropic-messages", by: "anthropic", id: "claude-x", make: anthropic.New, check: providertest.CheckAnthropic,
		thinking: `{"type":"thinking","thinking":"hm","thinkingSignature":"SIGNED"}`, call: "toolu_1"},
	"responses": {api: "openai-responses", by: "openai", id: "gpt-x", make: openai.New, check: providertest.CheckResponses,
		thinking: `{"type":"thinking","thinking":"hm","thinkingSignature":"{\"id\":\"rs_1\",\"type\":\"reasoning\",\"summary\":[],\"encrypted_content\":\"SIGNED\"}"}`, call: "call_1|fc_1"},
	"chat": {api: "openai-completions", by: "local", id: "some-model", make: chat.New, check: providertest.CheckChat,
		thinking: `{"type":"thinking","thinking":"SIGNED","thinkingSignature":"reasoning_content"}`, call: "call_1", compat: map[string]any{"promptCacheKeyMode": "enabled"}},
	"mistral": {api: "mistral-conversations", by: "mistral", id: "magistral-medium", make: chat.New, check: providertest.CheckMistral,
		thinking: `{"type":"thinking","thinking":"SIGNED"}`, call: "abcdef123"},
	"azure": {api: "azure-openai-responses", by: "azure-openai-responses", id: "gpt-5", make: openai.New, check: providertest.CheckResponses,
		thinking: `{"type":"thinking","thinking":"hm","thinkingSignature":"{\"id\":\"rs_1\",\"type\":\"reasoning\",\"summary\":[],\"encrypted_content\":\"SIGNED\"}"}`, call: "call_1|fc_1"},
	"google": {api: "google-generative-ai", by: "google", id: "gemini-3-pro-preview", make: google.New, check: providertest.CheckGoogle,
		thinking: `{"type":"thinking","thinking":"hm","thinkingSignature":"U0lHTkVE"}`, call: "call_1"},
	"bedrock": {api: "bedrock-converse-stream", by: "amazon-bedrock", id: "anthropic.claude-sonnet-4-5-20250929-v1:0", make: bedrock.New, check: providertest.CheckBedrock,
		thinking: `{"type":"thinking","thinking":"hm","thinkingSignature":"U0lHTkVE"}`, call: "tooluse_1"},
}

const picture = "iVBORw0KGgo="

// history has what servers may refuse, in each kind of message.
func (f family) history() []string {
	const at = `"timestamp":"2026-01-01T00:00:00.000Z"`
	by := fmt.Sprintf(`"api":%q,"provider":%q,"model":%q,"usage":{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":2,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"timestamp":1`, f.api, f.by, f.id)
	return []string{
		`{"type":"message","id":"u0000001","parentId":null,` + at + `,"message":{"role":"user","content":[{"type":"text","text":"look"},{"type":"image","data":"` + picture + `","mimeType":"image/png"}],"timestamp":1}}`,
		`{"type":"message","id":"a0000001","parentId":"u0000001",` + at + `,"message":{"role":"assistant","content":[` + f.thinking + `,{"type":"text","text":"I read.","textSignature":"msg_1"},{"type":"toolCall","id":"` + f.call + `","name":"read","arguments":{"path":"x"}}],"stopReason":"toolUse",` + by + `}}`,
		`{"type":"message","id":"r0000001","parentId":"a0000001",` + at + `,"message":{"role":"toolResult","toolCallId":"` + f.call + `","toolName":"read","content":[{"type":"text","text":"seen\u0007"},{"type":"image","data":"` + picture + `","mimeType":"image/png"}],"isError":false,"timestamp":1}}`,
		`{"type":"message","id":"a0000002","parentId":"r0000001",` + at + `,"message":{"role":"assistant","content":[{"type":"text","text":"Nice."}],"stopReason":"stop",` + by + `}}`,
		`{"type":"message","id":"u0000002","parentId":"a0000002",` + at + `,"message":{"role":"user","content":[{"type":"text","text":"one"}],"timestamp":1}}`,
	}
}

func has(parts ...string) func(string) bool {
	return func(body string) bool {
		for _, p := range parts {
			if strings.Contains(body, p) {
				return true
			}
		}
		return false
	}
}

// A server that refuses a conversation for something in it gets it without that:
// at most two requests, and from then on one for each prompt.
func TestNoSessionIsBricked(t *testing.T) {
	claude := func(s string) string {
		return fmt.Sprintf(`{"type":"error","error":{"type":"invalid_request_error","message":%q}}`, s)
	}
	gpt := func(s string) string {
		return fmt.Sprintf(`{"error":{"message":%q,"type":"invalid_request_error"}}`, s)
	}
	gemini := func(s string) string {
		return fmt.Sprintf(`[{"error":{"code":400,"message":%q,"status":"INVALID_ARGUMENT"}}]`, s)
	}
	image := has(`"type":"image"`, `"input_image"`, `"image_url"`)
	tool := has(`"tool_use"`, `"tool_result"`, `"function_call"`, `"tool_calls"`, `"role":"tool"`)
	twoUsers := func(body string) bool {
		before := ""
		for m := range rawjson.Elements(rawjson.Get([]byte(body), "messages")) {
			role, _ := rawjson.GetString(m, "role")
			if role == before && role == "user" {
				return true
			}
			before = role
		}
		return false
	}
	for _, tt := range []struct {
		family  string
		status  int
		answer  string
		refuses func(string) bool
		entry   session.ID // that people are pointed to
	}{
		{"anthropic", 400, claude("Could not process image"), image, "r0000001"},
		{"anthropic", 400, claude("messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 7340032 bytes > 5242880 bytes"), image, "u0000001"},
		{"anthropic", 400, claude("messages.2.content.0.image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels"), image, "r0000001"},
		{"anthropic", 400, claude("messages: too many images and documents: 101 + 0 > 100"), image, "r0000001"},
		{"anthropic", 413, `{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}`, image, "r0000001"},
		{"anthropic", 400, claude("messages.1.content.0: Invalid `signature` in `thinking` block"), has("SIGNED"), "a0000001"},
		{"anthropic", 400, claude("messages.1.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified."), has("SIGNED"), "a0000001"},
		{"anthropic", 400, claude("messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`."), has(`"budget_tokens"`, "SIGNED"), "a0000001"},
		{"anthropic", 400, claude("messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1."), tool, "a0000001"},
		{"anthropic", 400, claude("messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_1."), tool, "r0000001"},
		{"anthropic", 400, claude("messages.1.content.2.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"), tool, "a0000001"},
		{"anthropic", 400, claude("messages: `tool_use` ids must be unique"), tool, "r0000001"},
		{"anthropic", 400, claude("messages.2.content.0: text content blocks must contain non-whitespace text"), has(`\u0007`), "r0000001"},
		{"anthropic", 400, claude("The request body is not valid JSON: no low surrogate in string: line 1 column 9"), has(`\u0007`), "r0000001"},
		{"anthropic", 400, claude("A maximum of 4 blocks with cache_control may be provided. Found 5."), has("cache_control"), ""},
		{"anthropic", 400, claude("tools.0.custom.eager_input_streaming: Extra inputs are not permitted"), has("eager_input_streaming"), ""},
		{"anthropic", 400, claude("tools.1.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12"), has(`"mcp_do"`), ""},
		{"responses", 400, gpt("The encrypted content for item rs_1 could not be verified."), has("SIGNED"), "a0000001"},
		{"responses", 404, gpt("Item with id 'rs_1' not found."), has("rs_1", "fc_1"), "a0000001"},
		{"responses", 400, gpt("Item 'rs_1' of type 'reasoning' was provided without its required following item."), has("rs_1"), "a0000001"},
		{"responses", 400, gpt("No tool output found for function call call_1."), tool, "r0000001"},
		{"responses", 400, gpt("Invalid 'prompt_cache_key': string too long. Expected a string with maximum length 64."), has("prompt_cache_key"), ""},
		{"responses", 400, gpt("Invalid schema for function 'mcp_do': schema must be a JSON Schema of 'type: \"object\"'."), has(`"mcp_do"`), ""},
		{"responses", 200, `{"type":"response.failed","response":{"error":{"code":"invalid_image_format","message":"You uploaded an unsupported image."}}}`, image, "r0000001"},
		{"chat", 400, gpt("An assistant message with 'tool_calls' must be followed by tool messages. The following tool_call_ids did not have response messages: call_1"), tool, "r0000001"},
		{"chat", 422, gpt("Failed to deserialize the JSON body into the target type: messages[1]: unknown variant `image_url`, expected `text`"), image, "r0000001"},
		{"chat", 404, `{"error":{"message":"No endpoints found that support image input","code":404}}`, image, "r0000001"},
		{"chat", 400, gpt("'messages.2' : property 'reasoning_content' is unsupported"), has("reasoning_content"), "a0000001"},
		{"chat", 400, `{"error":"registry.ollama.ai/library/gemma3:latest does not support tools"}`, has(`"tools"`, `"tool_calls"`), ""},
		{"chat", 500, gpt("Conversation roles must alternate user/assistant/user/assistant/..."), twoUsers, ""},
		{"chat", 400, gpt("Unknown parameter: 'prompt_cache_key'."), has("prompt_cache_key"), ""},
		{"mistral", 400, `{"object":"error","message":"Not the same number of function calls and responses","type":"invalid_request_error","code":"3230"}`, tool, "r0000001"},
		{"mistral", 400, `{"object":"error","message":"Tool call id was abcdef123 but must be a-z, A-Z, 0-9, with a length of 9.","type":"invalid_request_error"}`, tool, "r0000001"},
		{"azure", 400, gpt("The encrypted content gAAA...CwHs could not be verified."), has("SIGNED"), "a0000001"},
		{"azure", 400, gpt("Unsupported parameter: 'prompt_cache_key' is not supported with this model."), has("prompt_cache_key"), ""},
		{"google", 400, gemini("Unable to process input image. Please retry."), has("inlineData"), "r0000001"},
		{"google", 400, gemini("Function call is missing a thought_signature in functionCall parts. Additional data, function call `default_api:read` , position 2."), has("functionCall"), "r0000001"},
		{"google", 400, gemini("Please ensure that function call turn comes immediately after a user turn or after a function response turn."), has("functionCall"), "r0000001"},
		{"google", 400, gemini("Thought signature is not valid."), has("U0lHTkVE"), "a0000001"},
		{"google", 400, gemini("* GenerateContentRequest.tools[0].function_declarations[1].parameters.properties[x].type: must be specified."), has(`"mcp_do"`), ""},
		{"bedrock", 400, `{"message":"The model returned the following errors: messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 7340032 bytes > 5242880 bytes"}`, has(`"image"`), "u0000001"},
		{"bedrock", 400, `{"message":"The model returned the following errors: messages.1.content.0: Invalid ` + "`signature` in `thinking`" + ` block"}`, has("U0lHTkVE"), "a0000001"},
		{"bedrock", 400, `{"message":"The number of toolResult blocks at messages.2.content exceeds the number of toolUse blocks of previous turn."}`, has("toolUse", "toolResult"), "r0000001"},
		{"bedrock", 400, `{"message":"The text field in the ContentBlock object at messages.2.content.0 is blank. Add text to the text field, and try again."}`, has(`\u0007`), "r0000001"},
		{"bedrock", 400, `{"message":"You invoked an unsupported model or your request did not allow prompt caching: cachePoint is not supported."}`, has("cachePoint"), ""},
	} {
		t.Run(tt.family+" "+tt.answer, func(t *testing.T) {
			f := families[tt.family]
			p := &picky{refuses: tt.refuses, status: tt.status, answer: tt.answer, stream: tt.status == 200, check: f.check,
				next: fakellm.New(fakellm.Options{Script: fakellm.MustParse(`[{"reply":{"text":"fine"}}]`), Strict: true})}
			srv := httptest.NewServer(p)
			t.Cleanup(srv.Close)
			info := provider.Info{ID: f.id, Name: f.id, API: f.api, Provider: f.by, BaseURL: srv.URL, Reasoning: true, Input: []string{"text", "image"}, MaxTokens: 8000, Compat: f.compat}
			w := &world{t: t, store: filestore.Store{Root: t.TempDir()}}
			w.hub = control.NewHub(control.Options{
				Models: models{f.make(provider.Endpoint{Info: info, Key: func(context.Context) (string, error) { return "key", nil }})},
				Setup: func(_ context.Context, p control.Place, _ control.Was, _ control.Setup) (control.Setup, []string) {
					return control.Plain{Instructions: func([]message.ToolSpec) prompt.State {
						return prompt.Build(prompt.Options{Dir: p.Dir, Tools: []message.ToolSpec{
							{Name: "read", Description: "reads", Parameters: message.Value(`{"type":"object","properties":{"path":{"type":"string"}}}`)},
							{Name: "mcp_do", Description: "does", Parameters: message.Value(`{"type":"object","properties":{"x":{"type":"odd"}}}`)}}})
					}}, nil
				},
			})
			t.Cleanup(w.hub.Close)
			header := session.Header{CWD: "/srv"}.Complete()
			var lines [][]byte
			for _, l := range f.history() {
				lines = append(lines, []byte(l))
			}
			log, err := w.store.Create(t.Context(), header, lines...)
			if err != nil {
				t.Fatal(err)
			}
			log.Close()
			c := w.connect(control.Start{Open: header.ID, Store: w.store, Thinking: "high"})
			c.say("and now?")
			if n := p.count(); n != 2 {
				t.Errorf("%d requests for the first prompt, want 2", n)
			}
			c.say("go on")
			if n := p.count(); n != 3 {
				t.Errorf("%d requests after the second prompt, want 3", n)
			}
			c.mu.Lock()
			defer c.mu.Unlock()
			for _, e := range c.ended {
				if e.Failure != "" {
					t.Errorf("a run failed: %s", e.Failure)
				}
			}
			if n := len(c.notices); n != 1 || !strings.Contains(c.notices[0].Text, "Trying once more without") || c.notices[0].Entry != tt.entry {
				t.Errorf("notices %+v, want one about %q", c.notices, tt.entry)
			}
			for _, bad := range p.wrong {
				t.Errorf("the strict check: %s", bad)
			}
			// The failed answer is hidden; nothing else is touched.
			var edits int
			for e := range c.view.Tree.Log() {
				if e.Type == session.TypeContextEdit {
					edits++
				}
			}
			if edits != 1 {
				t.Errorf("%d context edits, want 1", edits)
			}
			for i, l := range f.history() {
				id, _ := rawjson.GetString([]byte(l), "id")
				if raw, _ := c.view.Tree.Get(session.ID(id)).Raw(); string(raw) != l {
					t.Errorf("entry %d was changed: %s", i, raw)
				}
			}
		})
	}
}

// What is refused again without the offending kind is not tried for ever.
func TestRefusedForGood(t *testing.T) {
	f := families["anthropic"]
	p := &picky{refuses: func(string) bool { return true }, status: 400, answer: `{"error":{"type":"invalid_request_error","message":"Could not process image"}}`, check: f.check}
	srv := httptest.NewServer(p)
	t.Cleanup(srv.Close)
	w := &world{t: t, store: filestore.Store{Root: t.TempDir()}}
	w.hub = control.NewHub(control.Options{Models: models{f.make(provider.Endpoint{Info: provider.Info{ID: f.id, API: f.api, Provider: f.by, BaseURL: srv.URL, Input: []string{"text", "image"}}})}})
	t.Cleanup(w.hub.Close)
	c := w.connect(control.Start{})
	c.say("without image")
	if n := p.count(); n != 1 {
		t.Errorf("%d requests though there is no image to leave out", n)
	}
	if _, err := protocol.Call(t.Context(), c, protocol.Prompt{Text: "with one", Images: []message.Block{message.Image([]byte("x"), "image/png")}}); err != nil {
		t.Fatal(err)
	}
	c.until("the end", func() bool { return c.ends() == 2 })
	if n := p.count(); n != 3 {
		t.Errorf("%d requests, want 3", n)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended[1].Failure == "" || c.ended[1].Kind != provider.Rejected {
		t.Errorf("the run ended with %+v", c.ended[1])
	}
}
