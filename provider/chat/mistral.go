package chat

import (
	"crypto/sha256"
	"maps"
	"math/big"
	"strconv"
	"strings"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/provider"
)

// Mistral's own form of the API, "mistral-conversations" in pi's models.json:
//
//   - ids of calls have exactly nine letters and digits;
//   - thinking stands as parts in the content of an answer:
//     {"type":"thinking","thinking":[{"type":"text","text":…}]};
//   - results of tools may have images in them, and no user may follow at once;
//   - the conversation begins with the user and ends with the user or a tool; an
//     answer at the end is to be gone on with, and says so by "prefix".

func isMistral(i provider.Info) bool {
	return i.API == "mistral-conversations" || i.At("api.mistral.ai")
}

// asMistral changes the settings to Mistral's. What models.json says stays.
func (s settings) asMistral(i provider.Info) settings {
	s.mistral = true
	s.store, s.developer, s.usage, s.cacheControl = false, false, false, false
	s.maxTokens = "max_tokens"
	s.thinking = ""
	s.resultName = i.Flag("requiresToolResultName", true)
	s.assistantAfter = i.Flag("requiresAssistantAfterToolResult", true)
	s.neverNull = true
	s.affinity, s.affinityFormat = i.Flag("sendSessionAffinityHeaders", true), "mistral"
	s.cacheKey = i.Word("promptCacheKeyMode", "auto") != "disabled"
	return s
}

// shortIDs gives each id of a request one of nine letters and digits: itself, if
// it is such a one, else one that hangs on nothing but the ids so far.
type shortIDs struct {
	sent  map[string]string // by the id in the session
	taken map[string]bool
}

func (s *shortIDs) of(id string) string {
	if short, ok := s.sent[id]; ok {
		return short
	}
	if s.sent == nil {
		s.sent, s.taken = map[string]string{}, map[string]bool{}
	}
	short := id
	for n := 0; len(short) != 9 || strings.Trim(short, base62) != "" || s.taken[short]; n++ {
		short = hash9(id + "#" + strconv.Itoa(n))
	}
	s.sent[id], s.taken[short] = short, true
	return short
}

// clone returns a copy, so that ids that may not stay change nothing of those
// that do.
func (s shortIDs) clone() shortIDs {
	return shortIDs{sent: maps.Clone(s.sent), taken: maps.Clone(s.taken)}
}

const base62 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

func hash9(s string) string {
	sum := sha256.Sum256([]byte(s))
	text := new(big.Int).SetBytes(sum[:16]).Text(62)
	for len(text) < 9 {
		text = "0" + text
	}
	return text[len(text)-9:]
}

// mistralParts writes the content of an answer that has thinking in it.
func (e *encoder) mistralParts(m message.Message, text string) {
	e.b.Key("content").Open('[')
	for _, t := range m.Content {
		if t.Type == message.ThinkingBlock && strings.TrimSpace(t.Text) != "" {
			e.b.Open('{')
			e.b.Str("type", "thinking")
			e.b.Key("thinking").Open('[')
			e.part(t.Text, false)
			e.b.Close(']')
			e.b.Close('}')
		}
	}
	if text != "" {
		e.part(text, false)
	}
	e.b.Close(']')
}

func hasThinking(m message.Message) bool {
	for _, t := range m.Content {
		if t.Type == message.ThinkingBlock && strings.TrimSpace(t.Text) != "" {
			return true
		}
	}
	return false
}

// mistralResult writes the content of a tool result, images included.
func (e *encoder) mistralResult(text string, m message.Message) {
	e.b.Key("content").Open('[')
	e.part(text, false)
	for _, b := range imagesIn(m) {
		e.image(b)
	}
	e.b.Close(']')
}

// beginning is said in the user's place where a conversation begins with an
// answer.
const beginning = "(The beginning of this conversation is not shown.)"

// lastSent is the place of the last message that is sent, -1 if there is none.
func lastSent(msgs []message.Message) int {
	for i := len(msgs) - 1; i >= 0; i-- {
		switch m := msgs[i]; {
		case m.Role == message.User && len(sent(m)) == 0,
			m.Role == message.Assistant && m.Text("") == "" && len(m.ToolCalls()) == 0:
		default:
			return i
		}
	}
	return -1
}
