package protocol_test

import (
	"testing"

	"github.com/boughdev/bough/protocol"
)

func TestRecordsOfMoves(t *testing.T) {
	for _, tt := range []struct {
		ev   protocol.Event
		want string
	}{
		{protocol.BranchSummaryStarted{Target: "aaaa0005"}, `{"type":"branch_summary_start","targetId":"aaaa0005"}`},
		{protocol.BranchSummaryStarted{}, `{"type":"branch_summary_start","targetId":null}`},
		{protocol.BranchSummaryEnded{Target: "aaaa0005", Entry: "c2c2c2c2"}, `{"type":"branch_summary_end","targetId":"aaaa0005","entryId":"c2c2c2c2","aborted":false}`},
		{protocol.BranchSummaryEnded{Target: "a", Aborted: true}, `{"type":"branch_summary_end","targetId":"a","aborted":true}`},
		{protocol.BranchSummaryEnded{Target: "a", Error: "too \"long\""}, `{"type":"branch_summary_end","targetId":"a","aborted":false,"errorMessage":"too \"long\""}`},
		{protocol.LeafMoved{Old: "b3b3b3b3", New: ""}, `{"type":"leaf_changed","leafId":null,"oldLeafId":"b3b3b3b3","reason":"navigate"}`},
	} {
		ours := protocol.Wire{Ours: true}
		got := ours.Records(tt.ev)
		if len(got) != 1 || string(got[0]) != tt.want {
			t.Errorf("%+v is %s, want %s", tt.ev, got, tt.want)
		}
		if plain := new(protocol.Wire).Records(tt.ev); plain != nil {
			t.Errorf("pi's stream has %s", plain)
		}
	}
}
