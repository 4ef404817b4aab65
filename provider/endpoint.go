package provider

import (
	"cmp"
	"context"
	"net/http"
	"time"
)

// Endpoint is what a codec needs to reach one model: anthropic.New, openai.New,
// chat.New and others make a [Model] of it.
type Endpoint struct {
	Info Info

	// Key returns the API key, "" for none. It is called for each request and
	// may run a command. Nil means that no key is needed. An error that is an
	// *[Error] is that of the request.
	Key func(context.Context) (string, error)

	// Deployment is what the server calls the model, "" if that is Info.ID.
	Deployment string

	// Headers are added to each request and win over those of the codec.
	Headers map[string]string

	// AuthHeader asks for "Authorization: Bearer KEY" even where the API has a
	// header of its own.
	AuthHeader bool

	// Getenv looks up a variable of the user's, for APIs that need more than a
	// key: the region of a cloud, say. Nil means that none is set.
	Getenv func(name string) string

	// Client sends the requests; nil means [DefaultClient].
	Client *http.Client

	// Idle is how long the server may be silent before and in its answer; 0
	// means [DefaultIdle], less means for ever.
	Idle time.Duration
}

// ModelName returns what the server calls the model.
func (e Endpoint) ModelName() string { return cmp.Or(e.Deployment, e.Info.ID) }
