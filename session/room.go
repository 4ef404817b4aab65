package session

import "context"

// Room reports why n more bytes could not be kept now, or nil: as far as that can be
// known without writing them. What waits to be written is written first.
func (s *Session) Room(ctx context.Context, n int) error {
	if s.Unsaved() > 0 {
		if err := s.Flush(ctx); err != nil {
			return err
		}
	}
	if s.log != nil {
		if l, ok := s.log.(interface{ Room(n int) error }); ok {
			return l.Room(n)
		}
		return nil
	}
	if st, ok := s.store.(interface{ Room(h Header, n int) error }); ok {
		return st.Room(s.header, n)
	}
	return nil
}
