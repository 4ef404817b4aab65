package control

import "context"

// asked is a session as the commands of one front end come to it. What they do
// carries its name.
type asked struct {
	*Session
	by string // see Start.Who
}

// do lets the owner do f in the name of the front end.
func (a asked) do(ctx context.Context, f func()) error {
	return a.Session.do(ctx, func() { a.inName(a.by, f) })
}

// inName does f in the name of a front end. Owner's.
func (s *Session) inName(by string, f func()) {
	was := s.by
	s.by = &by
	defer func() { s.by = was }()
	f()
}

// author is the front end in whose name something is done: the one whose command
// is carried out, else the one that began what goes on, else "". Owner's.
func (s *Session) author() string {
	switch {
	case s.by != nil:
		return *s.by
	case s.op != nil:
		return s.op.by
	}
	return ""
}

// doer is a session, or one as a front end asks it.
type doer interface {
	do(ctx context.Context, f func()) error
}

// owned lets the owner of a session do f and returns what came of it.
func owned[R any](ctx context.Context, s doer, f func() (R, error)) (any, error) {
	var (
		r   R
		err error
	)
	if derr := s.do(ctx, func() { r, err = f() }); derr != nil {
		return nil, derr
	}
	return r, err
}
