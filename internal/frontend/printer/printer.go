// Package printer is the front end of scripts: it says one or more prompts and
// prints either the last answer or, as JSON, everything that happens.
package printer

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// Options say what to say and how to print.
type Options struct {
	Prompts  []protocol.Prompt // said one after the other, each once the one before has settled
	JSON     bool              // print events (docs/spec/rpc.md 9)
	Terminal bool              // Out is one: what it would obey is taken out of the answer
	Out      io.Writer
	Err      io.Writer // for notices, and for what went wrong
	Who      string    // this front end, as runs say who began them; "": nobody else is there
}

// Run says the prompts and returns the exit code: of printed text 1 if the last
// answer failed or was cut; of JSON 0, since failures are among the events. If
// nobody reads Out any more it returns at once, with that error.
func Run(ctx context.Context, c protocol.Client, o Options) (int, error) {
	p := &printer{o: o, c: c, out: bufio.NewWriterSize(o.Out, 64<<10)}
	err := p.run(ctx)
	if ferr := p.flush(); err == nil {
		err = ferr
	}
	return p.code, err
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

	// Others may stand at the session too.
	running bool // a run goes on
	theirs  bool // and our prompt is no part of it
	waiting bool // our prompt is said when it has ended
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

func (p *printer) flush() error {
	if err := p.out.Flush(); err != nil {
		return fmt.Errorf("write the output: %w", err)
	}
	return nil
}

// record prints lines of JSON, which are there for the reader at once.
func (p *printer) record(lines ...[]byte) error {
	if len(lines) == 0 {
		return nil
	}
	for _, l := range lines {
		p.out.Write(l)        // bufio keeps the first error for Flush
		p.out.WriteByte('\n') // likewise
	}
	return p.flush()
}

// tell says something that is not the product of the run.
func (p *printer) tell(format string, args ...any) {
	fmt.Fprintf(p.o.Err, "bough: %s\n", render.Clean(fmt.Sprintf(format, args...)))
}

func (p *printer) event(ctx context.Context, ev protocol.Event) error {
	if p.live && p.o.JSON {
		if err := p.record(p.wire.Records(ev)...); err != nil {
			return err
		}
	}
	switch e := ev.(type) {
	case protocol.Opened:
		if p.o.JSON && !p.live {
			return p.record(e.Header.Line())
		}
	case protocol.State:
		if p.live {
			return nil // the session was read again
		}
		p.live, p.running = true, e.Running
		return p.next(ctx)
	case protocol.RunStarted:
		p.running = true
		p.theirs = p.o.Who != "" && e.By != p.o.Who
	case protocol.Notice:
		if e.Entry != "" {
			e.Text += " The likely cause is entry " + string(e.Entry) + "."
		}
		p.tell("%s", e.Text)
	case protocol.Asked: // by a session that is open elsewhere: nobody is asked otherwise
		p.tell("waiting until somebody answers at another front end: %s", e.Text)
	case protocol.RetryStarted:
		if !p.o.JSON {
			p.tell("%s; trying again in %s (%d of %d)", e.Error, e.Delay.Round(time.Millisecond), e.Attempt, e.Max)
		}
	case protocol.CompactionEnded:
		switch {
		case p.o.JSON:
		case e.Error != "":
			p.tell("not compacted: %s", e.Error)
		case e.Result != nil && e.Result.Entry != "":
			p.tell("the older part of the conversation was summed up, %d messages", e.Result.Messages)
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
		p.running = false
		if p.waiting {
			return p.next(ctx)
		}
		if p.theirs {
			p.theirs = false
			return nil
		}
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
	did, err := protocol.Call(ctx, p.c, prompt)
	// A run that went on until just now has its end still to tell of.
	p.theirs = p.running && did == protocol.Started
	if p.waiting = protocol.CodeOf(err) == protocol.Busy && p.o.Who != ""; p.waiting {
		p.said--
		return nil
	}
	return err
}

// settled is called when a run has ended.
func (p *printer) settled(ctx context.Context, e protocol.RunEnded) error {
	if !p.o.JSON {
		p.code = p.judge(e)
	}
	if p.said < len(p.o.Prompts) && !e.Aborted {
		return p.next(ctx)
	}
	if !p.o.JSON {
		p.answer()
	}
	return errDone
}

// judge says what was wrong with an answer, and returns the exit code for it.
func (p *printer) judge(e protocol.RunEnded) int {
	switch {
	case e.Aborted || p.last.StopReason == message.Aborted:
		p.tell("the answer was aborted")
	case p.last.StopReason == message.Failed:
		p.tell("the model failed: %s", p.last.ErrorMessage)
		if e.Advice != "" {
			p.tell("%s", e.Advice)
		}
	case p.last.StopReason == message.Length:
		p.tell("the answer was cut off by the output limit of the model")
	case e.Failure != "": // has been told
	case !e.Aborted && p.last.Role == message.Assistant && p.last.Text("") == "":
		p.tell("the model said nothing")
		return 0 // pi's code too: nothing went wrong that anybody told of
	default:
		return 0
	}
	return 1
}

// answer prints the last answer, unless it broke off: half a text must not pass
// for a whole one. One that was cut by its limit is printed, as pi does.
func (p *printer) answer() {
	text := p.last.Text("\n")
	if text == "" || p.last.StopReason == message.Failed || p.last.StopReason == message.Aborted {
		return
	}
	if p.o.Terminal {
		text = render.Clean(text)
	}
	p.out.WriteString(text) // bufio keeps the first error for Flush
	p.out.WriteByte('\n')
}
