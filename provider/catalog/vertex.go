package catalog

import (
	"github.com/boughdev/bough/internal/auth"
	"github.com/boughdev/bough/internal/googleauth"
)

// Vertex AI is asked with a key, or with the login of Google's own tools in a
// project and a location (pi's docs/providers.md, "Google Vertex AI").
const (
	vertexAPI      = "google-vertex"
	vertexProvider = "google-vertex"
)

// vertex says why Vertex AI cannot be asked without a key, "" if it can. Without
// a location no file is looked at.
func (r *Registry) vertex(id string) string {
	env := func(name string) string { return r.opts.Keys.Getenv(id, name) }
	if env("GOOGLE_CLOUD_LOCATION") == "" {
		return "no key for " + id + ": set GOOGLE_CLOUD_API_KEY, or GOOGLE_CLOUD_PROJECT and GOOGLE_CLOUD_LOCATION to use the login of gcloud"
	}
	f, err := googleauth.Find(env)
	if err == nil {
		_, _, err = f.Place(env)
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

// noKey reports whether a provider has no key.
func (r *Registry) noKey(id string) bool {
	return r.opts.Keys.Find(id, r.configured(id).APIKey).Place == auth.Nowhere
}
