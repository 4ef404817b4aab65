package doctor

import (
	"context"

	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/session/filestore"
)

// readings compares the conversation that people go on with to the one that pi
// would show.
func (c *checker) readings(ctx context.Context) error {
	p, err := new(session.Projector).Context(c.tree, c.tree.Leaf())
	if err != nil {
		return err
	}
	c.Messages = len(p.Items)
	if c.Lines == 0 {
		c.Pi.Opens = true
		return nil
	}
	if c.headed == 0 || c.Counts[LateHeader]+c.Counts[OrderMark]+c.Counts[TooLong]+c.Counts[NamelessID] > 0 || c.valued != c.headed {
		return nil // refused
	}
	plain, err := c.plain(ctx)
	if err != nil {
		return err
	}
	c.Pi.Opens, c.Pi.Entries = true, plain.Size()
	last := plain.Last()
	if last == nil {
		return nil
	}
	if c.Counts[NoID] > 0 && c.endsNameless() {
		return nil // the conversation opens empty
	}
	for at, seen := last, map[session.ID]bool{}; at != nil; at = plain.Get(at.Parent) {
		if seen[at.ID] {
			c.Pi.Hangs = true
			return nil
		}
		seen[at.ID] = true
		c.Pi.Fails = c.Pi.Fails || c.silent[at.Line.Seq]
	}
	p, err = new(session.Projector).Context(plain, last.ID)
	if err != nil {
		return err
	}
	c.Pi.Messages = len(p.Items)
	return nil
}

// plain returns the tree as pi reads it.
func (c *checker) plain(ctx context.Context) (*session.Tree, error) {
	x := session.NewIndex()
	s := session.Scan{Strict: true}
	var err error
	lines := filestore.Lines(ctx, c.source.f, 0, session.Seq(c.Size), &err)
	if c.source.old != nil {
		lines = session.Lines(c.source.old, 0)
	}
	for at, line := range lines {
		s.Line(line, int64(at.Seq)-int64(at.Size), at.Size)
	}
	x.Append(&s)
	return session.NewTreeOf(x, c.source), err
}

// endsNameless reports whether the last entry of the file has no id.
func (c *checker) endsNameless() bool {
	var last *session.Entry
	for e := range c.tree.Log() {
		if !e.Lost() {
			last = e
		}
	}
	return last != nil && last.Damage != nil && last.Damage.Kind&session.Unnamed != 0
}
