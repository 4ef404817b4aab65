// Package protocol is the waist of bough: what front ends and the session
// service say to each other, as plain data.
//
// A front end holds a [Client]. It sends commands with [Call] and gets [Event]s
// from Watch; it may sit in the same process, behind a pipe or behind a network,
// and several may stand at one session at once. Watch yields
//
//	Opened      the session the client stands at, with its tree
//	Appended    or, if the caller has some entries already, each behind that place
//	State       leaf, model, queue, the answer so far
//	…           what happens from then on
//
// and begins again with Opened when the client goes over to another session.
// Facts are never left out. Progress (Delta, ToolProgress, BashOutput) that was
// not taken in time is merged with the next, so nobody waits for a slow reader.
package protocol

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/boughdev/bough/session"
)

// Client is one front end's way to the session service. It is safe for several
// goroutines.
type Client interface {
	// Do carries out one command and returns its answer; see [Call]. When ctx
	// ends the waiting ends, not the work.
	Do(ctx context.Context, cmd Request) (any, error)

	// Watch yields events until ctx ends or the client is closed. after is the
	// place up to which the caller has the session's entries; 0 for none.
	Watch(ctx context.Context, after session.Seq) iter.Seq2[Event, error]
}

// Request is any command.
type Request interface {
	Name() string // as RPC has it
}

// Command is a command that is answered with an R.
type Command[R any] interface {
	Request
	answers(R)
}

// Call carries out a command.
func Call[R any](ctx context.Context, c Client, cmd Command[R]) (R, error) {
	var none R
	v, err := c.Do(ctx, cmd)
	if err != nil {
		return none, err
	}
	r, ok := v.(R)
	if !ok {
		return none, fmt.Errorf("%s was answered with a %T", cmd.Name(), v)
	}
	return r, nil
}

// Code is a machine's word for why a command failed.
type Code string

const (
	BadRequest     Code = "bad_request"
	UnknownCommand Code = "unknown_command"
	UnknownEntry   Code = "unknown_entry"
	UnknownSession Code = "unknown_session"
	Busy           Code = "busy"
	Compacting     Code = "compacting"
	NoModel        Code = "no_model"
	NoAuth         Code = "no_auth"
	NotRunnable    Code = "not_runnable"
	NotFound       Code = "not_found"
	Cancelled      Code = "cancelled"
	IO             Code = "io"
	Delivered      Code = "delivered" // what was said is there, though the command failed
)

// Error is why a command failed, in words for people and for programs.
type Error struct {
	Code Code
	Text string
	Err  error // the cause, or nil
}

func (e *Error) Error() string { return e.Text }
func (e *Error) Unwrap() error { return e.Err }

// Fail makes an error of that code.
func Fail(code Code, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	return &Error{code, err.Error(), errors.Unwrap(err)}
}

// CodeOf returns the code of an error, or "".
func CodeOf(err error) Code {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return ""
}

// ErrClosed is returned by a client whose service has ended.
var ErrClosed = errors.New("the session is closed")
