package control_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// twoBranches has a question with two branches below it: an answer with tools and
// an image, and one that is stood at.
var twoBranches = []string{
	exampleLines[0],
	user("A", "", "ask A"),
	`{"type":"message","id":"B","parentId":"A","timestamp":"2026-03-01T09:00:00.000Z","message":{"role":"assistant","content":[{"type":"thinking","thinking":"secret"},{"type":"text","text":"let me see"},{"type":"toolCall","id":"c1","name":"read","arguments":{"path":"a.png"}}],"api":"x","provider":"scripted","model":"one","usage":{"input":5,"output":5,"cacheRead":0,"cacheWrite":0,"totalTokens":10,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0.5}},"stopReason":"toolUse","timestamp":1}}`,
	`{"type":"message","id":"R","parentId":"B","timestamp":"2026-03-01T09:00:00.000Z","message":{"role":"toolResult","toolCallId":"c1","toolName":"read","content":[{"type":"text","text":"a picture"},{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"}],"isError":false,"timestamp":1}}`,
	assistant("C", "R", "it is a cat"),
	`{"type":"message","id":"S","parentId":"C","timestamp":"2026-03-01T09:00:00.000Z","message":{"role":"bashExecution","command":"pass","output":"hunter2","exitCode":0,"cancelled":false,"truncated":false,"excludeFromContext":true,"timestamp":1}}`,
	`{"type":"label","id":"M","parentId":"S","timestamp":"2026-03-01T09:00:00.000Z","targetId":"C","label":"cat"}`,
	assistant("Z", "A", "I do not know"),
}

func (f *front) take(c protocol.Take) protocol.Taken {
	f.t.Helper()
	got, err := protocol.Call(f.t.Context(), f, c)
	if err != nil {
		f.t.Fatal(err)
	}
	f.until("what was taken", func() bool { return f.view.Leaf == got.Leaf })
	return got
}

func TestTake(t *testing.T) {
	for _, tt := range []struct {
		name string
		c    protocol.Take
		from string // the entries that are taken
		want []string
	}{
		{"the answer", protocol.Take{What: protocol.TakeAnswer, Entries: []session.ID{"C"}}, "C", []string{"custom: From another branch of this conversation, the assistant:\n\nit is a cat"}},
		{"the answer to a question", protocol.Take{What: protocol.TakeAnswer, Entries: []session.ID{"R"}}, "C", []string{"custom: From another branch of this conversation, the assistant:\n\nit is a cat"}},
		{"the answer after a call", protocol.Take{What: protocol.TakeAnswer, Entries: []session.ID{"B"}}, "C", []string{"custom: From another branch of this conversation, the assistant:\n\nit is a cat"}},
		{"a remark with calls", protocol.Take{What: protocol.TakeEntries, Entries: []session.ID{"B"}}, "B", []string{"custom: From another branch of this conversation, the assistant:\n\nlet me see\n\n(called read with {\"path\":\"a.png\"})"}},
		{"entries", protocol.Take{What: protocol.TakeEntries, Entries: []session.ID{"C", "R", "C"}}, "C R", []string{
			"custom: From another branch of this conversation, the assistant:\n\nit is a cat",
			"custom: From another branch of this conversation, the tool read:\n\na picture"}},
		{"a range", protocol.Take{What: protocol.TakeEntries, Entries: []session.ID{"A"}, To: "M"}, "B R C", []string{
			"custom: From another branch of this conversation, the assistant:\n\nlet me see\n\n(called read with {\"path\":\"a.png\"})",
			"custom: From another branch of this conversation, the tool read:\n\na picture",
			"custom: From another branch of this conversation, the assistant:\n\nit is a cat"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, summaryRule)
			path := w.file(twoBranches...)
			f := w.connect(control.Start{Open: path})
			got := f.take(tt.c)
			f.wantTalk(append([]string{"user: ask A", "assistant: I do not know"}, tt.want...)...)
			var from []string
			for _, id := range got.From {
				from = append(from, string(id))
			}
			if strings.Join(from, " ") != tt.from || got.Old != "Z" || len(got.Entries) != len(tt.want) {
				t.Errorf("%+v", got)
			}
			body, err := f.view.Tree.Get(got.Leaf).Body()
			if err != nil {
				t.Fatal(err)
			}
			record := body.(session.Custom)
			var data struct {
				V             int
				What          string
				From, Entries []session.ID
			}
			if err := json.Unmarshal(record.Data, &data); err != nil || record.CustomType != "bough.take" || data.V != 1 || data.What != string(tt.c.What) || !slices.Equal(data.From, got.From) || !slices.Equal(data.Entries, got.Entries) {
				t.Errorf("record %s: %v", record.Data, err)
			}
			st, err := protocol.Call(t.Context(), f, protocol.GetStats{})
			if err != nil || st.Cost != 0.5 {
				t.Errorf("cost %v, %v; it is counted twice", st.Cost, err)
			}
			f.say("well?") // which every family has to accept
			last := w.witness.requests()[0]
			images := strings.Count(strings.Join(last, "\n"), "iVBORw0KGgo=")
			if want := strings.Count(tt.from, "R"); images != want {
				t.Errorf("%d images in the request, want %d", images, want)
			}
			for _, bad := range []string{"hunter2", "secret"} {
				if strings.Contains(strings.Join(last, "\n"), bad) {
					t.Errorf("the request has %q", bad)
				}
			}
			if n, err := protocol.Call(t.Context(), f, protocol.Back{}); err != nil || n.Leaf != "Z" {
				t.Errorf("back: %+v, %v", n, err)
			}
		})
	}
}

func TestTakeASummary(t *testing.T) {
	w := newWorld(t, summaryRule)
	f := w.connect(control.Start{Open: w.file(twoBranches...)})
	got := f.take(protocol.Take{What: protocol.TakeSummary, Entries: []session.ID{"M"}, Instructions: "the animal"})
	asked := w.witness.requests()[0][1]
	if !strings.Contains(asked, "let me see") || !strings.Contains(asked, "it is a cat") || strings.Contains(asked, "ask A") || strings.Contains(asked, "do not know") || !strings.Contains(asked, "above all: the animal") {
		t.Errorf("asked %s", asked)
	}
	body, err := f.view.Tree.Get(got.Entries[0]).Body()
	if err != nil {
		t.Fatal(err)
	}
	if b := body.(session.BranchSummary); b.From != "M" || f.view.Tree.Get(got.Entries[0]).Parent != "Z" || b.Usage.Output != 7 {
		t.Errorf("%+v", b)
	}
	f.until("the end", func() bool { return slices.Contains(f.events, "BranchSummaryEnded") })
	if events, _ := f.between(0); !strings.HasSuffix(strings.Join(events, " "), "BranchSummaryStarted +branch_summary +custom BranchSummaryEnded") {
		t.Errorf("events %v", events)
	}
	f.say("well?")
	if n, err := protocol.Call(t.Context(), f, protocol.Back{}); err != nil || n.Leaf != "Z" {
		t.Errorf("back: %+v, %v", n, err)
	}
}

func TestWhatCannotBeTaken(t *testing.T) {
	w := newWorld(t, summaryRule)
	path := w.file(append(slices.Clone(twoBranches), user("Q", "A", "and?"), user("Y", "Z", "go on"))...)
	before, _ := os.ReadFile(path)
	f := w.connect(control.Start{Open: path})
	for _, tt := range []struct {
		c   protocol.Take
		err string
	}{
		{protocol.Take{}, "which entry"},
		{protocol.Take{What: protocol.TakeAnswer, Entries: []session.ID{"nope"}}, "Entry not found: nope"},
		{protocol.Take{What: protocol.TakeAnswer, Entries: []session.ID{""}}, "which entry"},
		{protocol.Take{What: "everything", Entries: []session.ID{"C"}}, "answer, summary or entries"},
		{protocol.Take{What: protocol.TakeAnswer, Entries: []session.ID{"B", "C"}}, "of one entry"},
		{protocol.Take{What: protocol.TakeSummary, Entries: []session.ID{"B"}, To: "C"}, "of one entry"},
		{protocol.Take{What: protocol.TakeAnswer, Entries: []session.ID{"Q"}}, "no answer"},
		{protocol.Take{What: protocol.TakeAnswer, Entries: []session.ID{"Z"}}, "sees that here already"},
		{protocol.Take{What: protocol.TakeEntries, Entries: []session.ID{"M"}}, "says nothing"},
		{protocol.Take{What: protocol.TakeEntries, Entries: []session.ID{"S"}}, "that a model may hear"},
		{protocol.Take{What: protocol.TakeEntries, Entries: []session.ID{"C"}, To: "B"}, "not on the way to its end"},
		{protocol.Take{What: protocol.TakeEntries, Entries: []session.ID{"A"}, To: "Z"}, "nothing in that range"},
		{protocol.Take{What: protocol.TakeSummary, Entries: []session.ID{"Z"}}, "no other branch"},
	} {
		_, err := protocol.Call(t.Context(), f, tt.c)
		if err == nil || !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%+v: %v, want %q", tt.c, err, tt.err)
		}
	}
	if after, _ := os.ReadFile(path); string(before) != string(after) {
		t.Errorf("the file has grown: %s", after[len(before):])
	}
}

// What is hidden at the leaf can be taken back as another message.
func TestWhatIsHiddenCanBeTaken(t *testing.T) {
	w := newWorld(t, summaryRule)
	f := w.connect(control.Start{Open: w.file(twoBranches...)})
	if _, err := protocol.Call(t.Context(), f, protocol.Hide{Entry: "Z"}); err != nil {
		t.Fatal(err)
	}
	f.take(protocol.Take{What: protocol.TakeEntries, Entries: []session.ID{"Z"}})
	f.wantTalk("user: ask A", "custom: From another branch of this conversation, the assistant:\n\nI do not know")
}
