package control_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/internal/view"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

const goodRule = `{"rules":[
 {"when":{"user":"^hold"},"reply":{"text":"This is an answer that takes long.","at":[{"chunk":1,"do":"hold","name":"h"}]}},
 {"reply":{"text":"Good."}}]}`

// call carries out a command that must succeed.
func call[R any](f *front, cmd protocol.Command[R]) R {
	f.t.Helper()
	r, err := protocol.Call(f.t.Context(), f, cmd)
	if err != nil {
		f.t.Fatalf("%s: %v", cmd.Name(), err)
	}
	return r
}

// refused carries out a command that must fail with a code.
func refused[R any](f *front, cmd protocol.Command[R], code protocol.Code) {
	f.t.Helper()
	if r, err := protocol.Call(f.t.Context(), f, cmd); protocol.CodeOf(err) != code {
		f.t.Errorf("%+v: %+v, %v; want %s", cmd, r, err, code)
	}
}

func at(id session.ID) *session.ID { return &id }

func saying(role message.Role, text string) message.Message {
	return message.Message{Role: role, Content: []message.Block{message.Text(text)}}
}

// shown is what a front end shows now.
func (f *front) shown() view.View {
	f.mu.Lock()
	defer f.mu.Unlock()
	v := f.view
	v.Tree = v.Tree.Snapshot()
	return v
}

// hold starts a run that goes on until the script releases "h".
func (f *front) hold(w *world) {
	f.t.Helper()
	call(f, protocol.Prompt{Text: "hold"})
	if err := w.script.AwaitHold(f.t.Context(), "h"); err != nil {
		f.t.Fatal(err)
	}
}

func TestPromptAtAPlace(t *testing.T) {
	for _, tt := range []struct {
		name   string
		parent session.ID
		exact  bool
		at     session.ID // where it comes to stand
		talk   []string   // before the message
	}{
		{"behind an answer", "B", false, "B", []string{"user: ask A", "assistant: say B"}},
		{"behind a question, which gets a second one", "X", false, "X", []string{"user: ask A", "assistant: say B", "user: ask X"}},
		{"before the first entry", "", false, "", nil},
		{"between a call and its result", "F", false, "R", []string{"compactionSummary: ", "user: ask A", "assistant: say B", "user: ask C", "assistant: say D", "user: ask E", "assistant: say F -> edit", "toolResult: done R"}},
		{"exactly between a call and its result", "F", true, "F", []string{"compactionSummary: ", "user: ask A", "assistant: say B", "user: ask C", "assistant: say D", "user: ask E", "assistant: say F -> edit"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, goodRule)
			f := w.connect(control.Start{Open: w.file(exampleLines...)})
			r := call(f, protocol.PromptAt{Parent: tt.parent, Text: "again", Exact: tt.exact})
			if r.Disposition != protocol.Started || r.Entry == "" {
				t.Fatalf("%+v", r)
			}
			f.until("the end", func() bool { return f.ends() == 1 })
			f.wantTalk(append(tt.talk, "user: again", "assistant: Good.")...)
			v := f.shown()
			if e := v.Tree.Get(r.Entry); e == nil || e.Role != message.User {
				t.Errorf("entry %s is %+v", r.Entry, e)
			} else if above := v.Tree.Parent(e.ID); above == nil || above.Role != message.System {
				t.Errorf("the prompt was never said there: above stands %+v", above) // the file has none
			}
			way := v.Path()
			i := 0
			for i < len(way) && tt.at != "" && way[i].ID != tt.at {
				i++
			}
			if tt.at != "" && i == len(way) {
				t.Errorf("%s is not on the way", tt.at)
			}
			if moved := f.noticed("Moved on to R"); moved != (tt.parent == "F" && !tt.exact) {
				t.Errorf("told of another place: %v", moved)
			}
			// Back leads to where one was, forward to the place.
			if n := call(f, protocol.Back{}); n.Leaf != "L" {
				t.Errorf("back leads to %s", n.Leaf)
			}
		})
	}
}

func TestPromptAtIsRefused(t *testing.T) {
	w := newWorld(t, goodRule)
	f := w.connect(control.Start{Open: w.file(exampleLines...)})
	refused(f, protocol.PromptAt{Parent: "nope", Text: "x"}, protocol.UnknownEntry)
	refused(f, protocol.PromptAt{Parent: "B"}, protocol.BadRequest)
	f.hold(w)
	refused(f, protocol.PromptAt{Parent: "B", Text: "x"}, protocol.Busy)
	refused(f, protocol.Retry{Entry: at("X")}, protocol.Busy)
	w.script.Release("h")
	f.until("the end", func() bool { return f.ends() == 1 })
	if st := call(f, protocol.GetState{}); st.Leaf == "B" || st.Running {
		t.Errorf("%+v", st)
	}
}

func TestARunFromAnEntry(t *testing.T) {
	w := newWorld(t, goodRule)
	f := w.connect(control.Start{Open: w.file(exampleLines...)})
	refused(f, protocol.Retry{Entry: at("B")}, protocol.NotRunnable)
	refused(f, protocol.Retry{Entry: at("")}, protocol.NotRunnable)
	refused(f, protocol.Retry{Entry: at("nope")}, protocol.UnknownEntry)
	if st := call(f, protocol.GetState{}); st.Leaf != "L" {
		t.Fatalf("what was refused has moved the leaf to %s", st.Leaf)
	}
	call(f, protocol.Retry{Entry: at("X")})
	f.until("the end", func() bool { return f.ends() == 1 })
	f.wantTalk("user: ask A", "assistant: say B", "user: ask X", "assistant: Good.")
	call(f, protocol.Retry{Entry: at("F")}) // which moves on to the result
	f.until("the end", func() bool { return f.ends() == 2 })
	if talk := f.talk(); strings.Join(talk[len(talk)-2:], "|") != "toolResult: done R|assistant: Good." {
		t.Errorf("%v", talk)
	}
}

func TestMessagesAreAdded(t *testing.T) {
	w := newWorld(t, goodRule)
	path := w.file(exampleLines...)
	f := w.connect(control.Start{Open: path, Who: "rpc"})
	said := message.Message{Role: message.Assistant, API: "x", Provider: "p", Model: "m", Content: []message.Block{message.Text("imported")}}
	a := call(f, protocol.Append{Parent: at("X"), Message: said})
	if a.Leaf != a.Entry {
		t.Errorf("%+v", a)
	}
	b := call(f, protocol.Append{Message: saying(message.User, "and more"), Stay: true})
	if b.Leaf != a.Entry || b.Entry == "" {
		t.Errorf("%+v", b)
	}
	c := call(f, protocol.Append{Parent: at(""), Message: saying("", "hint"), Custom: "mine", Display: true, Details: []byte("{\n\"a\": [1,\n2]}"), Stay: true})
	f.until("all of it", func() bool { return f.view.Tree.Has(c.Entry) })
	f.wantTalk("user: ask A", "assistant: say B", "user: ask X", "assistant: imported")
	if n := f.ends(); n != 0 {
		t.Errorf("%d runs", n)
	}
	v := f.shown()
	if got := v.Tree.Get(b.Entry).Parent; got != a.Entry {
		t.Errorf("the message hangs on %s, want %s", got, a.Entry)
	}
	custom, _ := v.Tree.Get(c.Entry).Body()
	if x, ok := custom.(session.CustomMessage); !ok || x.CustomType != "mine" || !x.Display || string(x.Details) != `{"a":[1,2]}` || v.Tree.Get(c.Entry).Parent != "" {
		t.Errorf("%+v", custom)
	}
	whole, _ := v.Tree.Get(a.Entry).Body()
	if m := whole.(session.Message).Message; m.Usage == nil || m.StopReason != message.Stop || m.Timestamp == 0 {
		t.Errorf("%s", m.JSON())
	}
	f.Close()
	again := w.connect(control.Start{Open: path})
	if v = again.shown(); v.Leaf != a.Entry {
		t.Errorf("the session stands at %s, want %s", v.Leaf, a.Entry)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := v.Tree.BadLines(); n != 0 {
		t.Errorf("%d damaged lines in\n%s", n, data)
	}
}

func TestWhatIsNoMessageIsNotAdded(t *testing.T) {
	w := newWorld(t, goodRule)
	path := w.file(exampleLines...)
	f := w.connect(control.Start{Open: path})
	had, _ := os.ReadFile(path)
	calls := message.Message{Role: message.Assistant, API: "x", Provider: "p", Model: "m", Content: []message.Block{message.ToolCall("c", "read", []byte("{}"))}}
	ended := calls
	ended.Content, ended.StopReason = []message.Block{message.Text("x")}, message.ToolUse
	early, late := saying(message.User, "x"), saying(message.User, "x")
	early.Timestamp, late.Timestamp = -1, 1<<62
	for name, c := range map[string]protocol.Append{
		"no words":               {Message: message.Message{Role: message.User}},
		"an empty text":          {Message: saying(message.User, "")},
		"no role":                {Message: saying("", "x")},
		"a result of a tool":     {Message: saying(message.ToolResult, "x")},
		"instructions":           {Message: saying(message.System, "x")},
		"nobody said it":         {Message: saying(message.Assistant, "x")},
		"calls of tools":         {Message: calls},
		"it ended with calls":    {Message: ended},
		"a time before all time": {Message: early},
		"a time after all time":  {Message: late},
		"a text that is none":    {Message: message.Message{Role: message.User, Content: message.DecodeContent([]byte(`[{"type":"text","text":7}]`))}},
		"an image that is none":  {Message: message.Message{Role: message.User, Content: message.DecodeContent([]byte(`[{"type":"image","data":"","mimeType":"image/png"}]`))}},
		"thoughts of a user":     {Message: message.Message{Role: message.User, Content: []message.Block{message.Thinking("x", "")}}},
		"an unknown block":       {Message: message.Message{Role: message.User, Content: message.DecodeContent([]byte(`[{"type":"hologram"}]`))}},
		"a block that is none":   {Message: message.Message{Role: message.User, Content: message.DecodeContent([]byte(`[7]`))}},
		"details that are none":  {Message: saying("", "x"), Custom: "c", Details: []byte(`{"a":`)},
	} {
		t.Run(name, func(t *testing.T) { f.t = t; refused(f, c, protocol.BadRequest) })
	}
	f.t = t
	refused(f, protocol.Append{Parent: at("nope"), Message: saying(message.User, "x")}, protocol.UnknownEntry)
	if has, _ := os.ReadFile(path); string(has) != string(had) {
		t.Errorf("the file has changed:\n%s", has)
	}
}

func TestMessagesAreAddedDuringARun(t *testing.T) {
	w := newWorld(t, goodRule)
	path := w.file(exampleLines...)
	f := w.connect(control.Start{Open: path})
	f.hold(w)
	refused(f, protocol.Append{Message: saying(message.User, "x")}, protocol.Busy)
	refused(f, protocol.Append{Parent: at("D"), Message: saying(message.User, "x")}, protocol.Busy)
	refused(f, protocol.Append{Parent: at(""), Message: saying(message.User, "x")}, protocol.Busy)
	running := call(f, protocol.GetState{}).Leaf
	off := call(f, protocol.Append{Parent: at("X"), Message: saying(message.User, "beside")})
	stay := call(f, protocol.Append{Parent: at("D"), Message: saying(message.User, "beside too"), Stay: true})
	if off.Leaf != running || stay.Leaf != running {
		t.Errorf("the run stands at %s; %+v, %+v", running, off, stay)
	}
	label := call(f, protocol.SetLabel{Entry: "X", Text: "while it runs"})
	w.script.Release("h")
	f.until("the end", func() bool { return f.ends() == 1 })
	talk := f.talk()
	if got := strings.Join(talk[len(talk)-2:], "|"); got != "user: hold|assistant: This is an answer that takes long." {
		t.Errorf("%v", talk)
	}
	onWay := false
	v := f.shown()
	for _, e := range v.Path() {
		onWay = onWay || e.ID == label
	}
	if !onWay || v.Tree.Get(off.Entry).Parent != "X" || v.Tree.Get(stay.Entry).Parent != "D" {
		t.Errorf("label on the way: %v; %+v, %+v", onWay, v.Tree.Get(off.Entry), v.Tree.Get(stay.Entry))
	}
}

// authors returns a function that says in whose name things were done up to a
// sync.
func authors(t *testing.T, c protocol.Client) func(sync string) []string {
	t.Helper()
	events := make(chan protocol.Event, 1000)
	ctx := t.Context()
	go func() {
		defer close(events)
		for ev, err := range c.Watch(ctx, 0) {
			if err != nil {
				return
			}
			events <- ev
		}
	}()
	for ev := range events {
		if _, ok := ev.(protocol.State); ok {
			break
		}
	}
	return func(sync string) []string {
		if _, err := protocol.Call(ctx, c, protocol.Sync{ID: sync}); err != nil {
			t.Fatal(err)
		}
		var got []string
		for ev := range events {
			switch e := ev.(type) {
			case protocol.RunStarted:
				got = append(got, "run "+e.By)
			case protocol.LeafMoved:
				got = append(got, "move "+e.By)
			case protocol.Appended:
				what := string(e.Entry.Role)
				if what == "" {
					what = string(e.Entry.Type)
				}
				if !strings.HasSuffix(what, "_change") && what != "system" && !e.Entry.IsLeafMarker() {
					got = append(got, what+" "+e.By)
				}
			case protocol.Synced:
				return got
			}
		}
		return got
	}
}

func TestInWhoseNameThingsAreDone(t *testing.T) {
	w := newWorld(t, goodRule)
	path := w.file(exampleLines...)
	web := w.connect(control.Start{Open: path, Who: "web"})
	repl := w.connect(control.Start{Open: path, Who: "repl"})
	nobody := w.connect(control.Start{Open: path})
	seen := authors(t, repl)
	web.hold(w)
	call(repl, protocol.SetLabel{Entry: "B", Text: "mine"})
	call(nobody, protocol.SetLabel{Entry: "B", Text: ""})
	call(repl, protocol.FollowUp{Text: "and then"})
	w.script.Release("h")
	web.until("the end", func() bool { return web.ends() == 1 })
	call(repl, protocol.Navigate{Target: "D"})
	call(nobody, protocol.Navigate{Target: "B"})
	call(web, protocol.PromptAt{Parent: "X", Text: "there"})
	web.until("the end", func() bool { return web.ends() == 2 })
	call(repl, protocol.Append{Message: saying(message.User, "added"), Stay: true})
	want := "[run web user web label repl label  assistant web user repl assistant web move repl move  move web run web user web assistant web user repl]"
	if got := fmt.Sprint(seen("here")); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
