package acp

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/boughdev/bough/protocol"
)

// Whatever comes, what goes out are messages, and at most one for a line.
func FuzzLine(f *testing.F) {
	for _, l := range []string{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}`, `{"id":"a","method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"x"}]}}`,
		`{"method":"session/cancel","params":{"sessionId":"s"}}`, `{"method":"$/cancel_request","params":{"requestId":1}}`, `{"id":1,"result":{}}`, `{"id":1,"error":{"code":1,"message":"x"}}`,
		`{"id":1,"method":"session/set_config_option","params":{"sessionId":"s","configId":"mode","value":"x"}}`, `{"id":2,"method":"session/fork","params":{"sessionId":"s","cwd":"/","mcpServers":[{"name":"x","type":"http"}]}}`, `null`, `[]`, `{`, ``, `{"id":{},"method":"x"}`} {
		f.Add([]byte(l))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		if line = bytes.TrimSpace(line); len(line) == 0 || bytes.ContainsRune(line, '\n') {
			return
		}
		var out bytes.Buffer
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		a := &agent{ctx: ctx, o: Options{Door: closedDoor{}}, sessions: map[sdk.SessionId]*live{}}
		a.conn = newConn(&out, func(error) {})
		a.conn.methods = a.methods()
		a.conn.take(ctx, line)
		a.conn.work.Wait()
		if bytes.Count(out.Bytes(), []byte("\n")) > 1 {
			t.Errorf("%q is answered with %q", line, out.Bytes())
		}
		for l := range bytes.Lines(out.Bytes()) {
			var e envelope
			if err := json.Unmarshal(l, &e); err != nil || e.JSONRPC != "2.0" || len(e.ID) == 0 {
				t.Errorf("%q is answered with %q: %v", line, l, err)
			}
		}
	})
}

// closedDoor opens nothing.
type closedDoor struct{}

func (closedDoor) Open(context.Context, protocol.Open) (protocol.Client, func(), error) {
	return nil, nil, protocol.Fail(protocol.UnknownSession, "There is no session.")
}
