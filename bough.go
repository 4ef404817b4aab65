// Package bough runs agents whose conversations are trees. A [Hub] has sessions;
// an [Agent] stands at one of them, can be asked, and is a [protocol.Client], with
// which everything can be done that bough's own front ends do: stand at another
// entry, branch, label, steer, watch.
//
//	hub := bough.New(bough.Options{Model: model, Tools: tools})
//	defer hub.Close()
//	agent, err := hub.Begin(ctx)
//	…
//	answer, err := agent.Ask(ctx, "What is in this folder?")
//
// A model is anything that is a [provider.Model]; [provider.New] makes one of a
// function. Tools are those of [Tools], or made with tool.New. Sessions are kept
// where Options.Store says, in files that pi reads too if it is a filestore.Store.
package bough

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/internal/prompt"
	"github.com/boughdev/bough/internal/workspace"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/session/memstore"
	"github.com/boughdev/bough/tool"
	"github.com/boughdev/bough/tool/builtin"
)

// Options say what agents work with.
type Options struct {
	// Model is asked in new sessions, and in those whose own one is not among
	// Models.
	Model provider.Model

	// Models are others that a session may choose with protocol.SetModel.
	Models []provider.Model

	// Tools are what a model can call, in the order in which they are declared.
	Tools []tool.Tool

	// Instructions are said to the model before the conversation. "" are bough's
	// own, those of a coding agent.
	Instructions string

	// Dir is the folder of new sessions; "" is the working directory. Tools have
	// folders of their own.
	Dir string

	// Store keeps the sessions; nil keeps them in memory.
	Store session.Store

	Thinking string // level of new sessions, of provider.Levels; "" is "off"
	MaxTurns int    // of one run; 0: no limit
	Retries  int    // of an answer whose failure may pass; 0: none

	// NoCompaction never has the older part of a conversation summed up by itself: what
	// outgrows the window of the model fails then. protocol.Compact does it when it
	// is asked for.
	NoCompaction bool
}

// Tools returns bough's own tools for a folder: read, bash, edit, write, grep,
// find, ls.
func Tools(dir string) []tool.Tool {
	return builtin.Tools(workspace.NewLocal(dir), builtin.Options{})
}

// A Hub has sessions that are live in this process. It is safe for several
// goroutines.
type Hub struct {
	opts Options
	hub  *control.Hub
}

// New makes a hub without sessions. The caller must close it.
func New(o Options) *Hub {
	if o.Store == nil {
		o.Store = &memstore.Store{}
	}
	return &Hub{o, control.NewHub(control.Options{
		Models:     models{o},
		MaxTurns:   o.MaxTurns,
		Retry:      control.Retry{Max: o.Retries, Base: 2 * time.Second},
		Compaction: control.Compaction{Enabled: !o.NoCompaction},
		Setup: func(_ context.Context, p control.Place, _ control.Was, _ control.Setup) (control.Setup, []string) {
			return control.Plain{Kit: o.Tools, Instructions: func(specs []message.ToolSpec) prompt.State {
				return prompt.Build(prompt.Options{Dir: p.Dir, Tools: specs, Preamble: prompt.Text{Text: o.Instructions}})
			}}, nil
		},
	})}
}

// Close ends all sessions: what runs is aborted, and what was said is kept.
func (h *Hub) Close() { h.hub.Close() }

// Begin begins a new session. It is kept from the first message on.
func (h *Hub) Begin(ctx context.Context) (*Agent, error) {
	dir := h.opts.Dir
	if dir == "" {
		wd, err := os.Getwd()
		if err != nil {
			return nil, fmt.Errorf("find the working directory: %w", err)
		}
		dir = wd
	}
	start := control.Start{Store: h.opts.Store, Dir: dir, New: session.Header{CWD: dir}.Complete()}
	if p, ok := h.opts.Store.(control.FilePather); ok {
		start.File = p.FilePath(start.New)
	}
	return h.connect(ctx, start)
}

// Open opens a session that the store has, or joins it if it is live in this hub
// already. The error is protocol.UnknownSession if there is none of that id.
func (h *Hub) Open(ctx context.Context, id string) (*Agent, error) {
	return h.connect(ctx, control.Start{Store: h.opts.Store, Open: id})
}

// View opens a view of its own of a session, at an entry of it or, if that is "",
// where it stands: with a leaf, queues and runs apart from those of the agents of
// Open, so that two branches can be worked on at once. What it says is in the same
// session. The place where a view stands is not kept.
func (h *Hub) View(ctx context.Context, id string, at session.ID) (*Agent, error) {
	return h.connect(ctx, control.Start{Store: h.opts.Store, Open: id, AtWord: string(at), Own: true})
}

func (h *Hub) connect(ctx context.Context, start control.Start) (*Agent, error) {
	start.Thinking = h.opts.Thinking
	c, err := h.hub.Connect(ctx, start)
	if err != nil {
		return nil, err
	}
	return &Agent{c}, nil
}

// An Agent stands at one session. Several may stand at the same.
type Agent struct{ conn }

// conn hides the fields of what agents are made of.
type conn interface {
	protocol.Client
	Close()
}

var _ protocol.Client = (*Agent)(nil)

// ErrNoAnswer is returned if a run ended without an answer and without an error.
var ErrNoAnswer = errors.New("there was no answer")

// Ask says something and returns the last answer of the run that it begins, when
// that has come to rest, tools and all. If it failed the error says why, and the
// answer is what was said up to then. When ctx ends the run is aborted. While
// another run goes on the error has the code protocol.Busy.
func (a *Agent) Ask(ctx context.Context, text string, images ...message.Block) (message.Message, error) {
	var (
		last  message.Message
		asked bool
	)
	for ev, err := range a.Watch(ctx, 0) {
		if err != nil {
			if ctx.Err() != nil && asked {
				_, _ = a.Do(context.WithoutCancel(ctx), protocol.Abort{}) // the session may be closed by now
			}
			return last, err
		}
		switch ev := ev.(type) {
		case protocol.State:
			if asked {
				break
			}
			if _, err := protocol.Call(ctx, a, protocol.Prompt{Text: text, Images: images}); err != nil {
				return last, err
			}
			asked = true
		case protocol.Appended:
			if !asked || ev.Foreign || ev.Entry.Role != message.Assistant {
				break
			}
			body, err := ev.Entry.Body()
			if err != nil {
				return last, fmt.Errorf("read the answer: %w", err)
			}
			if m, ok := body.(session.Message); ok {
				last = m.Message
			}
		case protocol.RunEnded:
			if asked {
				return ended(last, ev)
			}
		}
	}
	return last, protocol.ErrClosed
}

func ended(last message.Message, ev protocol.RunEnded) (message.Message, error) {
	switch {
	case ev.Aborted:
		return last, context.Canceled
	case ev.Failure != "":
		return last, &provider.Error{Kind: ev.Kind, Message: ev.Failure}
	case last.Role == "":
		return last, ErrNoAnswer
	}
	return last, nil
}

// models are those of the options.
type models struct{ o Options }

func (m models) all() []provider.Model {
	if m.o.Model == nil {
		return m.o.Models
	}
	return append([]provider.Model{m.o.Model}, m.o.Models...)
}

func (m models) Available() (infos []provider.Info) {
	for _, model := range m.all() {
		infos = append(infos, model.Info())
	}
	return infos
}

func (m models) Model(at, id string) (provider.Model, error) {
	for _, model := range m.all() {
		if i := model.Info(); i.Provider == at && i.ID == id {
			return model, nil
		}
	}
	return nil, fmt.Errorf("there is no model %s/%s", at, id)
}

func (m models) Default() (provider.Model, string, error) {
	if all := m.all(); len(all) > 0 {
		return all[0], "", nil
	}
	return nil, "", errors.New("no model was given: set Options.Model")
}

func (m models) Thinking(provider.Info) string { return m.o.Thinking }
