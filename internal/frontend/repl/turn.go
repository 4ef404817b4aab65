package repl

import (
	"strings"

	"github.com/boughdev/bough/internal/frontend/slash"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
)

// turn adds up what a prompt took.
type turn struct {
	answers int
	in, out int64
	cached  int64 // read from the cache, not in in
	written int64 // to the cache, likewise
	cost    float64
	stop    message.StopReason
	silent  bool // the last answer ended well and has neither text nor calls
}

func (t *turn) add(e protocol.TurnEnded) {
	t.answers++
	t.stop = e.Answer.StopReason
	t.silent = t.stop == message.Stop && len(e.Results) == 0 && strings.TrimSpace(e.Answer.Text("")) == ""
	t.use(e.Answer.Usage)
	for _, res := range e.Results {
		t.use(res.Usage)
	}
}

func (t *turn) use(u *message.Usage) {
	if u == nil {
		return
	}
	t.in += u.Input
	t.out += u.Output
	t.cached += u.CacheRead
	t.written += u.CacheWrite
	t.cost += u.Cost.Total
}

// line says it in brackets; what is not known shows as a question mark. gauge is how
// full the window is; priced says that the model's prices are known.
func (t turn) line(gauge string, priced bool) string {
	count := func(n int64) string {
		if t.in+t.out+t.cached+t.written == 0 {
			return "?"
		}
		return render.Count(n)
	}
	parts := []string{count(t.in) + " in"}
	if t.cached > 0 {
		parts = append(parts, count(t.cached)+" cached = "+slash.Percent(t.cached, t.in+t.cached+t.written))
	}
	if t.written > 0 {
		parts = append(parts, count(t.written)+" to the cache")
	}
	parts = append(parts, count(t.out)+" out")
	switch usd := render.Dollars(t.cost); {
	case !priced:
		parts = append(parts, "$?")
	case usd != "":
		parts = append(parts, usd)
	}
	return "(" + strings.Join(append(parts, gauge), ", ") + ")"
}

// account writes what the answer took and begins anew.
func (r *repl) account() {
	if r.turn.silent {
		r.out.line(dim, "(the model said nothing)")
	}
	if r.turn.answers > 0 && !r.o.Quiet && !(r.turn.in+r.turn.out+r.turn.cached+r.turn.written == 0 && r.turn.stop == message.Failed) {
		gauge, how := r.gauge()
		m := r.view.Model
		if r.out.speech {
			r.out.line(none, "done: "+r.turn.spoken(m == nil || !m.PriceUnknown)+", "+r.spokenGauge())
		} else {
			r.out.line(how, r.turn.line(gauge, m == nil || !m.PriceUnknown))
		}
	}
	r.turn = turn{}
}
