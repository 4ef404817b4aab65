package provider

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"iter"
	"math"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/boughdev/bough/internal/rawjson"
)

// DefaultIdle is how long a stream may be silent if the endpoint says nothing.
const DefaultIdle = 10 * time.Minute

// A Call is one request that is answered by a stream of events.
type Call struct {
	Path      string // behind the base URL, which may have a query, with escapes: "/chat/completions"
	Query     string // in addition to that of the base URL: "alt=sse"
	KeyHeader string // that takes the key; "" is "Authorization: Bearer KEY"
	Header    http.Header
	Body      []byte   // JSON
	Omit      []string // see [Request.OmitParams]

	// Sign, if it is not nil, is called with the request and its body as they are
	// about to be sent. It returns what must not be said in errors.
	Sign func(r *http.Request, body []byte) (secrets []string, err error)

	// Read cuts the answer in events; nil reads server-sent events.
	Read func(h http.Header, body io.Reader) Reader

	// Refused may improve the error that was made of an answer that is no success.
	Refused func(http.Header, *Error)
}

// A Reader reads the events of an answer. The error is io.EOF if the answer was
// ended, and what went wrong, an [*Error] or that of the connection, if not.
type Reader interface{ Next() (Event, error) }

// Events makes a call and yields the events of the answer. It ends without an
// error when the server ended the stream, which need not be the end of the
// answer. An error is ctx's, or an *[Error], and is the last. A JSON document
// that came instead of a stream is yielded as one event with the name [Whole].
func (e Endpoint) Events(ctx context.Context, c Call) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		w := e.watch(ctx)
		defer w.stop()
		var secrets []string
		fail := func(err error) {
			yield(Event{}, w.explain(err, secrets))
		}
		resp, err := e.send(w.ctx, c, &secrets)
		if err != nil {
			fail(err)
			return
		}
		defer func() { _ = resp.Body.Close() }() // all that counts was read
		body := &watched{src: decoded(resp), w: w}
		resp.Body = io.NopCloser(body)
		if resp.StatusCode/100 != 2 {
			err := StatusError(resp)
			if c.Refused != nil {
				c.Refused(resp.Header, err)
			}
			fail(err)
			return
		}
		if c.Read != nil {
			if err := w.relay(c.Read(resp.Header, body), yield); err != nil {
				fail(err)
			}
			return
		}
		r := NewEventReader(body)
		switch first, err := r.first(); {
		case err == io.EOF:
			return
		case err != nil:
			fail(err)
			return
		case first == '{' || first == '[':
			whole, err := r.rest(64 << 20)
			if err != nil {
				fail(err)
				return
			}
			if err := wholeError(whole); err != nil {
				fail(err)
				return
			}
			yield(Event{Name: Whole, Data: whole}, nil)
			return
		case first == '<':
			page, _ := r.rest(64 << 10) // what came of it must do
			fail(NoStream(page))
			return
		}
		if err := w.relay(r, yield); err != nil {
			fail(err)
		}
	}
}

// relay hands the events on. The error is that of the reader, nil at the end.
func (w *watch) relay(r Reader, yield func(Event, error) bool) error {
	for {
		ev, err := r.Next()
		if err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		w.timer.Stop() // the time that the caller takes is not the server's
		if !yield(ev, nil) {
			w.drain(r)
			return nil
		}
		w.timer.Reset(w.idle)
	}
}

// Whole is the name of an event that is the whole answer, from a server that
// does not stream.
const Whole = "bough.whole"

// wholeError returns the error that a document is instead of an answer, or nil.
func wholeError(v []byte) *Error {
	if !rawjson.Valid(v) {
		return BadEvent(v)
	}
	first := v
	for e := range rawjson.Elements(v) { // Google sends errors, and answers, as lists
		first = e
		break
	}
	if rawjson.Truthy(rawjson.Get(first, "error")) {
		return StreamError(v, "")
	}
	return nil
}

// send makes the request. It notes what must not be said in errors.
func (e Endpoint) send(ctx context.Context, c Call, secrets *[]string) (*http.Response, error) {
	var key string
	if e.Key != nil {
		k, err := e.Key(ctx)
		if e, ok := errors.AsType[*Error](err); ok {
			return nil, e
		} else if err != nil {
			return nil, &Error{Kind: Auth, Message: "get the API key: " + err.Error(), Err: err}
		}
		key = strings.TrimSpace(k)
		*secrets = append(*secrets, key)
		if strings.ContainsFunc(key, func(r rune) bool { return r < ' ' || r == 0x7F }) {
			return nil, &Error{Kind: Auth, Message: "the API key cannot be sent: it has line ends or control characters"}
		}
	}
	to, err := e.url(c.Path, c.Query)
	if err != nil {
		return nil, err
	}
	body := omitParams(c.Body, c.Omit)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to, bytes.NewReader(body))
	if err != nil {
		return nil, &Error{Kind: Rejected, Message: "the base URL cannot be used", Err: err}
	}
	req.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"text/event-stream"}, "User-Agent": {"bough"}}
	for name, v := range c.Header {
		req.Header[name] = v
	}
	switch {
	case key == "":
	case c.KeyHeader != "" && !e.AuthHeader:
		req.Header.Set(c.KeyHeader, key)
	default:
		req.Header.Set("Authorization", "Bearer "+key)
	}
	for name, v := range e.Headers {
		req.Header.Set(name, v)
		if strings.EqualFold(name, "Host") {
			req.Host = v
		}
		if secretHeader(name) {
			_, token, found := strings.Cut(v, " ")
			if !found {
				token = v
			}
			*secrets = append(*secrets, token)
		}
	}
	if c.Sign != nil {
		more, err := c.Sign(req, body)
		*secrets = append(*secrets, more...)
		if err != nil {
			return nil, err
		}
	}
	client := e.Client
	if client == nil {
		client = DefaultClient()
	}
	return client.Do(req)
}

// url puts a path and a query behind the base URL.
func (e Endpoint) url(path, query string) (string, error) {
	u, err := url.Parse(e.Info.BaseURL)
	if err != nil || u.Host == "" {
		return "", &Error{Kind: Rejected, Message: "the base URL of " + e.Info.Provider + " is no URL"}
	}
	u.RawPath = strings.TrimRight(u.EscapedPath(), "/") + path
	if u.Path, err = url.PathUnescape(u.RawPath); err != nil {
		return "", &Error{Kind: Rejected, Message: "the address of the model cannot be used", Err: err}
	}
	if query != "" {
		u.RawQuery = strings.TrimPrefix(u.RawQuery+"&"+query, "&")
	}
	return u.String(), nil
}

func secretHeader(name string) bool {
	name = strings.ToLower(name)
	for _, part := range []string{"auth", "key", "token", "secret", "cookie"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}

// decoded returns the body of an answer. Go unpacks only what it asked for
// itself, and some servers pack without being asked.
func decoded(resp *http.Response) io.Reader {
	if resp.Uncompressed || !strings.EqualFold(resp.Header.Get("Content-Encoding"), "gzip") {
		return resp.Body
	}
	return &lazyGzip{src: resp.Body}
}

// lazyGzip reads the header of the packed stream with the first bytes.
type lazyGzip struct {
	src io.Reader
	z   *gzip.Reader
}

func (g *lazyGzip) Read(p []byte) (int, error) {
	if g.z == nil {
		z, err := gzip.NewReader(g.src)
		if err != nil {
			return 0, err
		}
		g.z = z
	}
	return g.z.Read(p)
}

// A watch ends a call that has been silent for too long.
type watch struct {
	asked  context.Context // of who asked
	ctx    context.Context // of the call
	cancel context.CancelCauseFunc
	idle   time.Duration
	timer  *time.Timer

	draining bool // what comes gives no more time; the reader's
}

var errIdle = errors.New("the stream was silent for too long")

func (e Endpoint) watch(asked context.Context) *watch {
	w := &watch{asked: asked, idle: e.Idle}
	switch {
	case w.idle == 0:
		w.idle = DefaultIdle
	case w.idle < 0:
		w.idle = math.MaxInt64
	}
	w.ctx, w.cancel = context.WithCancelCause(asked)
	w.timer = time.AfterFunc(w.idle, func() { w.cancel(errIdle) })
	return w
}

func (w *watch) stop() { w.timer.Stop(); w.cancel(nil) }

// explain says an error of a call as those who asked are to have it.
func (w *watch) explain(err error, secrets []string) error {
	if asked := w.asked.Err(); asked != nil {
		return asked
	}
	if context.Cause(w.ctx) == errIdle {
		return &Error{Kind: Transient, Message: "no data for " + w.idle.String(), Err: errIdle}
	}
	e, ok := errors.AsType[*Error](err)
	if !ok {
		e = NetworkError(err)
	}
	for _, s := range secrets {
		if len(s) >= 4 {
			e.Message = strings.ReplaceAll(e.Message, s, "[key]")
		}
	}
	return e
}

// drain gives the rest of a stream a moment, so that the connection can be used
// again.
func (w *watch) drain(r Reader) {
	if w.asked.Err() != nil {
		return
	}
	w.draining = true
	w.timer.Reset(50 * time.Millisecond)
	for {
		if _, err := r.Next(); err != nil {
			return
		}
	}
}

// watched tells the watch of every byte that comes.
type watched struct {
	src io.Reader
	w   *watch
}

func (b *watched) Read(p []byte) (int, error) {
	n, err := b.src.Read(p)
	if n > 0 && !b.w.draining && b.w.timer.Stop() {
		b.w.timer.Reset(b.w.idle)
	}
	return n, err
}
