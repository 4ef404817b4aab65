// Package printer is the front end of scripts: it says one or more prompts and
// prints either the last answer or, as JSON, everything that happens.
package printer

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// Options say what to say and how to print.
type Options struct {
	Prompts []protocol.Prompt // said one after the other, each once the one before has settled
	JSON    bool              // print events (docs/spec/rpc.md 9)
	Out     io.Writer
	Err     io.Writer // for notices
}

// Run says the prompts and returns the exit code: of printed text 1 if the last
// answer failed or was cut; of JSON 0, since failures are among the events.
func Run(ctx context.Context, c protocol.Client, o Options) (int, error) {
	p := &printer{o: o, c: c, out: bufio.NewWriterSize(o.Out, 64<<10)}
	err := p.run(ctx)
	if ferr := p.flush(); err == nil {
		err = ferr
	}
	return p.code, err
}

func (p *printer) flush() error {
	if err := p.out.Flush(); err != nil {
		return fmt.Errorf("write the output: %w", err)
	}
	return nil
}

type printer struct {
	o    Options
	c    protocol.Client
	out  *bufio.Writer
	wire protocol.Wire
	live bool // State has come
	said int  // prompts
	last message.Message
	code int
}

// errDone ends the loop over events.
var errDone = errors.New("done")

func (p *printer) run(ctx context.Context) error {
	for ev, err := range p.c.Watch(ctx, 0) {
		if err != nil {
			return err
		}
		if err := p.event(ctx, ev); errors.Is(err, errDone) {
			return nil
		} else if err != nil {
			return err
		}
	}
	return protocol.ErrClosed
}

func (p *printer) event(ctx context.Context, ev protocol.Event) error {
	if p.live && p.o.JSON {
		for _, r := range p.wire.Records(ev) {
			p.out.Write(r)        // bufio keeps the first error for Flush
			p.out.WriteByte('\n') // likewise
		}
		if err := p.flush(); err != nil {
			return err
		}
	}
	switch e := ev.(type) {
	case protocol.Opened:
		if p.o.JSON && !p.live {
			p.out.Write(e.Header.Line())
			p.out.WriteByte('\n')
			return p.flush()
		}
	case protocol.State:
		if p.live {
			return nil // the session was read again
		}
		p.live = true
		return p.next(ctx)
	case protocol.Notice:
		fmt.Fprintf(p.o.Err, "bough: %s\n", e.Text)
	case protocol.RetryStarted:
		if !p.o.JSON {
			fmt.Fprintf(p.o.Err, "bough: %s; trying again in %s (%d of %d)\n", e.Error, e.Delay, e.Attempt, e.Max)
		}
	case protocol.Appended:
		if e.Entry.Role == message.Assistant && p.live && !e.Foreign {
			body, err := e.Entry.Body()
			if err != nil {
				return err
			}
			p.last = body.(session.Message).Message
		}
	case protocol.RunEnded:
		return p.settled(ctx, e)
	}
	return nil
}

// next says the next prompt, if there is one.
func (p *printer) next(ctx context.Context) error {
	if p.said == len(p.o.Prompts) {
		return errDone
	}
	prompt := p.o.Prompts[p.said]
	p.said++
	p.last = message.Message{}
	_, err := protocol.Call(ctx, p.c, prompt)
	return err
}

// settled is called when a run has ended.
func (p *printer) settled(ctx context.Context, e protocol.RunEnded) error {
	if p.said < len(p.o.Prompts) && !e.Aborted {
		return p.next(ctx)
	}
	if p.o.JSON {
		return errDone
	}
	text := p.last.Text("\n")
	if text != "" {
		p.out.WriteString(text)
		p.out.WriteByte('\n')
	}
	switch {
	case e.Aborted || p.last.StopReason == message.Aborted:
		p.code = 1
		fmt.Fprintln(p.o.Err, "bough: the answer was aborted")
	case p.last.StopReason == message.Failed:
		p.code = 1
		fmt.Fprintf(p.o.Err, "bough: the model failed: %s\n", p.last.ErrorMessage)
	case p.last.StopReason == message.Length:
		p.code = 1
		fmt.Fprintln(p.o.Err, "bough: the answer was cut off by the output limit of the model")
	case e.Failure != "":
		p.code = 1
	}
	return errDone
}
