package catalog

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/boughdev/bough/internal/auth"
	"github.com/boughdev/bough/provider"
)

// Advise says what a user may do about an error of a model, in sentences; "" if
// there is nothing to say but what the error says.
func (r *Registry) Advise(c Choice, e *provider.Error) string {
	a := adviser{r: r, c: c, e: e, name: c.Info.Provider}
	if l, ok := r.listing(a.name); ok {
		a.name = l.Name
	} else if name, _, ok := ServerName(a.name); ok {
		a.name = name
	}
	u, err := url.Parse(c.Info.BaseURL)
	if err == nil {
		a.host = u.Host
	}
	said := strings.ToLower(e.Message)
	switch {
	case e.Kind == provider.Auth && c.Info.API == "bedrock-converse-stream" && r.opts.Keys.Find(c.Info.Provider, c.material.apiKey).Place == auth.Nowhere:
		return a.aws()
	case errors.Is(e.Err, auth.ErrNoKey):
		return "Give it a key: bough auth login " + c.Info.Provider + "."
	case e.Status == http.StatusProxyAuthRequired || strings.Contains(said, "proxy authentication required"):
		return "The proxy wants a name and a password: put them into HTTPS_PROXY as http://NAME:PASSWORD@HOST:PORT, and start again."
	case noCredit(e, said):
		return a.credit()
	case e.Kind == provider.Auth && e.Status == 0 && e.Err != nil:
		return "Run that command by hand to see what is wrong; it stands in auth.json or models.json."
	case e.Kind == provider.Auth:
		return a.refused(said)
	case e.Status == http.StatusNotFound, e.Status == http.StatusGone, strings.Contains(said, "model_not_found"), strings.Contains(said, "not_found_error"):
		return a.notFound(said)
	case e.Status == 0 && e.Err != nil && e.Kind != provider.Overflow:
		return a.network(e.Err)
	}
	return ""
}

type adviser struct {
	r    *Registry
	c    Choice
	e    *provider.Error
	name string // of the provider, for people
	host string
}

func noCredit(e *provider.Error, said string) bool {
	if e.Status == http.StatusPaymentRequired {
		return true
	}
	if e.Kind == provider.Transient {
		return false
	}
	for _, w := range []string{"insufficient_quota", "billing", "credit balance", "insufficient balance", "insufficient_balance", "quota exceeded", "exceeded your current quota", "usage_limit", "usage limit", "insufficient credit"} {
		if strings.Contains(said, w) {
			return true
		}
	}
	return false
}

func (a adviser) credit() string {
	at := ""
	if p := auth.Page(a.c.Info.Provider); p != "" {
		if u, err := url.Parse(p); err == nil {
			at = " at " + u.Host
		}
	}
	return fmt.Sprintf("The account of %s has no money or quota left: see to it%s, or choose another model.", a.name, at)
}

// refused is about a key that was not taken.
func (a adviser) refused(said string) string {
	id := a.c.Info.Provider
	src := a.r.opts.Keys.Find(id, a.c.material.apiKey)
	page := ""
	if p := auth.Page(id); p != "" {
		page = " Keys are at " + p + "."
	}
	was := "is wrong, or was revoked"
	if strings.Contains(said, "expired") {
		was = "has expired"
	}
	login := "bough auth login " + id
	switch {
	case src.Place == auth.Nowhere:
		return fmt.Sprintf("%s wants a key, and there is none: %s stores one.%s", a.name, login, page)
	case a.e.Status == http.StatusForbidden && !strings.Contains(said, "expired") && !strings.Contains(said, "invalid"):
		return fmt.Sprintf("The key of %s (from %s) may not do this: look at its rights and at the regions and models that it is for, or choose another model.%s", a.name, src, page)
	case src.Place == auth.Flag:
		return fmt.Sprintf("The key of --api-key %s: start again with another.%s", was, page)
	case src.Place == auth.ModelsFile:
		return fmt.Sprintf("The key of %s in models.json %s: change apiKey there and start again, or run %s in another terminal, which goes before it and counts at once.%s", a.name, was, login, page)
	case src.Place == auth.Variable:
		return fmt.Sprintf("The key of %s in %s %s: set another and start again, or run %s in another terminal, which goes before it and counts at once.%s", a.name, src.Variable, was, login, page)
	}
	return fmt.Sprintf("The key of %s in auth.json %s: run %s in another terminal; it counts at once.%s", a.name, was, login, page)
}

// notFound is about a model that is gone, or an address that is wrong.
func (a adviser) notFound(said string) string {
	if id := strings.ToLower(a.c.Info.ID); !strings.Contains(said, "model") && !strings.Contains(said, id) {
		return fmt.Sprintf("Nothing is there at %s: is baseUrl right?", withoutQuery(a.c.Info.BaseURL))
	}
	if _, _, local := ServerName(a.c.Info.Provider); local {
		more := ""
		if a.c.Info.Provider == "ollama" {
			more = " (ollama pull " + a.c.Info.ID + " fetches it)"
		}
		return fmt.Sprintf("%s has no model %s now%s: load it there, or choose another.", a.name, a.c.Info.ID, more)
	}
	near := a.near()
	if len(near) == 0 {
		return fmt.Sprintf("%s has no model %s, or not for this key: bough --list-models shows others.", a.name, a.c.Info.ID)
	}
	return fmt.Sprintf("%s has no model %s any more, or not for this key. Near ones: %s. Choose one with /model or --model.", a.name, a.c.Info.ID, strings.Join(near, ", "))
}

// near returns models of the provider with names that begin most alike.
func (a adviser) near() []string {
	type hit struct {
		id    string
		alike int
	}
	var hits []hit
	for _, c := range a.r.of(a.c.Info.Provider) {
		if n := alike(c.Info.ID, a.c.Info.ID); c.Ready && c.Info.ID != a.c.Info.ID && n > 2 {
			hits = append(hits, hit{c.Info.ID, n})
		}
	}
	slices.SortStableFunc(hits, func(x, y hit) int { return cmp.Or(y.alike-x.alike, strings.Compare(y.id, x.id)) })
	var out []string
	for _, h := range hits[:min(len(hits), 3)] {
		out = append(out, h.id)
	}
	return out
}

// alike is how many bytes two names have in common at their beginning.
func alike(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n]|0x20 == b[n]|0x20 {
		n++
	}
	return n
}

// network is about what went wrong before there was an answer.
func (a adviser) network(err error) string {
	host := a.host
	name, _, splitErr := net.SplitHostPort(host)
	if splitErr != nil {
		name = host
	}
	if advice := certificate(err, host, time.Now()); advice != "" {
		return advice
	}
	op, _ := errors.AsType[*net.OpError](err)
	switch {
	case op != nil && op.Op == "proxyconnect", strings.Contains(err.Error(), "proxyconnect"):
		return "The proxy that HTTPS_PROXY, HTTP_PROXY or the setting httpProxy names cannot be reached: correct or remove it, or put " + name + " into NO_PROXY, and start again."
	case op == nil || op.Op != "dial":
		return "" // it was there, and may be again
	case isLoopback(name):
		if server, start, ok := ServerName(a.c.Info.Provider); ok {
			return fmt.Sprintf("%s does not answer at %s: start it (%s).", server, host, start)
		}
		return fmt.Sprintf("No server answers at %s: start the one that models.json means by %s, or correct its baseUrl.", host, a.c.Info.Provider)
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok && dns.IsNotFound {
		return fmt.Sprintf("The name %s is not known: check the network%s.", name, a.orAddress())
	}
	return fmt.Sprintf("%s cannot be reached: check the network, the VPN and the proxy%s.", host, a.orAddress())
}

// orAddress mentions the address if it is the user's own.
func (a adviser) orAddress() string {
	if a.r.configured(a.c.Info.Provider).BaseURL != "" {
		return ", and baseUrl in models.json"
	}
	return ""
}

func isLoopback(name string) bool {
	_, ok := loopback(name, "http://x:1")
	return ok && name != ""
}

// certificate is about what is wrong with the certificate of a server, "" if
// nothing is.
func certificate(err error, host string, now time.Time) string {
	if invalid, ok := errors.AsType[x509.CertificateInvalidError](err); ok && invalid.Reason == x509.Expired && invalid.Cert != nil {
		return fmt.Sprintf("The certificate of %s is for %s to %s, and the clock of this machine says %s: set the clock if it is wrong, else the server must renew it.",
			host, invalid.Cert.NotBefore.Format(time.DateOnly), invalid.Cert.NotAfter.Format(time.DateOnly), now.Format(time.DateOnly))
	}
	_, unknown := errors.AsType[x509.UnknownAuthorityError](err)
	_, names := errors.AsType[x509.HostnameError](err)
	_, verify := errors.AsType[*tls.CertificateVerificationError](err)
	_, noTLS := errors.AsType[tls.RecordHeaderError](err)
	switch {
	case names:
		return fmt.Sprintf("The certificate of %s is for other names: is baseUrl right, and no proxy in between?", host)
	case unknown, verify:
		return fmt.Sprintf("The certificate of %s is signed by somebody whom this machine does not trust. If that is the proxy of your company, name its certificate in SSL_CERT_FILE and start again.", host)
	case noTLS, strings.Contains(err.Error(), "gave HTTP response to HTTPS client"):
		return fmt.Sprintf("%s does not speak TLS: should baseUrl begin with http:// instead of https://?", host)
	}
	return ""
}

func withoutQuery(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "that address"
	}
	u.RawQuery, u.User, u.Fragment = "", nil, ""
	return u.String()
}
