package catalog

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/auth"
	"github.com/boughdev/bough/internal/config"
	"github.com/boughdev/bough/provider"
)

// clouds makes a registry for variables of the environment.
func clouds(t *testing.T, models config.Models, creds auth.Credentials, vars map[string]string) *Registry {
	t.Helper()
	r, problems := New(Options{Models: models, Keys: auth.New(func(n string) string { return vars[n] }, creds)})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return r
}

// What a model of a cloud lacks is said in one sentence; nothing is asked and
// nothing is run.
func TestWhatCloudsNeed(t *testing.T) {
	home := t.TempDir()
	if err := os.MkdirAll(filepath.Join(home, ".aws"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, ".aws", "config"), []byte("[default]\nregion = eu-west-1\n[profile work]\ncredential_process = touch "+home+"/ran\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const claude, gpt = "amazon-bedrock/us.anthropic.claude-opus-5-5", "azure/gpt-5.4"
	for _, tt := range []struct {
		name, model string
		vars        string // NAME=VALUE, parted by blanks
		want        string // part of what is lacking, "" if it is ready
	}{
		{"nothing", claude, "", "no AWS login: set AWS_PROFILE"},
		{"a profile of the user's choice", claude, "AWS_PROFILE=work", ""},
		{"the profile default, by name", claude, "AWS_PROFILE=default", ""},
		{"a profile that is not there", claude, "AWS_PROFILE=wrok", `AWS_PROFILE is "wrok", but`},
		{"keys", claude, "AWS_ACCESS_KEY_ID=a AWS_SECRET_ACCESS_KEY=b", ""},
		{"half a key", claude, "AWS_ACCESS_KEY_ID=a", "AWS_SECRET_ACCESS_KEY is not"},
		{"a bearer token", claude, "AWS_BEARER_TOKEN_BEDROCK=a", ""},
		{"a container", claude, "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI=/x", ""},
		{"a pod", claude, "AWS_WEB_IDENTITY_TOKEN_FILE=/x AWS_ROLE_ARN=arn", ""},
		{"a proxy that signs itself", claude, "AWS_BEDROCK_SKIP_AUTH=1", ""},
		{"Azure without an address", gpt, "AZURE_OPENAI_API_KEY=k", "set AZURE_OPENAI_BASE_URL or AZURE_OPENAI_RESOURCE_NAME"},
		{"Azure without a key", gpt, "AZURE_OPENAI_RESOURCE_NAME=r", "set AZURE_OPENAI_API_KEY"},
		{"Azure with both", gpt, "AZURE_OPENAI_API_KEY=k AZURE_OPENAI_RESOURCE_NAME=r", ""},
		{"Azure with an address that is none", gpt, "AZURE_OPENAI_API_KEY=k AZURE_OPENAI_BASE_URL=my-resource", "https://NAME.openai.azure.com"},
		{"a model of Foundry", "azure/deepseek-v4-pro", "AZURE_OPENAI_API_KEY=k", "set AZURE_OPENAI_BASE_URL"},
		{"Mistral", "mistral/codestral-latest", "MISTRAL_API_KEY=k", ""},
		{"Cloudflare without its ids", "cloudflare-ai-gateway/gpt-5.4", "CLOUDFLARE_API_KEY=k", "set CLOUDFLARE_ACCOUNT_ID and CLOUDFLARE_GATEWAY_ID"},
		{"Cloudflare without one", "cloudflare-ai-gateway/gpt-5.4", "CLOUDFLARE_API_KEY=k CLOUDFLARE_ACCOUNT_ID=a", "set CLOUDFLARE_GATEWAY_ID"},
		{"ChatGPT", "openai-codex/*", "OPENAI_API_KEY=k", "not open to other programs"},
		{"Radius, with a key", "radius/balanced", "RADIUS_API_KEY=k", "not published"},
		{"Copilot", "github-copilot/gpt-6.1-sol", "COPILOT_GITHUB_TOKEN=k", "not open"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			vars := map[string]string{"HOME": home}
			for _, v := range strings.Fields(tt.vars) {
				n, v, _ := strings.Cut(v, "=")
				vars[n] = v
			}
			r := clouds(t, config.Models{}, nil, vars)
			at, id, _ := strings.Cut(tt.model, "/")
			if id == "*" {
				id = r.of(at)[0].Info.ID
			}
			c, ok := r.Find(at, id)
			if !ok || c.Ready != (tt.want == "") || !strings.Contains(c.Why, tt.want) || c.Ready != (c.Why == "") {
				t.Errorf("%v, ready %v, %q, want %q", ok, c.Ready, c.Why, tt.want)
			}
		})
	}
	if _, err := os.Stat(filepath.Join(home, "ran")); err == nil {
		t.Error("the credential_process was run")
	}
}

func TestAzureEndpoints(t *testing.T) {
	for _, tt := range []struct{ name, model, vars, base, as string }{
		{"a resource", "gpt-5.4", "AZURE_OPENAI_RESOURCE_NAME=r", "https://r.openai.azure.com/openai/v1?api-version=v1", ""},
		{"a root", "gpt-5.4", "AZURE_OPENAI_BASE_URL=https://r.ai.azure.com/", "https://r.ai.azure.com/openai/v1?api-version=v1", ""},
		{"the address goes before the resource", "gpt-5.4", "AZURE_OPENAI_RESOURCE_NAME=r AZURE_OPENAI_BASE_URL=https://q.cognitiveservices.azure.com/openai", "https://q.cognitiveservices.azure.com/openai/v1?api-version=v1", ""},
		{"what the portal shows", "gpt-5.4", "AZURE_OPENAI_BASE_URL=https://r.openai.azure.com/openai/deployments/d/chat/completions?api-version=2025-01-01-preview", "https://r.openai.azure.com/openai/v1?api-version=v1", ""},
		{"a version", "gpt-5.4", "AZURE_OPENAI_RESOURCE_NAME=r AZURE_OPENAI_API_VERSION=preview", "https://r.openai.azure.com/openai/v1?api-version=preview", ""},
		{"a gateway stays as it is", "gpt-5.4", "AZURE_OPENAI_BASE_URL=https://gw.example/azure/?team=a", "https://gw.example/azure/?api-version=v1&team=a", ""},
		{"a deployment", "gpt-5.4", "AZURE_OPENAI_RESOURCE_NAME=r AZURE_OPENAI_DEPLOYMENT_NAME_MAP=gpt-5=no,gpt-5.4=mine", "https://r.openai.azure.com/openai/v1?api-version=v1", "mine"},
		{"Chat Completions has no version", "deepseek-v4-pro", "AZURE_OPENAI_RESOURCE_NAME=r AZURE_OPENAI_DEPLOYMENT_NAME_MAP=,x,deepseek-v4-pro=ds", "https://r.openai.azure.com/openai/v1", "ds"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			vars := map[string]string{"AZURE_OPENAI_API_KEY": "k"}
			for _, v := range strings.Fields(tt.vars) {
				n, v, _ := strings.Cut(v, "=")
				vars[n] = v
			}
			r := clouds(t, config.Models{}, nil, vars)
			c, ok := r.Find("azure", tt.model)
			if !ok || !c.Ready {
				t.Fatalf("%v %q", ok, c.Why)
			}
			e := r.Endpoint(c)
			if e.Info.BaseURL != tt.base || e.Deployment != tt.as || e.Info.ID != tt.model {
				t.Errorf("%s as %q (%s), want %s as %q", e.Info.BaseURL, e.Deployment, e.Info.ID, tt.base, tt.as)
			}
		})
	}
}

// Variables of the credential go before those of the process, also for clouds.
func TestVariablesOfTheCredential(t *testing.T) {
	creds := auth.Credentials{"amazon-bedrock": {Type: "api_key", Env: map[string]string{"AWS_ACCESS_KEY_ID": "own", "AWS_SECRET_ACCESS_KEY": "own", "AWS_REGION": "eu-north-1"}}}
	r := clouds(t, config.Models{}, creds, map[string]string{"AWS_REGION": "us-east-2"})
	c, ok := r.Find("amazon-bedrock", "us.anthropic.claude-opus-5-5")
	if !ok || !c.Ready {
		t.Fatalf("%v %q", ok, c.Why)
	}
	if e := r.Endpoint(c); e.Getenv("AWS_REGION") != "eu-north-1" || e.Key != nil {
		t.Errorf("region %q, key %v", e.Getenv("AWS_REGION"), e.Key != nil)
	}
}

func TestAdviceOnAWS(t *testing.T) {
	vars := map[string]string{"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "HOME": t.TempDir()}
	r := clouds(t, config.Models{}, nil, vars)
	c, _ := r.Find("amazon-bedrock", "us.anthropic.claude-opus-5-5")
	refused := &provider.Error{Kind: provider.Auth, Status: 403, Message: "The security token included in the request is invalid."}
	if got := r.Advise(c, refused); !strings.Contains(got, "AWS_ACCESS_KEY_ID") || strings.Contains(got, "auth login") {
		t.Errorf("keys that were refused: %s", got)
	}
	if got := r.Advise(c, &provider.Error{Kind: provider.Auth, Message: "run aws sso login", Err: errors.New("x")}); got != "" {
		t.Errorf("a login that says itself what to do: %s", got)
	}
	vars["AWS_BEARER_TOKEN_BEDROCK"] = "t"
	if got := clouds(t, config.Models{}, nil, vars).Advise(c, refused); !strings.Contains(got, "AWS_BEARER_TOKEN_BEDROCK") {
		t.Errorf("a token that was refused: %s", got)
	}
}
