package catalog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/boughdev/bough/internal/auth"
	"github.com/boughdev/bough/provider"
)

// ErrRefused is what a key is refused with.
var ErrRefused = errors.New("the key was refused")

// Trial is a key that is not stored yet, with the variables that go with it.
type Trial struct {
	Key string
	Env map[string]string
}

// tryLimit is how long a try may take.
const tryLimit = 20 * time.Second

// Try asks a provider for the list of its models, which costs nothing, to see
// whether its key is taken: the one of the trial, or the one that it has.
func (r *Registry) Try(ctx context.Context, id string, trial *Trial) error {
	models := r.of(id)
	if len(models) == 0 {
		return fmt.Errorf("%s has no models", id)
	}
	c := models[0]
	for _, o := range models {
		if o.First {
			c = o
		}
	}
	key := ""
	getenv := func(name string) string { return r.opts.Keys.Getenv(id, name) }
	if trial != nil {
		key = trial.Key
		getenv = func(name string) string {
			if v := trial.Env[name]; v != "" {
				return v
			}
			return r.opts.Keys.Getenv(id, name)
		}
	} else {
		var err error
		if key, err = r.opts.Keys.Key(ctx, id, c.material.apiKey); err != nil {
			return err
		}
	}
	base := c.Info.BaseURL
	for _, name := range placeholders(base) {
		base = strings.ReplaceAll(base, "{"+name+"}", getenv(name))
	}
	req, err := tryRequest(c, base, key)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, tryLimit)
	defer cancel()
	headers, err := r.headers(ctx, c)
	if err != nil {
		return err
	}
	for k, v := range headers {
		req.Header.Set(k, v)
	}
	resp, err := provider.DefaultClient().Do(req.WithContext(ctx))
	if err != nil {
		if u, ok := errors.AsType[*url.Error](err); ok {
			err = u.Err
		}
		return fmt.Errorf("%s cannot be reached: %w", req.URL.Host, err)
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<20)) // only the status counts
	switch s := resp.StatusCode; {
	case s/100 == 2:
		return nil
	case s == http.StatusUnauthorized, s == http.StatusForbidden, s == http.StatusBadRequest && strings.HasPrefix(c.Info.API, "google"):
		page := ""
		if p := auth.Page(id); p != "" {
			page = "; keys are at " + p
		}
		return fmt.Errorf("%s says %d: %w%s", req.URL.Host, s, ErrRefused, page)
	case s == http.StatusNotFound, s == http.StatusMethodNotAllowed:
		return fmt.Errorf("%s has no list of models that would show it (%d)", req.URL.Host, s)
	default:
		return fmt.Errorf("%s says %d; try again later", req.URL.Host, s)
	}
}

// tryRequest makes the request of a try.
func tryRequest(c Choice, base, key string) (*http.Request, error) {
	path, header, value := "/models", "Authorization", "Bearer "+key
	switch api := c.Info.API; {
	case isAzure(c.Info):
		return nil, fmt.Errorf("bough has no cheap way to try a key of %s", c.Info.Provider)
	case c.Info.Provider == "openrouter":
		path = "/key" // its models are told to anybody
	case api == "anthropic-messages":
		if !strings.HasSuffix(strings.TrimRight(base, "/"), "/v1") {
			path = "/v1/models"
		}
		if !c.material.authHeader {
			header, value = "X-Api-Key", key
		}
	case api == "google-generative-ai":
		header, value = "X-Goog-Api-Key", key
	case api == "openai-completions", api == "openai-responses":
	case api == "mistral-conversations":
		path = "/v1/models"
	default:
		return nil, fmt.Errorf("bough has no cheap way to try a key of %s", c.Info.Provider)
	}
	u, err := url.Parse(base)
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("the base URL of %s is no URL", c.Info.Provider)
	}
	u.Path = strings.TrimRight(u.Path, "/") + path
	req, err := http.NewRequest(http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, fmt.Errorf("the base URL of %s cannot be used", c.Info.Provider)
	}
	req.Header.Set("User-Agent", "bough")
	if key != "" {
		req.Header.Set(header, value)
	}
	if c.Info.API == "anthropic-messages" {
		req.Header.Set("Anthropic-Version", "2023-06-01")
	}
	return req, nil
}
