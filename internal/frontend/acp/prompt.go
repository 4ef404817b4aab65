package acp

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/boughdev/bough/internal/prompt"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/provider"
)

// turn is a prompt of the editor that is being answered.
type turn struct {
	mark      string             // of the sync behind the prompt
	before    <-chan struct{}    // closed when aborts are over that were asked for before; nil: there are none
	stop      context.CancelFunc // ends what is done before the session has the prompt
	finished  chan outcome       // holds one
	text      string             // what is said; guarded by live.mu until it is
	cancelled bool               // guarded by live.mu
	said      bool               // the session may have the prompt; guarded by live.mu
	taken     bool               // it has; guarded by live.mu
	heard     bool               // and its message was seen; guarded by live.mu
	command   bool               // it is a command of bough; guarded by live.mu
	behind    bool               // the follower has come to the mark; guarded by live.mu
}

// outcome is what a prompt is answered with.
type outcome struct {
	reason sdk.StopReason
	usage  *sdk.Usage
	err    error
}

// end says what came of a turn. The first word counts.
func (t *turn) end(o outcome) {
	select {
	case t.finished <- o:
	default:
	}
}

// prompt begins a turn.
func (a *agent) prompt(p sdk.PromptRequest) (job, error) {
	s, err := a.find(p.SessionId)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(a.ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.turn != nil || s.loading {
		stop()
		return nil, &protocol.Error{Code: protocol.Busy, Text: "The session still answers a prompt. Wait for it, or cancel it first."}
	}
	s.prompts++
	t := &turn{mark: "prompt " + strconv.Itoa(s.prompts), before: s.aborting, stop: stop, finished: make(chan outcome, 1)}
	s.turn = t
	return func(asked context.Context) (any, error) {
		defer stop()
		gaveUp := context.AfterFunc(asked, func() { s.cancelTurn(t) })
		defer gaveUp()
		o := s.run(ctx, t, p.Prompt)
		s.mu.Lock()
		s.turn = nil
		if t.cancelled && o.err != nil {
			o = outcome{reason: sdk.StopReasonCancelled}
		}
		s.mu.Unlock()
		if o.err != nil {
			return nil, o.err
		}
		return sdk.PromptResponse{StopReason: o.reason, Usage: o.usage}, nil
	}, nil
}

// cancel ends what goes on in a session.
func (a *agent) cancel(p sdk.CancelNotification) (job, error) {
	s, err := a.find(p.SessionId)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.turn != nil {
		s.cancelLocked(s.turn)
	} else {
		s.abortLocked()
	}
	return nil, nil
}

// cancelTurn ends a turn, if it is not over.
func (s *live) cancelTurn(t *turn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.turn == t {
		s.cancelLocked(t)
	}
}

// cancelLocked ends a turn. If the session has not got the prompt yet, run sees to
// it.
func (s *live) cancelLocked(t *turn) {
	if t.cancelled {
		return
	}
	t.cancelled = true
	if !t.said {
		t.stop()
	}
	if t.said || t.command {
		s.abortLocked()
	}
}

// abortLocked begins to end what goes on, in the order in which that is asked for.
// The next prompt waits for it.
func (s *live) abortLocked() {
	before, done := s.aborting, make(chan struct{})
	s.aborting = done
	s.a.conn.work.Go(func() {
		defer close(done)
		if before != nil {
			<-before
		}
		s.abort()
	})
}

// abort ends the run and what else goes on. The error is that of a session that is
// no more.
func (s *live) abort() { _, _ = protocol.Call(s.a.ctx, s.c, protocol.Abort{}) }

// run does a turn.
func (s *live) run(ctx context.Context, t *turn, blocks []sdk.ContentBlock) outcome {
	p, err := s.words(ctx, blocks)
	if err != nil {
		return outcome{err: err}
	}
	if o, ok := s.command(ctx, t, p.text); ok {
		return o
	}
	s.mu.Lock()
	t.text = p.whole()
	s.mu.Unlock()
	return s.saying(t, func() (protocol.Disposition, error) {
		return protocol.Call(s.a.ctx, s.c, protocol.Prompt{Text: t.text, Images: p.images, WhenBusy: protocol.AsFollowUp})
	})
}

// saying has a run begin and waits for its end.
func (s *live) saying(t *turn, say func() (protocol.Disposition, error)) outcome {
	if t.before != nil {
		<-t.before
	}
	s.mu.Lock()
	if t.cancelled {
		s.mu.Unlock()
		return outcome{reason: sdk.StopReasonCancelled}
	}
	t.said = true
	s.mu.Unlock()
	did, err := say()
	if err != nil {
		return outcome{err: err}
	}
	if did == protocol.Handled {
		return outcome{reason: sdk.StopReasonEndTurn}
	}
	s.mu.Lock()
	t.taken = true
	stopped := t.cancelled
	s.mu.Unlock()
	if stopped {
		s.abort() // the one of the cancel may have come before the prompt
	}
	if _, err := protocol.Call(s.a.ctx, s.c, protocol.Sync{ID: t.mark}); err != nil {
		if err := s.unmarked(t); err != nil {
			return outcome{err: err}
		}
	}
	select {
	case o := <-t.finished:
		if did == protocol.Queued {
			s.unsay(t)
		}
		return o
	case <-s.a.ctx.Done():
		return outcome{err: context.Cause(s.a.ctx)}
	}
}

// unmarked does without the mark, which went astray with a broken connection: the
// turn ends when nothing runs any more.
func (s *live) unmarked(t *turn) error {
	s.mu.Lock()
	t.behind = true
	s.mu.Unlock()
	st, err := protocol.Call(s.a.ctx, s.c, protocol.GetState{})
	if err == nil && !st.Running {
		t.end(outcome{reason: sdk.StopReasonEndTurn})
	}
	return err
}

// reopened is called when the session was opened anew under the follower: the mark
// may be lost, and so may the end of the run.
func (s *live) reopened() {
	s.mu.Lock()
	t := s.turn
	if t == nil || !t.taken {
		s.mu.Unlock()
		return
	}
	t.behind = true
	s.mu.Unlock()
	if s.view.Running {
		return
	}
	path := s.view.Path()
	if len(path) > 0 {
		switch m, _ := messageOf(path[len(path)-1]); {
		case m.Role == message.Assistant && m.StopReason == message.Stop:
			t.end(outcome{reason: sdk.StopReasonEndTurn})
		case m.Role == message.Assistant && m.StopReason == message.Length:
			t.end(outcome{reason: sdk.StopReasonMaxTokens})
		}
	}
	t.end(outcome{err: errors.New("What ran this session has ended in the middle of the answer. What was said up to then is in the session; /retry goes on.")})
}

// unsay takes back a prompt that still waits for somebody else's run.
func (s *live) unsay(t *turn) {
	s.mu.Lock()
	heard := t.heard
	s.mu.Unlock()
	if heard {
		return
	}
	q, err := protocol.Call(s.a.ctx, s.c, protocol.GetQueue{})
	if err != nil {
		return // the session is gone, and what waits is kept with it
	}
	for _, w := range slices.Backward(q.Items) {
		if w.Text == t.text {
			_, _ = protocol.Call(s.a.ctx, s.c, protocol.DropQueued{ID: w.ID}) // it may have been said just now
			return
		}
	}
}

// synced is called when the follower has come to where a prompt was taken.
func (s *live) synced(id string) {
	if number, ok := strings.CutPrefix(id, terminalMark); ok {
		s.showTerminals(number)
		return
	}
	s.mu.Lock()
	t := s.turn
	s.mu.Unlock()
	if t == nil || t.mark != id {
		return
	}
	s.mu.Lock()
	t.behind = true
	s.mu.Unlock()
	s.finish(true)
}

// finish answers the prompt that waits for the end of the run. idle asks whether
// nothing runs any more.
func (s *live) finish(idle bool) {
	s.mu.Lock()
	t := s.turn
	behind := t != nil && t.behind
	s.mu.Unlock()
	if !behind || idle && s.view.Running {
		return
	}
	t.end(s.outcome(s.ended))
}

// outcome says how a run has ended.
func (s *live) outcome(e protocol.RunEnded) outcome {
	o := outcome{reason: sdk.StopReasonEndTurn, usage: s.used.asked()}
	switch {
	case e.Aborted:
		o.reason = sdk.StopReasonCancelled
	case isRefusal(s.answer.RawStopReason):
		o.reason = sdk.StopReasonRefusal
	case e.Failure != "" && e.Kind == "" && s.limit > 0 && s.loops >= s.limit && s.answer.StopReason == message.ToolUse:
		s.note(e.Failure)
		o.reason = sdk.StopReasonMaxTurnRequests
	case e.Failure != "":
		text := sentence(e.Failure)
		if e.Advice != "" {
			text += " " + sentence(e.Advice)
		}
		code := internal
		if e.Kind == provider.Auth {
			code = authRequired
		}
		o.err = &sdk.RequestError{Code: code, Message: text}
	case s.answer.StopReason == message.Length:
		o.reason = sdk.StopReasonMaxTokens
	}
	return o
}

// isRefusal reports whether a provider's word for the end of an answer says that it
// does not want to answer.
func isRefusal(word string) bool {
	switch strings.ToLower(word) {
	case "refusal", "content_filter", "safety", "prohibited_content", "blocklist", "guardrail_intervened":
		return true
	}
	return false
}

// usage adds up what the answers of a run took.
type usage struct{ u *message.Usage }

func (u *usage) add(v *message.Usage) {
	if v == nil {
		return
	}
	if u.u == nil {
		u.u = &message.Usage{}
	}
	u.u = u.u.Plus(v)
}

func (u usage) asked() *sdk.Usage {
	if u.u == nil {
		return nil
	}
	r := &sdk.Usage{InputTokens: int(u.u.Input), OutputTokens: int(u.u.Output), TotalTokens: int(u.u.TotalTokens),
		CachedReadTokens: sdk.Ptr(int(u.u.CacheRead)), CachedWriteTokens: sdk.Ptr(int(u.u.CacheWrite))}
	if u.u.Reasoning != nil {
		r.ThoughtTokens = sdk.Ptr(int(*u.u.Reasoning))
	}
	return r
}

// words are what a prompt says.
type words struct {
	text     string   // as it was typed
	attached []string // files, each an element
	images   []message.Block
}

func (w words) whole() string {
	return strings.Join(append([]string{w.text}, w.attached...), "\n\n")
}

// words reads the blocks of a prompt. Files become elements, as @file on the
// command line makes them (docs/spec/frontends.md ).
func (s *live) words(ctx context.Context, blocks []sdk.ContentBlock) (w words, err error) {
	for i, b := range blocks {
		switch {
		case b.Text != nil:
			w.text += b.Text.Text
		case b.Image != nil:
			img, err := picture(b.Image.Data, b.Image.MimeType)
			if err != nil {
				return w, invalid("prompt[%d]: %v", i, err)
			}
			w.images = append(w.images, img)
		case b.ResourceLink != nil:
			s.link(ctx, &w, b.ResourceLink.Uri, b.ResourceLink.Name)
		case b.Resource != nil:
			if err := resource(&w, b.Resource.Resource); err != nil {
				return w, invalid("prompt[%d]: %v", i, err)
			}
		case b.Audio != nil:
			return w, invalid("prompt[%d] is audio, which bough does not take. Say it as text.", i)
		default:
			return w, invalid("prompt[%d] is of no type that bough knows: text, image, resource_link, resource.", i)
		}
	}
	if strings.TrimSpace(w.text) == "" && len(w.attached) == 0 && len(w.images) == 0 {
		return w, invalid("The prompt is empty.")
	}
	return w, ctx.Err()
}

// picture checks an image.
func picture(data, mime string) (message.Block, error) {
	if !slices.Contains(imageTypes, mime) {
		return message.Block{}, fmt.Errorf("an image of type %q; models take %s", mime, strings.Join(imageTypes, ", "))
	}
	raw, err := base64.StdEncoding.DecodeString(data)
	if err != nil || len(raw) == 0 {
		return message.Block{}, fmt.Errorf("the data of the image is no base64")
	}
	return message.Image(raw, mime), nil
}

// link takes up a file or a page that was only named. What can be read of this
// machine comes along; of the rest the model is told where it is.
func (s *live) link(ctx context.Context, w *words, uri, name string) {
	path, ok := filePath(uri)
	if !ok {
		w.text += uri
		return
	}
	w.text += "@" + path
	if text, err := s.ReadText(ctx, path); err == nil {
		w.attached = append(w.attached, element(path, text))
		return
	}
	if s.a.o.Attach == nil {
		return
	}
	text, image, err := s.a.o.Attach(ctx, path)
	if err != nil {
		return // a folder, or too large: its path is in the text
	}
	if text != "" {
		w.attached = append(w.attached, text)
	}
	if image != nil {
		w.images = append(w.images, *image)
	}
}

// filePath is the path of a file: URI.
func filePath(uri string) (string, bool) {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Path == "" || u.Host != "" && u.Host != "localhost" {
		return "", false
	}
	p := u.Path
	if len(p) > 2 && p[0] == '/' && p[2] == ':' {
		p = p[1:] // C:/
	}
	return p, true
}

// resource takes up a file that came along.
func resource(w *words, r sdk.EmbeddedResourceResource) error {
	named := func(uri string) string {
		if p, ok := filePath(uri); ok {
			if u, err := url.Parse(uri); err == nil && u.Fragment != "" {
				p += "#" + u.Fragment
			}
			return p
		}
		return uri
	}
	switch {
	case r.TextResourceContents != nil:
		name := named(r.TextResourceContents.Uri)
		w.text += "@" + name
		w.attached = append(w.attached, element(name, r.TextResourceContents.Text))
	case r.BlobResourceContents != nil:
		b := r.BlobResourceContents
		name := named(b.Uri)
		w.text += "@" + name
		if b.MimeType == nil || !slices.Contains(imageTypes, *b.MimeType) {
			w.attached = append(w.attached, prompt.FileElement(name, "It is no text and is left out."))
			return nil
		}
		img, err := picture(b.Blob, *b.MimeType)
		if err != nil {
			return err
		}
		w.images = append(w.images, img)
		w.attached = append(w.attached, prompt.FileElement(name, ""))
	default:
		return fmt.Errorf("a resource has a text or a blob")
	}
	return nil
}

func element(name, text string) string {
	return prompt.FileElement(name, "\n"+strings.TrimPrefix(text, "\ufeff")+"\n")
}
