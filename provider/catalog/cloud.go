package catalog

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/boughdev/bough/internal/awsauth"
	"github.com/boughdev/bough/provider"
)

// closed says why nobody but their makers' own programs can use some providers
// and APIs.
var closed = map[string]string{
	"openai-codex":           "ChatGPT's sign-in is not open to other programs; use an API key of OpenAI with the provider openai",
	"openai-codex-responses": "ChatGPT's sign-in is not open to other programs; use an API key of OpenAI with the provider openai",
	"radius":                 "Radius speaks a protocol of pi's own that is not published; use pi for it",
	"pi-messages":            "it speaks a protocol of pi's own that is not published; use pi for it",
	"github-copilot":         "GitHub does not open Copilot's sign-in to other programs; a token of yours in models.json (providers.github-copilot.apiKey) is used as it is",
}

// aws says why Bedrock cannot be asked without a bearer token, "" if it can.
func aws(env func(string) string) string {
	by, err := awsauth.Found(env)
	switch {
	case err != nil:
		return err.Error()
	case by == "" && env("AWS_BEDROCK_SKIP_AUTH") != "1":
		return "no AWS login: set AWS_PROFILE (also for the profile \"default\"), AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_BEARER_TOKEN_BEDROCK"
	}
	return ""
}

// aws is about a login of AWS that was not taken. Where none was found the error
// says what to do.
func (a adviser) aws() string {
	if a.e.Status == 0 {
		return ""
	}
	by, _ := awsauth.Found(func(name string) string { return a.r.opts.Keys.Getenv(a.c.Info.Provider, name) })
	if by == "" {
		by = "the profile default"
	}
	return fmt.Sprintf("AWS did not take the login of %s: renew it (with aws sso login, or new keys), or see whether it may use this model in this region (bedrock:InvokeModelWithResponseStream, and access to the model).", by)
}

func isAzure(i provider.Info) bool {
	return i.Provider == "azure" || i.API == "azure-openai-responses"
}

// azure fills in where a model on Azure is asked and under which name.
func azure(e *provider.Endpoint) error {
	base := e.Info.BaseURL
	if name := strings.TrimSpace(e.Getenv("AZURE_OPENAI_RESOURCE_NAME")); name != "" {
		base = "https://" + name + ".openai.azure.com"
	}
	if to := strings.TrimSpace(e.Getenv("AZURE_OPENAI_BASE_URL")); to != "" {
		base = to
	}
	if base == "" {
		return errors.New("set AZURE_OPENAI_BASE_URL or AZURE_OPENAI_RESOURCE_NAME")
	}
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.Scheme == "" {
		return errors.New("the address of Azure is no URL; set AZURE_OPENAI_BASE_URL to one like https://NAME.openai.azure.com")
	}
	if host := strings.ToLower(u.Hostname()); strings.HasSuffix(host, ".azure.com") || strings.HasSuffix(host, ".azure.us") {
		// What the portal shows to copy is of the older, dated API.
		u.Path, u.RawPath, u.RawQuery = "/openai/v1", "", ""
	}
	if e.Info.API == "azure-openai-responses" {
		version := e.Getenv("AZURE_OPENAI_API_VERSION")
		if version == "" {
			version = "v1"
		}
		q := u.Query()
		q.Set("api-version", version)
		u.RawQuery = q.Encode()
	}
	e.Info.BaseURL = u.String()
	for _, pair := range strings.Split(e.Getenv("AZURE_OPENAI_DEPLOYMENT_NAME_MAP"), ",") {
		if model, name, ok := strings.Cut(pair, "="); ok && strings.TrimSpace(model) == e.Info.ID {
			e.Deployment = strings.TrimSpace(name)
		}
	}
	return nil
}

// lacks says what a model needs besides a key, "" if nothing.
func (r *Registry) lacks(i provider.Info) string {
	env := func(name string) string { return r.opts.Keys.Getenv(i.Provider, name) }
	if isAzure(i) {
		if err := azure(&provider.Endpoint{Info: i, Getenv: env}); err != nil {
			return err.Error()
		}
		return ""
	}
	if i.BaseURL == "" {
		return "it has no base URL; give one in models.json"
	}
	var missing []string
	for _, name := range placeholders(i.BaseURL) {
		if env(name) == "" {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		return "set " + strings.Join(missing, " and ")
	}
	return ""
}
