package mcp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPutAndRemove(t *testing.T) {
	web := Server{Name: "web", URL: "https://a.example/mcp", Headers: []Pair{{"X-A", "<b>"}, {"Authorization", "Bearer ${TOK}"}}}
	cmd := Server{Name: "fs", Command: "npx", Args: []string{"-y", "x"}, Env: []Pair{{"A", "$B"}}, Exposure: "direct", Description: "files"}
	for _, tt := range []struct {
		name, doc string
		server    Server
		want      string // "" for an error
		fault     string
	}{
		{"a new file", "", web, "{\n  \"mcpServers\": {\n    \"web\": {\n      \"url\": \"https://a.example/mcp\",\n      \"headers\": {\n        \"X-A\": \"<b>\",\n        \"Authorization\": \"Bearer ${TOK}\"\n      }\n    }\n  }\n}\n", ""},
		{"beside what is there", "{\"later\" : 1.50,\n \"mcpServers\":{ \"a\":{\"command\":\"x\",\"odd\":[ 1 ]} } }", cmd,
			"{\"later\" : 1.50, \"mcpServers\":{ \"a\":{\"command\":\"x\",\"odd\":[ 1 ]}, \"fs\": {\"command\":\"npx\",\"args\":[\"-y\",\"x\"],\"env\":{\"A\":\"$B\"},\"exposure\":\"direct\",\"description\":\"files\"} } }", ""},
		{"in place of another", `{"mcpServers":{"web":{"command":"old"},"z":{"url":"http://z"}}}`, web,
			`{"mcpServers":{"web":{"url":"https://a.example/mcp","headers":{"X-A":"<b>","Authorization":"Bearer ${TOK}"}},"z":{"url":"http://z"}}}`, ""},
		{"a name that is there in another spelling", `{"mcpServers":{"we-b":{}}}`, Server{Name: "we_b", URL: "http://x"}, "", "there is already a server we-b"},
		{"a broken file", "{\n,", web, "", "it is no JSON object (line 2); correct it first"},
		{"servers that are a list", `{"mcpServers":[]}`, web, "", "mcpServers is no object (line 1)"},
		{"a wrong name", "{}", Server{Name: "a b", URL: "http://x"}, "", `not "a b"`},
		{"a wrong address", "{}", Server{Name: "a", URL: "x"}, "", "this would be no server: url wants an address"},
		{"a wrong exposure", "{}", Server{Name: "a", URL: "http://x", Exposure: "loud"}, "", "exposure is none of"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "deep", "mcp.json")
			if tt.doc != "" {
				if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(tt.doc), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			_, err := Put(t.Context(), file, tt.server)
			got, _ := os.ReadFile(file)
			if tt.want == "" {
				if err == nil || !strings.Contains(err.Error(), tt.fault) || string(got) != tt.doc {
					t.Errorf("%v, want %s; file %s", err, tt.fault, got)
				}
				return
			}
			if norm(string(got)) != norm(tt.want) || err != nil {
				t.Errorf("%s\nwant %s; %v", got, tt.want, err)
			}
			old, err := Remove(t.Context(), file, tt.server.Name)
			if err != nil || old == nil {
				t.Errorf("remove: %s, %v", old, err)
			}
			if got, _ := os.ReadFile(file); tt.name == "beside what is there" && norm(string(got)) != norm(tt.doc) {
				t.Errorf("added and removed: %s\nwant %s", got, tt.doc)
			}
			if old, err := Remove(t.Context(), file, "nobody"); err != nil || old != nil {
				t.Errorf("remove nobody: %s, %v", old, err)
			}
		})
	}
}

// norm leaves out what a line end of the test's table would need.
func norm(s string) string { return strings.ReplaceAll(s, ",\n ", ", ") }

func TestSetEnabled(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mcp.json")
	doc := `{"mcpServers": {"a": {"command": "x", "later": 1}}}`
	if err := os.WriteFile(file, []byte(doc), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		on   bool
		want string
	}{
		{false, `{"mcpServers": {"a": {"command": "x", "later": 1, "enabled": false}}}`},
		{true, doc},
	} {
		if err := SetEnabled(t.Context(), Server{Name: "a", File: file}, tt.on); err != nil {
			t.Fatal(err)
		}
		if got, _ := os.ReadFile(file); string(got) != tt.want {
			t.Errorf("%s, want %s", got, tt.want)
		}
	}
	if err := SetEnabled(t.Context(), Server{Name: "gone", File: file}, false); err == nil {
		t.Error("a server that is gone was changed")
	}
}
