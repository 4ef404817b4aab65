package cli

import (
	"context"
	"fmt"

	"github.com/boughdev/bough/internal/control"
)

// background lets what goes on come to its end without the terminal. Whoever opens a
// session of it meanwhile joins this process, which ends when nothing goes on any more
// and nobody is there.
func (r *runner) background(ctx context.Context, hub *control.Hub) error {
	if err := r.env.LeaveTerminal(); err != nil {
		return fmt.Errorf("leave the terminal: %w", err)
	}
	hub.Settle(ctx)
	return nil
}
