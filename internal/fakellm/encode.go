package fakellm

import (
	"github.com/boughdev/bough/internal/script"
)

// Times never pass in a fake server.
const (
	created    = 1700000000
	createdISO = "2023-11-14T22:13:20Z"
)

// event is one event of a stream; name is "" where the API gives none.
type event struct {
	name string
	data raw
}

// encoder says the steps of one reply in the words of an API. It is used once.
type encoder interface {
	start() []event
	open(i int) []event
	piece(i int, text string) []event
	close(i int) []event
	finish() []event
	fail(f *script.Failure) []event
	whole() raw // the reply without a stream
}

func newEncoder(r *script.Reply, asked string, body []byte) encoder {
	switch r.API {
	case script.Chat, script.Mistral:
		return newChat(r, body)
	case script.Anthropic:
		return &anthropicEncoder{r}
	case script.Google:
		return &googleEncoder{r}
	case script.Bedrock:
		return &bedrockEncoder{r, asked}
	}
	return newResponses(r, body)
}

// ofType joins the texts of the blocks of a type; any tells whether there are any.
func ofType(r *script.Reply, typ script.BlockType) (text string, any bool) {
	for _, b := range r.Blocks {
		if b.Type == typ {
			text += b.Text
			any = true
		}
	}
	return text, any
}
