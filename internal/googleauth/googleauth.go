// Package googleauth finds the login that Google's own tools leave on a machine,
// the application default credentials, and gets bearer tokens for it:
//
//	GOOGLE_APPLICATION_CREDENTIALS   a file: the key of a service account, or a login
//	~/.config/gcloud/application_default_credentials.json   what "gcloud auth application-default login" writes
//
// The metadata server of Google's own machines is not asked.
package googleauth

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"

	"github.com/boughdev/bough/internal/rawjson"
)

// scope is what a token is to allow; Vertex AI has none of its own.
const scope = "https://www.googleapis.com/auth/cloud-platform"

// HowTo says how to get a login.
const HowTo = `run "gcloud auth application-default login", or set GOOGLE_APPLICATION_CREDENTIALS to the key file of a service account`

// ErrNone is for a machine without a login.
var ErrNone = errors.New("no Google Cloud login: " + HowTo)

// A File is a file of credentials.
type File struct {
	Path         string
	Type         string // "authorized_user", "service_account", …
	Project      string // whose service account it is, or ""
	QuotaProject string // that pays, or ""

	data []byte
}

// kinds are the types of credentials that are known.
var kinds = []google.CredentialsType{google.ServiceAccount, google.AuthorizedUser, google.ImpersonatedServiceAccount, google.ExternalAccount, google.ExternalAccountAuthorizedUser}

// Find reads the credentials that the environment leads to. The error says what
// to do; [ErrNone] is for none at all.
func Find(env func(name string) string) (File, error) {
	path, named := env("GOOGLE_APPLICATION_CREDENTIALS"), true
	if path == "" {
		path, named = usual(env), false
	}
	if path == "" {
		return File{}, ErrNone
	}
	data, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !named:
		return File{}, ErrNone
	case errors.Is(err, fs.ErrNotExist):
		return File{}, fmt.Errorf("GOOGLE_APPLICATION_CREDENTIALS names %s, and there is no such file; %s", path, HowTo)
	case err != nil:
		return File{}, fmt.Errorf("the Google Cloud login cannot be read: %w", err)
	case !rawjson.Valid(data):
		return File{}, fmt.Errorf("%s is no JSON, so no Google Cloud login; %s", path, HowTo)
	}
	f := File{Path: path, data: data}
	f.Type, _ = rawjson.GetString(data, "type")
	f.Project, _ = rawjson.GetString(data, "project_id")
	f.QuotaProject, _ = rawjson.GetString(data, "quota_project_id")
	if !slices.Contains(kinds, google.CredentialsType(f.Type)) {
		return File{}, fmt.Errorf("%s has a login of type %q, which bough does not know; %s", path, f.Type, HowTo)
	}
	return f, nil
}

// Place returns the project and the location in which models are asked with a
// login.
func (f File) Place(env func(name string) string) (project, location string, err error) {
	project = cmp.Or(env("GOOGLE_CLOUD_PROJECT"), env("GCLOUD_PROJECT"), f.Project, f.QuotaProject)
	location = env("GOOGLE_CLOUD_LOCATION")
	switch {
	case project == "":
		return "", "", errors.New("set GOOGLE_CLOUD_PROJECT to the id of your Google Cloud project")
	case location == "":
		return "", "", errors.New(`set GOOGLE_CLOUD_LOCATION to a location of Vertex AI, such as "global" or "us-central1"`)
	}
	return project, location, nil
}

// usual returns where gcloud keeps the login.
func usual(env func(string) string) string {
	dir := env("CLOUDSDK_CONFIG")
	switch {
	case dir != "":
	case runtime.GOOS == "windows" && env("APPDATA") != "":
		dir = filepath.Join(env("APPDATA"), "gcloud")
	case runtime.GOOS != "windows" && env("HOME") != "":
		dir = filepath.Join(env("HOME"), ".config", "gcloud")
	default:
		return ""
	}
	return filepath.Join(dir, "application_default_credentials.json")
}

// Login gets tokens and keeps them as long as they hold. It may be used by
// several goroutines.
type Login struct {
	Env    func(name string) string
	Client *http.Client // asks for tokens; nil means http.DefaultClient

	once sync.Once
	busy chan struct{} // holds one while somebody asks

	token *oauth2.Token // of the one who holds busy
}

// Token returns a bearer token. Its errors hold nothing secret.
func (l *Login) Token(ctx context.Context) (string, error) {
	l.once.Do(func() { l.busy = make(chan struct{}, 1) })
	select {
	case l.busy <- struct{}{}:
		defer func() { <-l.busy }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	if l.token.Valid() {
		return l.token.AccessToken, nil
	}
	f, err := Find(l.Env)
	if err != nil {
		return "", err
	}
	var client http.Client
	if l.Client != nil {
		client = *l.Client
	}
	way := &way{base: client.Transport}
	client.Transport = way
	ctx = context.WithValue(ctx, oauth2.HTTPClient, &client) // the library has no other way
	creds, err := google.CredentialsFromJSONWithType(ctx, f.data, google.CredentialsType(f.Type), scope)
	if err != nil {
		return "", fmt.Errorf("the Google Cloud login in %s cannot be used: %w", f.Path, err)
	}
	token, err := creds.TokenSource.Token()
	if err != nil {
		if way.broke != nil && ctx.Err() == nil {
			return "", &UnreachableError{way.broke}
		}
		return "", f.explain(ctx, err)
	}
	l.token = token
	return token.AccessToken, nil
}

// An UnreachableError is for a server of Google's that cannot be reached.
type UnreachableError struct{ Err error }

func (e *UnreachableError) Error() string {
	return "Google's sign-in cannot be reached: " + e.Err.Error()
}

func (e *UnreachableError) Unwrap() error { return e.Err }

// way notes what went wrong on the way to a server, which the library says in
// words alone.
type way struct {
	base  http.RoundTripper
	broke error
}

func (w *way) RoundTrip(r *http.Request) (*http.Response, error) {
	base := w.base
	if base == nil {
		base = http.DefaultTransport
	}
	resp, err := base.RoundTrip(r)
	w.broke = err
	return resp, err
}

// explain says what went wrong with a login. What the server sent stays out of
// it but for its own words for the error.
func (f File) explain(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	refused, ok := errors.AsType[*oauth2.RetrieveError](err)
	if !ok {
		return fmt.Errorf("the login in %s cannot be used: its key, or what Google says to it, cannot be read; %s", f.Path, HowTo)
	}
	why := refused.ErrorCode
	if refused.ErrorDescription != "" {
		why += ", " + refused.ErrorDescription
	}
	if why == "" && refused.Response != nil {
		why = refused.Response.Status
	}
	return fmt.Errorf("Google refuses the login in %s (%s); %s", f.Path, why, HowTo)
}
