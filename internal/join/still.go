package join

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/boughdev/bough/protocol"
)

// A process may be there and yet stand still: suspended with ctrl+z, or with a dead
// disk. The system keeps its lock and takes what is sent to it, so nobody takes the
// session over; but nobody is to wait for it without a word either.
const (
	silence      = 8 * time.Second // of a command, until its process is asked whether it is there
	knownSilence = time.Second     // likewise, once it was not
	answersIn    = 6 * time.Second
)

var errStill = errors.New("the process stands still")

// ask carries out a command at a place. It fails where the process stands still.
func (c *Client) ask(ctx context.Context, p *place, cmd protocol.Request) (any, error) {
	if p.holder == nil || c.o.Answers == nil {
		return p.Do(ctx, cmd)
	}
	wait := silence
	if p.still.Load() {
		wait = knownSilence
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer time.AfterFunc(wait, func() {
		for ctx.Err() == nil {
			if !c.answers(ctx, p) {
				cancel(errStill)
				return
			}
			select {
			case <-time.After(silence):
			case <-ctx.Done():
			}
		}
	}).Stop()
	v, err := p.Do(ctx, cmd)
	still := err != nil && context.Cause(ctx) == errStill
	p.still.Store(still)
	if still {
		return nil, protocol.Fail(protocol.IO, "%s", c.standsStill(p, cmd))
	}
	return v, err
}

func (c *Client) answers(ctx context.Context, p *place) bool {
	ctx, cancel := context.WithTimeout(ctx, answersIn)
	defer cancel()
	return c.o.Answers(ctx, p.holder.Addr)
}

// standsStill says what can be done, and what becomes of the command.
func (c *Client) standsStill(p *place, cmd protocol.Request) string {
	text := fmt.Sprintf("The bough that runs this session (process %d) does not answer; it may be suspended (fg in its terminal lets it go on). kill -9 %d ends it, and the session goes on here.", p.holder.PID, p.holder.PID)
	if what, _ := words(cmd); what != "" {
		text += fmt.Sprintf(" It has your %s and comes to it when it goes on; if it is ended, look whether the %s is there, and say it again if not.", what, what)
	}
	return text
}
