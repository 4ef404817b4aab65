package acp_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/internal/frontend/acp"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

// heard is what the session has of the last prompt.
func (w *world) heard(id sdk.SessionId) message.Message {
	w.t.Helper()
	s, err := session.Open(w.t.Context(), w.store, string(id))
	if err != nil {
		w.t.Fatal(err)
	}
	defer s.Close()
	var last message.Message
	for _, e := range s.Tree().Path(s.Tree().Leaf()) {
		if b, err := e.Body(); err == nil && e.Role == message.User {
			last = b.(session.Message).Message
		}
	}
	return last
}

func TestPromptContent(t *testing.T) {
	w := newWorld(t, `[{"reply":{"text":"Yes."}}]`)
	w.write("saved.txt", "on disk")
	attach := func(_ context.Context, path string) (string, *message.Block, error) {
		if filepath.Base(path) != "saved.txt" {
			return "", nil, errors.New("a folder")
		}
		return "<file saved.txt>", nil, nil
	}
	e := w.editor(lending(true, false), func(_ *editor, o *acp.Options) { o.Attach = attach })
	open := filepath.Join(w.dir, "open <1>.txt")
	e.buffers[open] = "not saved"
	id := e.new(w.dir)
	uri := func(path string) string {
		return "file://" + strings.NewReplacer(" ", "%20", "<", "%3C", ">", "%3E").Replace(path)
	}
	res := func(r sdk.EmbeddedResourceResource) sdk.ContentBlock { return sdk.ResourceBlock(r) }
	for _, tt := range []struct {
		name   string
		blocks []sdk.ContentBlock
		want   string
		images int
	}{
		{"texts are joined", []sdk.ContentBlock{sdk.TextBlock("a "), sdk.TextBlock("b")}, "a b", 0},
		{"an image", []sdk.ContentBlock{sdk.TextBlock("see"), sdk.ImageBlock(pixel, "image/png")}, "see", 1},
		{"an image alone", []sdk.ContentBlock{sdk.ImageBlock(pixel, "image/png")}, "", 1},
		{"a link to a file that is open", []sdk.ContentBlock{sdk.TextBlock("look at "), sdk.ResourceLinkBlock("open", uri(open)), sdk.TextBlock("!")},
			"look at @" + open + "!\n\n<file name=\"" + strings.NewReplacer("<", "&lt;", ">", "&gt;").Replace(open) + "\">\nnot saved\n</file>", 0},
		{"a link to a folder", []sdk.ContentBlock{sdk.ResourceLinkBlock("dir", "file:///srv/nowhere")}, "@/srv/nowhere", 0},
		{"a link to a page", []sdk.ContentBlock{sdk.ResourceLinkBlock("page", "https://example.com/a?b#c")}, "https://example.com/a?b#c", 0},
		{"a text that came along", []sdk.ContentBlock{sdk.TextBlock("fix "), res(sdk.EmbeddedResourceResource{TextResourceContents: &sdk.TextResourceContents{Uri: "file:///srv/a.go#L3-4", Text: "x := 1"}})},
			"fix @/srv/a.go#L3-4\n\n<file name=\"/srv/a.go#L3-4\">\nx := 1\n</file>", 0},
		{"an image that came along", []sdk.ContentBlock{res(sdk.EmbeddedResourceResource{BlobResourceContents: &sdk.BlobResourceContents{Uri: "file:///srv/a.png", Blob: pixel, MimeType: sdk.Ptr("image/png")}})},
			"@/srv/a.png\n\n<file name=\"/srv/a.png\"></file>", 1},
		{"something else that came along", []sdk.ContentBlock{res(sdk.EmbeddedResourceResource{BlobResourceContents: &sdk.BlobResourceContents{Uri: "zed:///x", Blob: "AAAA"}})},
			"@zed:///x\n\n<file name=\"zed:///x\">It is no text and is left out.</file>", 0},
		{"a path with a slash in front", []sdk.ContentBlock{sdk.TextBlock("/etc/hosts is what?")}, "/etc/hosts is what?", 0},
	} {
		if _, err := e.conn.Prompt(t.Context(), sdk.PromptRequest{SessionId: id, Prompt: tt.blocks}); err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		m, images := w.heard(id), 0
		for _, b := range m.Content {
			if b.Type == message.ImageBlock {
				images++
			}
		}
		if got := m.Text(""); got != tt.want || images != tt.images {
			t.Errorf("%s: %q and %d images, want %q and %d", tt.name, got, images, tt.want, tt.images)
		}
	}
	if _, err := e.conn.Prompt(t.Context(), sdk.PromptRequest{SessionId: id, Prompt: []sdk.ContentBlock{sdk.ResourceLinkBlock("s", uri(filepath.Join(w.dir, "saved.txt")))}}); err != nil {
		t.Fatal(err)
	}
	if got := w.heard(id).Text(""); !strings.HasSuffix(got, "\n\n<file name=\""+filepath.Join(w.dir, "saved.txt")+"\">\non disk\n</file>") {
		t.Errorf("a file that is not open: %q", got)
	}
}

// A file that is written over shows what it held.
func TestWriteOver(t *testing.T) {
	w := newWorld(t, `[{"reply":[{"toolCalls":[{"id":"w","name":"write","args":{"path":"a.txt","content":"1\n2\nthree\n4\n5\n6\n7\n8\n9\nten\n"}}]},{"text":"Yes."}]}]`)
	w.write("a.txt", "1\n3\n4\n5\n6\n7\n8\n9\n10\n11\n")
	e := w.editor()
	id := e.new(w.dir)
	e.say(id, "go")
	want := `{"1\n3\n4\n5\n6\n7\n8\n9\n10\n11\n" -> "1\n2\nthree\n4\n5\n6\n7\n8\n9\nten\n"}`
	if got := e.transcript(id); !strings.Contains(got, want) {
		t.Errorf("the editor shows\n%s\nwant %s", got, want)
	}
}

// Calls whose ids come again are told apart, now and when they are loaded.
func TestIDsThatComeAgain(t *testing.T) {
	w := newWorld(t, `[{"when":{"turn":{"max":1}},"reply":{"toolCalls":[{"id":"x","name":"ls","args":{}}]}},{"reply":{"text":"Yes."}}]`)
	e := w.editor()
	id := e.new(w.dir)
	e.say(id, "go")
	got := e.transcript(id)
	if !strings.Contains(got, "call x: ls ., read, completed") || !strings.Contains(got, "call x~2: ls ., read, completed") {
		t.Errorf("the editor shows\n%s", got)
	}
	e.mu.Lock()
	delete(e.updates, id)
	e.mu.Unlock()
	if _, err := e.conn.LoadSession(t.Context(), load(string(id), w.dir)); err != nil {
		t.Fatal(err)
	}
	if again := e.transcript(id); again != "user: go\n"+got {
		t.Errorf("loaded\n%s", again)
	}
}

// A step of another front end to another place is told, and the place counts.
func TestMovedElsewhere(t *testing.T) {
	w := newWorld(t, `[{"reply":{"text":"You said {{user}}."}}]`)
	e := w.editor()
	id := e.new(w.dir)
	e.say(id, "one")
	e.say(id, "two")
	other, err := w.hub.Connect(t.Context(), control.Start{Store: w.store, Open: string(id)})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	s, err := session.Open(t.Context(), w.store, string(id))
	if err != nil {
		t.Fatal(err)
	}
	var answers []session.ID
	for en := range s.Tree().All() {
		if en.Role == message.Assistant {
			answers = append(answers, en.ID)
		}
	}
	s.Close()
	if _, err := protocol.Call(t.Context(), other, protocol.Navigate{Target: answers[0], At: true}); err != nil {
		t.Fatal(err)
	}
	e.await(func() bool { return strings.Contains(transcript(e.updates[id]), "behind “You said one.”") })
	r, err := e.conn.UnstableForkSession(t.Context(), sdk.UnstableForkSessionRequest{SessionId: id, Cwd: w.dir, Meta: map[string]any{"bough": map[string]any{"entry": string(answers[1])}}})
	if err != nil {
		t.Fatal(err)
	}
	e.say(r.SessionId, "three")
	e.say(id, "else")
	for id, want := range map[sdk.SessionId]string{
		id:          "user: one\nagent: You said one.\nuser: else\nagent: You said else.",
		r.SessionId: "user: one\nagent: You said one.\nuser: two\nagent: You said two.\nuser: three\nagent: You said three.",
	} {
		e.mu.Lock()
		delete(e.updates, id)
		e.mu.Unlock()
		if _, err := e.conn.LoadSession(t.Context(), load(string(id), w.dir)); err != nil {
			t.Fatal(err)
		}
		if got := e.transcript(id); got != want {
			t.Errorf("loaded\n%s\nwant\n%s", got, want)
		}
	}
}

// Commands are carried out where the session is, and mistyped ones are held back.
func TestCommands(t *testing.T) {
	w := newWorld(t, `[{"reply":[{"text":"Once."},{"text":"Twice."}]}]`)
	var lines []string
	e := w.editor(func(_ *editor, o *acp.Options) {
		o.Command = func(_ context.Context, _ protocol.Client, line string) (string, error) {
			lines = append(lines, line)
			return "first\nsecond\n", nil
		}
	})
	id := e.new(w.dir)
	e.say(id, "hello")
	e.say(id, "/tree --all")
	e.say(id, "/brnch 1")
	e.say(id, "/new")
	e.say(id, "/retry")
	want := "agent: Once.```\nfirst\nsecond\n```Unknown command /brnch. Did you mean /branch? With a blank in front it is said to the model.\n" +
		"/new is no command here. The editor begins sessions.Twice."
	if got := strings.ReplaceAll(e.transcript(id), "model./new", "model.\n/new"); got != want {
		t.Errorf("the editor shows\n%s\nwant\n%s", got, want)
	}
	if len(lines) != 1 || lines[0] != "/tree --all" {
		t.Errorf("commands %q", lines)
	}
}
