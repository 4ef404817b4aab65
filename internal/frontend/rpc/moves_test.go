package rpc_test

import (
	"slices"
	"testing"
)

// Moves, as the client is told of them.
func TestMoves(t *testing.T) {
	path := file(t)
	c := start(t, rules, path)
	c.does(object{"type": "subscribe", "views": []string{"v1"}, "level": "full"})
	leaf := c.leafAtStart()
	same(t, "before a question", c.does(object{"type": "navigate", "entryId": "aaaa0003"}),
		object{"cancelled": false, "oldLeafId": leaf, "leafId": "aaaa0002", "editorText": "two"})
	same(t, "at a question", c.does(object{"type": "navigate", "entryId": "aaaa0003", "position": "at"})["leafId"], "aaaa0003")
	same(t, "back", c.does(object{"type": "go_back"})["leafId"], "aaaa0002")
	same(t, "forward", c.does(object{"type": "go_forward"})["leafId"], "aaaa0003")
	c.fails("not_runnable", object{"type": "go_forward"})
	c.fails("unknown_entry", object{"type": "navigate", "entryId": "nobody"})
	c.fails("unknown_entry", object{"type": "set_label", "entryId": "nobody", "label": "x"})

	from := c.here()
	n := c.does(object{"type": "navigate", "entryId": "aaaa0002", "summarize": true, "label": "tried"})
	sum, _ := n["summaryEntry"].(object)
	if sum["type"] != "branch_summary" || sum["fromId"] != "aaaa0003" || n["oldLeafId"] != "aaaa0003" {
		t.Errorf("navigate with a summary: %v", n)
	}
	list := types(c.of("v1", from))
	for _, name := range []string{"branch_summary_start", "entry_appended", "label_changed", "branch_summary_end", "leaf_changed"} {
		i := slices.Index(list, name)
		if i < 0 {
			t.Fatalf("no %s behind the others: %v", name, types(c.of("v1", from)))
		}
		list = list[i:]
	}
	label := c.does(object{"type": "set_label", "entryId": "aaaa0001", "label": "begin"})
	same(t, "label", label["labelEntryId"] == label["leafId"], true)
	same(t, "label of the entry", c.does(object{"type": "get_entry", "entryId": "aaaa0001"})["label"], "begin")

	// What the model sees, and brings along.
	c.does(object{"type": "navigate", "entryId": "aaaa0004", "position": "at"})
	h := c.does(object{"type": "hide_entry", "entryId": "aaaa0001"})
	same(t, "hidden", h["entryId"], "aaaa0001")
	e := c.does(object{"type": "get_entry", "entryId": "aaaa0001"})
	same(t, "entry", []any{e["onPath"], e["seen"], e["depth"], e["childIds"].([]any)[0]}, []any{true, false, 1.0, "aaaa0002"})
	c.does(object{"type": "unhide_entry"})
	c.does(object{"type": "edit_entry", "entryId": "aaaa0004", "text": "drei"})
	ctx := c.does(object{"type": "get_context"})["messages"].([]any)
	same(t, "what the model sees", said(object{"message": ctx[len(ctx)-1]}), "user: drei")
	same(t, "elsewhere", len(c.does(object{"type": "get_context", "entryId": "aaaa0002"})["messages"].([]any)), 2)
	taken := c.does(object{"type": "take_entries", "what": "entries", "entryIds": []string{"aaaa0003"}})
	same(t, "taken", taken["fromIds"], []any{"aaaa0003"})
	c.fails("bad_request", object{"type": "take_entries", "what": "something", "entryIds": []string{"aaaa0003"}})
	c.end()
	entries(t, path)
}

// leafAtStart is where the session of file stands: behind what its beginning adds.
func (c *client) leafAtStart() any {
	c.t.Helper()
	return c.does(object{"type": "get_entries"})["leafId"]
}

// Messages are added anywhere, in any role, and nothing runs.
func TestAppend(t *testing.T) {
	path := file(t)
	c := start(t, rules, path)
	c.does(object{"type": "subscribe", "views": []string{"v1"}, "level": "full"})
	leaf := c.leafAtStart()
	add := func(more object) object {
		t.Helper()
		more["type"] = "append_message"
		return c.does(more)
	}
	stay := add(object{"parentId": "aaaa0001", "role": "assistant", "content": "other", "api": "a", "provider": "p", "model": "m", "moveLeaf": false})
	same(t, "the leaf stays", stay["leafId"], leaf)
	root := add(object{"parentId": nil, "role": "user", "content": []object{{"type": "text", "text": "first"}, {"type": "image", "data": "aGk=", "mimeType": "image/png"}}, "timestamp": 5})
	same(t, "the leaf moves", root["leafId"], root["entryId"])
	note := add(object{"role": "custom", "customType": "note", "content": "said by a program", "details": object{"a": 1}})
	for code, more := range map[string]object{
		"bad_request":   {"role": "assistant", "content": "x"},
		"unknown_entry": {"role": "user", "content": "x", "parentId": "nobody"},
	} {
		more["type"] = "append_message"
		c.fails(code, more)
	}
	for _, more := range []object{{"role": "user"}, {"role": "system", "content": "x"}, {"role": "user", "content": []any{object{"type": "toolCall"}}}, {"role": "custom", "content": "x"},
		{"role": "user", "content": "x", "timestamp": -1}, {"role": "user", "content": "x", "parentId": ""}} {
		more["type"] = "append_message"
		c.fails("bad_request", more)
	}
	if list := types(c.of("v1", 0)); slices.Contains(list, "agent_start") || !slices.Contains(list, "message_end") {
		t.Errorf("records %v", list)
	}
	c.end()
	at := map[any]object{}
	for _, e := range entries(t, path) {
		at[e["id"]] = e
	}
	same(t, "answer", said(at[stay["entryId"]]), "assistant: other")
	same(t, "its usage", at[stay["entryId"]]["message"].(object)["usage"].(object)["totalTokens"], 0.0)
	same(t, "time", at[root["entryId"]]["message"].(object)["timestamp"], 5.0)
	e := at[note["entryId"]]
	same(t, "custom", []any{e["type"], e["customType"], e["parentId"], e["details"]}, []any{"custom_message", "note", root["entryId"], object{"a": 1.0}})
}

// An abort finds what was sent before it, also in one write.
func TestAbortRightBehind(t *testing.T) {
	c := start(t, rules, file(t))
	for range 20 {
		from := c.here()
		c.send(`{"id":"sh","type":"bash","command":"wait"}`, `{"id":"a","type":"abort_bash"}`)
		r, _ := c.until("end of the command", from, func(r object) bool { return r["id"] == "sh" && r["type"] == "response" })
		same(t, "cancelled", r["data"].(object)["cancelled"], true)
	}
	c.send(`{"id":"1","type":"bash","command":"wait"}`, `{"type":"bash","command":"wait"}`, `{"id":"1","type":"bash","command":"wait"}`, `{"id":"a3","type":"abort_bash"}`, `{"id":"last","type":"get_state"}`)
	c.answer("last")
}
