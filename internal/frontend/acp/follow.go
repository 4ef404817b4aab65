package acp

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// follow tells the editor what happens in the session until ctx ends.
func (s *live) follow(ctx context.Context, ready chan<- error) {
	var failed error
	var early []protocol.Notice
	for ev, err := range s.c.Watch(ctx, 0) {
		if err != nil {
			failed = err
			break
		}
		s.view.Apply(ev)
		if o, ok := ev.(protocol.Opened); ok && s.id == "" {
			s.id = sdk.SessionId(o.Header.ID)
		}
		if n, ok := ev.(protocol.Notice); ok && !s.begun {
			early = append(early, n) // the editor may not know the session yet
			continue
		}
		s.event(ctx, ev)
		if _, ok := ev.(protocol.State); ok && !s.begun {
			s.begun = true
			ready <- nil
			select {
			case <-s.gate:
			case <-ctx.Done():
				return
			}
			for _, n := range early {
				s.notice(n)
			}
		}
	}
	if ctx.Err() != nil {
		return
	}
	if failed == nil {
		failed = protocol.ErrClosed
	}
	if !s.begun {
		ready <- failed
		return
	}
	s.mu.Lock()
	t := s.turn
	s.mu.Unlock()
	if t != nil {
		t.end(outcome{err: fmt.Errorf("the session is not followed any more: %w", failed)})
	}
	s.a.forget(s)
}

// event tells of one event, which the view has taken up already.
func (s *live) event(ctx context.Context, ev protocol.Event) {
	switch e := ev.(type) {
	case protocol.State:
		s.state(ctx, e)
	case protocol.Appended:
		s.appended(e)
	case protocol.LeafMoved:
		s.moved(e)
	case protocol.RunStarted:
		s.loops, s.used, s.answer = 0, usage{}, message.Message{}
	case protocol.TurnStarted:
		s.loops++
	case protocol.TurnEnded:
		s.answer = e.Answer
		s.used.add(e.Answer.Usage)
	case protocol.RunEnded:
		s.stream = nil
		s.ended = e
		s.tellUsage(ctx)
		s.finish(false)
	case protocol.Synced:
		s.synced(e.ID)
	case protocol.AnswerStarted:
		s.stream = newStreaming()
	case protocol.Delta:
		s.delta(e.Delta)
	case protocol.ToolStarted:
		s.toolStarted(e)
	case protocol.ToolProgress:
		s.toolProgress(e)
	case protocol.Asked:
		s.ask(ctx, e)
	case protocol.Answered:
		s.answered(e)
	case protocol.PermissionsChanged:
		s.update(sdk.SessionCurrentModeUpdate{SessionUpdate: "current_mode_update", CurrentModeId: sdk.SessionModeId(e.Mode)})
		s.tellOptions(ctx)
	case protocol.ModelChanged, protocol.ThinkingChanged:
		s.tellOptions(ctx)
	case protocol.NameChanged:
		s.update(sdk.SessionSessionInfoUpdate{SessionUpdate: "session_info_update", Title: &e.Text})
	case protocol.ContextChanged:
		s.tellUsage(ctx)
	case protocol.Notice:
		s.notice(e)
	case protocol.RetryStarted:
		s.stream = nil
		s.note(fmt.Sprintf("%s Trying again in %s (%d of %d).", sentence(e.Error), e.Delay.Round(100*time.Millisecond), e.Attempt, e.Max))
	case protocol.CompactionEnded:
		if e.Error != "" && !s.commanded() {
			s.note("Not compacted: " + e.Error)
		}
	}
}

func sentence(s string) string {
	s = strings.TrimSpace(s)
	if s == "" || strings.ContainsAny(s[len(s)-1:], ".!?") {
		return s
	}
	return s + "."
}

// state takes up how the session stands: the first time, or when it was opened
// anew under the follower.
func (s *live) state(ctx context.Context, e protocol.State) {
	s.limit = e.MaxTurns
	path := s.view.Path()
	old := s.stream // what was told of the answer that went on then
	for _, en := range path {
		if s.shown[en.ID] {
			continue
		}
		s.shown[en.ID] = true
		switch {
		case !s.begun && !s.replay, s.begun && en.Role == message.User && s.ours(en, "another"):
		case old != nil && en.Role == message.Assistant:
			if m, ok := messageOf(en); ok {
				s.onward(old, m)
			}
			old = nil
		default:
			s.entry(en)
		}
	}
	s.asked(path)
	s.mu.Lock()
	s.titled = s.titled || s.question != ""
	s.mu.Unlock()
	s.stream = nil
	if (s.begun || s.replay) && !e.Running {
		s.giveUpCalls()
	}
	if m := e.Answer; m != nil {
		s.stream = s.onward(old, *m)
	}
	for _, t := range e.Tools {
		s.toolStarted(t)
	}
	for _, q := range e.Open {
		s.ask(ctx, q)
	}
	if s.replay && !s.begun {
		s.tellUsage(ctx)
	}
	if s.begun {
		s.reopened()
	}
}

// onward tells what an answer says beyond what was told of it, and returns it as one
// that is being streamed.
func (s *live) onward(old *streaming, m message.Message) *streaming {
	now := newStreaming()
	for i, b := range m.Content {
		now.said[i] = []byte(b.Text)
		if old != nil && strings.HasPrefix(b.Text, string(old.said[i])) {
			b.Text = b.Text[len(old.said[i]):]
		}
		s.block(b)
	}
	return now
}

// appended tells of an entry. What was streamed has been told.
func (s *live) appended(a protocol.Appended) {
	en := a.Entry
	if a.Foreign && s.view.Leaf != en.ID {
		return // it is another branch until the leaf moves there
	}
	s.shown[en.ID] = true
	if en.Role == message.User {
		s.asked([]*session.Entry{en})
		s.entitle(en)
	}
	switch {
	case en.Role == message.Assistant && s.stream != nil:
		s.stream = nil
		if m, ok := messageOf(en); ok {
			for _, b := range m.ToolCalls() {
				s.called(b)
			}
		}
	case en.Role == message.User && s.ours(en, a.By):
	default:
		s.entry(en)
	}
}

// ours reports whether a message of the user is that of the prompt that goes on,
// which the editor shows already. One that waited for the run of somebody else has
// their name.
func (s *live) ours(en *session.Entry, by string) bool {
	text := ""
	if m, ok := messageOf(en); ok {
		text = m.Text("")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.turn
	if t == nil || t.heard || by != "" && by != s.a.o.Who && text != t.text {
		return false
	}
	t.heard = true
	return true
}

// moved tells of a step to another place. What lies further on is shown; another
// branch is not said anew.
func (s *live) moved(e protocol.LeafMoved) {
	path := s.view.Path()
	onward := e.Old == "" || slices.ContainsFunc(path, func(en *session.Entry) bool { return en.ID == e.Old })
	var fresh bool
	for _, en := range path {
		if s.shown[en.ID] {
			continue
		}
		if onward {
			s.entry(en)
		}
		s.shown[en.ID], fresh = true, true
	}
	s.asked(path)
	s.mu.Lock()
	ours := s.turn != nil && e.By == s.a.o.Who
	s.mu.Unlock()
	if ours || s.commanded() || onward && fresh || e.Old == e.New {
		return
	}
	where := "the beginning"
	if t := lastWords(path); t != "" {
		where = "“" + t + "”"
	}
	s.note("The conversation stands elsewhere now: behind " + where + ". What is said next goes on from there.")
}

// asked takes up what the person has said last on a path.
func (s *live) asked(path []*session.Entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.question = ""
	for _, en := range slices.Backward(path) {
		if en.Role == message.User {
			s.question = en.ID
			return
		}
	}
}

// entitle tells how a session that has no name begins.
func (s *live) entitle(en *session.Entry) {
	s.mu.Lock()
	titled := s.titled
	s.titled = true
	s.mu.Unlock()
	m, ok := messageOf(en)
	if titled || !ok || s.view.Tree.Name() != "" {
		return
	}
	if t := shorten(render.OneLine(m.Text(" ")), 100); t != "" {
		s.update(sdk.SessionSessionInfoUpdate{SessionUpdate: "session_info_update", Title: &t})
	}
}

// lastWords are the last ones that were said on a path.
func lastWords(path []*session.Entry) string {
	for _, en := range slices.Backward(path) {
		if m, ok := messageOf(en); ok && (m.Role == message.User || m.Role == message.Assistant) {
			if t := strings.Join(strings.Fields(m.Text(" ")), " "); t != "" {
				return shorten(t, 60)
			}
		}
	}
	return ""
}

// commanded reports whether a command of bough goes on, which says itself what it
// does.
func (s *live) commanded() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.turn != nil && s.turn.command
}

func (s *live) notice(n protocol.Notice) {
	if s.commanded() {
		return
	}
	text := n.Text
	if n.Entry != "" {
		text = sentence(text) + " The likely cause is entry " + string(n.Entry) + "."
	}
	if n.Level == "info" {
		s.think(text + "\n")
		return
	}
	s.note(text)
}

func messageOf(en *session.Entry) (message.Message, bool) {
	b, err := en.Body()
	if err != nil {
		return message.Message{}, false // it is told of as damage
	}
	m, ok := b.(session.Message)
	return m.Message, ok
}

// delta tells of a step of the answer.
func (s *live) delta(d message.Delta) {
	switch d.Kind {
	case message.TextDelta:
		s.heard(d)
		s.say(d.Text)
	case message.ThinkingDelta:
		s.heard(d)
		s.think(d.Text)
	case message.ToolCallStart:
		if d.ID != "" {
			s.announce(message.ToolCall(d.ID, d.Name, nil))
		}
	case message.ToolCallEnd:
		if d.Block != nil {
			s.called(*d.Block)
		}
	}
}

// heard notes what is told of the answer.
func (s *live) heard(d message.Delta) {
	if s.stream != nil {
		s.stream.said[d.Index] = append(s.stream.said[d.Index], d.Text...)
	}
}

// entry tells of an entry as a whole.
func (s *live) entry(en *session.Entry) {
	body, err := en.Body()
	if err != nil {
		return // it is told of as damage
	}
	switch b := body.(type) {
	case session.Message:
		s.message(en.ID, b.Message)
	case session.CustomMessage:
		if b.Display {
			for _, c := range b.Content {
				s.block(c)
			}
		}
	case session.Compaction:
		s.think("What came before was summed up for the model:\n\n" + b.Summary + "\n")
	case session.BranchSummary:
		s.think("What was said on another branch, summed up:\n\n" + b.Summary + "\n")
	}
}

func (s *live) message(id session.ID, m message.Message) {
	switch m.Role {
	case message.User:
		for _, b := range m.Content {
			if c, ok := content(b); ok {
				s.chunk("user_message_chunk", c)
			}
		}
	case message.Assistant:
		for _, b := range m.Content {
			s.block(b)
		}
		if m.ErrorMessage != "" && m.StopReason == message.Failed {
			s.note("The model failed: " + m.ErrorMessage)
		}
	case message.ToolResult:
		s.result(m)
	case message.Bash:
		s.userCommand(id, m)
	}
}

// block tells of a part of an answer as a whole.
func (s *live) block(b message.Block) {
	switch b.Type {
	case message.ThinkingBlock:
		if b.Text != "" {
			s.think(b.Text)
		}
	case message.ToolCallBlock:
		s.called(b)
	default:
		if c, ok := content(b); ok {
			s.chunk("agent_message_chunk", c)
		}
	}
}

// content is a block as the protocol has it.
func content(b message.Block) (sdk.ContentBlock, bool) {
	switch {
	case b.Type == message.TextBlock && b.Text != "":
		return sdk.TextBlock(b.Text), true
	case b.Type == message.ImageBlock && b.Data != "":
		return sdk.ImageBlock(b.Data, b.MimeType), true
	}
	return sdk.ContentBlock{}, false
}
