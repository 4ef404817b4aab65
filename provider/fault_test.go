package provider

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// What servers say of requests that they refuse; most of it is from reports of
// sessions that could not be used any more.
func TestFaults(t *testing.T) {
	claude := func(msg string) string {
		return fmt.Sprintf(`{"type":"error","error":{"type":"invalid_request_error","message":%q},"request_id":"req_1"}`, msg)
	}
	gpt := func(code, param, msg string) string {
		return fmt.Sprintf(`{"error":{"message":%q,"type":"invalid_request_error","param":%q,"code":%q}}`, msg, param, code)
	}
	gemini := func(msg string) string {
		return fmt.Sprintf(`[{"error":{"code":400,"message":%q,"status":"INVALID_ARGUMENT"}}]`, msg)
	}
	for _, tt := range []struct {
		status int
		body   string
		want   Fault
		at     string
		name   string
	}{
		{400, claude("Could not process image"), Images, "", ""},
		{400, claude("messages.1.content.1.image.source.base64: image exceeds 5 MB maximum: 7340032 bytes > 5242880 bytes"), Images, "messages.1.content.1.image.source.base64", ""},
		{400, claude("messages.8.content.0.image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels"), Images, "messages.8.content.0.image.source.base64.data", ""},
		{400, claude("messages.8.content.0.image.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels"), ManyImages, "messages.8.content.0.image.source.base64.data", ""},
		{400, claude("messages.3.content.0.image.source.base64: The image was specified using the image/jpeg media type, but the image appears to be a image/png image"), Images, "messages.3.content.0.image.source.base64", ""},
		{400, claude("messages: too many images and documents: 101 + 0 > 100"), ManyImages, "", ""},
		{413, `{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}`, ManyImages, "", ""},
		{400, gpt("invalid_image_format", "", "You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', 'jpeg', 'gif', 'webp']."), Images, "", ""},
		{400, gpt("image_parse_error", "", "You uploaded an unsupported image. Please make sure your image is valid."), Images, "", ""},
		{400, gpt("", "", "The image data you provided does not represent a valid image."), Images, "", ""},
		{400, gemini("Unable to process input image. Please retry or report in https://developers.generativeai.google/guide/troubleshooting"), Images, "", ""},
		{400, gemini("Unsupported MIME type: image/svg+xml"), Images, "", ""},
		{404, `{"error":{"message":"No endpoints found that support image input","code":404}}`, Images, "", ""},
		{422, `{"error":{"message":"Failed to deserialize the JSON body into the target type: messages[2]: unknown variant ` + "`image_url`, expected `text`" + ` at line 1 column 80"}}`, Images, "messages[2]", ""},
		{500, `{"error":{"code":500,"message":"image input is not supported - hint: if this is unexpected, you may need to provide the mmproj, bad request","type":"server_error"}}`, Images, "", ""},
		{400, `{"object":"error","message":"At most 1 image(s) may be provided in one request.","type":"BadRequestError","code":400}`, ManyImages, "", ""},

		{400, claude("messages.3.content.0: Invalid `signature` in `thinking` block"), Thoughts, "messages.3.content.0", ""},
		{400, claude("messages.5.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response."), Thoughts, "messages.5.content.0", ""},
		{400, claude("messages.1.content.0.thinking.signature: Field required"), Thoughts, "messages.1.content.0.thinking.signature", ""},
		{400, claude("messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block"), ThinkingMode, "messages.1.content.0.type", ""},
		{400, gpt("invalid_encrypted_content", "", "The encrypted content for item rs_0a18 could not be verified. Reason: Encrypted content could not be decrypted or parsed."), Thoughts, "", ""},
		{404, gpt("", "input", "Item with id 'rs_68' not found. Items are not persisted when `store` is set to false."), Thoughts, "", ""},
		{400, gpt("", "input", "Item 'rs_68' of type 'reasoning' was provided without its required following item."), Thoughts, "", ""},
		{400, gpt("", "input", "Item 'fc_68' of type 'function_call' was provided without its required 'reasoning' item: 'rs_68'."), Thoughts, "", ""},
		{400, gpt("", "input", "Duplicate item found with id msg_1. Remove duplicate items from your input and try again."), Thoughts, "", ""},
		{400, gpt("invalid_value", "input[4].id", "Invalid 'input[4].id': 'call_1'. Expected an ID that begins with 'fc'."), Thoughts, "input[4].id", ""},
		{400, `{"error":{"message":"'messages.2' : for 'role:assistant' the following must be satisfied[('messages.2' : property 'reasoning_content' is unsupported)]","type":"invalid_request_error"}}`, Thoughts, "messages.2", ""},
		{400, `{"message":"The model returned the following errors: messages.3.content.0: Invalid ` + "`signature` in `thinking`" + ` block"}`, Thoughts, "messages.3.content.0", ""},
		{400, `{"code":20015,"message":"thinking is enabled but reasoning_content is missing in assistant tool call message at index 32","data":null}`, ThinkingMode, "", ""},
		{400, gpt("", "", "The `reasoning_content` in the thinking mode must be passed back to the API."), ThinkingMode, "", ""},
		{400, `{"error":"\"gemma3:4b\" does not support thinking"}`, ThinkingMode, "", ""},
		{400, gpt("unsupported_value", "reasoning.effort", "Unsupported value: 'minimal' is not supported with the 'gpt-5.1' model."), ThinkingMode, "", ""},
		{400, gpt("", "", "Reasoning is mandatory for this endpoint and cannot be disabled."), "", "", ""},

		{400, claude("messages.22: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_01. Each `tool_use` block must have a corresponding `tool_result` block in the next message."), Calls, "messages.22", ""},
		{400, claude("messages.12.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_01. Each `tool_result` block must have a corresponding `tool_use` block in the previous message."), Calls, "messages.12.content.0", ""},
		{400, claude("messages.1.content.1.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"), Calls, "messages.1.content.1.tool_use.id", ""},
		{400, claude("messages: `tool_use` ids must be unique"), Calls, "", ""},
		{400, claude("messages.1.content.0.tool_use.input: Input should be a valid dictionary"), Calls, "messages.1.content.0.tool_use.input", ""},
		{400, gpt("", "input", "No tool output found for function call call_1."), Calls, "", ""},
		{400, gpt("", "input", "No tool call found for function call output with call_id call_1."), Calls, "", ""},
		{400, gpt("", "messages", "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: call_1"), Calls, "", ""},
		{400, gpt("", "messages.[2].role", "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."), Calls, "", ""},
		{400, gpt("string_above_max_length", "messages[2].tool_calls[0].id", "Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 90 instead."), Calls, "messages[2].tool_calls[0].id", ""},
		{400, gemini("Please ensure that function call turn comes immediately after a user turn or after a function response turn."), Calls, "", ""},
		{400, gemini("Function call is missing a thought_signature in functionCall parts. Additional data, function call `default_api:shell` , position 2."), Calls, "", ""},
		{400, `{"message":"The number of toolResult blocks at messages.2.content exceeds the number of toolUse blocks of previous turn."}`, Calls, "messages.2.content", ""},
		{400, `{"object":"error","message":"Not the same number of function calls and responses","type":"invalid_request_error","code":"3230"}`, Calls, "", ""},
		{502, `{"error":{"message":"Provider returned error","code":502,"metadata":{"raw":"{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"messages.12.content.0: unexpected ` + "`tool_use_id` found in `tool_result`" + ` blocks: toolu_01\"}}"}}}`, Calls, "messages.12.content.0", ""},

		{400, claude("messages: text content blocks must be non-empty"), Texts, "", ""},
		{400, claude("messages.4.content.0.text: text content blocks must contain non-whitespace text"), Texts, "messages.4.content.0.text", ""},
		{400, claude("messages.7: all messages must have non-empty content except for the optional final assistant message"), Texts, "messages.7", ""},
		{400, claude("The request body is not valid JSON: no low surrogate in string: line 1 column 1029 (char 1028)"), Texts, "", ""},
		{400, claude("The request body is not valid JSON: invalid high surrogate in string: line 1 column 5 (char 4)"), Texts, "", ""},
		{400, `{"message":"The text field in the ContentBlock object at messages.0.content.0 is blank. Add text to the text field, and try again."}`, Texts, "messages.0.content.0", ""},

		{400, claude("messages: roles must alternate between \"user\" and \"assistant\", but found multiple \"user\" roles in a row"), Roles, "", ""},
		{500, `{"error":{"code":500,"message":"After the optional system message, conversation roles must alternate user/assistant/user/assistant/... Bad Request","type":"server_error"}}`, Roles, "", ""},
		{400, claude("This model does not support assistant message prefill. The conversation must end with a user message."), Prefill, "", ""},
		{400, claude("messages: final assistant content cannot end with trailing whitespace"), Prefill, "", ""},
		{400, `{"object":"error","message":"Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant","code":"3230"}`, Prefill, "", ""},

		{400, claude("A maximum of 4 blocks with cache_control may be provided. Found 5."), CacheMarks, "", ""},
		{400, claude("messages.10.content.0.text: cache_control cannot be set for empty text blocks"), CacheMarks, "messages.10.content.0.text", ""},
		{400, claude("messages.0.content.0.text.cache_control: Extra inputs are not permitted"), CacheMarks, "messages.0.content.0.text.cache_control", ""},
		{400, gpt("string_above_max_length", "prompt_cache_key", "Invalid 'prompt_cache_key': string too long. Expected a string with maximum length 64, but got a string with length 80 instead."), Parameter, "", "prompt_cache_key"},
		{400, gpt("unsupported_parameter", "max_output_tokens", "Unsupported parameter: 'max_output_tokens' is not supported with this model."), Parameter, "", "max_output_tokens"},
		{400, claude("tools.0.custom.eager_input_streaming: Extra inputs are not permitted"), Parameter, "", "eager_input_streaming"},
		{400, gpt("unknown_parameter", "input", "Unknown parameter: 'input'."), "", "", ""},

		{400, claude("tools.3.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12"), BadTool, "3", ""},
		{400, gpt("invalid_function_parameters", "tools[1].parameters", "Invalid schema for function 'mcp_do': schema must be a JSON Schema of 'type: \"object\"', got 'type: \"None\"'."), BadTool, "1", "mcp_do"},
		{400, gemini("* GenerateContentRequest.tools[0].function_declarations[2].parameters.properties[x].items: missing field."), BadTool, "2", ""},
		{400, `{"error":"registry.ollama.ai/library/gemma3:latest does not support tools"}`, AllTools, "", ""},
		{404, `{"error":{"message":"No endpoints found that support tool use.","code":404}}`, AllTools, "", ""},

		{400, claude("max_tokens: 999999 > 64000, which is the maximum allowed number of output tokens"), "", "", ""},
		{404, claude("model: claude-9"), "", "", ""},
		{429, claude("Number of images tokens per minute exceeds the rate limit"), "", "", ""},
		{401, claude("invalid x-api-key"), "", "", ""},
		{500, `{"type":"error","error":{"type":"api_error","message":"Could not process image"}}`, "", "", ""},
	} {
		e := StatusError(&http.Response{StatusCode: tt.status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(tt.body))})
		if e.Fault != tt.want || e.At != tt.at || e.Name != tt.name {
			t.Errorf("%d %s\n%q at %q name %q, want %q at %q name %q", tt.status, tt.body, e.Fault, e.At, e.Name, tt.want, tt.at, tt.name)
		}
		if e.Fault != "" && e.Kind != Rejected && tt.status != 413 {
			t.Errorf("%s: kind %s", tt.body, e.Kind)
		}
	}
}
