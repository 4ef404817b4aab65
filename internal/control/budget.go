package control

import (
	"context"
	"fmt"
	"time"

	"github.com/boughdev/bough/internal/agent"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/session"
)

// Budget is what may be paid, in US dollars; nil: any. Before a request would pass a
// limit people are asked, or without people the run stops.
type Budget struct{ PerRun, PerSession, PerDay *float64 }

func (b Budget) empty() bool { return b.PerRun == nil && b.PerSession == nil && b.PerDay == nil }

// spent is what was paid for, in US dollars. Owner's.
type spent struct {
	here    float64 // by entries that were appended here since the session was opened
	foreign float64 // and by those that other programs appended

	base  float64 // by those before
	known bool    // base is

	day      time.Time // whose sum is known
	dayBase  float64   // of that day, when it was added up
	dayAfter float64   // what was paid since the session was opened, then

	run float64 // what here was when the run began

	// What people have allowed: up to so much in all.
	runLimit, sessionLimit, dayLimit float64

	unknown string // the model of which was said that its price is not known
}

// add counts an entry.
func (p *spent) add(e *session.Entry, foreign bool) {
	b, ok, err := e.Bill()
	switch {
	case err != nil || !ok: // what cannot be read was told of
	case foreign:
		p.foreign += b.Cost
	default:
		p.here += b.Cost
	}
}

// since is what was paid since the session was opened.
func (p *spent) since() float64 { return p.here + p.foreign }

// line is a budget as it is held against the next request.
type line struct {
	protocol.BudgetLine
	ceiling float64  // the limit, or what people have allowed
	allowed *float64 // where that is kept; the owner's
}

// lines adds up what of the budgets is spent. It may read other sessions, so it is not
// for the owner.
func (s *Session) lines(ctx context.Context, fresh bool) ([]line, error) {
	var (
		out  []line
		b    Budget
		tree *session.Tree
		then float64 // what was paid here when the sums were asked for
		kept bool
		read bool
	)
	now := midnight(time.Now())
	if err := s.do(ctx, func() {
		b, then = s.opts.Budget, s.spent.since()
		if b.PerSession != nil && !s.spent.known {
			tree = s.live.Tree().Snapshot()
		}
		kept = s.path() != ""
		read = b.PerDay != nil && (fresh || !s.spent.day.Equal(now))
	}); err != nil || b.empty() {
		return nil, err
	}
	var all, today session.Tally
	var err error
	if tree != nil {
		a, err := tree.Account("")
		if err != nil {
			return nil, &protocol.Error{Code: protocol.IO, Text: err.Error(), Err: err}
		}
		all = a.All
	}
	if read && s.opts.Accounts != nil {
		if today, err = s.opts.Accounts.Since(ctx, now); err != nil {
			return nil, &protocol.Error{Code: protocol.IO, Text: "add up the day: " + err.Error(), Err: err}
		}
	}
	derr := s.do(ctx, func() {
		p := &s.spent
		if tree != nil {
			p.base, p.known = all.Cost-then, true
		}
		if read {
			if !p.day.Equal(now) {
				p.dayLimit = 0
			}
			p.day, p.dayBase, p.dayAfter = now, today.Cost, then
			if !kept || s.opts.Accounts == nil {
				p.dayAfter = 0 // what was paid here is in no file
			}
		}
		add := func(of string, limit *float64, spent float64, allowed *float64) {
			if limit != nil {
				out = append(out, line{protocol.BudgetLine{Of: of, Limit: *limit, Spent: max(spent, 0)}, max(*limit, *allowed), allowed})
			}
		}
		add("run", b.PerRun, p.here-p.run, &p.runLimit)
		add("session", b.PerSession, p.base+p.since(), &p.sessionLimit)
		add("day", b.PerDay, p.dayBase+p.since()-p.dayAfter, &p.dayLimit)
	})
	return out, derr
}

// budgets says what of the budgets is spent, for people.
func (s *Session) budgets(ctx context.Context) ([]protocol.BudgetLine, error) {
	lines, err := s.lines(ctx, true)
	var out []protocol.BudgetLine
	for _, l := range lines {
		out = append(out, l.BudgetLine)
	}
	return out, err
}

// beginRun begins a budget of a run. Owner's.
func (p *spent) beginRun() { p.run, p.runLimit = p.here, 0 }

// payment is a request that is to be paid for.
type payment struct {
	cost  float64 // about, in US dollars
	what  string  // that comes to it
	fresh bool    // what other sessions took is added up anew
	asks  bool    // people may be asked, if there are some
	yes   *bool   // set when they were, and agreed; nil: nobody wants to know
}

// afford reports whether the next request of a run may be paid for, asking people if
// that would pass a budget. why is the sentence that says why not; "" after an abort.
func (s *Session) afford(ctx context.Context, fresh bool) (ok bool, why string, err error) {
	var (
		set  bool
		next *protocol.Forecast
	)
	if derr := s.do(context.WithoutCancel(ctx), func() {
		if set = !s.opts.Budget.empty() && s.model != nil; set {
			next, err = s.forecast()
			s.tellUnknownPrice()
		}
	}); derr != nil {
		return false, "", derr
	}
	if err != nil || !set {
		return err == nil, "", err
	}
	return s.pay(ctx, payment{cost: next.Total(), what: "the next request", fresh: fresh, asks: true})
}

// tellUnknownPrice says once that a budget cannot count the model. Owner's.
func (s *Session) tellUnknownPrice() {
	info := s.model.Info()
	if id := info.Provider + "/" + info.ID; info.PriceUnknown && s.spent.unknown != id {
		s.spent.unknown = id
		s.note("warning", "The price of %s is not known, so the budget (bough.budget) does not count it.", id)
	}
}

// pay holds a payment against the budgets, see afford.
func (s *Session) pay(ctx context.Context, p payment) (ok bool, why string, err error) {
	if p.cost == 0 {
		return true, "", nil
	}
	lines, err := s.lines(ctx, p.fresh)
	if err != nil {
		return false, "", err
	}
	for _, l := range lines {
		sum := l.Spent + p.cost
		if sum <= l.ceiling {
			continue
		}
		setting := "bough.budget." + map[string]string{"run": "perRun", "session": "perSession", "day": "perDay"}[l.Of]
		figures := fmt.Sprintf("%s of %s is spent, and %s will come to about %s", dollars(l.Spent), dollars(l.ceiling), p.what, dollars(p.cost))
		if !p.asks || !s.canAsk(ctx) {
			return false, fmt.Sprintf("Stopped before the budget for a %s is passed (setting %s): %s.", l.Of, setting, figures), nil
		}
		choice, err := s.ask(ctx, fmt.Sprintf("The budget for a %s (setting %s) would be passed: %s. Go on?", l.Of, setting, figures),
			protocol.Choice{ID: "yes", Text: fmt.Sprintf("go on, up to %s", dollars(sum+l.Limit))}, protocol.Choice{ID: "no", Text: "stop"})
		switch {
		case err != nil || choice == "":
			return false, "", err
		case choice != "yes":
			return false, fmt.Sprintf("Stopped before the budget for a %s is passed (setting %s).", l.Of, setting), nil
		}
		if err := s.do(ctx, func() { *l.allowed = sum + l.Limit }); err != nil {
			return false, "", err
		}
		if p.yes != nil {
			*p.yes = true
		}
	}
	return true, "", nil
}

// summaryTokens is how long a summary is, about.
const summaryTokens = 2000

// allowSummary returns what holds the requests for a summary against the budgets.
// Nobody is asked about one that is made without being asked for. Owner's; what is
// returned is for another goroutine.
func (s *Session) allowSummary(asks bool) func(context.Context, provider.Request) error {
	if s.opts.Budget.empty() {
		return nil
	}
	info, times := s.model.Info(), s.ratio.times
	if times == 0 {
		times = 1
	}
	s.tellUnknownPrice()
	sum := 0.0 // of the parts, which are billed together at the end
	agreed := false
	return func(ctx context.Context, req provider.Request) error {
		u := message.Usage{Output: summaryTokens}
		for _, m := range req.Messages {
			u.Input += int64(float64(message.Estimate(m)) * times)
		}
		info.Cost.Charge(&u)
		first := sum == 0
		if sum += u.Cost.Total; agreed {
			return nil // which holds for all parts
		}
		ok, why, err := s.pay(ctx, payment{cost: sum, what: "the summary", fresh: first, asks: asks, yes: &agreed})
		switch {
		case err != nil || ok:
			return err
		case why == "":
			return context.Cause(ctx)
		}
		return &protocol.Error{Code: protocol.NotRunnable, Text: why}
	}
}

// dollars writes an amount so that small ones are told apart.
func dollars(usd float64) string {
	if usd > 0 && usd < 0.995 {
		return fmt.Sprintf("$%.3g", usd)
	}
	return fmt.Sprintf("$%.2f", usd)
}

// paid returns the step if it may be paid for, else nil: the run is over then.
func (r *run) paid(ctx context.Context, step *agent.Step, first bool) (*agent.Step, error) {
	if ctx.Err() != nil {
		return step, nil
	}
	ok, why, err := r.s.afford(ctx, first)
	if ok || err != nil {
		return step, err
	}
	if why == "" {
		return nil, nil // aborted
	}
	return nil, r.owner(func() error {
		r.failure = why + " Raise it or compact the conversation; /retry goes on."
		r.s.note("warning", "%s", r.failure)
		return nil
	})
}
