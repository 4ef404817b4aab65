package provider

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"
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

	// LongCache asks for caches that live longer where the server has such; they
	// cost more to write.
	LongCache bool
}

// CacheMark returns what an API in the style of Anthropic wants at the end of what
// it is to cache.
func (e Endpoint) CacheMark() []byte {
	if e.LongCache && e.Info.Flag("supportsLongCacheRetention", true) {
		return []byte(`{"type":"ephemeral","ttl":"1h"}`)
	}
	return []byte(`{"type":"ephemeral"}`)
}

// KeepCache writes what an API in the style of OpenAI wants if caches are to live
// longer; otherwise is for servers that say nothing about that.
func (e Endpoint) KeepCache(b *Body, otherwise bool) {
	switch {
	case !e.LongCache || !e.Info.Flag("supportsLongCacheRetention", otherwise):
	case cachesByOptions(e.Info.ID):
		b.Set("prompt_cache_options", []byte(`{"ttl":"30m"}`))
	default:
		b.Str("prompt_cache_retention", "24h")
	}
}

// cachesByOptions reports whether a model is GPT-5.6 or later, which takes
// prompt_cache_options.
func cachesByOptions(id string) bool {
	_, version, ok := strings.Cut(id, "gpt-")
	var major, minor int
	if n, _ := fmt.Sscanf(version, "%d.%d", &major, &minor); !ok || n == 0 {
		return false
	}
	return major > 5 || major == 5 && minor >= 6
}

// ModelName returns what the server calls the model.
func (e Endpoint) ModelName() string { return cmp.Or(e.Deployment, e.Info.ID) }
