package provider

import (
	"errors"
	"net/http"
	"net/url"
	"os"
	"strings"
)

// UseProxy makes all requests of this process that obey the environment go by way
// of a proxy, as if HTTP_PROXY and HTTPS_PROXY named it, unless they name another;
// NO_PROXY counts, and what runs on this machine is reached without it. The
// environment itself is as before when it returns, so that commands do not see
// the proxy, nor its password. It must be called before the first request, and by
// one goroutine.
func UseProxy(proxy string) error {
	if !strings.Contains(proxy, "://") {
		proxy = "http://" + proxy // as in the environment
	}
	u, err := url.Parse(proxy)
	switch {
	case err != nil, u.Hostname() == "":
		return errors.New("httpProxy is no URL; it should look like http://proxy.example:8080") // without the value, which may hold a password
	case u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "socks5" && u.Scheme != "socks5h":
		return errors.New("httpProxy must begin with http://, https:// or socks5://")
	}
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY"} {
		if os.Getenv(name) != "" || os.Getenv(strings.ToLower(name)) != "" {
			continue
		}
		old, had := os.LookupEnv(name)
		if err := os.Setenv(name, u.String()); err != nil {
			return err
		}
		defer func() {
			if had {
				_ = os.Setenv(name, old) // it could be set a moment ago
			} else {
				_ = os.Unsetenv(name)
			}
		}()
	}
	// net/http reads the environment once, with the first request.
	_, err = http.ProxyFromEnvironment(&http.Request{URL: &url.URL{Scheme: "http", Host: "example.com"}})
	return err
}
