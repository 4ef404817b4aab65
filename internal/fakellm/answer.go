package fakellm

import (
	"context"
	"net"
	"net/http"
	"strconv"
	"strings"

	"github.com/boughdev/bough/internal/script"
)

// setRequestID names request n as its API does.
func setRequestID(h http.Header, api script.API, n int) {
	switch api {
	case script.Anthropic:
		h.Set("Request-Id", script.RequestID(n))
	case script.Bedrock:
		h.Set("X-Amzn-Requestid", script.RequestID(n))
	default:
		h.Set("X-Request-Id", script.RequestID(n))
	}
}

// sendJSON sends a whole answer. What goes wrong is the client's to notice.
func sendJSON(w http.ResponseWriter, status int, body raw) { send(w, status, "application/json", body) }

func send(w http.ResponseWriter, status int, contentType string, body []byte) {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// ending is how an answer ended.
type ending struct {
	status  string // of HTTP, or "reset", "hang", "truncated", "stream-error"
	pieces  int
	aborted bool // by the client
}

// answerer sends one reply.
type answerer struct {
	w       http.ResponseWriter
	r       *script.Reply
	enc     encoder
	line    string // line end of an event stream
	started bool   // the stream has begun
	ending
}

func (s *Server) answer(ctx context.Context, w http.ResponseWriter, r *script.Reply, c script.Conversation, body []byte) ending {
	a := &answerer{w: w, r: r, enc: newEncoder(r, c.Model, body), line: "\n", ending: ending{status: "200"}}
	if r.Wire.CRLF {
		a.line = "\r\n"
	}
	over := false // whether there was a last step
	for step := range r.Steps(ctx, s.pace) {
		if c.Stream {
			over = a.stream(step)
		} else {
			if step.Kind == script.BrokenOff { // no stream to say it in: the client waits in vain
				s.script.Hang(ctx)
			}
			over = a.plain(step)
		}
		switch {
		case step.Kind == script.Piece:
			a.pieces++
		case over && step.Kind != script.Finished && !c.Stream:
			a.pieces = 0 // none was sent
		}
	}
	if !over {
		a.aborted = true
		if r.Failure != nil {
			a.status = "hang"
		}
		if !c.Stream {
			a.pieces = 0
		}
	}
	return a.ending
}

// stream does one step of a stream and reports whether it was the last.
func (a *answerer) stream(step script.Step) bool {
	switch step.Kind {
	case script.Started:
		h := a.w.Header()
		h.Set("Content-Type", "text/event-stream; charset=utf-8")
		if a.r.API == script.Bedrock {
			h.Set("Content-Type", "application/vnd.amazon.eventstream")
		}
		h.Set("Cache-Control", "no-cache")
		h.Set("Connection", "keep-alive")
		setRequestID(h, a.r.API, a.r.N)
		a.w.WriteHeader(http.StatusOK)
		a.started = true
		a.flush()
		a.write(a.enc.start())
	case script.Opened:
		a.write(a.enc.open(step.Block))
	case script.Piece:
		a.write(a.enc.piece(step.Block, step.Text))
	case script.Closed:
		a.write(a.enc.close(step.Block))
	case script.Malformed:
		bad := []byte("data: " + step.Text + "\n\n")
		if a.r.API == script.Bedrock {
			bad = frame("contentBlockDelta", []byte(step.Text))
		}
		_, _ = a.w.Write(bad) // a client that is gone ends the context
		a.flush()
	case script.BrokenOff:
		a.status = "stream-error"
		a.write(a.enc.fail(step.Failure))
		return true
	case script.Finished:
		a.write(a.enc.finish())
		return true
	default:
		return a.end(step)
	}
	return false
}

// plain does one step of a reply without a stream and reports whether it was the
// last.
func (a *answerer) plain(step script.Step) bool {
	switch step.Kind {
	case script.Started, script.Opened, script.Piece, script.Closed, script.Malformed:
		return false
	case script.Finished:
		sendJSON(a.w, http.StatusOK, a.enc.whole())
		return true
	}
	return a.end(step)
}

// end does a last step that is the same with and without a stream.
func (a *answerer) end(step script.Step) bool {
	switch step.Kind {
	case script.Refused:
		a.refuse(step.Failure)
	case script.EndedEarly:
		a.status = "truncated"
	case script.Reset:
		a.status = "reset"
		a.reset()
	}
	return true
}

func (a *answerer) refuse(f *script.Failure) {
	a.status = strconv.Itoa(f.Status)
	h := a.w.Header()
	setRequestID(h, a.r.API, a.r.N)
	contentType, body := "application/json", f.JSON(a.r.API, a.r.N)
	if f.Body != nil {
		body = f.Body
	}
	if f.IsText {
		contentType = "text/html"
	}
	if a.r.API == script.Bedrock {
		h.Set("X-Amzn-Errortype", strings.ToUpper(f.Type[:1])+f.Type[1:]+":http://internal.amazon.com/coral/com.amazon.bedrock/")
	}
	for _, pair := range f.Headers {
		h.Set(pair[0], pair[1])
	}
	send(a.w, f.Status, contentType, body)
}

// reset breaks the connection so that the client sees "connection reset".
func (a *answerer) reset() {
	if a.started {
		a.flush()
	}
	conn, _, err := http.NewResponseController(a.w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // HTTP/2 or a recorder: break off as far as it goes
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // Close makes the best of it
	}
	_ = conn.Close() // it is meant to break
}

func (a *answerer) write(events []event) {
	for _, e := range events {
		b := a.bytes(e)
		n := a.r.Wire.SplitBytes
		if n <= 0 {
			n = len(b)
		}
		for len(b) > 0 {
			n = min(n, len(b))
			if _, err := a.w.Write(b[:n]); err != nil {
				return // the client is gone, which ends the context
			}
			b = b[n:]
			a.flush()
		}
	}
}

// bytes is an event as it is sent.
func (a *answerer) bytes(e event) []byte {
	if a.r.API == script.Bedrock {
		return frame(e.name, e.data)
	}
	var b []byte
	if a.r.Wire.Comments {
		b = append(b, ": keep-alive"+a.line...)
	}
	if e.name != "" {
		b = append(b, "event: "+e.name+a.line...)
	}
	return append(append(append(b, "data: "...), e.data...), a.line+a.line...)
}

// flush sends what was written, so that pieces leave one by one.
func (a *answerer) flush() {
	_ = http.NewResponseController(a.w).Flush() // a client that is gone ends the context
}
