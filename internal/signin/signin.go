// Package signin gets a key by the browser, where a provider describes that for
// programs of others. There is one such way, that of OpenRouter (its guide "OAuth
// PKCE"):
//
//	browser   AUTHORIZE?callback_url=http://localhost:PORT/STATE&code_challenge=…&code_challenge_method=S256
//	browser   http://localhost:PORT/STATE?code=…                      sent there after the yes
//	bough     POST EXCHANGE {"code":…,"code_verifier":…,"code_challenge_method":"S256"}
//	answer    {"key":"sk-or-…"}
//
// STATE is a random word: a request without it is not an answer to ours. The code
// is of no use to anybody who has not the verifier, which stays in this process.
package signin

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Flow is the way to a key.
type Flow struct {
	Provider            string // its name, for people
	Authorize, Exchange string // addresses

	Client *http.Client  // that exchanges the code; nil: the default one
	Limit  time.Duration // for all of it; 0: five minutes

	// Show is told the address to open in a browser.
	Show func(address string)

	// Pasted has what a person pastes whose browser runs on another machine: the
	// address that the browser was sent to in the end. Nil: nobody does.
	Pasted <-chan string
}

// OpenRouter is the way to a key of OpenRouter.
func OpenRouter() Flow {
	return Flow{Provider: "OpenRouter", Authorize: "https://openrouter.ai/auth", Exchange: "https://openrouter.ai/api/v1/auth/keys"}
}

// errDeclined is what a no in the browser comes to.
var errDeclined = errors.New("the sign-in was declined in the browser; run the command again to try once more")

// Key goes the way: it listens on this machine, has the person say yes in a
// browser, and exchanges what comes back for a key.
func (f Flow) Key(ctx context.Context) (string, error) {
	limit := f.Limit
	if limit == 0 {
		limit = 5 * time.Minute
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("nobody signed in within %v; run the command again", limit))
	defer cancel()
	state, verifier := rand.Text(), rand.Text()+rand.Text()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("wait for the browser: %w", err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	back := &callback{state: state, came: make(chan answer, 1)}
	server := &http.Server{Handler: back, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(l) }() // it ends with Close
	if l6, err := net.Listen("tcp", fmt.Sprintf("[::1]:%d", port)); err == nil {
		go func() { _ = server.Serve(l6) }() // likewise; some browsers go here first
	}
	defer func() {
		// The page that says so is still to reach the browser.
		last, stop := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer stop()
		if server.Shutdown(last) != nil {
			_ = server.Close() // nothing is left to be told
		}
	}()
	sum := sha256.Sum256([]byte(verifier))
	q := url.Values{
		"callback_url":          {fmt.Sprintf("http://localhost:%d/%s", port, state)},
		"code_challenge":        {base64.RawURLEncoding.EncodeToString(sum[:])},
		"code_challenge_method": {"S256"},
	}
	if f.Show != nil {
		f.Show(f.Authorize + "?" + q.Encode())
	}
	for {
		select {
		case a := <-back.came:
			if a.err != nil {
				return "", a.err
			}
			return f.exchange(ctx, a.code, verifier)
		case text := <-f.Pasted:
			code, err := pasted(text, state)
			if err != nil {
				return "", err
			}
			return f.exchange(ctx, code, verifier)
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}
}

type answer struct {
	code string
	err  error
}

// callback waits for the browser.
type callback struct {
	state string
	came  chan answer // holds one
}

func (c *callback) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil || host != "localhost" && host != "127.0.0.1" && host != "::1" || r.Method != http.MethodGet || r.URL.Path != "/"+c.state {
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprintln(w, "<p>This is not what bough waits for.</p>")
		return
	}
	a := answer{code: r.URL.Query().Get("code")}
	said := "bough has it. You may close this page."
	if a.code == "" {
		a.err, said = errDeclined, "bough did not get in. You may close this page."
	}
	select {
	case c.came <- a:
	default: // one came already
	}
	fmt.Fprintf(w, "<!doctype html><title>bough</title><p>%s</p>\n", said)
}

// pasted takes the code out of what was pasted: the address that the browser
// ended at, or the code alone.
func pasted(text, state string) (string, error) {
	text = strings.TrimSpace(text)
	if !strings.Contains(text, "://") {
		if text == "" || strings.ContainsAny(text, " \t/?&=") {
			return "", errors.New("that is neither the address that the browser ended at nor a code; run the command again")
		}
		return text, nil
	}
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return "", errors.New("that is no address; run the command again and paste the whole line of the browser")
	case strings.Trim(u.Path, "/") != state:
		return "", errors.New("that address belongs to another sign-in; run the command again and use the page that opens then")
	case u.Query().Get("code") == "":
		return "", errDeclined
	}
	return u.Query().Get("code"), nil
}

// exchange makes a key of a code.
func (f Flow) exchange(ctx context.Context, code, verifier string) (string, error) {
	body, err := json.Marshal(map[string]string{"code": code, "code_verifier": verifier, "code_challenge_method": "S256"})
	if err != nil {
		return "", err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, f.Exchange, bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", "application/json")
	client := f.Client
	if client == nil {
		client = http.DefaultClient
	}
	resp, err := client.Do(req)
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	} else if err != nil {
		if u, ok := errors.AsType[*url.Error](err); ok {
			err = u.Err
		}
		return "", fmt.Errorf("%s cannot be reached: %w. Check the network, then run the command again", f.Provider, err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	if err != nil {
		return "", fmt.Errorf("the answer of %s broke off: %w", f.Provider, err)
	}
	switch {
	case resp.StatusCode == http.StatusForbidden || resp.StatusCode == http.StatusBadRequest:
		return "", fmt.Errorf("%s did not take the code (%d): it has been used or is too old; run the command again", f.Provider, resp.StatusCode)
	case resp.StatusCode != http.StatusOK:
		return "", fmt.Errorf("%s gave no key (%d); try later, or make a key by hand and run the command with --api-key", f.Provider, resp.StatusCode)
	}
	var got struct{ Key string }
	if json.Unmarshal(raw, &got) != nil || got.Key == "" || strings.ContainsFunc(got.Key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", fmt.Errorf("the answer of %s has no key in it; make one by hand and run the command with --api-key", f.Provider)
	}
	return got.Key, nil
}
