// Package bedrock speaks Converse of Amazon Bedrock.
//
//	POST BASE/model/ID/converse-stream   {"system":[…],"messages":[…],"inferenceConfig":{…},"toolConfig":{…}}
//
//	messageStart        {"role":"assistant"}
//	contentBlockStart   {"contentBlockIndex":1,"start":{"toolUse":{"toolUseId":…,"name":…}}}
//	contentBlockDelta   {"contentBlockIndex":0,"delta":{"reasoningContent":{"text":…}}}
//	contentBlockDelta   {"contentBlockIndex":0,"delta":{"reasoningContent":{"signature":…}}}
//	contentBlockStop    {"contentBlockIndex":0}
//	messageStop         {"stopReason":"tool_use"}
//	metadata            {"usage":{"inputTokens":…,"cacheReadInputTokens":…}}
//
// The events come in frames (see frames). Requests are signed with keys of AWS
// (internal/awsauth), or have a bearer token.
//
// What of an answer must come back is kept in the session like this:
//
//	reasoningText      thinkingSignature is its signature; only Claude has one and wants it
//	redactedContent    a thinking block with redacted, thinkingSignature is it in base64
//
// User and assistant take turns strictly: what follows from one side is one
// message. The models behind the API differ (see family).
package bedrock

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"strings"

	"github.com/boughdev/bough/internal/awsauth"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/provider"
)

type model struct {
	ep     provider.Endpoint
	region string
	family family
	login  *awsauth.Login // nil if requests are not signed
	grown  provider.Growing[encoder]
}

// New returns the model at an endpoint whose API is "bedrock-converse-stream".
// Without a key requests are signed with the login that ep.Getenv leads to.
func New(ep provider.Endpoint) provider.Model {
	if ep.Getenv == nil {
		ep.Getenv = func(string) string { return "" }
	}
	m := &model{ep: ep, family: familyOf(ep.Info)}
	m.ep.Info.BaseURL, m.region = place(ep.Info, ep.Getenv)
	m.grown.Target, m.grown.Options = m.ep.Info, provider.PrepareOptions{CallID: provider.SafeCallID}
	if ep.Key == nil && ep.Getenv("AWS_BEDROCK_SKIP_AUTH") != "1" {
		m.login = &awsauth.Login{Env: ep.Getenv, Client: provider.DefaultClient(), Sign: sign}
	}
	return m
}

func (m *model) Info() provider.Info { return m.ep.Info }

func (m *model) Stream(ctx context.Context, req provider.Request) iter.Seq2[message.Delta, error] {
	c := provider.Call{
		Path:    "/model/" + strings.ReplaceAll(url.PathEscape(m.ep.ModelName()), ":", "%3A") + "/converse-stream",
		Header:  http.Header{"Accept": {"application/vnd.amazon.eventstream"}},
		Body:    m.body(req),
		Omit:    req.OmitParams,
		Read:    newFrames,
		Refused: m.refused,
	}
	if m.login != nil {
		c.Sign = m.sign
	}
	return m.ep.Stream(ctx, c, &decoder{info: m.ep.Info})
}

// place tells where a model is asked, and the region. An ARN names its region
// itself; an address that is none of AWS's stays as it is.
func place(info provider.Info, env func(string) string) (base, region string) {
	base = strings.TrimRight(info.BaseURL, "/")
	for _, name := range []string{"AWS_ENDPOINT_URL_BEDROCK_RUNTIME", "AWS_ENDPOINT_URL"} {
		if to := env(name); to != "" {
			base = strings.TrimRight(to, "/")
			break
		}
	}
	ofBase, isAWS := regionOf(base)
	if part := strings.SplitN(info.ID, ":", 5); len(part) == 5 && part[0] == "arn" {
		region = part[3]
	}
	if region == "" {
		region = awsauth.Region(env)
	}
	if region == "" {
		region = ofBase
	}
	if region == "" {
		region = "us-east-1"
	}
	if (base == "" || isAWS) && region != ofBase && hostLabel(region) {
		base = "https://bedrock-runtime." + region + "." + awsauth.Domain(region)
	}
	return base, region
}

// regionOf returns the region in a usual address of the service.
func regionOf(base string) (region string, isAWS bool) {
	u, err := url.Parse(base)
	if err != nil {
		return "", false
	}
	for _, prefix := range []string{"bedrock-runtime.", "bedrock-runtime-fips."} {
		rest, ok := strings.CutPrefix(u.Hostname(), prefix)
		region, domain, _ := strings.Cut(rest, ".")
		if ok && strings.HasPrefix(domain, "amazonaws.com") {
			return region, prefix == "bedrock-runtime."
		}
	}
	return "", false
}

func hostLabel(s string) bool {
	return s != "" && provider.SafeID(s, 63) == s && !strings.Contains(s, "_")
}
