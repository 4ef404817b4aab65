package bedrock

import (
	"context"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/fakellm"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/provider/providertest"
)

// signed is an endpoint with a login of the environment.
func signed(t *testing.T, base string, more ...string) provider.Endpoint {
	env := map[string]string{"AWS_ACCESS_KEY_ID": "AKIAIOSFODNN7EXAMPLE", "AWS_SECRET_ACCESS_KEY": providertest.Key, "HOME": t.TempDir()}
	for i := 0; i < len(more); i += 2 {
		env[more[i]] = more[i+1]
	}
	info := claude
	info.BaseURL, info.Cost = base, provider.Price{Input: 1, Output: 2}
	return provider.Endpoint{Info: info, Getenv: func(n string) string { return env[n] }}
}

func TestModel(t *testing.T) {
	providertest.Run(t, func(base string) provider.Model { return New(signed(t, base)) })
}

// seer keeps the request that is sent.
type seer struct {
	req  *http.Request
	base http.RoundTripper
}

func (s *seer) RoundTrip(r *http.Request) (*http.Response, error) {
	s.req = r
	return s.base.RoundTrip(r)
}

func ask(t *testing.T, ep provider.Endpoint) (*http.Request, error) {
	t.Helper()
	s := &seer{base: http.DefaultTransport}
	ep.Client = &http.Client{Transport: s}
	var failed error
	for _, err := range New(ep).Stream(t.Context(), provider.Request{Messages: []message.Message{{Role: message.User, Content: []message.Block{message.Text("hi")}}}}) {
		failed = err
	}
	return s.req, failed
}

func TestLogins(t *testing.T) {
	server := fakellm.Start(t, fakellm.Options{Strict: true})
	signature := regexp.MustCompile(`^AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/\d{8}/eu-west-3/bedrock/aws4_request, SignedHeaders=accept;content-length;content-type;host;x-amz-date[a-z0-9;-]*, Signature=[0-9a-f]{64}$`)
	bearer := func(context.Context) (string, error) { return "tok", nil }
	for _, tt := range []struct {
		name string
		env  []string
		key  func(context.Context) (string, error)
		want string // Authorization; "/" a signature
	}{
		{"signed", []string{"AWS_REGION", "eu-west-3"}, nil, "/"},
		{"a bearer token", nil, bearer, "Bearer tok"},
		{"a proxy that signs itself", []string{"AWS_BEDROCK_SKIP_AUTH", "1"}, nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ep := signed(t, server.URL, tt.env...)
			ep.Key = tt.key
			req, err := ask(t, ep)
			if err != nil {
				t.Fatal(err)
			}
			got := req.Header.Get("Authorization")
			if tt.want == "/" && !signature.MatchString(got) || tt.want != "/" && got != tt.want {
				t.Errorf("Authorization %q", got)
			}
			if req.URL.EscapedPath() != "/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse-stream" {
				t.Errorf("path %s", req.URL.EscapedPath())
			}
		})
	}
	ep := signed(t, server.URL, "AWS_ACCESS_KEY_ID", "")
	if _, err := ask(t, ep); provider.KindOf(err) != provider.Auth || !strings.Contains(err.Error(), "AWS_PROFILE") {
		t.Errorf("without a login: %v", err)
	}
	ep = signed(t, server.URL, "AWS_SESSION_TOKEN", "session")
	if req, err := ask(t, ep); err != nil || req.Header.Get("X-Amz-Security-Token") != "session" || !strings.Contains(req.Header.Get("Authorization"), "x-amz-security-token") {
		t.Errorf("keys that do not last: %v", err)
	}
}

func TestPlace(t *testing.T) {
	const east = "https://bedrock-runtime.us-east-1.amazonaws.com"
	for _, tt := range []struct{ name, base, id, env, want, region string }{
		{"as the catalogue has it", east, "m", "", east, "us-east-1"},
		{"a region", east, "m", "AWS_REGION=eu-west-3", "https://bedrock-runtime.eu-west-3.amazonaws.com", "eu-west-3"},
		{"the other name of it", east, "m", "AWS_DEFAULT_REGION=eu-west-3", "https://bedrock-runtime.eu-west-3.amazonaws.com", "eu-west-3"},
		{"China", east, "m", "AWS_REGION=cn-north-1", "https://bedrock-runtime.cn-north-1.amazonaws.com.cn", "cn-north-1"},
		{"an ARN knows its region", east, "arn:aws:bedrock:us-west-2:1:application-inference-profile/a", "AWS_REGION=eu-west-3", "https://bedrock-runtime.us-west-2.amazonaws.com", "us-west-2"},
		{"an ARN without one", east, "arn:aws:bedrock:::x", "", east, "us-east-1"},
		{"a gateway", "https://gw.example/aws/", "m", "AWS_REGION=eu-west-3", "https://gw.example/aws", "eu-west-3"},
		{"a gateway of the environment", east, "m", "AWS_ENDPOINT_URL_BEDROCK_RUNTIME=http://localhost:9/", "http://localhost:9", "us-east-1"},
		{"FIPS stays", "https://bedrock-runtime-fips.us-east-1.amazonaws.com", "m", "AWS_REGION=us-east-1", "https://bedrock-runtime-fips.us-east-1.amazonaws.com", "us-east-1"},
		{"a region that is none", east, "m", "AWS_REGION=a/b", east, "a/b"},
		{"nothing", "", "m", "", "https://bedrock-runtime.us-east-1.amazonaws.com", "us-east-1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			name, value, _ := strings.Cut(tt.env, "=")
			base, region := place(provider.Info{ID: tt.id, BaseURL: tt.base}, func(n string) string {
				if n == name {
					return value
				}
				return ""
			})
			if base != tt.want || region != tt.region {
				t.Errorf("%s in %s, want %s in %s", base, region, tt.want, tt.region)
			}
		})
	}
}

// What Bedrock says in a header counts for the kind of an error, and what to do
// about some is added.
func TestRefusals(t *testing.T) {
	for _, tt := range []struct {
		name, answer string
		want         provider.Kind
		text         string
	}{
		{"an exception by name", `{"status":424,"headers":{"x-amzn-errortype":"ModelErrorException:http://x"},"body":{"message":"The system encountered an error."}}`, provider.Transient, "encountered"},
		{"too long", `{"status":400,"headers":{"x-amzn-errortype":"ValidationException"},"body":{"message":"Input is too long for requested model."}}`, provider.Overflow, "too long"},
		{"another validation", `{"status":400,"headers":{"x-amzn-errortype":"ValidationException"},"body":{"message":"Malformed input request"}}`, provider.Rejected, "Malformed"},
		{"a model that wants an inference profile", `{"status":400,"headers":{"x-amzn-errortype":"ValidationException"},"body":{"message":"Invocation of model ID anthropic.claude-opus-5 with on-demand throughput isn't supported."}}`, provider.Rejected, "us. or eu."},
		{"a model of another region", `{"status":400,"headers":{"x-amzn-errortype":"ValidationException"},"body":{"message":"The provided model identifier is invalid."}}`, provider.Rejected, "their part of the world"},
		{"a login that is over", `{"status":403,"headers":{"x-amzn-errortype":"ExpiredTokenException"},"body":{"message":"The security token included in the request is expired"}}`, provider.Auth, "aws sso login"},
		{"too many", `{"status":429,"headers":{"x-amzn-errortype":"ThrottlingException"},"body":{"message":"Too many tokens per day, please wait before trying again."}}`, provider.Transient, "Too many"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			server := fakellm.Start(t, fakellm.Options{Script: fakellm.MustParse(`[{"reply":{"error":` + tt.answer + `}}]`)})
			_, err := ask(t, signed(t, server.URL))
			if provider.KindOf(err) != tt.want || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("%s: %v", provider.KindOf(err), err)
			}
		})
	}
}
