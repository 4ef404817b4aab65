package recall

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/tool"
)

// talk is a session whose beginning was summed up.
func talk(t *testing.T) (*session.Session, *session.Branch) {
	t.Helper()
	s, err := session.New(nil, session.Header{CWD: "/srv"})
	if err != nil {
		t.Fatal(err)
	}
	b := s.Main()
	add := func(body session.Body) session.ID {
		t.Helper()
		e, err := b.Append(t.Context(), body)
		if err != nil {
			t.Fatal(err)
		}
		return e.ID
	}
	say := func(role message.Role, blocks ...message.Block) session.ID {
		return add(session.Message{Message: message.Message{Role: role, Content: blocks}})
	}
	say(message.User, message.Text("The chairs are 42 dollars, FOB Ningbo."))
	say(message.Assistant, message.Thinking("secret thought", ""), message.Text("Noted: ash wood."), message.ToolCall("c1", "read", message.Value(`{"path":"price.txt"}`)))
	add(session.Message{Message: message.Message{Role: message.ToolResult, ToolCallID: "c1", ToolName: "read", Content: []message.Block{message.Text("freight " + strings.Repeat("木椅 ", 4000) + "end")}}})
	secret := say(message.User, message.Text("my password is hunter2"))
	edited := say(message.User, message.Text("the old words"))
	add(session.Message{Message: message.Message{Role: message.Bash, Command: "env", Output: "TOKEN=hunter2", ExcludeFromContext: true}})
	add(session.ContextEdit{Target: secret, Omit: true})
	add(session.ContextEdit{Target: edited, Content: message.Value(`[{"type":"text","text":"the new words"}]`)})
	fork := b.Leaf()
	other := s.Branch(fork)
	if _, err := other.Append(t.Context(), session.Message{Message: message.Message{Role: message.User, Content: []message.Block{message.Text("on another branch: hunter2")}}}); err != nil {
		t.Fatal(err)
	}
	kept := say(message.User, message.Text("kept chairs"))
	add(session.Compaction{Summary: "They talked of chairs.", FirstKept: kept})
	say(message.User, message.Text("And now, chairs?"))
	return s, b
}

func TestRecall(t *testing.T) {
	s, b := talk(t)
	at := func(context.Context) (*session.Tree, session.ID, error) { return s.Tree().Snapshot(), b.Leaf(), nil }
	for _, tt := range []struct {
		name, args string
		want       []string // parts, in this order
		fails      bool
	}{
		{"words of either case", `{"words":"NINGBO dollars"}`, []string{"[0] user ", "The chairs are 42 dollars"}, false},
		{"words that are seen anyhow are not found", `{"words":"kept"}`, []string{"Nothing fits in the messages 0 to "}, false},
		{"another branch, what is hidden by a person and a command kept from the model", `{"words":"hunter2"}`, []string{"Nothing fits"}, false},
		{"thoughts", `{"words":"secret"}`, []string{"Nothing fits"}, false},
		{"what an edit took away", `{"words":"old words"}`, []string{"Nothing fits"}, false},
		{"what an edit put there", `{"words":"new words"}`, []string{"[4] user ", "the new words"}, false},
		{"a call with its arguments", `{"from":1}`, []string{"[1] assistant ", "Noted: ash wood.\n-> read {\"path\":\"price.txt\"}\n"}, false},
		{"a range", `{"from":0,"to":1}`, []string{"[0] user ", "FOB Ningbo.\n[1] assistant "}, false},
		{"a long result is cut and can be gone on with", `{"tool":"read","from":2}`, []string{"[2] tool ", "freight 木椅", "characters of [2] follow; offset "}, false},
		{"the end of it", `{"from":2,"offset":27990}`, []string{"[2] tool ", "end\n"}, false},
		{"beyond its end", `{"from":2,"offset":99999999}`, []string{"[2] tool "}, false},
		{"calls and results of a tool", `{"tool":"read"}`, []string{"[1] assistant ", "more from [2] on"}, false},
		{"a tool that was not called", `{"tool":"bash"}`, []string{"Nothing fits"}, false},
		{"nothing said: the user's messages", `{}`, []string{"[0] user ", ": The chairs are", "[4] user ", ": the new words"}, false},
		{"a regular expression", `{"words":"re:fob\\s+ning"}`, []string{"[0] user "}, false},
		{"a broken one", `{"words":"re:("}`, []string{"not understood"}, true},
		{"a range that is not there", `{"from":90,"to":99}`, []string{"there are no messages 90 to 99", "from 0 to "}, true},
		{"backwards", `{"from":3,"to":1}`, []string{"there are no messages 3 to 1"}, true},
		{"wrong types", `{"from":"one"}`, []string{"Invalid arguments"}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out, err := New(at).Run(t.Context(), json.RawMessage(tt.args), nil)
			if err != nil || out.IsError != tt.fails {
				t.Fatalf("error %v, %v: %v", out.IsError, err, out)
			}
			text := (message.Message{Content: out.Content}).Text("")
			if len(text) > perCall {
				t.Errorf("%d bytes, at most %d are allowed", len(text), perCall)
			}
			rest := text
			for _, w := range tt.want {
				i := strings.Index(rest, w)
				if i < 0 {
					t.Fatalf("there is no %q in\n%.600s", w, rest)
				}
				rest = rest[i+len(w):]
			}
			if strings.ContainsRune(text, '\uFFFD') || strings.Contains(text, "hunter2") {
				t.Errorf("it has what it must not have:\n%.300s", text)
			}
		})
	}
}

func TestRecallHasABudget(t *testing.T) {
	s, b := talk(t)
	tl := New(func(context.Context) (*session.Tree, session.ID, error) { return s.Tree().Snapshot(), b.Leaf(), nil })
	total, refused := 0, false
	for range 20 {
		out, err := tl.Run(t.Context(), json.RawMessage(`{"from":2}`), nil)
		if err != nil {
			t.Fatal(err)
		}
		if out.IsError {
			refused = true
			break
		}
		total += len((message.Message{Content: out.Content}).Text(""))
	}
	if !refused || total > perRun {
		t.Errorf("refused %v after %d bytes; a run may read %d", refused, total, perRun)
	}
}

func TestRecallWithoutCompaction(t *testing.T) {
	s, err := session.New(nil, session.Header{CWD: "/srv"})
	if err != nil {
		t.Fatal(err)
	}
	run := func(tl tool.Tool) (message.Output, error) { return tl.Run(t.Context(), json.RawMessage(`{}`), nil) }
	out, err := run(New(func(context.Context) (*session.Tree, session.ID, error) { return s.Tree(), "", nil }))
	if err != nil || !out.IsError {
		t.Errorf("nothing was summed up: %v, %v", out, err)
	}
	gone := errors.New("closed")
	if _, err := run(New(func(context.Context) (*session.Tree, session.ID, error) { return nil, "", gone })); !errors.Is(err, gone) {
		t.Errorf("a session that is closed: %v", err)
	}
}
