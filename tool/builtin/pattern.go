package builtin

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"unicode/utf8"
)

// searcher finds lines. A literal that every match has is looked for first,
// which is many times faster than the expression.
type searcher struct {
	re      *regexp.Regexp
	literal []byte // "" if there is none
	fold    bool   // literal is in small letters and stands for capitals too
	perLine bool   // the expression may be asked for single lines only
	returns bool   // it looks for carriage returns, which else are no part of a line
}

// newSearcher reads a pattern; literally takes it as it stands.
func newSearcher(pattern string, literally, ignoreCase bool) (*searcher, error) {
	if literally {
		pattern = regexp.QuoteMeta(pattern)
	}
	// Lines are looked at one by one: ^ and $ are theirs, and nothing that is
	// excluded from a class is a line end.
	flags := syntax.Perl &^ syntax.OneLine &^ syntax.ClassNL
	if ignoreCase {
		flags |= syntax.FoldCase
	}
	tree, err := syntax.Parse(pattern, flags)
	if err != nil {
		return nil, patternError(err)
	}
	m := &searcher{}
	m.literal, m.fold = required(tree)
	m.returns = mentions(tree, '\r')
	m.perLine = forLines(tree)
	if m.re, err = regexp.Compile(tree.String()); err != nil {
		return nil, patternError(err)
	}
	return m, nil
}

func patternError(err error) error {
	at, ok := errors.AsType[*syntax.Error](err)
	if !ok {
		return err
	}
	switch at.Code {
	case syntax.ErrInvalidPerlOp, syntax.ErrInvalidEscape:
		return fmt.Errorf("%s is not supported: patterns are RE2, without look-around and back references; literal searches for plain text", at.Expr)
	case syntax.ErrInvalidRepeatSize, syntax.ErrLarge, syntax.ErrNestingDepth:
		return fmt.Errorf("%s: %s", at.Code, at.Expr)
	}
	return fmt.Errorf("%s: %s; literal searches for plain text", at.Code, at.Expr)
}

// forLines makes the ends of lines match before a carriage return too, and
// reports whether the expression speaks of the whole text's ends.
func forLines(tree *syntax.Regexp) bool {
	perLine := tree.Op == syntax.OpBeginText || tree.Op == syntax.OpEndText
	for i, sub := range tree.Sub {
		if sub.Op == syntax.OpEndLine {
			cr := &syntax.Regexp{Op: syntax.OpLiteral, Rune: []rune{'\r'}}
			maybe := &syntax.Regexp{Op: syntax.OpQuest, Sub: []*syntax.Regexp{cr}}
			tree.Sub[i] = &syntax.Regexp{Op: syntax.OpConcat, Sub: []*syntax.Regexp{maybe, sub}}
			continue
		}
		perLine = forLines(sub) || perLine
	}
	return perLine
}

func mentions(tree *syntax.Regexp, r rune) bool {
	if tree.Op == syntax.OpLiteral && slices.Contains(tree.Rune, r) {
		return true
	}
	return slices.ContainsFunc(tree.Sub, func(sub *syntax.Regexp) bool { return mentions(sub, r) })
}

// matches looks at one line, with its end.
func (m *searcher) matches(line []byte) bool {
	line = bytes.TrimSuffix(line, []byte{'\n'})
	if !m.returns {
		line = bytes.TrimSuffix(line, []byte{'\r'})
	}
	return m.re.Match(line)
}

// required returns the longest literal that every match has.
func required(tree *syntax.Regexp) (literal []byte, fold bool) {
	switch tree.Op {
	case syntax.OpLiteral:
		return literalOf(tree)
	case syntax.OpCapture, syntax.OpPlus:
		return required(tree.Sub[0])
	case syntax.OpRepeat:
		if tree.Min > 0 {
			return required(tree.Sub[0])
		}
	case syntax.OpConcat:
		var joined []byte // of literals side by side
		joinedFold := false
		best := func(b []byte, f bool) {
			if len(b) > len(literal) {
				literal, fold = b, f
			}
		}
		for _, sub := range tree.Sub {
			if sub.Op == syntax.OpLiteral {
				if b, f := literalOf(sub); b != nil && (f == joinedFold || joined == nil) {
					joined, joinedFold = append(joined, b...), f
					best(joined, joinedFold)
					continue
				}
			}
			joined, joinedFold = nil, false
			best(required(sub))
		}
	}
	return literal, fold
}

// literalOf returns the bytes of a literal. One that ignores case must be ASCII.
func literalOf(tree *syntax.Regexp) ([]byte, bool) {
	fold := tree.Flags&syntax.FoldCase != 0
	var b []byte
	for _, r := range tree.Rune {
		if fold && r >= utf8.RuneSelf {
			return nil, false
		}
		if fold && r >= 'A' && r <= 'Z' {
			r += 'a' - 'A'
		}
		b = utf8.AppendRune(b, r)
	}
	return b, fold
}
