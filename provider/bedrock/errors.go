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
// What the text says of the length of the conversation goes first.
func kindOf(name, text string, otherwise provider.Kind) provider.Kind {
	if k := provider.StreamError(rawjson.Set([]byte(`{}`), "message", rawjson.Quote(text)), "").Kind; k == provider.Overflow {
		return k
	}
	for _, e := range exceptions {
		if strings.EqualFold(e.name, name) {
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
	e := &provider.Error{Kind: kindOf(name, text, provider.Transient), Message: strings.TrimSuffix(name+": "+text, ": ")}
	e.Message += hint(text)
	if e.Kind == provider.Rejected {
		said := provider.StreamError(rawjson.Set([]byte(`{"type":"invalid_request_error"}`), "message", rawjson.Quote(text)), "")
		e.Fault, e.At, e.Name = said.Fault, said.At, said.Name
	}
	return e
}
