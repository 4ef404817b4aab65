package providertest

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/provider"
)

// Conversation makes up what a session may hold: answers of the target and of
// other models, lost, late and doubled results, odd ids, empty and half texts,
// images, changes of the system prompt, blocks of tomorrow. Nothing in it has been
// repaired.
func Conversation(r *rand.Rand, target provider.Info) []message.Message {
	g := generator{r: r, target: target}
	g.system(true)
	for range 2 + r.IntN(12) {
		switch g.r.IntN(10) {
		case 0, 1, 2:
			g.user()
		case 3:
			g.system(false)
		default:
			g.turn()
		}
	}
	g.user()
	return g.out
}

// Through makes up a conversation that goes from one model to the next: each has
// a part in which it answers as its API does. Another family's ways of saying
// things stand before those of the next.
func Through(r *rand.Rand, models ...provider.Info) []message.Message {
	g := generator{r: r}
	g.system(true)
	for _, m := range models {
		g.target = m
		g.user()
		for range 2 + r.IntN(4) {
			switch g.r.IntN(8) {
			case 0:
				g.user()
			case 1:
				g.system(false)
			default:
				g.turn()
			}
		}
	}
	g.user()
	g.add(`{"role":"user","content":"and now?","timestamp":1}`)
	return g.out
}

type generator struct {
	r      *rand.Rand
	target provider.Info
	out    []message.Message
	n      int
}

func (g *generator) add(format string, args ...any) {
	raw := fmt.Appendf(nil, format, args...)
	m, err := message.Decode(raw)
	if err != nil || !rawjson.Valid(raw) {
		panic(fmt.Sprintf("providertest: %v: %s", err, raw))
	}
	g.out = append(g.out, m)
}

func pick[T any](g *generator, from ...T) T { return from[g.r.IntN(len(from))] }

func (g *generator) text() string {
	g.n++
	return pick(g, "", " ", `\n\t`, `half \ud83d pair`, `whole \ud83d\ude00 pair`, `<&> \u2028 \"`, fmt.Sprintf("words %d", g.n), fmt.Sprintf("more words %d", g.n))
}

func (g *generator) part() string {
	switch g.r.IntN(8) {
	case 0:
		return `{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"}`
	case 1:
		return pick(g, `{"type":"image","data":"","mimeType":"image/png"}`, `{"type":"image","data":"AAAA","mimeType":"image/bmp"}`, `{"type":"image","data":"no base64!","mimeType":"image/png"}`,
			`{"type":"image","data":"/9j/4A","mimeType":"image/png"}`, `{"type":"image","data":"data:image/gif;base64,R0lGODlh\nAAAA","mimeType":"image/gif"}`, `{"type":"image"}`, `{"type":"hologram","x":1}`, `null`, `7`, `{"type":"text"}`)
	}
	return `{"type":"text","text":"` + g.text() + `"}`
}

func (g *generator) content() string {
	if g.r.IntN(6) == 0 {
		return `"` + g.text() + `"`
	}
	if g.r.IntN(12) == 0 {
		return "null"
	}
	parts := make([]string, g.r.IntN(4))
	for i := range parts {
		parts[i] = g.part()
	}
	return "[" + strings.Join(parts, ",") + "]"
}

func (g *generator) user() { g.add(`{"role":"user","content":%s,"timestamp":1}`, g.content()) }

func (g *generator) system(first bool) {
	tools := `[{"name":"read","description":"Reads a file.","parameters":{"type":"object","properties":{"path":{"type":"string"}}}},{"name":"ls","description":"","parameters":{}},{"name":"now"}]`
	if !first {
		tools = pick(g, `[]`, `[{"name":"bash","description":"Runs.","parameters":{"type":"object"}}]`)
	}
	g.add(`{"role":"system","content":"%s","sections":{"preamble":"You help.","cwd":%s},"toolsAdded":%s,"timestamp":1}`, g.text(), pick(g, `"/tmp"`, "null"), tools)
}

func (g *generator) id() string {
	g.n++
	if g.target.API == "mistral-conversations" && g.r.IntN(2) == 0 {
		return fmt.Sprintf("m%08d", g.n)
	}
	return pick(g, fmt.Sprintf("call_%d", g.n), fmt.Sprintf("tooluse_%d-x", g.n), fmt.Sprintf("chatcmpl-tool-%032d", g.n), fmt.Sprintf("read:%d", g.n), fmt.Sprintf("gemini_read_%d", g.n), fmt.Sprintf("call_%d|fc_%d", g.n, g.n), fmt.Sprintf("toolu_%d", g.n), "0", "", `we ird/\u00e9`,
		strings.Repeat("long", 20)+fmt.Sprint(g.n), strings.Repeat("l", 50)+fmt.Sprintf("|fc_%d", g.n)+strings.Repeat("x", 70))
}

// thinking makes a block as the target's API, or another, leaves it.
func (g *generator) thinking(api string) string {
	g.n++
	switch api {
	case "anthropic-messages":
		return pick(g, `{"type":"thinking","thinking":"hm","thinkingSignature":"c2ln"}`, `{"type":"thinking","thinking":"","thinkingSignature":"ZW5j","redacted":true}`,
			`{"type":"thinking","thinking":"unsigned"}`, `{"type":"thinking","thinking":""}`, `{"type":"thinking","thinking":" ","thinkingSignature":""}`)
	case "bedrock-converse-stream":
		return pick(g, `{"type":"thinking","thinking":"hm","thinkingSignature":"c2ln"}`, `{"type":"thinking","thinking":"[redacted]","thinkingSignature":"ZW5j","redacted":true}`,
			`{"type":"thinking","thinking":"","thinkingSignature":"no base64!","redacted":true}`, `{"type":"thinking","thinking":"unsigned"}`)
	case "openai-responses", "azure-openai-responses", "openai-codex-responses":
		return pick(g, fmt.Sprintf(`{"type":"thinking","thinking":"hm","thinkingSignature":"{\"id\":\"rs_%d\",\"type\":\"reasoning\",\"summary\":[],\"encrypted_content\":\"x\"}"}`, g.n),
			`{"type":"thinking","thinking":"no item"}`, `{"type":"thinking","thinking":"x","thinkingSignature":"no json"}`)
	case "google-generative-ai", "google-vertex":
		return pick(g, `{"type":"thinking","thinking":"hm","thinkingSignature":"c2ln"}`, `{"type":"thinking","thinking":"","thinkingSignature":"c2ln"}`,
			`{"type":"thinking","thinking":"unsigned"}`, `{"type":"thinking","thinking":" ","thinkingSignature":"no base64"}`)
	}
	return pick(g, `{"type":"thinking","thinking":"hm","thinkingSignature":"reasoning_content"}`,
		`{"type":"thinking","thinking":"hm","thinkingSignature":"[{\"type\":\"reasoning.text\",\"text\":\"hm\",\"index\":0}]"}`, `{"type":"thinking","thinking":"plain"}`)
}

// turn makes an answer and results, not always those that it should have.
func (g *generator) turn() {
	api, by, model := g.target.API, g.target.Provider, g.target.ID
	if g.r.IntN(3) == 0 {
		api, by = pick(g, "anthropic-messages", "openai-responses", "openai-completions", "google-generative-ai", "bedrock-converse-stream", "mistral-conversations"), pick(g, g.target.Provider, "elsewhere")
		model = "another"
	}
	var blocks, ids []string
	for range g.r.IntN(5) {
		switch g.r.IntN(5) {
		case 0:
			blocks = append(blocks, g.thinking(api))
		case 1:
			blocks = append(blocks, `{"type":"text","text":"`+g.text()+`"`+pick(g, "", fmt.Sprintf(`,"textSignature":"{\"v\":1,\"id\":\"msg_%d\"}"`, g.n), `,"textSignature":"bare"`, `,"textSignature":"c2ln"`, fmt.Sprintf(`,"textSignature":"{\"v\":1,\"id\":\"%s%d\",\"phase\":\"commentary\"}"`, strings.Repeat("m", 70), g.n))+`}`)
		case 2:
			blocks = append(blocks, pick(g, `{"type":"hologram"}`, `null`, `{"type":"text"}`))
		default:
			id := g.id()
			ids = append(ids, id)
			blocks = append(blocks, fmt.Sprintf(`{"type":"toolCall","id":"%s","name":"%s"%s}`, id, pick(g, "read", "ls", "gone", "mcp:a/b.c \u00e9", ""),
				pick(g, "", `,"arguments":{"path":"a \ud83d","n":12345678901234567890}`, `,"arguments":"no object"`, `,"arguments":{}`, `,"arguments":{},"argumentsError":"not JSON","thoughtSignature":"th"`, `,"arguments":null`, `,"arguments":{"a":{"b":[1,2,{"c":"\u0000"}]}},"thoughtSignature":"c2ln"`,
					`,"arguments":{},"thoughtSignature":"{\"type\":\"reasoning.encrypted\",\"data\":\"x\"}","namespace":"ns"`)))
		}
	}
	g.add(`{"role":"assistant","content":[%s],"api":"%s","provider":"%s","model":"%s","stopReason":"%s","timestamp":1}`,
		strings.Join(blocks, ","), api, by, model, pick(g, "toolUse", "toolUse", "toolUse", "stop", "length", "error", "aborted"))
	for _, id := range ids {
		switch g.r.IntN(8) {
		case 0: // lost
		case 1: // twice
			g.result(id)
			g.result(id)
		case 2:
			g.system(false)
			g.result(id)
		case 3:
			g.result("of nothing")
			g.result(id)
		case 4: // late
			g.user()
			g.result(id)
		default:
			g.result(id)
		}
	}
}

func (g *generator) result(id string) {
	g.add(`{"role":"toolResult","toolCallId":"%s","toolName":"read","content":%s,"isError":%v,"timestamp":1}`, id, g.content(), g.r.IntN(3) == 0)
}
