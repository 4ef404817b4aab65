package provider

import (
	"net/http"
	"net/url"
	"testing"
)

func TestNoProxyForThisMachine(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://proxy.example:1")
	t.Setenv("HTTPS_PROXY", "http://proxy.example:1")
	t.Setenv("NO_PROXY", "")
	for host, want := range map[string]bool{
		"localhost": true, "LOCALHOST.": true, "api.localhost": true, "127.0.0.1": true, "127.8.9.1": true, "[::1]": true, "0.0.0.0": true, "[::ffff:127.0.0.1]": true,
		"localhost.example": false, "10.0.0.1": false, "api.example": false,
	} {
		u := &url.URL{Scheme: "https", Host: host + ":8080"}
		if got := local(u.Hostname()); got != want {
			t.Errorf("local(%s) = %v", host, got)
		}
		if p, err := proxy(&http.Request{URL: u}); want && (p != nil || err != nil) {
			t.Errorf("%s by way of %v, %v", host, p, err)
		}
	}
	if DefaultClient() != DefaultClient() || DefaultClient().Timeout != 0 {
		t.Error("the default client is not one, or has a limit on the whole answer")
	}
}
