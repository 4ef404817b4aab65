package rpc_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
)

// Each command has one answer, whatever is opened, closed, attached and left
// meanwhile, and no record of a subscription is lost.
func TestEverythingAtOnceInViews(t *testing.T) {
	for seed := range uint64(12) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { everything(t, seed) })
	}
}

func everything(t *testing.T, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 0))
	path := file(t)
	c := start(t, rules, path)
	names := []string{"prompt", "prompt", "run_turn", "prompt_at", "append_message", "abort", "navigate", "get_state", "get_tree", "get_leaves", "get_path", "bash", "abort_bash",
		"new_session", "fork", "clone", "switch_session", "compact", "set_label", "hide_entry", "unhide_entry", "go_back", "take_entries", "send_queue", "steer", "get_queue",
		"open_view", "open_view", "close_view", "attach_view", "list_views", "subscribe", "unsubscribe", "sync", "get_entry", "get_stats", "get_cost"}
	const n = 300
	ids := make([]string, n)
	for i := range n {
		ids[i] = fmt.Sprint("c", i)
		cmd := object{"id": ids[i], "type": names[r.IntN(len(names))], "message": "hello", "command": "echo", "entryId": fmt.Sprintf("aaaa000%d", 1+r.IntN(4)), "role": "user",
			"content": "more", "label": "x", "text": "other", "what": []string{"answer", "summary", "entries"}[r.IntN(3)], "entryIds": []string{"aaaa0003"}, "abort": r.IntN(2) == 0,
			"attach": r.IntN(4) == 0, "summarize": r.IntN(3) == 0, "level": []string{"pi", "full"}[r.IntN(2)], "snapshot": r.IntN(2) == 0, "moveLeaf": r.IntN(2) == 0}
		cmd["parentId"] = cmd["entryId"]
		switch r.IntN(4) {
		case 0:
			cmd["views"] = "*"
		default:
			cmd["views"] = []string{fmt.Sprint("v", 1+r.IntN(6))}
		}
		if r.IntN(3) > 0 || cmd["type"] == "close_view" || cmd["type"] == "attach_view" {
			cmd["view"] = fmt.Sprint("v", 1+r.IntN(6))
		}
		if r.IntN(3) > 0 {
			cmd["sessionPath"] = path
		}
		line, err := json.Marshal(cmd)
		if err != nil {
			t.Fatal(err)
		}
		c.send(string(line))
	}
	for _, id := range ids {
		c.answer(id)
	}
	c.end()
	answers, seqs := map[any]int{}, map[any]float64{}
	for _, rec := range c.records {
		switch {
		case rec["type"] == "no record":
			t.Fatalf("%v", rec)
		case rec["type"] == "response":
			answers[rec["id"]]++
		case rec["seq"] != nil:
			if seqs[rec["view"]]++; seqs[rec["view"]] != rec["seq"] {
				t.Fatalf("record %v of %v has the number %v", seqs[rec["view"]], rec["view"], rec["seq"])
			}
		}
	}
	for _, id := range ids {
		if answers[id] != 1 {
			t.Errorf("%d answers to %s", answers[id], id)
		}
	}
	entries(t, path)
}
