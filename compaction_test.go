package bough_test

import (
	"context"
	"strings"
	"testing"

	"github.com/boughdev/bough"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/provider"
)

// A conversation that is too long for its model is summed up and the question
// answered, unless that is turned off.
func TestAskInALongConversation(t *testing.T) {
	for _, off := range []bool{false, true} {
		sums := 0
		a := begin(t, bough.Options{NoCompaction: off, Model: model(func(_ context.Context, req provider.Request) (message.Message, error) {
			size := 0
			for _, m := range req.Messages {
				size += len(m.Text(""))
			}
			last := req.Messages[len(req.Messages)-1].Text("")
			switch {
			case size > 400_000:
				return message.Message{}, &provider.Error{Kind: provider.Overflow, Message: "prompt is too long"}
			case strings.HasPrefix(last, "<conversation>"):
				sums++
				return says("they said many words"), nil
			}
			return says("so many: " + strings.Repeat("word ", 10000)), nil
		})})
		var err error
		for i := 0; i < 15 && err == nil; i++ {
			var m message.Message
			if m, err = a.Ask(t.Context(), "more"); err == nil && !strings.HasPrefix(m.Text(""), "so many") {
				t.Fatalf("question %d was answered with %q", i, m.Text(""))
			}
		}
		if off && provider.KindOf(err) != provider.Overflow || !off && (err != nil || sums == 0) {
			t.Errorf("compaction off: %v; %d summaries, error %v", off, sums, err)
		}
	}
}
