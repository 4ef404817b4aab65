package catalog

import (
	"crypto/x509"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/boughdev/bough/internal/auth"
	"github.com/boughdev/bough/internal/config"
	"github.com/boughdev/bough/provider"
)

func TestAdvise(t *testing.T) {
	models, _ := config.ParseModels("models.json", []byte(`{"providers":{"groq":{"baseUrl":"https://proxy.example/v1"}}}`))
	r, _ := New(Options{Models: models, Keys: auth.New(envOf([]string{"ANTHROPIC_API_KEY", "k", "GROQ_API_KEY", "k"}), nil)})
	dial := func(err error) error { return &net.OpError{Op: "dial", Net: "tcp", Err: err} }
	for _, tt := range []struct {
		name, provider string
		err            *provider.Error
		want           string // part of it; "" for nothing
	}{
		{"a name that is not known", "anthropic", &provider.Error{Kind: provider.Transient, Err: dial(&net.DNSError{Name: "api.anthropic.com", IsNotFound: true})}, "The name api.anthropic.com is not known: check the network."},
		{"one of the user's own", "groq", &provider.Error{Kind: provider.Transient, Err: dial(&net.DNSError{Name: "proxy.example", IsNotFound: true})}, "The name proxy.example is not known: check the network, and baseUrl in models.json."},
		{"no way there", "anthropic", &provider.Error{Kind: provider.Transient, Err: dial(errors.New("network is unreachable"))}, "api.anthropic.com cannot be reached: check the network, the VPN and the proxy."},
		{"a proxy", "anthropic", &provider.Error{Err: &net.OpError{Op: "proxyconnect", Err: dial(errors.New("refused"))}}, "put api.anthropic.com into NO_PROXY"},
		{"a proxy that wants a password", "anthropic", &provider.Error{Kind: provider.Transient, Message: "Proxy Authentication Required", Err: errors.New("Proxy Authentication Required")}, "http://NAME:PASSWORD@HOST:PORT"},
		{"a connection that was cut", "anthropic", &provider.Error{Kind: provider.Transient, Err: io.ErrUnexpectedEOF}, ""},
		{"an overloaded server", "anthropic", &provider.Error{Kind: provider.Transient, Status: 529, Message: "overloaded"}, ""},
		{"a rate limit that speaks of billing", "anthropic", &provider.Error{Kind: provider.Transient, Status: 429, Message: "see your billing page"}, ""},
		{"no money", "anthropic", &provider.Error{Kind: provider.Rejected, Status: 400, Message: "Your credit balance is too low to access the Anthropic API."}, "no money or quota left: see to it at platform.claude.com"},
		{"a certificate for other names", "anthropic", &provider.Error{Err: x509.HostnameError{Certificate: &x509.Certificate{}, Host: "x"}}, "is for other names"},
		{"no key", "anthropic", &provider.Error{Kind: provider.Auth, Err: auth.ErrNoKey}, "bough auth login anthropic."},
		{"a command for a key", "anthropic", &provider.Error{Kind: provider.Auth, Err: errors.New("exit status 1")}, "Run that command by hand"},
		{"too long", "anthropic", &provider.Error{Kind: provider.Overflow, Status: 400, Message: "prompt is too long"}, ""},
		{"what nobody knows", "anthropic", &provider.Error{Kind: provider.Rejected, Status: 400, Message: "temperature: wrong"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := r.of(tt.provider)[0]
			got := r.Advise(c, tt.err)
			if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
				t.Errorf("advice %q, want %q", got, tt.want)
			}
			if got != "" && !strings.HasSuffix(got, ".") && !strings.HasSuffix(got, "?") {
				t.Errorf("%q is no sentence", got)
			}
		})
	}
}

func TestClock(t *testing.T) {
	day := func(s string) time.Time { d, _ := time.Parse(time.DateOnly, s); return d }
	err := x509.CertificateInvalidError{Cert: &x509.Certificate{NotBefore: day("2026-01-01"), NotAfter: day("2027-01-01")}, Reason: x509.Expired}
	got := certificate(err, "h", day("1970-01-02"))
	if want := "The certificate of h is for 2026-01-01 to 2027-01-01, and the clock of this machine says 1970-01-02: set the clock if it is wrong, else the server must renew it."; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
