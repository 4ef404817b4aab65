package search

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
)

// An Expr is what is looked for: words and phrases that must all be there, or a
// regular expression.
type Expr struct {
	needles []Needle
	phrase  []bool
	re      *regexp.Regexp
	literal [][]Needle // of re: of each list one must be there
}

// Parse reads an expression as people type it: words; "words that follow each
// other"; or re: and a regular expression, in which case does not count (it may say
// (?-i)). If a quote is not closed, quotes are letters like any other.
func Parse(text string) (Expr, error) {
	text = strings.TrimFunc(text, blank)
	if pattern, ok := strings.CutPrefix(text, "re:"); ok {
		return parseRegexp(pattern)
	}
	var x Expr
	add := func(word string, phrase bool) {
		if n := NewNeedle(word); !n.Empty() {
			x.needles = append(x.needles, n)
			x.phrase = append(x.phrase, phrase)
		}
	}
	if strings.Count(text, `"`)%2 != 0 {
		for _, w := range strings.FieldsFunc(text, blank) {
			add(w, false)
		}
		return x, nil
	}
	for i, part := range strings.Split(text, `"`) {
		if i%2 == 1 {
			add(part, true)
			continue
		}
		for _, w := range strings.FieldsFunc(part, blank) {
			add(w, false)
		}
	}
	return x, nil
}

func parseRegexp(pattern string) (Expr, error) {
	if pattern == "" {
		return Expr{}, fmt.Errorf("re: needs a regular expression behind it")
	}
	re, err := regexp.Compile("(?im)" + pattern)
	if err != nil {
		if e, ok := err.(*syntax.Error); ok {
			return Expr{}, fmt.Errorf("the regular expression is not understood: %s: `%s`", e.Code, strings.TrimPrefix(e.Expr, "(?im)"))
		}
		return Expr{}, fmt.Errorf("the regular expression is not understood: %w", err)
	}
	x := Expr{re: re}
	if tree, err := syntax.Parse("(?im)"+pattern, syntax.Perl); err == nil {
		x.literal = literals(tree.Simplify())
	}
	return x, nil
}

// Empty reports whether everything fits.
func (x Expr) Empty() bool { return len(x.needles) == 0 && x.re == nil }

// literals returns texts of which an expression needs one of each list.
func literals(re *syntax.Regexp) [][]Needle {
	switch re.Op {
	case syntax.OpLiteral:
		// In an expression k and s stand for a letter beyond ASCII too.
		var out [][]Needle
		for _, part := range strings.FieldsFunc(string(re.Rune), func(r rune) bool { return strings.ContainsRune("kKsS", r) || blank(r) }) {
			n := NewNeedle(part)
			n.orbit = true
			out = append(out, []Needle{n})
		}
		return out
	case syntax.OpCapture, syntax.OpPlus:
		return literals(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return literals(re.Sub[0])
		}
	case syntax.OpConcat:
		var out [][]Needle
		for _, sub := range re.Sub {
			out = append(out, literals(sub)...)
		}
		return out
	case syntax.OpAlternate:
		var any []Needle
		for _, sub := range re.Sub {
			of := literals(sub)
			if len(of) == 0 {
				return nil
			}
			any = append(any, slices.MaxFunc(of, worthOf)...)
		}
		return [][]Needle{any}
	}
	return nil
}

// filter returns the filter for lines whose strings fit.
func (x Expr) filter() filter {
	lists := x.literal
	for _, n := range x.needles {
		lists = append(lists, []Needle{n})
	}
	if len(lists) == 0 {
		return filter{}
	}
	f := anyOf(slices.MaxFunc(lists, worthOf)...)
	for _, n := range x.needles {
		f.also = append(f.also, runsOf(n)...)
	}
	return f
}

// A place is where something was found.
type place struct{ piece, start, end int }

// find returns where an expression is found in texts, nil if some word of it is
// nowhere.
func (x Expr) find(texts []piece, allowed func(piece) bool) []place {
	var found []place
	at := func(index func(s string) (int, int)) bool {
		for i, p := range texts {
			if !allowed(p) {
				continue
			}
			if start, end := index(p.text); start >= 0 {
				found = append(found, place{i, start, end})
				return true
			}
		}
		return false
	}
	if x.re != nil {
		at(func(s string) (int, int) {
			if loc := x.re.FindStringIndex(s); loc != nil {
				return loc[0], loc[1]
			}
			return -1, -1
		})
		return found
	}
	for _, n := range x.needles {
		if !at(func(s string) (int, int) { return n.Index(s, 0) }) {
			return nil
		}
	}
	if len(x.needles) == 0 {
		at(func(string) (int, int) { return 0, 0 })
	}
	return found
}

// cases returns all letters that a needle takes for r.
func (n Needle) cases(r rune) []rune {
	all := []rune{r}
	for c := unicode.SimpleFold(r); c != r; c = unicode.SimpleFold(c) {
		if n.orbit || fold(c) == fold(r) {
			all = append(all, c)
		}
	}
	return all
}

// worthOf orders lists by how well they tell lines apart.
func worthOf(a, b []Needle) int { return anyOf(a...).worth - anyOf(b...).worth }
