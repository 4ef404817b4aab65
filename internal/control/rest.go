package control

import "time"

// rest says when to look for what other programs append: every second while
// something goes on, then after as long as nothing has, up to ten seconds. Each
// look wakes a processor that could sleep. Owner's.
type rest struct {
	look  <-chan time.Time
	timer *time.Timer
	wait  time.Duration // until the look to come
	since time.Time     // when something was done last
}

const (
	lookSoon = time.Second
	lookLate = 10 * time.Second
)

func (r *rest) begin() {
	r.wait, r.since = lookSoon, time.Now()
	r.timer = time.NewTimer(r.wait)
	r.look = r.timer.C
}

// over is called when something was done.
func (r *rest) over() {
	if r.timer == nil {
		return
	}
	r.since = time.Now()
	if r.wait > lookSoon {
		r.wait = lookSoon
		r.timer.Reset(r.wait)
	}
}

// goesOn is called after a look.
func (r *rest) goesOn() {
	r.wait = min(max(time.Since(r.since), lookSoon), lookLate)
	r.timer.Reset(r.wait)
}

// fileNews hears of what happens to the session's file, so that what others append is
// taken up at once. Owner's.
type fileNews struct {
	path string
	seen chan struct{}
	stop func()
}

// watchFile hears of the file that the session has now. Owner's.
func (s *Session) watchFile() {
	path := s.savedAt()
	if s.opts.Changes == nil || !s.opts.Follow || path == s.news.path {
		return
	}
	s.news.end()
	seen := make(chan struct{}, 1)
	s.news = fileNews{path: path, seen: seen}
	if path != "" {
		s.news.stop = s.opts.Changes(path, func() {
			select {
			case seen <- struct{}{}:
			default: // it is looked at anyhow
			}
		})
	}
}

func (c *fileNews) end() {
	if c.stop != nil {
		c.stop()
		c.stop = nil
	}
}
