package chat

import (
	"fmt"
	"strings"
	"testing"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/provider"
)

func BenchmarkBody(b *testing.B) {
	var all []message.Message
	for i := range 1000 {
		for _, raw := range []string{
			fmt.Sprintf(`{"role":"assistant","content":[{"type":"text","text":"ok"},{"type":"toolCall","id":"c%d","name":"read","arguments":{"path":"a"}}],"api":"openai-completions","provider":"p","model":"m","stopReason":"toolUse"}`, i),
			fmt.Sprintf(`{"role":"toolResult","toolCallId":"c%d","toolName":"read","content":[{"type":"text","text":"%s"}],"isError":false}`, i, strings.Repeat(`line of \"code\" {}\n`, 500)),
		} {
			m, err := message.Decode([]byte(raw))
			if err != nil {
				b.Fatal(err)
			}
			all = append(all, m)
		}
	}
	b.SetBytes(int64(len(bodyOf(plain, provider.Request{Messages: all}))))
	b.ReportAllocs()
	for b.Loop() {
		bodyOf(plain, provider.Request{Messages: all})
	}
}
