package protocol

import (
	"encoding/json"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
)

// Saying something at a place of the tree.
type (
	// PromptAt says something to the model behind an entry and starts a run: a step
	// to there and a prompt in one.
	PromptAt struct {
		Parent session.ID      `json:"parentId,required"` // "": before the first entry
		Text   string          `json:"message,required"`
		Images []message.Block `json:"images,images"`
		Exact  bool            // the place may lie between a tool call and its results
	}

	// PromptedAt says what came of it.
	PromptedAt struct {
		Disposition Disposition
		Entry       session.ID `json:"entryId"` // the message of the user; "" if it was handled
	}

	// Append adds one message below an entry and runs nothing.
	Append struct {
		// Parent is where, "" before the first entry; nil is the leaf.
		Parent *session.ID `json:"parentId"`
		// Message is of the user or of the assistant, then with its provider, model
		// and API, and without tool calls.
		Message message.Message `json:"message,required"`
		// Custom, if set, makes it a message of a program instead, of that type.
		Custom  string          `json:"customType"`
		Display bool            // of a custom one: people see it
		Details json.RawMessage // of a custom one; nil
		// Stay leaves the leaf where it is. During a run it must be set, or the
		// parent must lie off the branch that runs.
		Stay bool `json:"moveLeaf,not"`
	}

	// Added is what Append has added.
	Added struct {
		Entry session.ID `json:"entryId"`
		Leaf  session.ID `json:"leafId"`
	}
)

func (PromptAt) Name() string { return "prompt_at" }
func (Append) Name() string   { return "append_message" }

func (PromptAt) answers(PromptedAt) {}
func (Append) answers(Added)        {}
