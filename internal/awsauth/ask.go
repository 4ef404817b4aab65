package awsauth

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha1" // the file names of the AWS tools
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// askLimit is how long a service may take to hand out keys.
const askLimit = 20 * time.Second

// ask sends a request and returns the answer. who is for the error.
func (l *Login) ask(req *http.Request, who string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(req.Context(), askLimit)
	defer cancel()
	client := l.Client
	if client == nil {
		client = http.DefaultClient
	}
	resp, err := client.Do(req.WithContext(ctx))
	if err != nil {
		if req.Context().Err() != nil {
			return nil, req.Context().Err()
		}
		if u, ok := errors.AsType[*url.Error](err); ok {
			err = u.Err // without the URL, which has a token in it
		}
		return nil, fmt.Errorf("%s gave no keys: %w", who, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		return nil, fmt.Errorf("%s gave no keys: %w", who, err)
	}
	if resp.StatusCode != http.StatusOK {
		return nil, &refusal{resp.StatusCode, fmt.Errorf("%s refused to give keys: %s%s", who, resp.Status, said(body))}
	}
	return body, nil
}

type refusal struct {
	status int
	error
}

// said returns the message of an error in XML or JSON.
func said(body []byte) string {
	if m := element(string(body), "Message"); m != "" {
		return ": " + m
	}
	var j struct{ Message string }
	if json.Unmarshal(body, &j) == nil && j.Message != "" {
		return ": " + j.Message
	}
	return ""
}

// containerURL is where a container asks for its keys, "" if it is none.
func containerURL(env func(string) string) string {
	if rel := env("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"); rel != "" {
		return "http://169.254.170.2" + rel
	}
	return env("AWS_CONTAINER_CREDENTIALS_FULL_URI")
}

// container asks ECS or EKS for the keys of the task.
func (l *Login) container(ctx context.Context) (Keys, error) {
	at := containerURL(l.Env)
	if err := mayAsk(at); err != nil {
		return Keys{}, err
	}
	token := l.Env("AWS_CONTAINER_AUTHORIZATION_TOKEN")
	if file := l.Env("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"); file != "" {
		text, err := os.ReadFile(file)
		if err != nil {
			return Keys{}, fmt.Errorf("read AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: %w", err)
		}
		token = strings.TrimSpace(string(text))
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		return Keys{}, fmt.Errorf("AWS_CONTAINER_CREDENTIALS_FULL_URI cannot be used: %w", err)
	}
	if token != "" {
		req.Header.Set("Authorization", token)
	}
	body, err := l.ask(req, "the container")
	if err != nil {
		return Keys{}, err
	}
	var k struct {
		AccessKeyId, SecretAccessKey, Token string
		Expiration                          time.Time
	}
	if err := json.Unmarshal(body, &k); err != nil {
		return Keys{}, errors.New("the container's answer has no AWS keys in it")
	}
	return Keys{ID: k.AccessKeyId, Secret: k.SecretAccessKey, Token: k.Token, Expires: k.Expiration}, nil
}

// mayAsk allows what the AWS tools allow: this machine and the addresses of the
// containers without TLS, anybody with it.
func mayAsk(at string) error {
	u, err := url.Parse(at)
	if err == nil && u.Scheme == "https" && u.Host != "" {
		return nil
	}
	if err == nil && u.Scheme == "http" {
		if u.Hostname() == "localhost" {
			return nil
		}
		switch ip, err := netip.ParseAddr(u.Hostname()); {
		case err != nil:
		case ip.IsLoopback(), ip == netip.MustParseAddr("169.254.170.2"), ip == netip.MustParseAddr("169.254.170.23"), ip == netip.MustParseAddr("fd00:ec2::23"):
			return nil
		}
	}
	return errors.New("AWS_CONTAINER_CREDENTIALS_FULL_URI must be https, or http on this machine")
}

// roleKeys reads the answer to AssumeRole and AssumeRoleWithWebIdentity:
//
//	<…Response><…Result><Credentials><AccessKeyId>…</AccessKeyId>…
func roleKeys(body []byte) Keys {
	c := element(string(body), "Credentials")
	k := Keys{ID: element(c, "AccessKeyId"), Secret: element(c, "SecretAccessKey"), Token: element(c, "SessionToken")}
	var err error
	if k.Expires, err = time.Parse(time.RFC3339, element(c, "Expiration")); err != nil {
		return Keys{} // it is no such answer
	}
	return k
}

// element returns what stands in the first element of a name. The answers that
// are read so have no attributes, and one of a kind.
func element(xml, name string) string {
	_, rest, _ := strings.Cut(xml, "<"+name+">")
	text, _, ok := strings.Cut(rest, "</"+name+">")
	if !ok {
		return ""
	}
	return strings.TrimSpace(text)
}

// tokenService makes a request to the service that gives keys for roles.
func (l *Login) tokenService(ctx context.Context, region string, form url.Values) (*http.Request, []byte, error) {
	form.Set("Version", "2011-06-15")
	body := []byte(form.Encode())
	to := cmp.Or(l.Env("AWS_ENDPOINT_URL_STS"), "https://sts."+region+"."+Domain(region))
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimRight(to, "/")+"/", bytes.NewReader(body))
	if err != nil {
		return nil, nil, fmt.Errorf("the address of the AWS token service cannot be used: %w", err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded; charset=utf-8")
	return req, body, nil
}

// Domain is that of the services in a region.
func Domain(region string) string {
	if strings.HasPrefix(region, "cn-") {
		return "amazonaws.com.cn"
	}
	return "amazonaws.com"
}

// webIdentity trades the token of a file for the keys of a role, as pods do.
func (l *Login) webIdentity(ctx context.Context, file, role, session string) (Keys, error) {
	token, err := os.ReadFile(file)
	if err != nil {
		return Keys{}, fmt.Errorf("read the AWS web identity token: %w", err)
	}
	req, _, err := l.tokenService(ctx, regionOf(l.Env, nil), url.Values{"Action": {"AssumeRoleWithWebIdentity"}, "RoleArn": {role},
		"RoleSessionName": {cmp.Or(session, "bough")}, "WebIdentityToken": {strings.TrimSpace(string(token))}})
	if err != nil {
		return Keys{}, err
	}
	body, err := l.ask(req, "the AWS token service")
	if err != nil {
		return Keys{}, err
	}
	return roleKeys(body), nil
}

// assumeRole trades keys for those of a profile's role.
func (l *Login) assumeRole(ctx context.Context, k Keys, p map[string]string, region string) (Keys, error) {
	if p["mfa_serial"] != "" {
		return Keys{}, errors.New("the AWS profile asks for an MFA code; log in with the AWS tools and set AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN")
	}
	form := url.Values{"Action": {"AssumeRole"}, "RoleArn": {p["role_arn"]}, "RoleSessionName": {cmp.Or(p["role_session_name"], "bough")}}
	for key, name := range map[string]string{"external_id": "ExternalId", "duration_seconds": "DurationSeconds"} {
		if p[key] != "" {
			form.Set(name, p[key])
		}
	}
	req, body, err := l.tokenService(ctx, region, form)
	if err != nil {
		return Keys{}, err
	}
	if l.Sign == nil {
		return Keys{}, errors.New("AWS profiles with a role cannot be used here")
	}
	if err := l.Sign(req, body, k, "sts", region); err != nil {
		return Keys{}, err
	}
	text, err := l.ask(req, "the AWS token service")
	if err != nil {
		return Keys{}, err
	}
	return roleKeys(text), nil
}

// sso gets keys with the sign-in that "aws sso login" has left.
func (l *Login) sso(ctx context.Context, all profiles, name string) (Keys, error) {
	p := all[name]
	start, region, file := p["sso_start_url"], p["sso_region"], p["sso_start_url"]
	if s := p["sso_session"]; s != "" {
		session := all["sso-session "+s]
		if session == nil {
			return Keys{}, fmt.Errorf("the AWS profile %q names the sso-session %q, which does not exist", name, s)
		}
		start, region, file = session["sso_start_url"], session["sso_region"], s
	}
	if start == "" || region == "" || p["sso_account_id"] == "" || p["sso_role_name"] == "" {
		return Keys{}, fmt.Errorf("the sign-in of the AWS profile %q is not complete; run \"aws configure sso --profile %s\"", name, name)
	}
	again := fmt.Errorf("the sign-in of the AWS profile %q is over; run \"aws sso login --profile %s\"", name, name)
	text, err := os.ReadFile(filepath.Join(home(l.Env), ".aws", "sso", "cache", sha1hex(file)+".json"))
	if err != nil {
		return Keys{}, again
	}
	var kept struct {
		AccessToken string
		ExpiresAt   time.Time
	}
	if json.Unmarshal(text, &kept) != nil || kept.AccessToken == "" || time.Until(kept.ExpiresAt) <= 0 {
		return Keys{}, again
	}
	to := cmp.Or(l.Env("AWS_ENDPOINT_URL_SSO"), "https://portal.sso."+region+"."+Domain(region))
	query := url.Values{"account_id": {p["sso_account_id"]}, "role_name": {p["sso_role_name"]}}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(to, "/")+"/federation/credentials?"+query.Encode(), nil)
	if err != nil {
		return Keys{}, fmt.Errorf("the address of the AWS sign-in cannot be used: %w", err)
	}
	req.Header.Set("x-amz-sso_bearer_token", kept.AccessToken)
	body, err := l.ask(req, "the AWS sign-in")
	if r, ok := errors.AsType[*refusal](err); ok && r.status == http.StatusUnauthorized {
		return Keys{}, again
	} else if err != nil {
		return Keys{}, err
	}
	var answer struct {
		RoleCredentials struct {
			AccessKeyId, SecretAccessKey, SessionToken string
			Expiration                                 int64 // Unix milliseconds
		}
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return Keys{}, errors.New("the answer of the AWS sign-in cannot be read")
	}
	c := answer.RoleCredentials
	return Keys{ID: c.AccessKeyId, Secret: c.SecretAccessKey, Token: c.SessionToken, Expires: time.UnixMilli(c.Expiration)}, nil
}

func sha1hex(s string) string {
	sum := sha1.Sum([]byte(s))
	return hex.EncodeToString(sum[:])
}
