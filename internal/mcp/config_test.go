package mcp

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/boughdev/bough/internal/config"
)

func load(t *testing.T, user, project string, trusted bool) ([]Server, []string) {
	t.Helper()
	dir := t.TempDir()
	p := config.Paths{Home: dir, Agent: filepath.Join(dir, "agent")}
	work := filepath.Join(dir, "work")
	for path, doc := range map[string]string{UserFile(p): user, ProjectFile(work): project} {
		if doc == "" {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(doc), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	servers, problems := Load(p, work, trusted)
	var told []string
	for _, x := range problems {
		told = append(told, strings.ReplaceAll(x.String(), dir+string(filepath.Separator), ""))
	}
	return servers, told
}

func TestLoad(t *testing.T) {
	user := `{
  "mcpServers": {
    "fs": {"command": "npx", "args": ["-y", "x"], "env": {"A": "1"}, "cwd": "~/d", "timeout": 1.5, "description": "files", "later": [1]},
    "web": {"type": "http", "url": "https://example.com/mcp", "headers": {"Authorization": "Bearer ${T}"}, "exposure": "codemode-deferred",
      "toolExposure": {"a_*": "direct", "a_b": "hidden"}, "oauth": {"clientId": "c", "callbackPort": 8765}}
  },
  "autoEnableCodemode": false
}`
	servers, told := load(t, user, `{"mcpServers": {"web": {"enabled": false, "exposure": "direct", "env": {"X": "y"}}, "own": {"url": "http://localhost:1/mcp"}}}`, true)
	if len(told) != 0 || len(servers) != 3 {
		t.Fatalf("%d servers, %v", len(servers), told)
	}
	fs, web, own := servers[0], servers[1], servers[2]
	if fs.Command != "npx" || !reflect.DeepEqual(fs.Args, []string{"-y", "x"}) || fs.Env[0] != (Pair{"A", "1"}) || fs.Cwd != "~/d" ||
		fs.Timeout != 1500*time.Millisecond || fs.Exposure != "codemode" || fs.Line != 3 || fs.Source != User || fs.Err != "" || fs.Description != "files" {
		t.Errorf("fs: %+v", fs)
	}
	if web.URL == "" || !web.Disabled || web.Exposure != "direct" || web.Env != nil || web.OAuth.ClientID != "c" || web.OAuth.CallbackPort != 8765 ||
		web.ExposureOf("a_b") != "hidden" || web.ExposureOf("a_c") != "direct" || web.ExposureOf("z") != "direct" || web.Source != User || web.signsIn() {
		t.Errorf("web: %+v", web)
	}
	if own.Source != Project || own.Timeout != time.Minute || !own.signsIn() {
		t.Errorf("own: %+v", own)
	}
	if servers, _ := load(t, user, `{"mcpServers": {"own": {"command": "evil"}}}`, false); len(servers) != 2 {
		t.Errorf("an untrusted project has a say: %+v", servers)
	}
	if servers, _ := load(t, user, `{"mcpServers": {"f-s": {"command": "a"}, "fs": {"command": "other"}}}`, true); servers[0].Command != "other" || servers[0].Env != nil || len(servers) != 3 {
		t.Errorf("the project's server: %+v", servers[0])
	}
}

func TestFaultsOfConfiguration(t *testing.T) {
	for _, tt := range []struct{ name, doc, told string }{
		{"no file", "", ""},
		{"an empty file", " \n", ""},
		{"only a byte order mark and a server", "\ufeff" + `{"mcpServers":{"a":{"command":"x"}}}`, ""},
		{"no servers", `{}`, ""},
		{"null", `{"mcpServers":null}`, ""},
		{"no JSON", "{\n\"mcpServers\": {,}", "agent/mcp.json:2: is no JSON object; no server in it is used"},
		{"a list", `[]`, "agent/mcp.json: is no JSON object; no server in it is used"},
		{"servers that are a list", `{"mcpServers":[]}`, "agent/mcp.json:1: mcpServers: is no object; no server is used"},
		{"an entry that is a text", `{"mcpServers":{"a":"x"}}`, "agent/mcp.json:1: mcpServers.a: is no object; ignored"},
		{"neither command nor url", `{"mcpServers":{"a":{}}}`, "agent/mcp.json:1: mcpServers.a: needs a command or a url; the server is not used"},
		{"both", `{"mcpServers":{"a":{"command":"x","url":"http://y"}}}`, "agent/mcp.json:1: mcpServers.a.command: is not used, as there is a url too"},
		{"a name with a blank", `{"mcpServers":{"a b":{"command":"x"}}}`, `agent/mcp.json:1: mcpServers.a b: a server's name has letters, digits, _ and - only, not "a b"; ignored`},
		{"a name of nothing", `{"mcpServers":{"":{"command":"x"}}}`, `agent/mcp.json:1: mcpServers.: a server's name has letters, digits, _ and - only, not ""; ignored`},
		{"two names that are one", `{"mcpServers":{"a-b":{"command":"x"},"a_b":{"command":"y"}}}`, "agent/mcp.json:1: mcpServers.a_b: is the same name as a-b, as - and _ count as one; ignored"},
		{"a command that is a list", `{"mcpServers":{"a":{"command":["x","y"]}}}`, "agent/mcp.json:1: mcpServers.a.command: wants a text; the server is not used"},
		{"args that are a text", `{"mcpServers":{"a":{"command":"x","args":"y"}}}`, "agent/mcp.json:1: mcpServers.a.args: wants a list of texts; the server is not used"},
		{"an arg that is a number", `{"mcpServers":{"a":{"command":"x","args":[1]}}}`, "agent/mcp.json:1: mcpServers.a.args: wants a list of texts; the server is not used"},
		{"an env that is a number", `{"mcpServers":{"a":{"command":"x","env":{"P":80}}}}`, "agent/mcp.json:1: mcpServers.a.env.P: wants a text; the server is not used"},
		{"sse", `{"mcpServers":{"a":{"type":"sse","url":"http://y"}}}`, "agent/mcp.json:1: mcpServers.a.type: is sse, which is not supported; many such servers also have streamable HTTP, often at /mcp instead of /sse"},
		{"an unknown type", `{"mcpServers":{"a":{"type":"ws","url":"http://y"}}}`, `agent/mcp.json:1: mcpServers.a.type: is "ws", which is none of stdio, http, streamable-http; the server is not used`},
		{"a url without a scheme", `{"mcpServers":{"a":{"url":"example.com/mcp"}}}`, "agent/mcp.json:1: mcpServers.a.url: wants an address like https://example.com/mcp"},
		{"a timeout of nothing", `{"mcpServers":{"a":{"command":"x","timeout":0}}}`, "agent/mcp.json:1: mcpServers.a.timeout: wants seconds above 0; 60 are used"},
		{"a timeout without end", `{"mcpServers":{"a":{"command":"x","timeout":1e300}}}`, "agent/mcp.json:1: mcpServers.a.timeout: is too long; a day is used"},
		{"an unknown exposure", `{"mcpServers":{"a":{"command":"x","exposure":"loud"}}}`, "agent/mcp.json:1: mcpServers.a.exposure: is none of direct, codemode, deferred, hidden; codemode is used"},
		{"enabled as a text", `{"mcpServers":{"a":{"command":"x","enabled":"no"}}}`, "agent/mcp.json:1: mcpServers.a.enabled: wants true or false; ignored"},
		{"a callback elsewhere", `{"mcpServers":{"a":{"url":"http://x","oauth":{"callbackUrl":"https://evil/cb"}}}}`, "agent/mcp.json:1: mcpServers.a.oauth.callbackUrl: must begin with http:// on localhost, 127.0.0.1 or [::1]; the server is not used"},
		{"metadata over plain http", `{"mcpServers":{"a":{"url":"http://x","oauth":{"authServerMetadataUrl":"http://evil/m"}}}}`, "agent/mcp.json:1: mcpServers.a.oauth.authServerMetadataUrl: must begin with https://; the server is not used"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, told := load(t, tt.doc, "", true); strings.Join(told, "\n") != tt.told {
				t.Errorf("told %q\nwant %q", told, tt.told)
			}
		})
	}
	servers, told := load(t, `{"mcpServers":{"bad":{"args":7},"good":{"command":"x"}}}`, `{"mcpServers":{"nobody":{"enabled":false}}}`, true)
	if len(servers) != 2 || servers[0].Err == "" || servers[1].Err != "" || len(told) != 2 {
		t.Errorf("one fault costs more than its server: %+v, %v", servers, told)
	}
}

func TestNames(t *testing.T) {
	long := strings.Repeat("x", 80)
	for _, tt := range []struct {
		name, server string
		tools, want  []string
	}{
		{"plain", "dev-radius", []string{"search"}, []string{"mcp__dev_radius__search"}},
		{"other signs", "a", []string{"b.c/d", "grüße"}, []string{"mcp__a__b_c_d", "mcp__a__gr__e"}},
		{"names that collide", "a", []string{"b.c", "b-c", "d"}, []string{"mcp__a__b_c_ad8a94ab", "mcp__a__b_c_02654a5c", "mcp__a__d"}},
		{"too long", "a", []string{long + "1", long + "2"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := toolNames(tt.server, tt.tools)
			seen := map[string]bool{}
			for i, x := range tt.tools {
				n := got[x]
				if tt.want != nil && n != tt.want[i] {
					t.Errorf("%s is %s, want %s", x, n, tt.want[i])
				}
				if len(n) > 64 || seen[n] || strings.ContainsFunc(n, func(r rune) bool { return !nameRune(r) }) {
					t.Errorf("%s is %q, which is not valid or there twice", x, n)
				}
				seen[n] = true
			}
		})
	}
	one := toolNames("a", []string{"b-c", "b.c"})
	two := toolNames("a", []string{"b.c", "b-c"})
	if !reflect.DeepEqual(one, two) {
		t.Errorf("names hang on the order: %v, %v", one, two)
	}
	m := New(Options{Servers: []Server{{Name: "a", Command: "x"}, {Name: "a__b", Command: "x"}}})
	m.servers[0].offer = offer{Tools: []offered{{Name: "b__c"}}}
	m.servers[1].offer = offer{Tools: []offered{{Name: "c"}}}
	n := m.names()
	if a, b := n[toolKey{m.servers[0], "b__c"}], n[toolKey{m.servers[1], "c"}]; a != "mcp__a__b__c" || a == b || b == "" {
		t.Errorf("two servers, one name: %q, %q", a, b)
	}
}

func TestParameters(t *testing.T) {
	object := func(kv ...any) map[string]any {
		m := map[string]any{}
		for i := 0; i < len(kv); i += 2 {
			m[kv[i].(string)] = kv[i+1]
		}
		return m
	}
	empty := `{"properties":{},"type":"object"}`
	for _, tt := range []struct {
		name   string
		schema any
		want   string
	}{
		{"none", nil, empty},
		{"a truth", true, empty},
		{"no object", object("type", "string"), empty},
		{"no properties", object("type", "object"), empty},
		{"no type", object("properties", object("a", object("type", "string"))), `{"properties":{"a":{"type":"string"}},"type":"object"}`},
		{"angle brackets", object("description", "a <b> & c"), `{"description":"a <b> & c","properties":{},"type":"object"}`},
		{"alternatives at the top", object("anyOf", []any{object("properties", object("a", object("type", "string")), "required", []any{"a"}), object("properties", object("b", true)), 7}),
			`{"properties":{"a":{"type":"string"},"b":true},"type":"object"}`},
		{"all of several", object("allOf", []any{object("properties", object("a", true), "required", []any{"a", "a", "gone", 7})}),
			`{"properties":{"a":true},"required":["a"],"type":"object"}`},
		{"required that is no list", object("required", "a"), `{"properties":{},"required":[],"type":"object"}`},
		{"too large", object("description", strings.Repeat("x", maxSchema)), empty},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := string(parameters(tt.schema)); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

func TestCuts(t *testing.T) {
	if got := cutText("aäöü", 6); got != "a…" && got != "aä…" {
		t.Errorf("%q", got)
	}
	if got := cutText("a\xffb", 10); got != "a\ufffdb" {
		t.Errorf("%q", got)
	}
	if got := middleOut(strings.Repeat("日", 10), 10); got != "日\n…8 chars truncated…\n日" {
		t.Errorf("%q", got)
	}
	for pattern, names := range map[string][]string{"get_*": {"get_", "get_x"}, "*": {"", "a"}, "a*b*c": {"abc", "axbyc", "abbcc"}, "a": {"a"}} {
		for _, n := range names {
			if !fits(pattern, n) {
				t.Errorf("%s does not fit %s", pattern, n)
			}
		}
	}
	for pattern, name := range map[string]string{"get_*": "got_x", "a*b*c": "acb", "a": "ab", "ab*ba": "aba"} {
		if fits(pattern, name) {
			t.Errorf("%s fits %s", pattern, name)
		}
	}
}

func FuzzMessage(f *testing.F) {
	for _, s := range []string{`{"jsonrpc":"2.0","id":1,"result":{}}`, `[{"jsonrpc":"2.0","method":"x"}]`, `{"level":"info"}`, `[`, ``, `[[]]`, `{"jsonrpc":"2.0"}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		if isMessage(line) && !strings.Contains(fmt.Sprintf("%s", line), "2.0") {
			// Escapes may spell it otherwise, but then there is a backslash.
			if !strings.Contains(string(line), `\`) {
				t.Errorf("taken for a message: %q", line)
			}
		}
	})
}
