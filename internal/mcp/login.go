package mcp

import (
	"context"
	"errors"
	"fmt"
	"html"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	sdkauth "github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"
)

// LoginUI is how a person takes part in a sign-in.
type LoginUI struct {
	// Show is given the page to open in a browser.
	Show func(page string)

	// Paste, which may be nil, waits for the address that the browser was sent to,
	// pasted by a person whose browser is on another machine. It returns when ctx
	// ends.
	Paste func(ctx context.Context) (string, error)
}

// Login signs in at a server. The sign-in is kept, and the server connected to if
// the manager has been started.
func (m *Manager) Login(ctx context.Context, name string, ui LoginUI) error {
	s, err := m.server(name)
	if err != nil {
		return err
	}
	switch {
	case s.Err != "":
		return s.reason()
	case s.URL == "":
		return fmt.Errorf("%s is started by a command; only servers with a url are signed in to", s.Name)
	case !s.signsIn():
		return fmt.Errorf("%s has an Authorization header in %s:%d, so there is nothing to sign in to", s.Name, s.File, s.Line)
	case s.OAuth.ClientRegistration == "cimd":
		return fmt.Errorf("%s wants a client ID metadata document (oauth.clientRegistration in %s:%d), which bough has none of: use dcr, or give a clientId", s.Name, s.File, s.Line)
	}
	r, err := s.resolve(ctx)
	if err != nil {
		return err
	}
	back, err := listenBack(r.OAuth)
	if err != nil {
		return err
	}
	defer back.close()
	asked, err := s.signInNow(ctx, r, back, ui)
	if err != nil {
		return s.loginError(ctx, err)
	}
	if !asked {
		return fmt.Errorf("%s let bough in without a sign-in; there is nothing to do", s.Name)
	}
	s.mu.Lock()
	started := s.state != Idle && s.state != Disabled
	s.mu.Unlock()
	if started {
		return m.Reconnect(ctx, s.Name)
	}
	return nil
}

// signInNow connects with a handler that asks. It reports whether the server
// wanted a sign-in.
func (s *server) signInNow(ctx context.Context, r resolved, back *backListener, ui LoginUI) (asked bool, err error) {
	found := &metadata{base: s.m.o.HTTP, url: r.OAuth.AuthServerMetadataURL, resource: r.URL}
	client := &http.Client{Transport: found}
	var saved atomic.Bool
	c := &sdkauth.AuthorizationCodeHandlerConfig{
		RedirectURL:           back.url,
		Client:                client,
		RequestRefreshToken:   true,
		AcceptUnadvertisedIss: true,
		AuthorizationCodeFetcher: func(ctx context.Context, a *sdkauth.AuthorizationArgs) (*sdkauth.AuthorizationResult, error) {
			return back.fetch(ctx, a.URL, ui)
		},
		NewTokenSource: func(ctx context.Context, c *oauth2.Config, t *oauth2.Token) (oauth2.TokenSource, error) {
			entry, err := found.entry(s.URL, back.url, c, t)
			if err == nil {
				err = s.m.tokens().put(ctx, s.Name, s.URL, entry)
			}
			if err != nil {
				return nil, fmt.Errorf("the sign-in cannot be kept: %w", err)
			}
			saved.Store(true)
			// From here on the kept one counts: it may be refreshed at once.
			return s.signer().TokenSource(ctx)
		},
	}
	if r.OAuth.Scope != "" {
		c.ScopeFilter = func([]string) []string { return strings.Fields(r.OAuth.Scope) }
	}
	if r.OAuth.ClientID != "" {
		c.PreregisteredClient = &oauthex.ClientCredentials{ClientID: r.OAuth.ClientID}
		if r.OAuth.ClientSecret != "" {
			c.PreregisteredClient.ClientSecretAuth = &oauthex.ClientSecretAuth{ClientSecret: r.OAuth.ClientSecret}
		}
	} else {
		name := r.OAuth.ClientName
		if name == "" {
			name = "bough"
		}
		c.DynamicClientRegistrationConfig = &sdkauth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{
			RedirectURIs: []string{back.url}, ClientName: name, TokenEndpointAuthMethod: "none",
			GrantTypes: []string{"authorization_code", "refresh_token"}, ResponseTypes: []string{"code"}}}
	}
	h, err := sdkauth.NewAuthorizationCodeHandler(c)
	if err != nil {
		return false, err
	}
	door := newDoor(r, s.m.o.HTTP, s.m.pauses.stream)
	session, err := within(ctx, 24*time.Hour, func(ctx context.Context) (*mcp.ClientSession, error) {
		return mcp.NewClient(&mcp.Implementation{Name: "bough", Version: s.m.o.Version}, &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}}).
			Connect(ctx, door.transport(r.URL, h), &mcp.ClientSessionOptions{ProtocolVersion: firstVersion})
	})
	if session != nil {
		s.end(&connection{session: session, door: door})
	}
	if saved.Load() {
		return true, nil // what else is wrong the status of the server tells
	}
	return false, err
}

func (s *server) loginError(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("the sign-in to %s was given up: %w", s.Name, context.Cause(ctx))
	case strings.Contains(err.Error(), "no configured client registration methods"):
		return fmt.Errorf("%s does not take clients it does not know: give it a registered one with oauth.clientId in %s:%d", s.Name, s.File, s.Line)
	}
	return fmt.Errorf("signing in to %s: %s", s.Name, s.words(err))
}

// Logout forgets the sign-in at a server. It reports whether there was one.
func (m *Manager) Logout(ctx context.Context, name string) (bool, error) {
	s, err := m.server(name)
	if err != nil {
		return false, err
	}
	was, err := m.tokens().remove(ctx, s.Name, s.URL)
	if err != nil {
		return false, fmt.Errorf("sign out of %s: %w", s.Name, err)
	}
	s.mu.Lock()
	live := s.conn != nil
	s.mu.Unlock()
	if live {
		s.disconnect()
	}
	return was, nil
}

// backListener is where the browser comes back to.
type backListener struct {
	l    net.Listener
	url  string
	path string
}

// listenBack listens where the configuration says, on this machine alone.
func listenBack(o OAuth) (*backListener, error) {
	host, path, port := "127.0.0.1", "/callback", o.CallbackPort
	exact := ""
	if o.CallbackURL != "" {
		u, err := url.Parse(o.CallbackURL)
		if err != nil || !loopback(u.Hostname()) {
			return nil, fmt.Errorf("oauth.callbackUrl %s is not on this machine", o.CallbackURL)
		}
		host, path = u.Hostname(), u.EscapedPath()
		if u.Port() != "" {
			exact = o.CallbackURL
			if port, err = strconv.Atoi(u.Port()); err != nil {
				return nil, fmt.Errorf("oauth.callbackUrl %s has no port that is a number", o.CallbackURL)
			}
		}
	}
	l, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
	if err != nil {
		return nil, fmt.Errorf("the browser cannot come back to port %d: %w. Set oauth.callbackPort to one that is free", port, err)
	}
	b := &backListener{l: l, path: path, url: exact}
	if exact == "" {
		_, p, _ := net.SplitHostPort(l.Addr().String())
		b.url = "http://" + net.JoinHostPort(host, p) + path
	}
	if b.path == "" {
		b.path = "/"
	}
	return b, nil
}

func (b *backListener) close() { b.l.Close() }

// fetch shows the page and waits until the browser, or a person, brings the
// answer.
func (b *backListener) fetch(ctx context.Context, page string, ui LoginUI) (*sdkauth.AuthorizationResult, error) {
	u, err := url.Parse(page)
	if err != nil || u.Scheme != "https" && (u.Scheme != "http" || !loopback(u.Hostname())) {
		return nil, errors.New("the server's page to sign in has an address that is not https; it is not opened")
	}
	state := u.Query().Get("state")
	type answer struct {
		r   *sdkauth.AuthorizationResult
		err error
	}
	answers := make(chan answer, 2)
	say := func(r *sdkauth.AuthorizationResult, err error) {
		select {
		case answers <- answer{r, err}:
		default: // there is one already
		}
	}
	srv := &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.URL.EscapedPath() != b.path {
			http.NotFound(w, req)
			return
		}
		r, err := readAnswer(req.URL.Query(), state)
		words := "Signed in. You can close this page."
		switch {
		case errors.Is(err, errOther):
			http.Error(w, "This is not the answer that bough waits for.", http.StatusBadRequest)
			return
		case err != nil:
			words = "Not signed in: " + err.Error()
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", "default-src 'none'")
		w.Header().Set("Referrer-Policy", "no-referrer")
		fmt.Fprintf(w, "<!doctype html><title>bough</title><p>%s</p>\n", html.EscapeString(words))
		say(r, err)
	})}
	go func() { _ = srv.Serve(b.l) }() // until the listener is closed
	defer func() {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = srv.Shutdown(end) // lets the page be sent
	}()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if ui.Paste != nil {
		go func() {
			for ctx.Err() == nil {
				text, err := ui.Paste(ctx)
				if err != nil {
					return // there is nobody; the browser may still come
				}
				u, err := url.Parse(strings.TrimSpace(text))
				if err != nil {
					continue
				}
				if r, err := readAnswer(u.Query(), state); !errors.Is(err, errOther) {
					say(r, err)
					return
				}
			}
		}()
	}
	if ui.Show != nil {
		ui.Show(page)
	}
	select {
	case a := <-answers:
		return a.r, a.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// errOther is for a call that is not the answer to our question.
var errOther = errors.New("another answer")

func readAnswer(q url.Values, state string) (*sdkauth.AuthorizationResult, error) {
	if q.Get("state") != state {
		return nil, errOther
	}
	if e := q.Get("error"); e != "" {
		return nil, errors.New(cutText(oneLine(strings.TrimSpace(e+" "+q.Get("error_description"))), 300))
	}
	if q.Get("code") == "" {
		return nil, errOther
	}
	return &sdkauth.AuthorizationResult{Code: q.Get("code"), State: state, Iss: q.Get("iss")}, nil
}
