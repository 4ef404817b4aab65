package control

import (
	"context"

	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// Exporting is what an export is made of: a session as it is now.
type Exporting struct {
	Header session.Header
	Tree   *session.Tree // of its own
	Leaf   session.ID
	File   string // of the session; "" if it has none
}

// export writes the conversation to a file. The owner is not held up by it.
func (s *Session) export(ctx context.Context, x protocol.Export) (protocol.Exported, error) {
	if s.opts.Export == nil {
		return protocol.Exported{}, protocol.Fail(protocol.BadRequest, "nothing here can write exports")
	}
	var e Exporting
	unsaid := false
	if err := s.do(ctx, func() {
		unsaid = s.store != nil && s.live.Log() == nil
		e = Exporting{s.live.Header(), s.live.Tree().Snapshot(), s.branch.Leaf(), s.path()}
	}); err != nil {
		return protocol.Exported{}, err
	}
	if unsaid || e.Tree.Len() == 0 || e.Leaf == "" && !x.Whole {
		return protocol.Exported{}, protocol.Fail(protocol.BadRequest, "nothing has been said yet, so there is nothing to export")
	}
	return s.opts.Export(ctx, e, x)
}
