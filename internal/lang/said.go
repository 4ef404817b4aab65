package lang

import (
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Said translates words that come finished from elsewhere, such as an error of the
// session service, by the text of the table that they were made of. What has none
// stays as it is.
func (l Language) Said(words string) string { return l.said(words, 4) }

func (l Language) said(words string, deep int) string {
	if l == English || words == "" || deep == 0 {
		return words
	}
	if t := l.of(words); t != words {
		return t
	}
	if age, ok := strings.CutSuffix(words, " ago"); ok { // too short to be recognized as others are
		if n := strings.TrimRight(age, "mhdwoy"); n != "" && strings.Trim(n, "0123456789") == "" {
			return l.T("%s ago", l.T("%s"+age[len(n):], n))
		}
	}
	// An error often stands in another one: the pattern with the most words of its own
	// is the outermost that is meant.
	for _, p := range patterns() {
		args, ok := p.match(words)
		if !ok {
			continue
		}
		for i, a := range args {
			args[i] = l.said(a, deep-1)
		}
		return fill(p.to, args)
	}
	if head, tail, ok := strings.Cut(words, ": "); ok {
		if t := l.said(tail, deep-1); t != tail {
			return l.said(head, deep-1) + ": " + t
		}
	}
	return words
}

// pattern is a text with verbs, as the pieces around these.
type pattern struct {
	pieces []string
	verbs  []string
	to     string
	own    int // bytes of the pieces
}

// leastOwn is how many bytes of its own a text must have to be recognized.
const leastOwn = 6

// patterns are the texts with verbs, those first that say most themselves.
var patterns = sync.OnceValue(func() []pattern {
	var all []pattern
	for en, zh := range chinese() {
		p := pattern{to: zh}
		p.pieces, p.verbs = split(en)
		for _, s := range p.pieces {
			p.own += len(s)
		}
		if len(p.verbs) > 0 && p.own >= leastOwn {
			all = append(all, p)
		}
	}
	slices.SortFunc(all, func(a, b pattern) int {
		if a.own != b.own {
			return b.own - a.own
		}
		return strings.Compare(strings.Join(a.pieces, "%"), strings.Join(b.pieces, "%"))
	})
	return all
})

// split parts a format at its verbs.
func split(format string) (pieces, verbs []string) {
	start := 0
	var piece strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			continue
		}
		end := i + 1
		for end < len(format) && strings.IndexByte("+-# 0123456789.[]*", format[end]) >= 0 {
			end++
		}
		if end == len(format) {
			break
		}
		piece.WriteString(format[start:i])
		start = end + 1
		if format[end] == '%' {
			piece.WriteByte('%')
		} else {
			pieces = append(pieces, piece.String())
			verbs = append(verbs, format[i:end+1])
			piece.Reset()
		}
		i = end
	}
	piece.WriteString(format[start:])
	return append(pieces, piece.String()), verbs
}

// match returns what stands in the places of the verbs.
func (p pattern) match(words string) ([]string, bool) {
	rest, ok := strings.CutPrefix(words, p.pieces[0])
	if !ok {
		return nil, false
	}
	var args []string
	for i, verb := range p.verbs {
		next := p.pieces[i+1]
		at := len(rest) - len(next)
		if i+1 < len(p.verbs) {
			if next == "" {
				return nil, false
			}
			at = strings.Index(rest, next)
		} else if !strings.HasSuffix(rest, next) {
			return nil, false
		}
		if at < 0 {
			return nil, false
		}
		arg := rest[:at]
		if strings.HasSuffix(verb, "d") {
			if _, err := strconv.Atoi(strings.TrimSpace(arg)); err != nil {
				return nil, false
			}
		}
		args = append(args, arg)
		rest = rest[at+len(next):]
	}
	return args, true
}

// fill puts arguments that are texts already in the places of the verbs of a format.
func fill(format string, args []string) string {
	pieces, verbs := split(format)
	var b strings.Builder
	n := 0
	for i, v := range verbs {
		b.WriteString(pieces[i])
		if from, to := strings.IndexByte(v, '['), strings.IndexByte(v, ']'); from >= 0 && to > from {
			if k, err := strconv.Atoi(v[from+1 : to]); err == nil {
				n = k - 1
			}
		}
		if n >= 0 && n < len(args) {
			b.WriteString(args[n])
		}
		n++
	}
	b.WriteString(pieces[len(pieces)-1])
	return b.String()
}
