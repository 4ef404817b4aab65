package conformance

import (
	"fmt"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/session"
)

// copyKey names an entry as it stands in a copy.
type copyKey struct {
	entry             *session.Entry
	parent, firstKept session.ID
}

// fork writes the session that is made of the path to e.
func (d *dumper) fork(e *session.Entry) error {
	c, err := d.tree.CopyBranch(e.ID)
	if err != nil {
		return err
	}
	d.raw(`{"entries":[`)
	for i, kept := range c.Entries {
		key := copyKey{kept.Entry, kept.Parent, kept.FirstKept}
		if _, ok := d.copies[key]; !ok {
			line, err := kept.Line()
			if err != nil {
				return err
			}
			d.copies[key] = d.kept(line)
		}
		d.comma(i)
		d.raw(`[`)
		d.raw(d.ids[kept.ID])
		d.raw(`,`)
		d.raw(d.id(kept.Parent))
		d.raw(`,"`)
		d.raw(d.copies[key])
		d.raw(`"]`)
	}
	d.raw(`],"labels":[`)
	for i, l := range c.Labels {
		d.comma(i)
		d.raw(`{"label":` + string(rawjson.Quote(l.Text)) + `,"targetId":` + d.ids[l.Target])
		d.timestamp(l)
		d.raw(`}`)
	}
	d.raw(fmt.Sprintf(`],"written":%t}`, c.Spoken()))
	return nil
}
