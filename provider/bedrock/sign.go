package bedrock

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"github.com/boughdev/bough/internal/awsauth"
	"github.com/boughdev/bough/provider"
)

// sign signs a call. Keys that cannot be had are an error of the login.
func (m *model) sign(req *http.Request, body []byte) ([]string, error) {
	k, err := m.login.Keys(req.Context())
	if err != nil {
		return nil, &provider.Error{Kind: provider.Auth, Message: err.Error(), Err: err}
	}
	return []string{k.ID, k.Secret, k.Token}, sign(req, body, k, "bedrock", m.region)
}

// sign adds the signature of AWS, version 4, to a request.
func sign(req *http.Request, body []byte, k awsauth.Keys, service, region string) error {
	sum := sha256.Sum256(body)
	keys := aws.Credentials{AccessKeyID: k.ID, SecretAccessKey: k.Secret, SessionToken: k.Token}
	return v4.NewSigner().SignHTTP(req.Context(), keys, req, hex.EncodeToString(sum[:]), service, region, time.Now())
}

// refused improves the error of an answer that is no success. Keys that were
// refused are looked for anew: a login may have been renewed meanwhile.
func (m *model) refused(h http.Header, e *provider.Error) {
	typ, _, _ := strings.Cut(h.Get("X-Amzn-Errortype"), ":")
	e.Kind = kindOf(typ, e.Kind)
	if e.Kind == provider.Auth && m.login != nil {
		m.login.Forget()
	}
	e.Message += hint(e.Message)
}

// hint says what to do about the errors that everybody meets once.
func hint(text string) string {
	switch {
	case strings.Contains(text, "on-demand throughput"):
		return " (take the model's id with a region in front, such as us. or eu. or global.)"
	case strings.Contains(text, "model identifier is invalid"):
		return " (the model may not be in this region: ids that begin with us., eu., apac. and so on are for their part of the world, those with global. for all)"
	case strings.Contains(text, "security token") && strings.Contains(text, "expired"):
		return " (the AWS login is over: renew it, for example with \"aws sso login\")"
	}
	return ""
}
