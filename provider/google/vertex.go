package google

import (
	"context"
	"errors"
	"iter"
	"maps"
	"net/url"
	"strings"

	"github.com/boughdev/bough/internal/googleauth"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/provider"
)

// vertex is a model on Vertex AI. It is the same API at another address:
//
//	with a key        https://aiplatform.googleapis.com/v1beta1/publishers/google/models/ID
//	with a login      https://LOCATION-aiplatform.googleapis.com/v1beta1/projects/PROJECT/locations/LOCATION/publishers/google/models/ID
//
// The first is called express mode and knows no projects.
type vertex struct {
	*model
	env   func(string) string
	login bool // else there is a key
}

// NewVertex returns the model at an endpoint whose API is "google-vertex".
// Without a key it is asked with the login that ep.Getenv leads to.
func NewVertex(ep provider.Endpoint) provider.Model {
	if ep.Info.BaseURL == "" {
		ep.Info.BaseURL = "https://{location}-aiplatform.googleapis.com"
	}
	v := &vertex{newModel(ep), ep.Getenv, ep.Key == nil}
	if v.env == nil {
		v.env = func(string) string { return "" }
	}
	if v.login {
		login := &googleauth.Login{Env: v.env, Client: ep.Client}
		if login.Client == nil {
			login.Client = provider.DefaultClient()
		}
		v.ep.Key, v.ep.AuthHeader = token(login), true
	}
	return v
}

// token gets the tokens of a login, with errors of a kind.
func token(login *googleauth.Login) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		t, err := login.Token(ctx)
		if err == nil {
			return t, nil
		}
		if u, ok := errors.AsType[*googleauth.UnreachableError](err); ok {
			return "", provider.NetworkError(u.Err)
		}
		return "", &provider.Error{Kind: provider.Auth, Message: err.Error(), Err: err}
	}
}

func (v *vertex) Stream(ctx context.Context, req provider.Request) iter.Seq2[message.Delta, error] {
	ep, path, err := v.place()
	if err != nil {
		return func(yield func(message.Delta, error) bool) {
			yield(message.Delta{}, &provider.Error{Kind: provider.Auth, Message: err.Error(), Err: err})
		}
	}
	return v.stream(ctx, ep, path, req)
}

// place returns the endpoint of a request, and the path of the model there.
func (v *vertex) place() (provider.Endpoint, string, error) {
	ep := v.ep
	path := "/publishers/google/models/" + url.PathEscape(strings.TrimPrefix(ep.Info.ID, "google/"))
	location := ""
	if v.login {
		f, err := googleauth.Find(v.env)
		if err != nil {
			return ep, "", err
		}
		project, at, err := f.Place(v.env)
		if err != nil {
			return ep, "", err
		}
		location = at
		path = "/projects/" + url.PathEscape(project) + "/locations/" + url.PathEscape(location) + path
		if f.QuotaProject != "" {
			ep.Headers = maps.Clone(ep.Headers)
			if ep.Headers == nil {
				ep.Headers = map[string]string{}
			}
			if _, given := ep.Headers["x-goog-user-project"]; !given {
				ep.Headers["x-goog-user-project"] = f.QuotaProject
			}
		}
	}
	base, _, _ := strings.Cut(ep.Info.BaseURL, "?")
	if base = strings.TrimRight(base, "/"); !strings.HasSuffix(base, "/v1") && !strings.HasSuffix(base, "/v1beta1") {
		path = "/v1beta1" + path
	}
	ep.Info.BaseURL = strings.ReplaceAll(ep.Info.BaseURL, "{location}-aiplatform.googleapis.com", host(location))
	ep.Info.BaseURL = strings.ReplaceAll(ep.Info.BaseURL, "{location}", url.PathEscape(location))
	return ep, path, nil
}

// host returns where a location is asked.
func host(location string) string {
	switch location {
	case "", "global":
		return "aiplatform.googleapis.com"
	case "us", "eu":
		return "aiplatform." + location + ".rep.googleapis.com"
	}
	return url.PathEscape(location) + "-aiplatform.googleapis.com"
}
