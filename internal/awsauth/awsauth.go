// Package awsauth finds the login of a user at Amazon Web Services, as the AWS
// tools do, and the region. It looks in this order:
//
//	AWS_PROFILE                              a profile of the shared files, if it is set
//	AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN
//	AWS_WEB_IDENTITY_TOKEN_FILE, AWS_ROLE_ARN
//	AWS_CONTAINER_CREDENTIALS_RELATIVE_URI or _FULL_URI
//	the profile "default" of the shared files
//
// The shared files are ~/.aws/config and ~/.aws/credentials. A profile may have
// keys, a credential_process, a sign-in with "aws sso login", or a role with the
// profile that may take it on.
package awsauth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Keys are what requests are signed with.
type Keys struct {
	ID, Secret string
	Token      string    // "" for keys that last
	Expires    time.Time // zero: never
}

// A Login is where keys are had from. It may be used by several goroutines.
type Login struct {
	Env func(string) string

	// Client asks for keys where they must be asked for; nil is
	// [http.DefaultClient].
	Client *http.Client

	// Sign signs a request to a service of AWS. It is needed for profiles with
	// a role.
	Sign func(req *http.Request, body []byte, k Keys, service, region string) error

	mu   sync.Mutex
	have Keys          // guarded by mu
	turn chan struct{} // held by who looks for keys; guarded by mu
}

// early is how long before their end keys are no longer used.
const early = 2 * time.Minute

// Keys returns the keys to sign with. Those that last, or last for a while, are
// kept. The error is a sentence that says what to do.
func (l *Login) Keys(ctx context.Context) (Keys, error) {
	k, turn := l.kept()
	if k.ID != "" {
		return k, nil
	}
	select {
	case turn <- struct{}{}:
	case <-ctx.Done():
		return Keys{}, ctx.Err()
	}
	defer func() { <-turn }()
	if k, _ = l.kept(); k.ID != "" { // who was here before has found some
		return k, nil
	}
	k, err := l.find(ctx)
	if err != nil {
		return Keys{}, err
	}
	if k.ID == "" || k.Secret == "" {
		return Keys{}, errors.New("the AWS login gave no keys")
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.have = k
	return k, nil
}

// kept returns the keys that still hold for a while, if there are any.
func (l *Login) kept() (Keys, chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.turn == nil {
		l.turn = make(chan struct{}, 1)
	}
	if k := l.have; k.Expires.IsZero() || time.Until(k.Expires) > early {
		return k, l.turn
	}
	return Keys{}, l.turn
}

// Forget makes the next request look for keys anew, after some were refused.
func (l *Login) Forget() {
	l.mu.Lock()
	l.have = Keys{}
	l.mu.Unlock()
}

func (l *Login) find(ctx context.Context) (Keys, error) {
	env := l.Env
	switch {
	case env("AWS_PROFILE") != "":
		return l.profile(ctx, env("AWS_PROFILE"))
	case hasKeys(env):
		return envKeys(env), nil
	case env("AWS_WEB_IDENTITY_TOKEN_FILE") != "" && env("AWS_ROLE_ARN") != "":
		return l.webIdentity(ctx, env("AWS_WEB_IDENTITY_TOKEN_FILE"), env("AWS_ROLE_ARN"), env("AWS_ROLE_SESSION_NAME"))
	case containerURL(env) != "":
		return l.container(ctx)
	}
	return l.profile(ctx, "default")
}

func hasKeys(env func(string) string) bool {
	return env("AWS_ACCESS_KEY_ID") != "" && env("AWS_SECRET_ACCESS_KEY") != ""
}

func envKeys(env func(string) string) Keys {
	return Keys{ID: env("AWS_ACCESS_KEY_ID"), Secret: env("AWS_SECRET_ACCESS_KEY"), Token: env("AWS_SESSION_TOKEN")}
}

// Found tells whether the environment asks for a login, by what, and what is
// wrong with it as far as files tell; it runs nothing and asks nobody. A profile
// "default" alone does not count: most have it for other things.
func Found(env func(string) string) (by string, problem error) {
	switch p := env("AWS_PROFILE"); {
	case p != "":
		all, err := loadProfiles(env)
		if err == nil && all[p] == nil {
			err = fmt.Errorf("AWS_PROFILE is %q, but %s has no such profile", p, configFile(env))
		}
		return "AWS_PROFILE", err
	case hasKeys(env):
		return "AWS_ACCESS_KEY_ID", nil
	case env("AWS_ACCESS_KEY_ID") != "":
		return "AWS_ACCESS_KEY_ID", fmt.Errorf("AWS_ACCESS_KEY_ID is set, but AWS_SECRET_ACCESS_KEY is not")
	case env("AWS_WEB_IDENTITY_TOKEN_FILE") != "" && env("AWS_ROLE_ARN") != "":
		return "AWS_WEB_IDENTITY_TOKEN_FILE", nil
	case env("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI") != "":
		return "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", nil
	case env("AWS_CONTAINER_CREDENTIALS_FULL_URI") != "":
		return "AWS_CONTAINER_CREDENTIALS_FULL_URI", nil
	}
	return "", nil
}

// Region returns the region that the user has set: AWS_REGION,
// AWS_DEFAULT_REGION, or that of the profile; "" if there is none.
func Region(env func(string) string) string {
	for _, name := range []string{"AWS_REGION", "AWS_DEFAULT_REGION"} {
		if v := strings.TrimSpace(env(name)); v != "" {
			return v
		}
	}
	name := env("AWS_PROFILE")
	if name == "" {
		name = "default"
	}
	all, err := loadProfiles(env)
	if err != nil {
		return "" // the login says what is wrong
	}
	return all[name]["region"]
}
