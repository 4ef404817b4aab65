package auth

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func env(vars ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(vars); i += 2 {
			if vars[i] == name {
				return vars[i+1]
			}
		}
		return ""
	}
}

func TestExpand(t *testing.T) {
	for _, tt := range []struct {
		name, value, want string
		ok                bool
	}{
		{"a literal", "sk-123", "sk-123", true},
		{"a variable", "$KEY", "k", true},
		{"inside a text", "a-${KEY}-b$KEY", "a-k-bk", true},
		{"the name ends where names end", "$KEY.x", "k.x", true},
		{"a dollar", "a$$KEY", "a$KEY", true},
		{"an exclamation mark", "$!x", "!x", true},
		{"a dollar before what is no name", "$5 ${} ${a b} $", "$5 ${} ${a b} $", true},
		{"braces that do not end", "${KEY", "${KEY", true},
		{"a variable that is not set", "a$NONE", "", false},
		{"its value is not looked into", "$RAW", "$KEY!", true},
		{"nothing", "", "", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, ok := expand(tt.value, env("KEY", "k", "RAW", "$KEY!")); got != tt.want || ok != tt.ok {
				t.Errorf("%q %v, want %q %v", got, ok, tt.want, tt.ok)
			}
		})
	}
}

func TestKey(t *testing.T) {
	creds := Credentials{
		"anthropic": {Type: "api_key", Key: "from-file"},
		"openai":    {Type: "api_key", Key: "$NOT_SET"},
		"groq":      {Type: "api_key", Key: "$GROQ", Env: map[string]string{"GROQ": "own-variable"}},
		"xai":       {Type: "api_key", Env: map[string]string{"XAI_API_KEY": "own"}},
		"mistral":   {Type: "oauth"},
	}
	vars := env("ANTHROPIC_API_KEY", "from-env", "OPENAI_API_KEY", "from-env", "XAI_API_KEY", "from-env", "MISTRAL_API_KEY", "from-env", "GROQ", "other")
	for _, tt := range []struct {
		name, provider, configured, flag string
		want                             string
		source                           string
	}{
		{"the flag before all", "anthropic", "c", "from-flag", "from-flag", "--api-key"},
		{"the file before the configuration", "anthropic", "c", "", "from-file", "auth.json"},
		{"a value with a variable that is not set counts as none", "openai", "c", "", "c", "models.json"},
		{"the environment last", "openai", "", "", "from-env", "$OPENAI_API_KEY"},
		{"a configuration that is not set", "openai", "$NONE", "", "from-env", "$OPENAI_API_KEY"},
		{"variables of the credential go first", "groq", "", "", "own-variable", "auth.json"},
		{"also for the key itself", "xai", "", "", "own", "$XAI_API_KEY"},
		{"a sign-in that cannot be used is passed over", "mistral", "", "", "from-env", "$MISTRAL_API_KEY"},
		{"no key", "deepseek", "", "", "", ""},
		{"a provider that nobody knows", "mine", "$KEY", "", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			k := New(vars, creds)
			if tt.flag != "" {
				k.Use(tt.provider, tt.flag)
			}
			got, err := k.Key(t.Context(), tt.provider, tt.configured)
			if src := k.Find(tt.provider, tt.configured).String(); err != nil || got != tt.want || src != tt.source {
				t.Errorf("%q from %q, %v; want %q from %q", got, src, err, tt.want, tt.source)
			}
		})
	}
}

func TestCommands(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	count := filepath.Join(t.TempDir(), "count")
	script := "!echo x >> '" + count + "'; echo \"  key-$(wc -l < '" + count + "' | tr -d ' ')  \""
	k := New(env(), Credentials{"a": {Type: "api_key", Key: script}, "bad": {Type: "api_key", Key: "!echo secret; echo secret >&2; exit 3"}, "empty": {Type: "api_key", Key: "! true"}})
	for range 2 {
		if got, err := k.Key(t.Context(), "a", ""); err != nil || got != "key-1" {
			t.Errorf("a command of auth.json runs once: %q, %v", got, err)
		}
	}
	for _, want := range []string{"key-2", "key-3"} {
		if got, err := k.Key(t.Context(), "b", script); err != nil || got != want {
			t.Errorf("a command of models.json runs each time: %q, %v, want %q", got, err, want)
		}
	}
	for provider, want := range map[string]string{"bad": "exit status 3", "empty": "printed nothing"} {
		got, err := k.Key(t.Context(), provider, "")
		if got != "" || err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %q, %v", provider, got, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := k.Key(ctx, "c", "!sleep 5"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "auth.json")
	if c, w := Load(path); c != nil || w != nil {
		t.Errorf("no file: %v %v", c, w)
	}
	for _, tt := range []struct {
		name, doc string
		want      Credentials
		warnings  []string
	}{
		{"keys", "\ufeff{\"a\":{\"type\":\"api_key\",\"key\":\"k\",\"env\":{\"X\":\"y\",\"Z\":1},\"more\":2},\"b\":{\"type\":\"oauth\",\"access\":\"t\"}}",
			Credentials{"a": {Type: "api_key", Key: "k", Env: map[string]string{"X": "y"}}, "b": {Type: "oauth", Access: "t"}}, nil},
		{"wrong entries cost only themselves", "{\n\"a\": 5,\n\"b\": {},\n\"c\": {\"type\":\"api_key\",\"key\":[]},\n\"d\":{\"type\":\"api_key\"}}", Credentials{"d": {Type: "api_key"}},
			[]string{":2: a: is no object; ignored", ":3: b: has no type; ignored", ":4: c: has a key that is no text; ignored"}},
		{"a broken file", `{"a": sk-secret`, nil, []string{":1: is no JSON object; no key in it is used"}},
		{"an empty file", "", nil, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if err := os.WriteFile(path, []byte(tt.doc), 0o600); err != nil {
				t.Fatal(err)
			}
			c, w := Load(path)
			for i := range w {
				w[i] = strings.TrimPrefix(w[i], path)
			}
			if !reflect.DeepEqual(c, tt.want) || !slices.Equal(w, tt.warnings) {
				t.Errorf("%+v %q, want %+v %q", c, w, tt.want, tt.warnings)
			}
		})
	}
}

func TestSaveAndRemove(t *testing.T) {
	path := filepath.Join(t.TempDir(), "agent", "auth.json")
	if had, err := Remove(t.Context(), path, "a"); had || err != nil {
		t.Error(err)
	}
	for i := range 2 {
		if err := SaveKey(t.Context(), path, "a", "key-"+strconv.Itoa(i), nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := SaveKey(t.Context(), path, "b.c", "<k>", nil); err != nil {
		t.Fatal(err)
	}
	c, _ := Load(path)
	if !reflect.DeepEqual(c, Credentials{"a": {Type: "api_key", Key: "key-1"}, "b.c": {Type: "api_key", Key: "<k>"}}) {
		t.Errorf("%+v", c)
	}
	if fi, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && fi.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", fi.Mode(), err)
	}
	if had, err := Remove(t.Context(), path, "a"); !had || err != nil {
		t.Fatal(err)
	}
	if c, _ := Load(path); len(c) != 1 {
		t.Errorf("%+v", c)
	}
}

func TestMissing(t *testing.T) {
	k := New(env("OPENAI_API_KEY", "sk-openai-secret", "GROQ_API_KEY", "short"), Credentials{"x": {Type: "api_key", Key: "sk-file-secret-1"}, "y": {Type: "oauth"}})
	k.Use("z", "sk-flag-secret")
	for provider, want := range map[string]string{"xai": "no key for xai: set XAI_API_KEY, or run bough auth login xai",
		"y": "no key for y: its sign-in in auth.json belongs to pi and is left alone; bough needs an API key: run bough auth login y"} {
		if err := k.Missing(provider); !errors.Is(err, ErrNoKey) || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func FuzzExpand(f *testing.F) {
	for _, s := range []string{"$A${B}$$", "${", "$!", "${{}}", "$A\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, ok := expand(s, func(string) string { return "v" })
		if !ok {
			t.Fatalf("%q counts as not set", s)
		}
		if !strings.Contains(s, "$") && got != s {
			t.Fatalf("%q became %q", s, got)
		}
	})
}

// What a command prints without end must not be kept, and what it leaves running
// not be waited for.
func TestCommandsThatDoNotEnd(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are those of a Unix shell")
	}
	k := New(env(), nil)
	for _, c := range []string{"!yes", "!cat /dev/zero", "!trap '' PIPE; yes 2>/dev/null; exit 0"} {
		if key, err := k.Key(t.Context(), "flood", c); key != "" || err == nil || !strings.Contains(err.Error(), "more than 64 KB") {
			t.Errorf("%s: %d bytes, %v", c, len(key), err)
		}
	}
	if key, err := k.Key(t.Context(), "agent", "!sleep 3 & echo key"); key != "key" || err != nil {
		t.Errorf("%q, %v", key, err)
	}
}
