package provider_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"syscall"
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
		{"a quota of the day", 429, `{"error":{"code":429,"message":"You exceeded your current quota.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaId":"GenerateRequestsPerDayPerProjectPerModel-FreeTier","quotaValue":"50"}]},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34s"}]}}`, provider.Rejected, ""},
		{"a wrong key of Google", 400, `[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID","domain":"googleapis.com"}]}}]`, provider.Auth, ""},
		{"an old key of Google", 400, `{"error":{"code":400,"message":"API key expired. Please renew the API key.","status":"INVALID_ARGUMENT"}}`, provider.Auth, ""},
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
		{"a limit of the day", 429, `{"error":{"code":429,"message":"Quota exceeded for quota metric 'Gemini 2.5 Pro Requests'","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaId":"GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"26s"}]}}`, provider.Rejected, ""},
		{"free models of the day", 429, `{"error":{"message":"Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 free model requests per day","code":429}}`, provider.Rejected, ""},
		{"a limit that comes back in a while", 429, openAI("tokens", "rate_limit_exceeded", "Rate limit reached on tokens per day (TPD): Limit 100000, Used 99950. Please try again in 3m36s."), provider.Transient, ""},
		{"resources that are exhausted for now", 429, `{"error":{"code":429,"message":"Resource exhausted. Please try again later.","status":"RESOURCE_EXHAUSTED"}}`, provider.Transient, ""},
		{"a bad request that is none", 400, `{"error":{"message":"socket hang up","type":"upstream_error"}}`, provider.Transient, ""},
		{"fetch failed", 400, `{"error":{"message":"fetch failed","type":"bad_response"}}`, provider.Transient, ""},
		{"terminated", 400, `{"error":"terminated"}`, provider.Transient, ""},
		{"an upstream", 503, "upstream connect error or disconnect/reset before headers. reset reason: connection termination", provider.Transient, ""},
		{"Cloudflare", 524, "error code: 524", provider.Transient, ""},
		{"a client that is said to have hung up", 499, "", provider.Transient, ""},
		{"llama.cpp loads", 503, `{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`, provider.Transient, ""},
		{"Kimi is overloaded", 429, `{"error":{"message":"The engine is currently overloaded, please try again later","type":"engine_overloaded_error"}}`, provider.Transient, ""},
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
		{`{"error":{"type":"invalid_request_error","message":"Connection closed"}}`, provider.Transient, "Connection closed"},
		{`{"type":"error","code":"server_error","message":"The server had an error"}`, provider.Transient, "The server had an error"},
		{`{"error":{"code":"rate_limit_exceeded","message":"Please try again in 11.054s."}}`, provider.Transient, "Please try again in 11.054s."},
		{`{"error":{"odd":1}}`, provider.Transient, `{"odd":1}`},
	} {
		if e := provider.StreamError([]byte(tt.in), ""); e.Kind != tt.kind || e.Error() != tt.text {
			t.Errorf("%s: %s, %q", tt.in, e.Kind, e)
		}
	}
}

func TestNetworkError(t *testing.T) {
	wrap := func(err error) error {
		return &url.Error{Op: "Post", URL: "https://user:secret@api.example:444/?key=secret", Err: err}
	}
	dial := func(err error) error {
		return wrap(&net.OpError{Op: "dial", Net: "tcp", Err: err})
	}
	for _, tt := range []struct {
		err  error
		kind provider.Kind
		want string // the beginning of it
	}{
		{dial(&net.DNSError{Err: "no such host", Name: "api.example", IsNotFound: true}), provider.Transient, "The name api.example:444 is not known: "},
		{dial(&net.DNSError{Err: "server misbehaving", Name: "api.example", IsTemporary: true}), provider.Transient, "The name api.example:444 cannot be looked up just now: "},
		{dial(&net.DNSError{Err: "i/o timeout", Name: "api.example", IsTimeout: true}), provider.Transient, "The name api.example:444 cannot be looked up just now: "},
		{dial(os.NewSyscallError("connect", syscall.ECONNREFUSED)), provider.Transient, "Nothing answers at api.example:444: "},
		{dial(os.NewSyscallError("connect", syscall.ENETUNREACH)), provider.Transient, "api.example:444 cannot be reached: "},
		{dial(os.ErrDeadlineExceeded), provider.Transient, "api.example:444 did not answer in time: "},
		{wrap(context.DeadlineExceeded), provider.Transient, "api.example:444 did not answer in time: "},
		{wrap(&net.OpError{Op: "proxyconnect", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}), provider.Transient, "The proxy on the way to api.example:444 cannot be used: "},
		{wrap(errors.New("Proxy Authentication Required")), provider.Rejected, "The proxy on the way to api.example:444 wants a name and a password: "},
		{wrap(io.ErrUnexpectedEOF), provider.Transient, "the connection was cut: unexpected EOF"},
		{wrap(io.EOF), provider.Transient, "the connection was cut: EOF"},
		{&net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}, provider.Transient, "the connection was cut: "},
		{errors.New("stream error: stream ID 5; INTERNAL_ERROR; received from peer"), provider.Transient, "the connection was cut: "},
		{wrap(errors.New("stream error: stream ID 5; REFUSED_STREAM; received from peer")), provider.Transient, "the connection was cut: "},
		{errors.New("http2: server sent GOAWAY and closed the connection; LastStreamID=1999, ErrCode=NO_ERROR"), provider.Transient, "the connection was cut: "},
		{errors.New("http2: client connection lost"), provider.Transient, "the connection was cut: "},
		{wrap(&tls.CertificateVerificationError{Err: errors.New("unknown authority")}), provider.Rejected, "The certificate of api.example:444 is not trusted: "},
		{wrap(tls.RecordHeaderError{Msg: "no TLS"}), provider.Rejected, "api.example:444 does not speak TLS: "},
		{wrap(errors.New("http: server gave HTTP response to HTTPS client")), provider.Rejected, "api.example:444 does not speak TLS: "},
		{wrap(errors.New(`unsupported protocol scheme "ftp"`)), provider.Rejected, "The base URL cannot be used: "},
		{errors.New("something else"), provider.Transient, "something else"},
	} {
		e := provider.NetworkError(tt.err)
		if e.Kind != tt.kind || strings.Contains(e.Error(), "secret") || e.Status != 0 || !strings.HasPrefix(e.Message, tt.want) || (e.Advice != "") != (strings.HasSuffix(tt.want, ": ") && !strings.HasPrefix(tt.want, "the connection")) {
			t.Errorf("%v: %s, %q, want %s, %q", tt.err, e.Kind, e, tt.kind, tt.want)
		}
	}
}

// How long to wait stands in headers, in bodies and in words.
func TestWait(t *testing.T) {
	const now = "Mon, 30 Nov 2026 12:00:00 GMT"
	for _, tt := range []struct {
		body    string
		headers []string
		want    time.Duration
	}{
		{"", []string{"x-ratelimit-remaining-requests", "0", "x-ratelimit-reset-requests", "6m0s"}, 6 * time.Minute},
		{"", []string{"x-ratelimit-remaining-tokens", "0", "x-ratelimit-reset-tokens", "7.66s", "x-ratelimit-remaining-requests", "0", "x-ratelimit-reset-requests", "1s"}, 7660 * time.Millisecond},
		{"", []string{"x-ratelimit-remaining-requests", "9", "x-ratelimit-reset-requests", "6m0s"}, 0},
		{"", []string{"Date", now, "anthropic-ratelimit-tokens-remaining", "0", "anthropic-ratelimit-tokens-reset", "2026-11-30T12:00:20Z"}, 20 * time.Second},
		{"", []string{"Date", now, "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "1796040030000"}, 30 * time.Second},
		{"", []string{"Date", now, "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "1796040030"}, 30 * time.Second},
		{"", []string{"X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "soon"}, 0},
		{`{"error":{"message":"x","details":[{"retryDelay":"34.5s"}]}}`, nil, 34500 * time.Millisecond},
		{`{"error":{"message":"x","details":[{"metadata":{"quotaResetDelay":"1h2m"}}]}}`, nil, 62 * time.Minute},
		{`{"error":{"message":"x","details":[{"retryDelay":7},{"retryDelay":"bad"},null]}}`, nil, 0},
		{`{"error":{"message":"x","type":"rate_limit_error","resets_in_seconds":900}}`, nil, 15 * time.Minute},
		{`{"error":{"message":"Rate limit reached. Please try again in 6m0s."}}`, nil, 6 * time.Minute},
		{`{"error":{"message":"Rate limit reached. Please try again in 850ms. Visit"}}`, nil, 850 * time.Millisecond},
		{`{"error":{"message":"Please retry in 34.074824224s."}}`, nil, 34074824224 * time.Nanosecond},
		{`{"error":{"message":"Your quota will reset after 18h31m10s."}}`, nil, 18*time.Hour + 31*time.Minute + 10*time.Second},
		{`{"error":{"message":"Requests have exceeded call rate limit. Please retry after 26 seconds."}}`, nil, 26 * time.Second},
		{`{"message":"Too many requests, wait for 2 minutes"}`, nil, 2 * time.Minute},
		{`{"error":{"message":"try again in a moment, 5 tools"}}`, nil, 0},
		{`{"error":{"message":"try again in 5 files"}}`, nil, 0},
	} {
		if e := provider.StatusError(response(429, tt.body, tt.headers...)); e.RetryAfter != tt.want || e.Kind != provider.Transient {
			t.Errorf("%s %v: %s, %v, want %v", tt.body, tt.headers, e.Kind, e.RetryAfter, tt.want)
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
