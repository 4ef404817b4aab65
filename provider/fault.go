package provider

import (
	"net/http"
	"regexp"
	"strings"
	"sync"
)

// A Fault is a kind of content, or a feature, for which a server refuses a
// request. Without it the same conversation can go on: see [Request.Without].
type Fault string

// The kinds of faults.
const (
	Images       Fault = "images"
	ManyImages   Fault = "older images"           // it is their number or size all together
	Thoughts     Fault = "thinking of answers"    // with signatures, encrypted reasoning and ids of items
	ThinkingMode Fault = "thinking"               // the model is not to think at all
	Calls        Fault = "tool calls of the past" // their ids, order or arguments
	Texts        Fault = "empty or broken texts"
	Roles        Fault = "messages that follow one another from one side"
	Prefill      Fault = "an answer at the end"
	CacheMarks   Fault = "cache marks"
	BadTool      Fault = "a tool"    // whose name or schema is refused
	AllTools     Fault = "tools"     // the model has no use for them
	Parameter    Fault = "parameter" // of the request, which the server does not know
)

// fault finds out what a refused request is refused for: what it is, where the
// server says that it stands ("messages.3.content.1", "input[4].id"), and the
// name of a tool or a parameter.
func (f *failure) fault() (kind Fault, at, name string) {
	text := strings.ToLower(f.text)
	if anyOf(text, notFaults) {
		return "", "", ""
	}
	at = placeIn(f.text)
	if f.status == http.StatusRequestEntityTooLarge || f.word("request_too_large") {
		return ManyImages, at, ""
	}
	for _, row := range faultTexts {
		if !anyOf(text, row.texts) {
			continue
		}
		switch row.fault {
		case Parameter:
			if name = f.parameter(); name == "" {
				continue
			}
			if name == "cache_control" {
				return CacheMarks, at, ""
			}
		case BadTool:
			name = first(toolName(), f.text)
			at = first(toolPlace(), f.text)
		}
		return row.fault, at, name
	}
	return "", "", ""
}

// parameter returns the name of a refused parameter that a request can do
// without.
func (f *failure) parameter() string {
	name := f.param
	if name == "" {
		name = first(paramName(), f.text)
	}
	if i := strings.LastIndexAny(name, ".]"); i >= 0 {
		name = name[i+1:] // of a path: tools.0.custom.eager_input_streaming
	}
	switch name {
	case "", "model", "messages", "input", "contents", "system", "systemInstruction", "system_instruction", "tools", "stream", "content", "role", "text", "type":
		return ""
	}
	return name
}

// Errors are rare, so their patterns are made when the first one comes.
var (
	toolName  = lazy(`(?i)(?:function|tool|tools)[ :]+['"\x60\\]*([A-Za-z0-9_.:/-]+)['"\x60\\]+(?:[:,. ]|$)`)
	toolPlace = lazy(`(?i)(?:tools\[\d+\]\.)?function_?declarations(?:\.|\[)(\d+)|tools(?:\.|\[)(\d+)`)
	paramName = lazy(`(?i)(?:parameters?|argument supplied|keyword argument|unknown name|property)[: ]+['"\x60\\]*([A-Za-z0-9_.\[\]]+)|invalid ['"\x60\\]*([a-z_]+)['"\x60\\]*: string too long|([A-Za-z0-9_.]+): extra inputs`)
	place     = lazy(`(?:messages|input|contents)(?:\.|\[)\d+[A-Za-z0-9_.\[\]]*`)
)

func lazy(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

// first returns what the first group of the first match holds that is not empty.
func first(re *regexp.Regexp, text string) string {
	for _, m := range re.FindAllStringSubmatch(text, 1) {
		for _, group := range m[1:] {
			if group != "" {
				return group
			}
		}
	}
	return ""
}

func placeIn(text string) string { return strings.TrimRight(place().FindString(text), ".") }

// notFaults say the opposite of what they look like: the model must think.
var notFaults = []string{"reasoning is mandatory", "only works in thinking mode", "cannot be disabled"}

// badRequest are the words in which gateways hide a refusal behind a status of
// their own.
var badRequest = []string{"invalid_request_error", "badrequest", "bad request", "validationexception", "invalid_argument", "error code: 400", "status 400", "status code 400"}

// faultTexts is the table of what servers say, in lower case; a * stands for
// anything in between. The first row that fits counts. Most texts are from
// reports of sessions that could not be used any more.
var faultTexts = []struct {
	fault Fault
	texts []string
}{
	{CacheMarks, []string{
		"maximum of 4 blocks with cache_control", "cache_control cannot be set", ".cache_control:", "cachepoint", "cache_point", "cache control is not supported", // Anthropic, Bedrock
		"cachedcontent",
	}},
	{ManyImages, []string{
		"many-image requests", "too many images", "too many total text/image", "number of images*exceed", "maximum number of images", "too much media", // Anthropic, Bedrock
		"at most*image", "images exceeds the limit", "images per request", "image limit", // vLLM, OpenAI
	}},
	{Images, []string{
		"could not process image", "image exceeds*maximum", "image dimensions exceed", "image was specified using", "image appears to be", ".image.source", ".image:", // Anthropic
		"unsupported image", "unsupported_image", "invalid image", "invalid_image", "invalid_base64_image", "image_parse_error", "image_too_", "image_file_", "empty_image", // OpenAI
		"image_content_policy", "image_url_", "download_image", "does not represent a valid image", "image data", "image format", "downloading image", "image/*unsupported", //
		"unable to process input image", "provided image is not valid", "inlinedata*image", "inline_data*image", // Google
		"unsupported mime type", "unsupported media type: image", "mime type*image", "image mime type", //
		"unknown variant `image_url`", "not a multimodal model", "mmproj", "image input", "support image", "support vision", "support multimodal", "images are not supported", "image is not supported", // DeepSeek, vLLM, llama.cpp, OpenRouter
		"cannot read image", "failed to load image", "failed to decode image", "image decode", "image content", "image_url is only", "invalid type: image_url", "content type image", //
	}},
	{Prefill, []string{
		"assistant message prefill", "prefill is not supported", "prefill*not*support", "must end with a user", "cannot end with trailing whitespace", "cannot end with assistant", // Anthropic
		"expected last role", "last message must", "last role must", "last message*should be*user", "cannot have 2 or more assistant messages at the end", "assistant response prefill", // Mistral, llama.cpp
		"final turn*user role", "ends with a user", // Google, Bedrock
	}},
	{AllTools, []string{
		"does not support tools", "doesn't support tools", "not support tool use", "doesn't support tool use", "support tool use", "tool use is not supported", "tool calling is not supported", // Ollama, Bedrock, OpenRouter
		"not support function call", "function calling is not", "tools are not supported", "tools is not supported", "tools not supported", "tool choice requires", "not support tool call", // Google, vLLM
	}},
	{ThinkingMode, []string{
		"expected*thinking*but found", "final*assistant*must start with a thinking block", // Anthropic
		"reasoning_content*must be passed back", "reasoning_content is missing", "missing*reasoning_content", // DeepSeek, Kimi
		"does not support thinking", "doesn't support thinking", "thinking is not supported", "thinking is not enabled", "not support reasoning", "reasoning is not supported", "reasoning_effort", "reasoning.effort", // Ollama, OpenAI
		"budget_tokens", "thinking budget", "thinking_budget", "thinking level", "thinking_level", "thinking.type", "thinkingconfig", "thinking_config", "adaptive thinking", "output_config.effort",
	}},
	{Parameter, []string{
		"unknown parameter", "unsupported parameter", "unknown_parameter", "unsupported_parameter", "unrecognized request argument", "unexpected keyword argument", // OpenAI, vLLM
		"prompt_cache_key*too long", "prompt_cache_key*maximum length", "extra inputs are not permitted", "unknown name", // Anthropic, Google
	}},
	{BadTool, []string{
		"input_schema", ".custom.", "tool names must be unique", // Anthropic
		"invalid schema for function", "function.parameters", "invalid_function_parameters", "].parameters", "tools[*].name", "tools[*].function", "tools.*.function", // OpenAI
		"function_declarations", "functiondeclaration", "toolspec", "toolconfig", // Google, Bedrock
		"json schema", "json_schema*conversion", "schema is not valid", "schema*not supported", "unrecognized schema", "invalid tool schema", "invalid tool definition", // llama.cpp and others
	}},
	{Calls, []string{
		"missing a thought_signature", "missing*thought_signature", // Google: the ids of another make
		"ids were found without", "unexpected*tool_use_id", "tool_use*ids must be unique", "tool_use.id", "tool_use_id:", "tool_use.input", "tool_use.name", "tool_result*must have a corresponding", "tool_use*must have a corresponding", // Anthropic
		"no tool output found", "no tool call found", "tool_call_ids did not have response", "must be a response to a prece", "tool_call_id", "tool_calls[", ".call_id", "function.arguments", "function arguments", // OpenAI
		"function call turn comes", "function response turn", "function response parts", "function_call.name", "function_response.name", "functionresponse", "functioncall", // Google
		"toolresult blocks", "tooluse blocks", "tooluseid", // Bedrock
		"number of function calls and responses", "tool call id was", "after role 'tool'", "after role tool", "tool id*not found", "tool call*not found", "tool result's tool id", // Mistral, MiniMax
		"tool arguments", "tool call arguments", "unbalanced tool", "orphan*tool", "insufficient tool messages", "messages with role 'tool'", "role 'tool' must",
	}},
	{Thoughts, []string{
		"encrypted content", "encrypted_content", "item with id", "required following item", "required*reasoning*item", "duplicate item", "input[*].id", "id*beginning with 'rs", "id*begins with 'rs", "expected an id that", // OpenAI
		"signature*in*thinking", "thinking.signature", "thinking*cannot be modified", "redacted_thinking", "each thinking block", "thinking block", "invalid signature", // Anthropic
		"thought signature", "thought_signature", "thoughtsignature", "corrupted thought", "invalid thought", // Google
		"reasoningcontent", "reasoning_content", "reasoning_details", "property 'reasoning", "reasoning block", "reasoning item", "unsupported content type: thinking", // Bedrock, Groq, OpenRouter
	}},
	{Roles, []string{
		"roles must alternate", "must alternate", "unexpected role", "consecutive", "conversation must start with", "first message must", "first message*user", "message must be at the beginning", "messages must be at the beginning",
		"multiple non-alternate", "incorrect role information", "system message*first",
	}},
	{Texts, []string{
		"must be non-empty", "non-whitespace text", "non-empty content", "content must not be empty", "content cannot be empty", "content is empty", "is blank", "is empty", "empty text", "text parameter", "parts must not be empty", "parts field is required", "missing*content", "empty message", // Anthropic, Bedrock, Google
		"surrogate", "control character", "null character", "null byte", "\\u0000", "invalid utf", "invalid unicode", "unicode", "not valid utf", "content*got null", "expected a string*null",
	}},
}
