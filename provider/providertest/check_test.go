package providertest

import (
	"strings"
	"testing"
)

func TestChecks(t *testing.T) {
	chat := func(msgs string) string { return `{"model":"m","stream":true,"messages":[` + msgs + `]}` }
	claude := func(msgs string) string {
		return `{"model":"m","max_tokens":10,"stream":true,"messages":[` + msgs + `]}`
	}
	responses := func(items string) string { return `{"model":"m","stream":true,"input":[` + items + `]}` }
	converse := func(msgs string) string {
		return `{"inferenceConfig":{"maxTokens":10},"toolConfig":{"tools":[{"toolSpec":{"name":"x","inputSchema":{"json":{"type":"object"}}}}]},"messages":[` + msgs + `]}`
	}
	google := func(contents string) string { return `{"contents":[` + contents + `]}` }
	declared := func(schema string) string {
		return `{"tools":[{"functionDeclarations":[{"name":"x","description":"d","parametersJsonSchema":` + schema + `}]}],"contents":[{"role":"user","parts":[{"text":"hi"}]}]}`
	}
	const (
		googUser   = `{"role":"user","parts":[{"text":"hi"}]}`
		googCall   = `{"role":"model","parts":[{"functionCall":{"name":"x","args":{}},"thoughtSignature":"QUFB"},{"functionCall":{"name":"y","args":{}}}]}`
		googTool   = `{"role":"user","parts":[{"functionResponse":{"name":"x","response":{}}},{"functionResponse":{"name":"y","response":{}}}]}`
		googTurn   = googUser + "," + googCall + "," + googTool
		bedUser    = `{"role":"user","content":[{"text":"hi"}]}`
		bedCall    = `{"role":"assistant","content":[{"toolUse":{"toolUseId":"c","name":"x","input":{}}}]}`
		bedTool    = `{"role":"user","content":[{"toolResult":{"toolUseId":"c","content":[{"text":"y"}],"status":"success"}},{"text":"hi"},{"cachePoint":{"type":"default"}}]}`
		mistCall   = `{"role":"assistant","content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]}],"tool_calls":[{"id":"abcdefgh1","type":"function","function":{"name":"x","arguments":"{}"}}]}`
		mistTool   = `{"role":"tool","tool_call_id":"abcdefgh1","content":[{"type":"text","text":"y"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}]}`
		mistSaid   = `{"role":"assistant","content":"ok"}`
		chatUser   = `{"role":"user","content":"hi"}`
		chatCall   = `{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"x","arguments":"{}"}}]}`
		chatTool   = `{"role":"tool","tool_call_id":"c","content":"y"}`
		claudeUser = `{"role":"user","content":[{"type":"text","text":"hi"}]}`
		claudeCall = `{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"x","input":{}}]}`
		claudeTool = `{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"y"},{"type":"text","text":"hi"}]}`
		respUser   = `{"role":"user","content":[{"type":"input_text","text":"hi"}]}`
		respThink  = `{"type":"reasoning","id":"rs_1","summary":[]}`
		respCall   = `{"type":"function_call","id":"fc_1","call_id":"c","name":"x","arguments":"{}"}`
		respTool   = `{"type":"function_call_output","call_id":"c","output":"y"}`
	)
	for _, tt := range []struct {
		check func([]byte) []string
		body  string
		want  string // part of a finding; "" if all is right
	}{
		{CheckChat, chat(chatUser + "," + chatCall + "," + chatTool), ""},
		{CheckChat, chat(""), "no messages"},
		{CheckChat, chat(chatCall), "no result"},
		{CheckChat, chat(chatCall + "," + chatUser + "," + chatTool), "no open call"},
		{CheckChat, chat(chatCall + "," + chatTool + "," + chatTool), "no open call"},
		{CheckChat, chat(chatCall + "," + chatTool + "," + chatCall + "," + chatTool), "comes twice"},
		{CheckChat, chat(strings.Replace(chatCall, `"{}"`, `"{"`, 1) + "," + chatTool), "arguments"},
		{CheckChat, chat(`{"role":"assistant","content":null}`), "no content"},
		{CheckChat, chat(`{"role":"user","content":""}`), "empty content"},
		{CheckChat, chat(`{"role":"user","content":"\ud83d"}`), "surrogate"},
		{CheckChat, chat(`{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,"}}]}`), "data URL"},
		{CheckChat, chat(`{"role":"user","content":"a","content":"b"}`), "comes twice"},
		{CheckChat, `{"model":"m","messages":[` + chatUser + `]}`, "stream"},
		{CheckChat, `{"model":"m","stream":true,"tools":[{"function":{"name":"a b","parameters":{"type":"object"}}},{"function":{"name":"x","parameters":{}}}],"messages":[` + chatUser + `]}`, "schema"},
		{CheckChat, "{", "no JSON"},
		{CheckBedrock, converse(bedUser + "," + bedCall + "," + bedTool), ""},
		{CheckBedrock, converse(""), "no messages"},
		{CheckBedrock, converse(bedUser + "," + bedUser), "role"},
		{CheckBedrock, converse(bedCall + "," + bedTool), "role"},
		{CheckBedrock, converse(bedUser + "," + bedCall), "no result"},
		{CheckBedrock, converse(bedUser + "," + bedCall + "," + strings.Replace(bedTool, `[{"toolResult"`, `[{"text":"x"},{"toolResult"`, 1)), "behind other blocks"},
		{CheckBedrock, converse(bedUser + "," + bedCall + "," + strings.Replace(bedTool, `success`, `error`, 1)), ""},
		{CheckBedrock, converse(bedUser + "," + bedCall + "," + strings.Replace(bedTool, `success`, `failed`, 1)), "status"},
		{CheckBedrock, converse(bedUser + "," + bedCall + "," + strings.Replace(strings.Replace(bedTool, `success`, `error`, 1), `{"text":"y"}`, `{"image":{"format":"png","source":{"bytes":"AAAA"}}}`, 1)), "image in a result"},
		{CheckBedrock, converse(strings.Replace(bedUser, "hi", " ", 1)), "without words"},
		{CheckBedrock, converse(bedUser + "," + strings.Replace(bedCall, `"c"`, `"a|b"`, 1)), "'|'"},
		{CheckBedrock, converse(bedUser + "," + strings.Replace(bedCall, `"x"`, `"`+strings.Repeat("x", 65)+`"`, 1)), "too long"},
		{CheckBedrock, converse(`{"role":"user","content":[{"cachePoint":{"type":"default"}}]}`), "nothing before it"},
		{CheckBedrock, converse(`{"role":"user","content":[{"text":"hi","image":{}}]}`), "2 members"},
		{CheckBedrock, converse(bedUser + `,{"role":"assistant","content":[{"reasoningContent":{"reasoningText":{"text":"hm"}}}]}`), "without signature"},
		{CheckBedrock, converse(bedUser + `,{"role":"assistant","content":[{"reasoningContent":{"redactedContent":"no!"}}]}`), "base64"},
		{CheckBedrock, converse(`{"role":"user","content":[{"image":{"format":"bmp","source":{"bytes":"AAAA"}}}]}`), "format"},
		{CheckBedrock, converse(bedUser + "," + bedCall + "," + strings.Repeat(strings.Replace(bedTool, `"hi"},`, `"hi"},{"cachePoint":{"type":"default"}},{"cachePoint":{"type":"default"}},{"cachePoint":{"type":"default"}},{"cachePoint":{"type":"default"}},`, 1), 1)), "5 cache points"},
		{CheckBedrock, `{"messages":[` + bedUser + "," + bedCall + "," + bedTool + `]}`, "no toolConfig"},
		{CheckBedrock, `{"stream":true,"messages":[` + bedUser + `]}`, "knows no stream"},
		{CheckMistral, chat(chatUser + "," + mistCall + "," + mistTool + "," + mistSaid + "," + chatUser), ""},
		{CheckMistral, chat(chatUser + "," + mistCall + "," + mistTool), ""},
		{CheckMistral, chat(chatUser + "," + mistCall + "," + mistTool + "," + chatUser), "unexpected role"},
		{CheckMistral, chat(mistCall + "," + mistTool), "unexpected role"},
		{CheckMistral, chat(chatUser + "," + chatCall + "," + chatTool), "nine letters"},
		{CheckMistral, chat(chatUser + "," + mistSaid), "without prefix"},
		{CheckMistral, chat(chatUser + "," + strings.Replace(mistSaid, `"ok"`, `"ok","prefix":true`, 1)), ""},
		{CheckMistral, chat(chatUser + "," + strings.Replace(mistSaid, `"ok"`, `"ok","reasoning_content":"x"`, 1)), "has no reasoning_content"},
		{CheckMistral, strings.Replace(chat(chatUser), `"stream"`, `"store":false,"stream"`, 1), "knows no store"},
		{CheckAnthropic, claude(claudeUser + "," + claudeCall + "," + claudeTool), ""},
		{CheckAnthropic, claude(claudeCall + "," + claudeTool), "role"},
		{CheckAnthropic, claude(claudeUser + "," + claudeUser), "role"},
		{CheckAnthropic, claude(claudeUser + "," + claudeCall + "," + claudeUser), "no result"},
		{CheckAnthropic, claude(claudeUser + "," + claudeCall + "," + strings.Replace(claudeTool, `[`, `[{"type":"text","text":"x"},`, 1)), "behind other blocks"},
		{CheckAnthropic, claude(claudeUser + "," + strings.Replace(claudeCall, `"c"`, `"a|b"`, 1)), "'|'"},
		{CheckAnthropic, claude(`{"role":"user","content":[{"type":"text","text":" "}]}`), "without words"},
		{CheckAnthropic, claude(`{"role":"user","content":[]}`), "no content"},
		{CheckAnthropic, claude(claudeUser + `,{"role":"assistant","content":[{"type":"thinking","thinking":"x"}]}`), "signature"},
		{CheckAnthropic, claude(claudeUser + "," + claudeCall + `,{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","is_error":true,"content":[{"type":"image","source":{"media_type":"image/png","data":"AAAA"}}]}]}`), "error true"},
		{CheckAnthropic, `{"model":"m","stream":true,"messages":[` + claudeUser + `]}`, "max_tokens"},
		{CheckAnthropic, `{"model":"m","max_tokens":2000,"thinking":{"budget_tokens":2000},"stream":true,"messages":[` + claudeUser + `]}`, "budget"},
		{CheckResponses, responses(respUser + "," + respThink + "," + respCall + "," + respTool), ""},
		{CheckResponses, responses(respUser + "," + respThink), "comes last"},
		{CheckResponses, responses(respThink + "," + respUser), "not followed"},
		{CheckResponses, responses(respCall + "," + respUser), "no result"},
		{CheckResponses, responses(respTool), "no open call"},
		{CheckResponses, responses(respThink + "," + respCall + "," + respTool + "," + respThink + "," + strings.Replace(respCall, `"c"`, `"d"`, 1)), "item id"},
		{CheckResponses, responses(`{"role":"assistant","content":[{"type":"input_text","text":"x"}]}`), "type"},
		{CheckResponses, responses(""), "no input"},
		{CheckGoogle, google(googTurn + "," + googUser), ""},
		{CheckGoogle, google(strings.NewReplacer(`"name":"x"`, `"id":"1","name":"x"`, `"name":"y"`, `"id":"2","name":"y"`).Replace(googTurn)), ""},
		{CheckGoogle, google(""), "no contents"},
		{CheckGoogle, google(googUser + "," + googCall), "comes last"},
		{CheckGoogle, google(googUser + "," + googCall + "," + googUser), "no response yet"},
		{CheckGoogle, google(googUser + "," + googUser), "the user follows the user"},
		{CheckGoogle, google(googCall + "," + googTool), "the model follows"},
		{CheckGoogle, google(googUser + "," + googCall + "," + googCall + "," + googTool), "the model follows"},
		{CheckGoogle, google(googTool), "open are"},
		{CheckGoogle, google(googTurn + "," + googTool), "open are"},
		{CheckGoogle, google(googUser + "," + googCall + "," + strings.Replace(googTool, `"name":"x"`, `"name":"y"`, 1)), "open are"},
		{CheckGoogle, google(googUser + "," + googCall + "," + strings.Replace(googTool, `},{"functionResponse":{"name":"y","response":{}}}`, "}", 1)), "no response yet"},
		{CheckGoogle, google(googUser + "," + googCall + "," + strings.Replace(googTool, `[`, `[{"text":"hm"},`, 1)), "beside responses"},
		{CheckGoogle, google(googUser + "," + strings.Replace(googCall, `"name":"x"`, `"id":"1","name":"x"`, 1) + "," + googTool), "without id"},
		{CheckGoogle, google(strings.NewReplacer(`"name":"x"`, `"id":"1","name":"x"`, `"name":"y"`, `"id":"1","name":"y"`).Replace(googTurn)), `call id "1"`},
		{CheckGoogle, google(strings.ReplaceAll(googTurn, `"x"`, `"1x"`)), "begin with a letter"},
		{CheckGoogle, google(strings.Replace(googTurn, "QUFB", "QUF", 1)), "no base64"},
		{CheckGoogle, google(strings.Replace(googTurn, `"args":{}`, `"args":"{}"`, 1)), "no object"},
		{CheckGoogle, google(strings.Replace(googUser, `{"text":"hi"}`, `{"text":"hi","thought":true}`, 1)), "a thought of the user"},
		{CheckGoogle, google(strings.Replace(googUser, "hi", " ", 1)), "without words"},
		{CheckGoogle, google(strings.Replace(googUser, `{"text":"hi"}`, "", 1)), "no parts"},
		{CheckGoogle, google(strings.Replace(googUser, `{"text":"hi"}`, `{"text":"hi","inlineData":{}}`, 1)), "of 2 kinds"},
		{CheckGoogle, google(strings.Replace(googUser, `{"text":"hi"}`, `{"inlineData":{"mimeType":"image/gif","data":"AAAA"}}`, 1)), "image/gif"},
		{CheckGoogle, google(`{"role":"assistant","parts":[{"text":"hi"}]}`), `role "assistant"`},
		{CheckGoogle, `{"generationConfig":{"thinkingConfig":{"thinkingBudget":1,"thinkingLevel":"LOW"}},"contents":[` + googUser + `]}`, "not one of"},
		{CheckGoogle, `{"generationConfig":{"thinkingConfig":{"thinkingLevel":"low"}},"contents":[` + googUser + `]}`, "thinkingLevel"},
		{CheckGoogle, `{"generationConfig":{"thinkingConfig":{"thinkingBudget":0,"includeThoughts":true}},"contents":[` + googUser + `]}`, "forbidden"},
		{CheckGoogle, declared(`{"type":"object","properties":{"title":{"type":"string"},"$ref":{"enum":["a"]}},"required":["title"]}`), ""},
		{CheckGoogle, declared(`{"type":"object","properties":{"a":{"anyOf":[{"$ref":"#"}]}}}`), "the keyword $ref"},
		{CheckGoogle, declared(`{"type":"object","properties":{"a":{"items":{"type":["object","null"]}}}}`), "a list of types"},
		{CheckGoogle, declared(`{"type":"object","properties":{},"required":["a"]}`), "no property"},
		{CheckGoogle, declared(`{"properties":{}}`), "no object's"},
	} {
		got := strings.Join(tt.check([]byte(tt.body)), "; ")
		if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
			t.Errorf("%s\nfound %q, want %q", tt.body, got, tt.want)
		}
	}
}
