package bedrock

import (
	"strings"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/provider"
)

// exceptions are the kinds of the errors that Bedrock names.
var exceptions = []struct {
	name string
	kind provider.Kind
}{
	{"throttlingException", provider.Transient},
	{"serviceUnavailableException", provider.Transient},
	{"internalServerException", provider.Transient},
	{"internalFailure", provider.Transient},
	{"modelStreamErrorException", provider.Transient},
	{"modelErrorException", provider.Transient},
	{"modelTimeoutException", provider.Transient},
	{"modelNotReadyException", provider.Transient},
	{"requestTimeoutException", provider.Transient},
	{"validationException", provider.Rejected},
	{"resourceNotFoundException", provider.Rejected},
	{"serviceQuotaExceededException", provider.Rejected},
	{"accessDeniedException", provider.Auth},
	{"unrecognizedClientException", provider.Auth},
	{"expiredTokenException", provider.Auth},
	{"invalidSignatureException", provider.Auth},
	{"incompleteSignatureException", provider.Auth},
	{"missingAuthenticationTokenException", provider.Auth},
}

// kindOf returns the kind of an error by its name; otherwise applies to others.
func kindOf(name string, otherwise provider.Kind) provider.Kind {
	for _, e := range exceptions {
		if strings.EqualFold(e.name, name) && otherwise != provider.Overflow { // which the text told
			return e.kind
		}
	}
	return otherwise
}

// exception makes an error of one that came in the middle of an answer.
func exception(name string, payload []byte) *provider.Error {
	text := ""
	for _, key := range []string{"message", "Message", "originalMessage"} {
		if s, ok := rawjson.GetString(payload, key); ok && s != "" && rawjson.Valid(payload) {
			text = s
			break
		}
	}
	if text == "" {
		text = strings.ToValidUTF8(string(payload[:min(len(payload), 1000)]), "\uFFFD")
	}
	var b provider.Body
	b.Open('{')
	b.Str("type", name)
	b.Str("message", text)
	b.Close('}')
	e := provider.StreamError(b.Bytes(), strings.TrimSuffix(name+": "+text, ": "))
	e.Kind = kindOf(name, e.Kind)
	e.Message += hint(text)
	return e
}
