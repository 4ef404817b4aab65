package provider_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/boughdev/bough/provider"
)

func response(status int, body string, headers ...string) *http.Response {
	h := http.Header{}
	for i := 0; i < len(headers); i += 2 {
		h.Set(headers[i], headers[i+1])
	}
	return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body))}
}

func openAI(typ, code, msg string) string {
	return "{\n  \"error\": {\n    \"message\": \"" + msg + "\", \"type\": \"" + typ + "\", \"param\": null, \"code\": \"" + code + "\"}\n}"
}

func claude(typ, msg string) string {
	return `{"type":"error","error":{"type":"` + typ + `","message":"` + msg + `"},"request_id":"req_1"}`
}

func TestStatusError(t *testing.T) {
	for _, tt := range []struct {
		name   string
		status int
		body   string
		kind   provider.Kind
		text   string
	}{
		{"a bad request", 400, openAI("invalid_request_error", "invalid_value", "No."), provider.Rejected, `400: {"message":"No.","type":"invalid_request_error","param":null,"code":"invalid_value"}`},
		{"a wrong key", 401, openAI("invalid_request_error", "invalid_api_key", "Incorrect API key provided."), provider.Auth, ""},
		{"no right", 403, claude("permission_error", "Not allowed."), provider.Auth, ""},
		{"no such model", 404, claude("not_found_error", "model: x"), provider.Rejected, `404: {"type":"error","error":{"type":"not_found_error","message":"model: x"},"request_id":"req_1"}`},
		{"too many requests", 429, openAI("rate_limit_error", "rate_limit_exceeded", "Rate limit reached for gpt on tokens per min (TPM): Limit 30000. Add a payment method at https://platform.openai.com/account/billing."), provider.Transient, ""},
		{"an empty account", 429, openAI("insufficient_quota", "insufficient_quota", "You exceeded your current quota, please check your plan and billing details."), provider.Rejected, ""},
		{"an empty account at Anthropic", 400, claude("invalid_request_error", "Your credit balance is too low to access the Anthropic API."), provider.Rejected, ""},
		{"payment required", 402, `{"error":{"message":"Insufficient credits","code":402}}`, provider.Rejected, ""},
		{"a plan that is used up", 429, `{"error":{"type":"usage_limit_reached","message":"The usage limit has been reached","resets_in_seconds":900}}`, provider.Rejected, ""},
		{"a quota that comes back", 429, `[{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34s"}]}}]`, provider.Transient, ""},
		{"overloaded", 529, claude("overloaded_error", "Overloaded"), provider.Transient, ""},
		{"an internal error", 500, claude("api_error", "Internal server error"), provider.Transient, ""},
		{"a gateway", 502, "<html><head><TITLE>502 Bad\n Gateway</TITLE></head><body><h1>502</h1></body></html>", provider.Transient, "502: 502 Bad Gateway"},
		{"a page without a title", 503, "<html><body><h1>Sorry</h1><p>down</p></body></html>", provider.Transient, "503: Sorry down"},
		{"nothing at all", 500, "", provider.Transient, "500: Internal Server Error (no body)"},
		{"plain text", 404, "404 page not found\n", provider.Rejected, "404: 404 page not found"},
		{"not implemented", 501, "", provider.Rejected, ""},
		{"a timeout", 408, "", provider.Transient, ""},
		{"too long by code", 400, openAI("invalid_request_error", "context_length_exceeded", "Your input is large."), provider.Overflow, ""},
		{"too long at Anthropic", 400, claude("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"), provider.Overflow, ""},
		{"input and answer together too long", 400, claude("invalid_request_error", "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000"), provider.Overflow, ""},
		{"too many bytes", 413, claude("request_too_large", "Request exceeds the maximum size"), provider.Overflow, ""},
		{"too many bytes without a word", 413, "", provider.Overflow, ""},
		{"too long for llama.cpp", 400, `{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error","n_prompt_tokens":9,"n_ctx":8}}`, provider.Overflow, ""},
		{"too long for vLLM", 400, `{"object":"error","message":"This model's maximum context length is 4096 tokens. However, you requested 5000 tokens","type":"BadRequestError","code":400}`, provider.Overflow, ""},
		{"too long for Google", 400, `{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}`, provider.Overflow, ""},
		{"too long for xAI", 400, `{"code":"Client specified an invalid argument","error":"This model's maximum prompt length is 131072 but the request contains 200000 tokens."}`, provider.Overflow, "400: {\"code\":\"Client specified an invalid argument\",\"error\":\"This model's maximum prompt length is 131072 but the request contains 200000 tokens.\"}"},
		{"too long for Copilot", 400, openAI("", "model_max_prompt_tokens_exceeded", "prompt token count of 70000 exceeds the limit of 64000"), provider.Overflow, ""},
		{"too long, wrapped", 400, `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"prompt is too long: 5 tokens > 4 maximum\"}}"}}}`, provider.Overflow, ""},
		{"a rate limit that reads like an overflow", 429, `{"error":{"message":"Too many input tokens per minute, prompt is too long for the rate limit","type":"rate_limit_error"}}`, provider.Transient, ""},
		{"Ollama's words", 404, `{"error":"model 'x' not found"}`, provider.Rejected, `404: {"error":"model 'x' not found"}`},
		{"FastAPI's words", 422, `{"detail":[{"loc":["body"],"msg":"field required"}]}`, provider.Rejected, ""},
		{"JSON that is no object", 500, `"oops"`, provider.Transient, `500: "oops"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := provider.StatusError(response(tt.status, tt.body))
			if e.Kind != tt.kind || e.Status != tt.status || tt.text != "" && e.Error() != tt.text {
				t.Errorf("%s, %d: %s, want %s: %s", e.Kind, e.Status, e, tt.kind, tt.text)
			}
		})
	}
}

func TestRetryAfter(t *testing.T) {
	for _, tt := range []struct {
		name    string
		headers []string
		want    time.Duration
		kind    provider.Kind
	}{
		{"seconds", []string{"Retry-After", "7"}, 7 * time.Second, provider.Transient},
		{"milliseconds come first", []string{"Retry-After", "7", "retry-after-ms", "250.5"}, 250500 * time.Microsecond, provider.Transient},
		{"a date, by the server's clock", []string{"Date", "Mon, 01 Jan 2024 00:00:00 GMT", "Retry-After", "Mon, 01 Jan 2024 00:01:30 GMT"}, 90 * time.Second, provider.Transient},
		{"a date that has passed", []string{"Date", "Mon, 01 Jan 2024 00:02:00 GMT", "Retry-After", "Mon, 01 Jan 2024 00:01:30 GMT"}, 0, provider.Transient},
		{"nonsense", []string{"Retry-After", "soon"}, 0, provider.Transient},
		{"negative", []string{"Retry-After", "-3"}, 0, provider.Transient},
		{"far too much", []string{"Retry-After", "1e300"}, 1e9 * time.Second, provider.Transient},
		{"told not to", []string{"x-should-retry", "false"}, 0, provider.Rejected},
	} {
		if e := provider.StatusError(response(503, "", tt.headers...)); e.RetryAfter != tt.want || e.Kind != tt.kind {
			t.Errorf("%s: %s, %v, want %s, %v", tt.name, e.Kind, e.RetryAfter, tt.kind, tt.want)
		}
	}
	if e := provider.StatusError(response(400, "", "x-should-retry", "true")); e.Kind != provider.Transient {
		t.Errorf("told to: %s", e.Kind)
	}
}

func TestStreamError(t *testing.T) {
	for _, tt := range []struct {
		in   string
		kind provider.Kind
		text string
	}{
		{`{"error":{"message":"Overloaded.","type":"server_error","code":"overloaded"}}`, provider.Transient, "Overloaded."},
		{`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, provider.Transient, "Overloaded"},
		{`{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 5 > 4"}}`, provider.Overflow, "prompt is too long: 5 > 4"},
		{`{"type":"error","code":"context_length_exceeded","message":"Too long."}`, provider.Overflow, "Too long."},
		{`{"error":{"message":"Bad gateway","code":502}}`, provider.Transient, "Bad gateway"},
		{`{"error":{"message":"No credit","code":402}}`, provider.Rejected, "No credit"},
		{`{"error":{"message":"No key","code":401}}`, provider.Auth, "No key"},
		{`{"error":{"type":"authentication_error","message":"x"}}`, provider.Auth, "x"},
		{`{"error":{"type":"invalid_request_error","message":"x"}}`, provider.Rejected, "x"},
		{`{"error":"boom"}`, provider.Transient, "boom"},
		{`{"error":{"odd":1}}`, provider.Transient, `{"odd":1}`},
	} {
		if e := provider.StreamError([]byte(tt.in), ""); e.Kind != tt.kind || e.Error() != tt.text {
			t.Errorf("%s: %s, %q", tt.in, e.Kind, e)
		}
	}
}

func TestNetworkError(t *testing.T) {
	wrap := func(err error) error {
		return &url.Error{Op: "Post", URL: "https://user:secret@host/?key=secret", Err: err}
	}
	for _, tt := range []struct {
		err  error
		kind provider.Kind
	}{
		{wrap(errors.New("dial tcp: lookup api.example: no such host")), provider.Transient},
		{wrap(io.ErrUnexpectedEOF), provider.Transient},
		{wrap(context.DeadlineExceeded), provider.Transient},
		{wrap(&tls.CertificateVerificationError{Err: errors.New("unknown authority")}), provider.Rejected},
		{wrap(tls.RecordHeaderError{Msg: "no TLS"}), provider.Rejected},
		{wrap(errors.New(`unsupported protocol scheme "ftp"`)), provider.Rejected},
	} {
		e := provider.NetworkError(tt.err)
		if e.Kind != tt.kind || strings.Contains(e.Error(), "secret") || e.Status != 0 {
			t.Errorf("%v: %s, %q", tt.err, e.Kind, e)
		}
	}
}

func FuzzStatusError(f *testing.F) {
	f.Add(400, []byte(openAI("a", "b", "c")))
	f.Add(502, []byte("<html><title>\xff</title>"))
	f.Add(200, []byte(`[[[{"error":[]}]]]`))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		e := provider.StatusError(response(status, string(body)))
		if e.Kind == "" || e.Message == "" || len(e.Message) > 5000 {
			t.Fatalf("%+v", e)
		}
		_ = provider.StreamError(body, "") // must not panic
	})
}
