// Package view folds the events of a session into what a front end shows: the
// tree, where the conversation stands, the answer in progress, tools that run,
// what waits. It is the only place where a front end keeps a conversation.
package view

import (
	"slices"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/session"
)

// A View is one front end's picture of a session. It is for one goroutine; the
// zero value is empty and ready.
type View struct {
	Header session.Header
	File   string // "" if the session is kept in memory
	Fresh  bool   // the session has just been started

	Tree *session.Tree
	Leaf session.ID

	Model     *provider.Info
	Thinking  string
	Queue     protocol.Queue
	Unsaved   int
	Unsavable string // why nothing can be saved; ""
	Context   *protocol.ContextUse
	Open      []protocol.Asked // questions that wait for an answer

	Running bool
	Answer  *message.Message // being streamed, as far as it has come
	Tools   []Tool           // running

	builder *message.Builder
}

// Tool is a tool call that is running.
type Tool struct {
	protocol.ToolStarted
	Output message.Output // so far
}

// Apply folds in one event.
func (v *View) Apply(ev protocol.Event) {
	switch e := ev.(type) {
	case protocol.Opened:
		tree := e.Tree
		if tree == nil && e.Header.ID == v.Header.ID {
			tree = v.Tree
		}
		if tree == nil {
			tree = session.NewTree()
		}
		*v = View{Header: e.Header, File: e.File, Fresh: e.Fresh, Tree: tree}
	case protocol.State:
		v.state(e)
	case protocol.Appended:
		v.appended(e)
	case protocol.LeafMoved:
		v.Leaf = e.New
	case protocol.RunStarted, protocol.LoopStarted:
		v.Running = true
	case protocol.RunEnded:
		v.Running, v.Answer, v.builder, v.Tools = false, nil, nil, nil
	case protocol.AnswerStarted:
		v.builder = message.NewBuilder(e.Message)
		v.show()
	case protocol.Delta:
		if v.builder != nil {
			v.builder.Add(e.Delta)
			v.show()
		}
	case protocol.ToolStarted:
		v.Tools = append(v.Tools, Tool{ToolStarted: e})
	case protocol.ToolProgress:
		for i := range v.Tools {
			if v.Tools[i].CallID == e.CallID {
				v.Tools[i].Output = e.Output
			}
		}
	case protocol.ToolEnded:
		v.Tools = slices.DeleteFunc(v.Tools, func(t Tool) bool { return t.CallID == e.CallID })
	case protocol.SavingChanged:
		v.Unsaved, v.Unsavable = e.Entries, e.Why
	case protocol.QueueChanged:
		v.Queue = e.Queue
	case protocol.ModelChanged:
		info := e.Model
		v.Model = &info
	case protocol.ContextChanged:
		v.Context = e.Use
	case protocol.Asked:
		v.Open = append(v.Open, e)
	case protocol.Answered:
		v.Open = slices.DeleteFunc(v.Open, func(q protocol.Asked) bool { return q.ID == e.ID })
	case protocol.ThinkingChanged:
		v.Thinking = e.Level
	}
}

func (v *View) state(s protocol.State) {
	v.Leaf, v.Model, v.Thinking, v.Queue, v.Unsaved, v.Running = s.Leaf, s.Model, s.Thinking, s.Queue, s.Unsaved, s.Running
	v.Unsavable = s.Unsavable
	v.Context, v.Open = s.Context, slices.Clone(s.Open)
	v.Answer, v.builder, v.Tools = s.Answer, nil, nil
	if s.Answer != nil {
		v.builder = message.Resume(*s.Answer)
	}
	for _, t := range s.Tools {
		v.Tools = append(v.Tools, Tool{ToolStarted: t})
	}
}

// appended takes up an entry. Our own ones move the leaf.
func (v *View) appended(a protocol.Appended) {
	if v.Tree == nil {
		v.Tree = session.NewTree()
	}
	v.Tree.Add(a.Entry)
	if a.Foreign {
		return
	}
	v.Leaf = a.Entry.ID
	if a.Entry.Role == message.Assistant {
		v.Answer, v.builder = nil, nil
	}
}

func (v *View) show() {
	m := v.builder.Message()
	v.Answer = &m
}

// Path returns the entries from the root to where the conversation stands.
func (v *View) Path() []*session.Entry {
	if v.Tree == nil {
		return nil
	}
	return v.Tree.Path(v.Leaf)
}
