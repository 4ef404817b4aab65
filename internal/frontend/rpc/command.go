package rpc

import (
	"context"
	"errors"
	"fmt"
	"slices"
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
	does   func(context.Context, *window, call) (reply, error)

	// begins is of those that a run may begin with, in place of does. Its answer
	// comes before the run's events, all others come behind what they have caused.
	begins func(context.Context, *window, call) (reply, bool, error)

	// pours is of those whose data may be as large as the session, in place of does.
	pours func(*window, call) pour

	// Slow ones wait for something, and others are carried out meanwhile; waits, if
	// there is one, tells which calls do. What is soon done is waited for when the
	// input ends.
	slow, soon bool
	waits      func(call) bool

	// lag is of slow ones that can be aborted: what their events say when an abort
	// finds them.
	lag lag

	// Of slow ones: those that are behind are answered behind those that are ahead
	// and began before them.
	ahead, behind bool

	// views is of commands on views themselves, which the attached one answers.
	views bool
}

var (
	errNull     = errors.New("null")                   // the data of an answer is null
	errAnswered = errors.New("it is answered already") // by the command itself
)

// find returns the command of a name, and whether only bough has it.
func find(name string) (cmd command, ours, ok bool) {
	if cmd, ok = findPi(name); ok {
		return cmd, false, true
	}
	cmd, ok = findOurs(name)
	return cmd, ok, ok
}

// findPi returns the command that pi has of a name.
func findPi(name string) (command, bool) {
	message := []field{{name: "message"}, {name: "images", kind: images, optional: true}}
	switch name {
	case "prompt":
		return command{fields: append(message, field{name: "streamingBehavior", optional: true, words: []string{"steer", "followUp"}}), begins: ask}, true
	case "steer":
		return command{fields: message, does: steer}, true
	case "follow_up":
		return command{fields: message, does: followUp}, true
	case "abort":
		return command{does: abort, slow: true, soon: true, behind: true}, true
	case "clear_queue":
		return command{does: clearQueue}, true

	case "get_state":
		return command{does: later((*window).stateNow)}, true
	case "get_messages":
		return command{pours: getMessages}, true
	case "get_last_assistant_text":
		return command{does: later((*window).lastText)}, true
	case "get_session_stats":
		return command{does: getStats}, true
	case "get_commands":
		return command{does: getCommands}, true
	case "get_fork_messages":
		return command{does: later((*window).forkMessages)}, true
	case "get_entries":
		return command{fields: []field{{name: "since", optional: true}}, pours: getEntries}, true
	case "get_tree":
		return command{pours: getTree}, true

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
		return command{does: later((*window).levels)}, true

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
		return command{fields: []field{{name: "customInstructions", optional: true}}, does: compact, slow: true, ahead: true, lag: compactionLag}, true
	case "bash":
		return command{fields: []field{{name: "command"}, {name: "excludeFromContext", kind: flag, optional: true}}, does: bash, slow: true, lag: shellLag}, true
	case "abort_bash":
		return command{does: abortBash}, true

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
	at := s.here()
	c, err := decode(line)
	if err != nil {
		s.respond(ctx, at, failure(call{name: "parse"}, err))
		return
	}
	if c.name == "extension_ui_response" {
		s.answerDialog(ctx, c)
		return
	}
	cmd, ours, known := find(c.name)
	s.aware = s.aware || ours
	c.coded = s.aware
	if !known {
		s.respond(ctx, at, failure(c, protocol.Fail(protocol.UnknownCommand, "Unknown command: %s", word(c))))
		return
	}
	err = c.check(cmd.fields)
	w := at
	if v := c.fields["view"]; err == nil && !rawjson.IsNull(v) {
		c.view, c.coded = v, true
		if err = c.check([]field{{name: "view"}}); err == nil && !cmd.views {
			if w, err = s.view(c.text("view")); err != nil {
				w = at
			}
		}
	}
	if err != nil {
		s.respond(ctx, at, failure(c, err))
		return
	}
	if ours {
		s.tellOdd(c, cmd.fields)
	}
	switch {
	case cmd.begins != nil:
		w.begin(ctx, cmd, c)
	case cmd.pours != nil:
		s.respond(ctx, w, poured(c, cmd.pours(w, c)))
	case cmd.slow && (cmd.waits == nil || cmd.waits(c)):
		w.start(ctx, cmd, c)
	default:
		r, err := cmd.does(ctx, w, c)
		w.answer(ctx, c, r, err)
	}
}

// oddities is how many misspelt fields are told of.
const oddities = 20

// tellOdd tells of fields that a command does not have, each once: an entry that was
// named by another field than the one that counts would go unnoticed.
func (s *server) tellOdd(c call, fields []field) {
	for _, name := range c.odd(fields) {
		odd := [2]string{c.name, name}
		if len(s.odd) == oddities || slices.Contains(s.odd, odd) {
			continue
		}
		s.odd = append(s.odd, odd)
		fmt.Fprintf(s.o.Err, "bough: %s has no field %.60q, which is passed over\n", c.name, name)
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
func (w *window) start(ctx context.Context, cmd command, c call) {
	before, over := w.ahead, make(chan struct{})
	if cmd.ahead {
		w.ahead = over
	}
	if cmd.soon {
		w.s.going.Add(1)
	}
	var sent *sent
	if cmd.lag != noLag {
		sent = w.send(cmd.lag, c.commandID())
	}
	go func() {
		if cmd.soon {
			defer w.s.going.Done()
		}
		defer close(over)
		r, err := cmd.does(ctx, w, c)
		w.runs(sent)
		if cmd.behind && before != nil {
			<-before
		}
		w.answer(ctx, c, r, err)
	}()
}

func (w *window) answer(ctx context.Context, c call, r reply, err error) {
	if ctx.Err() != nil || errors.Is(err, errAnswered) {
		return // nobody is to be answered any more
	}
	w.s.respond(ctx, w, success(c, r, err))
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
		case data == nil:
			return append(b, '}')
		}
		return append(append(append(b, `,"data":`...), data...), '}')
	}}
}

func failure(c call, err error) answer {
	text := err.Error()
	return answer{size: overhead + len(c.id) + len(text), make: func() []byte {
		b := rawjson.AppendString(append(head(c, false), `,"error":`...), text)
		if code := codeOf(err); c.coded && code != "" {
			b = rawjson.AppendString(append(b, `,"code":`...), string(code))
		}
		return append(b, '}')
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
	if c.view != nil {
		b = append(append(b, `,"view":`...), c.view...)
	}
	if ok {
		return append(b, `,"success":true`...)
	}
	return append(b, `,"success":false`...)
}

// begin hands over what a run may begin with. A run that it begins is told of when
// it begins to talk, see begun.
func (w *window) begin(ctx context.Context, cmd command, c call) {
	s := w.s
	s.mu.Lock()
	w.asking = true
	s.mu.Unlock()
	r, begun, err := cmd.begins(ctx, w, c)
	a := success(c, r, err)
	begun = begun && err == nil
	s.mu.Lock()
	w.asking = false
	begun = begun && !w.over // else its events are told to nobody
	if begun {
		w.prompts++
		w.started = append(w.started, prompt{w.prompts, a})
	}
	number := w.prompts
	s.cond.Broadcast()
	s.mu.Unlock()
	if !begun {
		s.respond(ctx, w, a)
		return
	}
	// An error says that the session is closed, and so is the stream.
	_, _ = protocol.Call(ctx, w.c, protocol.Sync{ID: promptID + strconv.Itoa(number)})
}

// ask says something to the model.
func ask(ctx context.Context, w *window, c call) (reply, bool, error) {
	d, err := protocol.Call(ctx, w.c, protocol.Prompt{Text: c.text("message"), Images: c.images(), WhenBusy: protocol.Behavior(c.text("streamingBehavior"))})
	return disposition(d), d == protocol.Started, err
}

func disposition(d protocol.Disposition) reply {
	return done(newObject().str("disposition", string(d)))
}

// plain is a command of ours without fields or result.
func plain(cmd protocol.Command[protocol.None]) func(context.Context, *window, call) (reply, error) {
	return func(ctx context.Context, w *window, _ call) (reply, error) {
		_, err := protocol.Call(ctx, w.c, cmd)
		return nil, err
	}
}

// later is a question that the writer can answer by itself.
func later(f func(*window) ([]byte, error)) func(context.Context, *window, call) (reply, error) {
	return func(_ context.Context, w *window, _ call) (reply, error) {
		return func() ([]byte, error) { return f(w) }, nil
	}
}

func steer(ctx context.Context, w *window, c call) (reply, error) {
	d, err := protocol.Call(ctx, w.c, protocol.Steer{Text: c.text("message"), Images: c.images()})
	return disposition(d), err
}

func followUp(ctx context.Context, w *window, c call) (reply, error) {
	d, err := protocol.Call(ctx, w.c, protocol.FollowUp{Text: c.text("message"), Images: c.images()})
	return disposition(d), err
}

func clearQueue(ctx context.Context, w *window, _ call) (reply, error) {
	q, err := protocol.Call(ctx, w.c, protocol.ClearQueue{})
	return done(newObject().texts("steering", q.Steering).texts("followUp", q.FollowUp)), err
}

func setModel(ctx context.Context, w *window, c call) (reply, error) {
	m, err := protocol.Call(ctx, w.c, protocol.SetModel{Provider: c.text("provider"), ID: c.text("modelId")})
	return value(m), err
}

func cycleModel(ctx context.Context, w *window, _ call) (reply, error) {
	m, err := protocol.Call(ctx, w.c, protocol.CycleModel{})
	if err != nil || m.Model == nil {
		return null, err
	}
	return func() ([]byte, error) {
		info, err := rawjson.Encode(m.Model)
		return newObject().raw("model", info).str("thinkingLevel", m.Thinking).flag("isScoped", m.Scoped).done(), err
	}, nil
}

func getModels(ctx context.Context, w *window, _ call) (reply, error) {
	m, err := protocol.Call(ctx, w.c, protocol.GetModels{})
	return func() ([]byte, error) {
		list := make([][]byte, len(m.Models))
		for i, info := range m.Models {
			var err error
			if list[i], err = rawjson.Encode(info); err != nil {
				return nil, err
			}
		}
		return newObject().raw("models", rawjson.Array(list)).done(), nil
	}, err
}

func setThinking(ctx context.Context, w *window, c call) (reply, error) {
	_, err := protocol.Call(ctx, w.c, protocol.SetThinking{Level: c.text("level")})
	return nil, err
}

func cycleThinking(ctx context.Context, w *window, _ call) (reply, error) {
	level, err := protocol.Call(ctx, w.c, protocol.CycleThinking{})
	if level == "" {
		return null, err
	}
	return done(newObject().str("level", level)), err
}

// setMode sets a mode of the queues. A word that there is no mode of counts as
// one-at-a-time and is kept for get_state only, as clients of pi may expect.
func setMode(key string) func(context.Context, *window, call) (reply, error) {
	return func(ctx context.Context, w *window, c call) (reply, error) {
		mode := c.text("mode")
		known := mode == "all" || mode == "one-at-a-time"
		set, odd := mode, ""
		if !known {
			set, odd = "one-at-a-time", mode
		}
		if err := w.set(ctx, key, set, known); err != nil {
			return nil, err
		}
		w.s.mu.Lock()
		w.words[key] = odd
		w.s.mu.Unlock()
		return nil, nil
	}
}

func setFlag(key string) func(context.Context, *window, call) (reply, error) {
	return func(ctx context.Context, w *window, c call) (reply, error) {
		return nil, w.set(ctx, key, string(c.fields["enabled"]), true)
	}
}

// set sets a setting from now on and for later runs.
func (w *window) set(ctx context.Context, key, value string, save bool) error {
	if _, err := protocol.Call(ctx, w.c, protocol.SetSetting{Key: key, Value: value}); err != nil || !save {
		return err
	}
	if _, err := protocol.Call(ctx, w.c, protocol.SetSetting{Key: key, Value: value, Save: true}); err != nil {
		fmt.Fprintf(w.s.o.Err, "bough: %s holds for this run, but could not be saved: %v\n", key, err)
	}
	return nil
}

func compact(ctx context.Context, w *window, c call) (reply, error) {
	r, err := protocol.Call(ctx, w.c, protocol.Compact{Instructions: c.text("customInstructions")})
	return func() ([]byte, error) { return r.JSON(), nil }, err
}

func abort(ctx context.Context, w *window, _ call) (reply, error) {
	w.await(compactionLag, summaryLag)
	_, err := protocol.Call(ctx, w.c, protocol.Abort{})
	return nil, err
}

func abortBash(ctx context.Context, w *window, _ call) (reply, error) {
	w.await(shellLag)
	_, err := protocol.Call(ctx, w.c, protocol.AbortBash{})
	return nil, err
}

func bash(ctx context.Context, w *window, c call) (reply, error) {
	r, err := protocol.Call(ctx, w.c, protocol.Bash{ID: c.commandID(), Command: c.text("command"), ExcludeFromContext: c.flag("excludeFromContext")})
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

func newSession(ctx context.Context, w *window, c call) (reply, error) {
	_, err := protocol.Call(ctx, w.c, protocol.NewSession{Parent: c.text("parentSession")})
	return done(newObject().flag("cancelled", false)), err
}

func switchSession(ctx context.Context, w *window, c call) (reply, error) {
	_, err := protocol.Call(ctx, w.c, protocol.SwitchSession{Session: c.text("sessionPath")})
	return done(newObject().flag("cancelled", false)), err
}

func fork(ctx context.Context, w *window, c call) (reply, error) {
	w.copies(true)
	f, err := protocol.Call(ctx, w.c, protocol.Fork{Entry: session.ID(c.text("entryId"))})
	if err != nil {
		w.copies(false)
	}
	return done(newObject().str("text", f.Text).flag("cancelled", false)), err
}

// copies keeps in mind that a view goes over to a copy of its session.
func (w *window) copies(v bool) {
	w.s.mu.Lock()
	defer w.s.mu.Unlock()
	w.forking = v
}

func clone(ctx context.Context, w *window, _ call) (reply, error) {
	w.copies(true)
	_, err := protocol.Call(ctx, w.c, protocol.Clone{})
	if err != nil {
		w.copies(false)
	}
	return done(newObject().flag("cancelled", false)), err
}

func setName(ctx context.Context, w *window, c call) (reply, error) {
	_, err := protocol.Call(ctx, w.c, protocol.SetName{Text: c.text("name")})
	return nil, err
}
