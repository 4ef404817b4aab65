package script

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"

	"github.com/boughdev/bough/internal/rawjson"
)

// Failure is what a model API refuses a request with, or breaks off with.
type Failure struct {
	Status     int
	Type, Code string // Code is "" for null
	Message    string
	Headers    [][2]string // in the order they were given; retry-after last
	Body       []byte      // sent instead of the API's own error; nil: that
	IsText     bool        // Body is no JSON but a page

	silence outcome
}

// JSON is the error with which an API refuses request n, unless there is a Body.
func (f *Failure) JSON(api API, n int) []byte {
	if api == Anthropic {
		return object("type", "error", "error", object("type", f.Type, "message", f.Message), "request_id", RequestID(n))
	}
	if api == Google {
		status := f.Type
		if status == "invalid_request_error" { // what a strict server finds
			status = "INVALID_ARGUMENT"
		}
		return object("error", object("code", []byte(strconv.Itoa(f.Status)), "message", f.Message, "status", status))
	}
	if api == Bedrock { // the type is in a header
		return object("message", f.Message)
	}
	code := []byte("null")
	if f.Code != "" {
		code = rawjson.Quote(f.Code)
	}
	return object("error", object("message", f.Message, "type", f.Type, "param", []byte("null"), "code", code))
}

// RequestID is the name that an API gives to request n.
func RequestID(n int) string { return "req_fake_" + strconv.Itoa(n) }

// outcome is what happens instead of an HTTP answer.
type outcome int

const (
	answered outcome = iota
	broken           // the connection is reset
	silent           // nothing comes
)

type preset struct{ typ, code, message string }

type kind struct {
	status, anthropicStatus      int // the latter 0: the same
	openai, responses, anthropic *preset
	google                       *preset
	aws                          string // the name of the exception; its message is that of OpenAI
	body                         string
	silence                      outcome
}

var kinds = map[string]kind{
	"rate-limit": {status: 429, aws: "throttlingException",
		openai:    &preset{"rate_limit_error", "rate_limit_exceeded", "Rate limit reached for this fake model."},
		anthropic: &preset{"rate_limit_error", "", "This request would exceed the rate limit of the fake model."},
		google:    &preset{"RESOURCE_EXHAUSTED", "", "Resource has been exhausted (e.g. check quota)."}},
	"quota": {status: 429, aws: "serviceQuotaExceededException",
		openai:    &preset{"insufficient_quota", "insufficient_quota", "The fake quota is used up (insufficient_quota)."},
		anthropic: &preset{"rate_limit_error", "", "The fake quota is used up (insufficient_quota, billing)."},
		google:    &preset{"RESOURCE_EXHAUSTED", "", "You exceeded your current quota, please check your plan and billing details."}},
	"server": {status: 500, aws: "internalServerException",
		openai:    &preset{"server_error", "", "The fake server had an internal error."},
		anthropic: &preset{"api_error", "", "Internal server error"},
		google:    &preset{"INTERNAL", "", "An internal error has occurred."}},
	"bad-gateway": {status: 502, body: "<html><body><h1>502 Bad Gateway</h1></body></html>"},
	"unavailable": {status: 503, aws: "serviceUnavailableException",
		openai:    &preset{"server_error", "", "The fake service is temporarily unavailable."},
		anthropic: &preset{"api_error", "", "Service temporarily unavailable"},
		google:    &preset{"UNAVAILABLE", "", "The service is currently unavailable."}},
	"overloaded": {status: 503, aws: "serviceUnavailableException", anthropicStatus: 529,
		openai:    &preset{"server_error", "overloaded", "The fake engine is currently overloaded."},
		anthropic: &preset{"overloaded_error", "", "Overloaded"},
		google:    &preset{"UNAVAILABLE", "", "The model is overloaded. Please try again later."}},
	"overflow": {status: 400, aws: "validationException",
		openai:    &preset{"invalid_request_error", "context_length_exceeded", "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens."},
		responses: &preset{"invalid_request_error", "context_length_exceeded", "Your input exceeds the context window of this model."},
		anthropic: &preset{"invalid_request_error", "", "prompt is too long: 210000 tokens > 200000 maximum"},
		google:    &preset{"INVALID_ARGUMENT", "", "The input token count (9001) exceeds the maximum number of tokens allowed (8192)."}},
	"too-large": {status: 413, aws: "requestEntityTooLargeException",
		openai:    &preset{"invalid_request_error", "", "Request too large."},
		anthropic: &preset{"request_too_large", "", "Request exceeds the maximum size"},
		google:    &preset{"INVALID_ARGUMENT", "", "Request payload size exceeds the limit."}},
	"bad-request": {status: 400, aws: "validationException",
		openai:    &preset{"invalid_request_error", "invalid_value", "The fake model dislikes this request."},
		anthropic: &preset{"invalid_request_error", "", "The fake model dislikes this request."},
		google:    &preset{"INVALID_ARGUMENT", "", "Request contains an invalid argument."}},
	"auth": {status: 401, aws: "unrecognizedClientException",
		openai:    &preset{"invalid_request_error", "invalid_api_key", "Incorrect API key provided."},
		anthropic: &preset{"authentication_error", "", "invalid x-api-key"},
		google:    &preset{"UNAUTHENTICATED", "", "API key not valid. Please pass a valid API key."}},
	"forbidden": {status: 403, aws: "accessDeniedException",
		openai:    &preset{"permission_error", "", "Not allowed."},
		anthropic: &preset{"permission_error", "", "Not allowed."},
		google:    &preset{"PERMISSION_DENIED", "", "The caller does not have permission."}},
	"not-found": {status: 404, aws: "resourceNotFoundException",
		openai:    &preset{"invalid_request_error", "model_not_found", "The model does not exist."},
		anthropic: &preset{"not_found_error", "", "model not found"},
		google:    &preset{"NOT_FOUND", "", "The fake model is not found for this API version."}},
	"timeout": {status: 408, aws: "modelTimeoutException",
		openai:    &preset{"timeout", "", "Request timed out."},
		anthropic: &preset{"timeout_error", "", "Request timed out."},
		google:    &preset{"DEADLINE_EXCEEDED", "", "Deadline expired before operation could complete."}},
	"reset": {silence: broken},
	"hang":  {silence: silent},
}

// FailureOf returns the failure of a kind. It panics for a kind that there is not.
func FailureOf(name string, api API) *Failure {
	f, err := failureSpec{kind: name}.resolve(api)
	if err != nil {
		panic(err)
	}
	return f
}

// failureSpec is an error as a reply gives it.
type failureSpec struct {
	kind               string
	status             int // 0: the kind's
	typ, code, message *string
	headers            [][2]string
	body               []byte
	isText             bool
}

// readFailure reads the error of a reply: a kind, an object, or nothing.
func readFailure(v []byte) (*failureSpec, error) {
	if !rawjson.Truthy(v) {
		return nil, nil
	}
	if name, ok := rawjson.String(v); ok {
		return checked(&failureSpec{kind: name})
	}
	if rawjson.Kind(v) != '{' {
		return nil, errors.New("error must be a kind or an object")
	}
	f := &failureSpec{}
	var r reader
	f.kind = r.text(v, "kind")
	f.status = int(r.whole(v, "status"))
	f.typ, f.code, f.message = r.optional(v, "type"), r.optional(v, "code"), r.optional(v, "message")
	if r.err != nil {
		return nil, r.err
	}
	if f.status != 0 && (f.status < 200 || f.status > 999) {
		return nil, fmt.Errorf("error: status %d is none of HTTP's", f.status)
	}
	for key, h := range rawjson.Members(rawjson.Get(v, "headers")) {
		f.headers = append(f.headers, [2]string{key, plain(h)})
	}
	if after := rawjson.Get(v, "retryAfter"); after != nil {
		f.headers = append(f.headers, [2]string{"retry-after", plain(after)})
	}
	if body := rawjson.Get(v, "body"); !rawjson.IsNull(body) {
		f.body = rawjson.AppendStringify(nil, body)
		if s, ok := rawjson.String(body); ok {
			f.body, f.isText = []byte(s), true
		}
	}
	return checked(f)
}

func checked(f *failureSpec) (*failureSpec, error) {
	if _, ok := kinds[f.kind]; !ok && f.kind != "" {
		return nil, fmt.Errorf("unknown error kind %q", f.kind)
	}
	return f, nil
}

// plain is String(v) of a JSON value.
func plain(v []byte) string {
	if s, ok := rawjson.String(v); ok {
		return s
	}
	return string(rawjson.AppendStringify(nil, v))
}

// resolve fills in what an API says for the kind.
func (f failureSpec) resolve(api API) (*Failure, error) {
	k, ok := kinds[f.kind]
	if !ok && f.kind != "" {
		return nil, fmt.Errorf("unknown error kind %q", f.kind)
	}
	out := &Failure{Status: k.status, Type: "server_error", Message: "fake error", Headers: f.headers, silence: k.silence}
	p := k.openai
	switch api {
	case Anthropic:
		out.Type = "api_error"
		p = k.anthropic
		if k.anthropicStatus != 0 {
			out.Status = k.anthropicStatus
		}
	case Bedrock:
		out.Type = cmp.Or(k.aws, "internalServerException")
	case Responses:
		if k.responses != nil {
			p = k.responses
		}
	case Google:
		out.Type = "UNKNOWN"
		p = k.google
	}
	if f.status != 0 {
		out.Status = f.status
	} else if out.Status == 0 {
		out.Status = 500
	}
	switch {
	case p != nil && api == Bedrock:
		out.Message = p.message
	case p != nil:
		out.Type, out.Code, out.Message = p.typ, p.code, p.message
	}
	for _, set := range []struct {
		to   *string
		from *string
	}{{&out.Type, f.typ}, {&out.Code, f.code}, {&out.Message, f.message}} {
		if set.from != nil {
			*set.to = *set.from
		}
	}
	switch {
	case f.body != nil:
		out.Body, out.IsText = f.body, f.isText
	case k.body != "":
		out.Body, out.IsText = []byte(k.body), true
	}
	return out, nil
}
