package remote

import "context"

// Answers reports whether a server answers at all, before ctx ends; one that nobody
// listens for is gone, which is an answer too.
func (d *Dialer) Answers(ctx context.Context) bool {
	_, err := d.once(ctx, "GET", "/health", nil, "")
	return err == nil || ctx.Err() == nil
}
