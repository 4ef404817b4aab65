package config

import (
	"path/filepath"
	"runtime"
	"testing"
)

func env(vars map[string]string) Env { return func(name string) string { return vars[name] } }

func TestLocate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the folders are others")
	}
	for _, tt := range []struct {
		name string
		vars map[string]string
		want Paths
	}{
		{"nothing set", nil, Paths{"/h", "/h/.pi/agent", "/h/.cache/bough", "/h/.local/share/bough", "/h/.local/state/bough"}},
		{"pi's variable", map[string]string{"PI_CODING_AGENT_DIR": "~/x"}, Paths{"/h", "/h/x", "/h/.cache/bough", "/h/.local/share/bough", "/h/.local/state/bough"}},
		{"bough's wins", map[string]string{"PI_CODING_AGENT_DIR": "~/x", "BOUGH_AGENT_DIR": "file:///a%20b/"}, Paths{"/h", "/a b", "/h/.cache/bough", "/h/.local/share/bough", "/h/.local/state/bough"}},
		{"relative", map[string]string{"BOUGH_AGENT_DIR": "../x"}, Paths{"/h", "/w/x", "/h/.cache/bough", "/h/.local/share/bough", "/h/.local/state/bough"}},
		{"XDG", map[string]string{"XDG_CACHE_HOME": "/c", "XDG_DATA_HOME": "/d", "XDG_STATE_HOME": "s"}, Paths{"/h", "/h/.pi/agent", "/c/bough", "/d/bough", "/h/.local/state/bough"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			vars := map[string]string{"HOME": "/h"}
			for k, v := range tt.vars {
				vars[k] = v
			}
			if got, err := Locate(env(vars), "/w/p"); err != nil || got != tt.want {
				t.Errorf("%+v, %v, want %+v", got, err, tt.want)
			}
		})
	}
	for _, vars := range []map[string]string{{}, {"HOME": "/h", "BOUGH_AGENT_DIR": "file://elsewhere/x"}} {
		if p, err := Locate(env(vars), "/w"); err == nil {
			t.Errorf("%v gives %+v", vars, p)
		}
	}
}

func TestSessionDir(t *testing.T) {
	p := Paths{Home: "/h", Agent: "/a"}
	for _, tt := range []struct {
		name, flag    string
		vars          map[string]string
		setting, want string
	}{
		{"none", "", nil, "", ""},
		{"the setting", "", nil, "~/s", "/h/s"},
		{"pi's variable over the setting", "", map[string]string{"PI_CODING_AGENT_SESSION_DIR": "v"}, "~/s", "/w/v"},
		{"bough's over pi's", "", map[string]string{"PI_CODING_AGENT_SESSION_DIR": "v", "BOUGH_SESSION_DIR": "/b"}, "", "/b"},
		{"the flag over all", "/f", map[string]string{"BOUGH_SESSION_DIR": "/b"}, "/s", "/f"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := p.SessionDir(env(tt.vars), tt.flag, Settings{SessionDir: tt.setting}, "/w")
			if err != nil || filepath.ToSlash(got) != tt.want {
				t.Errorf("%q, %v, want %q", got, err, tt.want)
			}
		})
	}
	if got := p.Sessions(); filepath.ToSlash(got) != "/a/sessions" {
		t.Error(got)
	}
}

func TestOffline(t *testing.T) {
	for _, tt := range []struct {
		name string
		vars map[string]string
		want bool
	}{
		{"not set", nil, false},
		{"pi's", map[string]string{"PI_OFFLINE": "true"}, true},
		{"bough's wins", map[string]string{"PI_OFFLINE": "1", "BOUGH_OFFLINE": "0"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := env(tt.vars).Offline(); got != tt.want {
				t.Errorf("%v, want %v", got, tt.want)
			}
		})
	}
}
