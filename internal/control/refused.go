package control

import (
	"fmt"
	"slices"
	"strings"

	"github.com/boughdev/bough/internal/agent"
	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/session"
)

// omitted is something that a server refused: requests to the model go without
// it. It holds for what stands on the path up to an entry; what is said later
// may have such content again.
type omitted struct {
	provider.Omission
	by, model string
	upto      session.ID
}

// refused finds out whether the last answer failed because the server refuses
// something that the request can be without. Each kind is left out once for an
// answer, so that this comes to an end. Owner's.
func (r *run) refused(last *agent.Turn) bool {
	s := r.s
	e := errorOf(last.Err)
	if e == nil || e.Fault == "" || len(r.from) == 0 {
		return false
	}
	o, ok := e.Omission(r.sent)
	if !ok || slices.ContainsFunc(r.trying, func(t omitted) bool { return t.Omission == o }) || len(r.trying) > 8 {
		return false
	}
	info := s.model.Info()
	r.trying = append(r.trying, omitted{o, info.Provider, info.ID, r.from[len(r.from)-1].ID})
	n := protocol.Notice{Level: "warning", Text: fmt.Sprintf("The server refused the request: %s Trying once more without %s.", said(e), o)}
	if i := e.Suspect(r.sent.Messages); i >= 0 && len(r.sent.Messages) == len(r.from) {
		n.Entry = r.from[i].ID
	}
	r.endLoop(true)
	s.tellNotice(n)
	return true
}

// without returns the request without what servers have refused. What changes the
// number of messages comes last, since places are counted before. Owner's.
func (r *run) without(req provider.Request) provider.Request {
	info := r.s.model.Info()
	for _, counts := range []bool{false, true} {
		for _, o := range slices.Concat(r.s.omitted, r.trying) {
			if o.by == info.Provider && o.model == info.ID && counts == (o.Fault == provider.Roles || o.Fault == provider.Prefill) {
				req = req.Without(o.Omission, r.before(o.upto))
			}
		}
	}
	return req
}

// remember keeps what this answer was got without for the rest of the session.
// Owner's.
func (r *run) remember() {
	s := r.s
	for _, o := range r.trying {
		s.omitted = slices.DeleteFunc(s.omitted, func(old omitted) bool {
			return old.Omission == o.Omission && old.by == o.by && old.model == o.model && // and covered by the new one
				slices.ContainsFunc(s.live.Tree().Path(o.upto), func(e *session.Entry) bool { return e.ID == old.upto })
		})
		s.omitted = append(s.omitted, o)
	}
	r.trying = nil
}

// before counts the messages of the request that stand on the path to an entry.
func (r *run) before(id session.ID) int {
	on := map[*session.Entry]bool{}
	for _, e := range r.s.live.Tree().Path(id) {
		on[e] = true
	}
	n := 0
	for n < len(r.from) && on[r.from[n]] {
		n++
	}
	return n
}

// said makes a short sentence of what a server said.
func said(e *provider.Error) string {
	s := e.Message
	if text, ok := rawjson.GetString([]byte(s), "message"); ok && text != "" {
		s = text
	}
	s = strings.Join(strings.Fields(s), " ")
	if most := 300; len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "..."
	}
	if s != "" && !strings.ContainsAny(s[len(s)-1:], ".!?") {
		s += "."
	}
	return s
}
