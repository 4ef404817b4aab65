package google

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/provider/providertest"
)

var (
	flash = provider.Info{ID: "gemini-2.5-flash", API: "google-generative-ai", Provider: "p", BaseURL: "http://p.example/v1beta", Input: []string{"text", "image"}, MaxTokens: 10000}
	three = with(flash, func(i *provider.Info) { i.ID = "gemini-3-pro" })
)

func with(i provider.Info, change func(*provider.Info)) provider.Info { change(&i); return i }

func bodyOf(info provider.Info, req provider.Request) []byte {
	return New(provider.Endpoint{Info: info}).(*model).body(req)
}

func msgs(t *testing.T, raw ...string) []message.Message {
	t.Helper()
	var out []message.Message
	for _, r := range raw {
		m, err := message.Decode([]byte(r))
		if err != nil || !rawjson.Valid([]byte(r)) {
			t.Fatalf("%v: %s", err, r)
		}
		out = append(out, m)
	}
	return out
}

const (
	sys      = `{"role":"system","content":"Be brief.","toolsAdded":[{"name":"read","description":"Reads.","parameters":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}},{"name":"ls","parameters":{"type":"object","properties":{}}}],"timestamp":1}`
	hi       = `{"role":"user","content":[{"type":"text","text":"hi"}],"timestamp":1}`
	sentHi   = `{"role":"user","parts":[{"text":"hi"}]}`
	call1    = `{"type":"toolCall","id":"t1","name":"read","arguments":{"b":1,"a":12345678901234567890},"thoughtSignature":"QkJC"}`
	call2    = `{"type":"toolCall","id":"t2","name":"ls","arguments":{}}`
	result1  = `{"role":"toolResult","toolCallId":"t1","toolName":"other","content":[{"type":"text","text":"x"},{"type":"image","data":"AAAA","mimeType":"image/png"},{"type":"text","text":"y"}],"isError":false,"timestamp":1}`
	result2  = `{"role":"toolResult","toolCallId":"t2","toolName":"ls","content":[],"isError":true,"timestamp":1}`
	args1    = `"name":"read","args":{"b":1,"a":12345678901234567890}`
	pngPart  = `{"inlineData":{"mimeType":"image/png","data":"AAAA"}}`
	begun    = `{"role":"user","parts":[{"text":"(The beginning of this conversation is not shown.)"}]}`
	onAndOn  = `{"role":"user","parts":[{"text":"(Go on.)"}]}`
	skipSign = `"thoughtSignature":"skip_thought_signature_validator"`
)

func answer(model string, blocks ...string) string {
	return `{"role":"assistant","content":[` + strings.Join(blocks, ",") + `],"api":"google-generative-ai","provider":"p","model":"` + model + `","stopReason":"toolUse","timestamp":1}`
}

func sent(parts ...string) string {
	return `{"role":"model","parts":[` + strings.Join(parts, ",") + `]}`
}

func TestContents(t *testing.T) {
	const thought, text = `{"type":"thinking","thinking":"hm","thinkingSignature":"QUFB"}`, `{"type":"text","text":"I look.","textSignature":"Q0ND"}`
	for _, tt := range []struct {
		name string
		info provider.Info
		in   []string
		want string
	}{
		{"a tool turn: responses in the order of the calls, by the names that were called; images follow", flash, []string{sys, hi, answer("gemini-2.5-flash", thought, text, call1, call2), result2, result1, hi},
			sentHi + "," + sent(`{"text":"hm","thought":true,"thoughtSignature":"QUFB"}`, `{"text":"I look.","thoughtSignature":"Q0ND"}`, `{"functionCall":{`+args1+`},"thoughtSignature":"QkJC"}`, `{"functionCall":{"name":"ls","args":{}}}`) +
				`,{"role":"user","parts":[{"functionResponse":{"name":"read","response":{"output":"x\ny"}}},{"functionResponse":{"name":"ls","response":{"error":"(no output)"}}}]}` +
				`,{"role":"user","parts":[{"text":"Image in the output of read:"},` + pngPart + `,{"text":"hi"}]}`},
		{"the third generation has ids, and images in responses", three, []string{hi, answer("gemini-3-pro", call1, call2), result2, result1},
			sentHi + "," + sent(`{"functionCall":{"id":"t1",`+args1+`},"thoughtSignature":"QkJC"}`, `{"functionCall":{"id":"t2","name":"ls","args":{}}}`) +
				`,{"role":"user","parts":[{"functionResponse":{"id":"t1","name":"read","response":{"output":"x\ny"},"parts":[` + pngPart + `]}},{"functionResponse":{"id":"t2","name":"ls","response":{"error":"(no output)"}}}]}`},
		{"of another model only text and calls are left, and the first call says so", three, []string{hi, answer("gemini-2.5-flash", thought, text, call1, call2), result1, result2},
			sentHi + "," + sent(`{"text":"I look."}`, `{"functionCall":{"id":"t1",`+args1+`},`+skipSign+`}`, `{"functionCall":{"id":"t2","name":"ls","args":{}}}`) +
				`,{"role":"user","parts":[{"functionResponse":{"id":"t1","name":"read","response":{"output":"x\ny"},"parts":[` + pngPart + `]}},{"functionResponse":{"id":"t2","name":"ls","response":{"error":"(no output)"}}}]}`},
		{"a signature without text goes back, one that is no base64 does not", flash, []string{hi, answer("gemini-2.5-flash", `{"type":"text","text":"","textSignature":"QUFB"}`, `{"type":"text","text":"a","textSignature":"{\"v\":1}"}`, `{"type":"text","text":"b","textSignature":"QUF="}`, `{"type":"text","text":"c","textSignature":"QU=="}`, `{"type":"text","text":" "}`, `{"type":"thinking","thinking":" "}`), hi},
			sentHi + "," + sent(`{"text":"","thoughtSignature":"QUFB"}`, `{"text":"a"}`, `{"text":"b","thoughtSignature":"QUF="}`, `{"text":"c","thoughtSignature":"QU=="}`) + "," + sentHi},
		{"answers that follow each other are one", flash, []string{hi, answer("x", `{"type":"text","text":"a"}`), answer("x", `{"type":"text","text":"b"}`), hi}, sentHi + "," + sent(`{"text":"a"}`, `{"text":"b"}`) + "," + sentHi},
		{"an answer that was only foreign thinking joins the user's words", flash, []string{hi, answer("x", thought), hi}, `{"role":"user","parts":[{"text":"hi"},{"text":"hi"}]}`},
		{"the user must begin and end", flash, []string{answer("x", `{"type":"text","text":"a"}`)}, begun + "," + sent(`{"text":"a"}`) + "," + onAndOn},
		{"nothing at all", flash, nil, onAndOn},
		{"a name that is none, an id of others, a call without result", three, []string{hi, answer("x", `{"type":"toolCall","id":"c|fc/1","name":"1 é"}`)},
			sentHi + "," + sent(`{"functionCall":{"id":"c_fc_1","name":"_1__","args":{}},`+skipSign+`}`) + `,{"role":"user","parts":[{"functionResponse":{"id":"c_fc_1","name":"_1__","response":{"error":"` + provider.NoResult + `"}}}]}`},
		{"images that cannot be sent", flash, []string{`{"role":"user","content":[{"type":"text","text":" \n"},{"type":"image","data":"AAAA","mimeType":"image/gif"},{"type":"image","data":"A","mimeType":"image/png"},{"type":"image","data":""},{"type":"image","data":"AAAA","mimeType":"image/heic"}]}`},
			`{"role":"user","parts":[{"text":"[an image was left out: its type cannot be sent: image/gif]"},{"text":"[an image was left out: its data is damaged]"},{"inlineData":{"mimeType":"image/heic","data":"AAAA"}}]}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			body := bodyOf(tt.info, provider.Request{Messages: msgs(t, tt.in...)})
			if got := string(rawjson.Get(body, "contents")); got != "["+tt.want+"]" {
				t.Errorf("got\n%s\nwant\n[%s]", got, tt.want)
			}
			if bad := providertest.CheckGoogle(body); len(bad) > 0 {
				t.Error(bad)
			}
		})
	}
}

func TestParameters(t *testing.T) {
	reasoning := func(i *provider.Info) { i.Reasoning = true }
	words := func(m map[string]string) func(i *provider.Info) {
		return func(i *provider.Info) {
			i.Reasoning, i.ThinkingLevels = true, map[string]*string{"off": nil, "minimal": nil}
			for k, v := range m {
				i.ThinkingLevels[k] = &v
			}
		}
	}
	config := func(thinking string) string {
		return `{"generationConfig":{"maxOutputTokens":10000,"thinkingConfig":{` + thinking + `}},`
	}
	pro := with(flash, func(i *provider.Info) { i.ID, i.Reasoning, i.MaxTokens = "gemini-2.5-pro", true, 65536 })
	for _, tt := range []struct {
		name string
		info provider.Info
		req  provider.Request
		want string // without contents
	}{
		{"a plain model", flash, provider.Request{Thinking: "high"}, `{"generationConfig":{"maxOutputTokens":10000},`},
		{"a model of unknown limits", with(flash, func(i *provider.Info) { i.MaxTokens = 0 }), provider.Request{}, `{`},
		{"a budget", with(flash, reasoning), provider.Request{Thinking: "medium"}, config(`"includeThoughts":true,"thinkingBudget":8192`)},
		{"the least budget", with(flash, reasoning), provider.Request{Thinking: "minimal"}, config(`"includeThoughts":true,"thinkingBudget":128`)},
		{"the least of a small model", with(flash, func(i *provider.Info) { i.ID, i.Reasoning = "models/gemini-2.5-flash-lite", true }), provider.Request{Thinking: "minimal"}, config(`"includeThoughts":true,"thinkingBudget":512`)},
		{"a budget that leaves room", with(flash, reasoning), provider.Request{Thinking: "high"}, config(`"includeThoughts":true,"thinkingBudget":8976`)},
		{"no room", with(flash, reasoning), provider.Request{Thinking: "high", MaxTokens: 1000}, `{"generationConfig":{"maxOutputTokens":1000,"thinkingConfig":{"thinkingBudget":0}},`},
		{"off", with(flash, reasoning), provider.Request{}, config(`"thinkingBudget":0`)},
		{"a model that cannot but think", pro, provider.Request{Thinking: "off"}, `{"generationConfig":{"maxOutputTokens":65536,"thinkingConfig":{"thinkingBudget":128}},`},
		{"the most", pro, provider.Request{Thinking: "high"}, `{"generationConfig":{"maxOutputTokens":65536,"thinkingConfig":{"includeThoughts":true,"thinkingBudget":32768}},`},
		{"a level", with(three, words(map[string]string{"low": "low", "high": "high"})), provider.Request{Thinking: "high"}, config(`"includeThoughts":true,"thinkingLevel":"HIGH"`)},
		{"a level that is not offered", with(three, words(map[string]string{"low": "low", "high": "high"})), provider.Request{Thinking: "off"}, config(`"thinkingLevel":"LOW"`)},
		{"levels of a model that is not in the catalogue", with(three, reasoning), provider.Request{Thinking: "low"}, config(`"includeThoughts":true,"thinkingLevel":"LOW"`)},
		{"off, of one that is not in the catalogue", with(three, reasoning), provider.Request{}, config(`"thinkingLevel":"LOW"`)},
		{"off, of a quick one", with(three, func(i *provider.Info) { i.ID, i.Reasoning = "gemini-flash-latest", true }), provider.Request{}, config(`"thinkingLevel":"LOW"`)},
		{"words of another make", with(flash, words(map[string]string{"low": "MINIMAL", "high": "HIGH"})), provider.Request{Thinking: "high"}, config(`"includeThoughts":true,"thinkingLevel":"HIGH"`)},
		{"a budget of models.json", with(flash, words(map[string]string{"low": "777"})), provider.Request{Thinking: "low"}, config(`"includeThoughts":true,"thinkingBudget":777`)},
		{"tools and prompt", flash, provider.Request{Messages: msgs(t, sys)}, `{"systemInstruction":{"parts":[{"text":"Be brief."}]},"tools":[{"functionDeclarations":[{"name":"read","description":"Reads.","parametersJsonSchema":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}},{"name":"ls","description":"ls"}]}],"generationConfig":{"maxOutputTokens":10000},`},
		{"a gateway that knows less", three, provider.Request{Messages: msgs(t, sys), OmitParams: []string{"parametersJsonSchema"}}, `{"systemInstruction":{"parts":[{"text":"Be brief."}]},"tools":[{"functionDeclarations":[{"name":"read","description":"Reads.","parameters":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}},{"name":"ls","description":"ls"}]}],"generationConfig":{"maxOutputTokens":10000},`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			body, _, _ := strings.Cut(string(bodyOf(tt.info, tt.req)), `"contents":[`)
			if body != tt.want {
				t.Errorf("got\n%s\nwant\n%s", body, tt.want)
			}
		})
	}
}

// A gateway may know less of the API than Google. What it says is enough to go on.
func TestGatewaysThatKnowLess(t *testing.T) {
	const thought = `{"type":"thinking","thinking":"hm","thinkingSignature":"QUFB"}`
	m := New(provider.Endpoint{Info: three}).(*model)
	req := provider.Request{Messages: msgs(t, sys, hi, answer("gemini-3-pro", thought, `{"type":"text","text":"","textSignature":"QUFB"}`, call1), result1, hi)}
	whole := string(m.body(req))
	for _, tt := range []struct{ name, at, gone, there string }{
		{"id", "contents[1].parts[2].function_call", `"id":`, `"functionCall":{"name"`},
		{"parts", "contents[2].parts[0].function_response", `"parts":[{"inlineData"`, "Image in the output of read"},
		{"thoughtSignature", "contents[1].parts[0]", `"thought`, `"functionCall":{"id":"t1"`},
		{"parametersJsonSchema", "tools[0].function_declarations[0]", `parametersJsonSchema`, `"parameters":{"type"`},
	} {
		refusal := provider.StreamError([]byte(`{"error":{"code":400,"message":"Invalid JSON payload received. Unknown name \"`+tt.name+`\" at '`+tt.at+`': Cannot find field.","status":"INVALID_ARGUMENT"}}`), "")
		o, ok := refusal.Omission(req)
		if !ok {
			t.Fatalf("%s: nothing is left out for %v", tt.name, refusal)
		}
		less := m.body(req.Without(o, len(req.Messages)))
		if s := string(less); !strings.Contains(whole, tt.gone) || strings.Contains(s, tt.gone) || !strings.Contains(s, tt.there) {
			t.Errorf("%s: %s", tt.name, s)
		}
		if bad := providertest.CheckGoogle(less); len(bad) > 0 {
			t.Errorf("%s: %q", tt.name, bad)
		}
	}
	if again := string(m.body(req)); again != whole {
		t.Errorf("later\n%s\nwant\n%s", again, whole)
	}
}

func TestSchema(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"what is known stays, in its order", `{"type":"object","description":"d","properties":{"type":{"type":"string","enum":["a"],"minLength":1},"title":{"type":["string","null"]}},"required":["title"],"additionalProperties":false}`,
			`{"type":"object","description":"d","properties":{"type":{"type":"string","enum":["a"],"minLength":1},"title":{"type":["string","null"]}},"required":["title"],"additionalProperties":false}`},
		{"what is refused goes", `{"$schema":"x","$id":"y","type":"object","properties":{"n":{"type":"integer","exclusiveMinimum":0,"format":"int32"},"u":{"type":"string","format":"uri"},"c":{"const":7}},"required":["n","gone","n",5],"if":{},"patternProperties":{"x":{}}}`,
			`{"type":"object","properties":{"n":{"type":"integer","format":"int32"},"u":{"type":"string"},"c":{"enum":[7]}},"required":["n"]}`},
		{"references are written out", `{"type":"object","properties":{"a":{"$ref":"#/$defs/A","description":"mine"},"b":{"anyOf":[{"$ref":"#/definitions/B~1b"},{"type":"null"}]},"c":{"$ref":"http://elsewhere"}},"$defs":{"A":{"type":"string","description":"its"}},"definitions":{"B/b":{"type":"number"}}}`,
			`{"type":"object","properties":{"a":{"type":"string","description":"mine"},"b":{"anyOf":[{"type":"number"},{"type":"null"}]},"c":{"type":"object"}}}`},
		{"circles end", `{"type":"object","properties":{"next":{"$ref":"#/$defs/N"}},"$defs":{"N":{"type":"object","properties":{"next":{"$ref":"#/$defs/N"},"up":{"$ref":"#"}}}}}`,
			`{"type":"object","properties":{"next":{"type":"object","properties":{"next":{"type":"object"},"up":{"type":"object","properties":{"next":{"type":"object"}}}}}}}`},
		{"parts of one", `{"type":"object","properties":{"a":{"allOf":[{"$ref":"#/$defs/A"},{"properties":{"y":{"type":"string"},"x":{}},"required":["y"]}],"description":"d"}},"$defs":{"A":{"type":"object","properties":{"x":{"type":"number"}},"required":["x"]}}}`,
			`{"type":"object","properties":{"a":{"description":"d","type":"object","properties":{"x":{"type":"number"},"y":{"type":"string"}},"required":["x","y"]}}}`},
		{"types of things with parts", `{"type":"object","properties":{"a":{"type":"array","items":{"type":["object","null"]}},"b":{"type":["null","array"],"items":[{"type":"string"}]},"c":{"type":"object","additionalProperties":{"type":"string","format":"x"}},"d":true}}`,
			`{"type":"object","properties":{"a":{"type":"array","items":{"type":"object"}},"b":{"type":"array","prefixItems":[{"type":"string"}]},"c":{"type":"object","additionalProperties":{"type":"string"}},"d":{}}}`},
		{"no schema", `7`, ``},
		{"no properties", `{"type":"object"}`, ``},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var b provider.Body
			b.Open('{')
			writeParameters(&b, provider.Schema(message.ToolSpec{Parameters: message.Value(tt.in)}), false)
			b.Close('}')
			if got := string(rawjson.Get(b.Bytes(), jsonSchema)); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// A schema of few words may stand for one of any size.
func TestSchemaHasAnEnd(t *testing.T) {
	var defs strings.Builder
	for _, n := range "abcdefghijklmnopqrstuvwxyz" {
		next := `{"$ref":"#/$defs/` + string(n+1) + `"}`
		defs.WriteString(`"` + string(n) + `":{"type":"object","properties":{"l":` + next + `,"r":` + next + `,"all":{"allOf":[` + next + `]}}},`)
	}
	var b provider.Body
	b.Open('{')
	writeParameters(&b, []byte(`{"type":"object","properties":{"x":{"$ref":"#/$defs/a"}},"$defs":{`+defs.String()+`"z":{}}}`), false)
	b.Close('}')
	if b.Len() > 1<<20 || !rawjson.Valid(b.Bytes()) {
		t.Errorf("%d bytes", b.Len())
	}
}

func FuzzSchema(f *testing.F) {
	f.Add([]byte(`{"type":"object","properties":{"a":{"allOf":[{"$ref":"#/$defs/A"}]}},"$defs":{"A":{"$ref":"#"}}}`))
	f.Add([]byte(`{"properties":{"\ud800":{"type":["array"],"items":[true]}},"required":["\ud800"]}`))
	f.Fuzz(func(t *testing.T, schema []byte) {
		var b provider.Body
		b.Open('{')
		writeParameters(&b, provider.Schema(message.ToolSpec{Parameters: schema}), false)
		b.Close('}')
		if !rawjson.Valid(b.Bytes()) {
			t.Errorf("%s", b.Bytes())
		}
	})
}

// Whatever a session holds, the request is one that Google takes.
func TestAnySessionMakesALegalRequest(t *testing.T) {
	for seed := range uint64(600) {
		r := rand.New(rand.NewPCG(seed, 0))
		info := flash
		if seed%2 == 1 {
			info = three
		}
		if seed%3 == 1 {
			info.Input = []string{"text"}
		}
		info.Reasoning = seed%5 == 1
		body := bodyOf(info, provider.Request{Messages: providertest.Conversation(r, info), Thinking: "medium"})
		if bad := providertest.CheckGoogle(body); len(bad) > 0 {
			t.Fatalf("seed %d: %s\n%s", seed, strings.Join(bad, "\n"), body)
		}
		if ids := bytes.Contains(body, []byte(`"functionCall":{"id":`)); ids && seed%2 == 0 {
			t.Fatalf("seed %d: ids for %s: %s", seed, info.ID, body)
		}
	}
}

// What is sent of a conversation begins as it did before the conversation went on.
func TestPrefixStays(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 1))
		info := flash
		if seed%2 == 1 {
			info = three
		}
		var kept []message.Message // system messages are folded, so none may come behind
		for i, m := range providertest.Conversation(r, info) {
			if m.Role != message.System || i == 0 {
				kept = append(kept, m)
			}
		}
		after := bodyOf(info, provider.Request{Messages: kept})
		for n := 1; n < len(kept); n++ {
			if m := kept[n-1]; m.Role != message.User || blank(m.Text("")) {
				continue
			}
			before := bodyOf(info, provider.Request{Messages: kept[:n]})
			if prefix := bytes.TrimSuffix(before, []byte("]}]}")); !bytes.HasPrefix(after, prefix) {
				t.Fatalf("seed %d, %d messages:\n%s\nis not the beginning of\n%s", seed, n, prefix, after)
			}
		}
	}
}

// Where the model is, and how it is asked.
func TestPath(t *testing.T) {
	for id, want := range map[string]string{
		"gemini-2.5-pro": "/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse", "models/x": "/v1beta/models/x:streamGenerateContent?alt=sse",
		"tunedModels/x": "/v1beta/tunedModels/x:streamGenerateContent?alt=sse", "a?b#c é": "/v1beta/models/a%3Fb%23c%20%C3%A9:streamGenerateContent?alt=sse",
	} {
		var at catcher
		m := New(provider.Endpoint{Info: with(flash, func(i *provider.Info) { i.ID = id }), Key: key("k1"), Client: at.client()})
		at.ask(t, m)
		if at.url != "http://p.example"+want || at.header.Get("x-goog-api-key") != "k1" || at.header.Get("Authorization") != "" || strings.Contains(at.url, "k1") {
			t.Errorf("%s: %s with %v", id, at.url, at.header)
		}
	}
}
