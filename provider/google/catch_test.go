package google

import (
	"context"
	"errors"
	"io"
	"net/http"
	"testing"

	"github.com/boughdev/bough/provider"
)

// catcher keeps what a request says and answers nothing.
type catcher struct {
	url    string
	header http.Header
	body   []byte
}

func (c *catcher) client() *http.Client { return &http.Client{Transport: c} }

func (c *catcher) RoundTrip(r *http.Request) (*http.Response, error) {
	c.url, c.header = r.URL.String(), r.Header
	var err error
	if c.body, err = io.ReadAll(r.Body); err != nil {
		return nil, err
	}
	return nil, errors.New("caught")
}

// ask asks a model, whose request is caught, and returns what it fails with.
func (c *catcher) ask(t *testing.T, m provider.Model) (failed error) {
	t.Helper()
	for _, err := range m.Stream(t.Context(), provider.Request{Messages: msgs(t, hi)}) {
		failed = err
	}
	return failed
}

func key(k string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) { return k, nil }
}
