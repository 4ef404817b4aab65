// Package catalog knows models: those of the known providers, which are part of
// the program, and how a word becomes one of them. Its [Registry] puts them
// together with what models.json and auth.json say and hands out endpoints; which
// codec speaks to an endpoint is decided by who asks.
//
// The data are public facts, taken from pi's lists at development time by gen
// (see NOTICE); [Date] and [Source] tell from when and where. Each provider has a
// compressed file of its own, which is decoded when its models are asked for and
// not before. A newer list may come as a file; see [Data].
package catalog

//go:generate sh -c "go run ./gen -pi \"$PI_PACKAGES\" -node \"$NODE\""

import (
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/boughdev/bough/provider"
)

//go:embed data/*.json.gz
var files embed.FS

// Listing is a known provider.
type Listing struct {
	ID, Name string
	First    string // the model that stands for it; "" if none does
	Count    int    // of its models
}

// Providers returns the known providers, in the order in which they are tried.
func Providers() []Listing { return slices.Clone(index) }

// Provider returns a known provider.
func Provider(id string) (Listing, bool) {
	for _, l := range index {
		if l.ID == id {
			return l, true
		}
	}
	return Listing{}, false
}

// Model is a known model.
type Model struct {
	provider.Info
	Headers map[string]string `json:"headers"`

	// Raw is all that is known of it, in the JSON of pi's Model: prices by size
	// of the request, cache lifetimes, limits of images.
	Raw json.RawMessage `json:"-"`
}

// Models decodes the models of the provider, by id.
func (l Listing) Models() []Model {
	models, err := decode(l.ID)
	if err != nil {
		panic(fmt.Sprintf("catalog: the data of %s: %v", l.ID, err)) // they are part of the program
	}
	return models
}

func decode(id string) ([]Model, error) {
	packed, err := files.ReadFile("data/" + id + ".json.gz")
	if err != nil {
		return nil, err
	}
	return unpack(packed)
}

func unpack(packed []byte) ([]Model, error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(z, maxData))
	if err != nil {
		return nil, err
	}
	var raw []json.RawMessage
	if err := json.Unmarshal(text, &raw); err != nil {
		return nil, err
	}
	models := make([]Model, len(raw))
	for i, r := range raw {
		if err := json.Unmarshal(r, &models[i]); err != nil {
			return nil, err
		}
		models[i].Raw = r
	}
	return models, nil
}

// Speaks reports whether bough has a codec for an API. Models of others are
// listed, but cannot be asked yet.
func Speaks(api string) bool {
	switch api {
	case "anthropic-messages", "openai-responses", "openai-completions", "google-generative-ai", vertexAPI,
		"bedrock-converse-stream", "azure-openai-responses", "mistral-conversations":
		return true
	}
	return false
}
