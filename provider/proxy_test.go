package provider_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/boughdev/bough/provider"
)

// The environment is read once in a process, so each case has one of its own: it
// asks a name that no DNS knows, and a server on loopback, and prints what came.
func TestProxy(t *testing.T) {
	if os.Getenv("BOUGH_TEST_PROXY") != "" {
		if p := os.Getenv("BOUGH_TEST_SETTING"); p != "" {
			before := os.Environ()
			if err := provider.UseProxy(p); err != nil {
				t.Fatal(err)
			}
			if after := os.Environ(); strings.Join(before, "\n") != strings.Join(after, "\n") {
				t.Errorf("the environment was changed: %v", after)
			}
		}
		for _, u := range strings.Fields(os.Getenv("BOUGH_TEST_PROXY")) {
			resp, err := provider.DefaultClient().Get(u)
			if err != nil {
				t.Logf("got %s: %v", u, provider.NetworkError(err))
				continue
			}
			text, _ := io.ReadAll(resp.Body)
			resp.Body.Close()
			t.Logf("got %s: %s", u, text)
		}
		return
	}
	var (
		mu   sync.Mutex
		seen []string // guarded by mu
	)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		seen = append(seen, r.Method+" "+r.Host)
		mu.Unlock()
		if r.Method == http.MethodConnect {
			http.Error(w, "no tunnels here", http.StatusForbidden)
			return
		}
		io.WriteString(w, "by way of the proxy to "+r.URL.String())
	}))
	defer proxy.Close()
	local := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "straight") }))
	defer local.Close()
	const name = "http://model.bough-test.invalid/v1"
	for _, tt := range []struct {
		title     string
		env       []string
		ask, want string
		proxied   string
	}{
		{"a proxy of the environment", []string{"HTTP_PROXY=" + proxy.URL}, name, "by way of the proxy to " + name, "GET model.bough-test.invalid"},
		{"a tunnel for TLS", []string{"HTTPS_PROXY=" + proxy.URL}, "https://model.bough-test.invalid/v1", "Forbidden", "CONNECT model.bough-test.invalid:443"},
		{"never for this machine", []string{"HTTP_PROXY=" + proxy.URL, "HTTPS_PROXY=" + proxy.URL}, local.URL, "straight", ""},
		{"nor by the name localhost", []string{"HTTP_PROXY=" + proxy.URL}, strings.Replace(local.URL, "127.0.0.1", "localhost", 1), "straight", ""},
		{"a name without proxy", []string{"HTTP_PROXY=" + proxy.URL, "NO_PROXY=.bough-test.invalid"}, name, "The name model.bough-test.invalid", ""},
		{"the setting", []string{"BOUGH_TEST_SETTING=" + proxy.URL}, name, "by way of the proxy to " + name, "GET model.bough-test.invalid"},
		{"the setting without a scheme", []string{"BOUGH_TEST_SETTING=" + strings.TrimPrefix(proxy.URL, "http://")}, name, "by way of the proxy to " + name, "GET model.bough-test.invalid"},
		{"the setting and NO_PROXY", []string{"BOUGH_TEST_SETTING=" + proxy.URL, "NO_PROXY=model.bough-test.invalid"}, name, "The name model.bough-test.invalid", ""},
		{"the environment wins", []string{"BOUGH_TEST_SETTING=http://127.0.0.1:1", "http_proxy=" + proxy.URL}, name, "by way of the proxy to " + name, "GET model.bough-test.invalid"},
		{"an empty environment does not", []string{"BOUGH_TEST_SETTING=" + proxy.URL, "HTTP_PROXY="}, name, "by way of the proxy to " + name, "GET model.bough-test.invalid"},
		{"the setting for what the environment leaves open", []string{"BOUGH_TEST_SETTING=" + proxy.URL, "HTTP_PROXY=http://127.0.0.1:1"}, "https://model.bough-test.invalid/v1", "Forbidden", "CONNECT model.bough-test.invalid:443"},
		{"the setting never for this machine", []string{"BOUGH_TEST_SETTING=" + proxy.URL}, local.URL, "straight", ""},
		{"a proxy that is not there", []string{"HTTP_PROXY=http://127.0.0.1:1"}, name, "The proxy on the way to model.bough-test.invalid cannot be used", ""},
	} {
		t.Run(tt.title, func(t *testing.T) {
			mu.Lock()
			seen = nil
			mu.Unlock()
			cmd := exec.Command(os.Args[0], "-test.run=^TestProxy$", "-test.v")
			for _, v := range os.Environ() {
				if !strings.Contains(strings.ToUpper(strings.SplitN(v, "=", 2)[0]), "_PROXY") {
					cmd.Env = append(cmd.Env, v)
				}
			}
			cmd.Env = append(append(cmd.Env, "BOUGH_TEST_PROXY="+tt.ask), tt.env...)
			out, err := cmd.CombinedOutput()
			if err != nil || !strings.Contains(string(out), tt.want) {
				t.Errorf("%v: %s\nwant %q", err, out, tt.want)
			}
			mu.Lock()
			defer mu.Unlock()
			if got := strings.Join(seen, ", "); got != tt.proxied {
				t.Errorf("the proxy was asked for %q, want %q", got, tt.proxied)
			}
		})
	}
}

func TestUseProxyRefuses(t *testing.T) {
	for _, bad := range []string{"ftp://secret@proxy:1", "http://", "::secret", "http://se cret"} {
		if err := provider.UseProxy(bad); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}
