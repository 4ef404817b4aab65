package search

import (
	"slices"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
)

// A Finder looks for something in entries, one after the other in the order of their
// log. It is for one goroutine.
type Finder struct {
	l      looker
	filter filter

	Lines *session.Reader // of the entries' tree; nil: each line is read by itself
}

// NewFinder returns a finder. Of the options the limit and what chooses sessions do
// not count.
func NewFinder(o Options) *Finder {
	s := newSearcher(nil, o)
	return &Finder{l: looker{searcher: s}, filter: s.filter}
}

// Find looks into an entry and its label. Who speaks, what kind of entry it is and
// which model answered count as words of it.
func (f *Finder) Find(e *session.Entry, label string) (Hit, bool, error) {
	o := &f.l.o
	outside := !o.Since.IsZero() && e.Time.Before(o.Since) || !o.Until.IsZero() && e.Time.After(o.Until)
	if outside && o.File == "" {
		return Hit{}, false, nil
	}
	var line []byte
	var err error
	if f.Lines != nil {
		line, err = f.Lines.Read(e)
	} else {
		line, err = e.Raw()
	}
	if err != nil {
		return Hit{}, false, err
	}
	passes := label != "" && slices.ContainsFunc(o.Expr.needles, func(n Needle) bool { return n.In(label) }) || label != "" && o.Expr.re != nil
	if !passes {
		f.filter.lines(line, func([]byte) { passes = true })
	}
	if !passes {
		return Hit{}, false, nil
	}
	l := &f.l
	l.pieces = pieces(l.pieces[:0], e, line)
	l.note()
	if outside || !l.model.Empty() && (e.Role != message.Assistant || !l.model.In(modelOf(e, line))) {
		return Hit{}, false, nil
	}
	if label != "" {
		l.pieces = slices.Insert(l.pieces, 0, piece{role: Label, text: label})
	}
	said := len(l.pieces)
	at := o.Expr.find(l.pieces, l.allowed)
	if at == nil && e.Role != message.System { // what it is stands behind what it says
		own := piece{role: Custom, text: kindWords(e)}
		if e.Role == message.Assistant || e.Type == session.TypeModel {
			own.text += " " + modelOf(e, line)
		}
		l.pieces = append(l.pieces, own)
		at = o.Expr.find(l.pieces, l.allowed)
	}
	if at == nil {
		return Hit{}, false, nil
	}
	p := l.pieces[at[0].piece]
	h := Hit{Entry: e.ID, Role: p.role, Tool: p.tool, Time: e.Time}
	if at[0].piece < said {
		h.Before, h.Match, h.After = around(p.text, at[0].start, at[0].end)
	}
	return h, true, nil
}

// kindWords are the words for what an entry is.
func kindWords(e *session.Entry) string {
	s := string(e.Type)
	switch e.Type {
	case session.TypeMessage:
		s = string(e.Role)
	case session.TypeCustom, session.TypeCustomMessage:
		s += " " + e.Custom
	}
	return s
}

// Marks returns where in a text the words stand that are looked for, from first to
// last, none within another.
func (x Expr) Marks(text string) [][2]int {
	var out [][2]int
	if x.re != nil {
		for _, loc := range x.re.FindAllStringIndex(text, 64) {
			if loc[1] > loc[0] {
				out = append(out, [2]int{loc[0], loc[1]})
			}
		}
		return out
	}
	for _, n := range x.needles {
		for from := 0; len(out) < 64; {
			start, end := n.Index(text, from)
			if start < 0 {
				break
			}
			out = append(out, [2]int{start, end})
			from = end
		}
	}
	slices.SortFunc(out, func(a, b [2]int) int { return a[0] - b[0] })
	last := 0
	return slices.DeleteFunc(out, func(m [2]int) bool {
		if m[0] < last {
			return true
		}
		last = m[1]
		return false
	})
}
