package conformance

import (
	"strconv"

	"github.com/boughdev/bough/internal/compaction"
	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/session"
)

// compaction writes what compactions of the context of e would cut.
func (d *dumper) compaction(e *session.Entry) error {
	path := d.tree.Path(e.ID)
	p, err := d.paths.Project(path)
	if err != nil {
		return err
	}
	c := compaction.Measure(path, p, d.size)
	d.raw(`{"keep":{`)
	for i, keep := range []int64{1, 10, 160, 20000, 40, 640} { // in the order of their texts
		plan, err := c.Plan(compaction.Options{KeepRecent: keep})
		if err != nil {
			return err
		}
		d.comma(i)
		d.raw(`"` + strconv.FormatInt(keep, 10) + `":`)
		if plan == nil {
			d.raw(`null`)
			continue
		}
		d.raw(`"` + d.hash(d.plan(plan)) + `"`)
	}
	d.raw(`},"tokens":` + strconv.FormatInt(c.Tokens, 10) + `}`)
	return nil
}

func (d *dumper) plan(p *compaction.Plan) []byte {
	b := append([]byte(nil), `{"files":`...)
	b = appendFiles(b, p.Files)
	b = append(b, `,"firstKeptEntryId":`...)
	b = append(b, d.id(p.FirstKept)...)
	b = append(b, `,"isSplitTurn":`...)
	b = strconv.AppendBool(b, p.Split)
	b = append(b, `,"previousSummary":`...)
	if p.Previous != nil {
		b = rawjson.AppendString(b, *p.Previous)
	} else {
		b = append(b, "null"...)
	}
	b = append(b, `,"summarize":`...)
	b = d.appendItems(b, p.History)
	b = append(b, `,"tokensBefore":`...)
	b = strconv.AppendInt(b, p.TokensBefore, 10)
	b = append(b, `,"turnPrefix":`...)
	b = d.appendItems(b, p.Prefix)
	return append(b, '}')
}

func (d *dumper) appendItems(b []byte, items []session.Item) []byte {
	b = append(b, '[')
	for i, it := range items {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '"')
		b = append(b, d.kept(it.Message.JSON())...)
		b = append(b, '"')
	}
	return append(b, ']')
}

func appendFiles(b []byte, f compaction.Files) []byte {
	list := func(paths []string) {
		b = append(b, '[')
		for i, p := range paths {
			if i > 0 {
				b = append(b, ',')
			}
			b = rawjson.AppendString(b, p)
		}
		b = append(b, ']')
	}
	b = append(b, `{"edited":`...)
	list(f.Edited)
	b = append(b, `,"read":`...)
	list(f.Read)
	b = append(b, `,"written":`...)
	list(f.Written)
	return append(b, '}')
}

// branchSummaries writes what summaries of branches that are left would cover:
// for moves from the leaf to every other entry, then for some of all the others.
func (d *dumper) branchSummaries() error {
	known := map[[2]session.ID]string{} // by old leaf and common ancestor
	first := true
	move := func(old, target *session.Entry) error {
		entries, ancestor := compaction.Left(d.tree, old.ID, target.ID)
		key := [2]session.ID{old.ID, ancestor}
		if _, ok := known[key]; !ok {
			text, err := d.branch(entries)
			if err != nil {
				return err
			}
			known[key] = d.hash(text)
		}
		if !first {
			d.raw(`,`)
		}
		first = false
		d.raw(`[` + d.ids[old.ID] + `,` + d.ids[target.ID] + `,` + d.id(ancestor) + `,"` + known[key] + `"]`)
		return nil
	}
	d.raw(`[`)
	n := len(d.all)
	leaf := d.tree.Get(d.leaf)
	for _, target := range d.all {
		if target == leaf {
			continue
		}
		if err := move(leaf, target); err != nil {
			return err
		}
	}
	if n > 0 {
		s := stride(n)
		for k := 0; k < n*n; k += s {
			old, target := d.all[k/n], d.all[k%n]
			if old == target || old == leaf {
				continue
			}
			if err := move(old, target); err != nil {
				return err
			}
		}
	}
	d.raw(`]`)
	return nil
}

// stride returns the smallest number not below n*n/150 that has no divisor in
// common with n.
func stride(n int) int {
	s := max((n*n+149)/150, 1)
	for gcd(s, n) != 1 {
		s++
	}
	return s
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func (d *dumper) branch(entries []*session.Entry) ([]byte, error) {
	left, err := compaction.MeasureBranch(&d.paths, entries, d.size)
	if err != nil {
		return nil, err
	}
	b := append([]byte(nil), `{"budgets":{`...)
	for i, budget := range []int64{0, 100, 1000, 20} { // in the order of their texts
		if i > 0 {
			b = append(b, ',')
		}
		p := left.Plan(budget)
		b = append(b, '"')
		b = strconv.AppendInt(b, budget, 10)
		b = append(b, `":{"files":`...)
		b = appendFiles(b, p.Files)
		b = append(b, `,"messages":`...)
		b = d.appendItems(b, p.Items)
		b = append(b, `,"tokens":`...)
		b = strconv.AppendInt(b, p.Tokens, 10)
		b = append(b, '}')
	}
	b = append(b, `},"entries":[`...)
	for i, e := range entries {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, d.ids[e.ID]...)
	}
	return append(b, "]}"...), nil
}
