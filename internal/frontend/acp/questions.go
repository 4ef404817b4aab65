package acp

import (
	"context"
	"slices"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
)

// ask puts a question to the person at the editor, once.
func (s *live) ask(ctx context.Context, q protocol.Asked) {
	s.mu.Lock()
	_, asked := s.questions[q.ID]
	if asked {
		s.mu.Unlock()
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	s.questions[q.ID] = cancel
	s.mu.Unlock()

	r := permission{SessionID: s.id, Options: permissionOptions(q)}
	if q.About != nil {
		c := s.called(message.ToolCall(q.About.CallID, q.About.Tool, message.Value(q.About.Args)))
		r.ToolCall = s.described(c)
		r.ToolCall.Status = sdk.ToolCallStatusPending
		if q.About.Reason != "" && len(r.ToolCall.Content) == 0 {
			r.ToolCall.Content = []sdk.ToolCallContent{sdk.ToolContent(sdk.TextBlock(sentence(q.About.Reason)))}
		}
	} else {
		r.ToolCall = toolCall{ID: questionID(q.ID), Title: q.Text, Tool: sdk.ToolKindOther, Status: sdk.ToolCallStatusPending}
		u := r.ToolCall
		u.Kind = newCall
		s.update(u)
		s.loose[q.ID] = true
	}
	s.a.conn.work.Go(func() {
		defer cancel()
		s.settle(ctx, q, r)
	})
}

func questionID(id string) sdk.ToolCallId { return sdk.ToolCallId("question " + id) }

// permission is a session/request_permission.
type permission struct {
	SessionID sdk.SessionId          `json:"sessionId"`
	ToolCall  toolCall               `json:"toolCall"`
	Options   []sdk.PermissionOption `json:"options"`
}

// permissionOptions are the answers that the editor offers. It cannot send words
// along, so of two answers that differ in that only the plain one is offered.
func permissionOptions(q protocol.Asked) []sdk.PermissionOption {
	out := []sdk.PermissionOption{}
	for i, c := range q.Choices {
		plain := func(x protocol.Choice) bool { return x.Kind == c.Kind && !x.Words }
		if c.Words && c.Kind != "" && slices.ContainsFunc(q.Choices, plain) {
			continue
		}
		kind := sdk.PermissionOptionKind(c.Kind)
		if kind == "" {
			if kind = sdk.PermissionOptionKindAllowOnce; i > 0 && i == len(q.Choices)-1 {
				kind = sdk.PermissionOptionKindRejectOnce
			}
		}
		out = append(out, sdk.PermissionOption{OptionId: sdk.PermissionOptionId(c.ID), Name: c.Text, Kind: kind})
	}
	return out
}

// settle waits for the person and passes the answer on. Whoever cancels a question
// stops the run.
func (s *live) settle(ctx context.Context, q protocol.Asked, p permission) {
	r, err := ask[sdk.RequestPermissionResponse](ctx, s.a.conn, sdk.ClientMethodSessionRequestPermission, p)
	if ctx.Err() != nil {
		return // somebody else has answered it, or it was taken back
	}
	answer := protocol.Answer{Question: q.ID}
	switch {
	case err != nil:
		s.note("The editor did not answer a question, which counts as no: " + err.Error())
		i := slices.IndexFunc(p.Options, func(o sdk.PermissionOption) bool { return o.Kind == sdk.PermissionOptionKindRejectOnce })
		if i < 0 {
			s.abort()
			return
		}
		answer.Choice = string(p.Options[i].OptionId)
	case r.Outcome.Selected != nil:
		answer.Choice = string(r.Outcome.Selected.OptionId)
	default:
		s.abort()
		return
	}
	// Any other error says that somebody else was quicker, or that the run is over.
	if _, err := protocol.Call(s.a.ctx, s.c, answer); protocol.CodeOf(err) == protocol.BadRequest { // it is none of the choices
		s.note("The editor's answer was not understood, which stops the run: " + err.Error())
		s.abort()
	}
}

// answered takes a question back from the editor.
func (s *live) answered(a protocol.Answered) {
	s.mu.Lock()
	cancel := s.questions[a.ID]
	delete(s.questions, a.ID)
	s.mu.Unlock()
	if cancel != nil {
		cancel()
	}
	if s.loose[a.ID] {
		delete(s.loose, a.ID)
		s.update(toolCall{Kind: callUpdate, ID: questionID(a.ID), Status: sdk.ToolCallStatusCompleted})
	}
}
