package protocol_test

import (
	"testing"
	"time"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
)

// The records of pi's RPC (docs/spec/rpc.md 6).
func TestRecordsOfSummaries(t *testing.T) {
	result := protocol.Compacted{Entry: "c", Summary: "so \"far\"", FirstKept: "a", TokensBefore: 180000, TokensAfter: 21000, Messages: 7,
		Usage: &message.Usage{Input: 5, TotalTokens: 5}, Details: message.Value(`{"readFiles":["a.go"],"modifiedFiles":[]}`)}
	usage := string(result.Usage.JSON())
	for _, tt := range []struct {
		ev   protocol.Event
		want string
	}{
		{protocol.CompactionStarted{Reason: protocol.OverLimit}, `{"type":"compaction_start","reason":"threshold"}`},
		{protocol.CompactionEnded{Reason: protocol.Manual, Result: &result},
			`{"type":"compaction_end","reason":"manual","result":{"summary":"so \"far\"","firstKeptEntryId":"a","tokensBefore":180000,"estimatedTokensAfter":21000,"usage":` + usage + `,"details":{"readFiles":["a.go"],"modifiedFiles":[]}},"aborted":false,"willRetry":false}`},
		{protocol.CompactionEnded{Reason: protocol.OverflowedBy, WillRetry: true, Result: &protocol.Compacted{}},
			`{"type":"compaction_end","reason":"overflow","result":{"summary":"","firstKeptEntryId":"","tokensBefore":0,"estimatedTokensAfter":0},"aborted":false,"willRetry":true}`},
		{protocol.CompactionEnded{Reason: protocol.OverLimit, Error: "Summarization failed: no"}, `{"type":"compaction_end","reason":"threshold","aborted":false,"willRetry":false,"errorMessage":"Summarization failed: no"}`},
		{protocol.CompactionEnded{Reason: protocol.Manual, Aborted: true}, `{"type":"compaction_end","reason":"manual","aborted":true,"willRetry":false}`},
		{protocol.SummaryRetryScheduled{Attempt: 1, Max: 3, Delay: 2 * time.Second, Error: "busy"}, `{"type":"summarization_retry_scheduled","attempt":1,"maxAttempts":3,"delayMs":2000,"errorMessage":"busy"}`},
		{protocol.SummaryRetryStarted{Source: "compaction", Reason: protocol.Manual}, `{"type":"summarization_retry_attempt_start","source":"compaction","reason":"manual"}`},
		{protocol.SummaryRetryStarted{Source: "branchSummary"}, `{"type":"summarization_retry_attempt_start","source":"branchSummary"}`},
		{protocol.SummaryRetryEnded{}, `{"type":"summarization_retry_finished"}`},
	} {
		var w protocol.Wire
		got := w.Records(tt.ev)
		if len(got) != 1 || string(got[0]) != tt.want {
			t.Errorf("%+v: %s\nwant %s", tt.ev, got, tt.want)
		}
	}
}
