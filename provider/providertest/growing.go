package providertest

import (
	"bytes"
	"math/rand/v2"
	"slices"

	"github.com/boughdev/bough/provider"
)

// growing holds that a model which was asked before sends what a new one would:
// when the conversation has grown, has been changed, or is another one.
func growing(s *suite) {
	s.play(`[{"reply":{"text":"x"}}]`)
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 4))
		asked := s.make(s.server.URL)
		send := func(m provider.Model, req provider.Request) []byte {
			n := len(s.server.Requests())
			for range m.Stream(s.Context(), req) { // whatever the answer is
			}
			all := s.server.Requests()
			if len(all) != n+1 {
				s.Fatalf("seed %d: %d requests", seed, len(all)-n)
			}
			return all[n].Body
		}
		msgs := Conversation(r, s.make("http://x").Info())
		for n := 0; n < len(msgs); {
			n = min(len(msgs), n+1+r.IntN(3))
			switch r.IntN(10) {
			case 0: // somewhere on the way something else is there
				msgs = slices.Clone(msgs)
				at := r.IntN(n)
				msgs[at] = msgs[at].WithField("timestamp", []byte("2"))
			case 1: // back on the way
				n = 1 + r.IntN(n)
			case 2:
				send(asked, provider.Request{Messages: msgs[:1+r.IntN(n)], NoCache: true})
			}
			req := provider.Request{Messages: msgs[:n:n], SessionID: "s"}
			got, want := send(asked, req), send(s.make(s.server.URL), req)
			if !bytes.Equal(got, want) {
				s.Fatalf("seed %d, %d messages: sent\n%s\na new model sends\n%s", seed, n, got, want)
			}
		}
	}
}
