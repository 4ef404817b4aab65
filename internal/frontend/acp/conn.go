package acp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/protocol"
)

// Codes of errors, of JSON-RPC and of the protocol.
const (
	parseError     = -32700
	invalidRequest = -32600
	noMethod       = -32601
	invalidParams  = -32602
	internal       = -32603
	authRequired   = -32000
	notFound       = -32002
	cancelled      = -32800
)

const cancelRequest = "$/cancel_request"

// method begins what a request asks for and returns the rest of it. The reader
// waits for the beginning only.
type method func(params json.RawMessage) (job, error)

// job does a request and returns its result, which may be a then.
type job func(ctx context.Context) (any, error)

// then is a result, and what is done when it is on its way.
type then struct {
	result any
	after  func()
}

// conn is the wire.
type conn struct {
	methods map[string]method
	work    sync.WaitGroup // requests of the editor, and what else writes
	broken  func(error)    // nobody reads any more

	writing sync.Mutex
	out     io.Writer // guarded by writing
	failed  error     // guarded by writing

	mu      sync.Mutex
	asked   int                                // guarded by mu
	waiting map[string]chan envelope           // what we have asked, by id; guarded by mu
	doing   map[string]context.CancelCauseFunc // what we were asked, by id; guarded by mu
}

// envelope is any message.
type envelope struct {
	JSONRPC string            `json:"jsonrpc"`
	ID      json.RawMessage   `json:"id,omitempty"`
	Method  string            `json:"method,omitempty"`
	Params  json.RawMessage   `json:"params,omitempty"`
	Result  json.RawMessage   `json:"result,omitempty"`
	Error   *sdk.RequestError `json:"error,omitempty"`
}

func newConn(out io.Writer, broken func(error)) *conn {
	return &conn{out: out, broken: broken, waiting: map[string]chan envelope{}, doing: map[string]context.CancelCauseFunc{}}
}

// read takes messages until the input ends.
func (c *conn) read(ctx context.Context, from io.Reader) error {
	in := bufio.NewReaderSize(from, 64<<10)
	for ctx.Err() == nil {
		line, err := in.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) > 0 {
			c.take(ctx, line)
		}
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("read the input: %w", err)
		}
	}
	return nil
}

// take carries out one message.
func (c *conn) take(ctx context.Context, line []byte) {
	var e envelope
	if err := json.Unmarshal(line, &e); err != nil {
		code, text := parseError, "This line is no JSON. A message is one object on one line."
		if json.Valid(line) {
			code, text = invalidRequest, "This is no message of JSON-RPC 2.0. A message is one object with a method, or with an id and a result."
		}
		c.send(envelope{ID: json.RawMessage("null"), Error: &sdk.RequestError{Code: code, Message: text}})
		return
	}
	key, ok := idKey(e.ID)
	switch {
	case !ok:
		c.send(envelope{ID: json.RawMessage("null"), Error: &sdk.RequestError{Code: invalidRequest, Message: "The id of a request is a string or a number."}})
	case e.Method == "" && (e.Result != nil || e.Error != nil):
		c.answered(key, e)
	case e.Method == "":
		c.send(envelope{ID: orNull(e.ID), Error: &sdk.RequestError{Code: invalidRequest, Message: "The message has no method."}})
	case e.Method == cancelRequest:
		c.cancelled(e.Params)
	default:
		c.begin(ctx, key, e)
	}
}

// idKey is the same for the same id. A message without one has "".
func idKey(id json.RawMessage) (string, bool) {
	if len(id) == 0 {
		return "", true
	}
	switch id[0] {
	case '"', 'n', '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return string(id), true
	}
	return "", false
}

func orNull(id json.RawMessage) json.RawMessage {
	if len(id) == 0 {
		return json.RawMessage("null")
	}
	return id
}

// begin starts a request or a notification.
func (c *conn) begin(ctx context.Context, key string, e envelope) {
	m, ok := c.methods[e.Method]
	if !ok {
		c.respond(e.ID, nil, &sdk.RequestError{Code: noMethod, Message: "There is no method " + e.Method + "."})
		return
	}
	do, err := m(e.Params)
	if err != nil || do == nil {
		c.respond(e.ID, nil, err)
		return
	}
	ctx, cancel := context.WithCancelCause(ctx)
	if key != "" {
		c.mu.Lock()
		c.doing[key] = cancel
		c.mu.Unlock()
	}
	c.work.Go(func() {
		defer func() {
			if key != "" {
				c.mu.Lock()
				delete(c.doing, key)
				c.mu.Unlock()
			}
			cancel(nil)
		}()
		r, err := do(ctx)
		c.respond(e.ID, r, err)
	})
}

// respond answers a request; of a notification nothing is told.
func (c *conn) respond(id json.RawMessage, result any, err error) {
	var after func()
	if t, ok := result.(then); ok {
		result, after = t.result, t.after
	}
	if len(id) > 0 {
		e := envelope{ID: id}
		if err == nil {
			e.Result, err = rawjson.Encode(result)
		}
		if err != nil {
			e.Result, e.Error = nil, asError(err)
		}
		c.send(e)
	}
	if after != nil && err == nil {
		after()
	}
}

// cancelled ends a request that the editor has given up.
func (c *conn) cancelled(raw json.RawMessage) {
	var p struct {
		RequestID json.RawMessage `json:"requestId"`
	}
	if json.Unmarshal(raw, &p) != nil {
		return // it names no request
	}
	c.mu.Lock()
	cancel := c.doing[string(p.RequestID)]
	c.mu.Unlock()
	if cancel != nil {
		cancel(context.Canceled)
	}
}

// answered passes an answer on to who waits for it.
func (c *conn) answered(key string, e envelope) {
	c.mu.Lock()
	ch := c.waiting[key]
	delete(c.waiting, key)
	c.mu.Unlock()
	if ch != nil {
		ch <- e
	}
}

// ask sends a request to the editor and waits for its answer. If ctx ends before,
// the editor is told that it need not answer.
func ask[R any](ctx context.Context, c *conn, name string, params any) (R, error) {
	var r R
	raw, err := rawjson.Encode(params)
	if err != nil {
		return r, err
	}
	c.mu.Lock()
	c.asked++
	id := strconv.Itoa(c.asked)
	ch := make(chan envelope, 1)
	c.waiting[id] = ch
	c.mu.Unlock()
	if err := c.send(envelope{ID: json.RawMessage(id), Method: name, Params: raw}); err != nil {
		return r, err
	}
	select {
	case e := <-ch:
		if e.Error != nil {
			return r, e.Error
		}
		if err := json.Unmarshal(e.Result, &r); err != nil {
			return r, fmt.Errorf("the editor's answer to %s: %w", name, err)
		}
		return r, nil
	case <-ctx.Done():
		c.mu.Lock()
		delete(c.waiting, id)
		c.mu.Unlock()
		if !errors.Is(context.Cause(ctx), errGone) {
			c.notify(cancelRequest, map[string]json.RawMessage{"requestId": json.RawMessage(id)})
		}
		return r, ctx.Err()
	}
}

// notify tells the editor something. That it is gone is told by broken.
func (c *conn) notify(name string, params any) {
	raw, err := rawjson.Encode(params)
	if err != nil {
		raw, _ = rawjson.Encode(map[string]string{"error": err.Error()}) // a text can be encoded
	}
	c.send(envelope{Method: name, Params: raw})
}

// send writes a message.
func (c *conn) send(e envelope) error {
	e.JSONRPC = "2.0"
	b, err := rawjson.Encode(e)
	if err != nil {
		return err
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	if c.failed != nil {
		return c.failed
	}
	if _, err := c.out.Write(append(b, '\n')); err != nil {
		c.failed = fmt.Errorf("write the output: %w", err)
		c.broken(c.failed)
	}
	return c.failed
}

func invalid(format string, args ...any) error {
	return &sdk.RequestError{Code: invalidParams, Message: fmt.Sprintf(format, args...)}
}

// asError says an error in the words of the protocol.
func asError(err error) *sdk.RequestError {
	if e, ok := errors.AsType[*sdk.RequestError](err); ok {
		return e
	}
	e := &sdk.RequestError{Code: internal, Message: err.Error()}
	code := protocol.CodeOf(err)
	if code != "" {
		e.Data = map[string]string{"code": string(code)}
	}
	switch code {
	case protocol.NoModel, protocol.NoAuth:
		e.Code = authRequired
	case protocol.UnknownSession, protocol.NotFound, protocol.UnknownEntry:
		e.Code = notFound
	case protocol.BadRequest, protocol.Busy, protocol.Compacting, protocol.NotRunnable:
		e.Code = invalidParams
	case protocol.Cancelled:
		e.Code = cancelled
	}
	if errors.Is(err, context.Canceled) {
		e.Code = cancelled
		if err == context.Canceled { // which says nothing to people
			e.Message = "The request was cancelled."
		}
	}
	return e
}
