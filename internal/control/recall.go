package control

import (
	"context"
	"slices"

	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/tool"
)

// recall is the tool that reads what compaction has hidden.
type recall struct {
	on   bool   // something is hidden at the leaf
	off  bool   // but a person does not want it
	name string // of the tool, once it was made
}

// seeCompaction declares the tool on paths on which something is hidden, so that
// the requests of other paths have nothing of it. Owner's.
func (s *Session) seeCompaction(p session.Projection) {
	hides := slices.ContainsFunc(p.Items[:min(len(p.Items), 4)], func(it session.Item) bool { return it.Entry != nil && it.Entry.Type == session.TypeCompaction })
	if s.opts.Recall == nil || hides == s.recall.on {
		return
	}
	s.recall.on = hides
	s.retool()
}

// withRecall adds the tool where it is of use. Each run has a new one, whose budget
// is whole. Owner's.
func (s *Session) withRecall(tools []tool.Tool) []tool.Tool {
	if !s.recall.on || len(tools) == 0 {
		return tools
	}
	t := s.opts.Recall(s.standing)
	s.recall.name = t.Spec().Name
	if s.recall.off || slices.ContainsFunc(tools, func(o tool.Tool) bool { return o.Spec().Name == s.recall.name }) {
		return tools
	}
	return append(slices.Clip(tools), t)
}

// standing returns a tree of the session of the caller's own, and the leaf.
func (s *Session) standing(ctx context.Context) (tree *session.Tree, leaf session.ID, err error) {
	err = s.do(ctx, func() { tree, leaf = s.live.Tree().Snapshot(), s.branch.Leaf() })
	return tree, leaf, err
}

// switchRecall takes the tool out of lists of tools to be turned on and off.
// Owner's.
func (s *Session) switchRecall(on, off []string) (restOn, restOff []string) {
	is := func(name string) bool { return s.recall.name != "" && name == s.recall.name }
	if slices.ContainsFunc(on, is) {
		s.recall.off = false
	}
	if slices.ContainsFunc(off, is) {
		s.recall.off = true
	}
	return slices.DeleteFunc(slices.Clone(on), is), slices.DeleteFunc(slices.Clone(off), is)
}

// listing are all tools. Owner's.
func (s *Session) listing() []protocol.ToolInfo {
	list := s.setup.Listing()
	if s.recall.on && s.recall.name != "" && !slices.ContainsFunc(list, func(t protocol.ToolInfo) bool { return t.ToolName == s.recall.name }) {
		list = append(list, protocol.ToolInfo{ToolName: s.recall.name, Description: s.opts.Recall(s.standing).Spec().Description, On: !s.recall.off})
	}
	return list
}
