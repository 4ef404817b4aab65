package catalog

import (
	"context"
	"net/http"
	"strings"

	"github.com/boughdev/bough/internal/auth"
	"github.com/boughdev/bough/provider"
)

// material is what an endpoint needs besides the model.
type material struct {
	apiKey     string            // of models.json, as written
	headers    map[string]string // as written
	authHeader bool
}

// gatewayHeader is where Cloudflare's AI gateway wants its token; the usual
// places belong to the key of the provider behind it.
const gatewayHeader = "cf-aig-authorization"

// Endpoint returns what a codec needs to reach a model that is ready.
func (r *Registry) Endpoint(c Choice) provider.Endpoint {
	keys, id := r.opts.Keys, c.Info.Provider
	e := provider.Endpoint{Info: c.Info, AuthHeader: c.material.authHeader}
	e.Getenv = func(name string) string { return keys.Getenv(id, name) }
	if isAzure(e.Info) {
		_ = azure(&e) // what it lacks makes the model one that is not ready
	}
	for _, name := range placeholders(e.Info.BaseURL) {
		if e.Info.API == vertexAPI {
			break // its codec fills the location in
		}
		e.Info.BaseURL = strings.ReplaceAll(e.Info.BaseURL, "{"+name+"}", keys.Getenv(id, name))
	}
	key := func(ctx context.Context) (string, error) {
		keys.Refresh() // somebody may just have signed in
		k, err := keys.Key(ctx, id, c.material.apiKey)
		if err == nil && k == "" {
			err = keys.Missing(id)
		}
		return k, err
	}
	src := keys.Find(id, c.material.apiKey)
	headers := func(ctx context.Context) (map[string]string, error) { return r.headers(ctx, c) }
	switch {
	case id == "cloudflare-ai-gateway":
		e.Client = withHeaders(func(ctx context.Context) (map[string]string, error) {
			k, err := key(ctx)
			if err != nil {
				return nil, err
			}
			h, err := headers(ctx)
			return layered(h, map[string]string{gatewayHeader: "Bearer " + k}), err
		})
		return e
	case src.Place == auth.Nowhere && c.Ready: // none is needed
	default:
		e.Key = key
	}
	if src.Variable == auth.BearerVariable {
		e.AuthHeader = true
	}
	for _, v := range c.material.headers {
		if strings.HasPrefix(v, "!") {
			e.Client = withHeaders(headers) // the command runs for each request
			return e
		}
	}
	// Without commands nothing can go wrong and nothing waits.
	e.Headers, _ = headers(context.Background())
	return e
}

// headers works the headers of a model out. One that counts as not set is left
// out.
func (r *Registry) headers(ctx context.Context, c Choice) (map[string]string, error) {
	var out map[string]string
	for name, v := range c.material.headers {
		s, ok, err := r.opts.Keys.Value(ctx, c.Info.Provider, v)
		if err != nil {
			return nil, &provider.Error{Kind: provider.Auth, Message: "the command for the header " + name + " of " + c.Info.Provider + ": " + err.Error()}
		}
		if ok {
			if out == nil {
				out = map[string]string{}
			}
			out[name] = s
		}
	}
	return out, nil
}

// withHeaders returns a client that asks for headers before each request.
func withHeaders(get func(context.Context) (map[string]string, error)) *http.Client {
	c := *provider.DefaultClient()
	base := c.Transport
	if base == nil {
		base = http.DefaultTransport
	}
	c.Transport = headerTransport{base, get}
	return &c
}

type headerTransport struct {
	base http.RoundTripper
	get  func(context.Context) (map[string]string, error)
}

func (t headerTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	h, err := t.get(req.Context())
	if err != nil {
		if req.Body != nil {
			_ = req.Body.Close() // RoundTrip must; the error is t's
		}
		return nil, err
	}
	req = req.Clone(req.Context())
	for k, v := range h {
		req.Header.Set(k, v)
	}
	return t.base.RoundTrip(req)
}

// placeholders returns the names in braces of a base URL.
func placeholders(url string) []string {
	var names []string
	for {
		_, rest, ok := strings.Cut(url, "{")
		if !ok {
			return names
		}
		name, after, ok := strings.Cut(rest, "}")
		if !ok {
			return names
		}
		names, url = append(names, name), after
	}
}
