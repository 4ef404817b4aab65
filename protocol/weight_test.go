package protocol

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
)

// What is long in an event is in its weight, whatever event it is: who bounds what
// waits for a reader goes by that.
func TestWeight(t *testing.T) {
	const n = 100_000
	long := strings.Repeat("x", n)
	said := message.Message{Role: message.Assistant, Content: []message.Block{message.Text(long)}}
	line := []byte(`{"type":"custom","id":"a","parentId":null,"customType":"x","data":"` + long + `"}`)
	entry, err := session.Decode(line, session.Line{Seq: 1, Size: len(line)}, session.Bytes(line))
	if err != nil {
		t.Fatal(err)
	}
	args := json.RawMessage(`"` + long + `"`)
	out := message.Output{Content: []message.Block{message.Text(long)}}
	image := message.Output{Content: []message.Block{{Type: message.ImageBlock, Data: long}}}
	for _, ev := range []Event{
		Appended{Entry: entry}, State{Answer: &said}, State{Tools: []ToolStarted{{Args: args}}}, AnswerStarted{Message: said},
		Delta{Delta: message.Delta{Text: long}}, Delta{Delta: message.Delta{Block: &message.Block{Arguments: args}}},
		TurnEnded{Answer: said}, TurnEnded{Results: []message.Message{said}}, LoopEnded{Messages: []message.Message{said}},
		ToolStarted{Args: args}, ToolProgress{Output: out}, ToolEnded{Output: out}, ToolEnded{Output: image}, ToolEnded{Output: message.Output{Details: args}},
		BashOutput{Delta: long}, QueueChanged{Queue{Items: []Waiting{{Text: long}}}}, Notice{Text: long},
		Asked{Text: long}, Asked{About: &AskedCall{Diff: long}}, CompactionEnded{Result: &Compacted{Summary: long}},
	} {
		if got := Weight(ev); got < n || got > 3*n {
			t.Errorf("%s weighs %d, want about %d", reflect.TypeOf(ev), got, n)
		}
	}
	for _, ev := range events() {
		if _, ok := ev.(Appended); ok {
			continue // has an entry
		}
		if got := Weight(ev); got <= 0 || got > 1000 {
			t.Errorf("an empty %s weighs %d", reflect.TypeOf(ev), got)
		}
	}
}
