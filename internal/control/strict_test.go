package control_test

import (
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/provider"
)

// A witness is a model whose requests are kept and, as every API would have them,
// held against the strict checks.
type witness struct {
	provider.Model
	t *testing.T

	mu    sync.Mutex
	asked [][]string // the messages of each request, as JSON; guarded by mu
}

func (w *witness) Stream(ctx context.Context, req provider.Request) iter.Seq2[message.Delta, error] {
	for name, f := range families {
		var b body
		m := f.make(provider.Endpoint{Info: provider.Info{ID: f.id, API: f.api, Provider: f.by, BaseURL: "http://model.example", Reasoning: true, Input: []string{"text", "image"}, MaxTokens: 8000}, Key: func(context.Context) (string, error) { return "key", nil }, Client: &http.Client{Transport: &b}})
		for range m.Stream(context.WithoutCancel(ctx), req) {
		}
		if bad := f.check(b.sent); len(bad) > 0 {
			w.t.Errorf("%s would refuse this: %s\n%s", name, strings.Join(bad, "\n"), b.sent)
		}
	}
	var msgs []string
	for _, m := range req.Messages {
		msgs = append(msgs, string(m.JSON()))
	}
	w.mu.Lock()
	w.asked = append(w.asked, msgs)
	w.mu.Unlock()
	return w.Model.Stream(ctx, req)
}

// requests returns the messages of all requests so far.
func (w *witness) requests() [][]string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([][]string(nil), w.asked...)
}

// body keeps what was sent and answers nothing.
type body struct{ sent []byte }

func (b *body) RoundTrip(r *http.Request) (*http.Response, error) {
	var err error
	if b.sent, err = io.ReadAll(r.Body); err != nil {
		return nil, err
	}
	return nil, errors.New("nobody is there")
}
