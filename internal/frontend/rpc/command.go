package rpc

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// reply makes the data of a response, in the writer. Nil: there is none.
type reply func() ([]byte, error)

// command is what becomes of one kind of line.
type command struct {
	fields []field
	does   func(context.Context, *server, call) (reply, error)

	// Slow ones wait for something, and others are carried out meanwhile. What is
	// soon done is waited for when the input ends.
	slow, soon bool

	// Of slow ones: those that are behind are answered behind those that are ahead
	// and began before them.
	ahead, behind bool
}

var errNull = errors.New("null")

// find returns the command of a name.
func find(name string) (command, bool) {
	message := []field{{name: "message"}, {name: "images", kind: images, optional: true}}
	switch name {
	case "prompt":
		return command{fields: append(message, field{name: "streamingBehavior", optional: true, words: []string{"steer", "followUp"}})}, true
	case "steer":
		return command{fields: message, does: steer}, true
	case "follow_up":
		return command{fields: message, does: followUp}, true
	case "abort":
		return command{does: plain(protocol.Abort{}), slow: true, soon: true, behind: true}, true
	case "clear_queue":
		return command{does: clearQueue}, true

	case "get_state":
		return command{does: getState}, true
	case "get_messages":
		return command{does: later((*server).messages)}, true
	case "get_last_assistant_text":
		return command{does: later((*server).lastText)}, true
	case "get_session_stats":
		return command{does: getStats}, true
	case "get_commands":
		return command{does: getCommands}, true
	case "get_fork_messages":
		return command{does: later((*server).forkMessages)}, true
	case "get_entries":
		return command{fields: []field{{name: "since", optional: true}}, does: getEntries}, true
	case "get_tree":
		return command{does: later((*server).tree)}, true

	case "set_model":
		return command{fields: []field{{name: "provider"}, {name: "modelId"}}, does: setModel}, true
	case "cycle_model":
		return command{does: cycleModel}, true
	case "get_available_models":
		return command{does: getModels}, true
	case "set_thinking_level":
		return command{fields: []field{{name: "level"}}, does: setThinking}, true
	case "cycle_thinking_level":
		return command{does: cycleThinking}, true
	case "get_available_thinking_levels":
		return command{does: later((*server).levels)}, true

	case "set_steering_mode":
		return command{fields: []field{{name: "mode"}}, does: setMode("steeringMode")}, true
	case "set_follow_up_mode":
		return command{fields: []field{{name: "mode"}}, does: setMode("followUpMode")}, true
	case "set_auto_compaction":
		return command{fields: []field{{name: "enabled", kind: flag}}, does: setFlag("compaction.enabled")}, true
	case "set_auto_retry":
		return command{fields: []field{{name: "enabled", kind: flag}}, does: setFlag("retry.enabled")}, true
	case "abort_retry":
		return command{does: plain(protocol.AbortRetry{})}, true

	case "compact":
		return command{fields: []field{{name: "customInstructions", optional: true}}, does: compact, slow: true, ahead: true}, true
	case "bash":
		return command{fields: []field{{name: "command"}, {name: "excludeFromContext", kind: flag, optional: true}}, does: bash, slow: true}, true
	case "abort_bash":
		return command{does: plain(protocol.AbortBash{})}, true

	case "new_session":
		return command{fields: []field{{name: "parentSession", optional: true}}, does: newSession, slow: true, soon: true}, true
	case "switch_session":
		return command{fields: []field{{name: "sessionPath"}}, does: switchSession, slow: true, soon: true}, true
	case "fork":
		return command{fields: []field{{name: "entryId"}}, does: fork, slow: true, soon: true}, true
	case "clone":
		return command{does: clone, slow: true, soon: true}, true
	case "set_session_name":
		return command{fields: []field{{name: "name"}}, does: setName}, true
	case "export_html":
		return command{fields: []field{{name: "outputPath", optional: true}}, does: exportHTML, slow: true, soon: true}, true
	}
	return command{}, false
}

// handle carries out one line.
func (s *server) handle(ctx context.Context, line []byte) {
	c, err := decode(line)
	if err != nil {
		s.respond(ctx, failure(call{name: "parse"}, err))
		return
	}
	if c.name == "extension_ui_response" {
		return // nobody has asked
	}
	cmd, known := find(c.name)
	if !known {
		s.respond(ctx, failure(c, fmt.Errorf("Unknown command: %s", word(c))))
		return
	}
	if err := c.check(cmd.fields); err != nil {
		s.respond(ctx, failure(c, err))
		return
	}
	switch {
	case c.name == "prompt":
		s.prompt(ctx, c)
	case cmd.slow:
		s.start(ctx, cmd, c)
	default:
		s.do(ctx, cmd, c)
	}
}

// word is what stands in the place of a command's name.
func word(c call) string {
	switch v := c.fields["type"]; {
	case v == nil:
		return "undefined" // as pi has it
	case c.name != "":
		return c.name
	default:
		return string(v)
	}
}

// start carries out a slow command in a goroutine.
func (s *server) start(ctx context.Context, cmd command, c call) {
	before, over := s.ahead, make(chan struct{})
	if cmd.ahead {
		s.ahead = over
	}
	if cmd.soon {
		s.going.Add(1)
	}
	go func() {
		if cmd.soon {
			defer s.going.Done()
		}
		defer close(over)
		r, err := cmd.does(ctx, s, c)
		if cmd.behind && before != nil {
			<-before
		}
		s.answer(ctx, c, r, err)
	}()
}

func (s *server) do(ctx context.Context, cmd command, c call) {
	r, err := cmd.does(ctx, s, c)
	s.answer(ctx, c, r, err)
}

func (s *server) answer(ctx context.Context, c call, r reply, err error) {
	if ctx.Err() != nil {
		return // nobody is to be answered any more
	}
	s.respond(ctx, success(c, r, err))
}

// success makes a response of what a command came to.
func success(c call, r reply, err error) answer {
	if err != nil {
		return failure(c, err)
	}
	return answer{size: overhead + len(c.id), make: func() []byte {
		b := head(c, true)
		if r == nil {
			return append(b, '}')
		}
		data, err := r()
		switch {
		case errors.Is(err, errNull):
			data = []byte("null")
		case err != nil:
			return failure(c, err).make()
		}
		return append(append(append(b, `,"data":`...), data...), '}')
	}}
}

func failure(c call, err error) answer {
	text := err.Error()
	return answer{size: overhead + len(c.id) + len(text), make: func() []byte {
		return append(rawjson.AppendString(append(head(c, false), `,"error":`...), text), '}')
	}}
}

// head begins a response.
func head(c call, ok bool) []byte {
	b := []byte{'{'}
	if c.id != nil {
		b = append(append(append(b, `"id":`...), c.id...), ',')
	}
	name := c.name
	if name == "" {
		name = "unknown"
	}
	b = rawjson.AppendString(append(b, `"type":"response","command":`...), name)
	if ok {
		return append(b, `,"success":true`...)
	}
	return append(b, `,"success":false`...)
}

// prompt hands over what is said to the model. A run that it begins is told of
// when it begins to talk, see begun.
func (s *server) prompt(ctx context.Context, c call) {
	s.mu.Lock()
	s.asking = true
	s.mu.Unlock()
	d, err := protocol.Call(ctx, s.c, protocol.Prompt{Text: c.text("message"), Images: c.images(), WhenBusy: protocol.Behavior(c.text("streamingBehavior"))})
	a := success(c, disposition(d), err)
	s.mu.Lock()
	s.asking = false
	begun := err == nil && d == protocol.Started
	if begun {
		s.prompts++
		s.started = append(s.started, prompt{s.prompts, a})
	}
	number := s.prompts
	s.cond.Broadcast()
	s.mu.Unlock()
	if !begun {
		s.respond(ctx, a)
		return
	}
	// An error says that the session is closed, and so is the stream.
	_, _ = protocol.Call(ctx, s.c, protocol.Sync{ID: promptID + strconv.Itoa(number)})
}

func disposition(d protocol.Disposition) reply {
	return done(newObject().str("disposition", string(d)))
}

// plain is a command of ours without fields or result.
func plain(cmd protocol.Command[protocol.None]) func(context.Context, *server, call) (reply, error) {
	return func(ctx context.Context, s *server, _ call) (reply, error) {
		_, err := protocol.Call(ctx, s.c, cmd)
		return nil, err
	}
}

// later is a question that the writer can answer by itself.
func later(f func(*server) ([]byte, error)) func(context.Context, *server, call) (reply, error) {
	return func(_ context.Context, s *server, _ call) (reply, error) {
		return func() ([]byte, error) { return f(s) }, nil
	}
}

func steer(ctx context.Context, s *server, c call) (reply, error) {
	d, err := protocol.Call(ctx, s.c, protocol.Steer{Text: c.text("message"), Images: c.images()})
	return disposition(d), err
}

func followUp(ctx context.Context, s *server, c call) (reply, error) {
	d, err := protocol.Call(ctx, s.c, protocol.FollowUp{Text: c.text("message"), Images: c.images()})
	return disposition(d), err
}

func clearQueue(ctx context.Context, s *server, _ call) (reply, error) {
	q, err := protocol.Call(ctx, s.c, protocol.ClearQueue{})
	return done(newObject().texts("steering", q.Steering).texts("followUp", q.FollowUp)), err
}

func setModel(ctx context.Context, s *server, c call) (reply, error) {
	m, err := protocol.Call(ctx, s.c, protocol.SetModel{Provider: c.text("provider"), ID: c.text("modelId")})
	return value(m), err
}

func cycleModel(ctx context.Context, s *server, _ call) (reply, error) {
	m, err := protocol.Call(ctx, s.c, protocol.CycleModel{})
	if err != nil || m.Model == nil {
		return null, err
	}
	return func() ([]byte, error) {
		info, err := encode(m.Model)
		return newObject().raw("model", info).str("thinkingLevel", m.Thinking).flag("isScoped", m.Scoped).done(), err
	}, nil
}

func getModels(ctx context.Context, s *server, _ call) (reply, error) {
	m, err := protocol.Call(ctx, s.c, protocol.GetModels{})
	return func() ([]byte, error) {
		list := make([][]byte, len(m.Models))
		for i, info := range m.Models {
			var err error
			if list[i], err = encode(info); err != nil {
				return nil, err
			}
		}
		return newObject().raw("models", rawjson.Array(list)).done(), nil
	}, err
}

func setThinking(ctx context.Context, s *server, c call) (reply, error) {
	_, err := protocol.Call(ctx, s.c, protocol.SetThinking{Level: c.text("level")})
	return nil, err
}

func cycleThinking(ctx context.Context, s *server, _ call) (reply, error) {
	level, err := protocol.Call(ctx, s.c, protocol.CycleThinking{})
	if level == "" {
		return null, err
	}
	return done(newObject().str("level", level)), err
}

// setMode sets a mode of the queues. A word that there is no mode of counts as
// one-at-a-time and is kept for get_state only, as clients of pi may expect.
func setMode(key string) func(context.Context, *server, call) (reply, error) {
	return func(ctx context.Context, s *server, c call) (reply, error) {
		mode := c.text("mode")
		known := mode == "all" || mode == "one-at-a-time"
		set, odd := mode, ""
		if !known {
			set, odd = "one-at-a-time", mode
		}
		if err := s.set(ctx, key, set, known); err != nil {
			return nil, err
		}
		s.mu.Lock()
		s.words[key] = odd
		s.mu.Unlock()
		return nil, nil
	}
}

func setFlag(key string) func(context.Context, *server, call) (reply, error) {
	return func(ctx context.Context, s *server, c call) (reply, error) {
		return nil, s.set(ctx, key, string(c.fields["enabled"]), true)
	}
}

// set sets a setting from now on and for later runs.
func (s *server) set(ctx context.Context, key, value string, save bool) error {
	if _, err := protocol.Call(ctx, s.c, protocol.SetSetting{Key: key, Value: value}); err != nil || !save {
		return err
	}
	if _, err := protocol.Call(ctx, s.c, protocol.SetSetting{Key: key, Value: value, Save: true}); err != nil {
		fmt.Fprintf(s.o.Err, "bough: %s holds for this run, but could not be saved: %v\n", key, err)
	}
	return nil
}

func compact(ctx context.Context, s *server, c call) (reply, error) {
	r, err := protocol.Call(ctx, s.c, protocol.Compact{Instructions: c.text("customInstructions")})
	return func() ([]byte, error) { return r.JSON(), nil }, err
}

func bash(ctx context.Context, s *server, c call) (reply, error) {
	cmd := protocol.Bash{Command: c.text("command"), ExcludeFromContext: c.flag("excludeFromContext")}
	if c.id != nil {
		cmd.ID = protocol.RawID(c.id)
	}
	r, err := protocol.Call(ctx, s.c, cmd)
	o := newObject().str("output", r.Output)
	if r.ExitCode != nil {
		o.num("exitCode", float64(*r.ExitCode))
	}
	o.flag("cancelled", r.Cancelled).flag("truncated", r.Truncated)
	if r.FullOutputPath != "" {
		o.str("fullOutputPath", r.FullOutputPath)
	}
	return done(o), err
}

func newSession(ctx context.Context, s *server, c call) (reply, error) {
	_, err := protocol.Call(ctx, s.c, protocol.NewSession{Parent: c.text("parentSession")})
	return done(newObject().flag("cancelled", false)), err
}

func switchSession(ctx context.Context, s *server, c call) (reply, error) {
	_, err := protocol.Call(ctx, s.c, protocol.SwitchSession{Session: c.text("sessionPath")})
	return done(newObject().flag("cancelled", false)), err
}

func fork(ctx context.Context, s *server, c call) (reply, error) {
	f, err := protocol.Call(ctx, s.c, protocol.Fork{Entry: session.ID(c.text("entryId"))})
	return done(newObject().str("text", f.Text).flag("cancelled", false)), err
}

func clone(ctx context.Context, s *server, _ call) (reply, error) {
	_, err := protocol.Call(ctx, s.c, protocol.Clone{})
	return done(newObject().flag("cancelled", false)), err
}

func setName(ctx context.Context, s *server, c call) (reply, error) {
	_, err := protocol.Call(ctx, s.c, protocol.SetName{Text: c.text("name")})
	return nil, err
}
