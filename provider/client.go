package provider

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"time"
)

// headerTimeout is how long a server may think before it begins to answer, for
// requests that nobody else watches; see [Endpoint.Idle]. Some send the headers
// with the first word only.
const headerTimeout = time.Hour

// DefaultClient returns the client of all endpoints that have none of their own.
// It uses the proxy that the environment names, but not for this machine, and
// has no limit on how long an answer takes. It follows no redirection: that
// would hand the key to whoever is there.
func DefaultClient() *http.Client { return defaultClient() }

var defaultClient = sync.OnceValue(func() *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			Proxy:                 proxy,
			DialContext:           (&net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
			ForceAttemptHTTP2:     true,
			TLSHandshakeTimeout:   20 * time.Second,
			ResponseHeaderTimeout: headerTimeout,
			IdleConnTimeout:       90 * time.Second,
			MaxIdleConns:          64,
			WriteBufferSize:       64 << 10, // a request goes out at once
			ReadBufferSize:        16 << 10,
			MaxIdleConnsPerHost:   16,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
})

func proxy(req *http.Request) (*url.URL, error) {
	if local(req.URL.Hostname()) {
		return nil, nil
	}
	return http.ProxyFromEnvironment(req)
}

// local reports whether a host is this machine.
func local(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && (ip.Unmap().IsLoopback() || ip.IsUnspecified())
}
