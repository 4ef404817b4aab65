package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/fakellm"
)

const writes = `{"rules":[
 {"when":{"user":"^two","turn":0},"reply":{"toolCalls":[{"name":"write","args":{"path":"a.txt","content":"1\n"}},{"name":"bash","args":{"command":"echo hi > b.txt"}}]}},
 {"when":{"user":"^one","turn":0},"reply":{"toolCalls":[{"name":"bash","args":{"command":"echo hi > b.txt"}}]}},
 {"when":{"toolResult":"."},"reply":{"text":"So: {{toolResult}}"}}
]}`

// dialog waits for the next dialog of a method, and checks its parts.
func (s *scenario) dialog(method string, parts ...string) (id string) {
	s.t.Helper()
	d := s.await(object{"type": "extension_ui_request", "method": method})
	for _, p := range parts {
		if !strings.Contains(text(d), p) {
			s.t.Errorf("the dialog lacks %q: %s", p, text(d))
		}
	}
	return d["id"].(string)
}

func (s *scenario) reply(id string, o object) {
	s.t.Helper()
	o["type"], o["id"] = "extension_ui_response", id
	s.command(o)
}

// A client of pi's that asks for it is asked by dialogs (docs/spec/rpc.md 8).
func TestRPCPermissionDialogs(t *testing.T) {
	for _, setup := range []string{`{"args":["--provider","fakechat","--model","fake-1","--permission-mode","ask"]}`, `{"settings":{"bough":{"permissionMode":"ask"}}}`} {
		s := rpc(t, setup, fakellm.Options{Script: fakellm.MustParse(writes)})
		s.command(object{"id": "1", "type": "prompt", "message": "two"})
		s.reply(s.dialog("select", "May write be run", "it changes a file", "+1 1", `"allow it"`, "allow edit(**) for this session", `"refuse it"`, `"refuse it, and say why"`), object{"value": "allow it"})
		s.reply(s.dialog("select", "echo hi > b.txt", "it runs a command"), object{"value": "refuse it, and say why"})
		s.reply(s.dialog("input"), object{"value": "use touch"})
		s.await(object{"type": "tool_execution_end", "isError": true})
		s.await(object{"type": "agent_settled"})
		if got := s.ask("m", `{"id":"m","type":"get_messages"}`); !strings.Contains(text(got), "They say: use touch") {
			t.Errorf("messages %s", text(got))
		}
		// Called off, or in the wrong form, it is no; an answer that comes late is dropped.
		for _, answer := range []object{{"cancelled": true}, {"value": 7}, {}, {"value": "allow everything"}, {"confirmed": true}, {"value": "allow it", "cancelled": true}} {
			s.command(object{"type": "prompt", "message": "one"})
			id := s.dialog("select")
			s.reply(id, answer)
			s.await(object{"type": "agent_settled"})
			s.reply(id, object{"value": "allow it"})
		}
		// An abort closes it.
		s.command(object{"type": "prompt", "message": "one"})
		id := s.dialog("select")
		s.command(object{"id": "abort", "type": "abort"})
		s.await(object{"type": "agent_settled", "aborted": true})
		s.await(object{"type": "response", "id": "abort", "success": true})
		s.reply(id, object{"value": "allow it"})
		s.end(0)
		if _, err := os.Stat(filepath.Join(s.dir, "project", "b.txt")); err == nil {
			t.Error("the command was run")
		}
		if _, err := os.Stat(filepath.Join(s.dir, "project", "a.txt")); err != nil {
			t.Error(err)
		}
	}
}

// Clients that did not ask for it are asked nothing, whatever the project says: what
// needs a question is not run.
func TestRPCAsksNobodyWhoDidNotWantIt(t *testing.T) {
	s := rpc(t, `{"args":["--provider","fakechat","--model","fake-1","--approve"],"files":{".pi/settings.json":"{\"bough\":{\"permissionMode\":\"ask\",\"permissions\":{\"allow\":[\"bash\"]}}}"}}`,
		fakellm.Options{Script: fakellm.MustParse(writes)})
	s.command(object{"type": "prompt", "message": "one"})
	s.await(object{"type": "agent_settled"})
	if got := s.ask("m", `{"id":"m","type":"get_messages"}`); !strings.Contains(text(got), "none can be asked here") {
		t.Errorf("messages %s", text(got))
	}
	s.end(0)
	if told := s.told(); strings.Contains(told, "extension_ui_request") {
		t.Errorf("told %s", told)
	}
}

// Who is told all gets the question as it is, and no dialog.
func TestRPCQuestionsInFull(t *testing.T) {
	s := rpc(t, `{"args":["--provider","fakechat","--model","fake-1","--permission-mode","ask"]}`, fakellm.Options{Script: fakellm.MustParse(writes)})
	s.ask("s", `{"id":"s","type":"subscribe","views":["v1"],"level":"full"}`)
	s.command(object{"type": "prompt", "message": "one"})
	q := s.await(object{"type": "question_asked"})
	s.command(object{"id": "a", "type": "answer", "question": q["id"], "choice": "yes"})
	s.await(object{"type": "question_answered", "choice": "yes"})
	s.await(object{"type": "agent_settled"})
	s.end(0)
	if told := s.told(); strings.Contains(told, "extension_ui_request") {
		t.Errorf("told %s", told)
	}
}

// Who wants to be told less while a question waits gets it as a dialog, once.
func TestRPCQuestionOfWhoUnsubscribes(t *testing.T) {
	s := rpc(t, `{"args":["--provider","fakechat","--model","fake-1","--permission-mode","ask"]}`, fakellm.Options{Script: fakellm.MustParse(writes)})
	s.ask("s", `{"id":"s","type":"subscribe","views":["v1"],"level":"full"}`)
	s.command(object{"type": "prompt", "message": "one"})
	s.await(object{"type": "question_asked"})
	s.ask("u", `{"id":"u","type":"unsubscribe","views":["v1"]}`)
	id := s.dialog("select", "echo hi > b.txt")
	s.ask("f", `{"id":"f","type":"subscribe","views":["v1"],"level":"full"}`)
	s.ask("w", `{"id":"w","type":"unsubscribe","views":["v1"]}`)
	if n := strings.Count(s.told(), "extension_ui_request"); n != 1 {
		t.Errorf("%d dialogs: %s", n, s.told())
	}
	s.reply(id, object{"value": "allow it"})
	s.await(object{"type": "tool_execution_end", "isError": false})
	s.await(object{"type": "agent_settled"})
	s.end(0)
}
