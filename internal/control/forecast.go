package control

import (
	"time"

	"github.com/boughdev/bough/internal/compaction"
	"github.com/boughdev/bough/internal/prompt"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/session"
)

// ratio is how many tokens the model counts for one that is estimated, as an answer
// has shown.
type ratio struct {
	of    session.ID // the answer; "" if there was none yet
	times float64
}

// lastAnswers is over how many answers the length of the next is averaged.
const lastAnswers = 5

// shortCache is how long a cache lives if the provider does not say it.
const shortCache = 5 * time.Minute

// forecast says what the next request will come to; nil without a model. Owner's.
func (s *Session) forecast() (*protocol.Forecast, error) {
	if s.model == nil {
		return nil, nil
	}
	u, p, err := s.measure()
	if err != nil {
		return nil, err
	}
	if u.Answer != nil && s.ratio.of != u.Answer.ID {
		s.ratio = ratio{u.Answer.ID, compaction.Ratio(p, u)}
	}
	times := s.ratio.times
	if times == 0 {
		times = 1
	}
	info := s.model.Info()
	f := &protocol.Forecast{Tokens: u.Told + int64(float64(u.Estimated)*times+0.5), PriceUnknown: info.PriceUnknown}
	if more, changed := prompt.Diff(s.spoken.declares(p), s.prompt); changed {
		f.Tokens += int64(float64(message.Estimate(more)) * times)
	}
	last := s.lastUsage(p, info, f)
	if last != nil {
		s.warm(f, last, u)
	}
	if !f.PriceUnknown {
		charge(f, info, last != nil && last.Usage.CacheWrite > 0)
	}
	return f, nil
}

// lastUsage returns the last answer of the model in a context that tells what it took,
// or nil, and finds out how long answers are.
func (s *Session) lastUsage(p session.Projection, info provider.Info, f *protocol.Forecast) *message.Message {
	var (
		last *message.Message
		sum  int64
		n    int64
	)
	for i := len(p.Items) - 1; i >= 0 && n < lastAnswers; i-- {
		m := &p.Items[i].Message
		if m.Role != message.Assistant || m.Usage.ContextTokens() == 0 || m.StopReason == message.Failed || m.StopReason == message.Aborted {
			continue
		}
		if last == nil && m.Provider == info.Provider && m.Model == info.ID {
			last = m
		}
		sum, n = sum+m.Usage.Output, n+1
	}
	if n > 0 {
		f.Output = (sum + n/2) / n
	}
	return last
}

// warm finds out what of the next request the provider should have in its cache: what
// it was sent last, unless that is too long ago or has been changed.
func (s *Session) warm(f *protocol.Forecast, last *message.Message, u compaction.Use) {
	if last.Usage.CacheRead+last.Usage.CacheWrite == 0 || u.Answer == nil {
		return
	}
	lives := shortCache
	if c := s.model.Info().Cache; c != nil && c.Short > 0 {
		lives = time.Duration(c.Short) * time.Second
	}
	if last.Usage.CacheWrite1h > 0 {
		lives = time.Hour
	}
	if time.Since(time.UnixMilli(last.Timestamp)) > lives {
		f.Cold = true
		return
	}
	f.Cached = min(last.Usage.Input+last.Usage.CacheRead+last.Usage.CacheWrite, f.Tokens)
}

// charge says what a request costs. What is not in the cache is paid as written to it
// where the provider does that.
func charge(f *protocol.Forecast, info provider.Info, writes bool) {
	u := message.Usage{CacheRead: f.Cached, Output: f.Output}
	if writes {
		u.CacheWrite = f.Tokens - f.Cached
	} else {
		u.Input = f.Tokens - f.Cached
	}
	info.Cost.Charge(&u)
	f.Prompt, f.Answer = u.Cost.Input+u.Cost.CacheRead+u.Cost.CacheWrite, u.Cost.Output
}
