package provider

import (
	"cmp"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/boughdev/bough/internal/rawjson"
)

// maxErrorText is how much of an error the people who read it get, in bytes.
const maxErrorText = 4000

// StatusError makes an error of an HTTP answer that is no success. It reads the
// body but does not close it. The bodies it knows:
//
//	{"error":{"message":…,"type":…,"code":…}}        OpenAI and its imitators
//	{"type":"error","error":{"type":…,"message":…}}  Anthropic
//	{"error":"…"}  {"message":"…"}  {"detail":…}     Ollama, Mistral, FastAPI
//	[{"error":{…}}]                                  Google
//	<html>…                                          a proxy
//
// The message is the error object as it stands, since front ends and pi's files
// have "400: {…}" for a failed answer.
func StatusError(resp *http.Response) *Error {
	raw, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10)) // what came of it must do
	e := &Error{Status: resp.StatusCode, RetryAfter: retryAfter(resp.Header)}
	f := failure{status: resp.StatusCode}
	if body := rawjson.Trim(raw); len(body) > 0 && rawjson.Valid(body) {
		f.read(body)
		e.Message = stringify(f.shown)
		if e.RetryAfter == 0 {
			e.RetryAfter = f.retryDelay
		}
	} else {
		e.Message = plainText(string(raw))
		e.RetryAfter = cmp.Or(e.RetryAfter, saidDelay(e.Message))
	}
	if e.RetryAfter == 0 && f.status == http.StatusTooManyRequests {
		e.RetryAfter = limitReset(resp.Header)
	}
	f.text += " " + e.Message
	if e.Message == "" {
		e.Message = strings.TrimSpace(http.StatusText(resp.StatusCode) + " (no body)")
	}
	if to := resp.Header.Get("Location"); to != "" && resp.StatusCode/100 == 3 {
		e.Message = "redirected to " + withoutQuery(to) + "; set that as the base URL if it is right"
	}
	e.Message = cutText(e.Message)
	f.judge(e)
	switch resp.Header.Get("x-should-retry") {
	case "true":
		if e.Kind == Rejected {
			e.Kind = Transient
		}
	case "false":
		if e.Kind == Transient {
			e.Kind = Rejected
		}
	}
	return e
}

// StreamError makes an error of one that came in the middle of a stream. v is the
// JSON in which it came; text is the message, or "" for the message in v.
func StreamError(v []byte, text string) *Error {
	var f failure
	if !rawjson.Valid(v) {
		v = rawjson.Quote(strings.ToValidUTF8(string(v), "\uFFFD"))
	}
	f.read(v)
	e := &Error{Message: text, RetryAfter: f.retryDelay}
	if e.Message == "" {
		e.Message = f.message
	}
	if e.Message == "" {
		e.Message = stringify(f.shown)
	}
	e.Message = cutText(e.Message)
	f.judge(e)
	return e
}

// EndedEarly is the error of a stream that ended before the answer did.
func EndedEarly() *Error {
	return &Error{Kind: Transient, Message: "stream ended early: the answer is not complete"}
}

// BadEvent is the error of an event that is not the JSON it should be.
func BadEvent(data []byte) *Error {
	return &Error{Kind: Transient, Message: "unreadable event in the stream: " + cutTo(strings.ToValidUTF8(string(data), "\uFFFD"), 200)}
}

// NotStreamed is the error of an answer that came as one document.
func NotStreamed() *Error {
	return &Error{Kind: Rejected, Message: "the server sent its answer as one document, not as a stream"}
}

// NoStream is the error of an answer that is a page, or a document of another
// service.
func NoStream(text []byte) *Error {
	what := "a page"
	if body := rawjson.Trim(text); rawjson.Valid(body) {
		if err := wholeError(body); err != nil {
			return err
		}
		what = "a document"
	}
	return &Error{Kind: Rejected, Message: "got " + what + " instead of an answer, is the base URL right? It says: " + cutTo(plainText(string(text)), 200)}
}

// failure is what a server said of an error.
type failure struct {
	status     int
	typ, code  string
	param      string // of the request, that is refused
	message    string
	text       string // all of it, to be searched
	shown      []byte // the part that people get to see
	retryDelay time.Duration
}

// read takes the error out of a JSON body or event.
func (f *failure) read(v []byte) {
	for e := range rawjson.Elements(v) {
		v = e
		break
	}
	f.shown = v
	at := v // where message, type and code stand
	switch err := rawjson.Get(v, "error"); rawjson.Kind(err) {
	case '{':
		at = err
		if t, _ := rawjson.GetString(v, "type"); t != "error" {
			f.shown = err
		}
	case '"':
		f.message, _ = rawjson.String(err)
	}
	str := func(key string) string {
		switch s := rawjson.Get(at, key); rawjson.Kind(s) {
		case '"':
			t, _ := rawjson.String(s)
			return t
		case '0':
			return string(rawjson.Trim(s))
		}
		return ""
	}
	f.typ, f.code, f.param = str("type"), str("code"), str("param")
	if f.message == "" {
		f.message = str("message")
	}
	if f.message == "" {
		f.message = str("detail")
	}
	if n, err := strconv.Atoi(f.code); err == nil && f.status == 0 && n >= 400 && n < 600 {
		f.status = n
	}
	if f.typ == "" {
		f.typ = str("status") // Google: RESOURCE_EXHAUSTED, UNAVAILABLE
	}
	f.retryDelay = f.delay(at)
	f.text = f.typ + " " + f.code + " " + stringify(v)
}

// judge says in e what to do about the failure.
func (f *failure) judge(e *Error) {
	e.Kind = f.kind(e.RetryAfter > 0)
	hidden := e.Kind == Transient && e.RetryAfter == 0 && (f.status == 0 || f.status == http.StatusInternalServerError || f.status == http.StatusBadGateway) &&
		anyOf(strings.ToLower(f.text), badRequest)
	if e.Kind != Rejected && e.Kind != Overflow && !hidden {
		return
	}
	fault, at, name := f.fault()
	if fault == "" || e.Kind == Overflow && fault != ManyImages {
		return
	}
	e.Fault, e.At, e.Name = fault, at, name
	if hidden {
		e.Kind = Rejected
	}
}

// kind tells what to do about a failure.
func (f *failure) kind(retryAsked bool) Kind {
	text := strings.ToLower(f.text)
	switch {
	case f.status == http.StatusRequestEntityTooLarge, f.word("context_length_exceeded", "exceed_context_size_error", "request_too_large", "model_context_window_exceeded"):
		return Overflow
	case f.status == http.StatusPaymentRequired, f.word("insufficient_quota", "billing_error", "usage_limit_reached", "usage_not_included", "insufficient_balance"),
		!retryAsked && outOfMoney(text) && !strings.Contains(text, "per min"):
		return Rejected
	case daily(text):
		return Rejected // a time that is named all the same is that of another limit
	case f.word("authentication_error", "permission_error", "invalid_api_key", "unauthenticated", "permission_denied"),
		strings.Contains(text, "api_key_invalid"), strings.Contains(text, "api key not valid"), strings.Contains(text, "api key expired"): // Google, as 400
		return Auth
	case !throttled(text) && tooLong(text):
		return Overflow
	case f.word("rate_limit_error", "rate_limit_exceeded", "overloaded_error", "resource_exhausted", "unavailable"):
		return Transient
	}
	switch s := f.status; s {
	case 0:
		return f.kindInStream()
	case http.StatusUnauthorized, http.StatusForbidden:
		return Auth
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly, http.StatusTooManyRequests, 460, 499: // the last two: a gateway hung up
		return Transient
	case http.StatusBadRequest, http.StatusNotFound:
		if brokenOff(text) {
			return Transient
		}
	case http.StatusNotImplemented, http.StatusHTTPVersionNotSupported:
		return Rejected
	default:
		if s >= 500 {
			return Transient
		}
	}
	return Rejected
}

// kindInStream is the kind of a failure without a status. The request had been
// taken, so it is the server's fault unless it says otherwise.
func (f *failure) kindInStream() Kind {
	if f.word("not_found_error", "not_found", "model_not_found", "content_filter", "cyber_policy") {
		return Rejected
	}
	if brokenOff(strings.ToLower(f.text)) {
		return Transient
	}
	for _, w := range []string{f.typ, f.code} {
		if strings.HasPrefix(strings.ToLower(w), "invalid") { // _request_error, _prompt, _value, …
			return Rejected
		}
	}
	return Transient
}

func (f *failure) word(words ...string) bool {
	for _, w := range words {
		if strings.EqualFold(f.typ, w) || strings.EqualFold(f.code, w) {
			return true
		}
	}
	return false
}

func stringify(v []byte) string { return string(rawjson.AppendStringify(nil, v)) }

// plainText makes a line of the body of a proxy: the title of a page, or its
// text.
func plainText(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	low := strings.ToLower(s)
	if from := strings.Index(low, "<title>"); from >= 0 && len(low) == len(s) {
		if n := strings.Index(low[from:], "</title>"); n >= 0 {
			return strings.Join(strings.Fields(s[from+len("<title>"):from+n]), " ")
		}
	}
	if strings.HasPrefix(strings.TrimSpace(s), "<") {
		var b strings.Builder
		in := false
		for _, c := range s {
			switch {
			case c == '<':
				in = true
				b.WriteByte(' ')
			case c == '>':
				in = false
			case !in:
				b.WriteRune(c)
			}
		}
		s = b.String()
	}
	return strings.Join(strings.Fields(s), " ")
}

func cutText(s string) string { return cutTo(s, maxErrorText) }

func cutTo(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "..."
}

func withoutQuery(s string) string {
	u, err := url.Parse(s)
	if err != nil {
		return "another address"
	}
	u.RawQuery, u.User, u.Fragment = "", nil, ""
	return u.String()
}
