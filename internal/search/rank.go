package search

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"strings"
	"sync"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
)

// A Ranked session is one that an expression fits.
type Ranked struct {
	Session *session.Summary
	Score   float64 // the lower the better
}

// Sessions returns the sessions that an expression fits, in their order. Each word
// must stand in one field: the name, the id, the folder, or a message of user or
// model on any branch; scattered letters do in name and folder. A word of the name
// is better than one of the others, and that is better than scattered letters
// (docs/spec/session.md 10.2).
func Sessions(ctx context.Context, all []session.Summary, x Expr) ([]Ranked, error) {
	scores := make([]float64, len(all))
	fits := make([]bool, len(all))
	var mu sync.Mutex
	var failed error
	parallel(ctx, len(all), func(r *reader, i int) bool {
		score, ok, err := x.rank(ctx, r, &all[i])
		scores[i], fits[i] = score, ok
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			mu.Lock()
			failed = err
			mu.Unlock()
		}
		return true
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var out []Ranked
	for i, ok := range fits {
		if ok {
			out = append(out, Ranked{&all[i], scores[i]})
		}
	}
	return out, failed
}

// tier sets kinds of hits apart.
const tier = 1e6

func (x Expr) rank(ctx context.Context, r *reader, s *session.Summary) (score float64, ok bool, err error) {
	if x.re != nil {
		for _, field := range []string{s.Name, s.ID, s.CWD} {
			if x.re.MatchString(field) {
				return 0, true, nil
			}
		}
		said, err := r.says(ctx, s, x, nil)
		return 0, said[0], err
	}
	// Words that are in none of the short fields must be in the texts.
	missing := make([]bool, len(x.needles))
	lacks := false
	for i, n := range x.needles {
		switch {
		case n.In(s.Name):
			score += closeness(n.Text(), s.Name)
		case n.In(s.ID):
			score += tier + closeness(n.Text(), s.ID)
		case n.In(s.CWD):
			score += tier + closeness(n.Text(), s.CWD)
		default:
			missing[i], lacks = true, true
		}
	}
	if !lacks {
		return score, true, nil
	}
	said, err := r.says(ctx, s, x, missing)
	if err != nil {
		return 0, false, err
	}
	for i, n := range x.needles {
		switch {
		case !missing[i]:
		case said[i]:
			score += tier
		case x.phrase[i]:
			return 0, false, nil
		default:
			best := min(scattered(n.Text(), s.Name), scattered(n.Text(), s.CWD))
			if math.IsInf(best, 1) {
				return 0, false, nil
			}
			score += 2*tier + best
		}
	}
	return score, true, nil
}

// says reports which of the words that are wanted, or whether the regular expression,
// the messages of user and model have.
func (r *reader) says(ctx context.Context, s *session.Summary, x Expr, want []bool) ([]bool, error) {
	said := make([]bool, max(1, len(x.needles)))
	left := 1
	r.filter = x.filter()
	if x.re == nil {
		var missing []Needle
		for i, n := range x.needles {
			if want[i] {
				missing = append(missing, n)
			}
		}
		r.filter, left = anyOf(missing...), len(missing)
	}
	r.each = func(line []byte) {
		if left == 0 {
			return
		}
		e, err := session.Decode(line, session.Line{}, session.Bytes(line))
		if err != nil || e.Role != message.User && e.Role != message.Assistant {
			return
		}
		for _, p := range pieces(r.pieces[:0], e, line) {
			if p.role != User && p.role != Assistant {
				continue
			}
			if x.re != nil {
				if !said[0] && x.re.MatchString(p.text) {
					said[0], left = true, 0
				}
				continue
			}
			for i, n := range x.needles {
				if want[i] && !said[i] && n.In(p.text) {
					said[i] = true
					left--
				}
			}
		}
	}
	r.enough = func() bool { return left == 0 }
	err := r.file(ctx, s)
	return said, err
}

// closeness is how well letters that stand together fit a field.
func closeness(word, field string) float64 {
	if s := scattered(word, field); !math.IsInf(s, 1) {
		return s
	}
	return 0
}

// scattered returns how well the letters of a word, one after the other but perhaps
// apart, fit a field: the lower the better, infinite if they are not there. It is
// pi's measure.
func scattered(word, field string) float64 {
	w, f := []rune(word), foldAll(field)
	best := align(w, f)
	if digits := swapped(w); digits != nil {
		best = min(best, align(digits, f)+5)
	}
	return best
}

func foldAll(s string) []rune {
	f := []rune(s)
	for i, r := range f {
		f[i] = fold(r)
	}
	return f
}

// align takes each letter as early as possible, or all together, what fits better.
func align(w, f []rune) float64 {
	best := math.Inf(1)
	if len(w) == 0 || len(w) > len(f) {
		return best
	}
	measure := func(at func(i int) int) float64 {
		score, last, run := 0.0, -1, 0
		for i := range w {
			k := at(i)
			if k < 0 {
				return math.Inf(1)
			}
			if last == k-1 {
				run++
				score -= 5 * float64(run)
			} else {
				run = 0
				if last >= 0 {
					score += 2 * float64(k-last-1)
				}
			}
			if k == 0 || blank(f[k-1]) || strings.ContainsRune("-_./:", f[k-1]) {
				score -= 10
			}
			score += 0.1 * float64(k)
			last = k
		}
		if len(w) == len(f) {
			score -= 100
		}
		return score
	}
	next := 0
	best = measure(func(i int) int {
		for ; next < len(f); next++ {
			if f[next] == w[i] {
				next++
				return next - 1
			}
		}
		return -1
	})
	if math.IsInf(best, 1) {
		return best
	}
	for start := 0; start+len(w) <= len(f); start++ {
		if string(f[start:start+len(w)]) == string(w) {
			best = min(best, measure(func(i int) int { return start + i }))
		}
	}
	return best
}

// swapped makes 12abc of abc12 and the reverse; nil of anything else.
func swapped(w []rune) []rune {
	kind := func(r rune) int {
		switch {
		case r >= 'a' && r <= 'z':
			return 1
		case r >= '0' && r <= '9':
			return 2
		}
		return 0
	}
	at := 0
	for i, r := range w {
		switch {
		case kind(r) == 0:
			return nil
		case i > 0 && kind(r) != kind(w[i-1]):
			if at > 0 {
				return nil
			}
			at = i
		}
	}
	if at == 0 {
		return nil
	}
	return append(append([]rune(nil), w[at:]...), w[:at]...)
}
