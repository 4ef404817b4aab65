package control

import (
	"encoding/json"
	"slices"

	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// entry returns all of an entry, and how the model sees it. Owner's.
func (s *Session) entry(id session.ID) (protocol.EntryInfo, error) {
	e := s.live.Tree().Get(id)
	if e == nil {
		return protocol.EntryInfo{}, protocol.Fail(protocol.UnknownEntry, "Entry not found: %s", id)
	}
	line, err := e.Raw()
	if err != nil {
		return protocol.EntryInfo{}, &protocol.Error{Code: protocol.IO, Text: err.Error(), Err: err}
	}
	info := protocol.EntryInfo{Entry: id, Line: json.RawMessage(line)}
	info.OnPath = s.live.Tree().CommonAncestor(id, s.branch.Leaf()) == id
	p, err := s.branch.Project()
	if err != nil {
		return info, &protocol.Error{Code: protocol.IO, Text: err.Error(), Err: err}
	}
	info.Seen = slices.ContainsFunc(p.Items, func(it session.Item) bool { return it.Entry != nil && it.Entry.ID == id })
	return info, nil
}
