package protocol

import (
	"reflect"
	"strings"
	"testing"

	"github.com/boughdev/bough/message"
)

func TestMerge(t *testing.T) {
	text := func(i int, s string) Event {
		return Delta{Delta: message.Delta{Kind: message.TextDelta, Index: i, Text: s}}
	}
	long := strings.Repeat("x", mergedMost+1)
	for _, tt := range []struct {
		name      string
		a, b, sum Event
	}{
		{"deltas of one block", text(0, "a"), text(0, "b"), text(0, "ab")},
		{"deltas of two blocks", text(0, "a"), text(1, "b"), nil},
		{"an end of a block", text(0, "a"), Delta{Delta: message.Delta{Kind: message.TextEnd}}, nil},
		{"a text that is long already", text(0, long), text(0, "b"), nil},
		{"output of one call", ToolProgress{CallID: "c", Tool: "a"}, ToolProgress{CallID: "c", Tool: "b"}, ToolProgress{CallID: "c", Tool: "b"}},
		{"output of two calls", ToolProgress{CallID: "c"}, ToolProgress{CallID: "d"}, nil},
		{"output of one command", BashOutput{ID: RawID("1"), Delta: "a"}, BashOutput{ID: RawID("1"), Delta: "b"}, BashOutput{ID: RawID("1"), Delta: "ab"}},
		{"output of commands without ids", BashOutput{Delta: "a"}, BashOutput{Delta: "b"}, BashOutput{Delta: "ab"}},
		{"output of two commands", BashOutput{ID: RawID("1"), Delta: "a"}, BashOutput{ID: "1", Delta: "b"}, nil},
		{"ids that cannot be compared", BashOutput{ID: map[string]any{}}, BashOutput{ID: map[string]any{}}, nil},
		{"facts", TurnStarted{}, TurnStarted{}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sum, ok := Merge(tt.a, tt.b)
			if ok != (tt.sum != nil) || ok && !reflect.DeepEqual(sum, tt.sum) {
				t.Errorf("%+v, %v", sum, ok)
			}
		})
	}
}
