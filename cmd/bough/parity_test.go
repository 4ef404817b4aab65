package main

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// commandsAtBothDoors are good and bad commands about a session of the entries
// aaaa0001, a question, and aaaa0002, its answer.
const commandsAtBothDoors = `
{"type":"append_message"}
{"type":"append_message","role":"user"}
{"type":"append_message","role":"user","content":5}
{"type":"append_message","role":"system","content":"x"}
{"type":"append_message","role":5,"content":"x"}
{"type":"append_message","role":"user","content":"x"}
{"type":"append_message","role":"user","content":[{"type":"text","text":"y"},{"type":"image","data":"aGk=","mimeType":"image/png"}]}
{"type":"append_message","role":"user","content":"x","images":[{"type":"image","data":"aGk=","mimeType":"image/png"}]}
{"type":"append_message","role":"user","content":"x","images":[5]}
{"type":"append_message","role":"user","content":[{"type":"toolCall","id":"a","name":"b","arguments":{}}]}
{"type":"append_message","role":"custom","content":"x"}
{"type":"append_message","role":"custom","customType":"mine","content":"x","details":{"a":1}}
{"type":"append_message","role":"custom","customType":"mine","content":"x","display":false}
{"type":"append_message","role":"assistant","content":"x"}
{"type":"append_message","role":"assistant","content":"x","api":"a","provider":"p","model":"m"}
{"type":"append_message","role":"assistant","content":"x","api":"a","provider":"p","model":"m","stopReason":"nonsense"}
{"type":"append_message","role":"user","content":"x","parentId":"aaaa0001","moveLeaf":false}
{"type":"append_message","role":"user","content":"x","parentId":""}
{"type":"append_message","role":"user","content":"x","parentId":null,"moveLeaf":false}
{"type":"append_message","role":"user","content":"x","parentId":"ffffffff"}
{"type":"append_message","role":"user","content":""}
{"type":"append_message","role":"user","content":[]}
{"type":"append_message","role":"user","content":"x","timestamp":-5}
{"type":"navigate","entryId":"aaaa0001"}
{"type":"navigate","entryId":"aaaa0001","position":"at"}
{"type":"navigate","entryId":"aaaa0001","position":"behind"}
{"type":"navigate","entryId":null}
{"type":"navigate","entryId":""}
{"type":"navigate","entryId":"nope"}
{"type":"navigate"}
{"type":"navigate","entryId":"aaaa0001","summarize":"yes"}
{"type":"navigate","entryId":"aaaa0002","label":"l"}
{"type":"navigate","entryId":"aaaa0002","persist":true}
{"type":"set_label","entryId":"aaaa0002","label":null}
{"type":"set_label","entryId":"aaaa0002","label":"x"}
{"type":"set_label","label":"x"}
{"type":"hide_entry","entryId":"aaaa0001"}
{"type":"hide_entry","entryId":"nope"}
{"type":"unhide_entry"}
{"type":"unhide_entry","entryId":"aaaa0001"}
{"type":"edit_entry","entryId":"aaaa0001"}
{"type":"edit_entry","entryId":"aaaa0001","text":"z"}
{"type":"edit_entry","entryId":"aaaa0001","text":""}
{"type":"take_entries"}
{"type":"take_entries","what":"x","entryIds":["aaaa0001"]}
{"type":"take_entries","what":"answer","entryIds":"aaaa0001"}
{"type":"take_entries","what":"answer","entryIds":["nope"]}
{"type":"take_entries","what":"answer","entryIds":[]}
{"type":"set_thinking_level","level":"huge"}
{"type":"set_model","provider":"x","modelId":"y"}
{"type":"set_model","provider":"offline","modelId":"demo"}
{"type":"get_entry","entryId":"aaaa0001"}
{"type":"get_entry","entryId":"nope"}
{"type":"get_entry"}
{"type":"set_permissions","mode":"nope"}
{"type":"set_permissions","mode":"ask"}
{"type":"set_permissions","forget":true}
{"type":"set_permissions"}
{"type":"answer","question":"q","choice":"yes"}
{"type":"answer"}
{"type":"set_tools","off":["bash"]}
{"type":"set_tools","off":["nope"]}
{"type":"set_tools","on":"bash"}
{"type":"get_settings","key":"nope"}
{"type":"get_settings","key":"retry.enabled"}
{"type":"set_setting","key":"retry.enabled","value":true}
{"type":"set_setting","key":"retry.enabled"}
{"type":"set_setting","key":"nope","value":1}
{"type":"set_setting","key":"retry.maxRetries","value":5}
{"type":"set_setting","key":"retry.maxRetries","value":"many"}
{"type":"set_setting","key":"retry.maxRetries","unset":true}
{"type":"list_sessions","limit":-1}
{"type":"list_sessions","scope":"x"}
{"type":"list_sessions","limit":1}
{"type":"list_sessions","cursor":"rubbish"}
{"type":"search_sessions","query":""}
{"type":"search_sessions","query":"hello"}
{"type":"search_sessions"}
{"type":"rename_session","session":"nope","name":"x"}
{"type":"rename_session","session":"","name":"x"}
{"type":"trash_session","session":"nope"}
{"type":"restore_session","session":"nope"}
{"type":"check_session"}
{"type":"check_session","session":"nope"}
{"type":"set_session_name","name":""}
{"type":"set_session_name","name":"n"}
{"type":"drop_queued","entryId":"nope"}
{"type":"edit_queued","entryId":"nope","message":"x"}
{"type":"send_queue"}
{"type":"clear_queue"}
{"type":"reconnect_mcp_server","server":"x"}
{"type":"edit_summary","entryId":"aaaa0001","text":"x"}
{"type":"make_title"}
{"type":"compact","customInstructions":5}
{"type":"compact"}
{"type":"get_cost","others":true}
{"type":"get_cost","nextOnly":true}
{"type":"export","path":"x.txt"}
{"type":"export","path":"no/such/folder/x.md"}
{"type":"bash"}
{"type":"prompt_at","message":"x"}
{"type":"prompt_at","parentId":"nope","message":"x"}
{"type":"run_turn","entryId":"nope"}
{"type":"prompt","message":"x","streamingBehavior":"both"}
{"type":"steer"}
{"type":"fly"}
`

// A command that is refused over RPC is refused over HTTP, for the same reason, and
// the other way round.
func TestBothDoorsTakeTheSame(t *testing.T) {
	w := newAttachWorld(t)
	file := func(id string) string {
		path := filepath.Join(w.dir, id+".jsonl")
		text := strings.Replace(twoQuestions, "11111111-2222", id+"-2222", 1)
		text = strings.Replace(text, `"cwd":"/"`, `"cwd":"`+w.dir+`"`, 1)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	near := startFront(t, w.ctx, w.dir, w.env, "--no-attach", "--model", "offline/demo", "--session", file("aaaaaaaa"))
	near.ask(`{"type":"get_capabilities"}`) // failures have codes from here on
	service := w.serve("--model", "offline/demo")
	token, err := os.ReadFile(filepath.Join(w.dir, "state", "bough", "token"))
	if err != nil {
		t.Fatal(err)
	}
	card, err := os.ReadFile(filepath.Join(w.dir, "state", "bough", "serve.json"))
	if err != nil {
		t.Fatal(err)
	}
	var at struct{ Address string }
	if err := json.Unmarshal(card, &at); err != nil {
		t.Fatal(err)
	}
	far := func(path, body string) object {
		r, err := http.NewRequestWithContext(w.ctx, "POST", "http://"+at.Address+"/api/v1/"+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
		r.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		var o object
		if err := json.Unmarshal(b, &o); err != nil {
			t.Fatalf("%s: %v", b, err)
		}
		return o
	}
	open, err := json.Marshal(object{"session": file("bbbbbbbb")})
	if err != nil {
		t.Fatal(err)
	}
	client, ok := far("open", string(open))["data"].(object)["client"].(string)
	if !ok {
		t.Fatal("it lets nobody in")
	}
	for _, line := range strings.Split(strings.TrimSpace(commandsAtBothDoors), "\n") {
		a, b := near.ask(line), far("do?client="+client, line)
		if a["success"] != b["success"] || a["code"] != b["code"] {
			t.Errorf("%s\nRPC:  %v %v %v\nHTTP: %v %v %v", line, a["success"], a["code"], a["error"], b["success"], b["code"], b["error"])
		}
	}
	near.in.Close()
	near.cmd.Wait() // its end is of no interest
	w.want("has ended", "serve", "--stop")
	service.Wait() // by a signal
}
