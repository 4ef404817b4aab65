package mcp

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func newTransport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.IdleConnTimeout = 30 * time.Second
	return t
}

// httpDoor is the way to one HTTP server.
type httpDoor struct {
	base    http.RoundTripper
	headers []Pair
	wait    time.Duration // for a stream to begin
	host    string        // what the headers are for
	status  atomic.Int32  // of the last answer, 0 if there was none
}

func newDoor(s resolved, base http.RoundTripper, wait time.Duration) *httpDoor {
	d := &httpDoor{base: base, headers: s.Headers, wait: wait}
	if r, err := http.NewRequest(http.MethodGet, s.URL, nil); err == nil {
		d.host = r.URL.Scheme + "://" + r.URL.Host
	}
	return d
}

func (d *httpDoor) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme+"://"+r.URL.Host == d.host {
		r = r.Clone(r.Context())
		for _, h := range d.headers {
			if strings.EqualFold(h.Key, "Host") {
				r.Host = h.Value
			}
			r.Header.Set(h.Key, h.Value)
		}
	}
	if r.Method == http.MethodGet && strings.Contains(r.Header.Get("Accept"), "text/event-stream") {
		return d.stream(r)
	}
	resp, err := d.base.RoundTrip(r)
	if err != nil {
		d.status.Store(0)
		return nil, err
	}
	d.status.Store(int32(resp.StatusCode))
	if kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); kind != "text/event-stream" {
		resp.Body = &limited{resp.Body, maxMessage}
	}
	return resp, nil
}

// stream asks for the server's own messages. Nobody waits for that for long: it
// would hold up the connection itself.
func (d *httpDoor) stream(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(r.Context())
	timer := time.AfterFunc(d.wait, cancel)
	resp, err := d.base.RoundTrip(r.WithContext(ctx))
	inTime := timer.Stop()
	if err != nil || !inTime {
		cancel()
		if !inTime && r.Context().Err() == nil {
			if err == nil {
				resp.Body.Close()
			}
			return &http.Response{StatusCode: http.StatusMethodNotAllowed, Status: "405 Method Not Allowed", Proto: "HTTP/1.1",
				ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{}, Body: http.NoBody, Request: r}, nil
		}
		return nil, err
	}
	resp.Body = &cancelling{resp.Body, cancel}
	return resp, nil
}

type cancelling struct {
	io.ReadCloser
	cancel context.CancelFunc
}

func (c *cancelling) Close() error {
	defer c.cancel()
	return c.ReadCloser.Close()
}

// limited fails when more is read than a message may have.
type limited struct {
	io.ReadCloser
	left int64
}

func (l *limited) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, errors.New("the answer is longer than 64 MB")
	}
	n, err := l.ReadCloser.Read(p[:min(int64(len(p)), l.left)])
	l.left -= int64(n)
	return n, err
}

// transient reports whether it may help to try again.
func (d *httpDoor) transient() bool {
	switch s := d.status.Load(); s {
	case 0, http.StatusRequestTimeout, http.StatusTooManyRequests:
		return true
	default:
		return s >= 500
	}
}

// transport is the connection to the server.
func (d *httpDoor) transport(url string, h auth.OAuthHandler) mcp.Transport {
	return &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: d}, OAuthHandler: h, MaxEventSize: maxMessage}
}
