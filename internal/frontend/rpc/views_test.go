package rpc_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

const rules = `{"rules":[
 {"when":{"user":"^hold"},"reply":{"text":"An answer that takes long.","at":[{"chunk":1,"do":"hold","name":"h"}]}},
 {"when":{"user":"^use"},"reply":{"toolCalls":[{"name":"read","args":{"path":"a"}}]},"times":1},
 {"when":{"system":"summar"},"reply":{"text":"The summary."}},
 {"reply":{"text":"Good."}}]}`

func (c *client) held(name string) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), 2*time.Minute)
	defer cancel()
	if err := c.script.AwaitHold(ctx, name); err != nil {
		c.t.Fatal(err, c.told(0))
	}
}

// Load session X, add a message at entry Y, run one turn.
func TestLoadAppendRun(t *testing.T) {
	path := file(t)
	c := start(t, rules, "")
	v := c.does(object{"type": "open_view", "sessionPath": path, "entryId": "aaaa0002"})
	same(t, "the view", v, object{"view": "v2", "sessionFile": path, "sessionId": "11111111-2222-7333-8444-555555555555", "leafId": "aaaa0002", "isNew": false})
	same(t, "subscription", c.does(object{"type": "subscribe", "views": []string{"v2"}, "level": "full"})["views"].([]any)[0].(object)["seq"], 0.0)
	added := c.does(object{"type": "append_message", "view": "v2", "parentId": "aaaa0002", "role": "user", "content": "added"})
	from := c.here()
	run := c.does(object{"type": "run_turn", "view": "v2"})
	same(t, "run", run, object{"disposition": "started", "leafId": added["entryId"]})
	c.settled("v2", from)
	same(t, "first record of the run", c.of("v2", from)[0]["type"], "agent_start")
	leaf := c.does(object{"type": "get_path", "view": "v2"})["leafId"]
	c.end()
	same(t, "conversation", branch(entries(t, path), leaf), []string{"user: one", "assistant: first", "user: added", "assistant: Good."})
	for i, r := range c.of("v2", 0) {
		if r["seq"] != float64(i+1) {
			t.Fatalf("record %d of v2 has the number %v", i+1, r["seq"])
		}
	}
	if told := c.told(0); slices.Contains(told, "agent_start") {
		t.Errorf("events of another view in pi's stream: %v", told)
	}
}

// Two views of one file run at the same time, and all branches are in the file.
func TestTwoViewsOfOneFile(t *testing.T) {
	path := file(t)
	c := start(t, rules, path)
	c.does(object{"type": "subscribe", "views": "*", "level": "full"})
	v := c.does(object{"type": "open_view", "sessionPath": path, "entryId": "aaaa0003"})["view"].(string)
	same(t, "opened", types(c.of(v, 0))[:1], []string{"view_opened"})
	from := c.here()
	first := c.does(object{"type": "prompt_at", "parentId": "aaaa0002", "message": "hold this"})
	c.held("h")
	second := c.does(object{"type": "run_turn", "view": v})
	c.settled(v, from)
	same(t, "what goes on", c.running(), []string{"v1"})
	from = c.here()
	third := c.does(object{"type": "prompt_at", "view": v, "parentId": "aaaa0004", "message": "and beside"})
	c.settled(v, from)
	c.script.Release("h")
	c.settled("v1", from)
	leaves := c.does(object{"type": "get_leaves", "view": v})["leaves"].([]any)
	at := map[string]object{}
	for _, l := range leaves {
		at[fmt.Sprint(l.(object)["preview"])] = l.(object)
	}
	if len(leaves) != 3 || at["An answer that takes long."]["forkEntryId"] != "aaaa0002" {
		t.Errorf("leaves of the file as %s sees it: %v", v, leaves)
	}
	c.end()
	list := entries(t, path)
	same(t, "the branch of v1", branch(list, at["An answer that takes long."]["leafId"]), []string{"user: one", "assistant: first", "user: hold this", "assistant: An answer that takes long."})
	var talks []string
	for _, l := range leaves {
		talks = append(talks, strings.Join(branch(list, l.(object)["leafId"])[2:], ", "))
	}
	slices.Sort(talks)
	same(t, "branches", talks, []string{"user: hold this, assistant: An answer that takes long.", "user: three, user: and beside, assistant: Good.", "user: two, assistant: Good."})
	for _, d := range []object{first, third} {
		if !slices.ContainsFunc(list, func(e object) bool { return e["id"] == d["entryId"] }) || second["disposition"] != "started" {
			t.Errorf("no entry %v", d)
		}
	}
}

// running are the views in which a run goes on.
func (c *client) running() (names []string) {
	c.t.Helper()
	for _, v := range c.does(object{"type": "list_views"})["views"].([]any) {
		if v.(object)["isStreaming"] == true {
			names = append(names, v.(object)["view"].(string))
		}
	}
	return names
}

// What a client did not ask for does not reach it, and what it did carries names and
// numbers.
func TestSubscriptions(t *testing.T) {
	c := start(t, rules, "")
	from := c.here()
	c.send(`{"type":"prompt","message":"hello"}`)
	c.settled("", from)
	for _, r := range c.told(from) {
		if strings.Contains(r, "view:") || strings.Contains(r, "seq:") || strings.HasPrefix(r, "leaf_changed") {
			t.Errorf("in pi's stream: %s", r)
		}
	}
	plain := c.told(from)

	// Level pi: the same events.
	c.does(object{"type": "subscribe", "views": []string{"v1"}})
	from = c.here()
	c.send(`{"type":"prompt","message":"hello"}`)
	c.settled("v1", from)
	var got []string
	for _, r := range c.of("v1", from) {
		got = append(got, fmt.Sprint(r["type"]))
	}
	var want []string
	for _, r := range plain[1:] { // without the answer
		if name, _, _ := strings.Cut(r, " "); len(want) > 0 || name == "agent_start" {
			want = append(want, name)
		}
	}
	// The system message was only told of the first time.
	i := slices.Index(want, "message_start")
	same(t, "level pi", got, slices.Delete(want, i, i+2))

	// And without it again.
	c.does(object{"type": "unsubscribe", "views": "*"})
	from = c.here()
	c.send(`{"type":"prompt","message":"hello"}`)
	c.settled("", from)
	if n := len(c.of("v1", from)); n > 0 {
		t.Errorf("%d records of a subscription that has ended", n)
	}

	// Who joins in the midst of an answer is told what there is of it.
	c.send(`{"id":"p","type":"prompt","message":"hold"}`)
	c.held("h")
	c.until("part of the answer", c.here()-3, func(r object) bool { return r["type"] == "message_update" })
	c.does(object{"type": "subscribe", "views": []string{"v1"}, "level": "full", "snapshot": true})
	snap, at := c.until("snapshot", from, func(r object) bool { return r["type"] == "view_snapshot" })
	same(t, "what goes on", snap["state"].(object)["isStreaming"], true)
	text := said(object{"message": snap["message"]})
	c.script.Release("h")
	c.settled("v1", at)
	for _, r := range c.of("v1", at) {
		if e, ok := r["assistantMessageEvent"].(object); ok && e["type"] == "text_delta" {
			text += e["delta"].(string)
		}
	}
	same(t, "the answer", text, "assistant: An answer that takes long.")
}

// Commands without a view go to the attached one, and its events have pi's form.
func TestAttach(t *testing.T) {
	path := file(t)
	c := start(t, rules, "")
	c.send(`{"id":"hold","type":"prompt","message":"hold"}`)
	c.held("h")
	c.answer("hold")
	v := c.does(object{"type": "open_view", "sessionPath": path, "attach": true})
	same(t, "name", v["view"], "v2")
	same(t, "session", c.does(object{"type": "get_state"})["sessionId"], v["sessionId"])
	from := c.here()
	c.send(`{"type":"prompt","message":"here"}`)
	c.settled("", from)
	c.script.Release("h") // v1 goes on, and nobody is told
	for ctx := t.Context(); len(c.running()) > 0 && ctx.Err() == nil; {
		// It is asked again, since nothing tells.
	}
	if told := c.told(from); strings.Contains(strings.Join(told[slices.Index(told, "agent_settled aborted:false")+1:], " "), "agent_") {
		t.Errorf("events of a view that is not attached any more: %v", told)
	}
	c.fails("bad_request", object{"type": "close_view", "view": "v2"})
	state := c.does(object{"type": "attach_view", "view": "v1"})
	same(t, "back", state["sessionId"] != v["sessionId"] && state["messageCount"] == 3.0, true)
	r := c.ask(object{"type": "close_view", "view": "v2"})
	same(t, "close", []any{r["success"], r["view"]}, []any{true, "v2"})
	for _, cmd := range []object{{"type": "get_state", "view": "v2"}, {"type": "attach_view", "view": "v2"}, {"type": "close_view", "view": "v2"},
		{"type": "subscribe", "views": []string{"v2"}}, {"type": "prompt", "view": "", "message": "x"}} {
		c.fails("unknown_view", cmd)
	}
	same(t, "views", len(c.does(object{"type": "list_views"})["views"].([]any)), 1)
}

// A view that works is closed only if that is meant, and what was asked of it is
// answered all the same.
func TestCloseAViewThatWorks(t *testing.T) {
	path := file(t)
	c := start(t, rules, "")
	c.does(object{"type": "subscribe", "views": "*", "level": "full"})
	c.does(object{"type": "open_view", "sessionPath": path})
	c.send(`{"id":"hold","type":"prompt","view":"v2","message":"hold"}`, `{"id":"sh","type":"bash","view":"v2","command":"wait"}`)
	c.held("h")
	c.fails("busy", object{"type": "close_view", "view": "v2"})
	c.does(object{"type": "close_view", "view": "v2", "abort": true})
	for _, id := range []string{"hold", "sh"} {
		if r := c.answer(id); r["view"] != "v2" || r["success"] == false && r["code"] != "cancelled" {
			t.Errorf("%s: %v", id, r)
		}
	}
	list := types(c.of("v2", 0))
	same(t, "last record", list[len(list)-1], "view_closed")
	if !slices.Contains(list, "agent_settled") {
		t.Errorf("records of the view: %v", list)
	}
}

// A view keeps its name when its session is replaced.
func TestAViewOfAnotherSession(t *testing.T) {
	path := file(t)
	c := start(t, rules, "")
	c.does(object{"type": "subscribe", "views": "*", "level": "full"})
	v := c.does(object{"type": "open_view", "sessionPath": path})
	c.does(object{"type": "fork", "view": "v2", "entryId": "aaaa0003"})
	from := c.here()
	list := c.of("v2", 0)
	i := slices.Index(types(list), "session_replaced")
	if i < 0 || list[i]["oldSessionId"] != v["sessionId"] || list[i]["sessionId"] == v["sessionId"] {
		t.Fatalf("%v", list)
	}
	j := slices.IndexFunc(list, func(r object) bool { return r["type"] == "leaf_changed" && r["reason"] == "fork" })
	if j < i {
		t.Errorf("the place in the fork: %v", list)
	}
	c.does(object{"type": "new_session", "view": "v2"})
	c.does(object{"type": "prompt", "view": "v2", "message": "hello"})
	c.settled("v2", from)
	if list := types(c.of("v1", 0)); len(list) > 0 {
		t.Errorf("v1 is told of it: %v", list)
	}
	same(t, "v1 stays", c.does(object{"type": "get_state", "view": "v1"})["messageCount"], 0.0)
}

func TestOpenFails(t *testing.T) {
	path := file(t)
	c := start(t, rules, "")
	for _, tt := range []struct {
		code string
		with object
	}{
		{"not_found", object{"sessionPath": path + "x"}},
		{"unknown_session", object{"sessionId": "nobody"}},
		{"unknown_entry", object{"sessionPath": path, "entryId": "nobody"}},
		{"unknown_entry", object{"entryId": "aaaa0002"}},
		{"bad_request", object{"sessionPath": path, "sessionId": "1111"}},
		{"bad_request", object{"sessionPath": path, "entryId": ""}},
		{"bad_request", object{"sessionPath": 5}},
		{"bad_request", object{"sessionPath": ""}},
		{"bad_request", object{"sessionId": "", "attach": true}},
	} {
		tt.with["type"] = "open_view"
		c.fails(tt.code, tt.with)
	}
	same(t, "before the first entry", c.does(object{"type": "open_view", "sessionPath": path, "entryId": nil})["leafId"], nil)
	same(t, "a new one", c.does(object{"type": "open_view"})["isNew"], true)
	same(t, "views", len(c.does(object{"type": "list_views"})["views"].([]any)), 3)
}

// A session that began in this process is new only until something was said.
func TestJoinANewSession(t *testing.T) {
	c := start(t, rules, "")
	from := c.here()
	c.does(object{"type": "prompt", "message": "hello"})
	c.settled("", from)
	at := c.does(object{"type": "get_state"})
	v := c.does(object{"type": "open_view", "sessionPath": at["sessionFile"], "join": true})
	same(t, "the session", v["sessionId"], at["sessionId"])
	same(t, "new", v["isNew"], false)
}
