package repl

import (
	"fmt"
	"strings"
	"time"

	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/protocol"
)

// countdown is the wait before another try, which a person can see shrink. The
// zero value is none.
type countdown struct {
	ticker  *time.Ticker
	until   time.Time
	attempt string // "(1 of 3)"
	wrote   int    // as output had it when the line stood there
	width   int    // of the line
}

// retrying tells that an answer failed and that it is tried for again: with the
// seconds that are left on a terminal, else in one line.
func (r *repl) retrying(e protocol.RetryStarted) {
	r.calls.end(r.out)
	r.wait.stop()
	why, attempt := stopped(render.OneLine(e.Error)), fmt.Sprintf("(%d of %d)", e.Attempt, e.Max)
	if !r.o.Terminal || r.out.speech || e.Delay < 2*time.Second {
		r.out.problem(fmt.Sprintf("%s Trying again in %s %s.", why, seconds(e.Delay), attempt))
		return
	}
	r.out.problem(why)
	r.wait = countdown{ticker: time.NewTicker(time.Second), until: time.Now().Add(e.Delay), attempt: attempt}
	r.wait.show(r.out)
}

func (c *countdown) ticks() <-chan time.Time {
	if c.ticker == nil {
		return nil
	}
	return c.ticker.C
}

// show writes the seconds that are left over those that were, unless something
// else has been written since.
func (c *countdown) show(out *output) {
	left := max(time.Until(c.until).Round(time.Second), time.Second)
	s := fmt.Sprintf("Trying again in %s %s; ctrl+c stops.", seconds(left), c.attempt)
	if c.wrote == 0 {
		out.fresh()
	} else if out.wrote != c.wrote {
		return
	} else {
		out.print(none, "\r")
	}
	out.print(none, out.paint(dim, s)+strings.Repeat(" ", max(0, c.width-len(s))))
	c.wrote, c.width = out.wrote, len(s)
}

func (c *countdown) stop() {
	if c.ticker != nil {
		c.ticker.Stop()
	}
	*c = countdown{}
}

// seconds says a time as people do: 0.5s, 8s, 2m0s.
func seconds(d time.Duration) string {
	if d >= 10*time.Second {
		return d.Round(time.Second).String()
	}
	return d.Round(time.Millisecond).String()
}
