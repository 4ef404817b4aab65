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
